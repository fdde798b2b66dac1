// What was found, as elements. Every text of a document goes in as text, never as markup.

const SHOWN = 200;
const LEVELS = ["error", "warning", "info"];

/** An element with attributes and children. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

const number = new Intl.NumberFormat();
export const plural = (count, noun, nouns = `${noun}s`) => `${number.format(count)} ${count === 1 ? noun : nouns}`;
const entriesOf = (count) => plural(count, "entry", "entries");

/** How many findings of each severity there are, those that are not kept among them. */
export function tally(documents, severities) {
  const counts = Object.fromEntries(LEVELS.map((level) => [level, 0]));
  for (const { answer } of documents) {
    for (const [code, count] of Object.entries(answer?.counts ?? {})) counts[severities[code] ?? "error"] += count;
  }
  return counts;
}

export function summary(documents, counts, missing, refused) {
  const total = LEVELS.reduce((sum, level) => sum + counts[level], 0);
  const unread = documents.filter(({ answer, error }) => error || answer?.fault).length;
  const found = LEVELS.filter((level) => counts[level]).map((level) => plural(counts[level], level));
  const heading = total ? `Found: ${found.join(", ")}` : unread ? "Not everything could be read" : "Nothing found";
  return make(
    "section",
    { class: "summary" },
    make("h2", {}, heading),
    make("p", {}, `${plural(documents.length, "document")}, ${entriesOf(entries(documents))}.`),
    unread ? make("p", { class: "error" }, `${plural(unread, "document")} could not be read to the end.`) : null,
    listed(missing, "sitemap is named, but was not given", "sitemaps are named, but were not given"),
    listed(refused, "file was left out", "files were left out"),
  );
}

const entries = (documents) => documents.reduce((sum, { answer }) => sum + (answer?.entries ?? 0), 0);

function listed(names, one, many) {
  if (!names.length) return null;
  const shown = names.slice(0, SHOWN).map((name) => make("li", {}, name));
  const more = names.length - shown.length;
  const rest = more > 0 ? make("li", {}, `and ${number.format(more)} more`) : null;
  return make("details", {}, make("summary", {}, plural(names.length, one, many)), make("ul", {}, shown, rest));
}

/** One document with its findings, its statistics and its fixes. `fix(unsafe)` makes them. */
export function report(document, rules, fix) {
  const { name, answer, error } = document;
  if (error) return card(document, [make("p", { class: "error" }, `It could not be checked: ${error}`)]);
  const findings = answer.findings;
  const list = make("ol", { class: "findings" });
  const rest = [...findings];
  const more = make("button", { type: "button", class: "more" });
  const show = () => {
    list.append(...rest.splice(0, SHOWN).map((finding) => item(finding, rules)));
    more.hidden = rest.length === 0;
    more.textContent = `Show ${Math.min(SHOWN, rest.length)} of ${number.format(rest.length)} more`;
  };
  more.addEventListener("click", () => {
    const next = list.children.length;
    show();
    list.children[next]?.querySelector("a")?.focus();
  });
  show();
  return card(document, [
    findings.length ? list : make("p", { class: "clean" }, "Nothing found."),
    more,
    fixes(findings, fix, name),
    answer.statistics.entries ? statistics(answer.statistics) : null,
  ]);
}

function card(shown, children) {
  const { name, answer } = shown;
  const kind = answer?.kind ?? "no sitemap";
  const facts = answer ? `${kind}, ${entriesOf(answer.entries)}, ${size(answer.bytes)}` : "";
  const state = answer?.fault ? " · read only in part" : answer?.is_recovered ? " · recovered" : "";
  return make("article", {}, make("h3", {}, name), make("p", { class: "facts" }, facts + state), children);
}

