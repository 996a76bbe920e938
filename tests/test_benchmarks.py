"""The figures that the benchmarks make of their measurements."""

from __future__ import annotations

import math
import os
import sys

import pytest

from benchmarks.processes import own_mib_of, pss_mib_of
from benchmarks.soak import growth_in_a_day

CHANGES = 7_200
SCENES_MIB = (120.0, 82.0, 95.0, 160.0)
"""Scenes of a loop differ in size."""


def test_a_leak_of_a_kibibyte_a_change_is_seven_mebibytes_a_day() -> None:
    own = [SCENES_MIB[n % 4] + n / 1024 for n in range(CHANGES)]

    assert growth_in_a_day(own) == pytest.approx(7.03, abs=0.01)


def test_caches_that_fill_and_then_stay_are_no_growth() -> None:
    own = [SCENES_MIB[n % 4] + 8 * (1 - math.exp(-n / 400)) for n in range(CHANGES)]

    assert growth_in_a_day(own) == pytest.approx(0.0, abs=0.05)


def test_changes_that_are_measured_just_after_tidying_up_are_no_growth() -> None:
    def tidied(number: int) -> float:
        return 4.0 if number % 120 == 1 and number < CHANGES // 2 else 0.0

    own = [SCENES_MIB[n % 4] - tidied(n) for n in range(CHANGES)]

    assert growth_in_a_day(own) == pytest.approx(0.0, abs=0.05)


def test_a_process_that_measures_itself_adds_no_names_to_pythons_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four in a change of scenes made the table double in the middle of a day, and looked like a leak of 0.9 MiB."""
    added: list[str] = []
    intern = sys.intern
    monkeypatch.setattr(sys, "intern", lambda name: added.append(name) or intern(name))

    assert pss_mib_of(os.getpid()) >= own_mib_of(os.getpid()) > 0

    assert added == []
