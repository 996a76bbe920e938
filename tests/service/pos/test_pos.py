"""Points of sale: feeds are read on request and on schedule, and every sync is atomic and reports its result."""

import asyncio
import json
import os
import socket
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from service.core.permissions import Role
from service.schema.content.pos import FeedFormat
from service.services.pos import connections as pos_module
from service.services.pos import plans as imports_module
from service.services.pos.connections import ClaimedSync
from service.services.pos.connector import Connector, FeedConnector
from service.services.pos.feed import (
    MAX_FEED_BYTES,
    MAX_FEED_ROWS,
    MAX_LISTED_ROW_ERRORS,
    FeedContent,
    FeedFailure,
    Source,
    is_url,
)
from service.services.pos.pictures import Pictures
from service.services.pos.rows import read_feed
from service.services.pos.runner import PosRunner
from service.services.shared.outbound import Outbound
from tests.service.support.application import Caller, Device, Service, body_of, faults_in, until
from tests.service.support.feeds import next_sync, sync_now
from tests.service.support.outbox import emitted_events

CONNECTIONS = "/v1/pos/connections"
ITEMS = "/v1/content/items"
CSV = "id,name,category,price,soldOut\n1,Espresso,Coffee,2.20,false\n2,Scone,Cake,3.1,true\n"


@pytest.fixture
def admin(service: Service) -> Caller:
    return service.caller(Role.ADMIN)


def put(service: Service, text: str | bytes, name: str = "till.csv") -> None:
    """Writes a feed into the operator's folder."""
    folder = service.data / "feeds"
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())


async def connect(admin: Caller, **fields: object) -> str:
    body = {"name": "Till", "feed": "till.csv", "format": "csv", **fields}
    return str((await admin.make(CONNECTIONS, body))["id"])


async def synced(service: Service, admin: Caller, connection: str) -> Any:
    return await sync_now(service, admin, f"{CONNECTIONS}/{connection}")


def runner_of(service: Service, connector: Connector) -> PosRunner:
    """Another process's, which reads feeds by this connector."""
    services = service.services
    pictures = Pictures(database=services.database, assets=services.assets, outbound=Outbound())
    return PosRunner(pos=services.pos, connector=connector, pictures=pictures, clock=service.clock)


async def items_of(caller: Caller) -> dict[str, Any]:
    return {item["name"]: item for item in body_of(await caller.get(ITEMS))["data"]}


async def test_a_sync_imports_items_prices_and_sold_out_flags(service: Service, admin: Caller) -> None:
    put(service, CSV)
    connection = await connect(admin)

    last = await synced(service, admin, connection)

    counts = {"created": 2, "updated": 0, "unchanged": 0, "soldOut": 1, "failed": 0}
    assert (last["status"], last["counts"], last["reason"], last["badRows"]) == ("completed", counts, None, [])
    items = await items_of(admin)
    assert {name: (item["category"], item["price"], item["eightySixed"]) for name, item in items.items()} == {
        "Espresso": ("Coffee", Decimal("2.2"), False),
        "Scone": ("Cake", Decimal("3.1"), True),
    }
    assert emitted_events(service, "pos.sync.completed") == [
        {"connection": connection, "name": "Till", "counts": counts}
    ]


async def test_a_second_sync_follows_the_feed_by_its_own_ids(service: Service, admin: Caller) -> None:
    put(service, CSV)
    connection = await connect(admin)
    await synced(service, admin, connection)
    before = await items_of(admin)

    put(service, CSV.replace("2.20", "2.40").replace("3,Tea", "") + "3,Tea,Tea,2,false\n")
    last = await synced(service, admin, connection)

    assert last["counts"] == {"created": 1, "updated": 1, "unchanged": 1, "soldOut": 1, "failed": 0}
    after = await items_of(admin)
    assert after["Espresso"] == before["Espresso"] | {"price": Decimal("2.4")}
    assert after["Scone"] == before["Scone"]


async def test_boards_follow_a_sync(service: Service, admin: Caller, device: Device) -> None:
    before = body_of(await device.manifest())["revision"]
    put(service, CSV)

    await synced(service, admin, await connect(admin))

    manifest = body_of(await device.manifest())
    assert manifest["revision"] > before
    assert "Espresso" in [item["name"] for item in manifest["items"]]


