"""Previews of syncs, and items that a point of sale pushes."""

import asyncio
import json
import threading
from concurrent import futures
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import select

from service.core.permissions import Role
from service.services.pos import connections as connections_module
from service.services.pos.connector import Connector
from service.services.pos.feed import MAX_FEED_ROWS, FeedContent, FeedFailure, Source
from service.services.pos.previews import MAX_PREVIEWS, SyncPreviews
from service.services.pos.results import MAX_PREVIEWED
from service.storage.tables.menus import PosConnectionRow
from tests.service.support.application import Caller, Device, Service, body_of, faults_in, until
from tests.service.support.feeds import sync_now
from tests.service.support.outbox import emitted_events
from tests.service.support.workspaces import all_rows
from tests.support.patience import PATIENCE_SECONDS

CONNECTIONS = "/v1/pos/connections"
ITEMS = "/v1/content/items"
ESPRESSO = {"id": "1", "name": "Espresso", "category": "Coffee", "price": 2.2, "sku": "E-1"}
SCONE = {"id": "2", "name": "Scone", "category": "Cake", "price": 3, "soldOut": False}
PIE = {"id": "3", "name": "Pie", "category": "Cake", "price": 4}


@pytest.fixture
def admin(service: Service) -> Caller:
    return service.caller(Role.ADMIN)


async def connect(admin: Caller, **fields: object) -> str:
    body = {"name": "Till", "format": "json", **fields}
    return f"{CONNECTIONS}/{(await admin.make(CONNECTIONS, body))['id']}"


async def items_of(caller: Caller) -> dict[str, Any]:
    return {item["name"]: item for item in body_of(await caller.get(ITEMS))["data"]}


def put(service: Service, *rows: Any) -> None:
    folder = service.data / "feeds"
    folder.mkdir(exist_ok=True)
    (folder / "till.json").write_text(json.dumps(rows))


async def test_a_preview_tells_what_a_sync_would_do_and_changes_nothing(service: Service, admin: Caller) -> None:
    connection = await connect(admin, feed="till.json")
    put(service, ESPRESSO, SCONE, PIE)
    await sync_now(service, admin, connection)
    items = await items_of(admin)
    gone = items["Pie"]["id"]
    await admin.delete(f"{ITEMS}/{gone}")
    changed = ESPRESSO | {
        "price": 2.5,
        "variants": [{"name": "S", "price": 2.5}],
        "imageUrl": "https://a.example/e.png",
    }
    put(service, changed, PIE, {"id": "4", "name": "Tea", "category": "Tea", "price": 2}, {"id": "5", "name": "Bad"})
    before = all_rows(service)

    preview = body_of(await admin.post(f"{connection}/preview"))

    assert all_rows(service) == before
    assert (preview["status"], preview["encoding"], preview["reason"]) == ("completed", "utf-8", None)
    counts = {"created": 2, "updated": 1, "unchanged": 0, "soldOut": 0, "failed": 1, "missing": 1}
    assert preview["counts"] == counts
    assert preview["created"] == [
        {"id": "3", "item": gone, "name": "Pie", "category": "Cake", "price": 4, "sku": None},
        {"id": "4", "item": None, "name": "Tea", "category": "Tea", "price": 2, "sku": None},
    ]
    [one] = preview["updated"]
    assert (one["id"], one["item"], one["name"]) == ("1", items["Espresso"]["id"], "Espresso")
    told = {change["field"]: (change["from"], change["to"]) for change in one["changes"]}
    assert told["price"] == (Decimal("2.2"), Decimal("2.5"))
    assert told["imageUrl"] == (None, "https://a.example/e.png")
    assert (told["variants"][0], [size["name"] for size in told["variants"][1]]) == ([], ["S"])
    assert preview["missing"] == [{"item": items["Scone"]["id"], "name": "Scone"}]
    assert [(bad["row"], bad["field"]) for bad in preview["badRows"]] == [(4, "category")]

    last = await sync_now(service, admin, connection)
    assert last["counts"] == {name: count for name, count in counts.items() if name != "missing"}, "as it was foretold"


