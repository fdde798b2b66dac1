// Lets the table of rules be searched and filtered. Without this script it is a table like any other.
(() => {
  const box = document.querySelector(".rules");
  const table = box && box.querySelector("table");
  if (!table) return;

  const PROFILES = ["protocol", "google", "bing", "yandex", "baidu", "naver", "seznam"];
  const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
  const rows = [...table.tBodies[0].rows].map((row) => {
    const cells = [...row.cells].map((cell) => cell.textContent.trim());
    return { row, facts: Object.fromEntries(heads.map((head, i) => [head, cells[i]])), text: cells.join(" ").toLowerCase() };
  });
  for (const { row, facts } of rows) row.dataset.severity = facts.severity;

  // "all", "all but yandex", or the names of those that have the rule.
  const enabled = (words) => {
    const names = PROFILES.filter((name) => words.includes(name));
    return words.startsWith("all") ? PROFILES.filter((name) => !names.includes(name)) : names;
  };
  const matches = {
    severity: (facts, value) => facts.severity === value,
    profile: (facts, value) => enabled(facts.profiles).includes(value),
    authority: (facts, value) => facts.authority === value,
    fix: (facts, value) => facts.fix === value,
    scope: (facts, value) => facts.scope === value,
  };
  const choices = (name) => {
    const found = name === "profile" ? PROFILES : [...new Set(rows.map((each) => each.facts[name]))];
    const order = name === "severity" ? ["error", "warning", "info"] : name === "profile" ? PROFILES : found.sort();
    return order.filter((each) => found.includes(each));
  };

  const form = document.createElement("form");
  form.className = "rules-filter";
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Rules");
  const labelled = (name, field) => {
    const label = document.createElement("label");
    field.name = name;
    label.append(name, field);
    form.append(label);
  };
  const search = document.createElement("input");
  search.type = "search";
  search.autocomplete = "off";
  labelled("search", search);
  for (const name of Object.keys(matches)) {
    const select = document.createElement("select");
    select.append(new Option("any", ""), ...choices(name).map((each) => new Option(each)));
    labelled(name, select);
  }
  const reset = document.createElement("button");
  reset.type = "reset";
  reset.textContent = "reset";
  const count = document.createElement("p");
  count.setAttribute("role", "status");
  form.append(reset, count);
  box.before(form);

  const show = () => {
    const asked = [...new FormData(form)].filter(([, value]) => value.trim());
    let shown = 0;
    for (const { row, facts, text } of rows) {
      const fits = asked.every(([name, value]) =>
        name === "search" ? value.toLowerCase().split(/\s+/).every((word) => text.includes(word)) : matches[name](facts, value));
      row.hidden = !fits;
      shown += fits;
    }
    count.textContent = `${shown} of ${rows.length} rules`;
    const query = new URLSearchParams(asked).toString();
    history.replaceState(null, "", query ? `?${query}` : location.pathname);
  };
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = form.elements.namedItem(name);
    if (field) field.value = value;
  }
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(show));
  show();
})();
