"""Held requests: woken by changes of their manifest, answered 304 otherwise, and ended when the screen is removed."""

import asyncio
import gzip
import hashlib
from collections.abc import Sequence
from datetime import datetime
from threading import Event
from typing import Any

import msgspec
import pytest

from service.core.permissions import Role
from service.schema.content.item import ItemPatch
from service.services.devices.held_polls import MAX_HELD_PER_SCREEN, MAX_WAIT_SECONDS
from service.services.publishing import manifests
from service.services.publishing.composition import ManifestKey
from service.services.publishing.manifests import ManifestGoneError, Outcome
from tests.service.support.application import (
    MENU,
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    body_of,
    pair,
    running,
    start,
)
from tests.support.patience import PATIENCE_SECONDS


async def test_the_response_has_the_headers_of_the_protocol(device: Device) -> None:
    plain = await device.manifest(**{"Accept-Encoding": "identity"})

    assert plain.status_code == 200
    assert plain.headers["ETag"] == f'"{hashlib.sha256(plain.content).hexdigest()}"'
    assert plain.headers["Cache-Control"] == "private, no-cache"
    assert plain.headers["Vary"] == "Authorization, Accept-Encoding, Prefer"
    assert "Preference-Applied" not in plain.headers
    assert "Content-Encoding" not in plain.headers


async def test_the_answer_to_a_heartbeat_says_which_manifest_is_the_newest(
    device: Device, owner: Caller, cafe: Cafe
) -> None:
    """Also to a screen whose polls something else answers."""

    async def told() -> str:
        while (etag := (await device.heartbeat()).json()["manifestEtag"]) is None:  # noqa: ASYNC110  (as a player does)
            await asyncio.sleep(0)
        return str(etag)

    first = await told()
    assert f'"{first}"' == (await device.manifest()).headers["ETag"]
    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"eightySixed": True})
    second = await told()
    assert second != first
    assert f'"{second}"' == (await device.manifest()).headers["ETag"]


async def test_the_body_is_compressed_on_request(service: Service, device: Device) -> None:
    plain = await device.manifest(**{"Accept-Encoding": "identity"})
    for accepted in ("gzip", "br, gzip;q=0.5", "*", "deflate,GZIP ; q=1.0"):
        small = await device.manifest(**{"Accept-Encoding": accepted})
        assert small.headers["Content-Encoding"] == "gzip", accepted
        assert int(small.headers["Content-Length"]) == len(gzip.compress(plain.content))
        assert (small.content, small.headers["ETag"]) == (plain.content, plain.headers["ETag"])
    for accepted in ("br", "gzip;q=0", "gzip;q=0.0, br", "xgzip", ""):
        assert "Content-Encoding" not in (await device.manifest(**{"Accept-Encoding": accepted})).headers, accepted


async def test_a_call_without_a_preference_is_never_held(device: Device) -> None:
    etag = (await device.manifest()).headers["ETag"]

    unchanged = await device.manifest(**{"If-None-Match": etag})

    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert unchanged.headers["ETag"] == etag
    assert "Preference-Applied" not in unchanged.headers
    for known in (f"W/{etag}", f'"other", {etag}', "*"):
        assert (await device.manifest(**{"If-None-Match": known})).status_code == 304
    for unknown in ('"other"', etag.upper().replace('"', "'"), ""):
        assert (await device.manifest(**{"If-None-Match": unknown})).status_code == 200


async def test_a_different_etag_is_answered_at_once(device: Device) -> None:
    answer = await device.held('"other"')

    assert (answer.status_code, answer.headers["Preference-Applied"]) == (200, "wait=25")


async def test_a_held_call_ends_with_304_after_its_wait(service: Service, device: Device, clock: VirtualClock) -> None:
    etag = (await device.manifest()).headers["ETag"]
    call = start(device.held(etag))
    await service.holding()

    await clock.advance(24)
    assert not call.done()
    await clock.advance(1)

    answer = await call
    assert (answer.status_code, answer.headers["Preference-Applied"]) == (304, "wait=25")
    assert service.held_polls.holding == 0


async def test_no_call_is_held_for_longer_than_the_maximum(
    service: Service, device: Device, clock: VirtualClock
) -> None:
    etag = (await device.manifest()).headers["ETag"]
    call = start(device.held(etag, wait=999999999))
    await service.holding()

    await clock.advance(MAX_WAIT_SECONDS)

    assert (await call).headers["Preference-Applied"] == f"wait={MAX_WAIT_SECONDS}"


NO_PREFERENCES: list[str] = [
    "wait",
    "wait=",
    "wait=-1",
    "wait=soon",
    "wait=9999999999",
    "awaits=5",
    "return=minimal",
]


