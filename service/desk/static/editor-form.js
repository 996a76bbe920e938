// The form of a board as the state of its editor: widgets in their order, the place of each, and the whole as one text
// for undo, redo and the tab's storage. A widget that is taken away stays in reserve, for undo.

const PLACE = ["x", "y", "width", "height"];
const IDLE = /^(csrf|tag|stored|order|act|view\..*|base\..*)$/;

export class BoardForm {
  constructor(form) {
    this.form = form;
    this.list = form.querySelector("#widgets");
    this.blocks = new Map();
    for (const block of this.list.children) this.blocks.set(block.dataset.widget, block);
  }

  get order() {
    return [...this.list.children].map((block) => block.dataset.widget);
  }

  block(id) {
    return this.blocks.get(id);
  }

  label(id) {
    return this.block(id).querySelector("summary").textContent.trim().replace(/\s+/g, " ");
  }

  // The line above the fields of a widget says its text.
  retitle(control) {
    const title = control.closest(".widget")?.querySelector("summary bdi");
    if (title && /\.(text|title)$/.test(control.name) && control.value) title.textContent = control.value.slice(0, 40);
  }

  control(id, key) {
    return this.form.elements.namedItem(`widgets.${id}.${key}`);
  }

  place(id) {
    return Object.fromEntries(PLACE.map((key) => [key, Number(this.control(id, key).value) || 0]));
  }

  move(id, rect) {
    for (const key of PLACE) this.control(id, key).value = String(rect[key]);
  }

  arrange(order) {
    this.list.replaceChildren(...order.map((id) => this.blocks.get(id)).filter(Boolean));
    this.form.elements.order.value = JSON.stringify(this.order);
  }

  remove(ids) {
    this.arrange(this.order.filter((id) => !ids.includes(id)));
  }

  toFront(ids) {
    const order = this.order;
    this.arrange([...order.filter((id) => !ids.includes(id)), ...order.filter((id) => ids.includes(id))]);
  }

  toBack(ids) {
    const order = this.order;
    this.arrange([...order.filter((id) => ids.includes(id)), ...order.filter((id) => !ids.includes(id))]);
  }

  // Takes the widgets of a page that the service has made of a draft, as far as they are not here; returns the new ones.
  adopt(page) {
    const added = [];
    const order = [];
    for (const block of page.querySelectorAll("#widgets > .widget")) {
      const id = block.dataset.widget;
      order.push(id);
      if (this.blocks.has(id)) continue;
      this.blocks.set(id, document.importNode(block, true));
      added.push(id);
    }
    this.arrange(order);
    return added;
  }

  // Takes one widget of such a page in place of the one that is here: a slideshow has a line for one more slide then.
  renew(page, id) {
    const block = [...page.querySelectorAll("#widgets > .widget")].find((one) => one.dataset.widget === id);
    if (!block) return;
    const fresh = document.importNode(block, true);
    fresh.open = this.block(id).open;
    this.block(id).replaceWith(fresh);
    this.blocks.set(id, fresh);
  }

  controls() {
    return [...this.form.elements].filter((one) => one.name && !IDLE.test(one.name));
  }

  take() {
    const values = {};
    for (const one of this.controls()) values[one.name] = one.type === "checkbox" ? one.checked : one.value;
    return JSON.stringify({ order: this.order, values });
  }

  put(text) {
    const { order, values } = JSON.parse(text);
    this.arrange(order);
    for (const one of this.controls()) {
      if (!(one.name in values)) {
        // A line that came later.
        if (/\.slides\.\d+\.asset$/.test(one.name)) one.value = "";
        continue;
      }
      if (one.type === "checkbox") one.checked = values[one.name];
      else one.value = values[one.name];
    }
  }

  // The fields as the form sends them.
  body(more = {}) {
    this.form.elements.order.value = JSON.stringify(this.order);
    const body = new URLSearchParams(new FormData(this.form));
    for (const [name, value] of Object.entries(more)) body.set(name, value);
    return body;
  }

  bases() {
    return Object.fromEntries([...this.blocks.keys()].map((id) => [id, this.form.elements[`base.${id}`]?.value]));
  }
}
