export default function Page() {
  return (
    <article>
      <h1>Nothing here</h1>
      <p>This cup is empty.</p>
    </article>
  );
}
