"""The plan of downloads: what is fetched and in which order, what stays, what is deleted, and what does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from menu.documents.box import Box
from menu.documents.manifest import AssetFact, Entry, PlaylistVersion, VersionKey
from menu.documents.scene import (
    Background,
    ClockWidget,
    ImageWidget,
    MenuWidget,
    Scene,
    ShapeKind,
    ShapeWidget,
    Slide,
    SlideshowWidget,
    TextWidget,
    VideoWidget,
    Widget,
)
from player.domain.playing import sync
from player.domain.playing.sync import (
    Delete,
    DropPrevious,
    Fetch,
    Keep,
    Refuse,
    Step,
    lacking_asset,
    plan,
)

PLENTY = 10**12


def image(digest: str) -> ImageWidget:
    return ImageWidget(id=digest, box=Box(x=0, y=0, width=1, height=1), asset=digest)


def version(
    assets: Mapping[str, int], scenes: Mapping[str, Scene] | None = None, *, version: int = 1
) -> PlaylistVersion:
    scenes = scenes or {}
    return PlaylistVersion(
        key=VersionKey(playlist_id="pl_1", version=version),
        name="All day",
        published_at=datetime(2026, 11, 20, tzinfo=UTC),
        entries=tuple(Entry(id=f"e{name}", scene_id=name, duration_seconds=10) for name in scenes),
        scenes=dict(sorted(scenes.items())),
        assets={digest: AssetFact(size=size, media_type="image/png") for digest, size in assets.items()},
    )


def planned(
    *versions: PlaylistVersion,
    whole: Mapping[str, int] | None = None,
    parts: Mapping[str, int] | None = None,
    protected: frozenset[str] = frozenset(),
    spare: frozenset[str] = frozenset(),
    room_bytes: int = PLENTY,
) -> tuple[Step, ...]:
    whole, parts = whole or {}, parts or {}
    return plan(
        versions=versions,
        whole=whole,
        held={**whole, **parts},
        parts=parts,
        protected=protected,
        spare=spare,
        room_bytes=room_bytes,
    )


def test_assets_are_fetched_in_the_order_in_which_they_show() -> None:
    scenes = {
        "b": Scene(id="b", name="", background=Background(asset="back"), widgets=(image("front"), image("logo"))),
        "a": Scene(id="a", name="", widgets=(image("logo"), image("late"))),
    }
    steps = planned(version({"unused": 1, "late": 1, "logo": 1, "front": 1, "back": 1}, scenes))
    assert [step.digest for step in steps if isinstance(step, Fetch)] == ["back", "front", "logo", "late", "unused"]


def test_an_asset_that_the_version_does_not_declare_is_not_fetched() -> None:
    scenes = {"a": Scene(id="a", name="", widgets=(image("stranger"),))}
    assert planned(version({}, scenes)) == ()


def test_whole_assets_stay_and_missing_ones_are_fetched() -> None:
    assert planned(version({"a": 1, "b": 2}), whole={"a": 1}) == (Keep(digest="a"), Fetch(digest="b", size=2))


def test_unused_assets_are_deleted_first() -> None:
    steps = planned(
        version({"new": 5}), whole={"old": 1, "stored": 1}, parts={"half": 1}, protected=frozenset({"stored"})
    )
    assert steps == (Delete(digest="half"), Delete(digest="old"), Fetch(digest="new", size=5))


def test_an_asset_of_two_versions_is_fetched_once() -> None:
    steps = planned(version({"a": 1, "b": 1}), version({"b": 1, "c": 1}, version=2))
    assert [step.digest for step in steps if isinstance(step, Fetch)] == ["a", "b", "c"]


def test_a_whole_asset_of_the_wrong_size_is_not_fetched_again() -> None:
    assert planned(version({"a": 5}), whole={"a": 7}) == (Keep(digest="a"),), "its hash is right"


@pytest.mark.parametrize("more", [0, 1])
def test_a_version_above_its_budget_is_refused(more: int) -> None:
    half = sync.VERSION_BUDGET_BYTES // 2
    steps = planned(version({"a": half, "b": half + more}))
    assert [type(step) for step in steps] == ([Refuse] if more else [Fetch, Fetch])


@pytest.mark.parametrize("more", [0, 1])
def test_a_version_that_does_not_fit_is_refused(more: int) -> None:
    (step,) = planned(version({"a": 1000 + more}), room_bytes=1000)
    assert isinstance(step, Refuse if more else Fetch)


def test_deleted_and_partial_assets_make_room() -> None:
    steps = planned(version({"a": 1000}), whole={"old": 300}, parts={"a": 500}, room_bytes=200)
    assert steps == (Delete(digest="old"), Fetch(digest="a", size=1000))


def test_the_running_version_comes_before_the_staged_one() -> None:
    steps = planned(version({"a": 800}), version({"b": 800}, version=2), room_bytes=1000)
    assert steps[0] == Fetch(digest="a", size=800)
    assert isinstance(steps[1], Refuse)
    assert steps[1].key.version == 2


def test_a_refused_version_keeps_its_assets() -> None:
    steps = planned(version({"a": 1, "b": sync.VERSION_BUDGET_BYTES}), whole={"a": 1})
    assert [type(step) for step in steps] == [Refuse]


def test_the_version_before_makes_room_only_where_that_helps() -> None:
    before = {"whole": {"old": 300, "both": 100}, "protected": frozenset({"old", "both"}), "spare": frozenset({"old"})}
    assert planned(version({"a": 500}), room_bytes=500, **before) == (Fetch(digest="a", size=500),)
    steps = planned(version({"a": 500}), room_bytes=200, **before)
    assert steps == (DropPrevious(), Delete(digest="old"), Fetch(digest="a", size=500))
    (step,) = planned(version({"a": 500}), room_bytes=199, **before)
    assert isinstance(step, Refuse)


def test_an_asset_of_the_version_before_that_the_next_one_uses_stays() -> None:
    old = {"old": 300, "both": 100}
    steps = planned(
        version({"a": 500, "both": 100}), whole=old, protected=frozenset(old), spare=frozenset(old), room_bytes=200
    )
    assert steps == (DropPrevious(), Delete(digest="old"), Fetch(digest="a", size=500), Keep(digest="both"))


names = st.sampled_from("abcdefgh")
sizes = st.dictionaries(names, st.integers(0, 100))


@given(sizes, sizes, sizes, sizes, st.frozensets(names), st.frozensets(names), st.integers(0, 400))
def test_every_plan_is_safe(
    first: dict[str, int],
    second: dict[str, int],
    whole: dict[str, int],
    parts: dict[str, int],
    protected: frozenset[str],
    spare: frozenset[str],
    room: int,
) -> None:
    spare &= protected
    parts = {digest: size for digest, size in parts.items() if digest not in whole}
    steps = planned(
        version(first),
        version(second, version=2),
        whole=whole,
        parts=parts,
        protected=protected,
        spare=spare,
        room_bytes=room,
    )
    dropped = spare if DropPrevious() in steps else frozenset()
    deleted = {step.digest for step in steps if isinstance(step, Delete)}
    fetched = [step.digest for step in steps if isinstance(step, Fetch)]
    assert not deleted & (first.keys() | second.keys() | (protected - dropped))
    assert not set(fetched) & whole.keys()
    assert len(fetched) == len(set(fetched))
    freed = sum({**whole, **parts}[digest] for digest in deleted)
    to_come = sum(max(0, step.size - parts.get(step.digest, 0)) for step in steps if isinstance(step, Fetch))
    assert to_come <= room + freed
    refused = {step.key.version for step in steps if isinstance(step, Refuse)}
    for number, wants in ((1, first), (2, second)):
        if number not in refused:
            assert wants.keys() <= whole.keys() | set(fetched)


BOX = Box(x=0, y=0, width=100, height=50)
FILM = VideoWidget(id="film", box=BOX, asset="film", poster="poster")
SLIDES = SlideshowWidget(id="slides", box=BOX, slides=(Slide(asset="one", seconds=5), Slide(asset="two", seconds=5)))
FRAME = ShapeWidget(id="frame", box=BOX, shape=ShapeKind.RECTANGLE, color="#ffffff")


@pytest.mark.proves("nothing-scene-can")
@pytest.mark.parametrize(
    ("widgets", "missing", "lacking"),
    [
        ([image("logo")], "", None),
        ([image("logo")], "logo", "logo"),
        ([image("logo"), FRAME], "logo", "logo"),
        ([image("logo"), MenuWidget(id="menu", box=BOX)], "logo", None),
        ([image("logo"), TextWidget(id="text", box=BOX, text="Soup")], "logo", None),
        ([image("logo"), ClockWidget(id="clock", box=BOX)], "logo", None),
        ([image("logo"), image("photo")], "logo", None),
        ([image("logo"), image("photo")], "logo photo", "logo"),
        ([FILM], "film", None),
        ([FILM], "poster", None),
        ([FILM], "film poster", "poster"),
        ([SLIDES], "one", None),
        ([SLIDES], "one two", "one"),
        ([SLIDES, FILM], "one two poster", None),
    ],
)
def test_a_scene_is_passed_over_only_when_nothing_of_it_can_be_seen(
    widgets: list[Widget], missing: str, lacking: str | None
) -> None:
    scene = Scene(id="scn", name="Scene", widgets=tuple(widgets))
    assert lacking_asset(scene, missing.split()) == lacking
    with_background = Scene(id="scn", name="Scene", widgets=tuple(widgets), background=Background(asset="wall"))
    assert lacking_asset(with_background, missing.split()) is None, "the background can be seen"
    behind = "wall" if lacking is not None else None
    assert lacking_asset(with_background, [*missing.split(), "wall"]) == behind
