// @ts-check

/** @type {import('@docusaurus/types').Config} */
export default {
  title: "Tea",
  url: "https://tea.example",
  baseUrl: "/docs/",
  trailingSlash: true,
  onBrokenLinks: "throw",
  future: { faster: true, v4: true },
  i18n: { defaultLocale: "en", locales: ["en", "de"] },
  presets: [
    [
      "classic",
      {
        docs: {
          routeBasePath: "guide",
          sidebarPath: "./sidebars.js",
          tagsBasePath: "topics",
        },
        blog: {
          routeBasePath: "journal",
          postsPerPage: 3,
          onUntruncatedBlogPosts: "ignore",
        },
        theme: { customCss: "./src/css/leaf.css" },
      },
    ],
  ],
  themeConfig: {
    navbar: {
      title: "Tea",
      items: [
        { type: "docSidebar", sidebarId: "guide", label: "Guide" },
        { to: "/journal", label: "Journal" },
        { type: "docsVersionDropdown" },
        { type: "localeDropdown" },
      ],
    },
  },
};
