// Prompts, self-checks and the list of predictions; practice.mjs and live.mjs follow. What a reader
// answers first is kept in this browser and stands: it is never overwritten.

const STORE = "perfmodel.predictions";

function kept(name = STORE) {
  try {
    return JSON.parse(localStorage.getItem(name)) ?? {};
  } catch {
    return {};
  }
}

function keep(all, name = STORE) {
  try {
    localStorage.setItem(name, JSON.stringify(all));
  } catch {
    // A browser that refuses to store still shows the score.
  }
}

function number(value) {
  const notation = value < 1e9 ? "standard" : "scientific";
  return value.toLocaleString("en", { maximumSignificantDigits: 3, notation }).toLowerCase();
}

function near(guess, answer, tolerance) {
  return Math.abs(guess - answer) <= tolerance * (1 + 1e-9) * (Math.abs(answer) || 1);
}

function score({ answer, tolerance, accept = [] }, guess) {
  if (typeof answer === "string")
    return guess === answer ? "right" : "not this one";
  if (near(guess, answer, tolerance)) return "right";
  if (accept.some(([value]) => near(guess, value, tolerance))) return "right by another reading";
  const ratio = guess / answer;
  if (ratio > 0 && (ratio >= 2 || ratio <= 0.5)) {
    const factor = number(Math.max(ratio, 1 / ratio));
    return `too ${ratio > 1 ? "high" : "low"} by a factor of ${factor}`;
  }
  const error = (guess - answer) / (Math.abs(answer) || 1);
  return `too ${error > 0 ? "high" : "low"} by ${number(100 * Math.abs(error))} %`;
}

function prefixSlip({ answer, tolerance }, guess) {
  return [1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9].some((by) => near(guess, by * answer, tolerance))
    ? " Check the unit's prefix." : "";
}

function isRight(entry) {
  return entry.score.startsWith("right");
}

// The page we are on: its name, and its address, which in the book is counted from the first page.
function here() {
  const root = document.documentElement.dataset.content_root;
  const at = location.origin === "null" ? location.href.split(/[?#]/)[0]
    : location.origin + location.pathname;
  const top = root === undefined ? "" : new URL(root, location.href).href;
  const heading = root === undefined ? null : document.querySelector("h1");
  const title = heading ? heading.firstChild.textContent : document.title.split(" - Jupyter")[0];
  return { title: title.trim(), page: top && at.startsWith(top) ? at.slice(top.length) : at };
}

function said(question, entry) {
  if (entry.skipped) return "You saw the answer without predicting: not counted.";
  const other = (question.accept ?? []).find(
    ([value]) => entry.score.endsWith("reading") && near(entry.guess, value, question.tolerance));
  const slip = (question.mistakes ?? []).find(
    ([value]) => typeof entry.guess === "number" && near(entry.guess, value, question.tolerance));
  const told = question.reasons?.[entry.guess] ?? slip?.[1];
  const against = told ? ` ${told}` : prefixSlip(question, entry.guess);
  return `Your ${question.kind === "quiz" ? "answer" : "prediction"} ${entry.guess}: ${entry.score}.`
    + (other ? ` ${other[1]}` : "") + (isRight(entry) ? "" : against);
}

// A comma or space is one of thousands before three digits, but not in 0,125; the unit may follow.
// What can't be read is null, and `status` says so.
function readGuess(form, free, unit, status) {
  if (!free) {
    const choice = form.querySelector("input:checked")?.value ?? null;
    if (choice === null) status.textContent = "Choose one first.";
    return choice;
  }
  const text = free.value.trim();
  const bare = unit && text.endsWith(unit) ? text.slice(0, -unit.length).trim() : text;
  const plain = /^[+-]?0,/.test(bare) ? bare : bare.replace(/(\d)[,\s](?=\d{3}\b)/g, "$1");
  const guess = plain.replace(",", ".");
  if (guess && Number.isFinite(Number(guess))) return Number(guess);
  status.textContent = /^[+-]?[.,]?\d/.test(text)
    ? `Type the number alone, ${unit ? `in this unit: ${unit}` : "without a unit"}.`
    : "Type a number first, such as 12.5.";
  return null;
}

// Enter commits by itself in the book, but not in JupyterLab.
function entersCommit(form) {
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    event.preventDefault();
    form.requestSubmit();
  });
}

