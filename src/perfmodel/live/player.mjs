// Plays what has time, once the reader asks: by itself or step by step.

const CALM = matchMedia("(prefers-reduced-motion: reduce)");

// Has `button` call forward(whether it is the first time), which returns the milliseconds to wait
// until the next, until that is nothing, or the reader pauses. What the figure says is read out
// when it stops. Who prefers reduced motion is offered nothing that moves by itself: `timed`.
function wakePlay(root, button, timed, forward) {
  const says = root.querySelector(".live-says");
  let timer = null;
  function pause() {
    if (timer === null) return;
    clearTimeout(timer);
    timer = null;
    button.textContent = "Play";
    says.setAttribute("aria-live", "polite");
    says.replaceChildren(says.textContent);
  }
  function tick(first) {
    const wait = root.isConnected && !CALM.matches && forward(first);
    if (wait) timer = setTimeout(tick, wait, false);
    else pause();
  }
  function play() {
    if (timer !== null || CALM.matches) return;
    timer = 0;
    button.textContent = "Pause";
    says.setAttribute("aria-live", "off");
    tick(true);
  }
  function calm() {
    pause();
    for (const part of [button, ...timed]) part.hidden = CALM.matches;
  }
  button.addEventListener("click", () => (timer === null ? play() : pause()));
  CALM.addEventListener("change", calm);
  calm();
  return { play, pause };
}

function wakePlayer(root, player) {
  const slider = player.previousElementSibling.querySelector("input");
  const [back, on, button] = player.querySelectorAll("button");
  const speed = player.querySelector("label");
  const place = () => Number(slider.value), last = Number(slider.max);
  function go(to) {
    slider.value = to;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const { pause } = wakePlay(root, button, [speed], (first) => {
    go(first && place() === last ? 0 : place() + 1);
    return place() < last && 1000 / Number(speed.control.value);
  });
  function step(by) {
    pause();
    go(place() + by);
  }
  function ends() {
    back.ariaDisabled = place() === 0;
    on.ariaDisabled = place() === last;
  }
  back.addEventListener("click", () => step(-1));
  on.addEventListener("click", () => step(1));
  slider.addEventListener("input", ends);
  ends();
}