async def test_an_unchanged_feed_does_not_lift_an_86_set_by_hand(service: Service, admin: Caller) -> None:
    put(service, CSV)
    connection = await connect(admin)
    await synced(service, admin, connection)
    espresso = (await items_of(admin))["Espresso"]["id"]
    await admin.patch(f"{ITEMS}/{espresso}", {"eightySixed": True})

    await synced(service, admin, connection)
    assert (await items_of(admin))["Espresso"]["eightySixed"] is True
    for said in ("true", "false"):
        put(service, CSV.replace("2.20,false", f"2.20,{said}"))
        await synced(service, admin, connection)
    assert (await items_of(admin))["Espresso"]["eightySixed"] is False


async def test_items_missing_from_the_feed_stay_and_removed_ones_return(service: Service, admin: Caller) -> None:
    put(service, CSV)
    connection = await connect(admin)
    await synced(service, admin, connection)
    items = await items_of(admin)
    await admin.delete(f"{ITEMS}/{items['Scone']['id']}")
    put(service, "id,name,category,price\n2,Scone,Cake,3.1\n")

    last = await synced(service, admin, connection)

    assert last["counts"]["created"] == 1
    assert set(await items_of(admin)) == {"Espresso", "Scone"}


async def test_row_errors_are_listed_and_the_other_rows_imported(service: Service, admin: Caller) -> None:
    put(service, CSV + "3,,Tea,2,false\n4,Cocoa,Tea,two,false\n1,Again,Tea,2,false\n5,Chai,Tea,2,perhaps\n")

    last = await synced(service, admin, await connect(admin))

    assert (last["counts"]["created"], last["counts"]["failed"]) == (2, 4)
    assert [(bad["row"], bad["id"], bad["field"], bad["code"]) for bad in last["badRows"]] == [
        (3, "3", "name", "too_short"),
        (4, "4", "price", "not_a_number"),
        (5, "1", "id", "duplicate"),
        (6, "5", "soldOut", "wrong_type"),
    ]
    assert set(await items_of(admin)) == {"Espresso", "Scone"}