async def test_a_preview_of_a_feed_that_cannot_be_read_says_why(service: Service, admin: Caller) -> None:
    connection = await connect(admin, feed="till.json")
    preview = body_of(await admin.post(f"{connection}/preview"))
    assert (preview["status"], preview["reason"], preview["counts"]) == ("failed", "no_file", None)
    put(service, *(SCONE | {"id": f"{n}"} for n in range(MAX_PREVIEWED + 1)))
    preview = body_of(await admin.post(f"{connection}/preview"))
    assert (preview["counts"]["created"], len(preview["created"])) == (MAX_PREVIEWED + 1, MAX_PREVIEWED)
    put(service, ESPRESSO, SCONE)
    await sync_now(service, admin, connection)
    put(service, ESPRESSO, SCONE | {"price": "x"})
    assert body_of(await admin.post(f"{connection}/preview"))["missing"] == [], "a bad row names its item all the same"
    refused = await admin.post(f"{await connect(admin)}/preview")
    assert (refused.status_code, body_of(refused)["code"]) == (409, "no_feed")


async def test_the_number_of_previews_at_a_time_is_limited(service: Service, admin: Caller) -> None:
    identifier = (await connect(admin, feed="https://till.example.com/menu.json")).rpartition("/")[2]
    with service.services.database.read() as session:
        workspace = str(session.scalar(select(PosConnectionRow.workspace_id)))
    released = asyncio.Event()

    class Waiting:
        async def read(self, _source: Source) -> FeedContent | FeedFailure:
            await released.wait()
            return FeedFailure("timeout", "The feed did not answer.")

    connector: Connector = Waiting()
    previews = SyncPreviews(pos=service.services.pos, connector=connector)
    calls = [asyncio.ensure_future(previews.preview(workspace, identifier)) for _ in range(MAX_PREVIEWS + 1)]
    await until(lambda: any(call.done() for call in calls))
    released.set()
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert sorted(getattr(one, "code", "") for one in outcomes) == [""] * MAX_PREVIEWS + ["preview_busy"]
    assert (await previews.preview(workspace, identifier)).reason == "timeout"


async def test_a_point_of_sale_pushes_its_items(service: Service, admin: Caller, device: Device) -> None:
    connection = await connect(admin)
    told = body_of(await admin.get(connection))
    assert (told["feed"], told["file"], told["nextSyncAt"]) == (None, None, None)

    result = body_of(await admin.send("PUT", f"{connection}/items", [ESPRESSO, SCONE]))
    counts = {"created": 2, "updated": 0, "unchanged": 0, "soldOut": 0, "failed": 0}
    assert (result["status"], result["counts"], result["encoding"]) == ("completed", counts, None)
    assert body_of(await admin.get(connection))["lastSync"] == result
    assert emitted_events(service, "pos.sync.completed")[0]["counts"] == counts
    names = [item["name"] for item in body_of(await device.manifest())["items"]]
    assert {"Espresso", "Scone"} <= set(names), "the board has them at once"

    again = body_of(await admin.send("PUT", f"{connection}/items", {"items": [ESPRESSO, SCONE]}))
    assert (again["counts"]["unchanged"], len(await items_of(admin))) == (2, 4)
    more = body_of(await admin.send("PUT", f"{connection}/items", [SCONE | {"price": 3.5}, PIE | {"price": "free"}]))
    assert (more["counts"]["updated"], more["counts"]["failed"]) == (1, 1)
    assert [(bad["row"], bad["id"], bad["field"]) for bad in more["badRows"]] == [(2, "3", "price")]
    assert (await items_of(admin))["Espresso"]["price"] == Decimal("2.2"), "what is not named stays"


