export default {
  layout: "base.njk",
  permalink: (data) => `/how-to/${data.page.fileSlug}/`,
};
