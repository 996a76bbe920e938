"""Bundled design kit: reads its templates in both orientations, pictures of trades, words and themes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from menu.text.wording import FALLBACK_LOCALE
from service.core.json_text import read_json
from service.schema.content.template import Orientation, TemplateResponse, TemplateWidgetResponse
from service.services.scenes.room import area_of, placed, safe_area, without
from service.services.scenes.themes import KitTheme
from service.services.scenes.trades import TradeWords

KIT_FOLDER = Path(__file__).parents[2] / "kit"
ASSET = "asset:"
"""Begins the placeholders of bundled files."""
PICTURE, WITH = "picture", "with"
"""The id of the widget of the picture, and the field of a shape that is there for another widget alone."""
NO_PICTURE, OWN_PICTURE = "none", ""
_CONTENTS = {"text": "text", "ticker": "text", "qr": "data", "image": "asset"}
"""Fields without which widgets of these types show nothing."""
_NOTHING: Mapping[str, Mapping[str, Any] | None] = {}


@dataclass(frozen=True, slots=True)
class Template:
    """A template.

    `widgets` are the contents of the scene. A layout's `places` give each widget its geometry and may override other
    fields; a widget without a place is not in that layout. The entries of `many` change them from a number of items on.
    """

    key: str
    folder: Path
    document: dict[str, Any]
    texts: Mapping[str, Mapping[str, str]]
    """Its words in other languages than English."""

    @property
    def view(self) -> TemplateResponse:
        return TemplateResponse(
            template=self.key,
            name=self.document["name"],
            description=self.document["description"],
            orientations=self.orientations,
            places=[
                TemplateWidgetResponse(
                    id=widget["id"], type=widget["type"], text=widget.get("text", widget.get("title"))
                )
                for widget in self.document["widgets"]
            ],
        )

    @property
    def orientations(self) -> list[Orientation]:
        """Orientations that have a layout, the default first."""
        known: tuple[Orientation, ...] = get_args(Orientation)
        return sorted(set(known) & set(self.document["layouts"]), key=list(self.document["layouts"]).index)

    @property
    def assets(self) -> Mapping[str, Path]:
        """Files of its own images and films, by placeholder (`asset:NAME`)."""
        return {f"{ASSET}{name}": self.folder / file for name, file in self.document.get("assets", {}).items()}

    @property
    def picture(self) -> str | None:
        """The trade whose picture it has while there is no menu."""
        return self.document.get("picture")

    def scene(
        self,
        orientation: Orientation,
        items: int = 0,
        *,
        picture: str | None = OWN_PICTURE,
        language: str = FALLBACK_LOCALE,
        shop: str = "",
        given: Mapping[str, Mapping[str, Any] | None] = _NOTHING,
    ) -> dict[str, Any]:
        """Builds the scene's document in this layout, for so many items, with placeholders for assets and items.

        It has the `picture` of a trade, and its words in the `language`; in one without them it is headed by the name
        of the shop. Widgets that are null in `given`, and those whose content neither the template nor `given` has,
        are left out, and those beside them take their room."""
        layout = self.document["layouts"][orientation]
        changed = [many["places"] for many in layout.get("many", ()) if items >= many["from"]][-1:]
        places = {
            place: {**fields, **more}
            for place, fields in layout["places"].items()
            if (more := dict(*changed).get(place, {})) is not None
        }
        # Without descriptions, names and prices are larger, on fewer pages.
        fewer = {"showDescriptions": False} if items >= 40 else {}
        shared = {key: self.document[key] for key in ("background", "theme", "transition")}
        scene = {
            "name": self.document["name"],
            **shared,
            **{key: value for key, value in self.document.items() if key == "languageMode"},
            # Laid out from left to right: for other languages the other way round, unless a film fills the scene.
            "mirrorBoxes": self.document.get("mirrorBoxes", True),
            **{key: value for key, value in layout.items() if key not in {"places", "many"}},
        }
        named = self.picture if picture == OWN_PICTURE else picture
        widgets = [
            {**widget, **places[widget["id"]], **(fewer if widget["type"] == "menu" else {})}
            for widget in self.document["widgets"]
            if widget["id"] in places
        ]
        filled = [
            _with_picture(_worded(one, self.texts.get(one.get("text", ""), {}), language, shop), named, scene, given)
            for one in widgets
        ]
        gone = [one["id"] for one in filled if _is_left_out(one, given)]
        whole = without({**scene, "widgets": filled}, gone)
        return {**whole, "widgets": [{k: v for k, v in one.items() if k != WITH} for one in whole["widgets"]]}


def _worded(widget: dict[str, Any], words: Mapping[str, str], language: str, shop: str) -> dict[str, Any]:
    """Returns the widget with its text in the language; without a text where there are no words in it."""
    if "text" not in widget or language == FALLBACK_LOCALE:
        return widget
    text = words.get(language, shop if widget.get("role") == "title" else "")
    return {**widget, "text": text} if text else {key: value for key, value in widget.items() if key != "text"}


def _with_picture(
    widget: dict[str, Any], name: str | None, scene: Mapping[str, Any], given: Mapping[str, Mapping[str, Any] | None]
) -> dict[str, Any]:
    """Returns the widget with the picture of a trade, whole within the safe area; one that the call gives has all of
    the place."""
    if widget["id"] != PICTURE or name is None or "asset" in (given.get(PICTURE) or {}):
        return widget
    area = area_of(widget).within(safe_area(scene, widget["x"]))
    return {**widget, **placed(area), "asset": f"{ASSET}{name}", "fit": "contain"}


def _is_left_out(widget: Mapping[str, Any], given: Mapping[str, Mapping[str, Any] | None]) -> bool:
    """Returns whether the call leaves the widget out, or nothing fills it."""
    fields = given.get(widget["id"], {})
    return fields is None or (not fields and _CONTENTS.get(widget["type"], "type") not in widget)


class Kit:
    """Templates in their listing order; read on first use."""

    def __init__(self, folder: Path = KIT_FOLDER) -> None:
        self._folder = folder

    @cached_property
    def templates(self) -> Mapping[str, Template]:
        """Templates by key."""
        texts = read_json((self._folder / "texts" / "texts.json").read_bytes())
        found = (
            Template(key=file.stem, folder=self._folder, document=read_json(file.read_bytes()), texts=texts)
            for file in sorted(self._folder.glob("*.json"))
        )
        return {one.key: one for one in found}

    @cached_property
    def pictures(self) -> Mapping[str, Path]:
        """Files of the pictures of trades, by placeholder."""
        return {f"{ASSET}{file.stem}": file for file in sorted((self._folder / "pictures").glob("*.webp"))}

    @cached_property
    def trades(self) -> TradeWords:
        """Words of categories by trade and language."""
        words: TradeWords = read_json((self._folder / "pictures" / "trades.json").read_bytes())
        return words

    @cached_property
    def themes(self) -> Mapping[str, KitTheme]:
        """Themes by key."""
        files = sorted((self._folder / "themes").glob("*.json"))
        return {file.stem: KitTheme(key=file.stem, **read_json(file.read_bytes())) for file in files}
