// Answers questions with the module that the page loads: a line of JSON each, {verb, question, path}, on standard input.
// The line of the answer has the fixed document as base64.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const wasm = instance.exports;
const put = (name, bytes) => {
  const at = wasm[name](bytes.length);
  new Uint8Array(wasm.memory.buffer, at, bytes.length).set(bytes);
};
const take = (name, length) => Buffer.from(wasm.memory.buffer, wasm[name](), length);
for await (const line of createInterface({ input: process.stdin })) {
  const { verb, question, path } = JSON.parse(line);
  put("question", Buffer.from(typeof question === "string" ? question : JSON.stringify(question)));
  put("document", readFileSync(path));
  const started = performance.now();
  const answer = JSON.parse(take("answer", wasm[verb]()).toString());
  const seconds = (performance.now() - started) / 1000;
  const fixed = verb === "repair" && answer.bytes != null ? take("fixed", answer.bytes).toString("base64") : null;
  console.log(JSON.stringify({ answer, fixed, seconds, memory: wasm.memory.buffer.byteLength }));
}
