// The editor of a board: its form, the boxes over its picture, undo and redo, saving, and what the tab keeps until it is
// saved. Without this module the form and its buttons do the same, page by page.
import { Canvas } from "./editor-canvas.js";
import { BoardForm } from "./editor-form.js";
import { align, spread } from "./editor-geometry.js";
import { Picture } from "./editor-picture.js";
import { takeDrops, upload } from "./upload-parts.js";

const NUDGE = 400; // milliseconds after which keys and typing are one step of undo
const MOST_STEPS = 200;

const root = document.getElementById("editor");
const { path } = root.dataset;
// The canvas as the form has it; while a side is empty, as it was.
const side = (name) => Number(document.getElementsByName(`board.${name}`)[0].value) || Number(root.dataset[name]);
const size = {
  get width() {
    return side("width");
  },
  get height() {
    return side("height");
  },
};
const key = `desk-board:${path}`;
const says = document.getElementById("board-says");
const form = new BoardForm(root.querySelector("form.editor"));
const tools = root.querySelector(".board-tools");
const done = []; // snapshots; the last one is that of now
const undone = [];
let saved = "draft" in root.dataset ? null : form.take();
let timer = 0;

const canvas = new Canvas({
  stage: root.querySelector(".board-stage"),
  canvas: size,
  form,
  said: { selected: shown, done: commit, nudged: later, act, edit: toFields, reveal },
});
const picture = new Picture({
  image: root.querySelector(".board-stage img"),
  view: root.querySelector(".view"),
  form,
  path,
  told: {
    drawn: () => tell("", () => canvas.release()),
    refused: (text) => tell(text),
    lost: () => tell(says.dataset.lost),
    ended,
  },
});

function tell(text, then = () => {}) {
  says.textContent = text;
  then();
}

function ended() {
  document.getElementById("ended").hidden = false;
}

// A step that is over: undo goes back to before it, the tab keeps it, and the board is drawn anew.
function commit() {
  clearTimeout(timer);
  const now = form.take();
  if (now === done.at(-1)) return;
  done.push(now);
  if (done.length > MOST_STEPS) done.shift();
  undone.length = 0;
  changed(now);
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(commit, NUDGE);
}

function changed(now) {
  canvas.draw();
  keep(now);
  shown();
  picture.ask();
}

function keep(now) {
  document.getElementById("unsaved").hidden = now === saved;
  if (now === saved) return sessionStorage.removeItem(key);
  const { tag, stored } = form.form.elements;
  const kept = { now, bases: form.bases(), tag: tag.value, stored: stored.value, at: Date.now() };
  try {
    sessionStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // The tab's storage is full: what is on the page is still there.
  }
}

function travel(from, to) {
  commit();
  if (from === done ? done.length < 2 : !undone.length) return;
  to.push(from.pop());
  form.put(done.at(-1));
  changed(done.at(-1));
}

// What is selected: its fields are open, and the tools know what they may do.
function shown(ids = canvas.selected) {
  for (const [id, block] of form.blocks) {
    const open = ids.length === 1 && ids[0] === id;
    if (block.open !== open && (open || ids.length)) block.open = open;
  }
  const more = { undo: done.length > 1, redo: undone.length > 0, several: true, magnet: true };
  for (const button of tools.querySelectorAll("button")) {
    const name = button.dataset.do;
    const enough = name.startsWith("spread") ? ids.length > 2 : ids.length > 0;
    button.disabled = !(more[name] ?? enough);
  }
}

// The fields come in sight beside the canvas; on a phone they are below it, and the canvas stays.
function reveal() {
  const [id, more] = canvas.selected;
  if (id && !more && matchMedia("(min-width: 761px)").matches) form.block(id).scrollIntoView({ block: "nearest" });
}

function toFields(id) {
  form.block(id).querySelector("input:not([type=hidden]), textarea, select")?.focus();
}

async function draft(body) {
  const answer = await fetch(`${path}/draft`, { method: "POST", body });
  if (new URL(answer.url).pathname.startsWith("/desk/sign-in")) {
    ended();
    return null;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!answer.ok) tell(page.querySelector("main p")?.textContent ?? "");
  return answer.ok ? page : null;
}

async function made(what) {
  const page = await draft(form.body({ act: what })).catch(() => tell(says.dataset.lost));
  const added = page ? form.adopt(page) : [];
  if (!added.length) return null;
  canvas.draw();
  canvas.select(added);
  commit();
  root.querySelector(".palette").open = false;
  canvas.boxes.get(added[0]).focus({ preventScroll: true });
  reveal();
  return added[0];
}

// Pictures and films that are dropped on the page are uploaded, and lie on the board then.
async function dropped(files) {
  for (const file of files) {
    const told = (offset, trouble) => tell(trouble || `${file.name} ${Math.round((100 * offset) / file.size)} %`);
    try {
      const asset = await upload(file, says.dataset, told);
      const isFont = /\.(ttf|otf)$/i.test(file.name);
      tell(isFont ? file.name : "");
      if (isFont) continue; // The fields of fonts offer it when the page is opened again.
      const id = await made(file.type.startsWith("image/") ? "add:image" : "add:video");
      const control = id && form.control(id, "asset");
      if (!control) continue;
      control.value = asset;
      thumbnail(control);
      commit();
    } catch (problem) {
      tell(problem.message);
    }
  }
}

