"""Interleavings of threads, people and processes that lose nothing."""

import asyncio
import functools
import os
import sqlite3
import threading
import time
from contextlib import nullcontext, suppress
from datetime import timedelta
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from service.core.changes import ChangesMissed
from service.core.errors import ProblemError
from service.core.identity_provider import IdentityProvider
from service.core.permissions import Role
from service.desk.menu.menu import Menu
from service.schema.content.item import ItemPatch
from service.schema.devices.rollout import RolloutPatch
from service.schema.workspace.alert import AlertKind, AlertPatch
from service.schema.workspace.person import NewMember, PasswordChange
from service.services.access import openid as openid_module
from service.services.access import people as people_module
from service.services.access.access import Access
from service.services.access.passwords import is_password
from service.services.access.sessions import Caller as Visitor
from service.services.access.workspaces import default_workspace
from service.services.alerts import watch as watch_module
from service.services.assets import assets as assets_module
from service.services.assets.uploads import MIN_PART_BYTES
from service.services.content.item_order import ItemOrderService
from service.services.devices import directory as directory_module
from service.services.devices import rollouts as rollouts_module
from service.services.operations import backup as backup_module
from service.services.operations.backup import back_up
from service.services.pos import connector as connector_module
from service.services.pos.connector import FeedConnector
from service.services.pos.feed import FeedContent, Source
from service.services.pos.pictures import Pictures
from service.services.scenes.scenes import SceneService
from service.services.shared.idempotency import StoredResponses
from service.services.shared.outbound import Outbound
from service.storage.tables.people import PersonRow
from tests.service.alerts.test_alerts import ALERTS, look
from tests.service.assets.test_uploads import IMAGE, NAME, PART, begin, left_on_disk, send
from tests.service.desk.test_start import MENU as SAMPLE
from tests.service.desk.test_start import make_place, post_menu
from tests.service.pos.test_pictures import connect, opened_shop, serve
from tests.service.support.application import (
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    body_of,
    pair,
    png,
    running,
    start,
    until,
)
from tests.service.support.desk import Person, browser, person, text_of
from tests.service.support.feeds import sync_now
from tests.support.patience import PATIENCE_SECONDS

ITEMS = "/v1/content/items"


@pytest.fixture
def database_url() -> str | None:
    return None


def workspace_of(service: Service) -> str:
    with service.services.database.write() as unit:
        return default_workspace(unit, service.services.keys._new_id)


# Uploads


