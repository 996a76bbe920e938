// Beside htmx: the session's token in every request of htmx, the live stream, and the life of what an act has said.
import "./copy.js";
import { listen } from "./live.js";
import { orderByDrag } from "./order.js";

const csrf = document.querySelector('meta[name="csrf"]')?.content;

document.addEventListener("htmx:configRequest", (event) => {
  if (csrf && event.detail.verb !== "get") event.detail.headers["X-CSRF-Token"] = csrf;
});

// The service does not answer: say so, and go on when it does.
const offline = document.getElementById("offline");
export function reachable(is) {
  if (offline) offline.hidden = is;
}
document.addEventListener("htmx:sendError", () => reachable(false));
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.xhr?.status) reachable(true);
});

// A picture that cannot be loaded leaves its place empty instead of a broken sign.
document.addEventListener("error", (event) => {
  if (event.target instanceof HTMLImageElement) event.target.classList.add("missing");
}, true);

// A part that was replaced takes the focus along: the act may have been one of the keyboard.
let focused = null;
document.addEventListener("htmx:beforeSwap", (event) => {
  const active = document.activeElement;
  focused = event.detail.target.contains(active) ? event.detail.target.id : null;
});
document.addEventListener("htmx:afterSettle", () => {
  if (!focused || document.activeElement !== document.body) return;
  const inside = document.getElementById(focused)?.querySelector("button, input:not([type=hidden])");
  focused = null;
  inside?.focus({ preventScroll: true });
});

orderByDrag();
// The first run: the machine knows its zone better than its language does.
const zone = document.querySelector("select[data-zone]");
if (zone) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if ([...zone.options].some((one) => one.value === here)) zone.value = here;
}

// One tick for all rows of the page.
document.addEventListener("change", (event) => {
  if (!event.target.matches?.("[data-picks]")) return;
  for (const one of document.querySelectorAll(".pick")) one.checked = event.target.checked;
});

if (document.body.dataset.liveFrom) listen(document.body.dataset.liveFrom, reachable);

// On a phone the pages of a section are a row that scrolls: the one that is open is in sight.
document.querySelector(".sub [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
