"""Every number and text of a document is read up to its bound, and one beyond costs what docs/semantics.md says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from player.domain.address import MAX_ADDRESS_LENGTH, AddressError, service_address
from player.domain.documents import fields
from player.domain.documents import manifest_reader as manifest_document
from player.domain.documents import scene_reader as scene_document
from tests.player.domain.sample_documents import HERO, Document, read, whole

Put = Callable[[Document, Any], None]

ITEM, MENU, TEXT, CLOCK = "itm_1", "scn_1/menu-1", "scn_1/text-1", "scn_1/clock-1"


@dataclass(frozen=True)
class Bound:
    put: Put
    most: Any
    beyond: Any
    code: str


def item(name: str) -> Put:
    return lambda document, value: document["items"][0].__setitem__(name, value)


def second_currency(document: Document, rate: Any) -> None:
    document["location"]["secondCurrency"] = {"currency": "BGN", "rate": rate}


def part(name: str) -> Put:
    return lambda document, value: item("parts")(document, [{"quantity": 1, "anyOf": [], name: value}])


def widget(number: int, name: str) -> Put:
    return lambda document, value: document["scenes"][0]["widgets"][number].__setitem__(name, value)


def qr(document: Document, data: str) -> None:
    box = {"x": 0, "y": 0, "width": 400, "height": 400}
    document["scenes"][0]["widgets"].append({"id": "qr", "type": "qr", "data": data, **box})


def grid(document: Document, **more: Any) -> None:
    box = {"x": 0, "y": 0, "width": 400, "height": 400}
    document["scenes"][0]["widgets"].append({"id": "cards", "type": "grid", **box, **more})


def slideshow(document: Document, *, seconds: int = 5, **more: Any) -> None:
    box = {"x": 0, "y": 0, "width": 400, "height": 400}
    slides = [{"asset": f"sha256:{HERO}", "durationSeconds": each} for each in (5, seconds)]
    document["scenes"][0]["widgets"].append({"id": "zone", "type": "slideshow", "slides": slides, **box, **more})


def characters(put: Put, limit: int, code: str) -> Bound:
    return Bound(put, "n" * limit, "n" * (limit + 1), code)


BOUNDS = {
    "MAX_NAME": characters(item("name"), scene_document.MAX_NAME, "item_bad"),
    "MAX_DESCRIPTION": characters(item("description"), manifest_document.MAX_DESCRIPTION, "field_bad"),
    "MAX_PRICE": Bound(item("price"), manifest_document.MAX_PRICE, manifest_document.MAX_PRICE + 1, "item_bad"),
    "MAX_RATE": Bound(second_currency, manifest_document.MAX_RATE, manifest_document.MAX_RATE + 1, "field_bad"),
    "MAX_ENERGY": Bound(item("energy"), manifest_document.MAX_ENERGY, manifest_document.MAX_ENERGY + 1, "field_bad"),
    "MAX_CHOICES": Bound(
        part("anyOf"),
        [{"itemId": "itm_2"}] * manifest_document.MAX_CHOICES,
        [{"itemId": "itm_2"}] * (manifest_document.MAX_CHOICES + 1),
        "part_bad",
    ),
    "MAX_QUANTITY": Bound(
        part("quantity"), manifest_document.MAX_QUANTITY, manifest_document.MAX_QUANTITY + 1, "part_bad"
    ),
    "MAX_COUNT": Bound(item("sortIndex"), -manifest_document.MAX_COUNT, -manifest_document.MAX_COUNT - 1, "field_bad"),
    "MAX_TAGS": Bound(
        item("tags"), ["t"] * manifest_document.MAX_TAGS, ["t"] * (manifest_document.MAX_TAGS + 1), "field_bad"
    ),
    "MAX_OTHER_VERSIONS": Bound(
        lambda document, value: document.__setitem__("otherVersions", {"pl_1": value}),
        [1] * manifest_document.MAX_OTHER_VERSIONS,
        [1] * (manifest_document.MAX_OTHER_VERSIONS + 1),
        "field_bad",
    ),
    "MAX_ID": characters(item("id"), fields.MAX_ID, "item_bad"),
    "MAX_ASSET_BYTES": Bound(
        lambda document, value: document["assets"].__setitem__("a" * 64, {"size": value}),
        manifest_document.MAX_ASSET_BYTES,
        manifest_document.MAX_ASSET_BYTES + 1,
        "asset_bad",
    ),
    "MAX_DURATION_SECONDS": Bound(
        lambda document, value: document["playlist"]["entries"][0].__setitem__("durationSeconds", value),
        manifest_document.MAX_DURATION_SECONDS,
        manifest_document.MAX_DURATION_SECONDS + 1,
        "entry_bad",
    ),
    "MAX_TRANSITION_MILLISECONDS": Bound(
        lambda document, value: document["scenes"][0]["transition"].__setitem__("milliseconds", value),
        scene_document.MAX_TRANSITION_MILLISECONDS,
        scene_document.MAX_TRANSITION_MILLISECONDS + 1,
        "field_bad",
    ),
    "MAX_CANVAS": Bound(
        lambda document, value: document["scenes"][0].__setitem__("width", value),
        scene_document.MAX_CANVAS,
        scene_document.MAX_CANVAS + 1,
        "scene_bad",
    ),
    "MIN_CANVAS": Bound(
        lambda document, value: document["scenes"][1].__setitem__("height", value),
        scene_document.MIN_CANVAS,
        scene_document.MIN_CANVAS - 1,
        "scene_bad",
    ),
    "MAX_COORDINATE": Bound(
        widget(0, "width"), scene_document.MAX_COORDINATE, scene_document.MAX_COORDINATE + 1, "widget_bad"
    ),
    "MAX_COLUMNS": Bound(widget(0, "columns"), scene_document.MAX_COLUMNS, scene_document.MAX_COLUMNS + 1, "field_bad"),
    "MAX_CARD_COLUMNS": Bound(
        lambda document, value: grid(document, columns=value),
        scene_document.MAX_CARD_COLUMNS,
        scene_document.MAX_CARD_COLUMNS + 1,
        "field_bad",
    ),
    "MAX_CATEGORIES": Bound(
        widget(0, "categories"),
        ["c"] * scene_document.MAX_CATEGORIES,
        ["c"] * (scene_document.MAX_CATEGORIES + 1),
        "widget_bad",
    ),
    "MAX_ITEM_IDS": Bound(
        widget(0, "itemIds"),
        ["i"] * scene_document.MAX_ITEM_IDS,
        ["i"] * (scene_document.MAX_ITEM_IDS + 1),
        "widget_bad",
    ),
    "MAX_TEXT": characters(widget(2, "text"), scene_document.MAX_TEXT, "widget_bad"),
    "MAX_PATTERN": characters(widget(3, "pattern"), scene_document.MAX_PATTERN, "field_bad"),
    "MAX_SLIDE_SECONDS": Bound(
        lambda document, value: slideshow(document, seconds=value),
        scene_document.MAX_SLIDE_SECONDS,
        scene_document.MAX_SLIDE_SECONDS + 1,
        "slide_bad",
    ),
    "MIN_SLIDE_SECONDS": Bound(
        lambda document, value: slideshow(document, seconds=value),
        scene_document.MIN_SLIDE_SECONDS,
        scene_document.MIN_SLIDE_SECONDS - 1,
        "slide_bad",
    ),
    "MAX_FADE_MILLISECONDS": Bound(
        lambda document, value: slideshow(document, fadeMilliseconds=value),
        scene_document.MAX_FADE_MILLISECONDS,
        scene_document.MAX_FADE_MILLISECONDS + 1,
        "field_bad",
    ),
    "MAX_ENERGY_NOTE": characters(widget(0, "energyNote"), scene_document.MAX_ENERGY_NOTE, "field_bad"),
    "MAX_QR_TEXT": characters(qr, scene_document.MAX_QR_TEXT, "widget_bad"),
}


@pytest.mark.parametrize("bound", BOUNDS.values(), ids=BOUNDS)
def test_a_field_is_read_up_to_its_bound_and_one_beyond_costs_its_part(bound: Bound) -> None:
    document = whole()
    bound.put(document, bound.most)
    assert read(document).rejections == ()

    document = whole()
    bound.put(document, bound.beyond)
    assert [rejection.code for rejection in read(document).rejections] == [bound.code]


def test_an_address_is_read_up_to_its_bound() -> None:
    longest = "https://menus.example.com/".ljust(MAX_ADDRESS_LENGTH, "a")
    assert service_address(longest) == longest
    with pytest.raises(AddressError):
        service_address(longest + "a")
