import { readPosts } from "../../../lib/content";

export function generateStaticParams() {
  return readPosts().map(({ slug }) => ({ slug }));
}

export default async function Post({ params }) {
  const slug = decodeURIComponent((await params).slug);
  const post = readPosts().find((each) => each.slug === slug);
  return (
    <article>
      <h1>{post.title}</h1>
      <p>{post.content}</p>
    </article>
  );
}
