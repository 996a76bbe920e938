"""Some thousands of mutated inputs in every run, the same ones; `make fuzz` reads a million new ones."""

from __future__ import annotations

import logging
import os
import random

import pytest
from PySide6.QtGui import QGuiApplication

from tests.fuzz import targets
from tests.fuzz.mutations import mutate_tree
from tests.fuzz.run import FuzzError, fuzz
from tests.fuzz.targets import Target

INPUTS = int(os.environ.get("MENU_FUZZ", "2000"))


@pytest.mark.proves("change-manifest-answer")
@pytest.mark.no_qt_log
def test_nothing_that_is_read_ends_in_anything_but_a_named_rejection(
    qapp: QGuiApplication, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, logger="player")
    done = fuzz(INPUTS, seed=11)
    assert len(done) == 11, "every target had its inputs"


def test_an_input_that_ends_in_another_exception_is_found_and_can_be_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    def fall(rng: random.Random) -> None:
        if rng.random() > 0.9:
            raise ZeroDivisionError

    monkeypatch.setattr("tests.fuzz.run.all_targets", lambda _: (Target("falls", 1, fall),))
    with pytest.raises(FuzzError, match=r"falls, input \d+ .*ZeroDivisionError"):
        fuzz(1000, seed=1)


def test_a_part_that_costs_another_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(rng: random.Random, tree: object) -> object:
        changed = mutate_tree(rng, tree)
        targets.manifest_tree()["items"][-1]["price"] = 1
        return changed

    before = targets.manifest_tree()["items"][-1]["price"]
    monkeypatch.setattr(targets, "mutate_tree", spoil)

    def compare() -> None:
        for seed in range(200):
            targets.compare_manifest(random.Random(seed))

    try:
        with pytest.raises(AssertionError, match="was not touched"):
            compare()
    finally:
        targets.manifest_tree()["items"][-1]["price"] = before
