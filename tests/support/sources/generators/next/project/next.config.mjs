import createMDX from "@next/mdx";

const withMDX = createMDX();

export default withMDX({
  output: "export",
  pageExtensions: ["js", "jsx", "mdx"],
});