async def test_a_sync_that_fails_changes_nothing_and_says_why(
    service: Service, admin: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(service, CSV)
    connection = await connect(admin)
    await synced(service, admin, connection)
    before = await items_of(admin)

    put(service, b"\xff\xfe\x00")
    last = await synced(service, admin, connection)
    assert (last["status"], last["reason"], last["counts"]) == ("failed", "bad_encoding", None)
    monkeypatch.setattr(imports_module, "MAX_ITEMS", 2)
    put(service, CSV.replace("2.20", "9.99") + "3,Tea,Tea,2,false\n")
    last = await synced(service, admin, connection)
    assert last["reason"] == "workspace_full"

    assert await items_of(admin) == before
    assert [one["reason"] for one in emitted_events(service, "pos.sync.failed")] == ["bad_encoding", "workspace_full"]
    assert all(one["connection"] == connection and one["detail"] for one in emitted_events(service, "pos.sync.failed"))


async def test_a_schedule_reads_the_feed_at_once_and_then_periodically(service: Service, admin: Caller) -> None:
    put(service, CSV)
    connection = await connect(admin, everyMinutes=15)
    first = await next_sync(service, admin, f"{CONNECTIONS}/{connection}", None)

    service.clock.set(service.clock.now().replace(minute=14, second=0))
    await service.pass_seconds(5)
    assert body_of(await admin.get(f"{CONNECTIONS}/{connection}"))["lastSync"] == first
    service.clock.set(service.clock.now().replace(minute=16, second=0))
    assert (await next_sync(service, admin, f"{CONNECTIONS}/{connection}", first))["status"] == "completed"


async def test_an_interrupted_sync_is_repeated(service: Service, admin: Caller) -> None:
    put(service, CSV)
    connection = await connect(admin)
    await admin.post(f"{CONNECTIONS}/{connection}/sync")
    pos = service.services.pos

    # Its claimer dies; nobody else gets it before the lease is over.
    assert [due.connection for due in pos.claim_due(service.clock.now())] == [connection]
    assert pos.claim_due(service.clock.now()) == ()
    service.clock.set(service.clock.now() + pos_module.LEASE)
    assert [due.connection for due in pos.claim_due(service.clock.now())] == [connection]


@pytest.mark.proves("sync-point-sale")
async def test_a_sync_that_fails_unforeseen_costs_no_other(
    service: Service, admin: Caller, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("broken", "slow"):
        await connect(admin, name=name, feed=f"{name}.csv", everyMinutes=5)
    released = asyncio.Event()

    class Waiting:
        async def read(self, source: Source) -> FeedContent | FeedFailure:
            if source.feed == "broken.csv":
                raise RuntimeError("unforeseen")
            await released.wait()
            return read_feed(CSV.encode(), source.format)

    runner = runner_of(service, Waiting())
    runner.tick()
    await until(lambda: "cannot sync the point of sale" in caplog.text)
    assert await items_of(admin) == {}
    released.set()
    await until(lambda: emitted_events(service, "pos.sync.completed") != [])
    await runner.close()

    assert sorted(await items_of(admin)) == ["Espresso", "Scone"]


async def test_the_result_of_an_expired_claim_is_ignored(service: Service, admin: Caller) -> None:
    connection = await connect(admin)
    await admin.post(f"{CONNECTIONS}/{connection}/sync")
    pos = service.services.pos
    [stalled] = pos.claim_due(service.clock.now())
    service.clock.set(service.clock.now() + pos_module.LEASE)
    [due] = pos.claim_due(service.clock.now())

    pos.finish(stalled, feed_of(CSV.replace("2.20", "1.10")))
    pos.finish(due, feed_of(CSV))
    pos.finish(stalled, feed_of(CSV.replace("2.20", "1.10")))

    assert (await items_of(admin))["Espresso"]["price"] == Decimal("2.2")
    assert len(emitted_events(service, "pos.sync.completed")) == 1


async def test_renaming_does_not_cancel_a_running_sync(service: Service, admin: Caller) -> None:
    connection = await connect(admin)
    await admin.post(f"{CONNECTIONS}/{connection}/sync")
    [due] = service.services.pos.claim_due(service.clock.now())
    await admin.patch(f"{CONNECTIONS}/{connection}", {"name": "Bar"})

    service.services.pos.finish(due, feed_of(CSV))

    assert [one["name"] for one in emitted_events(service, "pos.sync.completed")] == ["Bar"]


async def test_a_feed_read_before_a_change_of_the_connection_is_ignored(service: Service, admin: Caller) -> None:
    connection = await connect(admin)
    await admin.post(f"{CONNECTIONS}/{connection}/sync")
    [due] = service.services.pos.claim_due(service.clock.now())
    await admin.patch(f"{CONNECTIONS}/{connection}", {"feed": "other.csv"})

    service.services.pos.finish(due, feed_of(CSV))

    assert await items_of(admin) == {}
    assert emitted_events(service, "pos.sync.completed") == []


async def test_a_connection_is_changed_disabled_and_removed(service: Service, admin: Caller) -> None:
    connection = await connect(admin, everyMinutes=15)
    path = f"{CONNECTIONS}/{connection}"

    changed = body_of(await admin.patch(path, {"name": "Bar", "enabled": False}))
    assert (changed["name"], changed["enabled"], changed["nextSyncAt"]) == ("Bar", False, None)
    refused = await admin.post(f"{path}/sync")
    assert (refused.status_code, refused.json()["code"]) == (409, "disabled")
    assert [one["id"] for one in body_of(await admin.get(CONNECTIONS))["data"]] == [connection]
    assert (await admin.delete(path)).status_code == 204
    assert (await admin.get(path)).status_code == 404


NO_CONNECTIONS: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"feed": "../service.sqlite3"}, {"/feed": "not_a_feed"}),
    ({"feed": "/etc/passwd"}, {"/feed": "not_a_feed"}),
    ({"feed": ".hidden"}, {"/feed": "not_a_feed"}),
    ({"feed": "http://till.example.com/menu.csv"}, {"/feed": "not_a_feed"}),
    ({"feed": "file:///etc/passwd"}, {"/feed": "not_a_feed"}),
    ({"feed": "https://127.0.0.1/menu.csv"}, {"/feed": "not_a_feed"}),
    ({"feed": "https://user:word@till.example.com/menu.csv"}, {"/feed": "not_a_feed"}),
    ({"format": "xml", "everyMinutes": 4}, {"/format": "not_allowed", "/everyMinutes": "out_of_range"}),
]


