"""Bundled design kit: reads its templates, each with its images, in both orientations, and its themes."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from service.core.json_text import read_json
from service.schema.content.template import Orientation, TemplateResponse, TemplateWidgetResponse
from service.services.scenes.themes import KitTheme

KIT_FOLDER = Path(__file__).parents[2] / "kit"


@dataclass(frozen=True, slots=True)
class Template:
    """A template.

    `widgets` are the contents of the scene. A layout's `places` give each widget its geometry and may override other
    fields; a widget without a place is not in that layout. The entries of `many` change them from a number of items on.
    """

    key: str
    folder: Path
    document: dict[str, Any]

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
        return sorted(known, key=list(self.document["layouts"]).index)

    @property
    def assets(self) -> Mapping[str, Path]:
        """Files of the images, by placeholder (`asset:NAME`)."""
        return {f"asset:{name}": self.folder / file for name, file in self.document.get("assets", {}).items()}

    def scene(self, orientation: Orientation, items: int = 0) -> dict[str, Any]:
        """Builds the scene's document in this layout, for so many items, with placeholders for assets and items."""
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
        return {
            "name": self.document["name"],
            **shared,
            **{key: value for key, value in self.document.items() if key == "languageMode"},
            # Laid out from left to right: for other languages the other way round, unless a film fills the scene.
            "mirrorBoxes": self.document.get("mirrorBoxes", True),
            **{key: value for key, value in layout.items() if key not in {"places", "many"}},
            "widgets": [
                {**widget, **places[widget["id"]], **(fewer if widget["type"] == "menu" else {})}
                for widget in self.document["widgets"]
                if widget["id"] in places
            ],
        }


class Kit:
    """Templates in their listing order; read on first use."""

    def __init__(self, folder: Path = KIT_FOLDER) -> None:
        self._folder = folder

    @cached_property
    def templates(self) -> Mapping[str, Template]:
        """Templates by key."""
        found = (
            Template(key=file.stem, folder=self._folder, document=read_json(file.read_bytes()))
            for file in sorted(self._folder.glob("*.json"))
        )
        return {one.key: one for one in found}

    @cached_property
    def themes(self) -> Mapping[str, KitTheme]:
        """Themes by key."""
        files = sorted((self._folder / "themes").glob("*.json"))
        return {file.stem: KitTheme(key=file.stem, **read_json(file.read_bytes())) for file in files}
