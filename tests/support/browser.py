"""Debian's Chromium without a screen, driven over the WebDriver protocol (https://www.w3.org/TR/webdriver2/).

Only what the tests of the pages need, over plain HTTP: no further dependency.
"""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.programs import call, eventually, free_port

CHROMIUM = "/usr/bin/chromium"
DRIVER = "/usr/bin/chromedriver"

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key of a reference to an element, from the standard."""


class Browser:
    """One window of the browser."""

    def __init__(self, session: str) -> None:
        self._session = session

    def open(self, url: str) -> None:
        """Open a page; returns when it is loaded."""
        self._post("/url", url=url)

    def resize(self, width: int, height: int) -> None:
        """Set the size of the page in CSS pixels."""
        self._post("/goog/cdp/execute", cmd="Emulation.setDeviceMetricsOverride", params=_metrics(width, height))

    def prefer(self, scheme: str) -> None:
        """Prefer the colours `light` or `dark`, as the system of its owner does."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._post("/goog/cdp/execute", cmd="Emulation.setEmulatedMedia", params={"features": features})

    def script(self, body: str, *arguments: object) -> Any:
        """Run a function with this body in the page; its result."""
        return self._post("/execute/sync", script=body, args=list(arguments))

    def script_later(self, body: str, *arguments: object) -> Any:
        """The same with a result that comes later: the function's last argument takes it."""
        return self._post("/execute/async", script=body, args=list(arguments))

    def text(self, selector: str) -> str:
        """The visible text of an element; empty if it is hidden or missing."""
        shown = self.script(
            "const one = document.querySelector(arguments[0]); return one ? one.innerText : '';", selector
        )
        return str(shown)

    def visible(self, selector: str) -> bool:
        """Whether the element is there and visible."""
        look = "const one = document.querySelector(arguments[0]); return Boolean(one && one.checkVisibility());"
        return bool(self.script(look, selector))

    def wait_for(self, words: str) -> str:
        """The text of the page, once it contains the words."""
        return eventually(
            lambda: text if words in (text := self.text("body")) else None, what=f"{words!r} is on the page"
        )

    def type(self, selector: str, text: str) -> None:
        """Type into an element, key by key."""
        self._post(f"/element/{self._find(selector)}/value", text=text)

    def click(self, selector: str) -> None:
        """Click in the middle of an element; fails if another one covers it."""
        self._post(f"/element/{self._find(selector)}/click")

    def press(self, *keys: str) -> None:
        """Press keys one after the other, wherever the focus is."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._post("/actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def screenshot(self, file: Path) -> None:
        """Save the window as PNG."""
        file.write_bytes(base64.b64decode(call("GET", f"{self._session}/screenshot")["value"]))

    def console_errors(self) -> list[str]:
        """Errors of scripts, and violations of the page's policy, since the last call."""
        return [one["message"] for one in self._post("/se/log", type="browser")]

    def _find(self, selector: str) -> str:
        found = self._post("/element", using="css selector", value=selector)
        return str(found[_ELEMENT])

    def _post(self, path: str, **body: object) -> Any:
        return call("POST", self._session + path, body=body)["value"]


@contextmanager
def open_browser(folder: Path) -> Iterator[Browser]:
    """A browser with a new profile; its log is in the folder."""
    port = free_port()
    arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--lang=en"]
    if os.geteuid() == 0:
        # Chromium refuses to run its sandbox as root.
        arguments.append("--no-sandbox")
    wanted = {
        "goog:chromeOptions": {"binary": CHROMIUM, "args": arguments},
        "goog:loggingPrefs": {"browser": "ALL"},
    }
    driver = f"http://127.0.0.1:{port}"
    with (folder / "chromedriver.log").open("ab") as log:
        process = subprocess.Popen([DRIVER, f"--port={port}"], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            eventually(lambda: _ready(driver), what=f"the browser's driver answers; see {log.name}")
            answer = call("POST", f"{driver}/session", body={"capabilities": {"alwaysMatch": wanted}})
            session = f"{driver}/session/{answer['value']['sessionId']}"
            try:
                yield Browser(session)
            finally:
                call("DELETE", session)
        finally:
            process.terminate()
            process.wait()


def _ready(driver: str) -> bool:
    try:
        return bool(call("GET", f"{driver}/status")["value"]["ready"])
    except OSError:
        return False


def _metrics(width: int, height: int) -> dict[str, object]:
    return {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
