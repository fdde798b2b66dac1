import { readPosts } from "../../lib/content";

export const SIZE = 3;

export default function List({ number }) {
  return (
    <ul>
      {readPosts()
        .slice((number - 1) * SIZE, number * SIZE)
        .map(({ slug, title }) => (
          <li key={slug}>
            <a href={`/blog/${slug}`}>{title}</a>
          </li>
        ))}
    </ul>
  );
}
