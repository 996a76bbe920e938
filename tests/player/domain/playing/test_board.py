"""The board: versions change at boundaries, items at once, and every screen is in step; on a clock set by hand."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from menu.documents.manifest import VersionKey
from player.domain import actions as act
from player.domain import events as ev
from player.domain.findings.diagnosis import diagnose
from player.domain.state import HouseReason
from player.domain.time.clock import Boot, KnownTime, Trust
from player.domain.view import SceneView
from tests.support.board import (
    COFFEE,
    DAY,
    ITEMS,
    LUNCH,
    ONE,
    PAIRED,
    SIXTY,
    THREE,
    WAITING,
    Board,
    answer,
    codes,
    scene_of,
    scheduled_and_free,
    seen_for,
    showing,
    sold_out_until,
)
from tests.support.menus import NOON, HandClock, asset, entry, instant, item, manifest, menu_scene

# The loop boundary


def test_the_first_program_starts_at_once_counted_from_its_publishing() -> None:
    board = Board(clock=HandClock(NOON + timedelta(seconds=12)))
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS, published_at=NOON)
    assert board.glass == "v1 lunch: Soup"
    assert board.state.running is not None
    assert board.state.running.published_at == NOON


def test_a_new_version_takes_over_at_the_loop_boundary() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board.pass_(3)
    board.receive(scenes=[LUNCH, COFFEE], items=ITEMS, version=2)
    seen = []
    for _ in range(19):
        seen.append(board.glass.split(":")[0])
        board.pass_(1)
    assert seen == ["v1 coffee"] * 7 + ["v1 lunch"] * 10 + ["v2 lunch"] * 2
    assert board.asked(act.StoreRunning)[-1].anchor == NOON, "its loops are counted from its publishing"


def test_the_coming_program_s_first_scene_is_prepared_before_the_boundary() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    board.pass_(11)
    upcoming = board.orders()[-1].order.upcoming
    assert upcoming is not None
    assert (upcoming.key.version, upcoming.scene.name) == (2, "lunch")


def test_a_version_whose_images_are_on_their_way_does_not_take_over() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.receive(
        fetched=False, scenes=[menu_scene("new", "Coffee", image="hero")], items=ITEMS, version=2, images=["hero"]
    )
    board.tell(
        ev.AssetsMissing(
            key=VersionKey(playlist_id="pl_1", version=2), reasons={asset("hero")[0]: "its hash is wrong"}, remaining=1
        )
    )
    board.pass_(300)
    assert board.glass.startswith("v1")
    assert "asset_lacking" in codes(board.state)
    board.tell(ev.AssetsVerified(key=VersionKey(playlist_id="pl_1", version=2)))
    board.pass_(10)
    assert board.glass.startswith("v2 new")
    assert codes(board.state) == []


def test_an_overtaken_version_never_shows() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.pass_(2)
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    board.receive(scenes=[LUNCH, COFFEE], items=ITEMS, version=3)
    board.pass_(60)
    assert {show.order.view.key.version for show in board.orders() if isinstance(show.order.view, SceneView)} == {
        1,
        3,
    }


def test_going_back_to_the_running_version_drops_the_staged_one() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.pass_(2)
    board.receive(scenes=[LUNCH], items=ITEMS, playlist="pl_2")
    assert board.state.staged is not None
    board.receive(scenes=[COFFEE], items=ITEMS)
    assert board.state.staged is None
    assert board.asked(act.DropStaged)
    board.pass_(60)
    assert board.glass.startswith("v1 coffee")


def test_nothing_scheduled_means_nothing_to_wait_for() -> None:
    board = Board().trust_the_clock()
    evening = {"type": "daypart", "start": "18:00", "end": "22:00", "timezone": "location"}
    board.receive(scenes=[COFFEE], entries=[entry("coffee", schedule=evening)], items=ITEMS)
    assert board.state.showing.house_reason is HouseReason.NOTHING_SCHEDULED
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    assert board.glass == "v2 lunch: Soup"


def test_boards_that_take_over_at_different_times_show_the_same() -> None:
    early, late, latest = Board(), Board(), Board(clock=HandClock(NOON + timedelta(seconds=157)))
    for board in (early, late):
        board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
        board.pass_(3)
    newer: dict[str, Any] = {"scenes": THREE, "entries": SIXTY, "items": ITEMS, "version": 2}
    published_at = NOON + timedelta(seconds=3)
    early.receive(**newer, published_at=published_at)
    late.receive(**newer, published_at=published_at, fetched=False)
    early.pass_(57)
    late.pass_(57)
    late.tell(ev.AssetsVerified(key=VersionKey(playlist_id="pl_1", version=2)))
    early.pass_(97)
    late.pass_(97)
    latest.receive(**newer, published_at=published_at)
    for _ in range(120):
        assert early.glass == late.glass == latest.glass
        assert showing(early) == showing(late) == showing(latest)
        for board in (early, late, latest):
            board.pass_(0.7)


def test_a_version_joins_its_loop_and_the_scene_that_it_begins_with_was_prepared() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board.pass_(3)
    board.receive(scenes=THREE, entries=SIXTY, items=ITEMS, version=2, published_at=NOON + timedelta(seconds=3))
    board.pass_(8)
    upcoming = board.orders()[-1].order.upcoming
    assert upcoming is not None
    assert (upcoming.key.version, upcoming.scene.name) == (2, "b"), "17 s after the publishing"
    assert seen_for(board, 69) == [("1 lunch", 9), ("2 b", 13), ("2 c", 30), ("2 a", 10), ("2 b", 7)]


@pytest.mark.parametrize(
    ("published", "first"),
    [(2.5, ("2 b", 22.5)), (4, ("2 a", 4))],
    ids=["2.5 s are left of its first scene", "4 s are left of it"],
)
def test_a_short_rest_of_a_showing_is_not_begun(published: float, first: tuple[str, float]) -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.pass_(9)
    published_at = NOON + timedelta(seconds=published)
    board.receive(scenes=THREE, entries=SIXTY, items=ITEMS, version=2, published_at=published_at)
    upcoming = board.orders()[-1].order.upcoming
    assert upcoming is not None
    assert upcoming.scene.name == first[0][-1], "the scene that shows is the one that was prepared"
    assert seen_for(board, 40)[1] == first
    assert scene_of(board) == "2 c"


def test_a_program_that_begins_in_the_last_second_of_a_scene_begins_with_the_next() -> None:
    board = Board(clock=HandClock(NOON + timedelta(seconds=9)))
    board.receive(scenes=THREE, entries=SIXTY, items=ITEMS, published_at=NOON)
    assert seen_for(board, 60)[:3] == [("1 b", 21), ("1 c", 30), ("1 a", 9)]
    again = {other.entry_id: other.next_at for other in board.state.showing.others}
    assert again["ent_b"] == NOON + timedelta(seconds=70)


def test_a_new_version_does_not_cut_a_scene_that_began_early() -> None:
    board = Board(clock=HandClock(NOON + timedelta(seconds=59)))
    board.receive(scenes=THREE, entries=SIXTY, items=ITEMS, published_at=NOON)
    assert scene_of(board) == "1 a", "a second early"
    board.receive(scenes=[LUNCH], items=ITEMS, version=2)
    assert seen_for(board, 20)[:2] == [("1 a", 11), ("2 lunch", 9)]


def test_only_the_start_of_a_period_makes_a_short_showing() -> None:
    board = Board(clock=HandClock(NOON - timedelta(seconds=2))).trust_the_clock()
    morning = {"type": "daypart", "start": "06:00", "end": "12:00", "timezone": "location"}
    entries = [
        entry("coffee", 10, schedule=morning),
        entry("lunch", 10, schedule=morning | {"start": "12:00", "end": "15:00"}),
    ]
    board.receive(scenes=[COFFEE, LUNCH], entries=entries, items=ITEMS, published_at=NOON - timedelta(hours=1))
    assert seen_for(board, 10) == [("1 coffee", 2), ("1 lunch", 8)]


@pytest.mark.proves("version-stored-counts")
def test_a_stored_version_is_in_step_from_the_start() -> None:
    found, _ = manifest(scenes=THREE, entries=SIXTY, items=ITEMS, published_at=NOON - timedelta(seconds=25))
    board, other = Board(replace(PAIRED, running=found)), Board()
    other.receive(scenes=THREE, entries=SIXTY, items=ITEMS, published_at=NOON - timedelta(seconds=25))
    for board_ in (board, other):
        board_.pass_(60)
    for _ in range(100):
        assert board.glass == other.glass
        board.pass_(1)
        other.pass_(1)
    assert showing(board) == showing(other)


# Items


def test_a_sold_out_item_leaves_at_once_and_the_scene_goes_on() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board.pass_(4)
    before = board.orders()[-1].order.view
    board.receive(scenes=[COFFEE, LUNCH], items=(item("Flat white", sold_out=True), *ITEMS[1:]), revision=2)
    after = board.orders()[-1].order.view
    assert board.glass == "v1 coffee: Espresso"
    assert isinstance(before, SceneView)
    assert isinstance(after, SceneView)
    assert after.started_at == before.started_at
    assert board.asked(act.StoreLatest)
    assert not board.asked(act.DropStaged)


def test_a_sold_out_item_leaves_the_old_program_while_a_new_one_waits() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS)
    board.receive(
        fetched=False,
        scenes=[menu_scene("new", "Coffee", image="hero")],
        items=(item("Flat white", sold_out=True), ITEMS[1]),
        version=2,
        images=["hero"],
        revision=2,
    )
    assert board.glass == "v1 coffee: Espresso"
    board.pass_(10)
    assert board.glass == "v1 lunch: Soup", "the new version has no use for soup, but the old one still shows it"


@pytest.mark.proves("dish-sold-out")
def test_a_dish_that_is_sold_out_until_an_instant_comes_back_then_without_the_service() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=sold_out_until(ONE))
    board.pass_(3599.9)
    assert board.glass == "v1 coffee: Espresso"
    before = len({show.order.serial for show in board.orders()})
    board.pass_(0.1)
    assert board.glass == "v1 coffee: Flat white, Espresso"
    board.pass_(600)
    assert len({show.order.serial for show in board.orders()}) == before + 1, "exactly once"


def test_the_service_s_own_end_of_a_sold_out_dish_causes_no_flicker() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=sold_out_until(ONE))
    board.pass_(3600)
    orders = len(board.orders())
    # The service's clock is a little behind: it still says sold out, then not any more.
    dearer = [sold_out_until(ONE)[0], item("Espresso", 2.3), ITEMS[2]]
    board.receive(scenes=[COFFEE], items=dearer, revision=2)
    board.receive(scenes=[COFFEE], items=[ITEMS[0], item("Espresso", 2.3), ITEMS[2]], revision=3)
    seen = {
        tuple(row.name for menu in show.order.view.menus.values() for section in menu.sections for row in section.rows)
        for show in board.orders()[orders:]
        if isinstance(show.order.view, SceneView)
    }
    assert seen == {("Flat white", "Espresso")}


def test_a_longer_sell_out_that_arrives_counts() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=sold_out_until(ONE))
    board.receive(scenes=[COFFEE], items=sold_out_until(ONE + timedelta(hours=1)), revision=2)
    board.pass_(3700)
    assert board.glass == "v1 coffee: Espresso"
    board.receive(scenes=[COFFEE], items=sold_out_until(None), revision=3)
    board.pass_(7 * 86400)
    assert board.glass == "v1 coffee: Espresso"


def test_with_an_unknown_clock_a_sold_out_dish_stays_so_until_its_time_must_have_come() -> None:
    board, long_ago = Board(), NOON - timedelta(hours=4)
    board.receive(scenes=[COFFEE], items=sold_out_until(ONE), revision_at=long_ago, published_at=long_ago)
    board.pass_(7200)
    assert board.glass == "v1 coffee: Espresso"
    board.pass_(3 * 3600 + 10)
    assert board.glass == "v1 coffee: Flat white, Espresso", "five hours after what the service wrote"
    board.trust_the_clock()
    assert board.glass == "v1 coffee: Flat white, Espresso"


def test_a_clock_that_is_set_back_sells_the_dish_out_again() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=sold_out_until(ONE))
    board.pass_(3700)
    board.clock.step(timedelta(hours=-1))
    board.tell(ev.ClockChecked(synchronised=True, stepped=True))
    assert board.glass == "v1 coffee: Espresso"
    board.pass_(3600)
    assert board.glass == "v1 coffee: Flat white, Espresso"


def test_what_was_stored_as_sold_out_comes_back_while_the_board_was_off() -> None:
    found, _ = manifest(scenes=[COFFEE], items=sold_out_until(ONE))
    running = found
    board = Board(replace(PAIRED, running=running), HandClock(ONE)).trust_the_clock()
    assert board.glass == "v1 coffee: Flat white, Espresso"


@pytest.mark.proves("power-cut-service")
@pytest.mark.parametrize(
    ("known", "pass_hours", "is_listed"),
    [(None, 2.0, False), (NOON, 0.0, False), (NOON, 1.1, True), (ONE, 0.0, True)],
    ids=["nothing known", "earlier", "earlier, and hours have passed", "that instant has been"],
)
def test_a_start_without_the_service_and_the_time_lists_what_the_last_known_time_allows(
    known: datetime | None, pass_hours: float, is_listed: bool
) -> None:
    found, _ = manifest(scenes=[COFFEE], items=sold_out_until(ONE), revision_at=NOON - DAY, published_at=NOON - DAY)
    running = found
    stored = KnownTime(true=known) if known is not None else None
    board = Board(replace(PAIRED, running=running, known_time=stored), HandClock(NOON - timedelta(days=400)))
    board.pass_(pass_hours * 3600)
    board.tell(ev.HealthRead(health=ev.Health()))
    assert board.state.clock.trust is Trust.UNKNOWN
    assert board.glass.endswith("Flat white, Espresso" if is_listed else "coffee: Espresso")


def test_a_restart_within_one_boot_goes_on_with_the_time_it_had() -> None:
    found, _ = manifest(**scheduled_and_free(), revision_at=NOON - DAY, published_at=NOON - DAY)
    running = found
    stored = KnownTime(true=NOON - timedelta(hours=2), boot_id="b", boot_seconds=500.0)
    boot, clock = Boot(id="b", seconds=500.0 + 7200.0), HandClock(NOON - timedelta(days=400))
    board = Board(replace(PAIRED, running=running, known_time=stored, boot=boot), clock)
    assert board.state.at == NOON
    assert board.state.clock.trust is Trust.CORRECTED
    assert "1 lunch" in board.glass
    for wrong in (timedelta(hours=6), timedelta()):
        board.pass_(1)
        board.tell(answer(clock, server_time=board.state.at + wrong))
        assert abs(board.state.at - NOON) < timedelta(seconds=5), "one wrong time of the service is not believed"


TWO = ONE + timedelta(hours=1)


def on_offer(price: float = 3.4) -> list[dict[str, Any]]:
    """A flat white that costs less from one to two."""
    offer = {"regularPrice": 3.4, "offerPrice": 2.5, "offerStartsAt": instant(ONE), "offerEndsAt": instant(TWO)}
    return [item("Flat white", price) | offer, *ITEMS[1:]]


def flat_white(board: Board) -> tuple[str, str]:
    """Its price on the glass, and the struck one."""
    view = board.orders()[-1].order.view
    assert isinstance(view, SceneView)
    rows = [row for menu in view.menus.values() for section in menu.sections for row in section.rows]
    [found] = [row for row in rows if row.name == "Flat white"]
    return found.price.text, found.regular


def test_an_offer_begins_and_ends_at_its_instants_without_the_service() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=on_offer())
    board.pass_(3599.9)
    assert flat_white(board) == ("€3.40", "")
    before = len({show.order.serial for show in board.orders()})
    board.pass_(0.1)
    assert flat_white(board) == ("€2.50", "€3.40")
    board.pass_(3599.9)
    assert flat_white(board) == ("€2.50", "€3.40")
    board.pass_(0.1)
    assert flat_white(board) == ("€3.40", "")
    board.pass_(7200)
    assert len({show.order.serial for show in board.orders()}) == before + 2, "once each"


def test_offers_of_variants_begin_and_end_each_at_its_own_instant() -> None:
    def size(name: str, start: datetime, end: datetime) -> dict[str, Any]:
        times = {"offerStartsAt": instant(start), "offerEndsAt": instant(end)}
        return {"name": name, "price": 4, "regularPrice": 4, "offerPrice": 3, **times}

    half = timedelta(minutes=30)
    variants = [size("S", ONE, TWO), size("L", ONE + half, TWO + half), {"name": "XL", "price": 6}]
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=[item("Flat white", 4) | {"variants": variants}, *ITEMS[1:]])

    def prices() -> list[str]:
        view = board.orders()[-1].order.view
        assert isinstance(view, SceneView)
        rows = [row for menu in view.menus.values() for section in menu.sections for row in section.rows]
        [found] = [row for row in rows if row.name == "Flat white"]
        return [f"{one.price.text} {one.regular}".strip() for one in found.variants]

    seen = [prices()]
    for _ in range(4):
        board.pass_(1800 if len(seen) > 1 else 3600)
        seen.append(prices())
    assert seen == [
        ["€4.00", "€4.00", "€6.00"],
        ["€3.00 €4.00", "€4.00", "€6.00"],
        ["€3.00 €4.00", "€3.00 €4.00", "€6.00"],
        ["€4.00", "€3.00 €4.00", "€6.00"],
        ["€4.00", "€4.00", "€6.00"],
    ]


def test_an_offer_that_was_stored_ends_while_the_board_is_off() -> None:
    found, _ = manifest(scenes=[COFFEE], items=on_offer(2.5))
    running = found
    for at, price in ((NOON, "€3.40"), (ONE, "€2.50"), (TWO, "€3.40")):
        board = Board(replace(PAIRED, running=running), HandClock(at)).trust_the_clock()
        assert flat_white(board)[0] == price


def test_with_an_unknown_clock_the_price_of_the_service_stays() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=on_offer())
    board.pass_(3700)
    assert flat_white(board) == ("€3.40", "")
    board.trust_the_clock()
    assert flat_white(board) == ("€2.50", "€3.40")


@pytest.mark.proves("power-cut-service")
@pytest.mark.parametrize(("known", "price"), [(NOON, "€2.50"), (ONE, "€2.50"), (TWO, "€3.40")])
def test_an_offer_ends_at_a_start_without_the_time_if_its_end_has_been(known: datetime, price: str) -> None:
    found, _ = manifest(scenes=[COFFEE], items=on_offer(2.5), revision_at=NOON - DAY, published_at=NOON - DAY)
    running = found
    board = Board(
        replace(PAIRED, running=running, known_time=KnownTime(true=known)), HandClock(NOON - timedelta(days=400))
    )
    assert board.state.clock.trust is Trust.UNKNOWN
    assert flat_white(board)[0] == price


def test_a_clock_that_is_set_back_ends_an_offer_that_has_not_begun() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=on_offer())
    board.pass_(3700)
    board.clock.step(timedelta(hours=-1))
    board.tell(ev.ClockChecked(synchronised=True, stepped=True))
    assert flat_white(board) == ("€3.40", "")
    board.pass_(3600)
    assert flat_white(board) == ("€2.50", "€3.40")


def weather(expires: datetime = ONE) -> dict[str, Any]:
    """A scene that tells the temperature beside a menu, and the temperature."""
    box = {"x": 0, "y": 0, "width": 900, "height": 100}
    text = {"id": "outside", "type": "text", **box, "text": "Outside {{temperature}} °C"}
    scene = {**COFFEE, "widgets": [*COFFEE["widgets"], text]}
    return {"scenes": [scene], "values": {"temperature": {"value": 21.5, "expiresAt": instant(expires)}}}


def outside(board: Board) -> str:
    """Returns the text."""
    view = board.orders()[-1].order.view
    assert isinstance(view, SceneView)
    return view.texts["outside"].text


def test_a_value_shows_at_once_and_is_gone_when_it_expires_without_the_service() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=weather()["scenes"], items=ITEMS)
    assert outside(board) == ""
    board.receive(**weather(), items=ITEMS, revision=2)
    assert outside(board) == "Outside 21.5 °C"
    assert board.glass.startswith("v1 "), "the same version"
    board.pass_(3599.9)
    assert outside(board) == "Outside 21.5 °C"
    board.pass_(0.1)
    assert outside(board) == ""
    assert board.woken_at() is None or board.woken_at() > board.clock.wall()


def test_a_stored_value_shows_after_a_restart_until_it_expires_but_not_while_the_time_is_unknown() -> None:
    found, _ = manifest(**weather(), items=ITEMS)
    running = found
    for at, said in ((NOON, "Outside 21.5 °C"), (ONE, "")):
        board = Board(replace(PAIRED, running=running), HandClock(at))
        assert outside(board) == ""
        board.trust_the_clock()
        assert outside(board) == said


def test_what_a_combo_saves_follows_the_offer_of_its_part_without_the_service() -> None:
    parts = [{"quantity": 2, "anyOf": [{"itemId": "itm_Flat white"}]}]
    board = Board().trust_the_clock()
    board.receive(scenes=[LUNCH], items=[*on_offer()[:2], item("For two", 6, category="Lunch") | {"parts": parts}])

    def saving() -> str:
        view = board.orders()[-1].order.view
        assert isinstance(view, SceneView)
        [row] = [row for menu in view.menus.values() for section in menu.sections for row in section.rows]
        return row.saving.replace("\N{NO-BREAK SPACE}", " ")

    board.pass_(3599.9)
    assert saving() == "Save €0.80"
    board.pass_(0.1)
    assert saving() == "", "two on offer are cheaper"
    board.pass_(3600)
    assert saving() == "Save €0.80"


def test_a_substitute_gives_way_when_its_dish_is_back() -> None:
    special = {"id": "special", "type": "item", "itemId": "itm_Soup", "insteadItemId": "itm_Espresso"}
    scene = {
        "id": "scn_special",
        "name": "special",
        "widgets": [special | {"x": 0, "y": 0, "width": 900, "height": 90}],
    }
    board = Board().trust_the_clock()
    board.receive(scenes=[scene], items=[*ITEMS[:2], item("Soup", 6.5, category="Lunch", sold_out=True, until=ONE)])

    def special_row() -> str:
        view = board.orders()[-1].order.view
        assert isinstance(view, SceneView)
        return view.items["special"].name

    assert special_row() == "Espresso"
    board.pass_(3600)
    assert special_row() == "Soup"


def test_a_scene_whose_dishes_are_all_sold_out_shows_again_when_the_first_is_back() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[LUNCH], items=[item("Soup", category="Lunch", sold_out=True, until=ONE)])
    assert board.glass == "house: "
    board.pass_(3600)
    assert board.glass == "v1 lunch: Soup"


def test_a_dish_is_back_in_the_version_that_waits_too() -> None:
    board = Board().trust_the_clock()
    board.receive(scenes=[COFFEE], items=sold_out_until(NOON + timedelta(seconds=5)))
    board.pass_(1)
    board.receive(scenes=[menu_scene("new", "Coffee")], items=sold_out_until(NOON + timedelta(seconds=5)), version=2)
    board.pass_(5)
    assert board.glass == "v1 coffee: Flat white, Espresso"
    upcoming = board.orders()[-1].order.upcoming
    assert upcoming is not None
    assert len(upcoming.menus["menu"].sections[0].rows) == 2
    board.pass_(4)
    assert board.glass == "v2 new: Flat white, Espresso"


def test_an_item_that_only_the_running_version_lists_changes_while_another_version_waits() -> None:
    board = Board()
    board.receive(scenes=[LUNCH], items=[*ITEMS[2:], item("Stew", 8, category="Lunch")])
    waiting: dict[str, Any] = {"fetched": False, "scenes": [WAITING], "items": ITEMS[:2], "version": 2}
    waiting |= {"images": ["hero"], "other_versions": {"pl_1": [1]}}
    dearer = item("Soup", 7, category="Lunch")
    board.receive(**waiting, revision=2, other_items=[dearer, item("Stew", 8, category="Lunch", sold_out=True)])
    assert board.glass == "v1 lunch: Soup"
    assert board.prices == {"Soup": "€7.00"}
    board.receive(**waiting, revision=3, other_items=[dearer, item("Stew", 8, category="Lunch")])
    assert board.glass == "v1 lunch: Soup, Stew", "in the order in which they stood"
    board.receive(**waiting, revision=4, other_items=[item("Stew", 8, category="Lunch")])
    assert board.glass == "v1 lunch: Stew", "an item that is absent was deleted"


def test_items_keep_their_order_while_another_version_waits_and_after_a_restart_then() -> None:
    soup, espresso, stew = item("Soup"), item("Espresso"), item("Stew")
    everything = menu_scene("all")
    one, _ = manifest(scenes=[everything], items=[soup, espresso, stew])
    waiting, body = manifest(
        scenes=[WAITING],
        items=[espresso],
        version=2,
        revision=2,
        images=["hero"],
        other_items=[{**soup, "position": 0}, {**stew, "position": 1}],
        other_versions={"pl_1": [1]},
    )
    board = Board()
    board.receive(scenes=[everything], items=[soup, espresso, stew])
    board.tell(ev.ManifestArrived(manifest=waiting, body=body))
    assert board.glass == "v1 all: Soup, Espresso, Stew"
    assert list(one.with_facts_of(waiting).catalogue.items) == ["itm_Soup", "itm_Espresso", "itm_Stew"]


def test_items_of_a_version_that_the_service_no_longer_knows_stay_as_they_were() -> None:
    board = Board()
    board.receive(scenes=[LUNCH], items=[*ITEMS[2:], item("Stew", 8, category="Lunch")])
    board.receive(
        fetched=False, scenes=[WAITING], items=ITEMS[:2], version=12, images=["hero"], revision=2,
        other_items=[item("Stew", 8, category="Lunch", sold_out=True)], other_versions={"pl_1": [10, 11]},
    )  # fmt: skip
    assert board.glass == "v1 lunch: Soup"


@pytest.mark.proves("screen-gets-playlist")
def test_items_that_only_another_playlist_lists_change_while_it_still_runs() -> None:
    board = Board()
    board.receive(scenes=[LUNCH], items=ITEMS[2:], playlist="pl_lunch")
    board.receive(
        fetched=False, scenes=[WAITING], items=ITEMS[:2], images=["hero"],
        other_items=[item("Soup", 7, category="Lunch")], other_versions={"pl_lunch": [1]},
    )  # fmt: skip
    assert board.prices == {"Soup": "€7.00"}
    board.receive(version=None, other_items=[item("Soup", 8, category="Lunch")], other_versions={"pl_lunch": [1]})
    assert board.prices == {"Soup": "€8.00"}


def test_an_image_of_an_item_that_only_the_running_version_lists_stays() -> None:
    soup = item("Soup", 6.5, category="Lunch") | {"image": f"sha256:{asset('soup')[0]}"}
    stew = item("Stew", 6.5, category="Lunch") | {"image": f"sha256:{asset('stew')[0]}"}
    board = Board()
    board.receive(scenes=[menu_scene("lunch", "Lunch")], items=[soup], images=["soup"])
    board.receive(
        fetched=False, scenes=[WAITING], items=ITEMS[:2], version=2, images=["hero"], revision=2,
        other_items=[soup, stew], other_versions={"pl_1": [1]},
    )  # fmt: skip
    catalogue = board.conductor.board.catalogue
    assert catalogue is not None
    assert [one.image for one in catalogue.items.values()][:2] == [asset("soup")[0], None], "only what is on the disk"
    assert codes(board.state) == []


def test_a_restart_keeps_what_was_sold_out_while_a_version_waits() -> None:
    found, _ = manifest(scenes=[COFFEE, LUNCH], items=ITEMS)
    newer, body = manifest(
        scenes=[WAITING], items=[item("Flat white", sold_out=True), ITEMS[1]], version=2, images=["hero"], revision=2,
        other_items=[item("Soup", 7, category="Lunch")], other_versions={"pl_1": [1]}, timezone="Asia/Tokyo",
    )  # fmt: skip
    board = Board(replace(PAIRED, running=found, staged=(newer, body)))
    assert board.glass == "v1 coffee: Espresso"
    assert board.state.revision == 2
    assert board.state.location == newer.location
    board.pass_(10)
    assert board.prices == {"Soup": "€7.00"}
    board.tell(ev.AssetsVerified(key=VersionKey(playlist_id="pl_1", version=2)))
    board.pass_(10)
    assert board.glass == "v2 new: Espresso"


def test_a_dish_of_the_running_version_alone_comes_back_in_time_after_a_restart_while_another_waits() -> None:
    found, _ = manifest(scenes=[LUNCH], items=ITEMS[2:])
    newer, body = manifest(
        scenes=[WAITING], items=ITEMS[:2], version=2, images=["hero"], revision=2,
        other_items=[item("Soup", category="Lunch", sold_out=True, until=ONE), item("Stew", category="Lunch")],
        other_versions={"pl_1": [1]},
    )  # fmt: skip
    board = Board(replace(PAIRED, running=found, staged=(newer, body)))
    board.trust_the_clock()
    assert board.glass == "v1 lunch: Stew"
    board.pass_((ONE - NOON).total_seconds())
    assert board.glass == "v1 lunch: Soup, Stew"
    # Also if the version that waits has failed here, and the one before plays with its items.
    assert found.with_facts_of(newer).catalogue.as_of(NOON).back_at == ONE


def test_a_image_that_an_item_has_got_is_fetched_while_the_program_runs() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    asked = len(board.asked(act.DownloadAssets))
    board.receive(scenes=[COFFEE], items=ITEMS, revision=2)
    assert len(board.asked(act.DownloadAssets)) == asked, "nothing new is wanted"
    board.receive(scenes=[COFFEE], items=ITEMS, revision=3, images=["espresso"], fetched=False)
    assert asset("espresso")[0] in board.asked(act.DownloadAssets)[-1].versions[0].assets


def test_an_item_that_is_gone_from_the_same_version_was_deleted() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.receive(scenes=[COFFEE], items=ITEMS[1:], revision=2)
    assert board.glass == "v1 coffee: Espresso"


def test_a_scene_whose_menus_are_all_sold_out_is_passed_over_and_the_loop_keeps_its_length() -> None:
    board = Board()
    board.receive(scenes=[COFFEE, LUNCH], items=(*ITEMS[:2], item("Soup", category="Lunch", sold_out=True)))
    board.pass_(14)
    assert board.glass.startswith("v1 coffee")
    assert board.state.showing.loop_boundary == NOON + timedelta(seconds=20)
    assert [other.reason for other in board.state.showing.others] == ["passed_over"]
    board.receive(scenes=[COFFEE, LUNCH], items=ITEMS, revision=2)
    assert board.glass == "v1 lunch: Soup"


def test_when_everything_is_sold_out_the_house_card_shows_and_says_why_to_those_who_ask() -> None:
    board = Board()
    board.receive(scenes=[LUNCH], items=[item("Soup", category="Lunch", sold_out=True)])
    assert board.glass == "house: "
    assert board.state.showing.house_reason is HouseReason.NOTHING_SHOWABLE


def test_no_playlist_is_the_house_card_from_the_boundary_on() -> None:
    board = Board()
    board.receive(scenes=[COFFEE], items=ITEMS)
    board.pass_(4)
    board.receive(version=None, revision=2)
    assert board.glass.startswith("v1 coffee")
    board.pass_(6)
    assert board.glass == "house: No published playlist is assigned to this screen"
    board.receive(scenes=[LUNCH], items=ITEMS, revision=3)
    assert board.glass == "v1 lunch: Soup"


def test_never_published_is_told_from_not_assigned_and_follows_what_the_service_says() -> None:
    board = Board()
    board.receive(version=None, without_playlist={"reason": "unpublished", "name": "Draft"})
    assert board.glass == "house: The playlist of this screen has not been published yet"
    assert [(each.code, "“Draft”" in each.what) for each in diagnose(board.state)] == [("never_published", True)]
    board.receive(version=None, revision=2, without_playlist={"reason": "unassigned"})
    assert board.glass == "house: No published playlist is assigned to this screen"
    assert [(each.code, "no playlist is assigned" in each.what) for each in diagnose(board.state)] == [
        ("no_playlist", True)
    ]
    board.receive(version=None, revision=3, without_playlist={"reason": "unpublished", "name": "Lunch"})
    assert "“Lunch”" in diagnose(board.state)[0].what
    board.receive(scenes=[LUNCH], items=ITEMS, revision=4)
    assert (board.glass, diagnose(board.state)) == ("v1 lunch: Soup", ())
