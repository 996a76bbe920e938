"""Random sequences of calls, checked after each step against a model: items, playlists, idempotent retries.

One application on one virtual clock serves all sequences; each has its own workspace.
"""

import asyncio
import itertools
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack, ExitStack
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar

import httpx
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from service.core.clock import instant_text
from tests.service.support.application import Caller, Device, Service, VirtualClock, body_of, faults_in, running
from tests.service.support.postgres import TEMPLATE, Cluster
from tests.support.examples import examples

ITEMS = "/v1/content/items"
STEADY = examples(3, stateful_step_count=30)

Answer = TypeVar("Answer")


class SharedApplication:
    """A running application, for state machines, whose steps are not coroutines."""

    def __init__(self, runner: asyncio.Runner, service: Service) -> None:
        self._runner = runner
        self._numbers = itertools.count(1)
        self.service = service

    def run(self, call: Coroutine[Any, Any, Answer]) -> Answer:
        return self._runner.run(call)

    def new_owner(self) -> Caller:
        """The owner of a new workspace."""
        name = f"machine_{next(self._numbers)}"
        return self.service.owner_of_new_workspace(name, key=f"key_{name}", secret=name)

    def new_device(self) -> Device:
        return self.service.device(f"{next(self._numbers):032x}")


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedApplication]:
    async def begin() -> Service:
        folder = tmp_path_factory.mktemp("shared")
        return await stack.enter_async_context(running(folder, clock=VirtualClock(), database=database))

    stack = AsyncExitStack()
    with ExitStack() as databases, asyncio.Runner() as runner:
        database = None
        if request.param == "postgres":
            cluster: Cluster = request.getfixturevalue("cluster")
            database = databases.enter_context(cluster.database(template=TEMPLATE))
        yield SharedApplication(runner, runner.run(begin()))
        runner.run(stack.aclose())


class Machine(RuleBasedStateMachine):
    """Base of the machines: calls as the owner of its own workspace."""

    def __init__(self, shared: SharedApplication) -> None:
        super().__init__()
        self.shared = shared
        self.owner = shared.new_owner()

    def get(self, path: str) -> Any:
        response = self.shared.run(self.owner.get(path))
        assert response.status_code == 200, response.text
        return body_of(response)

    def send(self, method: str, path: str, body: object = None, **headers: str) -> httpx.Response:
        return self.shared.run(self.owner.send(method, path, body, **headers))

    def ok(self, status: int, method: str, path: str, body: object = None) -> Any:
        response = self.send(method, path, body)
        assert response.status_code == status, response.text
        return body_of(response) if response.content else None

    def now(self) -> datetime:
        return self.shared.service.clock.now()

    def wait(self, seconds: int) -> None:
        self.shared.run(self.shared.service.pass_seconds(seconds))

    def whole_list(self, path: str) -> list[Any]:
        page = self.get(f"{path}?limit=100")
        assert page["pagination"] == {"cursor": None, "hasMore": False}
        return list(page["data"])


prices = st.decimals(0, 999, places=4)
choices = st.integers(0, 99)
"""An index into the existing resources, modulo their number."""


