"""Determines which overrides of a board are due, and which replaces the running version; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from menu.documents.manifest import AssetFact, Catalogue, Manifest, Override, VersionKey
from menu.documents.references import scene_assets
from player.domain.playing.playback import Playback, moment_at, play, update
from player.domain.state import OverrideFacts


class Overriding(Struct, frozen=True, kw_only=True):
    """An override and its timeline, which is counted from its start."""

    override: Override
    playback: Playback

    @property
    def key(self) -> VersionKey:
        return self.playback.version.key


class Overrides(Struct, frozen=True, kw_only=True):
    """Overrides for this screen, the last to start at the end. Of those whose time has come, the last one of which
    anything can be shown `shows`; those after it are `due`, and so is it."""

    all: tuple[Overriding, ...] = ()
    shows: Overriding | None = None
    due: tuple[Overriding, ...] = ()

    def at(self, t: datetime | None, now: datetime, *, schedules_trusted: bool) -> Overrides:
        """Returns the overrides at an instant: `t` is the time that has certainly come, None where none is known;
        timelines go by `now`."""
        shows, due = None, []
        held = [one for one in self.all if t is not None and one.override.starts_at <= t < one.override.until]
        for one in reversed(held):
            due.append(one)
            if moment_at(one.playback, now, schedules_trusted=schedules_trusted).entry is not None:
                shows = one
                break
        return replace(self, shows=shows, due=tuple(due))

    def with_missing(self, key: VersionKey, missing: Mapping[str, str | None]) -> Overrides:
        """Applies a check of the assets of the override with this key."""
        return self._updated(lambda one: update(one.playback, missing=missing) if one.key == key else one.playback)

    def as_of(self, t: datetime, *, certain: bool) -> Overrides:
        if not self.all or (newer := self.all[0].playback.catalogue.as_of(t, certain=certain)) is self._catalogue:
            return self
        return self._updated(lambda one: update(one.playback, catalogue=newer))

    def refusing(self, failing: Mapping[VersionKey, frozenset[str]]) -> Overrides:
        """Skips these scenes, which the display cannot show."""
        return self._updated(lambda one: refuse(one.playback, failing.get(one.key, frozenset())))

    def next_change(self, now: datetime) -> datetime | None:
        """Returns when another one may show by itself, by a time that is known."""
        instants = [at for one in self.all for at in (one.override.starts_at, one.override.until)]
        waiting = [one for one in self.due if one is not self.shows]
        found = (one.playback.due_at(now, schedules_trusted=True).until for one in waiting)
        return min((at for at in (*instants, *found) if at is not None and at > now), default=None)

    @property
    def back_at(self) -> datetime | None:
        """Instant at which the first of their items changes by itself."""
        return self._catalogue.back_at if self._catalogue is not None else None

    @property
    def facts(self) -> tuple[OverrideFacts, ...]:
        return tuple(self._facts_of(one) for one in self.all)

    def _facts_of(self, one: Overriding) -> OverrideFacts:
        version, unshowable = one.playback.version, one.playback.unshowable
        waits_for = {version.scenes[entry.scene_id].name: unshowable.get(entry.id) for entry in version.entries}
        return OverrideFacts(
            id=one.override.id,
            name=version.name,
            reason=one.override.reason,
            starts_at=one.override.starts_at,
            until=one.override.until,
            is_due=one in self.due,
            shows=one is self.shows,
            waits_for=tuple((name, why) for name, why in waits_for.items() if why is not None),
        )

    @property
    def _catalogue(self) -> Catalogue | None:
        return self.all[0].playback.catalogue if self.all else None

    def _updated(self, change: Callable[[Overriding], Playback]) -> Overrides:
        changed = {one.key: replace(one, playback=change(one)) for one in self.all}
        if all(changed[one.key].playback is one.playback for one in self.all):
            return self
        return Overrides(
            all=tuple(changed.values()),
            shows=self.shows and changed[self.shows.key],
            due=tuple(changed[one.key] for one in self.due),
        )


NO_OVERRIDES = Overrides()


def overrides_of(manifest: Manifest, screen_id: str | None, *, whole: Iterable[str], before: Overrides) -> Overrides:
    """Returns the overrides of a manifest that are for this screen. `whole` names assets that are on the disk, as far
    as is known; the others are checked first."""
    here = set(whole) | {
        digest for one in before.all for digest in one.playback.version.assets if digest not in one.playback.missing
    }
    meant = [one for one in manifest.overrides if one.screens is None or screen_id in one.screens]
    meant.sort(key=lambda one: one.starts_at)
    told = {one.key: one.playback.missing for one in before.all}
    found = []
    for one in meant:
        version = replace(one.version, assets=_assets_of(one, manifest))
        why = told.get(version.key, {})
        missing = {digest: why.get(digest) for digest in version.assets if digest not in here}
        playback = play(version, location=manifest.location, catalogue=manifest.catalogue, missing=missing)
        found.append(Overriding(override=one, playback=playback))
    return Overrides(all=tuple(found))


def refuse(playback: Playback, failing: frozenset[str]) -> Playback:
    """Marks these scenes (by id), and no others, as unshowable."""
    scenes = {scene.id: replace(scene, refused=scene.id in failing) for scene in playback.version.scenes.values()}
    if scenes == playback.version.scenes:
        return playback
    return update(playback, version=replace(playback.version, scenes=scenes))


def assets_of(manifest: Manifest) -> dict[str, AssetFact]:
    return {digest: fact for one in manifest.overrides for digest, fact in _assets_of(one, manifest).items()}


def _assets_of(override: Override, manifest: Manifest) -> dict[str, AssetFact]:
    """Returns the files of its scenes, then the pictures of items."""
    listed, catalogue = override.version.assets, manifest.catalogue
    pictures = [item.image for item in catalogue.items.values() if item.image]
    pictures += [category.image for category in catalogue.categories.values() if category.image]
    drawn = (digest for scene in override.version.scenes.values() for digest in scene_assets(scene))
    return {digest: listed[digest] for digest in dict.fromkeys((*drawn, *pictures)) if digest in listed}
