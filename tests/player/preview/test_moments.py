"""`menu-player moment`: what a board shows at many instants is what its timeline says, and so are the spans."""

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from menu.documents.manifest_reader import read_manifest
from menu.rules.timeline import Reason
from player.cli import main
from player.domain.playing.playback import play
from player.preview.moments import moment_of, spans_of
from tests.support.menus import NOON, document, entry, instant, item, menu_scene, override

LUNCH = {"type": "daypart", "start": "11:00", "end": "15:00", "timezone": "location", "except": ["2026-11-22"]}
EVENING = {"type": "daypart", "start": "22:30", "end": "02:00", "timezone": "location", "days": ["fri", "sat"]}
FEAST = {"type": "window", "startsAt": "2026-11-24T08:00", "endsAt": "2026-11-25T08:00", "timezone": "location"}
SCENES = (
    menu_scene("coffee", "Coffee"),
    menu_scene("soup", "Soup", schedules=[LUNCH]),
    menu_scene("night", "Coffee", schedules=[EVENING], languages=["de", "en", "ar"]),
    menu_scene("feast", "Coffee", schedules=[{**FEAST, "priority": 5}]),
)
NOTICE = menu_scene("notice", "Coffee")
HOUR = timedelta(hours=1)


def body(**more: object) -> bytes:
    party = override("party", NOTICE, starts_at=NOON + 30 * HOUR, until=NOON + 31.5 * HOUR, screens=["scr_1"])
    return document(
        scenes=SCENES,
        entries=[entry("coffee"), entry("soup", 25), entry("night", 7), entry("feast")],
        items=[item("flat"), item("soup", category="Soup", sold_out=True, until=NOON + 24 * HOUR)],
        timezone="Europe/Berlin",
        overrides=[party],
        **more,  # type: ignore[arg-type]
    )


@pytest.mark.long
def test_a_moment_is_that_of_the_timeline_and_lies_in_its_span() -> None:
    manifest = read_manifest(body())
    assert manifest.version is not None
    spans = spans_of(manifest, NOON, NOON + 7 * 24 * HOUR, screen_id="scr_2")
    for number in range(400):
        at = NOON + number * timedelta(minutes=25, seconds=1)
        catalogue = manifest.catalogue.as_of(at)
        playback = play(manifest.version, location=manifest.location, catalogue=catalogue, missing={})
        expected = playback.due_at(at, schedules_trusted=True)
        told = moment_of(manifest, at, screen_id="scr_2")
        assert expected.entry is not None
        assert (told.entry_id, told.until, told.override) == (expected.entry.id, expected.until, None), at
        assert [(one.entry_id, one.reason, one.next_at) for one in told.others] == [
            (one.entry_id, one.reason, one.next_at) for one in expected.others
        ]
        if told.scene_id == "scn_night":
            assert told.language == ("de", "en", "ar")[expected.turn % 3]
        [span] = [one for one in spans if one.begin <= at < one.end]
        turns = {one.entry_id for one in expected.others if one.reason is Reason.WAITING} | {expected.entry.id}
        assert {one.entry_id for one in span.content.entries} == turns, at


def test_an_override_shows_on_the_screens_that_it_names() -> None:
    manifest, at = read_manifest(body()), NOON + 31 * HOUR
    told = moment_of(manifest, at, screen_id="scr_1")
    assert (told.scene_name, told.override, told.override_reason) == ("notice", "ovr_party", "because of party")
    assert (told.changed_at, told.turns_until) == (NOON + 30 * HOUR, NOON + 31.5 * HOUR)
    assert {(one.reason, one.displaced_by) for one in told.others} == {(Reason.DISPLACED, "notice")}
    assert moment_of(manifest, at, screen_id="scr_2").scene_name == "coffee"
    shown = [one for one in spans_of(manifest, at - 2 * HOUR, at + 2 * HOUR, screen_id="scr_1") if one.content.override]
    assert [(one.begin, one.end) for one in shown] == [(NOON + 30 * HOUR, NOON + 31.5 * HOUR)]


def test_the_changes_of_items_are_told_and_split_no_span() -> None:
    manifest = read_manifest(body())
    at = NOON + 2 * HOUR
    told = moment_of(manifest, at)
    assert (told.changes_at, told.turns_until) == (NOON + 9.5 * HOUR, NOON + 9.5 * HOUR)
    # The soup is back at noon of the next day: its menu shows from then on, in the middle of lunch.
    spans = spans_of(manifest, NOON + 22 * HOUR, NOON + 25 * HOUR)
    assert [(one.end - NOON, [entry.scene_name for entry in one.content.entries]) for one in spans] == [
        (24 * HOUR, ["coffee"]),
        (25 * HOUR, ["coffee", "soup"]),
    ]
    [left] = spans[0].content.left_out
    assert (left.scene_name, left.reason, left.unshowable and left.unshowable.why) == (
        "soup",
        Reason.PASSED_OVER,
        "sold_out",
    )


def test_a_span_names_all_that_it_displaces_however_late() -> None:
    begin = NOON + 92 * HOUR  # 24 November, 8:00
    [feast] = [
        one
        for one in spans_of(read_manifest(body()), begin - HOUR, begin + 26 * HOUR)
        if one.content.entries[0].scene_name == "feast"
    ]
    assert feast.end - feast.begin == 24 * HOUR
    assert [(one.scene_name, one.reason, one.displaced_by) for one in feast.content.left_out] == [
        ("coffee", Reason.DISPLACED, "feast"),
        ("soup", Reason.DISPLACED, "feast"),
    ]


def test_many_spans_are_cut() -> None:
    manifest, month = read_manifest(body()), (NOON, NOON + 30 * 24 * HOUR)
    spans = spans_of(manifest, *month, most=3)
    assert (len(spans), spans[0].begin) == (3, NOON)
    assert len(spans_of(manifest, *month, most_changes=2)) == 2


def test_it_is_printed_as_json_without_a_display(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "manifest.json"
    file.write_bytes(body())
    assert main(("moment", str(file), "--at", "2026-11-21T12:30", "--screen", "scr_1")) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["at"], told["kind"], told["sceneName"]) == ("2026-11-21T11:30:00Z", "scene", "coffee")
    assert told["others"][1]["detail"] == "Fri, Sat 22:30–02:00"
    assert main(("moment", str(file), "--at", instant(NOON), "--until", instant(NOON + HOUR))) == 0
    assert [one["end"] for one in json.loads(capsys.readouterr().out)] == ["2026-11-20T13:00:00Z"]
    loaded = "import sys; from player.cli import main; main(sys.argv[1:]); print('PySide6' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", loaded, "moment", str(file)], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "False"


def test_what_is_no_manifest_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "manifest.json"
    assert main(("moment", str(file))) == 1
    file.write_text("{}")
    assert main(("moment", str(file))) == 1
    assert "manifest.json: No such file" in (said := capsys.readouterr().err)
    assert len(said.splitlines()) == 2
    for time in ("soon", "9999-12-31T23:59"):
        with pytest.raises(SystemExit):
            main(("moment", str(file), "--at", time))
