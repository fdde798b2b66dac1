import { defineCollection, z } from "astro:content";
import { file, glob } from "astro/loaders";

const article = z.object({
  title: z.string(),
  date: z.coerce.date().optional(),
  tags: z.array(z.string()).default([]),
  draft: z.boolean().default(false),
});

export const collections = {
  blog: defineCollection({
    loader: glob({ pattern: "**/[^_]*.md", base: "./src/content/blog" }),
    schema: article,
  }),
  guide: defineCollection({
    loader: glob({ pattern: "**/*.md", base: "./src/content/guide" }),
    schema: article,
  }),
  // The number before each name sorts the recipes and is no part of their URLs.
  recipes: defineCollection({
    loader: glob({
      pattern: "*.md",
      base: "./src/recipes",
      generateId: ({ entry }) => entry.replace(/^\d+-/, "").replace(/\.md$/, ""),
    }),
    schema: article,
  }),
  shops: defineCollection({
    loader: file("src/shops.json"),
    schema: z.object({ town: z.string(), street: z.string() }),
  }),
};
