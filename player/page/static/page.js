"use strict";
// Puts the sections that the player sends in the place of the old ones. The page is whole without it.
(() => {
  // While the player restarts: open the page again as soon as it answers.
  if (document.querySelector("[data-wait]")) {
    const ask = () => fetch("/static/page.css", {cache: "no-store"})
      .then(() => location.replace("/"), () => setTimeout(ask, 1000));
    setTimeout(ask, 5000);
    return;
  }
  // What was asked for is not said again when the page is reloaded.
  if (location.search) history.replaceState(null, "", location.pathname + location.hash);

  const part = name => document.querySelector(`[data-part="${name}"]`);
  const live = document.getElementById("live"), language = document.documentElement.lang;
  let ahead = null;  // how far the board's time is ahead of this phone's, in milliseconds

  const tell = (words, lost) => {
    if (live.textContent !== words) live.textContent = words;
    live.classList.toggle("lost", lost);
    live.hidden = false;
  };

  // What is open stays open, and the focus stays where it was, when a section changes.
  function replace(name, html) {
    const place = part(name);
    if (!place) return;
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    if (fresh.innerHTML === place.innerHTML) return;
    for (const old of place.querySelectorAll("details[data-key]")) {
      const next = fresh.content.querySelector(`details[data-key="${old.dataset.key}"]`);
      if (next) next.open = old.open;
    }
    const focused = document.activeElement;
    const path = place.contains(focused) ? [...place.querySelectorAll("a, summary, [tabindex]")].indexOf(focused) : -1;
    const list = place.querySelector(".log"), top = list ? list.scrollTop : 0;
    const image = place.querySelector("#glass");
    place.replaceChildren(fresh.content);
    const newer = place.querySelector("#glass");
    // The old picture stays until the new one is there.
    if (image && newer && image.getAttribute("src") === newer.getAttribute("src")) newer.replaceWith(image);
    else if (image && newer) swap(newer, image);
    if (path >= 0) [...place.querySelectorAll("a, summary, [tabindex]")][path]?.focus({preventScroll: true});
    if (top) { const next = place.querySelector(".log"); if (next) next.scrollTop = top; }
    dress(name);
  }

  function swap(newer, older) {
    const src = newer.getAttribute("src"), alt = newer.alt, loading = new Image();
    newer.replaceWith(older);
    loading.onload = () => { older.src = src; older.alt = alt; };
    loading.src = src;
  }

  function dress(name) {
    if (name === "log") filter();
    if (name === "clock") tick(true);
  }

  const words = document.getElementById("log-words"), bad = document.getElementById("log-bad");
  function filter() {
    const wanted = words.value.trim().toLocaleLowerCase();
    for (const line of document.querySelectorAll(".log li")) {
      const grave = ["warning", "error", "critical"].includes(line.dataset.level);
      line.hidden = (bad.checked && !grave) || (wanted && !line.textContent.toLocaleLowerCase().includes(wanted));
    }
  }
  document.getElementById("log-filter").hidden = false;
  words.addEventListener("input", filter);
  bad.addEventListener("change", filter);

  // The board's clock goes on between two messages, and is held against this phone's.
  let base = null;
  function tick(anew) {
    const face = document.querySelector("[data-clock]");
    if (!face) return;
    if (anew || !base) {
      base = {text: face.textContent, at: performance.now()};
      ahead = new Date(face.dateTime) - Date.now();
    }
    const [hours, minutes, seconds] = base.text.split(":").map(Number);
    const now = (hours * 3600 + minutes * 60 + seconds + Math.floor((performance.now() - base.at) / 1000)) % 86400;
    face.textContent = [now / 3600, now / 60 % 60, now % 60].map(n => String(Math.floor(n)).padStart(2, "0")).join(":");
    const note = document.querySelector("[data-phone-clock]"), off = Math.round(Math.abs(ahead) / 1000);
    note.hidden = off < 5;
    const [number, unit] = off < 120 ? [off, "second"] : off < 7200 ? [off / 60, "minute"]
      : off < 172800 ? [off / 3600, "hour"] : [off / 86400, "day"];
    const span = new Intl.NumberFormat(`${language}-u-nu-latn`, {style: "unit", unit, unitDisplay: "long"})
      .format(Math.round(number));
    const text = (ahead > 0 ? note.dataset.ahead : note.dataset.behind).replace("{}", span);
    if (note.textContent !== text) note.textContent = text;
  }
  tick(true);
  setInterval(() => tick(false), 1000);

  let seen = "", next;
  async function ask() {
    clearTimeout(next);
    // A phone in a pocket asks for nothing.
    if (document.hidden) return;
    try {
      const answer = await fetch(`parts.json?language=${language}&seen=${seen}`,
        {cache: "no-store", signal: AbortSignal.timeout(10000)});
      // The time of this sign-in is over.
      if (answer.status === 401) { location.reload(); return; }
      if (!answer.ok) throw new Error(answer.status);
      const news = await answer.json();
      seen = news.seen;
      for (const name of Object.keys(news.parts)) replace(name, news.parts[name]);
      tell(live.dataset.live, false);
    } catch {
      tell(live.dataset.again, true);
    }
    clearTimeout(next);
    next = setTimeout(ask, 2000);
  }
  ask();
  document.addEventListener("visibilitychange", ask);
})();
