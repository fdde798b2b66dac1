export default defineNuxtConfig({
  app: { head: { title: "Tea" } },
  compatibilityDate: "2026-01-01",
  modules: ["@nuxt/content"],
  css: ["~/assets/leaf.css"],
  telemetry: false,
});
