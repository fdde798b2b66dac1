// Files that are dropped or chosen, as documents: {name, bytes}.

/** Bytes of one file. What is larger is no sitemap: the protocol allows 50 MiB. */
export const MAX_BYTES = 256 * 2 ** 20;
/** Files of a folder. */
export const MAX_FILES = 2_000;

const SITEMAPS = /\.(xml|rss|atom|txt)(\.(gz|br|zst))?$|\.(gz|br|zst)$/i;

export const baseName = (path) => decode(path.split(/[?#]/)[0]).split("/").pop();

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Read files. Returns {documents, refused}: those that were not read, each with the reason. */
export async function readFiles(files, { all = false } = {}) {
  const documents = [];
  const refused = [];
  for (const file of files) {
    const name = file.webkitRelativePath || file.name;
    if (!all && !SITEMAPS.test(name)) refused.push(`${name}: not a sitemap by its name`);
    else if (documents.length >= MAX_FILES) refused.push(`${name}: more than ${MAX_FILES} files`);
    else if (file.size > MAX_BYTES) refused.push(`${name}: larger than ${MAX_BYTES / 2 ** 20} MiB`);
    else {
      try {
        documents.push({ name, bytes: new Uint8Array(await file.arrayBuffer()) });
      } catch (error) {
        refused.push(`${name}: ${error.message}`);
      }
    }
  }
  return { documents, refused };
}

/** The files of what was dropped. Folders are walked. */
export async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return { files: [...transfer.files], isFolder: false };
  const files = [];
  while (entries.length && files.length <= MAX_FILES) {
    const entry = entries.shift();
    if (entry.isFile) files.push(await new Promise((resolve, reject) => entry.file(resolve, reject)));
    else entries.push(...(await children(entry)));
  }
  return { files, isFolder: true };
}

async function children(folder) {
  const reader = folder.createReader();
  const found = [];
  for (;;) {
    const more = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!more.length) return found;
    found.push(...more);
  }
}
