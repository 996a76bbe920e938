"""The specification of the service, section by section, through the API. Other tests cover the details."""

from decimal import Decimal
from pathlib import Path

from service.api.http.routing import MAX_JSON_BYTES
from service.core.events import ALIASES, EventType
from service.core.permissions import Role
from service.schema.content.item import MAX_BULK_ENTRIES
from service.services.access.subscription import TOLERANCE
from service.services.devices.pairing import USER_CODE_LENGTH
from service.services.devices.presence import OFFLINE_AFTER
from service.services.webhooks.deliveries import FAILURES_TO_DISABLE, MAX_RETRIES
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, body_of, faults_in, running

ITEMS = "/v1/content/items"


async def test_section_2_general_conventions(owner: Caller, cafe: Cafe) -> None:
    item = await owner.make(ITEMS, {"name": "Tea", "category": "Tea", "price": 2, "surprise": True})
    assert "surprise" not in item
    first = body_of(await owner.get(f"{ITEMS}?limit=1"))
    assert set(first) == {"data", "pagination"}
    assert set(first["pagination"]) == {"cursor", "hasMore"}
    assert first["pagination"]["hasMore"] is True
    assert isinstance(first["pagination"]["cursor"], str)


async def test_section_2_fields_of_resources(owner: Caller, cafe: Cafe, device: Device) -> None:
    screen = body_of(await owner.get(f"/v1/screens/{device.screen}"))
    assert {"id", "name", "location", "playlist", "status", "lastSeen"} <= set(screen)
    assert (screen["location"], screen["playlist"]) == (cafe.location, cafe.playlist)
    item = body_of(await owner.get(f"{ITEMS}/{cafe.coffee}"))
    assert {"id", "name", "category", "price", "modifiers", "eightySixed"} <= set(item)
    assert item["modifiers"] == [{"name": "Oat milk", "priceDelta": Decimal("0.5")}]
    playlist = body_of(await owner.get(f"/v1/playlists/{cafe.playlist}"))
    assert {"id", "name", "version", "scenes"} <= set(playlist)


async def test_section_3_states_and_transitions(service: Service, owner: Caller, cafe: Cafe, device: Device) -> None:
    await device.heartbeat()
    path = f"/v1/screens/{device.screen}"
    assert body_of(await owner.get(path))["status"] == "online"
    service.clock.set(service.clock.now() + OFFLINE_AFTER)
    assert body_of(await owner.get(path))["status"] == "offline"
    await device.heartbeat()
    assert body_of(await owner.get(path))["status"] == "online"

    version = body_of(await owner.get(f"/v1/playlists/{cafe.playlist}"))["version"]
    published = body_of(await owner.post(f"/v1/playlists/{cafe.playlist}/publish"))
    assert (published["id"], published["version"]) == (cafe.playlist, version + 1)
    changed = body_of(await owner.patch(f"{ITEMS}/{cafe.coffee}", {"eightySixed": True}))
    assert changed["eightySixed"] is True


async def test_section_4_idempotency(service: Service, owner: Caller) -> None:
    secret = service.services.keys.create(role=Role.OWNER, name="till")
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "once"}
    tea = {"name": "Tea", "category": "Tea", "price": 2}

    first = await service.client.post(ITEMS, json=tea, headers=headers)
    again = await service.client.post(ITEMS, json=tea, headers=headers)

    assert (first.status_code, first.content) == (again.status_code, again.content)
    assert len(body_of(await owner.get(ITEMS))["data"]) == 1


async def test_section_4_screens_items_playlists_and_schedules(owner: Caller, cafe: Cafe, device: Device) -> None:
    screen = f"/v1/screens/{device.screen}"
    assert body_of(await owner.patch(screen, {"name": "Door"}))["name"] == "Door"
    assert [one["name"] for one in body_of(await owner.get("/v1/screens"))["data"]] == ["Door"]
    bulk = await owner.post(f"{ITEMS}/bulk", [{"id": cafe.coffee, "price": Decimal("3.6")}])
    assert bulk.status_code == 200
    assert body_of(await owner.get(f"{ITEMS}/{cafe.coffee}"))["price"] == Decimal("3.6")

    playlist = await owner.make("/v1/playlists", {"name": "Lunch"})
    assert playlist["scenes"] == []
    path = f"/v1/playlists/{playlist['id']}"
    daypart = {"type": "daypart", "start": "06:00", "end": "11:00"}
    await owner.make(f"{path}/scenes", {"sceneId": cafe.scene, "durationSeconds": 15, "schedule": daypart})
    assert (await owner.patch(f"{path}/order", {"order": [cafe.scene]})).status_code == 200

    schedules = f"/v1/scenes/{cafe.scene}/schedules"
    days = {**daypart, "days": ["mon", "tue"], "timezone": "location"}
    window = {"startsAt": "2026-12-01T00:00:00", "endsAt": "2026-12-24T12:00:00", "timezone": "location"}
    for body in (days, {"type": "window", **window}):
        schedule = await owner.make(schedules, body)
        assert (await owner.delete(f"/v1/schedules/{schedule['id']}")).status_code == 204
    assert (await owner.delete(f"{ITEMS}/{cafe.cake}")).status_code == 204
    assert (await owner.delete(screen)).status_code == 204


