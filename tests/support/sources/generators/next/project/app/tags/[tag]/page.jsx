import { readPosts } from "../../../lib/content";

export function generateStaticParams() {
  return [...new Set(readPosts().flatMap(({ tags }) => tags ?? []))].map((tag) => ({ tag }));
}

export default async function Tagged({ params }) {
  const { tag } = await params;
  return (
    <>
      <h1>Tagged {tag}</h1>
      <ul>
        {readPosts()
          .filter(({ tags }) => tags?.includes(tag))
          .map(({ slug, title }) => (
            <li key={slug}>{title}</li>
          ))}
      </ul>
    </>
  );
}
