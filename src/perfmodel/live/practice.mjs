// Practice: new numbers for a prompt, and the desk on which what was missed comes back. Follows
// predict.mjs. The first answer to a prompt isn't touched here.

const REVIEW = "perfmodel.review", ASKED = "perfmodel.asked.";
const DAYS = [1, 3, 10];

function day(later = 0, from = new Date()) {
  const date = new Date(from);
  date.setDate(date.getDate() + later);
  return date.toLocaleDateString("sv");
}

function inWords(date) {
  return new Date(`${date}T12:00`).toLocaleDateString("en-GB", { day: "numeric", month: "long" });
}

// What a missed prompt waits for: how many reviews it passed, and the day of the next one.
function waiting(key, entry) {
  const reviewed = kept(REVIEW)[key];
  if (reviewed) return reviewed;
  return entry && !isRight(entry) ? { box: 0, due: day(DAYS[0], entry.when) } : null;
}

function isOpen(item) {
  return Boolean(item?.due);
}

// Right on the day, or later: the next wait is longer, and after the last one it holds. Wrong: from
// the start again. Right before the day changes nothing.
function reviewed(root, key, right) {
  const item = waiting(key, kept()[key]);
  const box = right ? (item?.box ?? 0) + 1 : 0;
  if (right && !(isOpen(item) && item.due <= day())) return;
  const due = box < DAYS.length ? day(DAYS[box]) : "";
  const now = { box, due, at: new Date().toISOString() };
  keep({ ...kept(REVIEW), [key]: now }, REVIEW);
  tell(root, { review: { [key]: now } });
}

// In JupyterLab the kernel hears it and keeps it in progress.json.
function tell(root, change) {
  root.dispatchEvent(new CustomEvent("live-kept", { bubbles: true, detail: { kept: change } }));
}

// The desk has no other page's prompts: what one asks is kept when it has been answered.
function remember(root, question) {
  const { form, ...data } = question;
  const section = place(root, question.taught);
  const heading = section?.querySelector("h1, h2, h3")?.firstChild?.textContent;
  const told = root.querySelector("details p").cloneNode(true);
  told.querySelector("strong").remove();
  const known = {
    ...data,
    ...(section ? { section: { id: section.id, title: heading } } : {}),
    options: [...root.querySelectorAll("form input[type=radio]")].map((box) => box.value),
    why: told.textContent.replace(/^\. /, ""),
    turn: kept(ASKED + question.key).turn ?? 0,
  };
  keep(known, ASKED + question.key);
  return known;
}

function place(root, taught) {
  if (document.documentElement.dataset.content_root === undefined) return null;
  return (taught && document.getElementById(taught)) || root.closest("section[id]:not(.live)");
}

// The question with its next set of numbers, or as it was asked if it has none.
function next(question) {
  const { key, fresh, turn } = question;
  if (!fresh && !question.options.length) return question;
  question.turn = turn + 1;
  keep(question, ASKED + key);
  if (!fresh) return { ...question, options: turned(question.options, turn) };
  const set = turn % fresh.given.length;
  const fill = (text) => text.replace(/\{(\d+)\}/g, (_, field) => fresh.given[set][field]);
  const told = (name) =>
    (fresh[name] ?? []).map((text, i) => [fresh[`${name}_at`][set][i], fill(text)]);
  const options = (fresh.options ?? []).map(fill);
  const reasons = (fresh.reasons ?? []).map((text, i) => [options[i], fill(text)]);
  const answer = fresh.answers[set];
  const moves = new Set(fresh.answers).size > 1;
  return { ...question, options: moves ? options : turned(options, turn),
    reasons: Object.fromEntries(reasons), question: fill(fresh.question),
    why: fill(fresh.why), shown: fresh.shown[set], answer: options.length ? options[answer] : answer,
    accept: told("accept"), mistakes: told("mistakes") };
}

// Options from another one on at each asking: the place of the right one is nothing to learn. Steps
// of the golden ratio go through all places in an order that looks like none.
function turned(options, turn) {
  const first = Math.floor((((turn + 1) * (Math.sqrt(5) - 1)) / 2) % 1 * options.length);
  return [...options.slice(first), ...options.slice(0, first)];
}

function asksFor(question) {
  if (!question.options.length) {
    const id = `practice-${question.key}`;
    const label = made("label", `Your answer${question.unit ? ` (${question.unit})` : ""}`);
    label.htmlFor = id;
    const entry = made("input", "", { id, type: "text", inputMode: "decimal", autocomplete: "off" });
    return [label, entry];
  }
  const set = made("fieldset");
  set.append(made("legend", "Your choice", { className: "live-hidden" }));
  for (const option of question.options) {
    const label = made("label");
    const box = made("input", "", { type: "radio", name: `practice-${question.key}`, value: option });
    label.append(box, option);
    set.append(label);
  }
  return [set];
}