class ItemMachine(Machine):
    """Items: created, changed, 86'd until a time, changed in bulk, deleted, and read page by page."""

    def __init__(self, shared: SharedApplication) -> None:
        super().__init__(shared)
        self.items: dict[str, dict[str, Any]] = {}
        self.until: dict[str, datetime] = {}
        self.serials: dict[str, int] = {}
        self.page: tuple[str, int] | None = None
        """A cursor, and the serial of the last item before it."""

    def chosen(self, choice: int) -> str:
        return list(self.items)[choice % len(self.items)]

    @rule(price=prices, category=st.sampled_from(["Coffee", "Cake"]))
    def create(self, price: Decimal, category: str) -> None:
        made = self.ok(201, "POST", ITEMS, {"name": "Thing", "category": category, "price": price})
        assert (made["price"], made["category"], made["eightySixed"]) == (price, category, False)
        self.items[made["id"]] = made
        self.serials[made["id"]] = max(self.serials.values(), default=0) + 1

    @rule(price=st.sampled_from([-1, Decimal("1.00001"), "3", None, True]))
    def create_none(self, price: object) -> None:
        refused = self.send("POST", ITEMS, {"name": "Thing", "category": "Cake", "price": price})
        assert refused.status_code == 422
        assert list(faults_in(refused)) == ["/price"]

    @precondition(lambda self: self.items)
    @rule(choice=choices, price=prices)
    def change(self, choice: int, price: Decimal) -> None:
        item = self.chosen(choice)
        self.ok(200, "PATCH", f"{ITEMS}/{item}", {"price": price, "unheardOf": 1})
        self.items[item]["price"] = price

    @precondition(lambda self: self.items)
    @rule(choice=choices, on=st.booleans())
    def sell_out(self, choice: int, on: bool) -> None:
        item = self.chosen(choice)
        self.ok(200, "PATCH", f"{ITEMS}/{item}", {"eightySixed": on})
        self.items[item] |= {"eightySixed": on, "eightySixedUntil": None}
        self.until.pop(item, None)

    @precondition(lambda self: self.items)
    @rule(choice=choices, seconds=st.integers(1, 3), passing=st.integers(0, 3))
    def sell_out_until(self, choice: int, seconds: int, passing: int) -> None:
        item = self.chosen(choice)
        until = self.now() + timedelta(seconds=seconds)
        self.ok(200, "PATCH", f"{ITEMS}/{item}", {"eightySixed": True, "eightySixedUntil": instant_text(until)})
        self.items[item] |= {"eightySixed": True, "eightySixedUntil": instant_text(until)}
        self.until[item] = until
        self.let_time_pass(passing)

    @precondition(lambda self: self.items)
    @rule(choice=choices)
    def sell_out_until_the_past(self, choice: int) -> None:
        body = {"eightySixed": True, "eightySixedUntil": instant_text(self.now())}
        assert self.send("PATCH", f"{ITEMS}/{self.chosen(choice)}", body).status_code == 422

    @rule(seconds=st.integers(0, 2))
    def let_time_pass(self, seconds: int) -> None:
        self.wait(seconds)
        for item in [item for item, until in self.until.items() if until <= self.now()]:
            del self.until[item]
            self.items[item] |= {"eightySixed": False, "eightySixedUntil": None}

    @precondition(lambda self: self.items)
    @rule(some=st.lists(choices, min_size=1, max_size=4), price=prices)
    def change_many(self, some: list[int], price: Decimal) -> None:
        named = list(dict.fromkeys(self.chosen(choice) for choice in some))
        changed = self.ok(200, "POST", f"{ITEMS}/bulk", [{"id": item, "price": price} for item in named])
        assert [item["id"] for item in changed["data"]] == named
        for item in named:
            self.items[item]["price"] = price

    @precondition(lambda self: self.items)
    @rule(choice=choices, fault=st.sampled_from(["unknown", "negative", "twice"]), first=st.booleans())
    def change_many_or_none(self, choice: int, fault: str, first: bool) -> None:
        good = {"id": self.chosen(choice), "price": 1, "name": "Never"}
        bad = {"unknown": {"id": "itm_none", "price": 1}, "negative": {**good, "price": -1}, "twice": good}[fault]
        index = 0 if first and fault != "twice" else 1
        refused = self.send("POST", f"{ITEMS}/bulk", [bad, good] if index == 0 else [good, bad])
        assert refused.status_code == 422
        assert any(pointer.startswith(f"/{index}") for pointer in faults_in(refused))

    @precondition(lambda self: self.items)
    @rule(choice=choices)
    def remove(self, choice: int) -> None:
        item = self.chosen(choice)
        self.ok(204, "DELETE", f"{ITEMS}/{item}")
        del self.items[item]
        self.until.pop(item, None)
        assert self.send("DELETE", f"{ITEMS}/{item}").status_code == 404

    @rule(limit=st.integers(1, 3))
    def read_the_next_page(self, limit: int) -> None:
        """Pages while items come and go: none is repeated, and none that was there all the time is left out."""
        cursor, last = self.page or ("", 0)
        page = self.get(f"{ITEMS}?limit={limit}" + (f"&cursor={cursor}" if cursor else ""))
        ahead = [item for item in self.items if self.serials[item] > last]
        assert [item["id"] for item in page["data"]] == ahead[:limit]
        assert page["pagination"]["hasMore"] is (len(ahead) > limit)
        self.page = (
            (page["pagination"]["cursor"], self.serials[ahead[limit - 1]]) if page["pagination"]["hasMore"] else None
        )

    @invariant()
    def the_list_matches_the_model(self) -> None:
        assert self.whole_list(ITEMS) == list(self.items.values())