function wakePredict(root) {
  const question = JSON.parse(root.querySelector("script").textContent);
  const form = root.querySelector("form");
  form.innerHTML = question.form;
  const answer = root.querySelector("details");
  const status = root.querySelector(".live-score");
  const free = form.querySelector("input[type=text]");
  status.textContent = "";
  answer.hidden = true;

  function settle(entry) {
    if (free && !entry.skipped) free.value = entry.guess;
    for (const box of form.querySelectorAll("input[type=radio]"))
      box.checked = box.value === entry.guess;
    for (const control of form.querySelectorAll("input, fieldset, button")) control.disabled = true;
    for (const control of form.querySelectorAll("button")) control.hidden = true;
    status.textContent = said(question, entry);
    answer.hidden = false;
    answer.open = true;
    offerNew(root, remember(root, question));
    root.dispatchEvent(new CustomEvent("live-settled", { bubbles: true }));
  }

  function commit(outcome) {
    const first = kept()[question.key];
    const { key, kind, question: text, unit, shown, answer: computed } = question;
    const when = new Date().toISOString();
    const entry = first
      ?? { kind, question: text, unit, computed: shown, answer: computed, ...outcome, when, ...here() };
    keep({ ...kept(), [key]: entry });
    tell(root, { predictions: { [key]: entry } });
    settle(entry);
    status.tabIndex = -1;
    status.focus();
  }

  entersCommit(form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const guess = readGuess(form, free, question.unit, status);
    if (guess !== null) commit({ guess, score: score(question, guess) });
  });
  form.querySelector(".live-skip").addEventListener("click", () =>
    commit({ guess: "", score: "skipped", skipped: true }));
  const before = kept()[question.key];
  if (before) settle(before);
}

function drawn(root) {
  const all = [...root.querySelectorAll("[data-live=predict]")];
  const answered = (part) => kept()[JSON.parse(part.querySelector("script").textContent).key];
  const order = all.map((part) => [answered(part) ? 1 : 0, Math.random(), part]);
  order.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  order.slice(Number(root.dataset.draw)).forEach(([, , part]) => { part.hidden = true; });
}

function wakeQuiz(root) {
  if (root.dataset.draw) drawn(root);
  const tally = root.querySelector(".live-tally");
  const keys = [...root.querySelectorAll("[data-live=predict] > script")]
    .map((script) => JSON.parse(script.textContent).key);
  function count() {
    const entries = keys.map((key) => kept()[key]).filter(Boolean);
    const right = entries.filter(isRight).length;
    const left = keys.length - entries.length;
    tally.textContent = entries.length
      ? `${right} of ${entries.length} right at the first try${left ? `, ${left} to go` : ""}.` : "";
  }
  root.addEventListener("live-settled", count);
  count();
}

const COLUMNS = ["key", "question", "guess", "unit", "computed", "score", "when", "title", "page"];

function csv(all) {
  const quote = (value) => `"${String(value ?? "").replaceAll('"', '""')}"`;
  const rows = Object.entries(all).map(([key, entry]) =>
    COLUMNS.map((name) => quote(name === "key" ? key : entry[name])).join(","));
  return [COLUMNS.join(","), ...rows].join("\r\n");
}

function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function made(tag, text, more = {}) {
  const element = Object.assign(document.createElement(tag), more);
  if (text) element.textContent = text;
  return element;
}

function button(text, action) {
  const control = made("button", text, { type: "button" });
  control.addEventListener("click", action);
  return control;
}

function linkTo(key, entry) {
  if (!entry.page) return made("span", key);
  const root = document.documentElement.dataset.content_root ?? "";
  const inBook = !entry.page.includes(":");
  const label = entry.title || entry.page;
  return made("a", label, { href: `${inBook ? root : ""}${entry.page}#prompt-${key}` });
}

