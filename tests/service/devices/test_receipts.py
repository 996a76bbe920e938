"""What was on the glass: receipts of players, their list and CSV, and pictures with the values of then."""

import csv
import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.core.clock import instant_text
from service.core.permissions import Role
from service.schema.devices.receipt import MAX_REPORTED_RECEIPTS
from service.services.devices import receipts as receipts_module
from tests.service.publishing.test_previews import stand_in
from tests.service.support.application import START, Cafe, Caller, Device, Service, VirtualClock, body_of, faults_in

LOG = "0123456789abcdef"
INPUTS = (
    "import json; open(out, 'wb').write(json.dumps([open(n).read() for n in ('scene.json', 'items.json')]).encode())"
)


def at(seconds: float) -> str:
    return instant_text(START + timedelta(seconds=seconds))


def receipt(sequence: int, begin: float, end: float, **more: Any) -> dict[str, Any]:
    return {"sequence": sequence, "from": at(begin), "to": at(end), "kind": "house", **more}


async def report(device: Device, *receipts: dict[str, Any], log: str = LOG) -> httpx.Response:
    body = {"log": log, "receipts": receipts}
    return await device._client.post("/v1/player/receipts", json=body, headers=device.headers())


async def taken(device: Device, *receipts: dict[str, Any], log: str = LOG) -> int:
    return int(body_of(await report(device, *receipts, log=log))["taken"])


class Board:
    """A screen that shows the newest manifest, and what it reports of it."""

    def __init__(self, device: Device, cafe: Cafe) -> None:
        self.device, self.cafe = device, cafe
        self.manifest: dict[str, Any] = {}
        self.sequence = 0

    async def fetch(self) -> None:
        self.manifest = (await self.device.manifest()).json()

    async def shows(self, begin: float, end: float, *scenes: tuple[str, float], **more: Any) -> None:
        """It shows what it holds, the scenes after so many seconds each."""
        self.sequence += 1
        entries = {entry["sceneId"]: entry["id"] for entry in self.manifest["playlist"]["entries"]}
        steps = [
            {"at": round(1000 * after), "sceneId": scene, "entryId": entries.get(scene, "ent_x")}
            for scene, after in scenes or ((self.cafe.scene, 0.0),)
        ]
        told = receipt(
            self.sequence,
            begin,
            end,
            kind="scene",
            playlistId=self.manifest["playlist"]["id"],
            steps=steps,
            version=self.manifest["playlist"]["version"],
            revision=self.manifest["revision"],
            history=self.manifest["history"],
            locationId=self.manifest["location"]["id"],
            **more,
        )
        assert await taken(self.device, told) == 1


@pytest.fixture
async def board(device: Device, cafe: Cafe) -> Board:
    board = Board(device, cafe)
    await board.fetch()
    return board


def path_of(device: Device, what: str) -> str:
    return f"/v1/screens/{device.screen}/{what}"


async def listed(owner: Caller, device: Device, query: str = "") -> list[Any]:
    return list(body_of(await owner.get(path_of(device, f"receipts{query}")))["data"])


