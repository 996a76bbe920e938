"""Manifests that are older than what the board has, and those of which little can be shown."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from menu.documents.manifest import VersionKey
from menu.documents.manifest_reader import read_manifest
from player.domain import actions as act
from player.domain import events as ev
from tests.support.board import (
    COFFEE,
    ITEMS,
    LUNCH,
    PAIRED,
    WAITING,
    Board,
    codes,
)
from tests.support.menus import NOON, item, manifest, menu_scene

# Older manifests


@pytest.mark.proves("older-answer-service")
def test_an_older_manifest_puts_no_sold_out_dish_back() -> None:
    board = Board()
    sold_out = [item("Flat white", sold_out=True), *ITEMS[1:]]
    board.receive(scenes=[COFFEE], items=ITEMS, revision=3)
    board.receive(scenes=[COFFEE], items=sold_out, revision=4)
    stored = len(board.asked(act.StoreLatest))
    board.receive(scenes=[COFFEE], items=ITEMS, revision=3)
    assert board.glass == "v1 coffee: Espresso"
    assert len(board.asked(act.StoreLatest)) == stored
    assert codes(board.state) == ["manifest_older"]
    assert [asked.holds for asked in board.asked(act.Contradict)] == [""], "this service knows no epochs"
    board.receive(scenes=[COFFEE], items=[*sold_out, item("Tea")], revision=5)
    assert board.glass == "v1 coffee: Espresso, Tea"
    assert codes(board.state) == []


def test_an_older_version_is_not_staged() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS, version=2, revision=4)
    board.receive(scenes=[LUNCH], items=ITEMS, version=1, revision=3)
    board.pass_(60)
    assert board.glass.startswith("v2 coffee")
    assert board.state.staged is None


def test_each_playlist_and_location_has_revisions_of_its_own() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS, revision=40)
    board.receive(scenes=[LUNCH], items=ITEMS, playlist="pl_2", revision=1)
    board.pass_(10)
    assert board.glass == "v1 lunch: Soup"
    board.receive(scenes=[COFFEE], items=ITEMS, revision=39)
    board.pass_(10)
    assert board.glass == "v1 lunch: Soup", "also after another one has run"


def test_after_a_restart_the_stored_manifests_say_what_is_older() -> None:
    found, _ = manifest(scenes=[COFFEE], items=ITEMS, revision=3)
    newest, _ = manifest(scenes=[COFFEE], items=[item("Flat white", sold_out=True), *ITEMS[1:]], revision=5)
    board = Board(replace(PAIRED, running=newest))
    board.receive(scenes=[COFFEE], items=ITEMS, revision=4)
    assert board.glass == "v1 coffee: Espresso"
    waiting, body = manifest(scenes=[WAITING], items=[ITEMS[1]], version=2, revision=6, images=["hero"])
    board = Board(replace(PAIRED, running=found, staged=(waiting, body)))
    board.receive(scenes=[COFFEE], items=ITEMS, revision=5)
    assert board.state.staged is not None


def test_a_service_that_was_put_back_without_a_word_is_told_what_the_board_holds() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS, revision=9, epoch="first")
    board.receive(scenes=[COFFEE], items=ITEMS, revision=7, epoch="first")
    assert [asked.holds for asked in board.asked(act.Contradict)] == ["first 9"]
    for epoch in ("first\r\nX: 1", "é", " " * 8, "e" * 101):
        told = Board()
        told.receive(scenes=[COFFEE], items=ITEMS, revision=9, epoch=epoch)
        told.receive(scenes=[COFFEE], items=ITEMS, revision=7, epoch=epoch)
        assert not any(asked.holds for asked in told.asked(act.Contradict)), "no header can carry it"


@pytest.mark.proves("service-restored-backup")
def test_a_restored_service_that_says_so_is_believed_at_once() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS, version=2, revision=9, epoch="first")
    board.receive(scenes=[LUNCH], items=ITEMS, version=1, revision=3, epoch="second")
    board.pass_(10)
    assert board.glass == "v1 lunch: Soup"
    board.receive(scenes=[COFFEE], items=ITEMS, version=2, revision=10, epoch="first")
    board.pass_(10)
    assert board.glass == "v1 lunch: Soup", "an epoch that has ended does not come back"
    assert [asked.holds for asked in board.asked(act.Contradict)] == ["second 3"]
    assert codes(board.state) == ["manifest_older"]


def test_another_version_with_the_number_of_the_running_one_takes_over() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS, version=4, revision=9, epoch="first")
    later: dict[str, Any] = {"version": 4, "revision": 5, "epoch": "second", "published_at": NOON + timedelta(hours=1)}
    board.receive(
        fetched=False, scenes=[menu_scene("new", "Lunch", image="hero")], items=ITEMS, images=["hero"], **later
    )
    board.tell(ev.AssetsVerified(key=VersionKey(playlist_id="pl_1", version=4, epoch="first")))
    board.pass_(20)
    assert board.glass == "v4 coffee: Flat white, Espresso", "its picture is still missing"
    board.tell(ev.AssetsVerified(key=VersionKey(playlist_id="pl_1", version=4, epoch="second")))
    board.pass_(10)
    assert board.glass == "v4 new: Soup"


def test_the_running_version_goes_on_in_a_new_epoch() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS, revision=9)
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS[1:], revision=1, epoch="second")
    assert board.glass == "v1 coffee: Espresso"
    assert board.state.staged is None
    waiting: dict[str, Any] = {"fetched": False, "scenes": [WAITING], "images": ["hero"], "version": 2, "revision": 2}
    board.receive(**waiting, items=ITEMS[1:2], epoch="second", other_items=[ITEMS[2]], other_versions={"pl_1": [1]})
    board.receive(**waiting, items=ITEMS[1:2], epoch="second", other_items=[], other_versions={"pl_1": [1]})
    board.pass_(10)
    assert board.glass == "v1 coffee: Espresso", "there is no soup any more: the version is known in the new epoch, too"


@pytest.mark.proves("service-restored-backup")
def test_a_service_that_keeps_to_an_older_manifest_is_believed_in_the_end() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS[:1], revision=9)
    board.receive(scenes=[COFFEE], items=ITEMS[1:], revision=3)
    for _ in range(23):
        board.pass_(25)
        board.tell(ev.ServiceAnswered(call="heartbeat"))
        board.tell(ev.ServiceAnswered(call="manifest"))
    assert board.glass == "v1 coffee: Flat white"
    board.pass_(25)
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert board.glass == "v1 coffee: Espresso"
    assert codes(board.state) == []
    board.receive(scenes=[COFFEE], items=ITEMS, revision=4)
    assert board.glass == "v1 coffee: Flat white, Espresso"


def test_an_outage_is_no_evidence_for_an_older_manifest() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS[:1], revision=9)
    board.receive(scenes=[COFFEE], items=ITEMS[1:], revision=3)
    board.pass_(3600)
    board.tell(ev.ServiceAnswered(call="manifest"))
    assert board.glass == "v1 coffee: Flat white"


def test_one_newer_manifest_ends_the_doubt() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS[:1], revision=9)
    for _ in range(60):
        board.receive(scenes=[COFFEE], items=ITEMS[1:], revision=3)
        board.pass_(25)
        board.tell(ev.ServiceAnswered(call="manifest"))
        board.receive(scenes=[COFFEE], items=ITEMS[:1], revision=9)
    assert board.glass == "v1 coffee: Flat white"


# Bad content


def test_an_empty_playlist_leaves_the_last_good_program_on_and_is_reported() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.receive(version=2)
    board.pass_(60)
    assert board.glass.startswith("v1 coffee")
    assert codes(board.state) == ["playlist_empty"]


@pytest.mark.proves("version-without-scenes")
def test_items_of_the_last_good_version_change_while_an_empty_one_is_the_latest() -> None:
    found, _ = manifest(scenes=[COFFEE], items=ITEMS)
    board = Board(replace(PAIRED, running=found))
    empty: dict[str, Any] = {"version": 2, "other_versions": {"pl_1": [1]}}
    board.receive(**empty, revision=2, other_items=[item("Flat white", sold_out=True), ITEMS[1]])
    assert board.glass == "v1 coffee: Espresso"
    stored = board.asked(act.StoreStaged)[-1]

    again = Board(
        replace(
            PAIRED,
            running=found,
            staged=(read_manifest(stored.body), stored.body),
        )
    )
    assert again.glass == "v1 coffee: Espresso", "after a restart without the service, too"
    assert again.state.staged is None
    assert codes(again.state) == ["playlist_empty"]
    again.pass_(60)
    assert again.glass == "v1 coffee: Espresso"


def test_an_empty_first_playlist_is_the_house_card_with_the_reason() -> None:
    board = Board()
    board.receive(version=1)
    assert board.glass == "house: The playlist has no scenes"


def test_a_version_of_which_nothing_can_be_shown_does_not_take_over() -> None:
    unknown = {"id": "hologram", "type": "hologram", "x": 0, "y": 0, "width": 100, "height": 100}
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.receive(scenes=[menu_scene("odd") | {"widgets": [unknown]}], items=ITEMS, version=2)
    board.pass_(60)
    assert board.glass.startswith("v1 coffee")
    assert {"widget_unknown", "program_unshowable"} <= set(codes(board.state))
