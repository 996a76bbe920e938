// The boxes of widgets over the picture of a board: selected by click or Tab, moved by drag and arrows, resized by eight
// handles, with lines where they snap. Tells of each step by calls of `moved` and `done`.
import { boundsOf, guidesOf, resize, snapMove, within } from "./editor-geometry.js";

const HANDLES = ["nw", "n", "ne", "e", "se", "s", "sw", "w"];
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const NEAR = 6; // pixels
const DRAG = 4; // pixels, below which a press is a click
const ROOM = 44; // pixels of a widget whose sides have handles; twice as many under a thumb
const SMALLEST_TARGET = 24; // pixels
const GRID = 192; // parts of the longer side

export class Canvas {
  constructor({ stage, canvas, form, said }) {
    this.layer = stage.querySelector(".board-boxes");
    this.picture = stage.querySelector("img");
    this.canvas = canvas;
    this.form = form;
    this.said = said;
    this.selected = [];
    this.several = false;
    this.snaps = true;
    this.boxes = new Map();
    this.frame = part("board-frame");
    for (const name of HANDLES) {
      const handle = part("board-handle");
      handle.dataset.handle = name;
      this.frame.append(handle);
    }
    this.layer.hidden = false;
    this.layer.addEventListener("pointerdown", (event) => this.press(event));
    this.layer.addEventListener("focusin", (event) => this.focus(event));
    this.layer.addEventListener("click", () => this.said.reveal());
    this.layer.addEventListener("keydown", (event) => this.key(event));
    this.picture.addEventListener("load", () => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.picture);
    this.draw();
  }

  // Pixels of the page for one unit of the canvas.
  get scale() {
    return Math.min(this.picture.clientWidth / this.canvas.width, this.picture.clientHeight / this.canvas.height);
  }

  // Lays the boxes over the board, not over bars beside it.
  fit() {
    const { scale, picture, canvas } = this;
    const [width, height] = [canvas.width * scale, canvas.height * scale];
    place(this.layer, {
      left: `${picture.offsetLeft + (picture.clientWidth - width) / 2}px`,
      top: `${picture.offsetTop + (picture.clientHeight - height) / 2}px`,
      width: `${width}px`,
      height: `${height}px`,
    });
  }

  draw() {
    const order = this.form.order;
    this.selected = this.selected.filter((id) => order.includes(id));
    for (const [id, box] of this.boxes) {
      if (!order.includes(id)) {
        box.remove();
        this.boxes.delete(id);
      }
    }
    for (const id of order) {
      const box = this.boxes.get(id) ?? this.newBox(id);
      this.put(box, this.reachable(this.form.place(id)));
      // One of them is in the page's own order: the keys of `tab` go on from it.
      box.tabIndex = id === (order.includes(this.active) ? this.active : order[0]) ? 0 : -1;
      box.setAttribute("aria-label", this.form.label(id));
      box.setAttribute("aria-pressed", String(this.selected.includes(id)));
    }
    // In the order of the form, without a step for what stands right: a box that moves in the page loses its focus.
    let before = null;
    for (const id of order) {
      const box = this.boxes.get(id);
      const next = before ? before.nextSibling : this.layer.firstChild;
      if (next !== box) this.layer.insertBefore(box, next);
      before = box;
    }
    // Once: a handle that moves in the page loses its pointer.
    if (!this.frame.parentNode) this.layer.append(this.frame);
    this.frame.hidden = this.selected.length !== 1;
    this.fit();
    if (this.frame.hidden) return;
    const rect = this.form.place(this.selected[0]);
    this.put(this.frame, rect);
    // Where the handles of the sides would cover the corners, or the middle, by which it is dragged.
    const room = matchMedia("(pointer: coarse)").matches ? 2 * ROOM : ROOM;
    this.frame.classList.toggle("small", Math.min(rect.height, rect.width) * this.scale < room);
  }

  newBox(id) {
    const box = part("board-box");
    box.dataset.box = id;
    box.setAttribute("role", "button");
    this.boxes.set(id, box);
    return box;
  }

  // A line is too thin to be hit: its box reaches beyond it.
  reachable({ x, y, width, height }) {
    const least = SMALLEST_TARGET / (this.scale || 1);
    const [across, down] = [Math.max(width, least), Math.max(height, least)];
    return { x: x - (across - width) / 2, y: y - (down - height) / 2, width: across, height: down };
  }

  put(element, rect) {
    const { width, height } = this.canvas;
    place(element, {
      left: `${(rect.x / width) * 100}%`,
      top: `${(rect.y / height) * 100}%`,
      width: `${(rect.width / width) * 100}%`,
      height: `${(rect.height / height) * 100}%`,
    });
  }

  select(ids) {
    if (ids.join("\n") === this.selected.join("\n")) return;
    this.selected = ids;
    this.draw();
    this.said.selected(ids);
  }

  focus(event) {
    const id = event.target.dataset.box;
    if (id && id !== this.active) {
      this.active = id;
      this.draw();
    }
    if (!id || this.selected.includes(id) || this.pressing) return;
    this.select(this.several ? [...this.selected, id] : [id]);
    this.said.reveal();
  }

