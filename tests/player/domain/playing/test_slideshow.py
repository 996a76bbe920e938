"""Slideshows: which slide shows when, on every screen alike, and what a slide costs that cannot be shown."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from menu.documents.box import Box
from menu.documents.manifest import AssetFact, Catalogue, Entry, Location, PlaylistVersion, VersionKey
from menu.documents.references import scene_assets
from menu.documents.scene import (
    MAX_FADE_MILLISECONDS,
    MAX_SLIDE_SECONDS,
    MAX_SLIDES,
    Fit,
    Scene,
    Slide,
    SlideshowWidget,
)
from menu.documents.scene_reader import read_scene
from menu.documents.tolerant import Fields, RejectionLog
from menu.rules.timeline import Timeline
from player.domain.playing.playback import Playback, corrected, joining, moment_at, play, unshowable_entries, view_at
from player.domain.playing.slideshow import slide_at
from player.domain.view import SceneView
from tests.menu.documents.sample_documents import read, whole

CUP, TART, FILM, UNDECLARED = "1" * 64, "2" * 64, "3" * 64, "0" * 64
ASSETS = {
    CUP: AssetFact(size=1, media_type="image/png"),
    TART: AssetFact(size=1, media_type="image/png"),
    FILM: AssetFact(size=1, media_type="video/mp4"),
}
BOX = Box(x=0, y=0, width=100, height=50)
WIDGET = {"id": "zone", "type": "slideshow", "x": 0, "y": 0, "width": 100, "height": 50}
BEGIN = datetime(2026, 11, 20, 8, tzinfo=UTC)


def slide(asset: str = CUP, seconds: int = 5, **more: Any) -> dict[str, Any]:
    return {"asset": f"sha256:{asset}", "durationSeconds": seconds, **more}


def read_widget(**fields: Any) -> tuple[Scene, list[tuple[str, str, str]]]:
    rejections = RejectionLog()
    document = {"widgets": [{**WIDGET, "slides": [slide()], **fields}]}
    found = read_scene(Fields(document, subject="scn_1", rejections=rejections, assets=ASSETS))
    return found, [(found.code, found.subject, found.pointer) for found in rejections.recorded()]


def slideshow(*seconds: int) -> SlideshowWidget:
    return SlideshowWidget(id="zone", box=BOX, slides=tuple(Slide(asset=CUP, seconds=each) for each in seconds))


def shown(widget: SlideshowWidget, seconds: float, broken: Collection[int] = ()) -> int | None:
    return slide_at(
        widget,
        BEGIN + timedelta(seconds=seconds),
        counted_from=BEGIN,
        showable=lambda number: number not in broken,
    )


class TestDocument:
    def test_a_slideshow_without_options_has_the_defaults(self) -> None:
        found, faults = read_widget(slides=[slide(), slide(FILM, 9, fit="contain")])

        slides = (Slide(asset=CUP, seconds=5), Slide(asset=FILM, seconds=9, fit=Fit.CONTAIN))
        assert found.widgets == (SlideshowWidget(id="zone", box=BOX, slides=slides, fade_milliseconds=500),)
        assert faults == []

    @pytest.mark.parametrize(
        ("bad", "code", "pointer"),
        [
            (slide(UNDECLARED), "asset_undeclared", "/widgets/0/slides/1/asset"),
            ({"asset": "../film.mp4", "durationSeconds": 5}, "asset_bad", "/widgets/0/slides/1/asset"),
            ({"durationSeconds": 5}, "slide_bad", "/widgets/0/slides/1"),
            (slide(seconds=2), "slide_bad", "/widgets/0/slides/1/durationSeconds"),
            (slide(seconds=MAX_SLIDE_SECONDS + 1), "slide_bad", "/widgets/0/slides/1/durationSeconds"),
            ({**slide(), "durationSeconds": 4.5}, "slide_bad", "/widgets/0/slides/1/durationSeconds"),
            ("cup.png", "slide_bad", "/widgets/0/slides/1"),
        ],
    )
    def test_a_bad_slide_costs_only_itself(self, bad: object, code: str, pointer: str) -> None:
        found, faults = read_widget(slides=[slide(), bad, slide(TART)])

        [widget] = found.widgets
        assert isinstance(widget, SlideshowWidget)
        assert [each.asset for each in widget.slides] == [CUP, TART]
        assert faults == [(code, "scn_1/zone/slides[1]", pointer)]

    @pytest.mark.parametrize("slides", [None, [], {}, "cup.png", [slide(UNDECLARED)]])
    def test_a_slideshow_without_a_slide_is_left_out(self, slides: object) -> None:
        found, faults = read_widget(slides=slides)

        assert found.widgets == ()
        assert ("widget_bad", "scn_1/zone") in [fault[:2] for fault in faults]

    def test_it_is_read_up_to_its_bounds(self) -> None:
        found, faults = read_widget(
            slides=[slide(seconds=MAX_SLIDE_SECONDS)] * MAX_SLIDES, fadeMilliseconds=MAX_FADE_MILLISECONDS
        )
        assert faults == []

        found, faults = read_widget(slides=[slide()] * (MAX_SLIDES + 1), fadeMilliseconds=MAX_FADE_MILLISECONDS + 1)
        [widget] = found.widgets
        assert isinstance(widget, SlideshowWidget)
        assert (len(widget.slides), widget.fade_milliseconds) == (MAX_SLIDES, 500)
        assert [fault[0] for fault in faults] == ["too_many", "field_bad"]

    def test_its_assets_are_downloaded_in_order(self) -> None:
        assert scene_assets(read_widget(slides=[slide(FILM), slide(CUP), slide(FILM)])[0]) == (FILM, CUP, FILM)

    def test_one_asset_that_is_missing_does_not_cost_the_scene(self) -> None:
        document = whole()
        first, second = document["assets"]
        document["scenes"][0]["background"] = {"color": "#000000"}
        document["scenes"][0]["widgets"] = [{**WIDGET, "slides": [slide(first), slide(second)]}]
        manifest = read(document)
        assert manifest.rejections == ()
        assert manifest.version is not None

        def lacking(*assets: str) -> list[str]:
            missing = dict.fromkeys(assets, "not found")
            return sorted(unshowable_entries(manifest.version, manifest.catalogue, missing))  # type: ignore[arg-type]

        assert lacking(first) == lacking(second) == []
        assert lacking(first, second) == ["ent_1"]


class TestTurns:
    def test_slides_follow_each_other_for_their_time_again_and_again(self) -> None:
        widget = slideshow(5, 3, 4)

        assert [shown(widget, second) for second in range(24)] == [0] * 5 + [1] * 3 + [2] * 4 + [0] * 5 + [1] * 3 + [
            2
        ] * 4
        assert [shown(widget, second) for second in (-0.1, 4.999, 5, 12 * 10**6 + 7.5)] == [2, 0, 1, 1]

    @pytest.mark.parametrize(
        ("broken", "turns"),
        [
            ((1,), [0] * 5 + [2] * 7),
            ((2,), [0] * 5 + [1] * 3 + [0] * 4),
            ((0, 2), [1] * 12),
            ((0, 1, 2), [None] * 12),
        ],
    )
    def test_one_that_cannot_be_shown_keeps_its_time_and_the_next_takes_it(
        self, broken: tuple[int, ...], turns: list[int | None]
    ) -> None:
        assert [shown(slideshow(5, 3, 4), second, broken) for second in range(12)] == turns


def version(*seconds: int) -> PlaylistVersion:
    scenes = {f"scn_{at}": Scene(id=f"scn_{at}", name="") for at in range(len(seconds))}
    entries = tuple(
        Entry(id=f"ent_{at}", scene_id=f"scn_{at}", duration_seconds=each) for at, each in enumerate(seconds)
    )
    return PlaylistVersion(
        key=VersionKey(playlist_id="pl", version=1),
        name="",
        published_at=BEGIN,
        entries=entries,
        scenes=scenes,
        assets={},
    )


def playing(*seconds: int) -> Playback:
    location = Location(id="loc", name="", timezone="UTC", currency="EUR", locale="en")
    catalogue = Catalogue(revision=1, revision_at=BEGIN)
    return play(version(*seconds), location=location, catalogue=catalogue, missing={})


def passed(playback: Playback, second: float) -> tuple[str, float]:
    """The view, and the positions of its slideshows."""
    at = BEGIN + timedelta(seconds=second)
    view = view_at(playback, at, schedules_trusted=True)
    assert isinstance(view, SceneView)
    assert view.counted_from is not None
    return view.entry_id, (at - view.counted_from).total_seconds()


class TestPosition:
    """From where slideshows are counted: their time goes on only while their scene shows."""

    def test_it_stands_still_while_other_scenes_show(self) -> None:
        line = Timeline(version(10, 20), BEGIN, ZoneInfo("UTC"))

        def passed(second: float) -> float:
            moment = line.at(BEGIN + timedelta(seconds=second))
            return (moment.at - moment.counted_from).total_seconds()

        assert [passed(at) for at in (0, 9, 30, 39, 60)] == [0, 9, 10, 19, 20]
        assert [passed(at) for at in (10, 29, 40, 59, 70)] == [0, 19, 20, 39, 40]

    def test_of_a_scene_that_is_alone_it_never_stops(self) -> None:
        line = Timeline(version(10), BEGIN, ZoneInfo("UTC"))

        assert {line.at(BEGIN + timedelta(seconds=second)).counted_from for second in range(0, 100_000, 7)} == {BEGIN}

    @given(
        st.lists(st.integers(1, 30), min_size=1, max_size=5),
        st.data(),
    )
    def test_a_showing_goes_on_where_the_one_before_it_ended(self, seconds: list[int], data: st.DataObject) -> None:
        ids = [f"ent_{at}" for at in range(len(seconds))]
        broken = data.draw(st.sets(st.sampled_from(ids), max_size=len(ids) - 1))
        line = Timeline(version(*seconds), BEGIN, ZoneInfo("UTC"))
        reached: dict[str, timedelta] = {}
        t = BEGIN
        while t < BEGIN + timedelta(seconds=3 * sum(seconds)):
            moment = line.at(t, unshowable=set(broken))
            assert moment.entry is not None
            assert moment.until is not None
            assert moment.since - moment.counted_from == reached.get(moment.entry.id, timedelta())
            reached[moment.entry.id] = moment.until - moment.counted_from
            t = moment.until

    def test_a_correction_of_the_clock_disturbs_none_on_the_glass(self) -> None:
        """The table of docs/semantics.md: the clock, at 15 s, is put to 31 s, and B shows until 46."""
        playback = playing(10, 20, 30)
        shown = moment_at(playback, BEGIN + timedelta(seconds=15), schedules_trusted=True)
        shift = timedelta(seconds=16)
        after = corrected(playback, shown.at + shift, shown=shown, shift=shift, schedules_trusted=True)

        assert passed(playback, 15) == ("ent_1", 5)
        assert [passed(after, second) for second in (31, 45)] == [("ent_1", 5), ("ent_1", 19)]
        assert passed(after, 46) == ("ent_2", 16)

    def test_of_a_showing_that_begins_early_the_beginning_shows_for_longer(self) -> None:
        """Joined at 8 s, B takes the rest of A, which is too short."""
        playback = joining(playing(10, 20, 30), BEGIN + timedelta(seconds=8), schedules_trusted=True)

        assert [passed(playback, second) for second in (8, 9.5, 10, 29)] == [
            ("ent_1", 0),
            ("ent_1", 1.5),
            ("ent_1", 0),
            ("ent_1", 19),
        ]

    def test_screens_agree_also_after_a_restart_and_a_change_of_items(self) -> None:
        document = whole()
        del document["playlist"]["entries"][0]["schedule"]
        manifest = read(document)
        assert manifest.version is not None

        def counted_from(at: datetime) -> datetime | None:
            playback = play(
                manifest.version,  # type: ignore[arg-type]
                location=manifest.location,
                catalogue=manifest.catalogue,
                missing={},
            )
            view = view_at(playback, at, schedules_trusted=True)
            assert isinstance(view, SceneView)
            return view.counted_from

        instants = [BEGIN + timedelta(days=3, seconds=15 + 86_400 + second) for second in range(10)]
        assert all(counted_from(one) == counted_from(other) for one, other in pairwise(instants))
