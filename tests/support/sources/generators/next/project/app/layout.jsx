import "../styles/leaf.css";
import Footer from "./_parts/footer";

export const metadata = { title: "Tea", metadataBase: new URL("https://tea.example") };

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <nav>
          <a href="/">Tea</a> <a href="/blog">Journal</a>
        </nav>
        <main>{children}</main>
        <Footer />
      </body>
    </html>
  );
}
