// Files that are dropped or chosen, as documents: {name, bytes}.

/** Bytes of one file. What is larger is no sitemap: the protocol allows 50 MiB. */
export const MAX_BYTES = 256 * 2 ** 20;
/** Documents that are checked together. */
export const MAX_FILES = 2_000;
/** Files and folders that are looked at below a folder. */
const MAX_ENTRIES = 100_000;

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
export async function readFiles(files, { all = false, refused = [] } = {}) {
  const documents = [];
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

/** The files of what was dropped, and what could not be looked at. Folders are walked. */
export async function droppedFiles(transfer) {
  const waiting = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!waiting.some((entry) => entry.isDirectory)) return { files: [...transfer.files], isFolder: false, refused: [] };
  const files = [];
  const refused = [];
  for (let at = 0; at < waiting.length; at++) {
    const entry = waiting[at];
    if (at >= MAX_ENTRIES) {
      refused.push(`${entry.fullPath}: not looked at, nor what follows it: there are more than ${MAX_ENTRIES} files`);
      break;
    }
    try {
      if (entry.isFile) files.push(await new Promise((resolve, reject) => entry.file(resolve, reject)));
      else await addChildren(entry, waiting);
    } catch (error) {
      refused.push(`${entry.fullPath}: ${error.message}`);
    }
  }
  return { files, isFolder: true, refused };
}

async function addChildren(folder, waiting) {
  const reader = folder.createReader();
  // A reader hands out a hundred at a time. One more than are looked at tells that there are more.
  while (waiting.length <= MAX_ENTRIES) {
    const more = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!more.length) return;
    waiting.push(...more);
  }
}
