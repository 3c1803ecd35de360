/** Show what a word of the glossary means where a finger taps it; a second tap takes it away. */
const MEANING = "term-meaning";

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[title]:has(.std-term)");
  const finger = event.pointerType === "touch" || matchMedia("(hover: none)").matches;
  if (!link || !finger) return;
  event.preventDefault();
  const open = link.nextElementSibling;
  if (open?.classList.contains(MEANING)) {
    open.remove();
    return;
  }
  const meaning = document.createElement("span");
  meaning.className = MEANING;
  meaning.setAttribute("role", "status");
  const more = document.createElement("a");
  more.href = link.href;
  more.textContent = "Glossary";
  meaning.append(`${link.title} `, more);
  link.after(meaning);
});