class PlaylistMachine(Machine):
    """Playlists: edits change the draft; boards show the published version."""

    @initialize()
    def open(self) -> None:
        where = {"name": "Bar", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de"}
        self.location = self.ok(201, "POST", "/v1/locations", where)["id"]
        self.scenes = {
            self.ok(201, "POST", "/v1/scenes", {"name": name, "widgets": []})["id"]: name for name in ("One", "Two")
        }
        self.schedules: dict[str, list[Any]] = {scene: [] for scene in self.scenes}
        self.path = f"/v1/playlists/{self.ok(201, 'POST', '/v1/playlists', {'name': 'Day'})['id']}"
        self.entries: list[dict[str, Any]] = []
        self.version = 0
        self.published: tuple[list[Any], dict[str, Any]] | None = None
        self.device = self.shared.new_device()
        codes = self.shared.run(self.device.ask_codes())
        playlist = self.path.rpartition("/")[2]
        self.ok(
            201, "POST", "/v1/screens/pair", {"code": codes.user_code, "playlist": playlist, "location": self.location}
        )
        self.shared.run(self.device.take_token(codes))
        self.seen: dict[str, Any] = {"revision": -1}

    def scene(self, choice: int) -> str:
        return list(self.scenes)[choice % len(self.scenes)]

    @rule(choice=choices, seconds=st.integers(1, 99), early=st.booleans())
    def append(self, choice: int, seconds: int, early: bool) -> None:
        body: dict[str, Any] = {"sceneId": self.scene(choice), "durationSeconds": seconds}
        if early:
            body["schedule"] = {"type": "daypart", "start": "06:00", "end": "11:00"}
        entry = self.ok(201, "POST", f"{self.path}/scenes", body)
        schedule = {**body["schedule"], "timezone": "location"} if early else None
        assert entry == {"id": entry["id"], **body, "schedule": schedule}
        self.entries.append(entry)

    @rule(body=st.sampled_from([{"sceneId": "scn_none", "durationSeconds": 1}, {"durationSeconds": 0}]))
    def append_none(self, body: dict[str, Any]) -> None:
        assert self.send("POST", f"{self.path}/scenes", body).status_code == 422

    @rule(drawn=st.randoms(use_true_random=False))
    def reorder(self, drawn: Any) -> None:
        order = drawn.sample(self.entries, len(self.entries))
        self.ok(200, "PATCH", f"{self.path}/order", {"order": [entry["id"] for entry in order]})
        self.entries = order

    @precondition(lambda self: self.entries)
    @rule(choice=choices, more=st.booleans())
    def reorder_none(self, choice: int, more: bool) -> None:
        order = [entry["id"] for entry in self.entries]
        order = [*order, order[choice % len(order)]] if more else order[:-1]
        assert self.send("PATCH", f"{self.path}/order", {"order": order}).status_code == 422

    @precondition(lambda self: self.entries)
    @rule(choice=choices)
    def take_out(self, choice: int) -> None:
        entry = self.entries.pop(choice % len(self.entries))
        self.ok(204, "DELETE", f"{self.path}/scenes/{entry['id']}")

    @rule(choice=choices, hour=st.integers(10, 22))
    def schedule(self, choice: int, hour: int) -> None:
        scene = self.scene(choice)
        body = {"type": "window", "startsAt": f"2026-12-24T{hour}:00", "endsAt": "2026-12-24T23:00"}
        self.schedules[scene].append(self.ok(201, "POST", f"/v1/scenes/{scene}/schedules", body))

    @precondition(lambda self: any(self.schedules.values()))
    @rule(choice=choices)
    def unschedule(self, choice: int) -> None:
        there = [(scene, one) for scene, all_ in self.schedules.items() for one in all_]
        scene, schedule = there[choice % len(there)]
        self.ok(204, "DELETE", f"/v1/schedules/{schedule['id']}")
        self.schedules[scene].remove(schedule)

    @rule(choice=choices, name=st.sampled_from(["A", "B", "C"]))
    def rename_scene(self, choice: int, name: str) -> None:
        scene = self.scene(choice)
        self.ok(200, "PATCH", f"/v1/scenes/{scene}", {"name": name})
        self.scenes[scene] = name

    @rule()
    def publish(self) -> None:
        if not self.entries:
            self.ok(409, "POST", f"{self.path}/publish")
            return
        self.version += 1
        assert self.ok(200, "POST", f"{self.path}/publish")["version"] == self.version
        used = {entry["sceneId"] for entry in self.entries}
        scenes = {
            scene: (self.scenes[scene], [one["id"] for one in self.schedules[scene]])
            for scene in self.scenes
            if scene in used
        }
        self.published = list(self.entries), scenes

    @rule(name=st.sampled_from(["X", "Y"]))
    def rename_location(self, name: str) -> None:
        """A location change reaches boards without a publish."""
        self.ok(200, "PATCH", f"/v1/locations/{self.location}", {"name": name})
        assert self.manifest()["location"]["name"] == name

    def manifest(self) -> Any:
        response = self.shared.run(self.device.manifest())
        assert response.status_code == 200, response.text
        return body_of(response)

    @invariant()
    def the_draft_has_all_edits(self) -> None:
        draft = self.get(self.path)
        assert (draft["version"], draft["scenes"]) == (self.version, self.entries)

    @invariant()
    def boards_show_the_published_version(self) -> None:
        manifest = self.manifest()
        if self.published is None:
            assert manifest["playlist"] is None
        else:
            entries, scenes = self.published
            assert manifest["playlist"]["version"] == self.version
            assert manifest["playlist"]["entries"] == entries
            shown = {
                scene["id"]: (scene["name"], [one["id"] for one in scene["schedules"]]) for scene in manifest["scenes"]
            }
            assert shown == scenes
        grown = manifest["revision"] - self.seen["revision"]
        assert grown > 0 if manifest != self.seen else grown == 0
        self.seen = manifest


class RetryMachine(Machine):
    """Calls with an Idempotency-Key, repeated at any time: one effect and one answer each."""

    def __init__(self, shared: SharedApplication) -> None:
        super().__init__(shared)
        self.prices: dict[str, Decimal] = {}
        self.calls: list[tuple[str, str, Any, httpx.Response]] = []
        """Method, path, body and first answer; the key is the index in this list."""

    def chosen(self, choice: int) -> str:
        return list(self.prices)[choice % len(self.prices)]

    def keyed(self, number: int, method: str, path: str, body: object) -> httpx.Response:
        return self.send(method, path, body, **{"Idempotency-Key": f"call-{number}"})

    def first(self, method: str, path: str, body: object) -> httpx.Response:
        answer = self.keyed(len(self.calls), method, path, body)
        assert answer.status_code in (200, 201), answer.text
        self.calls.append((method, path, body, answer))
        return answer

    @rule(price=prices)
    def create(self, price: Decimal) -> None:
        made = body_of(self.first("POST", ITEMS, {"name": "Thing", "category": "Cake", "price": price}))
        self.prices[made["id"]] = made["price"]

    @precondition(lambda self: self.prices)
    @rule(choice=choices, price=prices)
    def change(self, choice: int, price: Decimal) -> None:
        item = self.chosen(choice)
        self.first("PATCH", f"{ITEMS}/{item}", {"price": price})
        self.prices[item] = price

    @precondition(lambda self: self.prices)
    @rule(price=prices)
    def change_many(self, price: Decimal) -> None:
        self.first("POST", f"{ITEMS}/bulk", [{"id": item, "price": price} for item in self.prices])
        self.prices = dict.fromkeys(self.prices, price)

    @precondition(lambda self: self.prices)
    @rule(choice=choices, price=prices)
    def change_without_a_key(self, choice: int, price: Decimal) -> None:
        item = self.chosen(choice)
        self.ok(200, "PATCH", f"{ITEMS}/{item}", {"price": price})
        self.prices[item] = price

    @precondition(lambda self: self.prices)
    @rule(choice=choices)
    def remove(self, choice: int) -> None:
        item = self.chosen(choice)
        self.ok(204, "DELETE", f"{ITEMS}/{item}")
        del self.prices[item]

    @precondition(lambda self: self.calls)
    @rule(choice=choices)
    def repeat(self, choice: int) -> None:
        number = choice % len(self.calls)
        method, path, body, answer = self.calls[number]
        again = self.keyed(number, method, path, body)
        assert (again.status_code, again.content) == (answer.status_code, answer.content)
        assert again.headers.get("Location") == answer.headers.get("Location")
        assert again.headers.get("ETag") == answer.headers.get("ETag")

    @precondition(lambda self: self.calls)
    @rule(choice=choices)
    def reuse_the_key(self, choice: int) -> None:
        number = choice % len(self.calls)
        method, path, _, _ = self.calls[number]
        other = self.keyed(number, method, path, {"name": "Else", "category": "Cake", "price": 1})
        assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")

    @precondition(lambda self: self.prices)
    @rule(choice=choices, price=prices)
    def retry_after_a_refusal(self, choice: int, price: Decimal) -> None:
        item = self.chosen(choice)
        refused = self.keyed(len(self.calls), "PATCH", f"{ITEMS}/{item}", {"price": -1})
        assert refused.status_code == 422
        self.change(choice, price)

    @invariant()
    def every_effect_is_there_once(self) -> None:
        assert {item["id"]: item["price"] for item in self.whole_list(ITEMS)} == self.prices


@pytest.mark.parametrize("machine", [ItemMachine, PlaylistMachine, RetryMachine])
def test_random_calls_match_the_model(shared: SharedApplication, machine: type[Machine]) -> None:
    run_state_machine_as_test(lambda: machine(shared), settings=STEADY)
