// Uploads of pictures and films: several at once, part by part, and on from where they broke off, also after the page, the
// line or the service was gone.
const PART = 1024 * 1024;
const AT_A_TIME = 2;
const HASHED = 64 * 1024 * 1024; // a larger file would fill the browser's memory
const TYPES = { mkv: "video/x-matroska", mov: "video/quicktime", webm: "video/webm", mp4: "video/mp4" };
const WAITS = [1, 2, 4, 8, 15]; // seconds

const form = document.getElementById("uploads");
const list = form.querySelector("ul");
const input = form.querySelector("input[type=file]");
const csrf = document.querySelector('meta[name="csrf"]').content;
const waiting = [];
let running = 0;

class Refused extends Error {}

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
  const one = waiting.shift();
  next();
  try {
    await upload(one);
    one.says.textContent = form.dataset.done;
    one.bar.value = one.bar.max;
    refresh();
  } catch (problem) {
    one.says.textContent = problem.message || form.dataset.refused;
    one.says.className = "fault";
    one.bar.remove();
  }
  running -= 1;
  next();
}

async function upload({ file, bar, says }) {
  const key = `desk-upload:${file.name}:${file.size}:${file.lastModified}`;
  let known = await goOn(localStorage.getItem(key), says);
  if (!known) {
    known = await patiently(() => begin(file), says);
    localStorage.setItem(key, known.id);
  }
  try {
    while (!known.asset) {
      bar.value = known.offset;
      known = await patiently(() => send(file, known), says);
    }
  } catch (problem) {
    if (problem instanceof Refused) localStorage.removeItem(key);
    throw problem;
  }
  localStorage.removeItem(key);
}

async function goOn(id, says) {
  if (!id) return null;
  return patiently(() => ask(`/desk/pictures/uploads/${id}`), says).catch(() => null);
}

async function begin(file) {
  const type = file.type || TYPES[file.name.split(".").pop().toLowerCase()] || "";
  const body = new URLSearchParams({ mediaType: type, size: String(file.size) });
  const hash = await hashOf(file);
  if (hash) body.set("sha256", hash);
  return ask("/desk/pictures/uploads", { method: "POST", body });
}

async function send(file, { id, offset }) {
  const headers = { "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream" };
  const body = await file.slice(offset, offset + PART).arrayBuffer();
  const answer = await ask(`/desk/pictures/uploads/${id}`, { method: "POST", body, headers }, [409]);
  // Somebody else has sent this part, or its answer was lost: the service knows how far it is.
  return answer ?? ask(`/desk/pictures/uploads/${id}`);
}

// The answer; null for a status that is expected. A refusal is final, anything else is tried again.
async function ask(path, options = {}, expected = []) {
  const headers = { ...options.headers, "X-CSRF-Token": csrf, "HX-Request": "true" };
  const answer = await fetch(path, { ...options, headers });
  const to = answer.headers.get("HX-Redirect");
  if (to) {
    // The session has ended: it goes on after the sign-in.
    location.assign(to);
    throw new Error(form.dataset.lost);
  }
  if (answer.ok) return answer.json();
  if (expected.includes(answer.status)) return null;
  if (answer.status >= 500 && answer.status !== 507) throw new Error(form.dataset.lost);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  throw new Refused(page.querySelector(".said p")?.textContent ?? form.dataset.refused);
}

async function patiently(call, says) {
  for (let failed = 0; ; failed += 1) {
    try {
      const answer = await call();
      says.textContent = "";
      return answer;
    } catch (problem) {
      if (problem instanceof Refused) throw problem;
      says.textContent = form.dataset.lost;
      const seconds = WAITS[Math.min(failed, WAITS.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
  }
}

// Only pages by HTTPS can; the service names the file by its hash in any case.
async function hashOf(file) {
  if (!window.crypto?.subtle || file.size > HASHED) return "";
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function refresh() {
  window.htmx.ajax("GET", location.href, { target: "#pictures", select: "#pictures", swap: "outerHTML" });
}

input.required = false;
input.addEventListener("change", () => {
  add([...input.files]);
  input.value = "";
});
document.addEventListener("dragover", (event) => {
  if (![...event.dataTransfer.types].includes("Files")) return;
  event.preventDefault();
  form.classList.add("over");
});
document.addEventListener("dragleave", (event) => event.relatedTarget ?? form.classList.remove("over"));
document.addEventListener("drop", (event) => {
  form.classList.remove("over");
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  add([...event.dataTransfer.files]);
});
form.addEventListener("submit", (event) => event.preventDefault());
