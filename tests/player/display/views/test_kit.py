"""Headlines of the design kit: the name of a shop is whole in every template, in every script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest

from menu.documents.scene import Scene
from menu.documents.scene_reader import read_scene
from menu.documents.tolerant import Fields, RejectionLog
from menu.text.wording import Locality
from service.core.json_text import read_json, write_json
from service.services.scenes.kit import Kit
from service.services.scenes.themes import KitTheme, themed
from tests.player.display.conftest import Glass
from tests.player.display.scenes import showing

NAMES = {
    "en": ("Café", "The Cooper & Crow", "Harbour Lights Fish and Chips Co"),
    "el": ("Ουζο", "Ταβέρνα του Νικόλα", "Ταβέρνα του Νικόλα στο λιμανάκι"),
    "ru": ("Блин", "Столовая «Минутка»", "Столовая «У Фёдора Достоевского»"),
    "ar": ("شواء", "شاورما الديرة", "مطعم الشاورما الدمشقية الأصيلة"),
    "he": ("גריל", "פלאפל הכרם", "המסעדה הקטנה של סבתא רחל ביפו"),
    "th": ("ครัว", "ก๋วยเตี๋ยวป้าศรี", "ร้านก๋วยเตี๋ยวเรือป้ายักษ์ใหญ่"),
    "hi": ("चाय", "गणेश जूस सेंटर", "श्री गणेश जूस और लस्सी सेंटर"),
    "ja": ("麺処一番", "季節の天ぷらと手打ち蕎麦", "季節の天ぷらと手打ち蕎麦の店 神田須田町本店 うえだ屋"),
}
LONGEST, USUAL = 32, 20
"""Letters of the longest name of a shop that is whole, and of the longest that is not small either."""
FACES = ("titleFamily", "letterSpacing")
LOOKS = (None, *Kit().themes.values())


def headlines(look: KitTheme | None) -> Iterator[dict[str, Any]]:
    """The headline of each layout of each template, with few items and with many, each place once."""
    seen = set[tuple[Any, ...]]()
    for template in Kit().templates.values():
        for orientation, items in product(template.orientations, (0, 6, 12, 60)):
            drawn = template.scene(orientation, items)
            scene = themed(drawn, look) if look is not None else drawn
            for head in (one for one in scene["widgets"] if one.get("role") == "title"):
                faces = {
                    name: scene["theme"][name] for name in ("titleFamily", "letterSpacing") if name in scene["theme"]
                }
                place = head["width"], head["height"], head.get("size"), tuple(faces.items())
                if place not in seen:
                    seen.add(place)
                    name = f"{template.key}-{orientation}-{items}-{len(seen)}"
                    yield {**head, "id": name, "x": 0, "y": 0, "theme": faces}


def scene_of(widgets: list[dict[str, Any]]) -> Scene:
    document: Mapping[str, Any] = {"id": "scn_1", "width": 1920, "height": 1920, "widgets": widgets}
    log = RejectionLog()
    read = read_scene(Fields(read_json(write_json(document)), subject="scn_1", rejections=log))
    assert log.recorded() == ()
    return read


@pytest.mark.first_case
@pytest.mark.parametrize("language", NAMES)
@pytest.mark.parametrize("look", LOOKS, ids=["own", *Kit().themes])
def test_a_headline_is_whole_in_every_script_and_of_its_size_where_it_is_short(
    glass: Glass, look: KitTheme | None, language: str
) -> None:
    places = list(headlines(look))
    locality = Locality(locale=language, right_to_left=language in {"ar", "he"})
    for name in NAMES[language]:
        assert len(name) <= LONGEST
        known = len(glass.undrawable)
        glass.show(showing(scene_of([{**place, "text": name} for place in places]), locality=locality))
        wrong = {"text_cut", "text_small"} if len(name) <= USUAL else {"text_cut"}
        told = [f"{note.subject}: {note.detail}" for note in glass.undrawable[known:] if note.code in wrong]
        assert told == [], name