async def test_an_invalid_connection_is_refused(admin: Caller) -> None:
    connection = await connect(admin)
    for change, faults in NO_CONNECTIONS:
        body = {"name": "Till", "feed": "till.csv", "format": "csv"} | change
        for response in (
            await admin.post(CONNECTIONS, body),
            await admin.patch(f"{CONNECTIONS}/{connection}", change),
        ):
            assert (response.status_code, faults_in(response)) == (422, faults), change


async def test_the_number_of_connections_is_limited(admin: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pos_module, "MAX_CONNECTIONS", 1)
    await connect(admin)

    full = await admin.post(CONNECTIONS, {"name": "Till", "feed": "till.csv", "format": "csv"})

    assert (full.status_code, full.json()["code"]) == (409, "too_many_connections")


async def test_connections_of_another_workspace_are_not_found(service: Service, admin: Caller) -> None:
    connection = await connect(admin)
    stranger = service.stranger()

    assert body_of(await stranger.get(CONNECTIONS))["data"] == []
    assert (await stranger.get(f"{CONNECTIONS}/{connection}")).status_code == 404
    assert (await stranger.post(f"{CONNECTIONS}/{connection}/sync")).status_code == 404


def feed_of(text: str | bytes, form: FeedFormat = "csv") -> FeedContent:
    menu = read_feed(text if isinstance(text, bytes) else text.encode(), form)
    assert isinstance(menu, FeedContent), menu
    return menu


def test_feed_formats() -> None:
    plain = feed_of(CSV).rows
    assert feed_of("\ufeff" + CSV.replace("\n", "\r\n")).rows == plain
    assert feed_of(CSV.replace(",", ";")).rows == plain
    assert feed_of("Name,ID,Price,Sold Out,Category,More\n" + "Espresso,1,2.20,no,Coffee,x\n").rows == plain[:1]
    rows = '[{"id": 1, "name": "Espresso", "category": "Coffee", "price": 2.20, "soldOut": false, "more": 1}]'
    assert feed_of(rows, "json").rows == plain[:1]
    assert feed_of(f'{{"items": {rows}}}', "json").rows == plain[:1]
    assert feed_of("id,name,category,price\n").rows == ()


NO_FEEDS: list[tuple[bytes, FeedFormat, str]] = [
    (b"", "csv", "bad_csv"),
    (b"name,price\na,1\n", "csv", "bad_csv"),
    (b'id,name,category,price\n1,"a,b,c\n', "csv", "bad_csv"),
    (b"id,name,category,price\n1,a,b,x\n", "csv", "no_good_row"),
    (b"\x81", "csv", "bad_encoding"),
    (b"{", "json", "bad_json"),
    (b"5", "json", "bad_json"),
    (b"[" * 100_000, "json", "bad_json"),
    (b"[5, null]", "json", "no_good_row"),
    (b'[{"id": 1, "name": "a", "category": "b", "price": 1e999999999}]', "json", "no_good_row"),
]


def test_an_invalid_feed_has_a_reason() -> None:
    for raw, form, reason in NO_FEEDS:
        menu = read_feed(raw, form)
        assert isinstance(menu, FeedFailure), raw[:50]
        assert menu.reason == reason, raw[:50]
        assert menu.detail


def test_the_number_of_rows_is_limited() -> None:
    head, row = "id,name,category,price\n", "1,Espresso,Coffee,2.20\n"
    assert isinstance(read_feed((head + row * MAX_FEED_ROWS).encode(), "csv"), FeedContent)
    most = FeedFailure("too_many_rows", "A feed has at most 10000 rows.")
    assert read_feed((head + row * (MAX_FEED_ROWS + 1)).encode(), "csv") == most


def test_listed_row_errors_are_limited_and_all_are_counted() -> None:
    menu = feed_of(CSV + "x,,,,\n" * 60)

    assert (len(menu.errors), menu.error_count) == (MAX_LISTED_ROW_ERRORS, 60)