async def drawn(owner: Caller, device: Device, seconds: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """The scene and the items that the player is given to draw."""
    answer = await owner.get(path_of(device, f"picture?at={at(seconds)}"))
    assert answer.status_code == 200, answer.text
    scene, items = json.loads(answer.content)
    return json.loads(scene), json.loads(items)


def price(items: dict[str, Any], name: str) -> Any:
    found: dict[str, Any] = {item["name"]: None if item["eightySixed"] else item["price"] for item in items["items"]}
    return found.get(name)


async def test_receipts_are_listed_with_the_gaps_between_them(owner: Caller, board: Board, clock: VirtualClock) -> None:
    device = board.device
    await clock.advance(4000)
    await board.shows(0, 600, (board.cafe.scene, 0), (board.cafe.scene, 7.5), period=15000)
    board.sequence = 2
    await board.shows(900, 1200, before="cut")
    assert await taken(device, receipt(4, 1200, 1300, kind="nothing", why="frames_stopped")) == 1

    first, second, third = await listed(owner, device)

    assert (first["from"], first["to"], first["kind"], first["gapBefore"]) == (at(0), at(600), "scene", None)
    assert [one["afterSeconds"] for one in first["scenes"]] == [0, 7.5]
    assert (first["repeatsEverySeconds"], first["version"], first["playlist"]) == (15, 1, board.cafe.playlist)
    assert second["gapBefore"] == {"reason": "cut", "from": at(600), "to": at(900)}
    assert (third["kind"], third["reason"], third["gapBefore"]) == ("nothing", "frames_stopped", None)
    assert [one["from"] for one in await listed(owner, device, f"?from={at(700)}&to={at(1200)}")] == [at(900)]
    page = body_of(await owner.get(path_of(device, "receipts?limit=2")))
    rest = await listed(owner, device, f"?limit=2&cursor={page['pagination']['cursor']}")
    assert [*page["data"], *rest] == [first, second, third]


async def test_a_receipt_that_comes_again_is_stored_once_and_grows(
    owner: Caller, device: Device, clock: VirtualClock
) -> None:
    await clock.advance(4000)
    for end in (300, 600, 600, 450):
        assert await taken(device, receipt(1, 0, end)) == 1
    assert [(one["from"], one["to"]) for one in await listed(owner, device)] == [(at(0), at(600))]
    # A card that was written anew counts from one again.
    assert await taken(device, receipt(1, 900, 1000), log="f" * 16) == 1
    assert len(await listed(owner, device)) == 2


async def test_a_receipt_that_comes_again_by_a_corrected_clock_is_as_long_as_it_was(
    owner: Caller, device: Device, clock: VirtualClock
) -> None:
    await clock.advance(8000)
    assert await taken(device, receipt(1, 0, 20)) == 1
    assert await taken(device, receipt(1, 3600, 3625)) == 1
    assert [(one["from"], one["to"]) for one in await listed(owner, device)] == [(at(0), at(25))]
    assert (await owner.get(path_of(device, f"picture?at={at(1800)}"))).status_code == 404


async def test_csv_has_a_row_for_each_gap(
    owner: Caller, board: Board, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receipts_module, "CSV_ROWS", 2)
    await clock.advance(4000)
    for number in range(5):
        await board.shows(number * 100, number * 100 + 50, before="stopped")
    answer = await owner.get(path_of(board.device, f"receipts?from={at(100)}"), Accept="text/csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["from"], row["kind"], row["reason"]) for row in rows] == [
        (at(number * 100 - shift), kind, reason)
        for number in range(1, 5)
        for shift, kind, reason in ((50, "gap", "stopped"), (0, "scene", ""))
    ]
    assert rows[-1]["scenes"] == f"{board.cafe.scene}+0s"


async def test_a_player_reports_for_its_own_screen_and_no_time_to_come(
    service: Service, owner: Caller, device: Device, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await clock.advance(3600)
    assert await taken(device, receipt(1, 3700, 3800)) == 0
    assert await taken(device, receipt(2, 3500, 3800)) == 1
    day = 24 * 3600
    assert await taken(device, receipt(3, -401 * day, -401 * day + 60)) == 0
    monkeypatch.setattr(receipts_module, "MAX_A_DAY", 3)
    assert [await taken(device, receipt(4 + number, number, number + 1)) for number in range(4)] == [1, 1, 0, 0]
    assert [one["to"] for one in await listed(owner, device)] == [at(3600), at(1), at(2)]
    faults = {
        "/receipts/0/from": receipt(9, 10, 10),
        "/receipts/0/steps": receipt(9, 0, 10, steps=[{"at": 0, "sceneId": "=1+1", "entryId": "e"}]),
    }
    for bad in faults.values():
        assert (await report(device, bad)).status_code == 422
    many = [receipt(number + 10, 0, 1) for number in range(MAX_REPORTED_RECEIPTS + 1)]
    assert (await report(device, *many)).status_code == 422
    device.token = "nonsense"
    assert (await report(device, receipt(9, 0, 10))).status_code == 401


@pytest.mark.long
async def test_the_picture_of_an_instant_has_the_values_of_then(
    service: Service, owner: Caller, board: Board, clock: VirtualClock, tmp_path: Path
) -> None:
    stand_in(service, tmp_path, INPUTS)
    coffee, cake, place = board.cafe.coffee, board.cafe.cake, board.cafe.location
    begun = 0.0
    expected: dict[float, tuple[float | None, float | None]] = {}
    steps: list[tuple[str, str, dict[str, Any] | None]] = [
        ("PATCH", f"/v1/content/items/{coffee}", {"price": 3.9}),
        ("PATCH", f"/v1/locations/{place}/items/{coffee}", {"price": 4.5}),
        ("PATCH", f"/v1/content/items/{cake}", {"eightySixed": True}),
        ("PATCH", f"/v1/locations/{place}/items/{coffee}", {"price": None}),
        ("DELETE", f"/v1/content/items/{cake}", None),
        ("PATCH", f"/v1/content/items/{coffee}", {"price": 9}),
    ]
    shown = [(3.4, 4.2), (3.9, 4.2), (4.5, 4.2), (4.5, None), (3.9, None), (3.9, None), (9, None)]
    for (method, path, body), prices in zip(steps, shown, strict=False):
        await clock.advance(60)
        await board.shows(begun, begun + 60)
        expected[begun + 30] = prices
        begun += 60
        assert (await owner.send(method, path, body)).status_code in (200, 204)
        await board.fetch()

    for moment, (coffee_then, cake_then) in expected.items():
        _, items = await drawn(owner, board.device, moment)
        assert (price(items, "Flat white"), price(items, "Carrot cake")) == (coffee_then, cake_then), moment


async def test_a_board_that_was_away_showed_what_it_had(
    service: Service, owner: Caller, board: Board, clock: VirtualClock, tmp_path: Path
) -> None:
    stand_in(service, tmp_path, INPUTS)
    await clock.advance(100)
    await owner.patch(f"/v1/content/items/{board.cafe.coffee}", {"price": 5})
    await clock.advance(3600)
    await board.shows(0, 3700)
    await board.fetch()
    await clock.advance(60)
    await board.shows(3700, 3760)
    assert [price((await drawn(owner, board.device, one))[1], "Flat white") for one in (3600, 3730)] == [3.4, 5]


@pytest.mark.long
async def test_the_scene_is_the_one_of_that_moment_of_the_rotation(
    service: Service, owner: Caller, board: Board, clock: VirtualClock, tmp_path: Path
) -> None:
    stand_in(service, tmp_path, INPUTS)
    drinks = (await owner.make("/v1/scenes", {"name": "Drinks"}))["id"]
    path = f"/v1/playlists/{board.cafe.playlist}"
    await owner.make(f"{path}/scenes", {"sceneId": drinks, "durationSeconds": 10})
    await owner.post(f"{path}/publish")
    await board.fetch()
    await clock.advance(4000)
    menu = board.cafe.scene
    await board.shows(0, 3600, (menu, 0), (drinks, 5), (menu, 15), period=25000)
    moments = {4.9: menu, 5.0: drinks, 14.9: drinks, 15: menu, 29.9: menu, 30: drinks, 40: menu, 2500 + 31: drinks}
    for moment, scene in moments.items():
        assert (await drawn(owner, board.device, moment))[0]["id"] == scene, moment


@pytest.mark.long
async def test_scenes_of_versions_and_overrides_that_are_gone_can_be_drawn(
    service: Service, owner: Caller, board: Board, clock: VirtualClock, tmp_path: Path
) -> None:
    stand_in(service, tmp_path, INPUTS)
    path, menu = f"/v1/playlists/{board.cafe.playlist}", board.cafe.scene
    body = {"scene": menu, "target": {"everything": True}, "until": at(7200), "reason": "Early"}
    override = (await owner.make("/v1/overrides", body))["id"]
    await clock.advance(100)
    await board.shows(0, 50)
    await board.shows(50, 100, override=override)
    await owner.delete(f"/v1/overrides/{override}")
    await owner.patch(f"/v1/scenes/{menu}", {"name": "Renamed"})
    for _ in range(11):
        await owner.post(f"{path}/publish")
    gone = await owner.get(f"{path}/versions/1/scenes/{menu}/image")
    assert gone.status_code == 410
    assert [(await drawn(owner, board.device, one))[0]["name"] for one in (20, 70)] == ["Menu", "Menu"]
    # Its playlist is deleted, too.
    await owner.patch(f"/v1/screens/{board.device.screen}", {"playlist": None})
    assert (await owner.delete(path)).status_code == 204
    assert (await drawn(owner, board.device, 20))[0]["name"] == "Menu"


async def test_a_version_is_drawn_with_the_items_of_an_instant(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock, tmp_path: Path
) -> None:
    stand_in(service, tmp_path, INPUTS)
    await clock.advance(60)
    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"price": 5})
    image = f"/v1/playlists/{cafe.playlist}/versions/1/scenes/{cafe.scene}/image"
    for query, then in (("", 5), (f"?at={at(30)}", 3.4), (f"?at={at(60)}", 5)):
        answer = await owner.get(image + query)
        assert price(json.loads(json.loads(answer.content)[1]), "Flat white") == then


