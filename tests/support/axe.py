"""Checks a page for accessibility with axe-core (tests/vendor/axe-core), by the rules of WCAG 2.2 at level AA."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

SOURCE = Path(__file__).parent.parent / "vendor" / "axe-core" / "axe.min.js"
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
_RUN = (
    "rules => axe.run(document, {runOnly: rules, resultTypes: ['violations']}).then("
    "found => found.violations.map(one => [one.id, one.help, one.nodes.map(node => node.html).slice(0, 3)]))"
)


def violations(page: Page) -> list[Any]:
    """Finds faults of the page that is open: the rule, what it asks for, and up to three places."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_source())
    found: list[Any] = page.evaluate(_RUN, list(RULES))
    return found


@cache
def _source() -> str:
    return SOURCE.read_text(encoding="utf-8") + "; null"
