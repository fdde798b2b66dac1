import fs from "node:fs";
import path from "node:path";
import matter from "gray-matter";

/** All files of a folder of content/, by their path without .md. */
export function readAll(folder) {
  const root = path.join(process.cwd(), "content", folder);
  return fs
    .readdirSync(root, { recursive: true })
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => {
      const { data, content } = matter(fs.readFileSync(path.join(root, name), "utf8"));
      return { name: name.replace(/\.md$/, ""), ...data, content };
    });
}

/** The articles of the blog; slug in the front matter comes before the name of the file. */
export function readPosts() {
  return readAll("posts").map((post) => ({ ...post, slug: post.slug ?? post.name }));
}
