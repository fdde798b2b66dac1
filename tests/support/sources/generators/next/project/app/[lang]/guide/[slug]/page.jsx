import { readAll } from "../../../../lib/content";

export function generateStaticParams() {
  return readAll("guide").map(({ name }) => {
    const [lang, slug] = name.split("/");
    return { lang, slug };
  });
}

export default async function Guide({ params }) {
  const { lang, slug } = await params;
  const page = readAll("guide").find(({ name }) => name === `${lang}/${slug}`);
  return (
    <article lang={lang}>
      <h1>{page.title}</h1>
      <p>{page.content}</p>
    </article>
  );
}
