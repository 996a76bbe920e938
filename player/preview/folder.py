"""Reads a preview's documents and the images next to them into a Manifest; each fault names file and pointer.

The manifest is read as a board reads it, so that a preview shows and reports what a board would.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec
from msgspec import Struct

from menu.documents.manifest import NO_CURRENCY, Manifest
from menu.documents.manifest_reader import FORMAT, MAX_BODY, ManifestError, read_manifest
from menu.documents.references import font_fields
from menu.sizes import size_text
from player.plain_file import read_plain

ASSETS_FOLDER = "assets"
SHARED = ("words", "values", "categories")
"""Beside the items, as the service answers them."""
HASH_PREFIX = "sha256:"
FONT_ENDINGS = (".ttf", ".otf")
_ENCODER = msgspec.json.Encoder(decimal_format="number")

Document = dict[str, Any]


class Fault(Struct, frozen=True):
    """A part that a preview could not use: the file, the JSON pointer within it (RFC 6901), and the reason."""

    file: Path
    pointer: str
    detail: str

    def __str__(self) -> str:
        """Formats one line for a person: `lunch.json: /widgets/2/text: is missing`."""
        return ": ".join(part for part in (str(self.file), self.pointer, self.detail) if part)


class Preview(Struct, frozen=True, kw_only=True):
    """Files as read. `manifest` None: nothing to show; `paths` are the images by hash."""

    manifest: Manifest | None
    faults: tuple[Fault, ...]
    paths: Mapping[str, Path]
    places: _Places


class UnreadableError(Exception):
    """A document that cannot be read at all; its argument is the Fault."""


def read_preview(document: Path, items: Path | None, *, at: datetime) -> Preview:
    """Read a scene, the items to show, and the images next to them. Raises nothing: see `faults`."""
    reader = _Reader(document.parent)
    places = _Places(document=document, items=items)
    manifest: Manifest | None = None
    try:
        raw = reader.document(document)
        if "scenes" in raw:
            raise UnreadableError(Fault(document, "/scenes", "is of a playlist; a scene is expected"))
        catalogue, location, shared = reader.items(items, places) if items else ([], {}, {})
        places.scene = scene = reader.scene(raw, document)
        body = {
            "format": FORMAT,
            "revision": 0,
            "revisionAt": at.astimezone(UTC),
            "location": {
                "id": "preview",
                "timezone": "UTC",
                "currency": NO_CURRENCY,
                "locale": "en",
                **location,
            },
            "playlist": {
                "id": "preview",
                "version": 1,
                "name": "",
                "publishedAt": "1970-01-01T00:00:00Z",
                "entries": [{"id": "preview", "sceneId": scene["id"], "durationSeconds": 1}],
            },
            "scenes": [scene],
            "items": catalogue,
            **shared,
            "assets": reader.assets(),
            "settings": {},
        }
        manifest = read_manifest(_ENCODER.encode(body))
    except UnreadableError as error:
        reader.faults.append(error.args[0])
    except ManifestError as error:
        reader.faults.append(Fault(document, "", error.detail))
    if manifest is not None:
        found = (places.fault(rejection.pointer, rejection.detail) for rejection in manifest.rejections)
        reader.faults.extend(found)
    return Preview(
        manifest=manifest,
        faults=tuple(dict.fromkeys(reader.faults)),
        paths=reader.paths,
        places=places,
    )


@dataclass(slots=True, kw_only=True)
class _Places:
    """Maps each part of the manifest to the file that it came from."""

    document: Path
    items: Path | None
    items_at: str = ""
    """JSON pointer of the list of items in its file."""
    scene: Document = field(default_factory=dict)

    def fault(self, pointer: str, detail: str) -> Fault:
        """Converts a fault of the manifest to one of the file that it came from."""
        match pointer.split("/")[1:]:
            case ["scenes", _, *rest]:
                return Fault(self.document, _joined(rest), detail)
            case ["items", *rest] if self.items:
                return Fault(self.items, self.items_at + _joined(rest), detail)
            case ["location" | "words" | "values" | "categories", *_] if self.items:
                return Fault(self.items, pointer, detail)
            case _:
                return Fault(self.document, "", detail)

    def part_fault(self, subject: str, detail: str) -> Fault:
        """Returns the fault of a part that the display names `scene/part`."""
        part = subject.partition("/")[2]
        ids = [widget.get("id") for widget in _objects(self.scene.get("widgets"))]
        widget, _, within = part.partition("/")
        pointer = f"/widgets/{ids.index(part)}" if part in ids else f"/{part}"
        if within and part not in ids and widget in ids:
            pointer = f"/widgets/{ids.index(widget)}/{within}"
        return Fault(self.document, pointer, detail)


class _Reader:
    """Reads from one folder, and collects faults and images."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.faults: list[Fault] = []
        self.paths: dict[str, Path] = {}

    def document(self, path: Path) -> Document:
        """Reads a JSON object. Raises UnreadableError."""
        value = self._json(path)
        if not isinstance(value, dict):
            raise UnreadableError(Fault(path, "", "is not a JSON object"))
        return value

    def items(self, path: Path, places: _Places) -> tuple[list[Any], Document, Document]:
        """Returns items, as a list or under `items` or `data`, their location, and the words, values and categories, if
        the file has them."""
        value = self._json(path)
        location = value.get("location") if isinstance(value, dict) else None
        shared = {name: value[name] for name in SHARED if name in value} if isinstance(value, dict) else {}
        listed = shared.get("categories")
        for name, category in listed.items() if isinstance(listed, dict) else ():
            if isinstance(category, dict):
                self._resolve(category, "image", path, f"/categories/{name}/image")
        if isinstance(value, dict):
            key = "data" if "data" in value else "items"
            value, places.items_at = value.get(key), f"/{key}"
        if not isinstance(value, list):
            raise UnreadableError(Fault(path, places.items_at, "is not a list of items"))
        for index, item in enumerate(value):
            if isinstance(item, dict):
                item.setdefault("id", f"item-{index + 1}")
                self._resolve(item, "image", path, f"{places.items_at}/{index}/image")
        return value, location if isinstance(location, dict) else {}, shared

    def assets(self) -> Document:
        """Returns every image that was found or named, as a manifest declares it."""
        return {digest: {"size": 1, "mediaType": ""} for digest in self.paths}

    def _json(self, path: Path) -> Any:
        try:
            body = read_plain(path, MAX_BODY + 1)
        except OSError as error:
            raise UnreadableError(Fault(path, "", error.strerror or "cannot be read")) from None
        if len(body) > MAX_BODY:
            raise UnreadableError(Fault(path, "", f"is larger than {size_text(MAX_BODY)}"))
        try:
            return json.loads(body.decode(), parse_float=Decimal)
        except json.JSONDecodeError as error:
            where = f"line {error.lineno}, column {error.colno}: {error.msg}"
            raise UnreadableError(Fault(path, "", where)) from None
        except UnicodeDecodeError:
            raise UnreadableError(Fault(path, "", "is not text in UTF-8")) from None
        except (ValueError, RecursionError) as error:
            raise UnreadableError(Fault(path, "", f"is not JSON: {error}")) from None

    def scene(self, raw: Document, path: Path) -> Document:
        """Returns the scene, with its images by their hashes."""
        scene = {"id": path.stem, "name": path.stem, **raw}
        self._resolve_fonts(scene.get("theme"), path, "/theme")
        background = scene.get("background")
        if isinstance(background, dict):
            self._resolve(background, "asset", path, "/background/asset")
        for index, widget in enumerate(_objects(scene.get("widgets"))):
            self._resolve_fonts(widget.get("theme"), path, f"/widgets/{index}/theme")
            for name in ("asset", "poster"):
                self._resolve(widget, name, path, f"/widgets/{index}/{name}")
            for number, slide in enumerate(_objects(widget.get("slides"))):
                self._resolve(slide, "asset", path, f"/widgets/{index}/slides/{number}/asset")
        return scene

    def _resolve_fonts(self, theme: object, path: Path, pointer: str) -> None:
        """Replaces the file names of fonts; the names of installed families stay."""
        if not isinstance(theme, dict):
            return
        for name in font_fields():
            written = theme.get(name)
            if isinstance(written, str) and _is_font(written):
                self._resolve(theme, name, path, f"{pointer}/{name}")

    def _resolve(self, holder: Document, name: str, path: Path, pointer: str) -> None:
        """Replaces the file name of an image by its hash; a missing file is reported, and drawn as missing."""
        written = holder.get(name)
        if not isinstance(written, str):
            return
        digest, found = self._asset(written)
        if found is None:
            self.faults.append(Fault(path, pointer, f"{written}: no such file here or in {ASSETS_FOLDER}/"))
        self.paths[digest] = found or self._folder / ASSETS_FOLDER / digest
        holder[name] = HASH_PREFIX + digest

    def _asset(self, written: str) -> tuple[str, Path | None]:
        """Returns the hash of an image, and its file; one that is named by its hash has that as its file name."""
        by_hash = written.removeprefix(HASH_PREFIX).lower()
        file = self._named(by_hash if written.startswith(HASH_PREFIX) else written)
        try:
            if file is not None:
                with file.open("rb") as opened:
                    return hashlib.file_digest(opened, "sha256").hexdigest(), file
        except OSError:
            pass
        is_hash = len(by_hash) == 64 and by_hash.isalnum()
        return by_hash if is_hash else hashlib.sha256(written.encode("utf-8", "replace")).hexdigest(), None

    def _named(self, name: str) -> Path | None:
        """Returns the file of this name in this folder or in its assets folder; never outside them."""
        parts = PurePosixPath(name).parts
        if not parts or ".." in parts or name.startswith("/") or "\0" in name:
            return None
        files = (folder.joinpath(*parts) for folder in (self._folder, self._folder / ASSETS_FOLDER))
        return next((file for file in files if file.is_file()), None)


def _is_font(family: str) -> bool:
    return family.startswith(HASH_PREFIX) or family.lower().endswith(FONT_ENDINGS)


def _objects(value: object) -> list[Document]:
    """Returns the members of a list; those that are not objects are replaced by empty ones."""
    return [part if isinstance(part, dict) else {} for part in value] if isinstance(value, list) else []


def _joined(parts: list[str]) -> str:
    return "".join(f"/{part}" for part in parts)
