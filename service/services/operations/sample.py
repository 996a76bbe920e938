"""Loads the sample café, in one transaction and through the other services."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError
from sqlalchemy.orm import Session

from service.core.json_text import read_json, write_json
from service.schema.content.item import ItemCreate
from service.schema.content.scene import SceneCreate
from service.schema.content.template import SceneFromTemplate
from service.schema.faults import faults_of
from service.schema.places.location import LocationCreate
from service.schema.publishing.playlist import EntryCreate, PlaylistCreate
from service.schema.publishing.schedule import DaypartCreate, ScheduleCreate, WindowCreate
from service.services.access.access import KeyAuthenticator
from service.services.assets.assets import AssetService
from service.services.assets.bundled import (
    BundledAssets,
    BundledError,
    add_bundled,
    placeholders,
    resolve,
    store_bundled,
)
from service.services.content.items import ItemService
from service.services.places.locations import LocationService
from service.services.publishing.playlists import PlaylistService
from service.services.scenes.scenes import SceneService
from service.services.scenes.templates import TemplateService
from service.storage.database import Database, Unit
from service.storage.tables.menus import SceneRow
from service.storage.tables.workspaces import FactRow

SAMPLE_FOLDER = Path(__file__).parents[2] / "sample"
SAMPLE_FILE = "cafe.json"

_FACT = "sample café"

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class LoadedSample:
    """Ids of the sample; `created` if this call loaded it."""

    ids: dict[str, Any]
    created: bool


@dataclass(frozen=True, slots=True)
class _SampleAssets:
    """Assets of the sample, and those that its scenes use from the kit, by scene key."""

    own: BundledAssets
    kit: dict[str, BundledAssets]


class SampleLoader:
    """Loads the sample into the default workspace, once."""

    def __init__(
        self,
        *,
        database: Database,
        keys: KeyAuthenticator,
        locations: LocationService,
        assets: AssetService,
        items: ItemService,
        scenes: SceneService,
        templates: TemplateService,
        playlists: PlaylistService,
    ) -> None:
        self._database = database
        self._keys = keys
        self._locations = locations
        self._assets = assets
        self._items = items
        self._scenes = scenes
        self._templates = templates
        self._playlists = playlists

    def load(self, folder: Path = SAMPLE_FOLDER) -> LoadedSample:
        """Loads the sample and publishes its playlists. Raises BundledError and the problems of the services."""
        with self._database.read() as session:
            loaded = _find_loaded(session)
        if loaded is not None:
            return loaded
        sample = read_json((folder / SAMPLE_FILE).read_bytes())
        assets = self._store_assets(sample, folder)
        with self._database.write() as unit:
            # Another process may have loaded it meanwhile.
            loaded = _find_loaded(unit.session)
            if loaded is not None:
                return loaded
            ids = self._add_all(unit, sample, assets)
            unit.session.add(FactRow(name=_FACT, value=write_json(ids).decode()))
            return LoadedSample(ids=ids, created=True)

    def _store_assets(self, sample: dict[str, Any], folder: Path) -> _SampleAssets:
        own = store_bundled(
            self._assets, {f"asset:{key}": folder / file for key, file in sample.get("assets", {}).items()}
        )
        assets = {name: stored.id for name, stored in own.items()}
        kit: dict[str, BundledAssets] = {}
        for scene in sample["scenes"]:
            if "template" in scene:
                # Items have no ids yet; the kit's files do not depend on them.
                ids = {name: name for name in placeholders(scene)} | assets
                body = _read(SceneFromTemplate, resolve(scene, ids), f"scene {scene['key']}")
                kit[scene["key"]] = self._templates.store_assets(body, None)
        return _SampleAssets(own, kit)

    def _add_all(self, unit: Unit, sample: dict[str, Any], assets: _SampleAssets) -> dict[str, Any]:
        workspace = self._keys.workspace(unit)

        location = self._locations.add(unit, workspace, _read(LocationCreate, sample["location"], "location"))
        names = add_bundled(self._assets, unit, workspace, assets.own)
        for item in sample["items"]:
            body = _read(ItemCreate, resolve(item, names), f"item {item['key']}")
            names[f"item:{item['key']}"] = self._items.add(unit, workspace, body).id
        scenes: dict[str, str] = {}
        for scene in sample["scenes"]:
            row = self._add_scene(unit, workspace, resolve(scene, names), assets.kit.get(scene["key"], {}))
            for schedule in scene.get("schedules", []):
                self._scenes.add_schedule(unit, row, _read_schedule(schedule, f"scene {scene['key']}"))
            scenes[scene["key"]] = row.id
        playlists = {
            playlist["key"]: self._add_playlist(unit, workspace, playlist, scenes) for playlist in sample["playlists"]
        }
        return {
            "location": location.id,
            "playlists": playlists,
            "scenes": scenes,
            "items": {name.removeprefix("item:"): made for name, made in names.items() if name.startswith("item:")},
        }

    def _add_scene(self, unit: Unit, workspace: str, scene: dict[str, Any], assets: BundledAssets) -> SceneRow:
        subject = f"scene {scene['key']}"
        if "template" in scene:
            return self._templates.add(unit, workspace, _read(SceneFromTemplate, scene, subject), assets)
        return self._scenes.add(unit, workspace, _read(SceneCreate, scene, subject))

    def _add_playlist(self, unit: Unit, workspace: str, playlist: dict[str, Any], scenes: dict[str, str]) -> str:
        subject = f"playlist {playlist['key']}"
        row = self._playlists.add(unit, workspace, _read(PlaylistCreate, playlist, subject))
        for entry in playlist["entries"]:
            body = {**entry, "sceneId": scenes[entry["scene"]]}
            self._playlists.add_entry(unit, row, _read(EntryCreate, body, subject))
        self._playlists.release(unit, row)
        return row.id


def _find_loaded(session: Session) -> LoadedSample | None:
    fact = session.get(FactRow, _FACT)
    return None if fact is None else LoadedSample(ids=read_json(fact.value.encode()), created=False)


def _read(model: type[M], body: dict[str, Any], subject: str) -> M:
    return _checked(lambda: model.model_validate(body), body, subject)


def _read_schedule(body: dict[str, Any], subject: str) -> DaypartCreate | WindowCreate:
    adapter: TypeAdapter[DaypartCreate | WindowCreate] = TypeAdapter(ScheduleCreate)
    return _checked(lambda: adapter.validate_python(body), body, subject)


T = TypeVar("T")


def _checked(read: Callable[[], T], body: object, subject: str) -> T:
    try:
        return read()
    except ValidationError as fault:
        errors = [{**error, "loc": ("body", *error["loc"])} for error in fault.errors()]
        details = "; ".join(f"{one.pointer}: {one.detail}" for one in faults_of(errors, body))
        raise BundledError(f"{subject}: {details}") from None
