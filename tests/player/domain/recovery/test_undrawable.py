"""What the display could not draw: the file on the device is checked before what was uploaded is blamed."""

from __future__ import annotations

import pytest

from player.domain.events import PartUndrawable
from player.domain.recovery.undrawable import Undrawable

BROKEN = PartUndrawable(subject="scn_1/logo", code="asset_unreadable", detail="it is no picture", asset="a" * 64)


@pytest.mark.parametrize(("missing", "told"), [((), ["scn_1/logo"]), ((BROKEN.asset,), [])])
def test_a_file_is_blamed_once_it_has_been_checked_and_is_whole(missing: tuple[str, ...], told: list[str]) -> None:
    found = Undrawable().record(BROKEN, key=None, name="Lunch").doubt(BROKEN.asset)
    assert found.told(()) == ()
    assert [each.subject for each in found.checked().told(missing)] == told


def test_a_file_that_has_come_again_may_be_doubted_again() -> None:
    found = Undrawable().record(BROKEN, key=None, name="Lunch").doubt(BROKEN.asset).checked()
    assert BROKEN.asset in found.doubted
    come = found.without_faults_of({BROKEN.asset})
    assert come.told(()) == ()
    assert BROKEN.asset not in come.doubted


def test_a_file_that_is_being_checked_is_not_blamed_because_another_version_runs() -> None:
    found = Undrawable().record(BROKEN, key=None, name="Lunch").doubt(BROKEN.asset).of_version(None)
    assert found.told(()) == ()
    assert found.checked().told(())
