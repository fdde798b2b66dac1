import List, { SIZE } from "../../../_parts/list";
import { readPosts } from "../../../../lib/content";

export function generateStaticParams() {
  const pages = Math.ceil(readPosts().length / SIZE);
  return Array.from({ length: pages - 1 }, (_, index) => ({ number: String(index + 2) }));
}

export default async function Journal({ params }) {
  const { number } = await params;
  return (
    <>
      <h1>Journal, page {number}</h1>
      <List number={Number(number)} />
    </>
  );
}