  press(event) {
    if (event.button !== 0) return;
    const handle = event.target.dataset.handle;
    const id = event.target.dataset.box;
    if (!handle && !id) return this.select([]);
    if (!handle) {
      // The focus comes by itself afterwards, and selects nothing more.
      this.pressing = true;
      setTimeout(() => (this.pressing = false));
      const more = this.several || event.shiftKey;
      const has = this.selected.includes(id);
      if (more) this.select(has ? this.selected.filter((one) => one !== id) : [...this.selected, id]);
      else if (!has) this.select([id]);
    }
    if (this.selected.length) this.drag(event, handle);
  }

  drag(event, handle) {
    const target = event.target;
    const ids = [...this.selected];
    const before = ids.map((id) => this.form.place(id));
    const others = this.form.order.filter((id) => !ids.includes(id)).map((id) => this.form.place(id));
    const guides = guidesOf(this.canvas, others);
    let moves = false;
    const move = (now) => {
      const by = { x: (now.clientX - event.clientX) / this.scale, y: (now.clientY - event.clientY) / this.scale };
      if (!moves && Math.hypot(by.x, by.y) * this.scale < DRAG) return;
      if (!moves) {
        moves = true;
        ids.forEach((id, index) => this.hold(id, before[index]));
      }
      this.step(ids, before, by, handle, guides, this.snaps && !now.altKey);
    };
    const end = () => {
      target.removeEventListener("pointermove", move);
      target.removeEventListener("pointerup", end);
      target.removeEventListener("pointercancel", end);
      this.mark([]);
      if (moves) this.said.done();
    };
    target.setPointerCapture(event.pointerId);
    target.addEventListener("pointermove", move);
    target.addEventListener("pointerup", end);
    target.addEventListener("pointercancel", end);
  }

  step(ids, before, by, handle, guides, snaps) {
    const grid = Math.max(1, Math.round(Math.max(this.canvas.width, this.canvas.height) / GRID));
    const snap = snaps ? { tolerance: NEAR / this.scale, grid } : null;
    if (handle) {
      const { rect, lines } = resize(before[0], handle, by, guides, snap);
      this.form.move(ids[0], within(rect, this.canvas));
      this.mark(lines);
    } else {
      const all = boundsOf(before);
      const { rect, lines } = snapMove({ ...all, x: all.x + by.x, y: all.y + by.y }, guides, snap);
      const moved = (one) => ({ ...one, x: one.x + rect.x - all.x, y: one.y + rect.y - all.y });
      ids.forEach((id, index) => this.form.move(id, within(moved(before[index]), this.canvas)));
      this.mark(lines);
    }
    this.draw();
  }

  // The box takes its part of the picture along, until the board is drawn anew.
  hold(id, rect) {
    if (this.boxes.get(id).firstChild) return;
    const { naturalWidth, naturalHeight } = this.picture;
    const scale = Math.min(naturalWidth / this.canvas.width, naturalHeight / this.canvas.height);
    if (!scale) return;
    const left = (naturalWidth - this.canvas.width * scale) / 2 + rect.x * scale;
    const top = (naturalHeight - this.canvas.height * scale) / 2 + rect.y * scale;
    const held = document.createElement("canvas");
    held.width = Math.max(1, Math.round(rect.width * scale));
    held.height = Math.max(1, Math.round(rect.height * scale));
    const box = this.reachable(rect);
    place(held, { width: `${(rect.width / box.width) * 100}%`, height: `${(rect.height / box.height) * 100}%` });
    held.getContext("2d").drawImage(this.picture, left, top, held.width, held.height, 0, 0, held.width, held.height);
    this.boxes.get(id).replaceChildren(held);
  }

  // The picture is that of now.
  release() {
    for (const box of this.boxes.values()) box.replaceChildren();
  }

  mark(lines) {
    for (const old of this.layer.querySelectorAll(".board-guide")) old.remove();
    for (const one of lines) {
      const line = part("board-guide");
      if ("across" in one) place(line, { left: `${(one.across / this.canvas.width) * 100}%`, top: 0, height: "100%" });
      else place(line, { top: `${(one.down / this.canvas.height) * 100}%`, left: 0, width: "100%" });
      this.layer.append(line);
    }
  }

  key(event) {
    if (!event.target.dataset.box) return;
    const arrow = ARROWS[event.key];
    const has = this.selected.length > 0;
    if (arrow && has && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const by = event.shiftKey ? 10 : 1;
      for (const id of this.selected) {
        const rect = this.form.place(id);
        this.hold(id, rect);
        this.form.move(id, within({ ...rect, x: rect.x + arrow[0] * by, y: rect.y + arrow[1] * by }, this.canvas));
      }
      this.draw();
      this.said.nudged();
    } else if (event.key === "Tab") {
      const order = this.form.order;
      const next = order[order.indexOf(event.target.dataset.box) + (event.shiftKey ? -1 : 1)];
      if (!next) return;
      this.boxes.get(next).focus({ preventScroll: true });
    } else if ((event.key === "Delete" || event.key === "Backspace") && has) this.said.act("remove");
    else if (event.key === "Escape") this.select([]);
    else if (event.key === "Enter" && has) this.said.edit(this.selected[0]);
    else if (event.key === "d" && (event.ctrlKey || event.metaKey) && has) this.said.act("copy");
    else if (event.key === "a" && (event.ctrlKey || event.metaKey)) this.select(this.form.order);
    else return;
    event.preventDefault();
  }
}

function part(name) {
  return Object.assign(document.createElement("div"), { className: name });
}

function place(element, values) {
  for (const [name, value] of Object.entries(values)) element.style[name] = value;
}
