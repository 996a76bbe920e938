"""Measures the layout of a menu of 300 items: the first, and the next after an 86."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.manifest import Catalogue, Item, Location
from menu.documents.scene import MenuWidget
from menu.text.wording import locality_of
from player.display.layout.menu import lay_out_menu
from player.display.layout.setting import Setting
from player.display.typography.theme import resolve_theme
from player.display.widgets.typeset import Fonts
from player.domain.view import MenuListing
from tests.player.domain.playing.listed import listing

ITEMS, CATEGORIES, CHANGES = 300, 12, 50
WIDGET = MenuWidget(id="menu", box=Box(x=96, y=54, width=1728, height=972))
Result = TypeVar("Result")
PLACE = Location(id="loc", name="", timezone="Europe/Berlin", currency="EUR", locale="de-DE")


def measure() -> dict[str, float]:
    """Milliseconds of CPU. What QML does with the rows afterwards is part of the figures of the board."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QGuiApplication

    application = QGuiApplication.instance() or QGuiApplication([])
    locality = locality_of(PLACE)
    fonts = Fonts(resolve_theme((), locale=PLACE.locale), locality)
    setting = Setting(measurers=fonts.measurers, locality=locality)
    full = _listed(frozenset())
    layout, first = _timed(lambda: lay_out_menu(WIDGET, full, setting))
    taken = []
    for number in range(CHANGES):
        changed = _listed(frozenset({f"itm_{number * 5}"}))
        _, spent = _timed(partial(lay_out_menu, WIDGET, changed, setting, basis=layout.basis))
        taken.append(spent)
    del application
    return {"first_ms": first, "one sold out, p50_ms": statistics.median(taken), "one sold out, max_ms": max(taken)}


def _listed(gone: frozenset[str]) -> MenuListing:
    items = [
        Item(
            id=f"itm_{number}",
            name=f"Grilled aubergine {number} with rice",
            category=f"Category {number % CATEGORIES}",
            price=Decimal(400 + 7 * number).scaleb(-2),
            description="With market vegetables, herbs and our own dressing" if number % 3 == 0 else None,
            allergens=("gluten", "milk") if number % 2 else (),
            sort_index=number,
        )
        for number in range(ITEMS)
    ]
    card = Catalogue(
        revision=1,
        revision_at=datetime(2026, 11, 20, tzinfo=UTC),
        items={item.id: replace(item, eighty_sixed=item.id in gone) for item in items},
    )
    return listing(WIDGET, card, location=PLACE)


def _timed(work: Callable[[], Result]) -> tuple[Result, float]:
    started = time.process_time()
    result = work()
    return result, 1000 * (time.process_time() - started)
