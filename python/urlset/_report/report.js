// Shows the list of findings a page at a time, sorted and filtered. The list is markup of our own, in which every text is
// escaped already. A line that begins a group has severity, rule and verdict, each line below it kind, state and count.
(() => {
  "use strict";
  const PAGE = 50;
  const SEVERITIES = ["error", "warning", "info"];
  const STATES = ["new", "open", "fixed", "-"];
  const GROUP = '<details data-g="';
  const LINE = '<tr data-f="';
  const find = (id) => document.getElementById(id);
  const attribute = (line, start) => line.slice(start.length, line.indexOf('"', start.length)).split(" ");
  const facts = [];
  let group = [];
  for (const line of find("all").textContent.split("\n")) {
    if (line.startsWith(GROUP)) group = attribute(line, GROUP);
    if (!line.startsWith(LINE)) continue;
    const [severity, rule, verdict] = group;
    const [kind, state, count] = attribute(line, LINE);
    facts.push({ kind, severity, rule, verdict, state, count: Number(count), line });
  }
  const order = {
    severity: (a, b) => SEVERITIES.indexOf(facts[a].severity) - SEVERITIES.indexOf(facts[b].severity),
    rule: (a, b) => (facts[a].rule < facts[b].rule ? -1 : facts[a].rule > facts[b].rule ? 1 : 0),
    count: (a, b) => facts[b].count - facts[a].count,
    subject: (a, b) => (words(a) < words(b) ? -1 : words(a) > words(b) ? 1 : 0),
    state: (a, b) => STATES.indexOf(facts[a].state) - STATES.indexOf(facts[b].state),
  };
  // What a finding says, in small letters and still escaped. Made when somebody first looks for it.
  const said = [];
  const words = (at) => (said[at] ??= facts[at].line.slice(facts[at].line.indexOf("<td>", facts[at].line.indexOf("<td>") + 4))
    .replace(/<[^>]*>/g, "").toLowerCase());
  const row = ({ severity, rule, verdict, line }) => {
    const tone = verdict === "found" ? severity : verdict;
    return `<tr><td><span class="chip ${tone}">${tone}</span><td><code>${rule}</code>${line.slice(line.indexOf(">") + 1)}`;
  };
  const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", "&#x27;");

  const body = find("rows").tBodies[0];
  const filters = ["kind", "severity", "rule", "verdict", "state"].map(find);
  const search = find("search");
  const heads = [...find("rows").querySelectorAll("button")];
  let sorted = null;
  let isUp = true;
  let chosen = [];
  let page = 0;

  const clear = () => {
    for (const each of [search, ...filters]) each.value = "";
    find("kind").value = "pattern";
  };
  const choose = () => {
    const text = escaped(search.value.trim().toLowerCase());
    chosen = [];
    for (let at = 0; at < facts.length; at += 1) {
      if (filters.every((each) => !each.value || facts[at][each.id] === each.value) && (!text || words(at).includes(text))) {
        chosen.push(at);
      }
    }
    if (sorted) chosen.sort((a, b) => (isUp ? 1 : -1) * order[sorted](a, b) || a - b);
    page = 0;
    draw();
  };
  const draw = () => {
    const pages = Math.max(1, Math.ceil(chosen.length / PAGE));
    const part = document.createElement("template");
    part.innerHTML = `<table><tbody>${chosen.slice(page * PAGE, (page + 1) * PAGE).map((at) => row(facts[at])).join("")}</tbody></table>`;
    body.replaceChildren(...part.content.querySelectorAll("tr"));
    const count = (number) => number.toLocaleString("en");
    find("shown").textContent = `${count(chosen.length)} of ${count(facts.length)} rows`;
    find("at").textContent = `Page ${count(page + 1)} of ${count(pages)}`;
    find("before").disabled = page === 0;
    find("after").disabled = page + 1 >= pages;
  };
  const turn = (by) => {
    page += by;
    draw();
    find("list").scrollIntoView();
  };

  for (const code of [...new Set(facts.map((each) => each.rule))].sort()) find("rule").add(new Option(code));
  if (facts.every((each) => each.state === "-")) find("state").parentElement.hidden = true;
  if (facts.every((each) => each.verdict === "found")) find("verdict").parentElement.hidden = true;
  if (facts.every((each) => each.kind === "pattern")) find("kind").parentElement.hidden = true;
  for (const each of filters) each.addEventListener("change", choose);
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(choose, 120);
  });
  find("reset").addEventListener("click", () => {
    clear();
    choose();
  });
  for (const head of heads) {
    head.addEventListener("click", () => {
      isUp = sorted === head.dataset.sort ? !isUp : true;
      sorted = head.dataset.sort;
      for (const each of heads) each.parentElement.ariaSort = each === head ? (isUp ? "ascending" : "descending") : "none";
      choose();
    });
  }
  find("before").addEventListener("click", () => turn(-1));
  find("after").addEventListener("click", () => turn(1));
  for (const link of document.querySelectorAll("a[data-rule]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      clear();
      find("rule").value = link.dataset.rule;
      choose();
      find("list").scrollIntoView();
      find("rule").focus({ preventScroll: true });
    });
  }
  // On paper every rule is open, also in browsers that cannot be told so by style.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details.card:not([open])")];
    for (const each of opened) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
  });
  find("tools").hidden = false;
  choose();
})();
