"""The version stands in one file, and the changelog has a section for it."""

import re
from itertools import pairwise
from pathlib import Path

from player.version import VERSION as PLAYER
from service.version import VERSION as SERVICE

ROOT = Path(__file__).parent.parent
SECTION = re.compile(r"^## \[(\d+)\.(\d+)\.(\d+)\] - (\d{4}-\d{2}-\d{2})$", re.MULTILINE)


def test_player_and_service_have_one_version() -> None:
    assert PLAYER == SERVICE
    assert (ROOT / "service/version.py").resolve() == ROOT / "player/version.py"


def test_the_newest_section_of_the_changelog_is_the_version() -> None:
    released = [(int(major), int(minor), int(patch)) for major, minor, patch, _ in sections()]
    assert ".".join(map(str, released[0])) == PLAYER
    assert all(newer > older for newer, older in pairwise(released))


def test_the_days_of_the_releases_follow_each_other() -> None:
    days = [day for *_, day in sections()]
    assert days == sorted(days, reverse=True)


def sections() -> list[tuple[str, str, str, str]]:
    return SECTION.findall((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))


def test_no_change_is_told_twice() -> None:
    told = re.findall(r"^- .*(?:\n  .*)*", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(told) == len(set(told)) > 200
