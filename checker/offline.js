// Keeps the files of this page, so that it works without a network. Each build has a cache of its own, whose name holds a
// hash of the files; the one of the build before is removed.

const CACHE = "urlset-checker-@BUILD@";
const FILES = "@FILES@".split(" ");

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(["./", ...FILES])).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const stale = (name) => name.startsWith("urlset-checker-") && name !== CACHE;
  const removed = caches.keys().then((names) => Promise.all(names.filter(stale).map((name) => caches.delete(name))));
  event.waitUntil(removed.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const here = new URL("./", self.location).href;
  if (event.request.method !== "GET" || !event.request.url.startsWith(here)) return;
  event.respondWith(caches.match(event.request, { ignoreSearch: true }).then((kept) => kept ?? fetch(event.request)));
});