async def test_an_upload_whose_end_is_asked_for_twice_becomes_an_asset_for_both(
    service: Service, owner: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = await begin(owner)
    await send(owner, upload, 0, IMAGE[:MIN_PART_BYTES])
    checking, go_on, removed = threading.Event(), threading.Event(), threading.Event()
    store = service.services.store
    read, remove = store.part, store.remove_parts

    def check(*_: object) -> None:
        if not checking.is_set():
            checking.set()
            go_on.wait(PATIENCE_SECONDS)

    def part(name: str, offset: int) -> bytes | None:
        content = read(name, offset)
        if checking.is_set():
            go_on.set()
            removed.wait(PATIENCE_SECONDS)
        return content

    def remove_parts(name: str) -> None:
        remove(name)
        removed.set()

    monkeypatch.setattr(assets_module, "ensure_playable", check)
    monkeypatch.setattr(store, "part", part)
    monkeypatch.setattr(store, "remove_parts", remove_parts)
    rest = IMAGE[MIN_PART_BYTES:]
    first = start(owner.raw("PATCH", upload, rest, PART, **{"Upload-Offset": str(MIN_PART_BYTES)}))
    await until(checking.is_set)
    # The answer takes too long for a proxy: the page asks how far it is, and for the end.
    offset = body_of(await owner.get(upload))["offset"]
    second = await send(owner, upload, offset, b"")
    assert (await first).status_code == 200
    assert (second[0], second[1].get("code"), second[1].get("asset")) == (200, None, NAME)
    assert body_of(await owner.get(upload))["asset"] == NAME


@pytest.mark.parametrize("at", ["before", "within"])
async def test_a_part_of_an_upload_that_is_given_up_meanwhile_leaves_nothing(
    service: Service, owner: Caller, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    upload = await begin(owner)
    uploads, store = service.services.asset_uploads, service.services.store
    workspace, name = workspace_of(service), upload.rpartition("/")[2]
    keep = store.keep_part
    if at == "before":

        def keep_part(*arguments: Any) -> None:
            uploads.remove(workspace, name)
            keep(*arguments)

        monkeypatch.setattr(store, "keep_part", keep_part)
    else:
        from service.storage.asset_store import Upload

        write = Upload.write

        def slow(self: Upload, chunk: bytes) -> None:
            write(self, chunk)
            with suppress(ProblemError):
                uploads.remove(workspace, name)

        monkeypatch.setattr(Upload, "write", slow)
    status, told = await send(owner, upload, 0, IMAGE[:MIN_PART_BYTES])
    assert (status, told["code"]) == (404, "not_found")
    assert left_on_disk(service) == []


# Forms of the desk


class _Form(HTMLParser):
    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = action
        self.inside = False
        self.select = ""
        self.fields: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self.inside = given.get("action") == self.action
        if not self.inside:
            return
        if tag == "select":
            self.select = given["name"] or ""
        elif tag == "option" and "selected" in given:
            self.fields[self.select] = given["value"] or ""
        elif tag == "input" and given.get("name") and (given.get("type") != "checkbox" or "checked" in given):
            self.fields[given["name"] or ""] = given.get("value") or ("on" if given.get("type") == "checkbox" else "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.inside = False


async def filled(one: Person, path: str) -> dict[str, str]:
    """The form of a page as a browser would send it."""
    page = await one.open(path)
    form = _Form(path)
    form.feed(page.text)
    assert form.fields, page.text
    form.fields.pop("csrf")
    return form.fields


async def test_a_screen_that_is_renamed_keeps_the_playlist_that_it_was_given_meanwhile(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    other = await owner.make("/v1/playlists", {"name": "Evening"})
    path = f"/desk/screens/{device.screen}"
    async with person(service, Role.PUBLISHER) as one:
        form = await filled(one, path)
        assert form["playlist"] == cafe.playlist
        await owner.patch(f"/v1/screens/{device.screen}", {"playlist": other["id"]})
        await one.submit(path, {**form, "name": "Window"})
    assert body_of(await owner.get(f"/v1/screens/{device.screen}"))["playlist"] == other["id"]


async def test_a_location_that_is_renamed_keeps_the_hours_that_it_was_given_meanwhile(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    hours = [{"days": None, "start": "08:00", "end": "20:00"}]
    path, stored = f"/desk/settings/locations/{cafe.location}", f"/v1/locations/{cafe.location}"
    async with person(service, Role.EDITOR) as one:
        form = await filled(one, path)
        await owner.patch(stored, {"openingHours": hours})
        answer = await one.submit(path, {**form, "name": "Corner"})
        assert (answer.status_code, answer.headers["location"]) == (303, path)
        again = await one.open(path)
        assert "Somebody has changed this meanwhile." in text_of(again)
        assert 'value="20:00"' in again.text
        assert (await one.submit(path, {**form, "name": "Corner"})).headers["location"] == path
        assert "Somebody has changed this meanwhile." in text_of(await one.open(path)), (
            "the form from before stays late"
        )
    assert body_of(await owner.get(stored))["openingHours"] == hours


async def test_a_group_keeps_the_location_that_joined_while_its_form_was_open(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    place = {"name": "Pier", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE"}
    pier = (await owner.make("/v1/locations", place))["id"]
    group = (await owner.make("/v1/groups", {"name": "Airport", "locations": [cafe.location]}))["id"]
    await owner.patch(f"/v1/groups/{group}/items/{cafe.coffee}", {"price": Decimal("4.90")})
    path, stored = f"/desk/settings/groups/{group}", f"/v1/groups/{group}"
    async with person(service, Role.EDITOR) as one:
        form = await filled(one, path)
        await owner.patch(stored, {"locations": [cafe.location, pier]})
        await one.submit(path, {**form, "precedence": "3"})
    assert body_of(await owner.get(f"/v1/locations/{pier}/items/{cafe.coffee}"))["price"] == Decimal("4.90")


# Prices of many


async def test_prices_of_many_keep_what_somebody_has_changed_meanwhile(
    service: Service, owner: Caller, cafe: Cafe, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = {"variants": [{"name": "S", "price": 2}, {"name": "L", "price": 3}]}
    await owner.patch(f"{ITEMS}/{cafe.coffee}", sizes)
    workspace, read = workspace_of(service), Menu.read

    def read_and_wait(self: Menu, access: Access, item: str, at: str) -> Any:
        found = read(self, access, item, at)
        if item == cafe.coffee:
            more = ItemPatch.model_validate({"variants": [*sizes["variants"], {"name": "XL", "price": 4}]})
            service.services.items.change(workspace, cafe.coffee, more)
            service.services.items.change(workspace, cafe.cake, ItemPatch.model_validate({"price": 8}))
        return found

    form = {f"item.{cafe.cake}": "1", f"item.{cafe.coffee}": "1"}
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/menu")
        monkeypatch.setattr(Menu, "read", read_and_wait)
        await one.submit("/desk/menu/many", {**form, "act": "price", "by": "10", "unit": "percent", "step": "0.01"})
        monkeypatch.undo()
    cake, coffee = body_of(await owner.get(f"{ITEMS}/{cafe.cake}")), body_of(await owner.get(f"{ITEMS}/{cafe.coffee}"))
    assert [one["name"] for one in coffee["variants"]] == ["S", "L", "XL"]
    assert cake["price"] in (8, Decimal("8.80"))


# Hours of a board


@pytest.mark.long
async def test_hours_that_two_change_at_the_same_moment_are_not_doubled(
    service: Service, owner: Caller, cafe: Cafe, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await owner.make(f"/v1/scenes/{cafe.scene}/schedules", {"type": "daypart", "start": "08:00", "end": "11:00"})
    path = f"/desk/boards/{cafe.scene}/hours/{made['id']}"
    both, read = threading.Barrier(2, timeout=PATIENCE_SECONDS), SceneService.schedule

    def schedule(self: SceneService, workspace: str, name: str) -> Any:
        found = read(self, workspace, name)
        both.wait()
        return found

    monkeypatch.setattr(SceneService, "schedule", schedule)
    form = {"type": "daypart", "start": "07:00", "end": "11:00"}
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/boards")
        await asyncio.gather(one.submit(path, form), one.submit(path, form))
    monkeypatch.undo()
    found = body_of(await owner.get(f"/v1/scenes/{cafe.scene}/schedules"))["data"]
    assert len(found) == 1, found


# The first run


async def test_a_double_click_makes_one_board(service: Service, owner: Caller) -> None:
    async with person(service, Role.OWNER) as one:
        await make_place(one)
        await one.open("/desk/start/menu?template=coffee-bar")
        await asyncio.gather(*(post_menu(one, text=SAMPLE, act="apply") for _ in range(2)))
    playlists = body_of(await owner.get("/v1/playlists"))["data"]
    assert len(playlists) == 1, [one["name"] for one in playlists]
    assert len(body_of(await owner.get("/v1/scenes"))["data"]) == 1


# The order of the menu


@pytest.mark.long
async def test_two_moves_at_the_same_moment_both_count(
    service: Service, owner: Caller, cafe: Cafe, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [
        (await owner.make(ITEMS, {"name": name, "category": "Tea", "price": 2, "sortIndex": at}))["id"]
        for at, name in enumerate("ABCD", start=1)
    ]
    both, names = threading.Barrier(2, timeout=PATIENCE_SECONDS), ItemOrderService.names
    seen: list[int] = []

    def read(self: ItemOrderService, workspace: str, category: str) -> dict[str, str]:
        found = names(self, workspace, category)
        seen.append(1)
        if len(seen) <= 2:
            both.wait()
        return found

    path = "/desk/menu/order?category=Tea"
    async with person(service, Role.EDITOR) as one, person(service, Role.EDITOR, "lee@example.com") as other:
        await one.open(path)
        await other.open(path)
        monkeypatch.setattr(ItemOrderService, "names", read)
        answers = await asyncio.gather(
            one.act(path, {"entry": made[0], "to": "down"}), other.act(path, {"entry": made[2], "to": "down"})
        )
        monkeypatch.undo()
    order = service.services.item_order.names(workspace_of(service), "Tea").values()
    told = [answer.status_code for answer in answers]
    assert "".join(order) == "BADC" or 412 in told, (list(order), told)


# Passwords


@pytest.mark.long
async def test_a_password_is_changed_only_by_who_has_the_present_one(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    services, visitor = service.services, Visitor(address="192.0.2.7", agent="")
    workspace = workspace_of(service)
    body = NewMember(name="Kim", email="kim@example.com", role=Role.OWNER)

    def sign_in() -> Any:
        who = services.sessions.of(
            services.people.follow(services.people.sign_in_token(workspace, body), visitor).token
        )
        assert who is not None
        return who

    services.people.change_password(sign_in(), PasswordChange(current="", password="known to a thief"))
    thief, kim = sign_in(), sign_in()
    hashed = people_module.hashed

    def slowly(password: str) -> str:
        monkeypatch.undo()
        services.people.change_password(kim, PasswordChange(current="known to a thief", password="known to Kim alone"))
        return hashed(password)

    monkeypatch.setattr(people_module, "hashed", slowly)
    with suppress(ProblemError):
        services.people.change_password(thief, PasswordChange(current="known to a thief", password="the thief's own"))
    with services.database.read() as session:
        [stored] = session.query(PersonRow.password).all()[0]
    assert is_password(stored, "known to Kim alone")


# Backups


def test_a_backup_ends_although_the_service_goes_on_writing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    data.mkdir()
    service = sqlite3.connect(data / "service.sqlite3", isolation_level=None)
    service.execute("PRAGMA journal_mode=WAL")
    service.execute("CREATE TABLE assets (digest TEXT)")
    service.execute("CREATE TABLE facts (name TEXT, value BLOB)")
    service.execute("INSERT INTO facts VALUES ('large', zeroblob(20000000))")
    steps = 0

    class Copying(sqlite3.Connection):
        def backup(self, target: sqlite3.Connection, **more: Any) -> None:
            def contacts(*_: int) -> None:
                nonlocal steps
                steps += 1
                assert steps < 100, "it begins again each time"
                service.execute("INSERT INTO facts VALUES ('contact', '')")

            super().backup(target, **more, progress=contacts)

    connect_to = functools.partial(sqlite3.connect, factory=Copying)
    monkeypatch.setattr(backup_module, "sqlite3", SimpleNamespace(connect=connect_to, Error=sqlite3.Error))
    back_up(data, tmp_path / "backup")
    service.close()


# Alerts


@pytest.mark.long
async def test_what_an_alert_does_not_tell_any_more_is_not_mailed(
    service: Service, owner: Caller, device: Device, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await owner.make(ALERTS, {"email": "kim@example.com", "kinds": ["screen_offline"], "offlineMinutes": 5})
    await device.heartbeat()
    await look(service, clock, after=timedelta(minutes=5, seconds=30))
    assert not service.services.mails.due(clock.now())
    workspace, step = workspace_of(service), watch_module._step_of
    changes = 0

    def then_changed(*arguments: Any) -> Any:
        nonlocal changes
        taken = step(*arguments)
        if not changes:
            changes += 1
            body = AlertPatch(kinds=[AlertKind.APPROVAL_REQUESTED])
            service.services.alerts.change(workspace, made["id"], body)
        return taken

    monkeypatch.setattr(watch_module, "_step_of", then_changed)
    await look(service, clock, after=timedelta(minutes=2))
    await look(service, clock, after=timedelta(minutes=2))
    await device.heartbeat(sequence=2)
    await look(service, clock, after=timedelta(minutes=2))
    assert changes
    assert [one.mail.subject for one in service.services.mails.due(clock.now())] == []


# Points of sale


async def test_a_feed_is_read_when_it_is_written_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "feeds").mkdir()
    file = tmp_path / "feeds" / "till.csv"
    rows = b"id,name,category,price\n1,Espresso,Coffee,2.20\n2,Scone,Cake,13.10\n"
    file.write_bytes(rows[:-5])

    async def the_till_goes_on(_seconds: float) -> None:
        file.write_bytes(rows)
        os.utime(file, (0, 0))

    monkeypatch.setattr(connector_module, "asyncio", SimpleNamespace(sleep=the_till_goes_on), raising=False)
    feed = await FeedConnector(data=tmp_path, outbound=Outbound()).read(Source(feed="till.csv", format="csv"))
    assert isinstance(feed, FeedContent)
    assert [row.price for row in feed.rows] == [Decimal("2.20"), Decimal("13.10")]


class TestPictures:
    @pytest.fixture
    def reaches_loopback(self) -> bool:
        return True

    async def test_a_picture_that_is_removed_before_its_item_has_it_is_fetched_again(
        self, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        admin = service.caller(Role.ADMIN)
        workspace, take = workspace_of(service), Pictures._take
        async with opened_shop() as shop:
            shop.files["/cake.png"] = png()
            serve(shop, "/cake.png")

            def cleaned(self: Pictures, claimed: Any, found: Any) -> None:
                monkeypatch.undo()
                access = Access(workspace=workspace, role=Role.ADMIN, key="")
                for digest in found.values():
                    service.services.assets.remove(access, f"sha256:{digest}")
                take(self, claimed, found)

            monkeypatch.setattr(Pictures, "_take", cleaned)
            connection = await connect(admin, shop)
            await sync_now(service, admin, connection)
            await sync_now(service, admin, connection)
            [item] = body_of(await admin.get(ITEMS))["data"]
            assert item["image"] is not None
            assert (await admin.get(f"/v1/assets/{item['image']}")).status_code == 200


# Repeated calls


@pytest.mark.long
async def test_a_call_that_another_process_is_answering_gets_the_same_answer(
    service: Service, owner: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = await owner.make(ITEMS, {"name": "Tea", "category": "Tea", "price": 2})
    path = f"{ITEMS}/{item['id']}"
    tag = (await owner.get(path)).headers["ETag"]
    loop, find = asyncio.get_running_loop(), StoredResponses.find
    first: list[Any] = []

    def call() -> Any:
        return owner.send("PATCH", path, {"price": 3}, **{"Idempotency-Key": "a", "If-Match": tag})

    def find_then_wait(self: StoredResponses, asked: Any) -> Any:
        found = find(self, asked)
        if not first:
            # The other process answers the first of the two calls now.
            first.append(None)
            first[0] = asyncio.run_coroutine_threadsafe(call(), loop).result(PATIENCE_SECONDS)
        return found

    # Each process knows of its own calls alone.
    monkeypatch.setattr(StoredResponses, "in_flight", lambda *_: nullcontext())
    monkeypatch.setattr(StoredResponses, "find", find_then_wait)
    second = await call()
    assert first[0].status_code == 200
    assert (second.status_code, second.text) == (200, first[0].text)


# Hangs


async def test_a_provider_that_does_not_answer_holds_up_nobody_else(
    tmp_path: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, stop = [], threading.Event()

    def silent(_provider: object) -> None:
        asked.append(1)
        stop.wait(PATIENCE_SECONDS)
        raise openid_module.UnwellError("silent")

    monkeypatch.setattr(openid_module, "read_provider", silent)
    provider = IdentityProvider(issuer="https://id.example", client_id="menu", client_secret="secret", name="ID")
    async with running(tmp_path / "data", clock=clock, identity_provider=provider) as service:
        owner = service.caller(Role.OWNER)
        async with browser(service) as one:
            people = [asyncio.ensure_future(one.client.get("/desk/sign-in/provider")) for _ in range(41)]
            await until(lambda: bool(asked))
            await asyncio.sleep(0.2)
            try:
                async with asyncio.timeout(5):
                    assert (await owner.get("/v1/locations")).status_code == 200
            finally:
                stop.set()
                answers = await asyncio.gather(*people)
    assert {answer.status_code for answer in answers} == {503}


@pytest.mark.long
async def test_the_event_loop_does_not_wait_for_a_query_of_the_directory(
    service: Service, owner: Caller, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory, hangs, go_on = service.services.devices, threading.Event(), threading.Event()

    def slow(_row: object) -> None:
        hangs.set()
        go_on.wait(3)

    monkeypatch.setattr(directory_module, "_device", slow)
    stranger = threading.Thread(target=directory.read_token, args=("of another service",))
    stranger.start()
    await asyncio.to_thread(hangs.wait, PATIENCE_SECONDS)
    service.held_polls.on_change(ChangesMissed())
    began = time.monotonic()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    took = time.monotonic() - began
    go_on.set()
    stranger.join()
    assert took < 1


# Rollouts


@pytest.mark.long
async def test_a_rollout_that_may_fail_more_often_now_is_not_stopped(
    service: Service, owner: Caller, cafe: Cafe, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    rollouts = service.services.rollouts
    await pair(service, owner, cafe, device_id="f" * 32)
    made = await owner.make("/v1/rollouts", {"version": "0.9.0", "percent": 100, "stopAtPercent": 10})
    await device.heartbeat(takenBack={"version": "0.9.0", "why": "notPresented"})
    access, failing = Access(workspace=workspace_of(service), role=Role.OWNER, key=""), rollouts_module.is_failing

    def then_changed(counted: Any, percent: int) -> bool:
        found = failing(counted, percent)
        monkeypatch.undo()
        rollouts.change(access, made["id"], RolloutPatch.model_validate({"stopAtPercent": 60}))
        return found

    monkeypatch.setattr(rollouts_module, "is_failing", then_changed)
    await device.heartbeat(sequence=2, takenBack={"version": "0.9.0", "why": "notPresented"})
    rollouts.stop_failing(timedelta())
    assert body_of(await owner.get(f"/v1/rollouts/{made['id']}"))["status"] == "running"


@pytest.mark.long
async def test_downloads_that_nobody_takes_hold_up_nobody_else(service: Service, owner: Caller, device: Device) -> None:
    access = Access(workspace=workspace_of(service), role=Role.OWNER, key="")
    stalled = [service.services.receipts.table(access, device.screen, since=None, until=None) for _ in range(40)]
    for one in stalled:
        assert next(one).startswith("from,")
        next(one)
    async with asyncio.timeout(5):
        assert (await owner.get("/v1/locations")).status_code == 200
    for one in stalled:
        one.close()


async def test_an_alert_that_is_changed_keeps_an_address_that_somebody_else_has_set(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    made = await owner.make("/v1/alerts", {"email": "kim@example.com", "kinds": ["screen_offline"]})
    path, stored = f"/desk/settings/alerts/{made['id']}", f"/v1/alerts/{made['id']}"
    async with person(service, Role.ADMIN) as one:
        form = await filled(one, path)
        await owner.patch(stored, {"email": "lee@example.com"})
        answer = await one.submit(path, {**form, "offlineMinutes": "9"})
    assert body_of(await owner.get(stored))["email"] == "lee@example.com", answer.status_code


async def test_a_till_that_is_renamed_stays_switched_off_if_somebody_else_has_done_so(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    made = await owner.make("/v1/pos/connections", {"name": "Till", "feed": "till.csv", "format": "csv"})
    path, stored = f"/desk/settings/points-of-sale/{made['id']}", f"/v1/pos/connections/{made['id']}"
    async with person(service, Role.ADMIN) as one:
        form = await filled(one, path)
        await owner.patch(stored, {"enabled": False})
        answer = await one.submit(path, {**form, "name": "Bar"})
    assert body_of(await owner.get(stored))["enabled"] is False, answer.status_code


async def test_a_planned_change_that_is_renamed_keeps_a_price_that_somebody_else_has_added(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    plan = {"name": "New year", "at": "2027-01-01T05:00", "changes": [{"item": cafe.coffee, "price": Decimal("3.60")}]}
    made = await owner.make("/v1/planned-changes", plan)
    stored = f"/v1/planned-changes/{made['id']}"
    path = f"/desk/planned/{made['id']}/change"
    async with person(service, Role.PUBLISHER) as one:
        form = await filled(one, path)
        both = [*plan["changes"], {"item": cafe.cake, "price": 5}]
        answer = await owner.patch(stored, {"changes": both})
        assert answer.status_code == 200, answer.text
        answer = await one.submit(path, {**form, "name": "January"})
    assert len(body_of(await owner.get(stored))["changes"]) == 2, text_of(answer)


async def test_an_item_that_is_refused_has_no_variant_renamed(service: Service, owner: Caller, cafe: Cafe) -> None:
    await owner.patch(f"{ITEMS}/{cafe.coffee}", {"variants": [{"name": "S", "price": 2}, {"name": "L", "price": 3}]})
    await owner.patch(f"{ITEMS}/{cafe.cake}", {"sku": "4711"})
    path = f"/desk/menu/{cafe.coffee}"
    async with person(service, Role.EDITOR) as one:
        form = await filled(one, path)
        answer = await one.submit(path, {**form, "variants.1.name": "Large", "sku": "4711"})
        assert "Nothing was saved yet" in text_of(answer)
    found = body_of(await owner.get(f"{ITEMS}/{cafe.coffee}"))
    assert [part["name"] for part in found["variants"]] == ["S", "L"]
