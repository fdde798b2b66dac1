// What a keyboard and a screen reader miss in the theme: wide tables can be scrolled with the keys, and a part of a
// navigation, or the buttons of a code block, are no landmarks of their own.
(() => {
  const mend = () => {
    for (const each of document.querySelectorAll("nav.md-nav nav.md-nav, nav.md-code__nav")) {
      each.setAttribute("role", "none");
      for (const name of ["aria-label", "aria-labelledby", "aria-expanded"]) each.removeAttribute(name);
    }
    for (const each of document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset pre > code")) each.tabIndex = 0;
  };
  new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
  mend();
})();
