"""The board tells of a version that this device has gone back from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from player.device.health import read_health
from player.device.taken_back import MAX_NOTES_BYTES, NOTES, UPDATE_NOTES, read_no_way_back, read_taken_back
from player.domain.state import TakenBack

ENTRY = {"version": "0.3.0", "to": "0.2.0", "why": "the board does not start", "at": "2026-11-20T03:10:00Z"}
OLDER = {**ENTRY, "version": "0.2.9"}


def written(tmp_path: Path, document: object) -> Path:
    notes = tmp_path / "state.json"
    notes.write_text(json.dumps(document))
    return notes


@pytest.mark.parametrize(
    "document", [{"takenBack": [ENTRY, OLDER]}, {"back": {**ENTRY, "tries": 1}, "takenBack": [OLDER]}]
)
def test_the_version_that_runs_again_tells_of_the_one_that_failed(tmp_path: Path, document: object) -> None:
    notes = written(tmp_path, document)
    assert read_taken_back("0.2.0", notes=notes) == TakenBack(version="0.3.0", why="the board does not start")
    coded = written(tmp_path, {"takenBack": [{**ENTRY, "code": "not_started"}]})
    found = read_taken_back("0.2.0", notes=coded)
    assert found is not None
    assert found.code == "not_started"
    assert read_taken_back("0.3.1", notes=notes) is None, "a newer version is in its place"


LARGE = {"more": "x" * MAX_NOTES_BYTES, "takenBack": [ENTRY]}


@pytest.mark.parametrize(
    "document", [{}, [], {"takenBack": "0.3.0"}, {"takenBack": [{"version": 3, "to": "0.2.0"}]}, LARGE]
)
def test_notes_that_say_nothing_are_no_fault(tmp_path: Path, document: object) -> None:
    assert read_taken_back("0.2.0", notes=written(tmp_path, document)) is None
    assert read_taken_back("0.2.0", notes=tmp_path / "none") is None


def test_a_device_tells_why_it_has_no_way_back(tmp_path: Path) -> None:
    notes = tmp_path / NOTES.relative_to("/")
    notes.parent.mkdir(parents=True)
    assert read_health(tmp_path, root=tmp_path).no_way_back == ""
    notes.write_text(json.dumps({"noWayBack": "The packages of version 0.2.0 cannot be had.", "takenBack": [ENTRY]}))
    assert read_health(tmp_path, root=tmp_path).no_way_back == "The packages of version 0.2.0 cannot be had."
    notes.write_text(json.dumps({"noWayBack": 3}))
    assert read_no_way_back(root=tmp_path) == ""


@pytest.mark.proves("update-other-key")
def test_a_device_tells_from_which_repositories_it_takes_nothing(tmp_path: Path) -> None:
    notes = tmp_path / UPDATE_NOTES.relative_to("/")
    notes.parent.mkdir(parents=True)
    for document, told in (
        (
            {"done": "2026-11-20T03:10:00Z", "refused": ["https://packages.example.com"]},
            ("https://packages.example.com",),
        ),
        ({"done": "2026-11-20T03:10:00Z"}, ()),
        ({"refused": "https://packages.example.com"}, ()),
    ):
        notes.write_text(json.dumps(document))
        assert read_health(tmp_path, root=tmp_path).refused_repositories == told
