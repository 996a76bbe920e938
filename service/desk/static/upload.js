// The page of pictures and films: files that are dropped or chosen are uploaded, two at a time, each with its progress.
import { takeDrops, upload } from "./upload-parts.js";

const AT_A_TIME = 2;

const form = document.getElementById("uploads");
const list = form.querySelector("ul");
const input = form.querySelector("input[type=file]");
const waiting = [];
let running = 0;

function add(files) {
  for (const file of files) {
    const row = document.createElement("li");
    const name = Object.assign(document.createElement("bdi"), { textContent: file.name });
    const bar = Object.assign(document.createElement("progress"), { max: Math.max(1, file.size), value: 0 });
    const says = document.createElement("small");
    bar.setAttribute("aria-label", file.name);
    row.append(name, bar, says);
    list.append(row);
    waiting.push({ file, bar, says });
  }
  list.hidden = !list.children.length;
  next();
}

async function next() {
  if (running >= AT_A_TIME || !waiting.length) return;
  running += 1;
  const { file, bar, says } = waiting.shift();
  next();
  try {
    await upload(file, form.dataset, (offset, trouble) => {
      if (offset !== null) bar.value = offset;
      says.textContent = trouble;
    });
    says.textContent = form.dataset.done;
    bar.value = bar.max;
    refresh();
  } catch (problem) {
    says.textContent = problem.message || form.dataset.refused;
    says.className = "fault";
    bar.remove();
  }
  running -= 1;
  next();
}

function refresh() {
  window.htmx.ajax("GET", location.href, { target: "#pictures", select: "#pictures", swap: "outerHTML" });
}

input.required = false;
input.addEventListener("change", () => {
  add([...input.files]);
  input.value = "";
});
takeDrops(form, add);
form.addEventListener("submit", (event) => event.preventDefault());
