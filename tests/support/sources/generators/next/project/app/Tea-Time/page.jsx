export default function Page() {
  return (
    <article>
      <h1>Tea time</h1>
      <p>At five.</p>
    </article>
  );
}
