// The live stream: it names topics that have changed since the page was made, and each element with such a topic in
// data-live fetches itself (hx-trigger="live"). A hidden page has no stream: browsers open few connections to one host.

const EVERYTHING = "everything";

export function listen(address, reachable) {
  let source = null;

  function open() {
    if (source || document.hidden) return;
    source = new EventSource(address);
    source.addEventListener("open", () => reachable(true));
    source.addEventListener("changed", (event) => tell(JSON.parse(event.data).topics));
    source.addEventListener("error", () => {
      reachable(false);
      // The browser gives up after an answer that is no stream, such as that of a session that has ended.
      if (source.readyState === EventSource.CLOSED) {
        close();
        setTimeout(open, 5000);
      }
    });
  }

  function close() {
    source?.close();
    source = null;
  }

  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", open);
  open();
}

function tell(topics) {
  const changed = new Set(topics);
  for (const element of document.querySelectorAll("[data-live]")) {
    const concerned = changed.has(EVERYTHING) || element.dataset.live.split(" ").some((topic) => changed.has(topic));
    if (concerned && !isTypedIn(element)) fetchAgain(element);
  }
}

// Parts that are being fetched, those that the answer to an act is going to replace, and the ids of those of which what is
// on its way may be older than a change: what has taken their place then is fetched once more.
const fetching = new WeakSet();
const acting = new WeakSet();
const outdated = new Set();

function fetchAgain(element) {
  if (element.id && fetching.has(element)) {
    outdated.add(element.id);
    return;
  }
  // One that has just come is without its triggers for some milliseconds.
  window.htmx.process(element);
  window.htmx.trigger(element, "live");
}

document.addEventListener("htmx:beforeRequest", (event) => {
  const { requestConfig, target } = event.detail;
  (requestConfig.verb === "get" ? fetching : acting).add(target);
});

document.addEventListener("htmx:beforeSwap", (event) => {
  const { requestConfig, target } = event.detail;
  if (requestConfig?.triggeringEvent?.type !== "live") return;
  if (acting.has(target)) outdated.add(target.id);
  // Nobody loses what they have typed or chosen, not even where a fetched part comes only then.
  if (acting.has(target) || isTypedIn(target)) event.detail.shouldSwap = false;
});

document.addEventListener("htmx:afterRequest", (event) => {
  const { requestConfig, target } = event.detail;
  (requestConfig.verb === "get" ? fetching : acting).delete(target);
  if (acting.has(target) || !outdated.delete(target.id)) return;
  const successor = document.getElementById(target.id);
  if (successor?.dataset.live && !isTypedIn(successor)) fetchAgain(successor);
});

function isTypedIn(element) {
  return [...element.querySelectorAll("input:not([type=hidden]), textarea, select")].some(isChanged);
}

function isChanged(control) {
  if (control.type === "checkbox" || control.type === "radio") return control.checked !== control.defaultChecked;
  if (!control.options) return control.value !== control.defaultValue;
  const first = Math.max(0, [...control.options].findIndex((one) => one.defaultSelected));
  return control.selectedIndex !== first;
}
