import Layout from "@theme/Layout";

export default function Prices(): React.ReactNode {
  return (
    <Layout title="Prices">
      <main>Two euros a cup.</main>
    </Layout>
  );
}
