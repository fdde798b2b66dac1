// The checker's own thread: it holds the WebAssembly module, so that the page never waits for it.
//
// A message {id, verb, question, bytes} is answered by {id, answer, bytes} or {id, error}. If the module fails, which only
// memory that runs out should make it do, a fresh one is made for the next message.

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const compiled = WebAssembly.compileStreaming(fetch("urlset.wasm"));
let instance = null;

self.onmessage = async ({ data: { id, verb, question, bytes } }) => {
  try {
    instance ??= await WebAssembly.instantiate(await compiled, {});
    const { answer, document } = ask(instance.exports, verb, question, new Uint8Array(bytes));
    self.postMessage({ id, answer, bytes: document }, document ? [document.buffer] : []);
  } catch (error) {
    instance = null;
    self.postMessage({ id, error: String(error?.message ?? error) });
  }
};

function ask(wasm, verb, question, bytes) {
  // A view of the memory is void once the memory has grown, so each is made right before it is used.
  const put = (name, data) => {
    const at = wasm[name](data.length);
    new Uint8Array(wasm.memory.buffer, at, data.length).set(data);
  };
  const take = (name, length) => new Uint8Array(wasm.memory.buffer, wasm[name](), length).slice();
  put("question", encoder.encode(JSON.stringify(question)));
  put("document", bytes);
  const length = wasm[verb]();
  const answer = JSON.parse(decoder.decode(take("answer", length)));
  return { answer, document: answer.bytes != null && verb === "repair" ? take("fixed", answer.bytes) : null };
}
