"""The design kit as players get it: each template with a menu that suits it (tests/data/kit_menus.json)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from menu.documents.manifest_reader import read_manifest
from player.domain.playing.playback import play, view_of
from player.domain.view import SceneView
from service.core.clock import SystemClock
from service.core.json_text import read_json
from service.schema.content.item import ItemCreate
from service.schema.content.template import Orientation, SceneFromTemplate
from service.schema.content.translation import WordsPatch
from service.schema.places.location import LocationCreate
from service.schema.publishing.playlist import EntryCreate, PlaylistCreate
from service.schema.workspace.workspace import WorkspaceCreate
from service.services.assets.bundled import add_bundled, store_bundled
from service.services.publishing.composition import ManifestKey
from service.services.registry import Services
from service.services.scenes.kit import KIT_FOLDER, Kit
from service.settings import Settings
from tests.player.display.scenes import NOON

MENUS = Path(__file__).parents[3] / "data" / "kit_menus.json"
LAYOUTS = [(key, orientation) for key, template in Kit().templates.items() for orientation in template.orientations]
ARABIC = "arabic"
"""The menu of boards that are mirrored."""
MIRRORED: list[tuple[str, Orientation]] = [
    ("breakfast", "landscape"),
    ("canteen", "landscape"),
    ("cards", "portrait"),
    ("happy-hour", "landscape"),
    ("pizza-sizes", "landscape"),
]


class KitScenes:
    """Scenes by template and orientation; `files` are their assets by hash, `pages` what the service says of each."""

    def __init__(self, folder: Path) -> None:
        self._services = Services(Settings(data=folder), clock=SystemClock())
        self.menus: dict[str, Any] = read_json(MENUS.read_bytes())
        self._made: dict[tuple[str, Orientation, str], SceneView] = {}
        self.files: dict[str, Path] = {}
        self.pages: dict[str, int] = {}

    def close(self) -> None:
        """Close the service's database."""
        self._services.database.close()

    def view(self, template: str, orientation: Orientation, menu: str = "") -> SceneView:
        """The template's scene with its own menu or with this one, in a workspace of its own."""
        key = template, orientation, menu or template
        if key not in self._made:
            self._made[key] = self._make(*key)
        return self._made[key]

    def _make(self, template: str, orientation: Orientation, name: str) -> SceneView:
        services, menu = self._services, self.menus[name]
        workspace = services.workspaces.create(WorkspaceCreate(name=f"{template} {orientation} {name}")).id
        services.words.change(workspace, WordsPatch(words=menu.get("words", {})))
        body = SceneFromTemplate.model_validate(
            {"template": template, "orientation": orientation, **menu.get("scene", {})}
        )
        images = {item["image"]: KIT_FOLDER / item["image"] for item in menu["items"] if "image" in item}
        pictures = store_bundled(services.assets, images)
        with services.database.write() as unit:
            location = services.locations.add(unit, workspace, LocationCreate.model_validate(menu["location"]))
            names = add_bundled(services.assets, unit, workspace, pictures)
            made: dict[str, str] = {}
            # The parts of combos first, which name them.
            for item in sorted(menu["items"], key=lambda item: "parts" in item):
                parts = [
                    part | {"anyOf": [{"itemId": made[name]} for name in part["anyOf"]]}
                    for part in item.get("parts", ())
                ]
                picture = {"image": names[item["image"]]} if "image" in item else {}
                body_of_item = ItemCreate.model_validate(item | picture | {"parts": parts})
                made[item["name"]] = services.items.add(unit, workspace, body_of_item).id
        shelf = services.templates.store_assets(body, workspace)
        with services.database.write() as unit:
            scene = services.templates.add(unit, workspace, body, shelf)
            playlist = services.playlists.add(unit, workspace, PlaylistCreate(name="Golden"))
            entry = EntryCreate.model_validate({"sceneId": scene.id, "durationSeconds": 30})
            services.playlists.add_entry(unit, playlist, entry)
            services.playlists.release(unit, playlist)
            self.pages[scene.id] = services.scenes.view(unit, scene).pages or 0
        board = ManifestKey(workspace, playlist.id, location.id)
        manifest = read_manifest(services.manifests.compose(board, now=NOON).body)
        version = manifest.version
        assert version is not None
        assert manifest.rejections == ()
        self.files |= {digest: services.store.path(digest) for digest in version.assets}
        playback = play(version, location=manifest.location, catalogue=manifest.catalogue, missing={})
        [entry_shown] = version.entries
        return view_of(playback, entry_shown, started_at=NOON, counted_from=NOON)
