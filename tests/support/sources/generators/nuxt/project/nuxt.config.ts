export default defineNuxtConfig({
  compatibilityDate: "2026-01-01",
  modules: ["@nuxt/content"],
  css: ["~/assets/leaf.css"],
  telemetry: false,
});
