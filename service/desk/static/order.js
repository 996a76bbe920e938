// Puts entries of a playlist in order by drag; the arrows beside them do the same by key and thumb.
let dragged = null;
let before = "";

function list(element) {
  return element.closest?.("[data-order]");
}

function orderOf(entries) {
  return [...entries.children].map((one) => one.dataset.entry).join(",");
}

export function orderByDrag() {
  document.addEventListener("pointerover", (event) => {
    const entry = list(event.target) && event.target.closest(".entry");
    if (entry) entry.draggable = !event.target.closest("input, form, details");
  });
  document.addEventListener("dragstart", (event) => {
    if (!list(event.target)) return;
    dragged = event.target.closest(".entry");
    dragged?.classList.add("dragged");
    before = orderOf(list(dragged ?? event.target));
    event.dataTransfer.effectAllowed = "move";
  });
  document.addEventListener("dragover", (event) => {
    const over = dragged && list(event.target) === list(dragged) && event.target.closest(".entry");
    if (!over) return;
    event.preventDefault();
    const { top, height } = over.getBoundingClientRect();
    if (over !== dragged) over[event.clientY < top + height / 2 ? "before" : "after"](dragged);
  });
  document.addEventListener("drop", (event) => dragged && event.preventDefault());
  document.addEventListener("dragend", () => {
    if (!dragged) return;
    dragged.classList.remove("dragged");
    const entries = list(dragged);
    const order = orderOf(entries);
    dragged = null;
    if (order === before) return;
    window.htmx.ajax("POST", entries.dataset.order, { target: "#playlist", swap: "outerHTML", values: { order } });
  });
}
