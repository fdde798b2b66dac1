export default function Page() {
  return (
    <article>
      <h1>Shop</h1>
      <p>Come in.</p>
    </article>
  );
}
