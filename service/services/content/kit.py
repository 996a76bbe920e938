"""Owns the design kit as it ships: each template a document, with its pictures beside it, in both orientations."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from service.core.json_text import read_json
from service.schema.template import Orientation, TemplateResponse, TemplateWidgetResponse

KIT_FOLDER = Path(__file__).parents[2] / "kit"


@dataclass(frozen=True, slots=True)
class Template:
    """One template.

    `widgets` say what stands on the board, a layout where: its `places` give each widget its box and may change other
    fields of it; a widget without a place is not in that layout.
    """

    key: str
    folder: Path
    document: dict[str, Any]

    @property
    def view(self) -> TemplateResponse:
        """The template as the API lists it."""
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
        """The layouts that there are, the usual one first."""
        known: tuple[Orientation, ...] = get_args(Orientation)
        return sorted(known, key=list(self.document["layouts"]).index)

    @property
    def assets(self) -> Mapping[str, Path]:
        """The files of its pictures by the name that stands for them (`asset:NAME`)."""
        return {f"asset:{name}": self.folder / file for name, file in self.document.get("assets", {}).items()}

    def scene(self, orientation: Orientation) -> dict[str, Any]:
        """The scene's document in this layout, with names in it that stand for assets and items."""
        layout = self.document["layouts"][orientation]
        places = layout["places"]
        shared = {key: self.document[key] for key in ("background", "theme", "transition")}
        return {
            "name": self.document["name"],
            **shared,
            **{key: value for key, value in layout.items() if key != "places"},
            "widgets": [
                {**widget, **places[widget["id"]]} for widget in self.document["widgets"] if widget["id"] in places
            ],
        }


class Kit:
    """The templates, in the order in which they are offered; read from their files when first asked for."""

    def __init__(self, folder: Path = KIT_FOLDER) -> None:
        self._folder = folder

    @cached_property
    def templates(self) -> Mapping[str, Template]:
        """Every template by its key."""
        found = (
            Template(key=file.stem, folder=self._folder, document=read_json(file.read_bytes()))
            for file in sorted(self._folder.glob("*.json"))
        )
        return {one.key: one for one in found}
