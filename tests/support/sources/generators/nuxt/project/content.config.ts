import { defineCollection, defineContentConfig, z } from "@nuxt/content";

const schema = z.object({ tags: z.array(z.string()).default([]) });

export default defineContentConfig({
  collections: {
    blog: defineCollection({ type: "page", source: "blog/**/*.md", schema }),
    guide: defineCollection({ type: "page", source: "2.guide/**/*.md" }),
    // The articles in German are at another path than their folder.
    de: defineCollection({ type: "page", source: { include: "de/guide/**/*.md", prefix: "/de/anleitung" } }),
  },
});
