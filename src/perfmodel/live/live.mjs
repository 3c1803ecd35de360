// Wakes the figures and prompts that Python wrote into the page. The same script, this file the last
// of its parts, serves JupyterLab, where anywidget calls render(), and the built book, whose Sphinx
// extension makes it a classic script (a browser loads no modules from the file system) that calls
// wakeAll(document).

// Shows the controls and calls show(place) whenever one is moved.
function wakeControls(root, show) {
  const controls = [...root.querySelectorAll(".live-control")];
  root.querySelector(".live-controls").hidden = false;

  function at(control) {
    const slider = control.querySelector("input[type=range]");
    const inputs = [...control.querySelectorAll("input")];
    if (!slider) return [inputs.findIndex((input) => input.checked), inputs.length];
    const text = JSON.parse(slider.dataset.texts)[slider.value];
    slider.setAttribute("aria-valuetext", text);
    slider.nextElementSibling.textContent = text;
    return [Number(slider.value), Number(slider.max) + 1];
  }
  function moved() {
    show(controls.map(at).reduce((place, [position, size]) => place * size + position, 0));
  }
  for (const control of controls) control.addEventListener("input", moved);
  for (const player of root.querySelectorAll(".live-control + .live-player:not(.live-feed)"))
    wakePlayer(root, player);
}

function redraw(root, paths, notes, says) {
  const picture = root.querySelector("svg[role=img] > svg");
  const texts = picture.querySelectorAll("text");
  picture.querySelectorAll("path").forEach((mark, i) => mark.setAttribute("d", paths[i]));
  notes.forEach(([x, y, text, anchor], i) => {
    texts[i].setAttribute("x", x);
    texts[i].setAttribute("y", y);
    texts[i].setAttribute("text-anchor", anchor);
    texts[i].textContent = text;
  });
  root.querySelector(".live-says").textContent = says;
}

function wakeFigure(root) {
  const { texts, states } = JSON.parse(root.querySelector("script").textContent);
  wakeControls(root, (place) => {
    const state = states[place].map((i) => texts[i]);
    redraw(root, state.slice(0, -2), JSON.parse(state.at(-2)), state.at(-1));
  });
}

function wakeDrawing(root) {
  const states = JSON.parse(root.querySelector("script").textContent);
  wakeControls(root, (place) => {
    const [shapes, says] = states[place];
    root.querySelector("svg.live-scene").innerHTML = shapes;
    root.querySelector(".live-says").textContent = says;
  });
}

const KINDS = { figure: wakeFigure, drawing: wakeDrawing, queue: wakeQueue, worked: wakeWorked, gallery: wakeGallery, ...PROMPTS };

// Letters of a cell that is read, not compared.
const SENTENCE = 30;

// What is wider or longer than its place shows that it scrolls, for as long as it does.
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    target.classList.toggle("live-over", target.scrollWidth > target.clientWidth + 1);
    target.classList.toggle("live-long", target.scrollHeight > target.clientHeight + 1);
  }
});

// On a phone, a table of more than four columns keeps its first one in sight while the others
// scroll, so that rows can be compared; one with sentences in it stands as cards of named cells.
function nameCells(place) {
  const names = [...place.querySelectorAll("thead th")].map((name) => name.textContent.trim());
  if (names.length <= 4) return;
  const cells = [...place.querySelectorAll("tbody td")];
  if (!cells.some((cell) => cell.cellIndex && cell.textContent.trim().length > SENTENCE))
    return place.classList.add("live-rows");
  place.classList.add("live-cards");
  for (const row of place.querySelectorAll("tbody tr"))
    if (row.cells.length === names.length)
      [...row.cells].forEach((cell, i) => { if (names[i]) cell.dataset.head = names[i]; });
}

function fit(place) {
  for (const wide of place.querySelectorAll(".live-scroll, .pst-scrollable-table-container")) {
    nameCells(wide);
    widths.observe(wide);
  }
}

function wakeAll(place) {
  fit(place);
  for (const root of place.querySelectorAll("[data-live]")) KINDS[root.dataset.live](root);
}

// JupyterLab's shortcuts take the arrow keys, which choose an option, move a slider and scroll, and
// Enter and the space bar, which commit an answer and press a button.
function keepKeys({ target }) {
  if (target.closest(".jp-OutputArea") && target.matches("input, button, select, .live-scroll"))
    target.setAttribute("data-lm-suppress-shortcuts", "true");
}

// In JupyterLab; a figure that the kernel draws gets one state after the other.
export default {
  render({ model, el }) {
    document.addEventListener("focusin", keepKeys);
    function follow() {
      const { paths, notes, says, values } = model.get("state");
      if (!paths) return;
      redraw(el, paths, notes, says);
      el.querySelectorAll(".live-table td").forEach((cell, i) => (cell.textContent = values[i]));
    }
    function fill() {
      el.innerHTML = model.get("html");
      wakeAll(el);
      follow();
    }
    el.addEventListener("live-kept", ({ detail }) => model.send(detail));
    fill();
    // The desk takes what the kernel has kept into this browser, and gives it what is kept here.
    for (const desk of el.querySelectorAll("[data-live=predictions]")) {
      model.on("msg:custom", ({ practice: found }) => {
        merge(found);
        tell(desk, practice());
        wakePredictions(desk);
      });
      model.send({ asks: true });
    }
    model.on("change:html", fill);
    model.on("change:state", follow);
  },
};