const MOVES = { remove: "remove", front: "toFront", back: "toBack" };

async function act(name, ids = [...canvas.selected]) {
  const [verb, how] = name.split("-");
  if (name === "undo") travel(done, undone);
  else if (name === "redo") travel(undone, done);
  else if (name === "several") toggle("several");
  else if (name === "magnet") toggle("magnet", "snaps");
  else if (name === "copy") for (const id of ids) await made(`copy:${id}`);
  else if (name === "bring") await bring();
  else if (name === "drop") drop();
  else if (name in MOVES) form[MOVES[name]](ids);
  else {
    const rects = ids.map((id) => form.place(id));
    const after = verb === "align" ? align(rects, how, size) : spread(rects, how);
    ids.forEach((id, index) => form.move(id, after[index]));
  }
  if (name in MOVES || verb === "align" || verb === "spread") commit();
}

function toggle(name, field = name) {
  canvas[field] = !canvas[field];
  tools.querySelector(`[data-do=${name}]`).setAttribute("aria-pressed", String(canvas[field]));
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-do]");
  if (button) act(button.dataset.do);
});

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey)) return;
  const letter = event.key.toLowerCase();
  const typing = event.target.matches?.("textarea, input:not([type=checkbox]):not([type=color])");
  if (letter === "s") save();
  else if (letter === "z" && !typing) act(event.shiftKey ? "redo" : "undo");
  else if (letter === "y" && !typing) act("redo");
  else return;
  event.preventDefault();
});

// What was typed in the last moment is kept as well.
addEventListener("pagehide", commit);
form.form.addEventListener("input", (event) => {
  form.retitle(event.target);
  canvas.draw();
  later();
});
form.form.addEventListener("change", (event) => {
  if (event.target.matches("[data-asset]")) thumbnail(event.target);
  commit();
  if (event.target.closest(".slides > li:last-child") && event.target.matches("[data-asset]")) further(event.target);
});
form.list.addEventListener("toggle", (event) => {
  const id = event.target.dataset.widget;
  if (id && event.target.open && !canvas.selected.includes(id)) canvas.select([id]);
}, true);
form.form.addEventListener("submit", (event) => {
  event.preventDefault();
  const what = event.submitter?.value ?? "";
  const [verb, id] = [what.split(":")[0], what.slice(what.indexOf(":") + 1)];
  if (!what) save();
  else if (verb === "add" || verb === "copy") made(what);
  else act(verb, [id]);
});

// A line for one more slide.
async function further(select) {
  const id = select.closest(".widget").dataset.widget;
  const page = await draft(form.body()).catch(() => null);
  if (!page) return;
  form.renew(page, id);
  done[done.length - 1] = form.take();
  form.control(id, select.name.split(".").slice(-3).join("."))?.focus();
}

function thumbnail(select) {
  const image = select.parentElement.querySelector("img");
  if (image) image.hidden = !select.value;
  if (image && select.value) image.src = `/desk/pictures/${select.value}/thumbnail`;
}

async function save() {
  commit();
  const now = form.take();
  const answer = await fetch(path, { method: "POST", body: form.body() }).catch(() => null);
  if (!answer) return tell(says.dataset.lost);
  if (new URL(answer.url).pathname.startsWith("/desk/sign-in")) return ended();
  // What is refused is shown by the page that the service makes of it.
  if (!answer.ok) return form.form.submit();
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const name of ["tag", "stored"]) form.form.elements[name].value = page.querySelector(`[name=${name}]`).value;
  for (const part of ["#said", "h1", "#warnings"]) document.querySelector(part).replaceChildren(...page.querySelector(part).childNodes);
  saved = now;
  keep(form.take());
}

function offer() {
  const kept = JSON.parse(sessionStorage.getItem(key) ?? "null");
  if (!kept || kept.now === saved) return sessionStorage.removeItem(key);
  const time = new Date(kept.at).toLocaleTimeString(document.documentElement.lang, { timeStyle: "short" });
  document.getElementById("kept-when").textContent = time;
  document.getElementById("kept").hidden = false;
  return kept;
}

async function bring() {
  const kept = JSON.parse(sessionStorage.getItem(key) ?? "null");
  document.getElementById("kept").hidden = true;
  if (!kept) return;
  const { order, values } = JSON.parse(kept.now);
  const { elements } = form.form;
  const body = form.body({ order: JSON.stringify(order), stored: kept.stored, tag: kept.tag });
  for (const [id, base] of Object.entries(kept.bases)) if (base) body.set(`base.${id}`, base);
  for (const [name, value] of Object.entries(values)) {
    if (value === false) body.delete(name);
    else body.set(name, value === true ? "1" : value);
  }
  const page = await draft(body).catch(() => tell(says.dataset.lost));
  if (!page) return;
  form.adopt(page);
  form.put(kept.now);
  // Who has changed the board meanwhile is told at saving.
  elements.tag.value = kept.tag;
  elements.stored.value = kept.stored;
  commit();
}

function drop() {
  sessionStorage.removeItem(key);
  document.getElementById("kept").hidden = true;
}

takeDrops(root.querySelector(".board-stage"), dropped);
tools.hidden = false;
done.push(form.take());
if (saved === null) changed(done[0]);
else offer();
shown();
