// Plays a playlist through: each board for its own seconds, the pictures of the next two loaded ahead. Without this the
// links show board after board.
const theatre = document.querySelector("[data-theatre]");
const links = [...theatre.querySelectorAll(".reel a")];
const stage = document.getElementById("stage");
const bar = document.getElementById("played");
const elapsed = document.getElementById("elapsed");
const title = document.querySelector("#playing bdi");
const toggle = theatre.querySelector('[data-play="toggle"]');
const AHEAD = 2;

const lengths = links.map((one) => Number(one.dataset.seconds));
const begins = lengths.map((_, at) => lengths.slice(0, at).reduce((sum, one) => sum + one, 0));
const pictures = new Map();
let at = Number(theatre.dataset.theatre);
let passed = 0;
let plays = true;
let last = performance.now();

function picture(number) {
  const address = links[number].dataset.picture;
  if (!pictures.has(address)) {
    const image = new Image();
    image.src = address;
    pictures.set(address, image);
  }
  return pictures.get(address);
}

function words(seconds) {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (one) => String(one).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

function draw() {
  bar.value = begins[at] + passed;
  const text = words(begins[at] + passed);
  if (elapsed.textContent !== text) elapsed.textContent = text;
}

function go(number) {
  at = (number + links.length) % links.length;
  passed = 0;
  const link = links[at];
  stage.src = picture(at).src;
  title.textContent = link.querySelector("bdi").textContent;
  stage.alt = title.textContent;
  for (const one of links) one.toggleAttribute("aria-current", one === link);
  link.setAttribute("aria-current", "true");
  history.replaceState(null, "", link.href);
  ahead();
  draw();
}

function ahead() {
  for (let more = 1; more <= Math.min(AHEAD, links.length - 1); more += 1) picture((at + more) % links.length);
}

function play(is) {
  plays = is;
  last = performance.now();
  toggle.querySelector("span").textContent = is ? toggle.dataset.pause : toggle.dataset.playWord;
  const use = toggle.querySelector("use");
  use.setAttribute("href", use.getAttribute("href").replace(/#.*/, is ? "#pause" : "#play"));
}

function tick(now) {
  // A picture that is still being drawn does not cost its board time.
  if (plays && !document.hidden && stage.complete) {
    passed += (now - last) / 1000;
    if (passed >= lengths[at]) go(at + 1);
    else draw();
  }
  last = now;
  requestAnimationFrame(tick);
}

theatre.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  const act = event.target.closest("[data-play]")?.dataset.play;
  const chosen = links.indexOf(event.target.closest(".reel a"));
  if (act === "toggle") play(!plays);
  else if (act) go(at + (act === "next" ? 1 : -1));
  else if (chosen >= 0) go(chosen);
  else return;
  event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea") || event.altKey || event.ctrlKey || event.metaKey) return;
  const forward = document.documentElement.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
  const back = forward === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
  if (event.key === forward) go(at + 1);
  else if (event.key === back) go(at - 1);
  else if (event.key === " " && !event.target.closest("button, a")) play(!plays);
  else return;
  event.preventDefault();
});

toggle.hidden = false;
theatre.querySelector(".keys").hidden = false;
ahead();
requestAnimationFrame(tick);
