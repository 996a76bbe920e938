"""Every number and text of a document is read up to its bound, and one beyond costs what docs/semantics.md says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from menu.documents import box, converters, manifest, manifest_reader, scene, schedule
from player.domain.link.address import MAX_ADDRESS_LENGTH, AddressError, service_address
from tests.menu.documents.sample_documents import HERO, Document, read, whole

Put = Callable[[Document, Any], None]

DAYPART = {"type": "daypart", "start": "06:00", "end": "11:00"}
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


def spans(document: Document, count: int) -> None:
    document["location"]["spans"] = [{"screens": ["scr_1", "scr_2"]}] * count


def panels(document: Document, count: int) -> None:
    document["scenes"][0]["span"] = {"panels": count, "gap": 40}


def part(name: str) -> Put:
    return lambda document, value: item("parts")(document, [{"quantity": 1, "anyOf": [], name: value}])


def widget(number: int, name: str) -> Put:
    return lambda document, value: document["scenes"][0]["widgets"][number].__setitem__(name, value)


def qr(document: Document, data: str) -> None:
    box = {"x": 0, "y": 0, "width": 400, "height": 400}
    document["scenes"][0]["widgets"].append({"id": "qr", "type": "qr", "data": data, **box})


def slideshow(document: Document, *, seconds: int = 5, **more: Any) -> None:
    box = {"x": 0, "y": 0, "width": 400, "height": 400}
    slides = [{"asset": f"sha256:{HERO}", "durationSeconds": each} for each in (5, seconds)]
    document["scenes"][0]["widgets"].append({"id": "zone", "type": "slideshow", "slides": slides, **box, **more})


def characters(put: Put, limit: int, code: str) -> Bound:
    return Bound(put, "n" * limit, "n" * (limit + 1), code)


BOUNDS = {
    "MAX_NAME": characters(item("name"), converters.MAX_NAME, "item_bad"),
    "MAX_DESCRIPTION": characters(item("description"), manifest.MAX_DESCRIPTION, "field_bad"),
    "MAX_PRICE": Bound(item("price"), manifest.MAX_PRICE, manifest.MAX_PRICE + 1, "item_bad"),
    "MAX_RATE": Bound(second_currency, manifest.MAX_RATE, manifest.MAX_RATE + 1, "field_bad"),
    "MAX_SPANS": Bound(spans, manifest.MAX_SPANS, manifest.MAX_SPANS + 1, "too_many"),
    "MIN_PANELS": Bound(panels, scene.MIN_PANELS, scene.MIN_PANELS - 1, "field_bad"),
    "MAX_PANELS": Bound(panels, scene.MAX_PANELS, scene.MAX_PANELS + 1, "field_bad"),
    "MAX_ENERGY": Bound(item("energy"), manifest.MAX_ENERGY, manifest.MAX_ENERGY + 1, "field_bad"),
    "MAX_CHOICES": Bound(
        part("anyOf"),
        [{"itemId": "itm_2"}] * manifest.MAX_CHOICES,
        [{"itemId": "itm_2"}] * (manifest.MAX_CHOICES + 1),
        "part_bad",
    ),
    "MAX_QUANTITY": Bound(part("quantity"), manifest.MAX_QUANTITY, manifest.MAX_QUANTITY + 1, "part_bad"),
    "MAX_COUNT": Bound(item("sortIndex"), -manifest.MAX_COUNT, -manifest.MAX_COUNT - 1, "field_bad"),
    "MAX_TAGS": Bound(item("tags"), ["t"] * manifest.MAX_TAGS, ["t"] * (manifest.MAX_TAGS + 1), "field_bad"),
    "MAX_OTHER_VERSIONS": Bound(
        lambda document, value: document.__setitem__("otherVersions", {"pl_1": value}),
        [1] * manifest_reader.MAX_OTHER_VERSIONS,
        [1] * (manifest_reader.MAX_OTHER_VERSIONS + 1),
        "field_bad",
    ),
    "MAX_ID": characters(item("id"), converters.MAX_ID, "item_bad"),
    "MAX_ASSET_BYTES": Bound(
        lambda document, value: document["assets"].__setitem__("a" * 64, {"size": value}),
        manifest.MAX_ASSET_BYTES,
        manifest.MAX_ASSET_BYTES + 1,
        "asset_bad",
    ),
    "MAX_DURATION_SECONDS": Bound(
        lambda document, value: document["playlist"]["entries"][0].__setitem__("durationSeconds", value),
        manifest.MAX_DURATION_SECONDS,
        manifest.MAX_DURATION_SECONDS + 1,
        "entry_bad",
    ),
    "MAX_EXCEPTIONS": Bound(
        lambda document, value: document["scenes"][0].__setitem__("schedules", [DAYPART | {"except": value}]),
        ["2026-12-25"] * schedule.MAX_EXCEPTIONS,
        ["2026-12-25"] * (schedule.MAX_EXCEPTIONS + 1),
        "schedule_bad",
    ),
    "MAX_PRIORITY": Bound(
        lambda document, value: document["scenes"][0].__setitem__("schedules", [DAYPART | {"priority": value}]),
        schedule.MAX_PRIORITY,
        schedule.MAX_PRIORITY + 1,
        "field_bad",
    ),
    "MAX_TRANSITION_MILLISECONDS": Bound(
        lambda document, value: document["scenes"][0]["transition"].__setitem__("milliseconds", value),
        scene.MAX_TRANSITION_MILLISECONDS,
        scene.MAX_TRANSITION_MILLISECONDS + 1,
        "field_bad",
    ),
    "MAX_CANVAS": Bound(
        lambda document, value: document["scenes"][0].__setitem__("width", value),
        box.MAX_CANVAS,
        box.MAX_CANVAS + 1,
        "scene_bad",
    ),
    "MIN_CANVAS": Bound(
        lambda document, value: document["scenes"][1].__setitem__("height", value),
        scene.MIN_CANVAS,
        scene.MIN_CANVAS - 1,
        "scene_bad",
    ),
    "MAX_COORDINATE": Bound(widget(0, "width"), box.MAX_COORDINATE, box.MAX_COORDINATE + 1, "widget_bad"),
    "MAX_COLUMNS": Bound(widget(0, "columns"), scene.MAX_COLUMNS, scene.MAX_COLUMNS + 1, "field_bad"),
    "MAX_REFERENCES": Bound(
        widget(0, "categories"),
        ["c"] * scene.MAX_REFERENCES,
        ["c"] * (scene.MAX_REFERENCES + 1),
        "widget_bad",
    ),
    "MAX_TEXT": characters(widget(2, "text"), scene.MAX_TEXT, "widget_bad"),
    "MAX_TEXT_SIZE": Bound(widget(3, "size"), scene.MAX_TEXT_SIZE, scene.MAX_TEXT_SIZE + 1, "field_bad"),
    "MAX_LABEL": characters(widget(3, "pattern"), scene.MAX_LABEL, "field_bad"),
    "MAX_SLIDE_SECONDS": Bound(
        lambda document, value: slideshow(document, seconds=value),
        scene.MAX_SLIDE_SECONDS,
        scene.MAX_SLIDE_SECONDS + 1,
        "slide_bad",
    ),
    "MIN_SLIDE_SECONDS": Bound(
        lambda document, value: slideshow(document, seconds=value),
        scene.MIN_SLIDE_SECONDS,
        scene.MIN_SLIDE_SECONDS - 1,
        "slide_bad",
    ),
    "MAX_FADE_MILLISECONDS": Bound(
        lambda document, value: slideshow(document, fadeMilliseconds=value),
        scene.MAX_FADE_MILLISECONDS,
        scene.MAX_FADE_MILLISECONDS + 1,
        "field_bad",
    ),
    "MAX_ENERGY_NOTE": characters(widget(0, "energyNote"), scene.MAX_ENERGY_NOTE, "field_bad"),
    "MAX_QR_TEXT": characters(qr, scene.MAX_QR_TEXT, "widget_bad"),
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
