"""Renders the parts of the page again only if a fact has changed."""

from __future__ import annotations

from msgspec.structs import replace

from player.page.collector import Newest
from player.page.sections.facts import Facts
from player.page.sections.render import Parts, parts

RESTLESS = frozenset({"clock"})
"""Parts that differ at every look."""


class PageParts:
    """Renders the parts of the page in the languages of its readers: again when a fact changes, and each minute. A long
    page takes a while, and the board's frames come first."""

    def __init__(self) -> None:
        self._rendered = Newest[dict[str, Parts]]()

    def __call__(self, facts: Facts, locale: str) -> Parts:
        minute = facts.state.at.replace(second=0, microsecond=0)
        key = replace(facts, monotonic=0.0, state=replace(facts.state, at=minute, monotonic=0.0))
        rendered = self._rendered(key, dict)
        if locale not in rendered:
            rendered[locale] = parts(facts, locale)
        return {**rendered[locale], **parts(facts, locale, RESTLESS)}
