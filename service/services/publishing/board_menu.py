"""Items of a workspace's boards, now and after planned changes: each encoded once for each set of languages, and again
for each place at which it differs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

import msgspec
from sqlalchemy.orm import Session

from service.core.clock import instant_text
from service.services.assets.assets import digest_in, find_assets
from service.services.content.categories import categories_of
from service.services.content.combos import parts_named
from service.services.content.words import words_row
from service.services.places.local_items import LocalItems, is_hidden, item_at
from service.services.places.planned_values import PlannedValues, There
from service.services.publishing.menu_items import Selected, bare_language, item_document, selected_items
from service.services.publishing.versions import AssetFacts, ItemSelection, PlaylistVersion
from service.storage.tables.menus import ItemRow

NOWHERE = There((), (), (), (), local=LocalItems(), told=LocalItems(), to_come=(), changed=())
"""Items as they are everywhere."""

_encoder = msgspec.json.Encoder(decimal_format="number")


@dataclass(frozen=True, slots=True)
class Section:
    """Fields of a manifest that boards have in common."""

    fields: bytes
    selected: Selected
    items: frozenset[str] = frozenset()
    changes: tuple[datetime, ...] = ()
    languages: frozenset[str] = frozenset()


class Menu:
    """Items of some selections, each encoded once for each set of languages, and again for each place at which it
    differs."""

    def __init__(
        self,
        session: Session,
        workspace: str,
        selections: Iterable[ItemSelection],
        *,
        places: Mapping[str, Sequence[str]] = MappingProxyType({}),
        now: datetime,
    ) -> None:
        """Reads the items, and what they have at the places of each of these locations."""
        selections = list(selections)
        self._now = now
        self._rows = selected_items(session, workspace, selections)
        self._items = {row.id: row for row in self._rows}
        some = None if any(selection.everything for selection in selections) else list(self._items)
        local = LocalItems(session, (place for there in places.values() for place in there), some)
        self._planned = PlannedValues(session, workspace, places, some)
        self._there = {location: self._planned.there(location, local, self._items, now=now) for location in places}
        self._words = words_row(session, workspace)
        self._categories = categories_of(self._words)
        self._pictures = {digest_in(one["image"]) for one in self._categories.values() if "image" in one}
        """Pictures of categories."""
        images = sorted({row.image for row in self._rows if row.image is not None} | self._pictures)
        self._images = {
            row.digest: AssetFacts(size=row.size, media_type=row.media_type)
            for row in find_assets(session, workspace, images).values()
        }
        self._encoded: dict[tuple[str, frozenset[str], tuple[int, ...], datetime | None, bool], bytes] = {}

    def there(self, location: str) -> There:
        return self._there[location]

    def playlist(
        self,
        head: Mapping[str, Any],
        versions: Sequence[PlaylistVersion],
        languages: frozenset[str],
        there: There = NOWHERE,
        *,
        translated: bool = True,
    ) -> Section:
        """Returns the playlist with its scenes, and the items, words and assets of these versions."""
        selected, words = Selected.by(version.item_selection for version in versions), self._words
        named = selected.among(self._rows)
        rows = self._shown(named, there)
        told_in = languages if translated else frozenset[str]()
        to_come = {one.item for _, one in there.to_come}
        pictured = [*rows, *(row for row in named if row.id in to_come)]
        images = sorted(({row.image for row in pictured if row.image} | self._pictures) & self._images.keys())
        frozen = {digest: facts for version in versions for digest, facts in version.assets.items()}
        assets = frozen | {digest: self._images[digest] for digest in images}
        document = {
            **head,
            "items": [msgspec.Raw(self._item(row, told_in, there)) for row in rows],
            **({"words": _told_in(words.words, languages)} if words is not None and words.words else {}),
            **({"categories": self._categories} if self._categories else {}),
            "assets": assets,
        }
        return Section(
            fields=fields_of(document),
            selected=selected,
            items=frozenset(row.id for row in named),
            changes=(*self._changes(named, there), *(() if words is None else (words.changed_at,))),
            languages=told_in,
        )

    def others(
        self,
        selected: Selected,
        known: frozenset[str],
        versions: Mapping[str, list[int]],
        languages: frozenset[str],
        there: There,
    ) -> Section:
        """Returns the items that are not `known`, and the versions for which both lists together are complete."""
        passed = 0
        documents: list[msgspec.Raw] = []
        named = selected.among(self._rows)
        for row in self._shown(named, there):
            if row.id in known:
                passed += 1
            else:
                item = self._item(row, languages, there)
                documents.append(msgspec.Raw(b'%b,"position":%d}' % (item[:-1], passed)))
        others = [row for row in named if row.id not in known]
        return Section(
            fields=fields_of({"otherItems": documents, "otherVersions": versions}),
            selected=selected,
            items=frozenset(row.id for row in others),
            changes=tuple(self._changes(others, there)),
            languages=languages,
        )

    def planned(self, location: str, playlist: Section, others: Section) -> list[dict[str, Any]]:
        """Returns the items that planned changes alter, with their state from each instant on, the earliest first.
        Items of other versions only have no picture: it is not among the assets."""
        there, languages = self._there[location], playlist.languages | others.languages
        found: list[dict[str, Any]] = []
        if not there.to_come:
            return found
        named = [row for row in self._rows if row.id in playlist.items or row.id in others.items]
        before = {row.id for row in self._shown(named, there)}
        before_each, passed = dict[str, int](), 0
        for row in named:
            before_each[row.id] = passed
            passed += row.id in playlist.items and row.id in before
        for at in sorted({at for at, _ in there.to_come}):
            touched = {one.item for instant, one in there.to_come if instant == at}
            rows = [row for row in named if not touched.isdisjoint({row.id, *parts_named([row])})]
            then = self._planned.as_of(there, location, self._items, at)
            listed = self._shown(rows, then)
            encoded = (self._item(row, languages, then, at=at, pictured=row.id in playlist.items) for row in listed)
            placed = (
                one if row.id in before else b'%b,"position":%d}' % (one[:-1], before_each[row.id])
                for row, one in zip(listed, encoded, strict=True)
            )
            items = list(map(msgspec.Raw, placed))
            hidden = [row.id for row in rows if row not in listed]
            if rows:
                found.append({"at": instant_text(at), "items": items, **({"hidden": hidden} if hidden else {})})
        return found

    def _shown(self, rows: list[ItemRow], there: There) -> list[ItemRow]:
        """Returns the items that are not hidden at the location."""
        return [row for row in rows if not is_hidden(there.local.of(row.id, there.places))] if there.places else rows

    def _changes(self, rows: Iterable[ItemRow], there: There) -> Iterator[datetime]:
        names = {row.id for row in rows}
        yield from (at for item, at in there.changed if item in names)
        for row in rows:
            yield row.changed_at
            yield from (local.changed_at for local in there.local.of(row.id, there.places))

    def _item(
        self,
        row: ItemRow,
        languages: frozenset[str],
        there: There,
        *,
        at: datetime | None = None,
        pictured: bool = True,
    ) -> bytes:
        local_items, places, now = there.local, there.places, at or self._now
        made_of = [row, *(self._items[part] for part in parts_named([row]) if part in self._items)] if places else []
        local = tuple(sorted(one.number for part in made_of for one in local_items.of(part.id, places)))
        name = (row.id, languages if row.translations else frozenset[str](), local, at, pictured)
        known = self._encoded.get(name)
        if known is None:
            here, items = row, self._items
            if local:
                here = item_at(row, local_items.of(row.id, places), now=now)
                items = {part.id: part for part in local_items.items_at(made_of[1:], places, now=now)}
            document = item_document(here, items, now=now, languages=languages)
            if not pictured:
                document.pop("image", None)
            known = self._encoded[name] = _encoder.encode(document)
        return known


def _told_in(words: Mapping[str, Mapping[str, str]], languages: frozenset[str]) -> dict[str, dict[str, str]]:
    told = {
        word: {language: text for language, text in texts.items() if bare_language(language) in languages}
        for word, texts in words.items()
    }
    return {word: texts for word, texts in told.items() if texts}


def fields_of(document: Mapping[str, Any]) -> bytes:
    """Encodes the document as JSON without the braces around it."""
    return _encoder.encode(document)[1:-1]
