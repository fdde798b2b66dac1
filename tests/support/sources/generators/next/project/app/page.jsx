export default function Page() {
  return (
    <article>
      <h1>Tea</h1>
      <p>All about tea.</p>
    </article>
  );
}
