// Sends a file to the service part by part, and on from where it broke off: also after the page, the line or the service
// was gone. `words` has the sentences `lost` and `refused`; `told` hears of the bytes that are there, and of trouble.
const PART = 1024 * 1024;
const HASHED = 64 * 1024 * 1024; // a larger file would fill the browser's memory
const TYPES = {
  mkv: "video/x-matroska",
  mov: "video/quicktime",
  webm: "video/webm",
  mp4: "video/mp4",
  heic: "image/heic",
  heif: "image/heif",
  avif: "image/avif",
  ttf: "font/ttf",
  otf: "font/otf",
};
const WAITS = [1, 2, 4, 8, 15]; // seconds
const UPLOADS = "/desk/pictures/uploads";

class Refused extends Error {}

// The id of the asset that the file has become.
export async function upload(file, words, told) {
  const key = `desk-upload:${file.name}:${file.size}:${file.lastModified}`;
  const patiently = (call) => untilItAnswers(call, words, told);
  const id = localStorage.getItem(key);
  let known = id && (await patiently(() => ask(`${UPLOADS}/${id}`, words)).catch(() => null));
  if (!known) {
    known = await patiently(() => begin(file, words));
    localStorage.setItem(key, known.id);
  }
  try {
    while (!known.asset) {
      told(known.offset, "");
      known = await patiently(() => send(file, known, words));
    }
  } catch (problem) {
    localStorage.removeItem(key);
    throw problem;
  }
  localStorage.removeItem(key);
  return known.asset;
}

async function begin(file, words) {
  const type = file.type || TYPES[file.name.split(".").pop().toLowerCase()] || "";
  const body = new URLSearchParams({ mediaType: type, size: String(file.size) });
  const hash = await hashOf(file);
  if (hash) body.set("sha256", hash);
  return ask(UPLOADS, words, { method: "POST", body });
}

async function send(file, { id, offset }, words) {
  const headers = {
    "Upload-Offset": String(offset),
    "Content-Type": "application/offset+octet-stream",
    "X-File-Name": encodeURIComponent(file.name),
  };
  const body = await file.slice(offset, offset + PART).arrayBuffer();
  const answer = await ask(`${UPLOADS}/${id}`, words, { method: "POST", body, headers }, [409]);
  // Somebody else has sent this part, or its answer was lost: the service knows how far it is.
  return answer ?? ask(`${UPLOADS}/${id}`, words);
}

// The answer; null for a status that is expected. A refusal is final, anything else is tried again.
async function ask(path, words, options = {}, expected = []) {
  const csrf = document.querySelector('meta[name="csrf"]').content;
  const headers = { ...options.headers, "X-CSRF-Token": csrf, "HX-Request": "true" };
  const answer = await fetch(path, { ...options, headers });
  const to = answer.headers.get("HX-Redirect");
  if (to) {
    // The session has ended: it goes on after the sign-in.
    location.assign(to);
    throw new Error(words.lost);
  }
  if (answer.ok) return answer.json();
  if (expected.includes(answer.status)) return null;
  if (answer.status >= 500 && answer.status !== 507) throw new Error(words.lost);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  throw new Refused(page.querySelector(".said p")?.textContent ?? words.refused);
}

async function untilItAnswers(call, words, told) {
  for (let failed = 0; ; failed += 1) {
    try {
      return await call();
    } catch (problem) {
      if (problem instanceof Refused) throw problem;
      told(null, words.lost);
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

// Files that are dropped anywhere on the page; `target` shows that they may be.
export function takeDrops(target, add) {
  document.addEventListener("dragover", (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    target.classList.add("over");
  });
  document.addEventListener("dragleave", (event) => event.relatedTarget ?? target.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    target.classList.remove("over");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    add([...event.dataTransfer.files]);
  });
}
