// Wakes the figures and prompts that Python wrote into the page. The same file serves JupyterLab,
// where anywidget calls render(), and the built book, whose Sphinx extension makes it a classic
// script (a browser loads no modules from the file system) that calls wakeAll(document).

const STORE = "perfmodel.predictions";

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

function kept() {
  try {
    return JSON.parse(localStorage.getItem(STORE)) ?? {};
  } catch {
    return {};
  }
}

function keep(all) {
  try {
    localStorage.setItem(STORE, JSON.stringify(all));
  } catch {
    // A browser that refuses to store still shows the score.
  }
}

function number(value) {
  return Number(value.toPrecision(3)).toLocaleString("en");
}

function score(question, guess) {
  if (typeof question.answer === "string")
    return guess === question.answer ? "right" : `not this one: you chose “${guess}”`;
  const error = (guess - question.answer) / (Math.abs(question.answer) || 1);
  if (Math.abs(error) <= question.tolerance) return "right";
  const ratio = guess / question.answer;
  if (ratio > 0 && (ratio >= 2 || ratio <= 0.5)) {
    const factor = number(Math.max(ratio, 1 / ratio));
    return `too ${ratio > 1 ? "high" : "low"} by a factor of ${factor}`;
  }
  return `too ${error > 0 ? "high" : "low"} by ${number(100 * Math.abs(error))} %`;
}

function wakePredict(root) {
  const question = JSON.parse(root.querySelector("script").textContent);
  const form = root.querySelector("form");
  const answer = root.querySelector("details");
  const said = root.querySelector(".live-score");
  const free = form.querySelector("input[type=text]");
  form.hidden = false;
  answer.hidden = true;

  function reveal(entry) {
    answer.hidden = false;
    answer.open = true;
    if (entry) said.textContent = `Your prediction ${entry.guess}: ${entry.score}.`;
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const raw = free ? free.value.trim() : form.querySelector("input:checked")?.value;
    const guess = free ? Number(raw.replace(/(\d),(?=\d{3}\b)/g, "$1").replace(",", ".")) : raw;
    if (!raw || (free && !Number.isFinite(guess))) {
      said.textContent = free ? "Type a number first, such as 12.5." : "Choose one first.";
      return;
    }
    const when = new Date().toISOString();
    const { key, question: text, unit, shown } = question;
    const entry = { question: text, guess, unit, computed: shown, score: score(question, guess), when };
    keep({ ...kept(), [key]: entry });
    reveal(entry);
  });
  form.querySelector(".live-skip").addEventListener("click", () => reveal(null));
  const before = kept()[question.key];
  if (!before) return;
  if (free) free.value = before.guess;
  else for (const box of form.querySelectorAll("input")) box.checked = box.value === before.guess;
  reveal(before);
}

function csv(all) {
  const head = ["key", "question", "guess", "unit", "computed", "score", "when"];
  const quote = (value) => `"${String(value ?? "").replaceAll('"', '""')}"`;
  const rows = Object.entries(all).map(([key, entry]) =>
    head.map((name) => quote(name === "key" ? key : entry[name])).join(","));
  return [head.join(","), ...rows].join("\r\n");
}

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function button(text, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", action);
  return made;
}

function wakePredictions(root) {
  const all = kept();
  const entries = Object.values(all);
  if (!entries.length) return;
  const table = document.createElement("table");
  table.innerHTML = "<thead><tr><th scope=col>question<th scope=col>your prediction"
    + "<th scope=col>computed<th scope=col>score</tr></thead>";
  const body = table.createTBody();
  for (const entry of entries) {
    const row = body.insertRow();
    const guess = `${entry.guess} ${entry.unit ?? ""}`.trim();
    for (const text of [entry.question, guess, entry.computed, entry.score])
      row.insertCell().textContent = text;
  }
  const right = entries.filter((entry) => entry.score === "right").length;
  const summary = document.createElement("p");
  summary.textContent = `${right} of ${entries.length} right.`;
  root.replaceChildren(
    summary,
    table,
    button("Save as CSV", () => save("predictions.csv", "text/csv", csv(kept()))),
    button("Save as JSON", () =>
      save("predictions.json", "application/json", JSON.stringify(kept(), null, 2))),
    button("Forget all", () => {
      keep({});
      root.textContent = "All predictions are forgotten.";
    }),
  );
}

const KINDS = { figure: wakeFigure, predict: wakePredict, predictions: wakePredictions };

function wakeAll(place) {
  for (const root of place.querySelectorAll("[data-live]")) KINDS[root.dataset.live](root);
}

export default {
  render({ model, el }) {
    el.innerHTML = model.get("html");
    wakeAll(el);
  },
};
