import { readAll } from "../../../lib/content";

const nameOf = (path) => path?.join("/") ?? "index";

export function generateStaticParams() {
  return readAll("docs").map(({ name }) => ({ path: name === "index" ? [] : name.split("/") }));
}

export default async function Doc({ params }) {
  const { path } = await params;
  const doc = readAll("docs").find(({ name }) => name === nameOf(path));
  return (
    <article>
      <h1>{doc.title}</h1>
      <p>{doc.content}</p>
    </article>
  );
}