async def read_url(tmp_path: Path, answer: bytes) -> FeedContent | FeedFailure:
    """Reads a feed from a server with this answer."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    outbound = Outbound(allow_private=True)
    try:
        port = server.sockets[0].getsockname()[1]
        source = Source(feed=f"http://127.0.0.1:{port}/menu.csv", format="csv")
        return await FeedConnector(data=tmp_path, outbound=outbound).read(source)
    finally:
        await outbound.close()
        server.close()
        await server.wait_closed()


def answer(body: bytes, status: bytes = b"200 OK", more: bytes = b"") -> bytes:
    return b"HTTP/1.1 %b\r\nContent-Length: %d\r\nConnection: close\r\n%b\r\n%b" % (status, len(body), more, body)


async def test_a_feed_is_fetched(tmp_path: Path) -> None:
    assert await read_url(tmp_path, answer(CSV.encode())) == feed_of(CSV)


async def test_a_feed_that_cannot_be_fetched_has_a_reason(tmp_path: Path) -> None:
    for raw, reason in (
        (answer(b"", b"404 Not Found"), "bad_status"),
        (answer(b"", b"302 Found", b"Location: /elsewhere\r\n"), "bad_status"),
        (answer(b"x" * (MAX_FEED_BYTES + 1)), "too_large"),
        (b"nonsense\r\n\r\n", "broken_connection"),
    ):
        menu = await read_url(tmp_path, raw)
        assert isinstance(menu, FeedFailure), reason
        assert menu.reason == reason


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_a_file_that_cannot_be_read_has_a_reason(tmp_path: Path) -> None:
    feeds = tmp_path / "feeds"
    (feeds / "ws_2").mkdir(parents=True)
    (feeds / "large.csv").write_bytes(b"x" * (MAX_FEED_BYTES + 1))
    (feeds / "ws_2" / "good.csv").write_text("id,name,category,price\n")
    (feeds / "link.csv").symlink_to(feeds / "ws_2" / "good.csv")
    (feeds / "linked").symlink_to(feeds / "ws_2")
    (feeds / "dangling.csv").symlink_to("nothing")
    os.mkfifo(feeds / "pipe.csv")
    connector = FeedConnector(data=tmp_path, outbound=Outbound())
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(feeds / "socket.csv"))
        for folder, name, reason in (
            ("", "none.csv", "no_file"),
            ("", "../none.csv", "no_file"),
            ("none", "good.csv", "no_file"),
            ("", "large.csv", "too_large"),
            ("", "ws_2", "not_a_file"),
            ("", "link.csv", "not_a_file"),
            ("", "dangling.csv", "not_a_file"),
            ("", "pipe.csv", "not_a_file"),
            ("", "socket.csv", "not_a_file"),
            ("linked", "good.csv", "not_a_file"),
        ):
            menu = await asyncio.wait_for(connector.read(Source(feed=name, format="csv", folder=folder)), 10)
            assert isinstance(menu, FeedFailure), name
            assert menu.reason == reason, name
        before = open_files()
        await connector.read(Source(feed="ws_2", format="csv"))
        assert open_files() == before, "what is no file is closed again"
        assert await connector.read(Source(feed="good.csv", format="csv", folder="ws_2")) == FeedContent(
            (), (), 0, "utf-8"
        )


async def test_a_link_in_place_of_the_folder_of_feeds_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "till.csv").write_text(CSV)
    (tmp_path / "feeds").symlink_to("elsewhere")
    menu = await FeedConnector(data=tmp_path, outbound=Outbound()).read(Source(feed="till.csv", format="csv"))
    assert isinstance(menu, FeedFailure)
    assert menu.reason == "not_a_file"


async def test_each_workspace_has_its_own_folder_of_feeds(service: Service, admin: Caller) -> None:
    """The files in the folder itself stay the first workspace's, which had them before there were others."""
    put(service, CSV)
    own = await connect(admin)
    assert body_of(await admin.get(f"{CONNECTIONS}/{own}"))["file"] == "feeds/till.csv"
    stranger = service.stranger()
    other = await connect(stranger)
    [listed] = body_of(await stranger.get(CONNECTIONS))["data"]
    assert listed["file"] == "feeds/ws_2/till.csv"

    last = await synced(service, stranger, other)
    assert last["reason"] == "no_file"
    assert "feeds/ws_2/till.csv" in last["detail"], "where the file belongs"
    assert await items_of(stranger) == {}
    assert (await synced(service, admin, own))["status"] == "completed"

    (service.data / "feeds" / "ws_2").mkdir()
    put(service, "id,name,category,price\n1,Tea,Tea,2\n", "ws_2/till.csv")
    assert (await synced(service, stranger, other))["status"] == "completed"
    assert set(await items_of(stranger)) == {"Tea"}
    assert set(await items_of(admin)) == {"Espresso", "Scone"}


