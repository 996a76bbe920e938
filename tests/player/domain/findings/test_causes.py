"""No two findings follow from each other, and at least one is told."""

from __future__ import annotations

from graphlib import TopologicalSorter
from itertools import chain, combinations

from player.domain.findings.diagnosis import CAUSES, follows


def test_no_two_findings_follow_from_each_other_and_of_any_some_one_is_told() -> None:
    codes = sorted(TopologicalSorter(CAUSES).static_order())  # It raises CycleError for a circle.
    for some in chain(combinations(codes, 2), combinations(codes, 3)):
        assert any(not any(follows(each, cause) for cause in some) for each in some), some
