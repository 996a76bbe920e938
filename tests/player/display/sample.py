"""The sample café as the player would get it: read by the player's own reader, its lists filled in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

from player.domain.menu import listing
from player.domain.picture import ScenePicture
from player.domain.program import AssetFact, Catalogue, Item, Location, Modifier
from player.domain.scene import MenuWidget
from player.domain.scene_document import read_scene
from player.domain.wire import Faults, Fields
from player.domain.wording import locality_of
from tests.player.display.boards import NOON, showing

FOLDER = Path(__file__).parents[3] / "service" / "sample"


class SampleCafe:
    """`pictures` are its scenes in the order of its playlists; `files` its pictures by hash."""

    def __init__(self) -> None:
        self.document: dict[str, Any] = json.loads((FOLDER / "cafe.json").read_text(), parse_float=Decimal)
        self.faults = Faults()
        self._names = {}
        self.files: dict[str, Path] = {}
        for name, file in self.document["assets"].items():
            digest = sha256((FOLDER / file).read_bytes()).hexdigest()
            self.files[digest] = FOLDER / file
            self._names[f"asset:{name}"] = f"sha256:{digest}"
        self.location = Location(id="loc_1", **self.document["location"])
        self.catalogue = Catalogue(revision=1, revision_at=NOON, items={item.id: item for item in self._items()})

    def asset_path(self, digest: str) -> Path:
        return self.files.get(digest, Path("/nowhere"))

    def pictures(self) -> list[ScenePicture]:
        scenes = {scene["key"]: scene for scene in self.document["scenes"]}
        return [
            self._picture(scenes[entry["scene"]])
            for playlist in self.document["playlists"]
            for entry in playlist["entries"]
        ]

    def _items(self) -> Iterator[Item]:
        for item in self.document["items"]:
            yield Item(
                id=item["key"],
                name=item["name"],
                category=item["category"],
                price=item["price"],
                modifiers=tuple(
                    Modifier(name=m["name"], price_delta=m["priceDelta"]) for m in item.get("modifiers", ())
                ),
                description=item.get("description"),
                tags=tuple(item.get("tags", ())),
                sort_index=item["sortIndex"],
            )

    def _picture(self, document: dict[str, Any]) -> ScenePicture:
        assets = {digest: AssetFact(size=1, media_type="image/jpeg") for digest in self.files}
        raw = Fields(self._resolved(document), subject=document["key"], faults=self.faults)
        scene = read_scene(raw, assets=assets, faults=self.faults)
        menus = {
            widget.id: listing(widget, self.catalogue, location=self.location)
            for widget in scene.widgets
            if isinstance(widget, MenuWidget)
        }
        return showing(scene, menus, entry=scene.id, locality=locality_of(self.location))

    def _resolved(self, value: Any) -> Any:
        match value:
            case dict():
                return {key: self._resolved(part) for key, part in value.items()}
            case list():
                return [self._resolved(part) for part in value]
            case str():
                return self._names.get(value, value)
            case _:
                return value