async def test_feeds_that_do_not_answer_hold_up_no_other_workspace(service: Service, admin: Caller) -> None:
    urls = 3 * pos_module.MAX_CLAIMED_OF_WORKSPACE
    for number in range(urls):
        await connect(admin, feed=f"https://till{number}.example.com/", everyMinutes=5)
    read: list[str] = []
    released = asyncio.Event()

    class Waiting:
        async def read(self, source: Source) -> FeedContent | FeedFailure:
            read.append(source.feed)
            if is_url(source.feed):
                await released.wait()
                return FeedFailure("timeout", "")
            return read_feed(CSV.encode(), source.format)

    runner = runner_of(service, Waiting())
    runner.tick()
    await until(lambda: len(read) == pos_module.MAX_CLAIMED_OF_WORKSPACE)
    stranger = service.stranger()
    await connect(stranger, everyMinutes=5)

    runner.tick()
    await until(lambda: emitted_events(service, "pos.sync.completed") != [])
    assert set(await items_of(stranger)) == {"Espresso", "Scone"}
    assert len(read) == pos_module.MAX_CLAIMED_OF_WORKSPACE + 1, "the other feeds wait for their turn"

    # A file is read before the URLs that wait, and each gets its turn.
    await connect(admin, everyMinutes=5)
    released.set()
    await until(lambda: len(read) == urls + 2)
    assert read.index("till.csv", pos_module.MAX_CLAIMED_OF_WORKSPACE + 1) < 2 * pos_module.MAX_CLAIMED_OF_WORKSPACE
    await until(lambda: len(emitted_events(service, "pos.sync.failed")) == urls)
    await runner.close()


