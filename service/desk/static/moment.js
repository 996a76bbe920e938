// The time scrubber follows the thumb: the address and the part of the page change, and the picture stays until the next
// one has come.
const range = document.querySelector("[data-scrub]");
const form = range?.form;
const { date, time } = form?.elements ?? {};
const step = Number(range?.dataset.scrub);
let waiting = 0;

function follow(delay) {
  clearTimeout(waiting);
  waiting = setTimeout(() => window.htmx.trigger(form, "scrubbed"), delay);
}

if (range) {
  range.hidden = false;
  form.classList.add("follows");
  range.addEventListener("input", () => {
    const minutes = range.value * step;
    time.value = [Math.floor(minutes / 60), minutes % 60].map((one) => String(one).padStart(2, "0")).join(":");
    range.setAttribute("aria-valuetext", time.value);
    follow(120);
  });
  time.addEventListener("change", () => {
    if (!time.value) return;
    const [hours, minutes] = time.value.split(":").map(Number);
    range.value = Math.floor((hours * 60 + minutes) / step);
    follow(0);
  });
  date.addEventListener("change", () => date.value && form.submit());
}

let before = "";
document.addEventListener("htmx:beforeSwap", () => {
  const picture = document.getElementById("then");
  if (picture?.complete && picture.naturalWidth) before = picture.src;
});
document.addEventListener("htmx:afterSwap", () => {
  const picture = document.getElementById("then");
  if (picture && before) picture.style.background = `center / contain no-repeat url("${before}")`;
});
