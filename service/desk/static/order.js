// Puts the entries of a list in order by drag; the arrows beside them do the same by key and thumb.
let dragged = null;
let before = -1;

function list(element) {
  return element.closest?.("[data-order]");
}

function place(entry) {
  return [...list(entry).children].indexOf(entry);
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
    before = dragged ? place(dragged) : -1;
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
    const values = { entry: dragged.dataset.entry, to: place(dragged) + 1 };
    const target = `#${entries.closest("[id]").id}`;
    const isMoved = place(dragged) !== before;
    dragged = null;
    if (isMoved) window.htmx.ajax("POST", entries.dataset.order, { target, swap: "outerHTML", values });
  });
}