async def test_a_sync_that_ends_while_others_are_claimed_makes_room_at_once(
    service: Service, admin: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(pos_module.MAX_CLAIMED_OF_WORKSPACE + 1):
        await connect(admin, feed=f"https://till{number}.example.com/", everyMinutes=5)
    read: list[str] = []
    released, claimed, held = asyncio.Event(), threading.Event(), threading.Event()
    claim_due = service.services.pos.claim_due

    def claim_slowly(now: datetime, running: Mapping[str, int]) -> Sequence[ClaimedSync]:
        found = claim_due(now, running)
        if not found:
            # The others are at work: nothing is found, and they end before that is told.
            claimed.set()
            held.wait()
        return found

    class Waiting:
        async def read(self, source: Source) -> FeedContent | FeedFailure:
            read.append(source.feed)
            await released.wait()
            return FeedFailure("timeout", "")

    monkeypatch.setattr(service.services.pos, "claim_due", claim_slowly)
    runner = runner_of(service, Waiting())
    runner.tick()
    await until(lambda: len(read) == pos_module.MAX_CLAIMED_OF_WORKSPACE)
    runner.tick()
    await until(claimed.is_set)
    tasks = len(asyncio.all_tasks())
    released.set()
    await until(lambda: len(asyncio.all_tasks()) == tasks - pos_module.MAX_CLAIMED_OF_WORKSPACE)
    held.set()
    await until(lambda: len(read) == pos_module.MAX_CLAIMED_OF_WORKSPACE + 1)
    await runner.close()


async def test_a_process_reads_a_bounded_number_of_feeds_at_a_time(service: Service, admin: Caller) -> None:
    pos = service.services.pos
    busy = {f"ws_{number}": 3 for number in range(pos_module.MAX_CLAIMED // 3)}
    await connect(admin, everyMinutes=5)

    assert pos.claim_due(service.clock.now(), busy) == ()
    busy["ws_0"] -= 1
    assert len(pos.claim_due(service.clock.now(), busy)) == 1


async def test_a_second_connection_to_a_feed_is_refused(service: Service, admin: Caller) -> None:
    first = await connect(admin)
    url = await connect(admin, feed="https://till.example.com/menu.csv")
    again = {"name": "Again", "format": "csv"}
    for feed, other in (("till.csv", first), ("https://TILL.example.com:443/menu.csv", url)):
        refused = await admin.post(CONNECTIONS, again | {"feed": feed})
        assert (refused.status_code, body_of(refused)["code"]) == (409, "feed_connected"), feed
        assert other in body_of(refused)["detail"]
        refused = await admin.patch(f"{CONNECTIONS}/{first if other == url else url}", {"feed": feed})
        assert (refused.status_code, body_of(refused)["code"]) == (409, "feed_connected"), feed
    assert (await admin.patch(f"{CONNECTIONS}/{first}", {"feed": "till.csv", "format": "json"})).status_code == 200
    assert (await service.stranger().post(CONNECTIONS, again | {"feed": "till.csv"})).status_code == 201


async def test_a_feed_brings_variants_and_their_86_by_their_names(service: Service, admin: Caller) -> None:
    row = {"id": "1", "name": "Margherita", "category": "Pizza", "price": 8.5}

    def feed(*sizes: dict[str, Any]) -> str:
        return json.dumps([row | {"variants": list(sizes)}])

    small, large = {"name": "S", "price": 8.5, "soldOut": True}, {"name": "L", "price": 12.5, "soldOut": False}
    put(service, feed(small, large), "till.json")
    connection = await connect(admin, feed="till.json", format="json")
    await synced(service, admin, connection)
    item = (await items_of(admin))["Margherita"]
    assert [(one["name"], one["price"], one["eightySixed"]) for one in item["variants"]] == [
        ("S", Decimal("8.5"), True),
        ("L", Decimal("12.5"), False),
    ]

    # Lifted by hand: what the feed says anew counts, what it goes on saying does not.
    await admin.patch(f"{ITEMS}/{item['id']}/variants/{item['variants'][0]['id']}", {"eightySixed": False})
    put(service, feed(small | {"price": 9}, large | {"soldOut": True}), "till.json")
    assert (await synced(service, admin, connection))["counts"]["updated"] == 1
    after = (await items_of(admin))["Margherita"]
    assert [(one["price"], one["eightySixed"]) for one in after["variants"]] == [
        (Decimal(9), False),
        (Decimal("12.5"), True),
    ]
    assert [one["id"] for one in after["variants"]] == [one["id"] for one in item["variants"]]
    put(service, json.dumps([row]), "till.json")
    await synced(service, admin, connection)
    assert (await items_of(admin))["Margherita"]["variants"] == after["variants"], "a feed without variants keeps them"


async def test_variants_stand_in_a_cell_of_a_csv_feed(service: Service, admin: Caller) -> None:
    put(service, "id,name,category,price,variants\n1,Cola,Drinks,2.5,0.3 l = 2.50 | 0.5 l=3.5\n2,Tea,Drinks,2,\n")
    connection = await connect(admin)
    await synced(service, admin, connection)
    items = await items_of(admin)
    assert [(one["name"], one["price"]) for one in items["Cola"]["variants"]] == [
        ("0.3 l", Decimal("2.5")),
        ("0.5 l", Decimal("3.5")),
    ]
    assert items["Tea"]["variants"] == []

    put(service, "id,name,category,price,variants\n1,Cola,Drinks,2.5,small\n2,Tea,Drinks,2,S=1|S=2\n3,Pop,Drinks,2,\n")
    last = await synced(service, admin, connection)
    assert [(row["row"], row["field"]) for row in last["badRows"]] == [(1, "variants/0/name"), (2, "variants/1/name")]


async def test_a_feed_tells_names_in_other_languages(service: Service, admin: Caller) -> None:
    put(service, "id;name;category;price;name:en;Name: xx\n1;Kaffee;Hot;3;Coffee;\n2;Tee;Hot;3;Tea;Tea\n")
    connection = await connect(admin)
    last = await synced(service, admin, connection)
    assert [(row["row"], row["field"], row["code"]) for row in last["badRows"]] == [
        (2, "translations/xx", "unknown_language")
    ]
    item = (await items_of(admin))["Kaffee"]
    assert item["translations"] == {"en": {"name": "Coffee", "description": None}}

    # What the feed does not tell stays.
    english = {"name": "Filter coffee", "description": "Freshly brewed"}
    given = {"description": "Frisch", "translations": {"en": english, "fr": {"name": "Café"}}}
    await admin.patch(f"{ITEMS}/{item['id']}", given)
    row = {"id": "1", "name": "Kaffee", "category": "Hot", "price": 3, "translations": {"en": {"name": "Joe"}}}
    put(service, json.dumps([row]), "till.json")
    await admin.patch(f"{CONNECTIONS}/{connection}", {"feed": "till.json", "format": "json"})
    assert (await synced(service, admin, connection))["counts"]["updated"] == 1
    assert (await synced(service, admin, connection))["counts"]["updated"] == 0
    assert (await items_of(admin))["Kaffee"]["translations"] == {
        "en": {"name": "Joe", "description": "Freshly brewed"},
        "fr": {"name": "Café", "description": None},
    }
