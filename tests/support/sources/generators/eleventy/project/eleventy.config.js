import { I18nPlugin } from "@11ty/eleventy";

export default function (eleventyConfig) {
  eleventyConfig.addPlugin(I18nPlugin, { defaultLanguage: "en", errorMode: "allow-fallback" });
  eleventyConfig.addPassthroughCopy("src/assets");
  eleventyConfig.addPassthroughCopy({ "src/static": "/" });
  eleventyConfig.ignores.add("src/static");
  eleventyConfig.addCollection("tagList", (api) =>
    [...new Set(api.getAll().flatMap((item) => item.data.tags ?? []))].filter((tag) => tag !== "posts").sort(),
  );
}

export const config = {
  dir: { input: "src", output: "_site" },
  markdownTemplateEngine: "njk",
  htmlTemplateEngine: "njk",
};
