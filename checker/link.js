// A text in a link: in the fragment, which browsers send to nobody. Only short texts fit.

/** Characters of a link that mail programs and chats still take. */
export const MAX_LINK = 8_000;

const through = async (bytes, stream, most = Infinity) => {
  const chunks = [];
  let length = 0;
  for await (const chunk of new Blob([bytes]).stream().pipeThrough(stream)) {
    chunks.push(chunk);
    if ((length += chunk.length) > most) throw new Error("the text of the link is too long");
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
};

/** The fragment for what is to be checked, or null if it is too long for a link. */
export async function toFragment({ text, profile, location }) {
  const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  const base64 = btoa(String.fromCharCode(...packed.slice(0, MAX_LINK))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const fields = new URLSearchParams({ profile, ...(location && { location }), text: base64 });
  return packed.length > MAX_LINK || `${fields}`.length > MAX_LINK ? null : `#${fields}`;
}

/** What a fragment asks for, or null. It comes from a stranger, so it is bounded, and only shown and checked. */
export async function fromFragment(fragment) {
  const fields = new URLSearchParams(fragment.slice(1));
  const base64 = fields.get("text");
  if (!base64 || fragment.length > 2 * MAX_LINK) return null;
  try {
    const packed = Uint8Array.from(atob(base64.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream("deflate-raw"), 4 * 2 ** 20);
    return { text: new TextDecoder().decode(bytes), profile: fields.get("profile"), location: fields.get("location") ?? "" };
  } catch {
    return null;
  }
}