async def test_groups_values_and_words_of_then_count(
    service: Service, owner: Caller, board: Board, clock: VirtualClock, tmp_path: Path
) -> None:
    stand_in(service, tmp_path, INPUTS)
    place, coffee = board.cafe.location, board.cafe.coffee
    group = (await owner.make("/v1/groups", {"name": "City", "locations": [place]}))["id"]
    await owner.patch(f"/v1/groups/{group}/items/{coffee}", {"price": 6})
    await owner.patch(f"/v1/locations/{place}", {"currency": "CHF"})
    await board.fetch()
    await clock.advance(60)
    await board.shows(0, 60)
    await owner.delete(f"/v1/groups/{group}")
    await owner.patch(f"/v1/locations/{place}", {"currency": "EUR"})
    await board.fetch()
    await clock.advance(60)
    await board.shows(60, 120)
    found = [(await drawn(owner, board.device, one))[1] for one in (30, 90)]
    assert [(price(one, "Flat white"), one["location"]["currency"]) for one in found] == [(6, "CHF"), (3.4, "EUR")]


async def test_planned_values_count_from_their_local_time_before_and_after_they_are_stored(
    service: Service, owner: Caller, board: Board, clock: VirtualClock, tmp_path: Path
) -> None:
    stand_in(service, tmp_path, INPUTS)
    york = {"name": "New York", "timezone": "America/New_York", "currency": "USD", "locale": "en-US"}
    await owner.make("/v1/locations", york)
    change = {"item": board.cafe.coffee, "price": 5}
    # In Berlin after an hour, and six hours later everywhere.
    await owner.make("/v1/planned-changes", {"name": "New prices", "at": "2026-11-20T14:00", "changes": [change]})
    await board.fetch()
    await clock.advance(7200)
    await board.shows(0, 3600)
    await board.shows(3600, 7200)
    for seconds in (0, 8 * 3600):
        await clock.advance(seconds)
        await service.pass_seconds(2)
        found = [price((await drawn(owner, board.device, at))[1], "Flat white") for at in (1800, 5400)]
        assert found == [3.4, 5], f"after {seconds} s more"
    assert body_of(await owner.get(f"/v1/content/items/{board.cafe.coffee}"))["price"] == 5, "it is stored"


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("seconds", "reason"), [(-5, "not_reported"), (15, "off"), (25, "cut"), (35, "nothing"), (45, "not_reported")]
)
async def test_where_nothing_showed_the_reason_is_named(
    owner: Caller, device: Device, clock: VirtualClock, seconds: float, reason: str
) -> None:
    await clock.advance(100)
    last = receipt(2, 30, 40, kind="nothing", before="cut", why="no_screen")
    assert await taken(device, receipt(1, 10, 20, kind="off"), last) == 2
    answer = await owner.get(path_of(device, f"picture?at={at(seconds)}"))
    assert (answer.status_code, answer.json()["code"]) == (404, "nothing_shown")
    assert list(faults_in(answer).values()) == [reason]


