// The page: what is given, what is asked, and what is shown.

import { catalogue, checkSet, check, repair } from "./engine.js";
import { droppedFiles, readFiles } from "./files.js";
import { fromFragment, toFragment } from "./link.js";
import { make, plural, report, summary, tally } from "./report.js";

const EXAMPLE = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url>
    <loc>https://shop.example/tea?kind=green&size=1</loc>
    <lastmod>2026-1-3</lastmod>
    <priority>1.5</priority>
  </url>
  <url>
    <loc>/coffee</loc>
    <changefreq>often</changefreq>
  </url>
</urlset>
`;

const by = (id) => document.getElementById(id);
const results = by("results");
let run = 0;

/** Say what is going on; a screen reader says it too. */
const say = (text) => (by("status").textContent = text);

async function checkAll(documents, refused = []) {
  const current = ++run;
  if (!documents.length) {
    results.replaceChildren();
    say(refused.length ? `Nothing to check: ${refused[0]}${refused.length > 1 ? `, and ${refused.length - 1} more` : ""}` : "Nothing to check: drop a file, or paste a text.");
    return;
  }
  say("Checking …");
  results.setAttribute("aria-busy", "true");
  const started = performance.now();
  const profile = by("profile").value;
  const missing = await checkSet(documents, profile, by("location").value.trim() || null, (done) => {
    if (current === run) say(`Checked ${done} of ${plural(documents.length, "document")} …`);
  });
  if (current !== run) return; // another check was started meanwhile
  await show(documents, missing, refused, profile);
  say(`Checked ${plural(documents.length, "document")} in ${Math.round(performance.now() - started)} ms.`);
  results.removeAttribute("aria-busy");
  results.focus({ preventScroll: true });
}

async function show(documents, missing, refused, profile) {
  const { rules, profiles } = await catalogue;
  const cards = documents.map((document) => report(document, rules, (unsafe) => makeFixes(document, rules, unsafe)));
  const counts = tally(documents, profiles[profile].rules);
  results.replaceChildren(summary(documents, counts, missing, refused), ...cards);
  for (const [index, document] of documents.entries()) document.card = cards[index];
}

/** Make the fixes of a document, show what is left, and offer the result. */
async function makeFixes(document, rules, unsafe) {
  say("Fixing …");
  try {
    const { answer, bytes } = await repair(document, document.question, unsafe);
    if (bytes === null) return say(`${document.name} stays as it is: ${answer.reason ?? "nothing has a fix"}.`);
    document.bytes = bytes;
    document.answer = await check(document, document.question);
    const made = Object.entries(answer.applied).map(([code, count]) => `${code} ${count} ×`);
    const card = report(document, rules, (again) => makeFixes(document, rules, again));
    card.querySelector("h3").after(make("p", { class: "fixed" }, `Fixed: ${made.join(", ")}. `, download(document)));
    document.card.replaceWith(card);
    document.card = card;
    card.querySelector("a[download]").focus();
    say(`${document.name} is fixed.`);
  } catch (error) {
    say(`${document.name} could not be fixed: ${error.message}`);
  }
}

function download({ name, bytes }) {
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  return make("a", { href: url, download: name.split("/").pop() || "sitemap.xml" }, "Download the fixed document");
}

const checkText = () => {
  const text = by("text").value;
  const documents = text.trim() ? [{ name: "pasted text", bytes: new TextEncoder().encode(text) }] : [];
  return checkAll(documents);
};

async function checkFiles(files, options) {
  say("Reading …");
  const { documents, refused } = await readFiles(files, options);
  await checkAll(documents, refused);
}

by("form").addEventListener("submit", (event) => {
  event.preventDefault();
  checkText();
});
by("profile").addEventListener("change", () => by("text").value.trim() && checkText());
by("files").addEventListener("change", ({ target }) => checkFiles([...target.files], { all: true }));
by("folder").addEventListener("change", ({ target }) => checkFiles([...target.files]));
by("example").addEventListener("click", () => {
  by("text").value = EXAMPLE;
  by("location").value = "https://shop.example/sitemap.xml";
  checkText();
});
by("share").addEventListener("click", async () => {
  const text = by("text").value;
  if (!text.trim()) return say("Paste a text first: files are not part of a link.");
  const fragment = await toFragment({ text, profile: by("profile").value, location: by("location").value.trim() });
  if (fragment === null) return say("The text is too long for a link.");
  history.replaceState(null, "", fragment);
  try {
    await navigator.clipboard.writeText(location.href);
    say("Copied: the link holds the text itself.");
  } catch {
    say("The link is in the address bar: it holds the text itself.");
  }
});

const drop = by("drop");
for (const type of ["dragenter", "dragover"]) {
  addEventListener(type, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
addEventListener("dragleave", (event) => event.relatedTarget ?? drop.classList.remove("over"));
addEventListener("drop", async (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  const text = event.dataTransfer.getData("text");
  if (!event.dataTransfer.files.length && text) {
    by("text").value = text;
    return checkText();
  }
  const { files, isFolder, refused } = await droppedFiles(event.dataTransfer);
  await checkFiles(files, { all: !isFolder, refused });
});

/** What the link of this page asks for, if it does. */
async function openLink() {
  const asked = await fromFragment(location.hash);
  if (asked === null) return location.hash.includes("text=") && say("The link holds no text that can be read.");
  by("text").value = asked.text;
  by("location").value = asked.location;
  // The name comes from a stranger: `constructor` is a property of every object, and no profile.
  if (Object.hasOwn((await catalogue).profiles, asked.profile)) by("profile").value = asked.profile;
  await checkText();
}

async function start() {
  const { version, profiles, rules, of_sets } = await catalogue;
  by("profile").append(...Object.keys(profiles).map((name) => make("option", {}, name)));
  by("version").textContent = `urlset ${version}`;
  by("scope").textContent =
    `${Object.keys(rules).length} rules are checked here. ${of_sets.length} more compare the documents of a set, or need the answers of a server: ` +
    "urlset lint and urlset audit check those.";
  addEventListener("hashchange", openLink);
  await openLink();
}

start().catch((error) => say(`The checker could not be loaded: ${error.message}`));
navigator.serviceWorker?.register("offline.js").catch(() => {}); // without it the page works as well, but not offline
