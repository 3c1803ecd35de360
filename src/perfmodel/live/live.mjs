// Wakes the figures and prompts that Python wrote into the page. The same script (predict.mjs, then
// this file) serves JupyterLab, where anywidget calls render(), and the built book, whose Sphinx extension makes it a classic
// script (a browser loads no modules from the file system) that calls wakeAll(document).

function wakeFigure(root) {
  const { texts, states } = JSON.parse(root.querySelector("script").textContent);
  const inputs = [...root.querySelectorAll("input[type=range]")];
  const picture = root.querySelector("svg[role=img] > svg");
  const marks = [...picture.querySelectorAll("path")];
  const notes = [...picture.querySelectorAll("text")];
  const says = root.querySelector(".live-says");
  root.querySelector(".live-controls").hidden = false;

  function draw() {
    let place = 0;
    for (const input of inputs) {
      place = place * (Number(input.max) + 1) + Number(input.value);
      const text = JSON.parse(input.dataset.texts)[input.value];
      input.setAttribute("aria-valuetext", text);
      input.nextElementSibling.textContent = text;
    }
    const state = states[place].map((i) => texts[i]);
    marks.forEach((mark, i) => mark.setAttribute("d", state[i]));
    JSON.parse(state[marks.length]).forEach(([x, y, text, anchor], i) => {
      const note = notes[i];
      note.setAttribute("x", x);
      note.setAttribute("y", y);
      note.setAttribute("text-anchor", anchor);
      note.textContent = text;
    });
    says.textContent = state[marks.length + 1];
  }
  for (const input of inputs) input.addEventListener("input", draw);
}

const KINDS = { figure: wakeFigure, ...PROMPTS };

function wakeAll(place) {
  for (const root of place.querySelectorAll("[data-live]")) KINDS[root.dataset.live](root);
}

export default {
  render({ model, el }) {
    el.innerHTML = model.get("html");
    wakeAll(el);
  },
};