async def test_a_point_of_sale_pushes_single_fields(service: Service, admin: Caller) -> None:
    connection = await connect(admin)
    await admin.send("PUT", f"{connection}/items", [ESPRESSO, SCONE])
    before = await items_of(admin)

    parts = [{"id": "2", "soldOut": True}, {"id": "1", "price": 2.4}, {"id": "9", "soldOut": True}]
    result = body_of(await admin.patch(f"{connection}/items", parts))
    assert (result["counts"]["updated"], result["counts"]["failed"]) == (2, 1)
    assert [(bad["row"], bad["id"], bad["code"]) for bad in result["badRows"]] == [(3, "9", "unknown_id")]
    assert await items_of(admin) == {
        "Espresso": before["Espresso"] | {"price": Decimal("2.4")},
        "Scone": before["Scone"] | {"eightySixed": True},
    }

    await admin.patch(f"{ITEMS}/{before['Scone']['id']}", {"priceKind": "market"})
    result = body_of(await admin.patch(f"{connection}/items", [{"id": "2", "priceKind": "from"}]))
    assert [(bad["field"], bad["code"]) for bad in result["badRows"]] == [("price", "required")]


async def test_a_push_that_imports_nothing_is_refused_and_told(service: Service, admin: Caller) -> None:
    connection = await connect(admin)
    refused = await admin.send("PUT", f"{connection}/items", {"items": [ESPRESSO | {"price": -1}]})
    assert (refused.status_code, body_of(refused)["code"]) == (422, "no_good_row")
    assert faults_in(refused) == {"/items/0/price": "negative"}
    assert body_of(await admin.get(connection))["lastSync"]["reason"] == "no_good_row"
    assert [one["reason"] for one in emitted_events(service, "pos.sync.failed")] == ["no_good_row"]
    many = [ESPRESSO | {"id": str(number)} for number in range(MAX_FEED_ROWS + 1)]
    for body, code in (({"rows": []}, "bad_json"), (many, "too_many_rows")):
        refused = await admin.send("PUT", f"{connection}/items", body)
        assert (refused.status_code, body_of(refused)["code"]) == (422, code)
    assert (await admin.send("PUT", f"{connection}/items", 5)).status_code == 422
    assert await items_of(admin) == {}


async def test_a_connection_has_a_feed_or_is_pushed_to(service: Service, admin: Caller) -> None:
    reads, pushed = await connect(admin, feed="till.json"), await connect(admin)
    await connect(admin)  # a second one without a feed reads no other's
    for method, path, code in (
        ("PUT", f"{reads}/items", "has_feed"),
        ("PATCH", f"{reads}/items", "has_feed"),
        ("POST", f"{pushed}/sync", "no_feed"),
    ):
        refused = await admin.send(method, path, [ESPRESSO])
        assert (refused.status_code, body_of(refused)["code"]) == (409, code), path
    for response in (
        await admin.patch(pushed, {"everyMinutes": 5}),
        await admin.post(CONNECTIONS, {"name": "x", "format": "json", "everyMinutes": 5}),
    ):
        assert faults_in(response) == {"/everyMinutes": "no_feed"}
    assert body_of(await admin.patch(reads, {"feed": None}))["feed"] is None
    await admin.patch(pushed, {"enabled": False})
    refused = await admin.send("PUT", f"{pushed}/items", [ESPRESSO])
    assert (refused.status_code, body_of(refused)["code"]) == (409, "disabled")


async def test_an_editor_may_push_and_a_narrowed_key_may_not(service: Service, admin: Caller, device: Device) -> None:
    connection = await connect(admin)
    editor = service.caller(Role.EDITOR)
    assert (await editor.send("PUT", f"{connection}/items", [ESPRESSO])).status_code == 200
    assert (await editor.post(f"{connection}/preview")).status_code == 403
    assert (await service.caller(Role.VIEWER).send("PUT", f"{connection}/items", [ESPRESSO])).status_code == 403
    assert (await service.stranger().send("PUT", f"{connection}/items", [ESPRESSO])).status_code == 404


async def test_a_repeated_push_of_fields_gets_the_first_answer(admin: Caller) -> None:
    connection = await connect(admin)
    await admin.send("PUT", f"{connection}/items", [ESPRESSO])
    first = await admin.send("PATCH", f"{connection}/items", [{"id": "1", "price": 3}], **{"Idempotency-Key": "a"})
    again = await admin.send("PATCH", f"{connection}/items", [{"id": "1", "price": 3}], **{"Idempotency-Key": "a"})
    assert (first.status_code, again.content) == (200, first.content)
    assert body_of(again)["counts"]["updated"] == 1


