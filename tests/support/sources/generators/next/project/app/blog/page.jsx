import List from "../_parts/list";

export default function Journal() {
  return (
    <>
      <h1>Journal</h1>
      <List number={1} />
    </>
  );
}
