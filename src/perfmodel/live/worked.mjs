// Worked examples: an answer is tried as often as the reader likes, and nothing is kept. A usual
// mistake has its own reply; a right answer unfolds the solution.

function replyTo({ answer, shown, tolerance, rule, mistakes }, guess) {
  if (near(guess, answer, tolerance)) return `Right: ${shown}.`;
  const mistake = mistakes.find(([value]) => near(guess, value, tolerance));
  if (mistake) return `Not yet. ${mistake[1]}`;
  const slip = prefixSlip({ answer, tolerance }, guess);
  return `Not yet: ${score({ answer, tolerance }, guess)}.${slip} The rule is: ${rule}.`;
}

function wakeTry(root) {
  const asked = JSON.parse(root.querySelector("script").textContent);
  const form = root.querySelector("form"), status = root.querySelector(".live-score");
  form.innerHTML = asked.form;
  status.textContent = "";
  const free = form.querySelector("input");
  entersCommit(form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const guess = readGuess(form, free, asked.unit, status);
    if (guess === null) return;
    status.textContent = replyTo(asked, guess);
    if (near(guess, asked.answer, asked.tolerance)) root.querySelector("details").open = true;
  });
}

function wakeWorked(root) {
  for (const part of root.querySelectorAll(".live-try")) wakeTry(part);
}
