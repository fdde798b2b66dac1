export default function Page() {
  return (
    <article>
      <h1>Delivery</h1>
      <p>By bicycle.</p>
    </article>
  );
}