// A question, its entry, and after an answer the reply and what `onward` offers.
function exercise(root, question, onward) {
  const box = made("div", "", { className: "live-practice" });
  const text = made("p", question.question, { className: "live-question", tabIndex: -1 });
  const form = made("form"), status = made("p", "", { className: "live-score", tabIndex: -1 });
  status.setAttribute("role", "status");
  const check = made("button", "Check", { type: "submit" });
  form.append(...asksFor(question), check, button("Show the answer", () => settle(false, "")));
  const free = form.querySelector("input[type=text]");

  function settle(right, said) {
    for (const control of form.querySelectorAll("input, fieldset, button")) control.disabled = true;
    for (const control of form.querySelectorAll("button")) control.hidden = true;
    status.textContent = said;
    const why = made("p");
    why.append("Computed: ", made("strong", question.shown), `. ${question.why}`);
    box.append(why);
    reviewed(root, question.key, right);
    box.append(...onward(right));
    (said ? status : why).tabIndex = -1;
    (said ? status : why).focus();
  }
  entersCommit(form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const guess = readGuess(form, free, question.unit, status);
    if (guess === null) return;
    const entry = { guess, score: score(question, guess) };
    settle(isRight(entry), said({ ...question, kind: "quiz" }, entry));
  });
  box.append(text, form, status);
  return box;
}

// Below an answered prompt: the same question with other numbers, as often as the reader likes.
function offerNew(root, question) {
  if (!question.fresh) return;
  const area = made("div");
  function again() {
    const box = exercise(root, next(question), () => [more()]);
    area.replaceChildren(box);
    box.querySelector(".live-question").focus();
  }
  const more = () => button("New numbers", again);
  area.append(more());
  root.append(area);
}

function due() {
  const all = kept();
  const open = Object.entries({ ...all, ...kept(REVIEW) })
    .map(([key]) => [key, waiting(key, all[key])])
    .filter(([, item]) => isOpen(item));
  return open.sort(([, a], [, b]) => (a.due < b.due ? -1 : 1));
}

function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function dueSentence(open) {
  const now = open.filter(([, item]) => item.due <= day()).length;
  const later = open.map(([, item]) => item.due).find((date) => date > day());
  const coming = later ? ` The next review is on ${inWords(later)}.` : "";
  if (now) return `${counted(now, "question")} to review today.${coming}`;
  return open.length ? `Nothing to review today.${coming}`
    : "Nothing to review: you have missed no question, or answered all missed ones since.";
}

// One question after the other, for as long as some are due; what can't be asked here is a link.
// What is shaky stands below it.
function reviewDesk(desk) {
  const box = made("div"), topics = made("div");
  function refresh() {
    topics.replaceChildren(...shakyTable(kept()));
    fit(topics);
  }
  function show(first) {
    const open = due();
    const today = open.filter(([, item]) => item.due <= day());
    const status = made("p", dueSentence(open), { className: "live-says" });
    status.setAttribute("role", "status");
    const ready = today.find(([key]) => kept(ASKED + key).key);
    const rest = today.filter(([key]) => !kept(ASKED + key).key);
    box.replaceChildren(status);
    if (ready) {
      const question = next(kept(ASKED + ready[0]));
      const from = made("p", "From ");
      from.append(linkTo(ready[0], kept()[ready[0]] ?? {}));
      const one = exercise(box, question, () => {
        status.textContent = dueSentence(due());
        refresh();
        return [button("Next", () => show(false))];
      });
      const frame = made("section", "", { className: "live-predict" });
      frame.setAttribute("aria-label", "Review");
      frame.append(from, one);
      box.append(frame);
      if (!first) one.querySelector(".live-question").focus();
    } else if (rest.length) {
      const list = made("p", "Open these pages once, and their questions are asked here: ");
      rest.forEach(([key], i) => list.append(i ? ", " : "", linkTo(key, kept()[key] ?? {})));
      box.append(list);
    } else if (!first) {
      status.tabIndex = -1;
      status.focus();
    }
  }
  show(true);
  refresh();
  desk.append(made("h2", "To review"), box, topics);
}

