export default function Page() {
  return (
    <article>
      <h1>Terms</h1>
      <p>The cup stays here.</p>
    </article>
  );
}
