"""Markup, escape sequences and line breaks in everything that people or networks name: they stay text wherever they are
told."""

from __future__ import annotations

import enum
import json
import unicodedata
from dataclasses import is_dataclass
from dataclasses import replace as dataclass_replace
from html.parser import HTMLParser
from typing import Any

import httpx
import msgspec
import pytest
from msgspec.structs import fields, replace

from menu.text.phrase import Phrase
from player.domain.findings.diagnosis import diagnose
from player.domain.link.announcement import announcement_of
from player.page.bundle import write_bundle
from player.page.sections.facts import Facts
from player.page.sections.render import page
from player.recent_log import LogLine
from player.standstill.ask import Examined
from tests.player.page.page_samples import SAMPLES
from tests.player.page.test_bundle import contents, texts
from tests.player.page.test_diagnostics import app_of

TAME = "Mild"
EVIL = (
    "\"'></title></p><script>alert(1)</script><img src=x onerror=alert(1)>{0}{name}%s&amp;"
    "\x1b[2J\x1b]0;owned\x07\x9b31m\r\n\r\ndata: {}\n\nevent: parts\nFAULT  Everything\u202e\u2028\0"
)
LINKS = ("/", "#", "?language=", "glass.png", "glass.jpg?", "state.json", "bundle.zip", "actions/")
NAMED = {
    "Location.name", "PairingFacts.screen_name", "RunningFacts.name", "Scene.name", "MenuRow.name", "Item.name",
    "Item.category", "MenuSection.heading", "Showing.scene_name", "OtherEntry.scene_name", "TimetableRow.scene_name",
    "Holding.used_by", "Holding.lacking", "StepResult.evidence", "LogLine.text", "LogLine.name", "Machine.model",
    "Machine.system", "Display.name", "FailingCall.detail", "FailingCall.subject", "Rejection.detail",
    "Rejection.subject", "Rejection.name",
}  # fmt: skip
"""Texts that others than this program have written, or may have."""


def planted(value: Any, text: str, called: str = "") -> Any:
    """The same with this text in everything that is named."""
    if isinstance(value, Phrase | enum.Enum):
        return value
    if isinstance(value, str):
        return f"{value}{text}" if called in NAMED else value
    if isinstance(value, LogLine):
        named = value._asdict().items()
        return LogLine(**{name: planted(one, text, f"LogLine.{name}") for name, one in named})
    if isinstance(value, tuple):
        return tuple(planted(one, text, called) for one in value)
    if isinstance(value, list):
        return [planted(one, text, called) for one in value]
    if isinstance(value, dict):
        return {key: planted(one, text, called) for key, one in value.items()}
    if isinstance(value, msgspec.Struct):
        kind = type(value).__name__
        found = {one.name: getattr(value, one.name) for one in fields(value)}
        return replace(value, **{name: planted(one, text, f"{kind}.{name}") for name, one in found.items()})
    if is_dataclass(value) and not isinstance(value, type):
        kind = type(value).__name__
        names = value.__dataclass_fields__
        return dataclass_replace(
            value, **{name: planted(getattr(value, name), text, f"{kind}.{name}") for name in names}
        )
    return value


def facts(name: str, text: str) -> Facts:
    found: Facts = planted(SAMPLES[name](), text)
    return found


class Structure(HTMLParser):
    """The elements and the names of their attributes, as a browser finds them; not the text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: list[object] = []
        self.links: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, [name for name, _ in attrs]))
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "action")]

    def handle_endtag(self, tag: str) -> None:
        self.found.append(f"/{tag}")

    def handle_comment(self, data: str) -> None:
        self.found.append(f"!{data}")


def obeyed(text: str) -> list[str]:
    """The characters that a terminal obeys."""
    return [one for one in text if unicodedata.category(one) in ("Cc", "Zl", "Zp") and one != "\n"] + [
        one for one in text if one in "\u202a\u202b\u202d\u202e"
    ]


@pytest.mark.parametrize("locale", ["en", "ar"])
@pytest.mark.parametrize("name", SAMPLES)
def test_on_the_page_it_is_text(name: str, locale: str) -> None:
    evil = Structure(page(facts(name, EVIL), locale=locale))
    tame = Structure(page(facts(name, TAME), locale=locale))
    assert evil.found == tame.found
    assert not [link for link in evil.links if link and not link.startswith(LINKS)]


@pytest.mark.parametrize("name", SAMPLES)
async def test_in_the_parts_that_a_browser_asks_for_it_is_text(name: str) -> None:
    async def told(text: str) -> dict[str, str]:
        app = app_of(lambda: facts(name, text))
        transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as browser:
            answer: dict[str, dict[str, str]] = (await browser.get("/parts.json")).json()
            return answer["parts"]

    tame = await told(TAME)
    for key, html in (await told(EVIL)).items():
        assert Structure(html).found == Structure(tame[key]).found, key


@pytest.mark.parametrize("name", SAMPLES)
def test_in_the_bundle_it_is_text_on_its_line(name: str) -> None:
    def bundled(text: str) -> dict[str, str]:
        return dict(texts(write_bundle(contents(facts=facts(name, text)))))

    evil, tame = bundled(EVIL), bundled(TAME)
    assert evil.keys() == tame.keys()
    json.loads(evil["state.json"])
    for member, text in evil.items():
        assert not obeyed(text), member
        if member != "log.txt":
            assert text.count("\n") == tame[member].count("\n"), member


@pytest.mark.parametrize("name", SAMPLES)
def test_in_a_terminal_it_is_text_on_its_line(name: str) -> None:
    def told(text: str) -> str:
        state = facts(name, text).state
        examined = Examined(
            asked=True, name=state.pairing.screen_name or "", version="0.2.0" + text, findings=diagnose(state)
        )
        return examined.text()

    evil = told(EVIL)
    assert not obeyed(evil)
    assert evil.count("\n") == told(TAME).count("\n")


def test_in_the_announcement_it_is_text() -> None:
    found = announcement_of(facts("small", EVIL).state)
    assert not obeyed(found.label)
    assert not obeyed("".join(found.texts.values()))