const size = (bytes) => (bytes < 1000 ? plural(bytes, "byte") : bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

function item(finding, rules) {
  const { code, severity, message, line, column, help, more } = finding;
  const rule = rules[code];
  return make(
    "li",
    { class: severity },
    make(
      "p",
      {},
      make("span", { class: "severity" }, severity),
      " ",
      make("a", { href: `../rules/${code}/`, title: rule?.summary ?? code }, code),
      ` ${message} `,
      make("span", { class: "place" }, `line ${number.format(line)}, column ${number.format(column)}`),
    ),
    finding.source ? excerpt(finding) : null,
    help ? make("p", { class: "help" }, `Remedy: ${help}`) : null,
    finding.fix ? make("p", { class: "help" }, remedy(finding.fix)) : null,
    more ? make("p", { class: "help" }, `${plural(more, "more finding")} of this rule not shown`) : null,
  );
}

function remedy({ safety, edits }) {
  const texts = edits.map(({ text }) => text.trim()).filter(Boolean);
  const to = texts.length ? `: ${visible(texts.join(" … ").slice(0, 200))}` : "";
  return { safe: "A safe fix", unsafe: "An unsafe fix, which may change the meaning", display: "Perhaps" }[safety] + to;
}

/** The line with the place marked, and a caret under it. Columns count characters. */
function excerpt({ source, source_column: column, column: from, end_column: to }) {
  const chars = Array.from(source);
  const start = column - 1;
  const end = Math.min(start + Math.max(to - from, 1), Math.max(chars.length, start + 1));
  const part = (from, to) => visible(chars.slice(from, to).join(""));
  const before = part(0, start);
  return make(
    "pre",
    { tabindex: "0", "aria-label": "The line that it is about" },
    before,
    make("mark", {}, part(start, end) || " "),
    part(end),
    "\n",
    make("span", { class: "caret", "aria-hidden": "true" }, " ".repeat(Array.from(before).length) + "^".repeat(Math.max(end - start, 1))),
  );
}

/** A text whose control characters can be seen and do nothing. */
const visible = (text) => text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (char) => (char === "\t" ? " " : "\ufffd"));

function fixes(findings, fix, name) {
  const has = (safety) => findings.some((finding) => finding.fix?.safety === safety);
  if (!has("safe") && !has("unsafe")) return null;
  const buttons = [];
  if (has("safe")) buttons.push(make("button", { type: "button", onclick: () => fix(false), "aria-label": `Make the safe fixes of ${name}` }, "Make the safe fixes"));
  if (has("unsafe")) buttons.push(make("button", { type: "button", onclick: () => fix(true), "aria-label": `Make the unsafe fixes of ${name} too` }, "Make the unsafe fixes too"));
  return make("p", { class: "buttons fixes" }, buttons);
}

function statistics({ entries, sections, hosts, ages, extensions, oldest, newest }) {
  const day = (micros) => new Date(micros / 1000).toISOString().slice(0, 10);
  const parts = [bars("Sections", sections, entries), bars("Hosts", hosts, entries), bars("Ages of lastmod", ages, entries), bars("With", extensions, entries)];
  const span = oldest === null ? null : make("p", {}, `Lastmods from ${day(oldest)} to ${day(newest)}.`);
  return make("details", { class: "statistics" }, make("summary", {}, "Statistics"), span, parts);
}

const AGES = ["future", "a day", "a week", "a month", "a year", "older", "invalid", "absent"];

function bars(title, counts, all) {
  const sorted = Object.entries(counts).sort((one, other) => AGES.indexOf(one[0]) - AGES.indexOf(other[0]) || other[1] - one[1]);
  if (!sorted.length) return null;
  const rest = sorted.slice(12).reduce((sum, [, count]) => sum + count, 0);
  const rows = [...sorted.slice(0, 12), ...(rest ? [["others", rest]] : [])].map(([name, count]) =>
    make("tr", {}, make("th", { scope: "row" }, name || "(none)"), make("td", {}, number.format(count)), make("td", {}, make("meter", { min: 0, max: all, value: count, "aria-label": name || "none" }))),
  );
  return make("table", {}, make("caption", {}, title), make("tbody", {}, rows));
}
