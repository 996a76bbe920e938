"""No two findings follow from each other, and at least one is told."""

from __future__ import annotations

from itertools import chain, combinations

from player.domain.findings.causes import LAYERS, follows


def test_no_two_findings_follow_from_each_other_and_of_any_some_one_is_told() -> None:
    causes = {code: beside for layer in LAYERS for code, beside in layer.items()}
    assert len(causes) == sum(map(len, LAYERS))
    codes = sorted(causes.keys() | frozenset[str]().union(*causes.values()))
    # What the table says holds: none of it is of a later layer.
    assert {(code, each) for code in codes for each in codes if follows(code, each)} == {
        (code, cause) for code, beside in causes.items() for cause in beside
    }
    for some in chain(combinations(codes, 2), combinations(codes, 3)):
        assert any(not any(follows(each, cause) for cause in some) for each in some), some
