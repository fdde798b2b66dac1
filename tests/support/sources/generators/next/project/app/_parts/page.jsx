export default function Part() {
  return <p>A private folder has no pages.</p>;
}
