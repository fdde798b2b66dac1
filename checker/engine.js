// What the page asks the worker, and what is asked of several files together.

import { baseName } from "./files.js";

const worker = new Worker("worker.js", { type: "module" });
const waiting = new Map();
let asked = 0;

worker.onmessage = ({ data: { id, answer, bytes, error } }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  if (error ?? answer.error) reject(new Error(error ?? answer.error));
  else resolve({ answer, bytes });
};
worker.onerror = (event) => {
  event.preventDefault();
  for (const { reject } of waiting.values()) reject(new Error("the checker could not be loaded: reload the page"));
  waiting.clear();
};

function ask(verb, question, bytes) {
  const id = ++asked;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, verb, question, bytes });
  });
}

/** The profiles and rules, as urlset has them. */
export const catalogue = fetch("catalogue.json").then((response) => response.json());

/** The question about one document. `member` is true for a sitemap of an index. */
export async function questionOf(profile, location, member = false) {
  const { profiles, of_sets_with_an_index: waived } = await catalogue;
  const { rules, ...settings } = profiles[profile];
  const kept = Object.entries(rules).filter(([code]) => !(member && waived.includes(code)));
  return { ...settings, rules: Object.fromEntries(kept), location: location || null, now: Date.now() * 1000, fold: 50 };
}

/** Check one document; `answer` has what was found. */
export const check = async (document, question) => (await ask("check", question, document.bytes)).answer;

/** Make the fixes of one document; `bytes` is null if it stays as it is. */
export const repair = (document, question, unsafe) => ask("repair", { ...question, is_unsafe: unsafe }, document.bytes);

/**
 * Check several files as one set: a sitemap that an index or a robots.txt among them names takes its URL from there, by its
 * file name, and is judged again as a part of that set. Each document gets `answer` or `error`, and its `question`.
 *
 * Returns the sitemaps that are named, but were not given. `told` is called with the number of documents that are done.
 */
export async function checkSet(documents, profile, location, told) {
  const judge = async (document, where, member) => {
    document.question = await questionOf(profile, where ?? document.name, member);
    try {
      document.answer = await check(document, document.question);
      document.error = null;
    } catch (error) {
      document.error = error.message;
    }
  };
  const named = new Map(documents.map((document) => [baseName(document.name), document]));
  const members = new Map();
  const missing = [];
  for (const [index, document] of documents.entries()) {
    await judge(document, documents.length === 1 ? location : under(location, baseName(document.name)));
    for (const { loc } of document.answer?.children ?? []) {
      const member = named.get(baseName(loc));
      if (member === undefined) missing.push(loc);
      else members.set(member, loc);
    }
    told(index + 1);
  }
  for (const [member, loc] of members) await judge(member, loc, true);
  return missing;
}

/** Files that came together are taken to lie in the folder of the URL. */
function under(location, name) {
  return URL.canParse(location) ? new URL(encodeURIComponent(name), location).href : null;
}
