export default function Page() {
  return (
    <article>
      <h1>Prices</h1>
      <p>Two euros a cup.</p>
    </article>
  );
}
