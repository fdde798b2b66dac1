import { defineConfig } from "astro/config";

export default defineConfig({
  site: "https://tea.example",
  i18n: { defaultLocale: "en", locales: ["en", "de"] },
  redirects: { "/old-kettles": "/blog/2026-03-01-kettles/" },
});
