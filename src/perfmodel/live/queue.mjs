// A queue that the reader feeds: each press is an arrival, sizes are drawn by Python beforehand.
// Everything shown follows from when jobs came: one starts when it is there and the one before has
// left (Lindley's recursion).

function served(came, sizes) {
  let free = 0;
  return came.map((arrival, i) => {
    const start = Math.max(arrival, free);
    free = start + sizes[i % sizes.length];
    return { arrival, start, end: free };
  });
}

function totalOf(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

function squaredVariation(values) {
  const mean = totalOf(values) / values.length;
  return totalOf(values.map((value) => (value - mean) ** 2)) / values.length / mean ** 2;
}

// A run up to now. Waits count until now, so that line = rate * wait (Little's law).
function measured(jobs, now) {
  const gaps = jobs.slice(1).map((job, i) => job.arrival - jobs[i].arrival);
  const waited = totalOf(jobs.map((job) => Math.min(job.start, now) - job.arrival));
  return {
    rate: jobs.length / now,
    busy: totalOf(jobs.map((job) => Math.max(0, Math.min(job.end, now) - job.start))) / now,
    line: waited / now,
    wait: waited / jobs.length,
    gap: totalOf(gaps) / gaps.length,
    variation: gaps.length > 3 && totalOf(gaps) > 0 ? squaredVariation(gaps) : null,
  };
}

// The mean wait at a load, between the values that the package computed for gaps that are all equal
// and for random ones; it grows linearly with the variation of the gaps.
function expected({ loads, equal, random }, load, variation) {
  const at = (values) => {
    const i = Math.min(loads.length - 2, Math.max(0, loads.findLastIndex((x) => x <= load)));
    const part = (load - loads[i]) / (loads[i + 1] - loads[i]);
    return values[i] + part * (values[i + 1] - values[i]);
  };
  return at(equal) + variation * (at(random) - at(equal));
}

function feedSays(jobs, now, theory) {
  if (!jobs.length) return "Press the button: each press is a job that arrives.";
  const { rate, busy, line, wait, gap, variation } = measured(jobs, now || 1e-9);
  if (!now) return "The first job is here and starts at once.";
  const run = `${jobs.length} job${jobs.length > 1 ? "s" : ""} in ${now.toFixed(1)} s, `
    + `${rate.toFixed(2)} a second. The server is busy ${Math.round(100 * busy)} % of the time, `
    + `${line.toFixed(2)} jobs wait on average. The mean wait so far is ${wait.toFixed(2)} s.`;
  if (variation === null) return `${run} After five jobs, theory has a say.`;
  if (1 / gap >= theory.loads.at(-1))
    return `${run} If you went on with your gaps up to the last job (mean ${gap.toFixed(2)} s), the `
      + "queue would grow for ever: no long-run mean exists.";
  return `${run} By theory, the mean wait is ${expected(theory, 1 / gap, variation).toFixed(2)} s `
    + `for your gaps up to the last job (mean ${gap.toFixed(2)} s, scv ${variation.toFixed(2)}).`;
}

function wakeQueue(root) {
  const { sizes, theories, scales, places, station } =
    JSON.parse(root.querySelector("script").textContent);
  const part = (name) => root.querySelector(`[data-part=${name}]`);
  const says = root.querySelector(".live-says");
  const [arrive, on, button, again] = root.querySelectorAll(".live-feed button");
  const speed = root.querySelector(".live-feed label");
  let kind = root.querySelectorAll("input:checked").length ? chosen() : 0;
  let came = [], now = 0, last = 0;

  function chosen() {
    return [...root.querySelectorAll("input[type=radio]")].findIndex((one) => one.checked);
  }
  function across([low, high, start, end], value) {
    const inside = Math.min(Math.max(value, Math.min(low, high)), Math.max(low, high));
    return Math.round(10 * (start + (inside - low) / (high - low) * (end - start))) / 10;
  }
  function shape(name, text) {
    part(name).setAttribute("d", text || "M0 0");
  }
  function drawStation(jobs) {
    const inside = jobs.filter((job) => job.end > now);
    const waiting = inside.slice(1).length;
    const { left, top, size, server, radius } = station;
    const boxes = Array.from({ length: Math.min(waiting, places) }, (_, i) =>
      `M${left + (places - 1 - i) * size + 2} ${top + 2}h${size - 4}v${size - 4}h${4 - size}z`);
    shape("line", boxes.join(""));
    const done = inside.length ? (now - inside[0].start) / (inside[0].end - inside[0].start) : 0;
    const height = 2 * radius * (1 - done);
    shape("served", inside.length
      ? `M${server - radius / 2} ${top + size / 2 + radius}v${-height}h${radius}v${height}z` : "");
    part("more").textContent = waiting > places ? `+${waiting - places}` : "";
  }
  function drawStrips(jobs) {
    const { ago, line, busy, wait } = scales;
    const x = (when) => across(ago, now - when);
    const events = jobs.filter((job) => job.start > job.arrival)
      .flatMap((job) => [[job.arrival, 1], [job.start, -1]])
      .filter(([when]) => when <= now).sort((a, b) => a[0] - b[0] || b[1] - a[1]);
    let count = 0, text = `M${x(0)} ${across(line, 0)}`;
    for (const [when, by] of events) text += `H${x(when)}V${across(line, (count += by))}`;
    shape("length", `${text}H${x(now)}`);
    const start = Math.max(0, now - Math.max(ago[0], ago[1]));
    const times = Array.from({ length: 81 }, (_, i) => start + (now - start) * i / 80);
    const points = times.filter((when) => when > 0).map((when) =>
      `${x(when)} ${across(busy, 100 * measured(jobs, when).busy)}`);
    shape("busy", points.length ? `M${points.join("L")}` : "");
    shape("wait", jobs.filter((job) => job.start <= now && job.start >= start).map((job) =>
      `M${x(job.start)} ${across(wait, 0)}V${across(wait, job.start - job.arrival)}`).join(""));
  }
  function drawTheory(jobs) {
    const { load, mean } = scales, theory = theories[kind];
    for (const name of ["yours", "ring", "you"]) shape(name, "");
    if (!now || !jobs.length) return;
    const { busy, wait, gap, variation } = measured(jobs, now);
    shape("you", `M${across(load, busy)} ${across(mean, wait) - 6}l6 6-6 6-6-6z`);
    if (variation === null) return;
    const at = (x) => [across(load, x), across(mean, expected(theory, x, variation))];
    const seen = theory.loads.filter((x) => expected(theory, x, variation) <= mean[1]);
    shape("yours", `M${seen.map(at).join("L")}`);
    if (1 / gap <= seen.at(-1)) shape("ring", `M${at(1 / gap)}m-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0`);
  }
  function draw() {
    const jobs = served(came, sizes[kind]);
    drawStation(jobs);
    drawStrips(jobs);
    drawTheory(jobs);
    const words = feedSays(jobs, now, theories[kind]);
    if (says.textContent !== words) says.textContent = words;
  }
  function pass(seconds) {
    if (came.length) now += seconds;
    draw();
  }
  const { play, pause } = wakePlay(root, button, [speed], (first) => {
    const moment = performance.now();
    pass(first ? 0 : Math.min(0.25, (moment - last) / 1000) * Number(speed.control.value));
    last = moment;
    return 50;
  });
  function restart() {
    pause();
    [came, now] = [[], 0];
    draw();
  }
  function arrival() {
    if (!came.length) play();
    came.push(now);
    draw();
  }
  arrive.addEventListener("click", arrival);
  root.addEventListener("keydown", ({ key, repeat, ctrlKey, altKey, metaKey }) => {
    if (key.toLowerCase() === "a" && !(repeat || ctrlKey || altKey || metaKey)) arrival();
  });
  on.addEventListener("click", () => {
    pause();
    pass(0.5);
  });
  again.addEventListener("click", restart);
  wakeControls(root, (place) => {
    kind = place;
    restart();
  });
  draw();
}
