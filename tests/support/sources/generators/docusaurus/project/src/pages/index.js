import Layout from "@theme/Layout";

export default function Home() {
  return (
    <Layout title="Tea">
      <main>
        <h1>Tea</h1>
        <p>All about tea.</p>
      </main>
    </Layout>
  );
}
