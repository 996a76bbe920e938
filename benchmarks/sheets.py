"""Draws the design kit for judging by eye: `python -m benchmarks.sheets FOLDER` makes a sheet for each template.

A sheet has the template with 3, 12 and 60 items of one shop, in landscape and in portrait; with `--theme` there is one
for each of these themes. The boards lie beside the sheets, at full size. With `--contact` there is one small picture
instead, `contact.jpg`: a row for each template, with those boards in its own theme and in each of the others.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QRect, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter

from player.display.window.window import Display
from player.domain.events import DetailsAsked, FramePresented, OrderFailed, WidgetDrawn, WidgetUndrawable
from player.domain.machine import WindowMode
from player.domain.view import DisplayOrder, SceneView
from player.preview.show import settle
from service.schema.content.template import Orientation
from service.services.scenes.kit import Kit
from tests.player.display.conftest import descendants
from tests.player.display.scenes import NOON
from tests.player.display.views.kit import LAYOUTS, KitScenes

COUNTS = (3, 12, 60)
SHEET_WIDTH, GAP = 1800, 24
CONTACT_HEIGHT, CONTACT_GAP, CONTACT_QUALITY = 66, 5, 68
LABEL_WIDTH = 120
LATE_SECONDS = 5.0
"""After the end of a showing every list has turned its page."""
SHOP = {
    "Burgers": "Cheeseburger 9.5|Veggie burger 9|Double bacon burger 12.5|Halloumi & honey 10|Fried chicken burger 10.5"
    "|Blue cheese & onion jam 11.5|The smokehouse 13|Little one 6.5",
    "Pizza": "Margherita 8.5|Marinara 7.5|Quattro stagioni 11|Prosciutto e funghi 11.5|Diavola 10.5|Four cheeses 11"
    "|Tuna & red onion 11|Garden vegetables 10",
    "Salads & bowls": "Caesar salad 8.5|Greek salad 8|Warm goat’s cheese 9.5|Chicken & avocado bowl 11|Falafel bowl 10"
    "|Salmon poke 13.5",
    "Sides": "Fries 3.5|Sweet potato fries 4.5|Onion rings 4|Coleslaw 3|Corn on the cob 3.5|Garlic bread 4",
    "Sweet things": "Brownie 4.5|Cheesecake 5|Tiramisu 5.5|Apple crumble with custard 5|Two scoops of ice cream 4"
    "|Affogato 4.5",
    "Coffee & tea": "Espresso 2.2|Flat white 3.4|Cappuccino 3.3|Latte 3.6|Filter coffee 2.5|Hot chocolate 3.8"
    "|Breakfast tea 2.4|Fresh mint tea 2.9",
    "Cold drinks": "Cola 2.9|Lemonade 3.1|Ginger beer 3.4|Elderflower fizz 3.5|Iced tea 3.3|Apple juice 2.8"
    "|Sparkling water 2.5|Milkshake 5",
    "Beer & wine": "House lager 4.8|Pale ale 5.2|Stout 5.4|Wheat beer 5.2|Dry cider 4.9|Alcohol-free lager 4.2"
    "|House white 5.5|House red 5.5|Sparkling rosé 6.5|Aperol spritz 8.5",
}
DESCRIPTIONS = (
    "Mature cheddar, pickles and our own sauce in a brioche bun",
    "With market vegetables, herbs and olive oil",
    "",
    "Slow-cooked, with caramelised onions and rocket",
)
ALLERGENS: Sequence[Sequence[str]] = (
    ("gluten", "milk", "eggs", "mustard"),
    ("gluten", "soybeans", "sesame"),
    ("milk",),
    (),
    ("fish", "celery", "sulphites", "nuts"),
)
TAGS: Sequence[Sequence[str]] = ((), ("vegetarian",), (), ("vegan",), ("new",), ())
PICTURES = ("burger.jpg", "pizza.jpg", "", "salad.jpg", "coffee.jpg")


def menu_of(count: int, template: str) -> dict[str, Any]:
    """A menu of so many items of the shop, in the form of tests/data/kit_menus.json."""
    told = [
        [(category, *item.rpartition(" ")[::2]) for item in items.split("|")]
        for category, items in list(SHOP.items())[: max(1, count // 4)]
    ]
    taken = list(itertools.islice((item for turn in itertools.zip_longest(*told) for item in turn if item), count))
    items: list[dict[str, Any]] = [
        {
            "name": name,
            "category": category,
            "price": Decimal(price),
            "sortIndex": list(SHOP).index(category) * 100 + number,
            "description": DESCRIPTIONS[number * 7 // 5 % len(DESCRIPTIONS)] if "&" not in category else "",
            "allergens": list(ALLERGENS[number % len(ALLERGENS)]),
            "tags": list(TAGS[number % len(TAGS)]),
            **({"image": picture} if (picture := PICTURES[number % len(PICTURES)]) else {}),
            **({"energy": 100 + 37 * number % 900} if template == "burger-calories" else {}),
            **({"translations": {"fr": {"name": f"{name} maison"}}} if template == "bilingual" else {}),
        }
        for number, (category, name, price) in enumerate(taken)
    ]
    for item in items:
        if item["category"] in {"Coffee & tea", "Pizza"}:
            sizes = [("Small", item["price"]), ("Large", item["price"] + 1)]
            item["variants"] = [{"name": size, "price": price} for size, price in sizes]
            if "energy" in item:
                item["variants"] = [variant | {"energy": item["energy"]} for variant in item["variants"]]
                del item["energy"]
    return {
        "location": {"name": "Corner", "timezone": "Europe/London", "currency": "GBP", "locale": "en-GB"},
        "items": items,
        "scene": {"languages": ["en", "fr"]} if template == "bilingual" else {},
    }


def boards(
    folder: Path,
    templates: Sequence[str],
    themes: Sequence[str] = ("",),
    *,
    layouts: Sequence[tuple[str, Orientation]] = LAYOUTS,
) -> Iterator[tuple[str, Orientation, int, QImage]]:
    """Every board of these templates as it is drawn, in each of the themes, under the name of both."""
    kit = KitScenes(folder)
    for template, theme in itertools.product(templates, themes):
        name = f"{template}-{theme}" if theme else template
        for (_, orientation), count in itertools.product((one for one in layouts if one[0] == template), COUNTS):
            menu = menu_of(count, template)
            style = {"theme": theme} if theme else {}
            kit.menus[f"{name} {count}"] = {**menu, "scene": {**menu["scene"], **style}}
            view = kit.view(template, orientation, f"{name} {count}")
            yield name, orientation, count, next(pages(view, kit.files, []))
    kit.close()


def pages(view: SceneView, files: Mapping[str, Path], notes: list[WidgetUndrawable]) -> Iterator[QImage]:
    """Every page of a board as it is drawn, the first one first; what the player reports of it goes to `notes`."""
    presented, now = list[int](), 0.0

    def hear(event: FramePresented | WidgetUndrawable | WidgetDrawn | OrderFailed | DetailsAsked) -> None:
        match event:
            case FramePresented():
                presented.append(event.serial)
            case WidgetUndrawable():
                notes.append(event)
            case WidgetDrawn(subject=subject, codes=codes):
                notes[:] = [note for note in notes if note.subject != subject or note.code not in codes]

    display = Display(
        mode=WindowMode.OFFSCREEN,
        size=(int(view.scene.width), int(view.scene.height)),
        asset_path=lambda digest: files.get(digest, Path(os.devnull, digest)),
        emit=hear,
        monotonic=lambda: now,
        wall=lambda: NOON,
        on_close=lambda: None,
    )
    display.show(DisplayOrder(serial=1, view=view))
    display.start()
    settle(display, lambda: bool(presented))
    try:
        yield display.grab_image()
        lists = [item for item in descendants(display.view.rootObject()) if item.objectName() in {"menu", "grid"}]
        for _ in range(max((item.property("list").property("pages") for item in lists), default=1) - 1):
            for item in lists:
                item.setProperty("turn", 0)
            now += view.duration_seconds + LATE_SECONDS
            display.stage.tick()
            settle(display, lambda: True)
            yield display.grab_image()
    finally:
        display.close()
        display.deleteLater()
        QCoreApplication.processEvents()


def sheet(rows: Sequence[Sequence[QImage]]) -> QImage:
    """The boards of a template in rows, each as wide as the sheet."""
    width = (SHEET_WIDTH - (len(COUNTS) + 1) * GAP) // len(COUNTS)
    heights = [width * row[0].height() // row[0].width() for row in rows]
    made = QImage(SHEET_WIDTH, sum(heights) + GAP * (len(rows) + 1), QImage.Format.Format_RGB32)
    made.fill(Qt.GlobalColor.gray)
    painter, top = QPainter(made), GAP
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    for row, height in zip(rows, heights, strict=True):
        for column, image in enumerate(row):
            small = image.scaled(
                width, height, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
            painter.drawImage(QRect(GAP + column * (width + GAP), top, width, height), small)
        top += height + GAP
    painter.end()
    return made


def contact_sheet(folder: Path, templates: Sequence[str], themes: Sequence[str]) -> QImage:
    """A row for each template: in its own theme and then in each of these, landscape first."""
    rows: dict[str, list[QImage]] = {template: [] for template in templates}
    for each, theme, orientation in itertools.product(templates, ("", *themes), ("landscape", "portrait")):
        layouts = [one for one in LAYOUTS if one[1] == orientation]
        for *_, image in boards(folder, [each], [theme], layouts=layouts):
            rows[each].append(image.scaledToHeight(CONTACT_HEIGHT, Qt.TransformationMode.SmoothTransformation))
    width = max(sum(image.width() + CONTACT_GAP for image in row) for row in rows.values())
    made = QImage(LABEL_WIDTH + width, len(rows) * (CONTACT_HEIGHT + CONTACT_GAP), QImage.Format.Format_RGB32)
    made.fill(Qt.GlobalColor.white)
    painter = QPainter(made)
    for number, (template, row) in enumerate(rows.items()):
        left, top = LABEL_WIDTH, number * (CONTACT_HEIGHT + CONTACT_GAP)
        painter.drawText(QRect(CONTACT_GAP, top, LABEL_WIDTH, CONTACT_HEIGHT), Qt.AlignmentFlag.AlignVCenter, template)
        for image in row:
            painter.drawImage(left, top, image)
            left += image.width() + CONTACT_GAP
    painter.end()
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--template", action="append", help="only this template; may be repeated")
    parser.add_argument("--theme", action="append", choices=list(Kit().themes), help="in this theme; may be repeated")
    parser.add_argument("--contact", action="store_true", help="all templates and themes on one small picture")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    _application = QGuiApplication(sys.argv[:1])
    templates = options.template or list(dict.fromkeys(template for template, _ in LAYOUTS))
    with tempfile.TemporaryDirectory(prefix="menu-sheets-") as data:
        if options.contact:
            file = options.folder / "contact.jpg"
            contact_sheet(Path(data), templates, options.theme or list(Kit().themes)).save(
                str(file), quality=CONTACT_QUALITY
            )
            print(file)
            return 0
        made = boards(Path(data), templates, options.theme or ("",))
        for template, drawn in itertools.groupby(made, key=lambda board: board[0]):
            rows: dict[str, list[QImage]] = {}
            for _, orientation, count, image in drawn:
                image.save(str(options.folder / f"{template}-{orientation}-{count}.png"))
                rows.setdefault(orientation, []).append(image)
            sheet(list(rows.values())).save(str(options.folder / f"{template}.png"))
            print(options.folder / f"{template}.png", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