async def test_an_invalid_preference_is_ignored(device: Device) -> None:
    for prefer in NO_PREFERENCES:
        etag = (await device.manifest()).headers["ETag"]

        answer = await device.manifest(**{"If-None-Match": etag, "Prefer": prefer})

        assert answer.status_code == 304, prefer
        assert "Preference-Applied" not in answer.headers, prefer


PREFERENCES: list[str] = [
    'wait="25"',
    "respond-async, wait=25",
    "WAIT = 25; x=1",
    "wait=25, return=minimal",
]


async def test_preferences_follow_rfc_7240(device: Device) -> None:
    for prefer in PREFERENCES:
        assert (await device.manifest(Prefer=prefer)).headers["Preference-Applied"] == "wait=25", prefer


async def test_each_change_wakes_the_call_at_once(service: Service, owner: Caller, cafe: Cafe, device: Device) -> None:
    manifest = await device.manifest()
    revision = body_of(manifest)["revision"]
    changes = [
        owner.patch(f"/v1/content/items/{cafe.coffee}", {"eightySixed": True}),
        owner.post("/v1/content/items/bulk", [{"id": cafe.cake, "price": 5}]),
        owner.post("/v1/content/items", {"name": "Scone", "category": "Cake", "price": 3}),
        owner.delete(f"/v1/content/items/{cafe.cake}"),
        owner.patch(f"/v1/locations/{cafe.location}", {"name": "Main Street"}),
        owner.post(f"/v1/playlists/{cafe.playlist}/publish"),
    ]
    for change in changes:
        call = start(device.held(manifest.headers["ETag"]))
        await service.holding()
        assert (await change).is_success

        manifest = await call
        revision += 1
        assert (manifest.status_code, body_of(manifest)["revision"]) == (200, revision)


async def test_an_item_change_sets_revision_at(
    service: Service, owner: Caller, cafe: Cafe, device: Device, clock: VirtualClock
) -> None:
    await clock.advance(90)
    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"eightySixed": True})
    await clock.advance(30)

    manifest = body_of(await device.manifest())

    assert manifest["revisionAt"] == "2026-11-20T12:01:30.000Z"
    assert [item["eightySixed"] for item in manifest["items"]] == [True, False]


async def test_a_removed_item_changes_revision_at(
    owner: Caller, cafe: Cafe, device: Device, clock: VirtualClock
) -> None:
    await device.manifest()
    await clock.advance(45)
    await owner.delete(f"/v1/content/items/{cafe.cake}")

    manifest = body_of(await device.manifest())

    assert manifest["revisionAt"] == "2026-11-20T12:00:45.000Z"
    assert [item["id"] for item in manifest["items"]] == [cafe.coffee]


async def test_the_end_of_an_86_wakes_the_call(
    service: Service, owner: Caller, cafe: Cafe, device: Device, clock: VirtualClock
) -> None:
    path = f"/v1/content/items/{cafe.coffee}"
    await owner.patch(path, {"eightySixed": True, "eightySixedUntil": "2026-11-20T12:00:20Z"})
    call = start(device.held((await device.manifest()).headers["ETag"]))
    await service.holding()

    await service.pass_seconds(19)
    assert not call.done()
    await clock.advance(1)

    items = body_of(await call)["items"]
    assert [item["eightySixed"] for item in items] == [False, False]


async def test_a_change_elsewhere_wakes_no_request(
    service: Service, owner: Caller, cafe: Cafe, device: Device, clock: VirtualClock
) -> None:
    narrow = {"id": "m", "type": "menu", "categories": ["Coffee"], "x": 0, "y": 0, "width": 9, "height": 9}
    await owner.patch(f"/v1/scenes/{cafe.scene}", {"widgets": [narrow]})
    playlist = await owner.make("/v1/playlists", {"name": "Coffee"})
    await owner.make(f"/v1/playlists/{playlist['id']}/scenes", {"sceneId": cafe.scene, "durationSeconds": 5})
    await owner.post(f"/v1/playlists/{playlist['id']}/publish")
    await owner.patch(f"/v1/screens/{device.screen}", {"playlist": playlist["id"]})
    etag = (await device.manifest()).headers["ETag"]
    call = start(device.held(etag))
    await service.holding()

    await owner.patch(f"/v1/content/items/{cafe.cake}", {"price": 9})
    await owner.patch(f"/v1/scenes/{cafe.scene}", {"name": "A draft"})
    same_again = await device.manifest(**{"If-None-Match": etag})

    assert same_again.status_code == 304
    assert not call.done()
    await clock.advance(25)
    assert (await call).status_code == 304