def many(price: float, count: int = 300) -> list[dict[str, Any]]:
    return [
        {"id": f"{n}", "name": f"Dish {n}", "category": "Lunch", "price": price, "soldOut": False} for n in range(count)
    ]


async def test_a_long_import_is_planned_while_others_write(
    service: Service, admin: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = await connect(admin)
    tea = (await admin.make(ITEMS, {"name": "Tea", "category": "Tea", "price": 3}))["id"]
    await admin.send("PUT", f"{connection}/items", many(3))
    await service.clock.advance(1)
    planning, go_on = threading.Event(), threading.Event()
    plan = connections_module.plan_import

    def slow(*args: Any, **more: Any) -> Any:
        planned = plan(*args, **more)
        planning.set()
        assert go_on.wait(PATIENCE_SECONDS)
        return planned

    monkeypatch.setattr(connections_module, "plan_import", slow)
    push = asyncio.ensure_future(admin.send("PUT", f"{connection}/items", many(4)))
    await asyncio.to_thread(planning.wait, PATIENCE_SECONDS)
    assert (await admin.patch(f"{ITEMS}/{tea}", {"eightySixed": True})).status_code == 200
    go_on.set()
    answer = body_of(await push)

    assert answer["counts"]["updated"] == 300
    assert body_of(await admin.get(f"{ITEMS}/{tea}"))["eightySixed"]


@pytest.mark.first_case
@pytest.mark.parametrize("change", ["eightySixed", "price", "deleted", "sku"])
async def test_what_changes_while_an_import_is_planned_is_not_lost(
    service: Service, admin: Caller, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    connection = await connect(admin)
    rows = [{**row, "sku": f"S-{row['id']}"} for row in many(3)]
    await admin.send("PUT", f"{connection}/items", rows)
    await service.clock.advance(1)
    item = (await items_of(admin))["Dish 0"]["id"]
    with_new = [
        *({**row, "price": 4} for row in rows),
        {**rows[0], "id": "new", "name": "New", "price": 4, "sku": "S-new"},
    ]
    plan, tries = connections_module.plan_import, list[int]()

    def meanwhile(*args: Any, **more: Any) -> Any:
        planned = plan(*args, **more)
        tries.append(1)
        if len(tries) == 1:
            # From another thread: the snapshot of this one is read already.
            with futures.ThreadPoolExecutor() as pool:
                pool.submit(asyncio.run, write()).result()
        return planned

    async def write() -> None:
        match change:
            case "deleted":
                answer = await admin.delete(f"{ITEMS}/{item}")
            case "sku":
                answer = await admin.post(ITEMS, {"name": "Mine", "category": "A", "price": 1, "sku": "S-new"})
            case _:
                answer = await admin.patch(
                    f"{ITEMS}/{item}", {"eightySixed": True} if change != "price" else {"price": 9}
                )
        assert answer.status_code in (200, 201, 204)
        service.clock.set(service.clock.now() + timedelta(seconds=1))

    monkeypatch.setattr(connections_module, "plan_import", meanwhile)
    answer = body_of(await admin.send("PUT", f"{connection}/items", with_new))

    assert len(tries) == 2, "planned anew, on what is there now"
    found: dict[str, Any] = {}
    more = ""
    for _ in range(4):
        listed = body_of(await admin.get(f"{ITEMS}?limit=100{more}"))
        found |= {one["id"]: one for one in listed["data"]}
        more = f"&cursor={listed['pagination']['cursor']}"
    assert {one["price"] for one in found.values()} == {4}
    assert len(found) == 301, "none is there twice"
    assert found[item]["eightySixed"] is (change == "eightySixed"), "the till said nothing new of it"
    assert answer["counts"]["created"] == {"deleted": 2, "sku": 0}.get(change, 1)
