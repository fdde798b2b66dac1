export default function ShopLayout({ children }) {
  return <section>{children}</section>;
}
