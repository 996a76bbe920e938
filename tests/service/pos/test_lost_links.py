"""Rows whose links an upgrade has lost: they go on with their items, and what stands twice is told."""

import logging
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from sqlalchemy import text

from service.core.permissions import Role
from service.storage.engines import for_migrating, open_engine
from service.storage.migrate import migration_config
from tests.service.pos.test_imports import CONNECTIONS, ITEMS, connect, created, sync
from tests.service.support.application import Caller, VirtualClock, body_of, running
from tests.service.support.desk import person

MENU = [
    {"id": "1", "name": "Espresso", "category": "Coffee", "price": 2.2, "soldOut": False},
    {"id": "2", "name": "Scone", "category": "Cake", "price": 3, "soldOut": True},
    {
        "id": "3",
        "name": "Cocoa",
        "category": "Warm",
        "price": 3,
        "variants": [{"name": "S", "price": 3, "soldOut": False}],
    },
    {"id": "4", "name": "Tea", "category": "Warm", "price": 2, "sku": "T-1"},
]


def lose_links(data: Path) -> None:
    """Leave the database as an upgrade to 0034 and then to 0062 left it."""
    engine = open_engine(None, file=data / "service.sqlite3")
    config = migration_config()
    with for_migrating(engine) as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0062")
        connection.execute(text("DELETE FROM pos_links"))
    engine.dispose()


async def items_of(caller: Caller) -> list[dict[str, Any]]:
    return list(body_of(await caller.get(ITEMS))["data"])


async def test_rows_go_on_with_their_items_after_an_upgrade_that_lost_their_links(
    tmp_path: Path, clock: VirtualClock
) -> None:
    async with running(tmp_path, clock=clock) as service:
        admin = service.caller(Role.ADMIN)
        connection = await connect(admin)
        await sync(service, admin, connection, *MENU)
        espresso, _, cocoa, _ = await items_of(admin)
        # Sold out by hand: the till says that they are there, as before.
        await admin.patch(f"{ITEMS}/{espresso['id']}", {"eightySixed": True})
        [variant] = cocoa["variants"]
        await admin.patch(f"{ITEMS}/{cocoa['id']}", {"variants": [variant | {"eightySixed": True}]})
        before = await items_of(admin)
    lose_links(tmp_path)

    async with running(tmp_path, clock=clock) as service:
        admin = Caller(service.client, admin.secret)
        preview = body_of(await admin.post(f"{connection}/preview"))
        assert (preview["created"], preview["updated"]) == ([], [])
        # The till fails once, then sends what it has, a row of which is bad at first.
        (service.data / "feeds" / "till.json").unlink()
        last = await sync(service, admin, connection, *MENU[:3], MENU[3] | {"price": "?"})
        assert (created(last), last["counts"]["failed"]) == ((0, 0, 3), 1)
        assert created(await sync(service, admin, connection, *MENU)) == (0, 0, 4)
        assert await items_of(admin) == before

        cheaper = [MENU[0] | {"price": 2}, MENU[1] | {"soldOut": False}, *MENU[2:]]
        assert created(await sync(service, admin, connection, *cheaper)) == (0, 2, 2)
        espresso, scone, *_ = await items_of(admin)
        assert (espresso["price"], espresso["eightySixed"]) == (2, True)
        assert scone["eightySixed"] is False


async def test_a_row_that_fits_no_item_or_several_is_made_again(tmp_path: Path, clock: VirtualClock) -> None:
    async with running(tmp_path, clock=clock) as service:
        admin = service.caller(Role.ADMIN)
        connection = await connect(admin)
        await sync(service, admin, connection, *MENU)
        await admin.make(ITEMS, {"name": "Scone", "category": "Cake", "price": 3})
        other = await connect(admin, feed="other.json")
        juice = {"id": "9", "name": "Juice", "category": "Cold", "price": 3}
        await sync(service, admin, other, juice, file="other.json")
    lose_links(tmp_path)

    async with running(tmp_path, clock=clock) as service:
        admin = Caller(service.client, admin.secret)
        renamed = [MENU[0] | {"category": "Espresso"}, MENU[1], MENU[2] | {"name": "Cocoa, hot"}]
        assert created(await sync(service, admin, connection, *renamed)) == (3, 0, 0)
        # Two rows of one name and category are not told apart.
        assert created(await sync(service, admin, other, juice, juice | {"id": "8"}, file="other.json")) == (2, 0, 0)


async def test_a_new_point_of_sale_takes_no_item_by_its_name(tmp_path: Path, clock: VirtualClock) -> None:
    async with running(tmp_path, clock=clock) as service:
        admin = service.caller(Role.ADMIN)
        await admin.make(ITEMS, {"name": "Espresso", "category": "Coffee", "price": 9})
        waiting = await connect(admin, feed="later.json")
    lose_links(tmp_path)

    async with running(tmp_path, clock=clock) as service:
        admin = Caller(service.client, admin.secret)
        assert created(await sync(service, admin, waiting, MENU[0], file="later.json")) == (1, 0, 0)


async def test_items_that_stand_twice_are_told_and_the_one_that_is_left_goes_on(
    tmp_path: Path, clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with running(tmp_path, clock=clock) as service:
        admin = service.caller(Role.ADMIN)
        connection = await connect(admin)
        await sync(service, admin, connection, *MENU)
        first = await items_of(admin)
    engine = open_engine(None, file=tmp_path / "service.sqlite3")
    with for_migrating(engine) as database:
        database.execute(text("DELETE FROM pos_links"))
    engine.dispose()

    async with running(tmp_path, clock=clock) as service:
        admin = Caller(service.client, admin.secret)
        # As the versions between made them again; a SKU was found.
        assert created(await sync(service, admin, connection, *MENU)) == (3, 0, 1)
    with caplog.at_level(logging.WARNING):
        async with running(tmp_path, clock=clock) as service, person(service, Role.ADMIN) as desk:
            admin = Caller(service.client, admin.secret)
            identifier = connection.removeprefix(f"{CONNECTIONS}/")
            page = f"/desk/settings/points-of-sale/{identifier}"
            told = "3 items of the point of sale {} (Till) stand in the menu twice: its page at the desk names them"
            assert told.format(identifier) in caplog.messages
            shown = (await desk.open(page)).text
            assert "3 items stand in the menu twice" in shown
            known = {item["id"] for item in first}
            again = [item for item in await items_of(admin) if item["id"] not in known]
            assert all(f'href="/desk/menu/{item["id"]}"' in shown for item in (*first[:3], *again))
            assert f'href="/desk/menu/{first[3]["id"]}"' not in shown

            # Whichever of two goes: the point of sale goes on with the other.
            for item in (again[0], first[1], again[2]):
                await admin.delete(f"{ITEMS}/{item['id']}")
            assert created(await sync(service, admin, connection, *MENU)) == (0, 0, 4)
            kept = {first[0]["id"], again[1]["id"], first[2]["id"], first[3]["id"]}
            assert {item["id"] for item in await items_of(admin)} == kept
            assert "in the menu twice" not in (await desk.open(page)).text
