export const data = { layout: "base.njk", title: "Prices" };

export function render() {
  return "<p>Two euros a cup.</p>";
}