async def test_a_picture_never_shows_another_workspace(
    service: Service, board: Board, owner: Caller, clock: VirtualClock, tmp_path: Path
) -> None:
    """A device may be anybody's, and report whatever it wants."""
    stand_in(service, tmp_path, INPUTS)
    stranger = service.stranger()
    theirs = await stranger.make("/v1/playlists", {"name": "Theirs"})
    scene = await stranger.make("/v1/scenes", {"name": "Theirs"})
    await stranger.make(f"/v1/playlists/{theirs['id']}/scenes", {"sceneId": scene["id"], "durationSeconds": 5})
    assert (await stranger.post(f"/v1/playlists/{theirs['id']}/publish")).status_code == 200
    await clock.advance(100)
    told = {"kind": "scene", "playlistId": theirs["id"], "version": 1, "locationId": board.cafe.location}
    step = {"at": 0, "sceneId": scene["id"], "entryId": "ent_1"}
    assert await taken(board.device, receipt(1, 0, 50, steps=[step], **told)) == 1
    answer = await owner.get(path_of(board.device, f"picture?at={at(20)}"))
    assert answer.status_code == 404
    assert (await stranger.get(path_of(board.device, "receipts"))).status_code == 404


async def test_old_receipts_and_values_are_deleted(
    service: Service, owner: Caller, board: Board, clock: VirtualClock, tmp_path: Path
) -> None:
    stand_in(service, tmp_path, INPUTS)
    await clock.advance(100)
    await board.shows(0, 50)
    await owner.patch(f"/v1/content/items/{board.cafe.coffee}", {"price": 5})
    clock.set(START + timedelta(days=399))
    service.services.receipts.prune()
    assert price((await drawn(owner, board.device, 20))[1], "Flat white") == 3.4
    clock.set(START + timedelta(days=401))
    service.services.receipts.prune()
    assert await listed(owner, board.device) == []


async def test_viewers_read_receipts(service: Service, board: Board, clock: VirtualClock) -> None:
    await clock.advance(100)
    await board.shows(0, 50)
    assert len(await listed(service.caller(Role.VIEWER), board.device)) == 1


async def test_a_sync_that_writes_by_statements_is_in_the_history(
    service: Service, owner: Caller, board: Board, clock: VirtualClock, tmp_path: Path
) -> None:
    stand_in(service, tmp_path, INPUTS)
    connection = (await owner.make("/v1/pos/connections", {"name": "Till", "format": "json"}))["id"]
    row = {"id": "1", "name": "Tea", "category": "Tea"}
    for number, now in enumerate((2, 3, 4)):
        rows = {"items": [row | {"price": now}]}
        pushed = await owner.send("PUT", f"/v1/pos/connections/{connection}/items", rows)
        assert pushed.status_code == 200, pushed.text
        await board.fetch()
        await clock.advance(60)
        await board.shows(number * 60, number * 60 + 60)
    found = [price((await drawn(owner, board.device, one))[1], "Tea") for one in (30, 90, 150)]
    assert found == [2, 3, 4]
