export default function Footer() {
  return <footer>Steeped with care</footer>;
}
