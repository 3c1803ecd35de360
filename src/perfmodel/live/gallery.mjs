// A gallery of machines, with the reader's own among them: one that the kernel measured, or one that
// a file tells. The file is read here and goes nowhere.

const MOST_LETTERS = 5e6;

function ofMachine(text, name) {
  try {
    const { value } = JSON.parse(text).figures[name];
    return Number.isFinite(value) && value > 0 ? value : null;
  } catch {
    return null;
  }
}

function ofOutput(text, pattern, scale, more) {
  const values = [...text.matchAll(new RegExp(pattern, "gm"))].map((found) => Number(found[1]));
  return values.length ? scale * (more ? Math.max : Math.min)(...values) : null;
}

function ofMatrix(text, scale) {
  if (/[^\d\s.,eE+-]/.test(text)) return null;
  const values = text.split(/[\s,]+/).filter(Boolean).map(Number).filter((value) => value > 0);
  values.sort((a, b) => a - b);
  const half = values.length / 2;
  if (values.length < 1) return null;
  return scale * (values[Math.ceil(half) - 1] + values[Math.floor(half)]) / 2;
}

function readOwn(text, { quantity, pattern, patternScale, matrixScale, more }) {
  return (quantity ? ofMachine(text, quantity) : null)
    ?? (pattern ? ofOutput(text, pattern, patternScale, more) : null)
    ?? (matrixScale ? ofMatrix(text, matrixScale) : null);
}

function wakeGallery(root) {
  const data = JSON.parse(root.querySelector("script").textContent);
  const body = root.querySelector("tbody"), says = root.querySelector(".live-says");
  const entry = root.querySelector(".live-drop");
  const rows = [...body.rows];

  function show(value, name) {
    body.querySelector(".live-own")?.remove();
    const above = data.values.filter((other) => data.more ? other > value : other < value).length;
    const row = made("tr", "", { className: "live-own" });
    row.append(made("th", name, { scope: "row" }), made("td", number(value)));
    const place = 100 * Math.log(value / data.low) / Math.log(data.high / data.low);
    const cell = made("td", "", { className: "live-at" }), dot = made("span");
    dot.style.left = `${Math.min(100, Math.max(0, place))}%`;
    cell.append(dot);
    row.append(cell);
    body.insertBefore(row, rows[above] ?? null);
    const near = [rows[above - 1], rows[above]].filter(Boolean).map((one) => one.cells[0].textContent);
    says.textContent = `${name}: ${number(value)} ${data.unit}, number ${above + 1} of `
      + `${rows.length + 1}, next to ${near.join(" and ")}.`;
    const frame = root.querySelector(".live-scroll");
    frame.scrollTop = row.offsetTop - frame.clientHeight / 2;
  }

  async function read(file) {
    const text = file.size > MOST_LETTERS ? "" : await file.text();
    const value = readOwn(text, data);
    if (value === null) says.textContent = `${file.name} doesn't tell this: ${entry.querySelector("span").textContent}`;
    else show(value * data.scale, `Yours (${file.name})`);
  }

  if (data.own !== null) show(data.own, "Your machine");
  if (!entry) return;
  entry.hidden = false;
  entry.querySelector("input").addEventListener("change", ({ target }) => {
    if (target.files.length) read(target.files[0]);
  });
  for (const kind of ["dragover", "drop"]) {
    root.addEventListener(kind, (event) => {
      event.preventDefault();
      event.stopPropagation();
      if (kind === "drop" && event.dataTransfer.files.length) read(event.dataTransfer.files[0]);
    });
  }
}
