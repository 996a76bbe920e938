// The picture of a board as the form would make it: asked of the service after each change, one at a time, the last one
// wins. The choices below it (location, language, shape, size, items) are fields of the form as well.

const PAUSE = 250; // milliseconds after the last change
const AGAIN = 3000;

export class Picture {
  constructor({ image, view, form, path, told }) {
    Object.assign(this, { image, view, form, path, told });
    this.busy = false;
    this.asked = false;
    view.querySelector("button").hidden = true;
    view.addEventListener("change", () => this.choose());
  }

  choose() {
    for (const one of this.view.elements) {
      if (one.name) this.form.form.elements[`view.${one.name}`].value = one.value;
    }
    const portrait = this.view.elements.shape.value === "portrait";
    this.image.className = portrait ? "portrait" : "landscape";
    this.ask();
  }

  ask(pause = PAUSE) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.draw(), pause);
  }

  async draw() {
    if (this.busy) {
      this.asked = true;
      return;
    }
    this.busy = true;
    this.asked = false;
    try {
      const headers = { "HX-Request": "true" };
      const answer = await fetch(`${this.path}/picture`, { method: "POST", body: this.form.body(), headers });
      await this.show(answer);
    } catch {
      this.told.lost();
      this.ask(AGAIN);
    } finally {
      this.busy = false;
      if (this.asked) this.draw();
    }
  }

  async show(answer) {
    if (answer.headers.get("HX-Redirect")) return this.told.ended();
    if (answer.status >= 500 || answer.url.endsWith(".svg")) return this.ask(AGAIN);
    if (!answer.headers.get("Content-Type")?.startsWith("image/")) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      return this.told.refused(page.querySelector(".said p")?.textContent ?? "");
    }
    const reader = new FileReader();
    const read = new Promise((resolve) => (reader.onload = resolve));
    reader.readAsDataURL(await answer.blob());
    await read;
    this.image.src = reader.result;
    await this.image.decode().catch(() => {});
    if (!this.asked) this.told.drawn();
  }
}