function listed(all) {
  const table = made("table");
  const head = table.createTHead().insertRow();
  for (const name of ["page", "question", "your answer", "computed", "score"])
    head.append(made("th", name, { scope: "col" }));
  const body = table.createTBody();
  for (const [key, entry] of Object.entries(all)) {
    const row = body.insertRow();
    row.insertCell().append(linkTo(key, entry));
    const guess = `${entry.guess} ${entry.skipped ? "" : entry.unit ?? ""}`.trim();
    for (const text of [entry.question, guess, entry.computed, entry.score])
      row.insertCell().textContent = text;
  }
  return scrolling(table, "All your predictions");
}

function scrolling(table, name) {
  const frame = made("div", "", { className: "live-scroll", tabIndex: 0 });
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", name);
  frame.append(table);
  return frame;
}

function folded(summary, content) {
  const details = made("details");
  details.append(made("summary", summary), content);
  return details;
}

function chapter(entry) {
  return /(?:book|notebooks)\/([\w-]+)/.exec(entry.page ?? "")?.[1] ?? "elsewhere";
}

function byChapter(entries) {
  const groups = new Map();
  for (const entry of entries) {
    const name = chapter(entry);
    groups.set(name, [...(groups.get(name) ?? []), entry]);
  }
  return groups;
}

// Guesses over computed values on a logarithmic axis from a hundredth to a hundred, a row a chapter.
function calibration(entries) {
  const left = 210, width = 630, step = 70;
  const across = (ratio) =>
    Math.round(left + width * (Math.log10(Math.min(100, Math.max(0.01, ratio))) + 2) / 4);
  const groups = [...byChapter(entries)];
  const bottom = 20 + step * groups.length;
  const parts = [["1/100", 0.01], ["1/10", 0.1], ["1", 1], ["10", 10], ["100", 100]].map(
    ([text, ratio]) => `<path class="${ratio === 1 ? "live-frame" : "live-grid"}"`
      + ` d="M${across(ratio)} 10V${bottom}"/>`
      + `<text x="${across(ratio)}" y="${bottom + 34}" text-anchor="middle">${text}</text>`);
  groups.forEach(([name, group], row) => {
    const y = 20 + step * (row + 0.5);
    parts.push(`<text x="${left - 24}" y="${y + 9}" text-anchor="end">${name}</text>`);
    for (const entry of group) {
      const x = across(entry.guess / entry.answer);
      parts.push(isRight(entry)
        ? `<circle class="live-c3" cx="${x}" cy="${y}" r="11" fill="currentColor"/>`
        : `<path class="live-c2" d="M${x - 13} ${y}l13 -13l13 13l-13 13z"/>`);
    }
  });
  const right = entries.filter(isRight).length;
  const alt = `${entries.length} guesses over the computed values, by chapter; ${right} of them right`;
  return `<svg viewBox="0 0 880 ${bottom + 84}" role="img" aria-label="${alt}">${parts.join("")}`
    + `<text x="${left + width / 2}" y="${bottom + 74}" text-anchor="middle">`
    + "your guess / computed value</text></svg>";
}

function middle(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[half] : Math.sqrt(sorted[half - 1] * sorted[half]);
}

function plotted(entries) {
  const numbers = entries.filter((entry) => entry.guess / entry.answer > 0);
  const figure = made("figure");
  if (!numbers.length) return figure;
  const typical = number(middle(numbers.map((entry) => entry.guess / entry.answer)));
  figure.innerHTML = calibration(numbers)
    + "<figcaption>Dots are right within the prompt's tolerance, open diamonds are not. Right of the "
    + `line at 1 you guessed too much. Your middle guess is ${typical} times the computed value.`
    + "</figcaption>";
  return figure;
}

function summary(entries) {
  const counted = entries.filter((entry) => !entry.skipped);
  const share = (some) => `${some.filter(isRight).length} of ${some.length}`;
  const chapters = [...byChapter(counted)].map(([name, group]) => `${name} ${share(group)}`);
  const skipped = entries.length - counted.length;
  return `${share(counted)} right${chapters.length > 1 ? `: ${chapters.join(", ")}` : ""}.`
    + (skipped ? ` ${skipped} seen without predicting.` : "");
}

const PROMPTS = { predict: wakePredict, quiz: wakeQuiz, predictions: wakePredictions };
