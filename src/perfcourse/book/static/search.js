/** Return the text of a page from a section on, or all of it. */
const textOf = (page, anchor) => {
  const sections = PAGE_TEXTS[page] || [];
  const first = sections.findIndex(([id]) => `#${id}` === anchor);
  return sections.slice(Math.max(first, 0)).map(([, text]) => text).join(" ");
};
