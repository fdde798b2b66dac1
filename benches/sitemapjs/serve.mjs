// sitemap.js as a contestant, on the terms of contest.py:
//
//     node serve.mjs MODULES ROWS
//
// ROWS is a file of JSON lines with loc, lastmod, changefreq and priority. A line on standard input asks for a round of so
// many seconds, and one of JSON with its samples answers it.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";

const [modules, file] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { SitemapStream, streamToPromise } = require("sitemap");
const sax = require("sax");

const rows = readFileSync(file, "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line))
  .map(({ loc, ...others }) => ({ url: loc, ...others }));

// Its own defaults but one: the namespaces of four extensions, which these entries do not use.
const write = () =>
  streamToPromise(
    Readable.from(rows).pipe(new SitemapStream({ xmlns: { news: false, xhtml: false, image: false, video: false } })),
  );

// What a parser finds in what was written, of entries that have all four fields.
function found(xml) {
  const locs = [];
  let entry = {};
  let text = "";
  const parser = sax.parser(true);
  parser.onopentag = ({ name }) => {
    text = "";
    if (name === "url") entry = {};
  };
  parser.ontext = parser.oncdata = (part) => {
    text += part;
  };
  parser.onclosetag = (name) => {
    entry[name] = text.trim();
    text = "";
    if (name === "url" && entry.loc && entry.lastmod && entry.changefreq && entry.priority) locs.push(entry.loc);
  };
  parser.write(xml.toString()).close();
  return [locs.length, createHash("sha256").update(locs.join("\n")).digest("hex")];
}

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
say({ version: require("sitemap/package.json").version, python: `Node ${process.versions.node}` });

for await (const line of createInterface({ input: process.stdin })) {
  const samples = [];
  let spent = 0;
  while (samples.length === 0 || spent < Number(line)) {
    const faults = process.resourceUsage().minorPageFault;
    const start = process.hrtime.bigint();
    const xml = await write();
    const seconds = Number(process.hrtime.bigint() - start) / 1e9;
    spent += seconds;
    samples.push([seconds, found(xml), xml.length, process.resourceUsage().minorPageFault - faults]);
  }
  say(samples);
}