async def test_a_moved_screen_gets_its_new_manifest_at_once(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    other = await owner.make(
        "/v1/locations", {"name": "Ginza", "timezone": "Asia/Tokyo", "currency": "JPY", "locale": "ja-JP"}
    )
    call = start(device.held((await device.manifest()).headers["ETag"]))
    await service.holding()

    await owner.patch(f"/v1/screens/{device.screen}", {"location": other["id"]})
    moved = body_of(await call)
    assert moved["location"]["currency"] == "JPY"

    await owner.patch(f"/v1/screens/{device.screen}", {"playlist": None})
    bare = body_of(await device.manifest())
    assert (bare["playlist"], bare["scenes"], bare["items"], bare["assets"]) == (None, [], [], {})


async def test_the_request_of_a_removed_screen_ends_at_once(service: Service, owner: Caller, device: Device) -> None:
    call = start(device.held((await device.manifest()).headers["ETag"]))
    await service.holding()

    await owner.delete(f"/v1/screens/{device.screen}")

    answer = await call
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert answer.json()["code"] == "token_revoked"
    for again in (await device.manifest(), await device.heartbeat(), await device.asset("sha256:" + "0" * 64)):
        assert again.status_code == 401


async def test_the_number_of_held_calls_per_screen_is_limited(
    service: Service, device: Device, clock: VirtualClock
) -> None:
    etag = (await device.manifest()).headers["ETag"]
    calls = []
    for number in range(MAX_HELD_PER_SCREEN):
        calls.append(start(device.held(etag)))
        await service.holding(number + 1)

    calls.append(start(device.held(etag)))

    assert (await calls[0]).status_code == 304
    assert not any(call.done() for call in calls[1:])
    await clock.advance(25)
    assert [(await call).status_code for call in calls] == [304] * len(calls)


async def test_a_cancelled_call_does_not_affect_the_others(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    etag = (await device.manifest()).headers["ETag"]
    quitter, stayer = start(device.held(etag)), start(device.held(etag))
    await service.holding(2)

    quitter.cancel()
    await asyncio.gather(quitter, return_exceptions=True)
    await service.holding(1)
    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"eightySixed": True})

    assert (await stayer).status_code == 200


async def test_screens_with_one_key_share_one_manifest(
    service: Service, owner: Caller, cafe: Cafe, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [await pair(service, owner, cafe, device_id=f"{number:032x}") for number in range(3)]
    etag = (await device.manifest()).headers["ETag"]
    composed = list[ManifestKey]()
    compose = service.services.manifests.compose_many

    def counted(boards: Sequence[ManifestKey], *, now: datetime) -> dict[ManifestKey, Outcome]:
        composed.extend(boards)
        return compose(boards, now=now)

    monkeypatch.setattr(service.services.manifests, "compose_many", counted)
    calls = [start(one.held(etag)) for one in (device, *others)]
    await service.holding(4)
    assert composed == []

    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"price": 4})

    bodies = {(await call).content for call in calls}
    assert len(bodies) == 1
    assert len(composed) == 1


async def test_a_change_composes_only_the_boards_with_the_item_and_first_those_that_show_it(
    service: Service, owner: Caller, cafe: Cafe, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def playlist(category: str) -> str:
        widgets = [MENU | {"categories": [category]}]
        scene = (await owner.make("/v1/scenes", {"name": category, "widgets": widgets}))["id"]
        made = (await owner.make("/v1/playlists", {"name": category}))["id"]
        await owner.make(f"/v1/playlists/{made}/scenes", {"sceneId": scene, "durationSeconds": 5})
        assert (await owner.post(f"/v1/playlists/{made}/publish")).is_success
        return str(made)

    city = {"name": "City", "timezone": "UTC", "currency": "EUR", "locale": "de-DE"}
    elsewhere = (await owner.make("/v1/locations", city))["id"]
    places = {"cake": cafe.location, "coffee": cafe.location, "elsewhere": elsewhere}
    names = {"cake": "Cake", "coffee": "Coffee", "elsewhere": "Cake"}
    boards = {name: await pair(service, owner, cafe, device_id=f"{at:032x}") for at, name in enumerate(places)}
    shown = {category: await playlist(category) for category in ("Cake", "Coffee")}
    for name, board in boards.items():
        moved = {"location": places[name], "playlist": shown[names[name]]}
        assert (await owner.patch(f"/v1/screens/{board.screen}", moved)).is_success
    for _ in range(2):
        etags = {name: (await board.manifest()).headers["ETag"] for name, board in boards.items()}
    composed = list[list[ManifestKey]]()
    compose = service.services.manifests.compose_many

    def counted(keys: Sequence[ManifestKey], *, now: datetime) -> dict[ManifestKey, Outcome]:
        composed.append(list(keys))
        return compose(keys, now=now)

    monkeypatch.setattr(service.services.manifests, "compose_many", counted)
    calls = {name: start(board.held(etags[name])) for name, board in boards.items()}
    await service.holding(3)

    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"eightySixed": True})
    for name in ("coffee", "cake"):
        assert (await calls[name]).status_code == 200, "the board with cake tells the coffee of the other playlist here"

    assert not calls["elsewhere"].done()
    assert [[(key.location, key.playlist) for key in batch] for batch in composed] == [
        [(cafe.location, shown["Coffee"])],
        [(cafe.location, shown["Cake"])],
    ]
    composed.clear()
    tea = await owner.make("/v1/content/items", {"name": "Tea", "category": "Tea", "price": 3})
    await owner.patch(f"/v1/content/items/{tea['id']}", {"price": 4})
    assert composed == []
    await owner.patch(f"/v1/content/items/{tea['id']}", {"category": "Cake"})
    assert (await calls["elsewhere"]).status_code == 200
    assert {key.location for batch in composed for key in batch} == {elsewhere}