async def test_section_4_webhooks(owner: Caller) -> None:
    body = {"url": "https://hooks.example.com/menu", "events": ["screen.online", "pos.sync_failed"]}

    webhook = await owner.make("/v1/public/webhooks", body)

    assert (webhook["url"], webhook["events"]) == (body["url"], body["events"])


async def test_section_5_authentication(service: Service) -> None:
    assert (await service.client.get("/v1/screens")).status_code == 401
    viewer = service.caller(Role.VIEWER)
    assert (await viewer.get(ITEMS)).status_code == 200
    refused = await viewer.post(ITEMS, {"name": "Tea", "category": "Tea", "price": 2})
    assert refused.status_code == 403
    assert body_of(await service.stranger().get("/v1/screens"))["data"] == []


def test_section_6_events_and_their_aliases() -> None:
    assert set(EventType) == {
        "screen.online",
        "screen.offline",
        "content.published",
        "design.approved",
        "design.rejected",
        "pos.sync.completed",
        "pos.sync.failed",
        "team.member.added",
        "subscription.updated",
    }
    assert {alias: event.value for alias, event in ALIASES.items()} == {
        "device.online": "screen.online",
        "device.offline": "screen.offline",
        "pos.sync_succeeded": "pos.sync.completed",
        "pos.sync_failed": "pos.sync.failed",
    }


async def test_section_7_errors(service: Service, owner: Caller, cafe: Cafe) -> None:
    # The specification leaves body, statuses and codes open: these are ours (docs/service.md, problems).
    item = f"{ITEMS}/{cafe.coffee}"
    tea = {"name": "Tea", "category": "Tea", "price": 2}
    answers = {
        (400, "malformed_json"): await owner.raw("POST", ITEMS, b"{"),
        (400, "bad_cursor"): await owner.get(f"{ITEMS}?cursor=none"),
        (400, "bad_idempotency_key"): await owner.send("POST", ITEMS, tea, **{"Idempotency-Key": "not one"}),
        (401, "unauthenticated"): await service.client.get(ITEMS),
        (403, "forbidden"): await service.caller(Role.VIEWER).post(ITEMS, tea),
        (404, "not_found"): await owner.get(f"{ITEMS}/none"),
        (404, "no_such_path"): await owner.get("/v1/nowhere"),
        (405, "method_not_allowed"): await owner.send("PUT", item),
        (409, "in_use"): await owner.delete(f"/v1/scenes/{cafe.scene}"),
        (410, "gone"): await service.client.get("/v0/screens"),
        (412, "precondition_failed"): await owner.send("PATCH", item, {"price": 3}, **{"If-Match": '"older"'}),
        (413, "too_large"): await owner.raw("POST", ITEMS, b" " * (MAX_JSON_BYTES + 1)),
        (415, "unsupported_media_type"): await owner.raw("POST", ITEMS, b"a=1", "text/plain"),
        (422, "invalid"): await owner.post(ITEMS, {"name": "", "price": "2"}),
    }

    for (status, code), answer in answers.items():
        assert answer.headers["Content-Type"] == "application/problem+json"
        problem = body_of(answer)
        assert (answer.status_code, problem["status"], problem["code"]) == (status, status, code)
        assert problem["type"].endswith(code)
        assert problem["title"]
        assert problem["detail"]
    # All faults at once, each with its pointer.
    faults = faults_in(answers[422, "invalid"])
    assert faults == {"/name": "too_short", "/category": "required", "/price": "not_a_number"}
    assert (await owner.get(item)).status_code == 200


async def test_section_8_rate_limits(tmp_path: Path, clock: VirtualClock) -> None:
    # The specification leaves numbers, headers and the refusal open as well.
    async with running(tmp_path / "data", clock=clock, rate_limits={"reads": 1}) as service:
        owner = service.caller(Role.OWNER)
        granted, refused = await owner.get(ITEMS), await owner.get(ITEMS)

    assert (granted.headers["RateLimit-Policy"], granted.headers["RateLimit"]) == (
        '"reads";q=1;w=60',
        '"reads";r=0;t=60',
    )
    assert (refused.status_code, body_of(refused)["code"]) == (429, "too_many_requests")
    assert int(refused.headers["Retry-After"]) == 60


async def test_section_8_limits(owner: Caller, cafe: Cafe) -> None:
    assert MAX_BULK_ENTRIES == 1000
    assert USER_CODE_LENGTH == 6
    assert TOLERANCE.total_seconds() == 300
    assert MAX_RETRIES == 3
    assert FAILURES_TO_DISABLE == 10
    assert OFFLINE_AFTER.total_seconds() == 120
    too_many = [{"id": cafe.coffee, "price": 1}] * (MAX_BULK_ENTRIES + 1)
    assert (await owner.post(f"{ITEMS}/bulk", too_many)).status_code == 422


async def test_section_9_versioning(service: Service) -> None:
    assert (await service.client.get("/v0/screens")).status_code == 410
    paths = body_of(await service.client.get("/openapi.json"))["paths"]
    assert all(path.startswith("/v1/") for path in paths)