// The section that teaches a prompt, or its page if the section only asks.
function taughtIn(key, entry) {
  const section = kept(ASKED + key).section;
  const link = linkTo(key, entry);
  if (!link.href || entry.page.includes(":")) return link;
  const teaches = section && !/^(Predict first|Check yourself)$/.test(section.title);
  link.href = link.getAttribute("href").replace(/#.*/, teaches ? `#${section.id}` : "");
  if (teaches) link.textContent = section.title;
  return link;
}

// By topic: what was missed and not right since, what was right since and comes back, what holds.
function shaky(all) {
  const rows = [...byChapter(Object.entries(all).map(([key, entry]) => ({ ...entry, key })))]
    .map(([name, entries]) => {
      const items = entries.map(({ key, ...entry }) => waiting(key, entry));
      return {
        name, entries,
        missed: entries.filter((_, i) => isOpen(items[i]) && !items[i].box),
        back: items.filter((item) => isOpen(item) && item.box).length,
        held: items.filter((item) => item?.due === "").length,
      };
    });
  return rows.sort((a, b) => b.missed.length - a.missed.length);
}

function shakySentence(rows) {
  const worst = rows[0];
  if (worst?.missed.length)
    return `Most shaky: ${worst.name}, with ${worst.missed.length} of `
      + `${counted(worst.entries.length, "answer")} missed and not right since.`;
  const back = rows.reduce((sum, row) => sum + row.back, 0);
  return "Nothing is shaky now."
    + (back ? " What you missed has been right since. It comes back until it holds." : "");
}

function shakyTable(all) {
  const rows = shaky(all);
  const table = made("table"), head = table.createTHead().insertRow();
  const names = ["topic", "answered", "right at first", "missed", "right since", "holds"];
  const open = rows.some(({ missed }) => missed.length);
  for (const name of open ? [...names, "taught in"] : names)
    head.append(made("th", name, { scope: "col" }));
  const body = table.createTBody();
  for (const { name, entries, missed, back, held } of rows) {
    const row = body.insertRow();
    row.append(made("th", name, { scope: "row" }));
    for (const number of [entries.length, entries.filter(isRight).length, missed.length, back, held])
      row.insertCell().textContent = number;
    const links = new Map(missed.map(({ key, ...entry }) => {
      const link = taughtIn(key, entry);
      return [link.href ?? key, link];
    }));
    if (!open) continue;
    const cell = row.insertCell();
    [...links.values()].forEach((link, i) => cell.append(i ? ", " : "", link));
  }
  const says = made("p", shakySentence(rows));
  return [made("h2", "What is shaky"), says, scrolling(table, "What is shaky, by topic")];
}

// What progress.json holds of this: first answers, reviews, and the questions that are open.
function practice() {
  const asked = Object.fromEntries(due().map(([key]) => [key, kept(ASKED + key)])
    .filter(([, question]) => question.key));
  return { predictions: kept(), review: kept(REVIEW), asked };
}

function isRecord(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

// First answers stand, later reviews count; what isn't of this kind is left out.
function merge({ predictions = {}, review = {}, asked = {} }) {
  const mine = kept(), all = { ...mine };
  for (const [key, entry] of Object.entries(predictions))
    if (isRecord(entry) && typeof entry.question === "string" && typeof entry.score === "string"
      && !(mine[key]?.when <= entry.when)) all[key] = entry;
  keep(all);
  const reviews = kept(REVIEW);
  for (const [key, item] of Object.entries(review))
    if (isRecord(item) && Number.isInteger(item.box) && typeof item.due === "string"
      && !(reviews[key]?.at >= item.at)) reviews[key] = item;
  keep(reviews, REVIEW);
  for (const [key, question] of Object.entries(asked))
    if (isRecord(question) && question.key === key && !kept(ASKED + key).key)
      keep(question, ASKED + key);
}

function forget() {
  for (const name of Object.keys(localStorage))
    if (name === STORE || name === REVIEW || name.startsWith(ASKED)) localStorage.removeItem(name);
}

// A file of this page, or the kernel's own, whose tasks are left alone.
function loader(root, status) {
  const label = made("label", "Load progress.json ", { className: "live-file" });
  const entry = made("input", "", { type: "file", accept: ".json,application/json" });
  entry.addEventListener("change", async () => {
    try {
      const { practice: found } = JSON.parse(await entry.files[0].text());
      if (!isRecord(found)) throw new TypeError();
      merge(found);
      tell(root, practice());
      wakePredictions(root);
      root.querySelector(".live-saved").textContent = "Loaded, and merged with what was kept here.";
    } catch {
      status.textContent = "That isn't a progress.json with predictions. Nothing was changed.";
    }
  });
  label.append(entry);
  return label;
}

function wakePredictions(root) {
  const all = kept(), entries = Object.values(all);
  const status = made("p", "", { className: "live-saved" });
  status.setAttribute("role", "status");
  const empty = root.querySelector(".live-empty") ?? made("p", "", { className: "live-empty" });
  if (!entries.length) {
    root.replaceChildren(empty, loader(root, status), status);
    return;
  }
  root.replaceChildren();
  reviewDesk(root);
  root.append(
    made("h2", "All answers"),
    made("p", summary(entries)),
    plotted(entries),
    folded("Each question, with your answer", listed(all)),
    made("h2", "Keep it"),
    button("Save as progress.json", () =>
      save("progress.json", "application/json", JSON.stringify({ practice: practice() }, null, 1))),
    button("Save as CSV", () => save("predictions.csv", "text/csv", csv(kept()))),
    button("Forget all", () => {
      if (!confirm("Delete all predictions and reviews? This can't be undone.")) return;
      forget();
      root.dispatchEvent(new CustomEvent("live-kept", { bubbles: true, detail: { forget: true } }));
      root.textContent = "All predictions are forgotten.";
    }),
    loader(root, status),
    status,
  );
  fit(root);
}
