// What a class hands in: predictions under an id that the student chose, marked before or after.
// Pages with a [data-study] load this after live.js, whose store it reads; nothing is sent anywhere.
// On a `form` the prompts keep their answers to themselves until the study is over.
(() => {
const PREDICTIONS = "perfmodel.predictions", SURE = "perfmodel.confidence", NAME = "perfmodel.student";
const COLUMNS = ["student", "phase", "page", "box", "question", "unit", "prediction", "truth",
  "right", "confidence", "time"];

function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? {};
  } catch {
    return {};
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // A browser that refuses to store can't hand in either, and says so below.
  }
}

function row(student, phase, box, entry) {
  const choice = typeof entry.answer === "string";
  const right = entry.skipped ? "" : entry.score.startsWith("right") ? "yes" : "no";
  return { student, phase, page: entry.page, box, question: entry.question, unit: entry.unit,
    prediction: entry.guess, truth: choice ? "" : entry.answer, right,
    confidence: kept(SURE)[box], time: entry.when };
}

// A cell never begins a formula, and a number stays one.
function quoted(value) {
  const text = String(value ?? "").replace(/\s+/g, " ");
  const safe = typeof value === "string" && /^[=+\-@|]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}

function table(rows) {
  const lines = rows.map((one) => COLUMNS.map((name) => quoted(one[name])).join(","));
  return [COLUMNS.join(","), ...lines, ""].join("\n");
}

function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

const FORM = `<form novalidate>
<p><label for="study-name">Your id for this study</label>
<input id="study-name" type="text" maxlength="40" autocomplete="off" aria-describedby="study-rule"></p>
<p id="study-rule">Letters, digits, dots and hyphens. The same both times, and nothing that names you
if your instructor asked for that.</p>
<fieldset class="live-options"><legend>I save this</legend>
<label><input type="radio" name="study-phase" value="before"> before the chapter</label>
<label><input type="radio" name="study-phase" value="after"> after the chapter</label></fieldset>
<p><button type="submit">Download my predictions</button></p>
<p role="status"></p></form>`;

function wakeExport(root, boxes) {
  root.innerHTML = FORM;
  const form = root.querySelector("form");
  const name = root.querySelector("#study-name"), status = root.querySelector("[role=status]");
  const known = kept(NAME);
  if (typeof known === "string") name.value = known;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const student = name.value.trim();
    const phase = form.querySelector("input:checked")?.value;
    const entries = Object.entries(kept(PREDICTIONS)).filter(([box]) => !boxes || boxes.has(box));
    if (!/^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(student)) {
      status.textContent = "Type an id first: letters, digits, dots and hyphens.";
      name.focus();
    } else if (!phase) status.textContent = "Choose first: before the chapter, or after it?";
    else if (!entries.length)
      status.textContent = "This browser keeps no prediction from here: answer a prompt first.";
    else {
      keep(NAME, student);
      const rows = entries.map(([box, entry]) => row(student, phase, box, entry));
      download(`predictions-${student}-${phase}.csv`, table(rows));
      const all = boxes ? ` of ${boxes.size}` : "";
      status.textContent = `Saved ${rows.length}${all} as predictions-${student}-${phase}.csv.`;
    }
  });
}

// A prompt of a form asks how sure the student is, and shows neither score nor answer.
function wakePrompt(root, key, tolerance) {
  const form = root.querySelector("form");
  const answer = root.querySelector("details"), score = root.querySelector(".live-score");
  const range = tolerance ? `within ${Math.round(100 * tolerance)} %` : "right";
  const sure = document.createElement("label");
  sure.textContent = `How sure are you to be ${range}? `;
  const choice = document.createElement("select");
  choice.append(new Option("I don't say", ""));
  for (let tenth = 0; tenth <= 10; tenth++) choice.append(new Option(`${10 * tenth} %`, tenth / 10));
  sure.append(choice);
  form.querySelector("button").before(sure);
  form.querySelector(".live-skip").hidden = true;
  function hide() {
    const told = kept(SURE);
    if (!(key in told)) keep(SURE, { ...told, [key]: choice.value && Number(choice.value) });
    choice.value = kept(SURE)[key] ?? "";
    choice.disabled = true;
    answer.hidden = true;
    score.textContent = "Kept. The computed answer follows when the study is over.";
  }
  root.addEventListener("live-settled", hide);
  if (kept(PREDICTIONS)[key]) hide();
}

function wakeForm() {
  const keys = new Set();
  for (const root of document.querySelectorAll("[data-live=predict]")) {
    const { key, tolerance } = JSON.parse(root.querySelector("script").textContent);
    keys.add(key);
    wakePrompt(root, key, tolerance);
  }
  for (const tally of document.querySelectorAll(".live-tally")) tally.hidden = true;
  return keys;
}

for (const root of document.querySelectorAll("[data-study]"))
  wakeExport(root, root.dataset.study === "form" ? wakeForm() : null);
})();
