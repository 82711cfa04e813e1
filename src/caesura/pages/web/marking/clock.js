// Time spent: what passes between signs of life while the page is in sight, without long pauses.

const LONGEST_PAUSE = 60_000; // milliseconds after which a coder has left
const SIGNS_OF_LIFE = ["pointerdown", "pointermove", "keydown", "scroll", "wheel", "touchmove"];

function startClock(spend) {
  let last = null;
  const tick = () => {
    const now = performance.now();
    if (last !== null) spend(Math.min(now - last, LONGEST_PAUSE));
    last = document.visibilityState === "visible" ? now : null;
  };
  for (const sign of SIGNS_OF_LIFE) addEventListener(sign, tick, { passive: true, capture: true });
  document.addEventListener("visibilitychange", tick);
  last = performance.now();
  return tick;
}