async def test_what_changes_while_a_manifest_is_composed_is_in_it(
    service: Service, owner: Caller, cafe: Cafe, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between what it read and the revision that it counts, another process may have counted a newer one."""
    first = body_of(await device.manifest())
    read, prices = manifests.compose_contents, iter([4])

    def overtaken(*arguments: Any, **named: Any) -> Any:
        contents = read(*arguments, **named)
        if (price := next(prices, None)) is not None:
            service.services.items.change(key.workspace, cafe.coffee, ItemPatch.model_validate({"price": price}))
        return contents

    key = service.services.devices.by_screen(device.screen).manifest_key
    service.services.items.change(key.workspace, cafe.coffee, ItemPatch.model_validate({"price": 3}))
    monkeypatch.setattr(manifests, "compose_contents", overtaken)
    composed = service.services.manifests.compose(key, now=service.clock.now())

    told = msgspec.json.decode(composed.body)
    assert told["items"][0]["price"] == 4
    assert told["revision"] == first["revision"] + 1


async def test_no_answer_is_older_than_the_last_commit(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    """Also if a change comes while a manifest is being composed."""
    for price in range(1, 20):
        changed = await owner.patch(f"/v1/content/items/{cafe.coffee}", {"price": price})
        seen = start(device.manifest())
        later = await owner.patch(f"/v1/content/items/{cafe.cake}", {"price": price})
        assert changed.is_success
        assert later.is_success
        assert body_of(await seen)["items"][0]["price"] == price
        assert body_of(await device.manifest())["items"][1]["price"] == price


async def test_revisions_continue_after_a_restart(service: Service, owner: Caller, cafe: Cafe, device: Device) -> None:
    await device.manifest()
    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"price": 4})
    before = await device.manifest()
    assert body_of(before)["revision"] == 2

    async with running(service.data, clock=VirtualClock(), database=service.database) as again:
        reborn = Device(again.client)
        reborn.token = device.token
        assert (await reborn.manifest()).content == before.content
        await Caller(again.client, again.services.keys.create(role=Role.OWNER, name="")).patch(
            f"/v1/content/items/{cafe.coffee}", {"price": 5}
        )
        assert body_of(await reborn.manifest())["revision"] == 3


async def test_a_stop_waits_for_the_manifest_that_a_heartbeat_has_composed(
    service: Service, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would go on with a database that is closed."""
    async with running(service.data, clock=VirtualClock(), database=service.database) as again:
        entered, released, order = Event(), Event(), list[str]()
        compose, close = again.services.manifests.compose_many, again.services.database.close

        def slow(keys: Sequence[ManifestKey], *, now: datetime) -> dict[ManifestKey, Outcome]:
            entered.set()
            released.wait(PATIENCE_SECONDS)
            outcomes = dict(compose(keys, now=now))
            order.append("composed")
            return outcomes

        monkeypatch.setattr(again.services.manifests, "compose_many", slow)
        monkeypatch.setattr(again.services.database, "close", lambda: (order.append("closed"), close()))
        asked = Device(again.client)
        asked.token = device.token
        assert (await asked.heartbeat()).json()["manifestEtag"] is None
        assert await asyncio.to_thread(entered.wait, PATIENCE_SECONDS)
        asyncio.get_running_loop().call_later(0.1, released.set)
    assert order == ["composed", "closed"]


async def test_a_stop_answers_every_held_call(service: Service, device: Device) -> None:
    etag = (await device.manifest()).headers["ETag"]
    call = start(device.held(etag))
    await service.holding()

    service.held_polls.close()

    assert (await call).status_code == 304
    assert (await device.held(etag)).status_code == 304


async def test_a_failed_composition_is_a_problem_and_can_be_retried(
    service: Service, owner: Caller, cafe: Cafe, device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise ManifestGoneError

    await device.manifest()
    with monkeypatch.context() as broken:
        broken.setattr(service.held_polls, "_compose", fail)
        await owner.patch(f"/v1/content/items/{cafe.coffee}", {"price": 4})
        assert (await device.manifest()).status_code == 500
    assert (await device.manifest()).status_code == 200
