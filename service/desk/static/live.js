// The live stream: it names topics that have changed, and each element with such a topic in data-live fetches itself
// (hx-trigger="live"). A hidden page has no stream: browsers open few connections to one host.

const EVERYTHING = "everything";

export function listen(address, reachable) {
  let source = null;
  let opened = false;

  function open() {
    if (source || document.hidden) return;
    source = new EventSource(address);
    source.addEventListener("open", () => {
      reachable(true);
      // Not the first time: what has changed meanwhile is not known.
      if (opened) tell([EVERYTHING]);
      opened = true;
    });
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
    if (concerned && !isTypedIn(element)) window.htmx.trigger(element, "live");
  }
}

// Nobody loses what they are typing.
function isTypedIn(element) {
  const active = document.activeElement;
  return element.contains(active) && active.matches("input, textarea, select") && active.value !== active.defaultValue;
}
