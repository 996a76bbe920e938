"""Webhooks as integrators use them: registering, signatures checked by a public library, rotation, replay."""

import hashlib
import hmac
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import stripe
from sqlalchemy import select, update

from service.cli.main import EXIT_FAILURE, main
from service.core.clock import instant_text
from service.core.events import ALIASES, EventType
from service.core.permissions import Role
from service.services.webhooks.outbox import emit
from service.services.webhooks.signatures import SIGNATURE_HEADER, signed_headers
from service.services.webhooks.webhooks import MAX_WEBHOOKS, SECRET_OVERLAP
from service.storage.key_file import read_key
from service.storage.tables.webhooks import EndpointRow
from tests.service.support.application import Cafe, Caller, Service, VirtualClock, faults_in, open_cafe, running, until
from tests.service.support.receivers import WEBHOOKS, ReceivedDelivery, Receiver, deliveries, publish, settled

TOLERANCE_SECONDS = 300


@pytest.fixture
def reaches_loopback() -> bool:
    return True


async def subscribe(owner: Caller, hook: Receiver, *events: str) -> Any:
    return await owner.make(WEBHOOKS, {"url": hook.url, "events": list(events or EventType)})


def by_library(got: ReceivedDelivery, secret: str) -> bool:
    """Whether a public library of the same scheme accepts the signature."""
    try:
        return bool(
            stripe.WebhookSignature.verify_header(got.body.decode(), got.headers["X-Service-Signature"], secret)
        )
    except stripe.SignatureVerificationError:
        return False


async def test_a_webhook_is_registered_and_its_secret_shown_once(owner: Caller, hook: Receiver) -> None:
    answer = await owner.post(
        WEBHOOKS, {"url": hook.url, "events": ["screen.offline", "device.online", "screen.offline"], "more": 1}
    )

    made = answer.json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"{WEBHOOKS}/{made['id']}"
    assert made["secret"].startswith("whsec_")
    assert answer.headers["Cache-Control"] == "no-store"
    assert made == {
        "id": made["id"],
        "url": hook.url,
        "events": ["screen.offline", "device.online"],
        "status": "enabled",
        "enabled": True,
        "failures": 0,
        "oldSecretUntil": None,
        "createdAt": "2026-11-20T12:00:00.000Z",
        "secret": made["secret"],
    }
    del made["secret"]
    assert (await owner.get(f"{WEBHOOKS}/{made['id']}")).json() == made
    assert (await owner.get(WEBHOOKS)).json()["data"] == [made]
    assert (await owner.patch(f"{WEBHOOKS}/{made['id']}", {"events": ["ping"]})).status_code == 422
    changed = await owner.patch(f"{WEBHOOKS}/{made['id']}", {"events": ["content.published"], "enabled": False})
    assert changed.json() == made | {"events": ["content.published"], "status": "disabled", "enabled": False}
    assert (await owner.delete(f"{WEBHOOKS}/{made['id']}")).status_code == 204
    assert (await owner.get(f"{WEBHOOKS}/{made['id']}")).status_code == 404


async def test_an_invalid_subscription_is_refused_with_every_fault(owner: Caller) -> None:
    refused = await owner.post(WEBHOOKS, {"events": ["screen.online", "screen.on"]})
    assert (refused.status_code, faults_in(refused)) == (422, {"/url": "required", "/events/1": "unknown_event"})
    for url in ("ftp://hooks.example.com", "https://", "https://a:b@hooks.example.com/", "x"):
        refused = await owner.post(WEBHOOKS, {"url": url, "events": ["screen.online"]})
        assert (refused.status_code, faults_in(refused)) == (422, {"/url": "bad_url"}), url
    refused = await owner.post(WEBHOOKS, {"url": "https://h.example/" + "x" * 2000, "events": []})
    assert faults_in(refused) == {"/url": "too_long", "/events": "too_short"}
    assert (await owner.get(WEBHOOKS)).json()["data"] == []


@pytest.mark.parametrize("url", ["http://hooks.example.com/", "https://192.168.0.1/", "https://localhost/"])
async def test_only_https_to_public_addresses_unless_the_operator_allows_more(
    tmp_path: Path, clock: VirtualClock, url: str
) -> None:
    async with running(tmp_path / "strict", clock=clock) as strict:
        owner = strict.caller(Role.OWNER)
        refused = await owner.post(WEBHOOKS, {"url": url, "events": ["screen.online"]})
        assert (refused.status_code, faults_in(refused)) == (422, {"/url": "bad_url"})
        made = await owner.make(WEBHOOKS, {"url": "https://hooks.example.com/", "events": ["screen.online"]})
        assert (await owner.patch(f"{WEBHOOKS}/{made['id']}", {"url": url})).status_code == 422


async def test_webhooks_are_for_admins_of_the_workspace(service: Service, owner: Caller, hook: Receiver) -> None:
    made = await subscribe(owner, hook)
    path = f"{WEBHOOKS}/{made['id']}"
    for role, status in ((Role.ADMIN, 200), (Role.PUBLISHER, 403), (Role.EDITOR, 403), (Role.VIEWER, 403)):
        caller = service.caller(role)
        assert (await caller.get(path)).status_code == status, role
        assert (await caller.post(f"{path}/rotate-secret")).status_code == status, role
    stranger = service.stranger()
    for call in (
        stranger.get(path),
        stranger.patch(path, {"enabled": False}),
        stranger.delete(path),
        stranger.get(f"{path}/deliveries"),
        stranger.post(f"{path}/test"),
        stranger.post(f"{path}/rotate-secret"),
        stranger.post(f"{path}/enable"),
    ):
        assert (await call).status_code == 404
    assert (await stranger.get(WEBHOOKS)).json()["data"] == []


async def test_a_narrowed_key_cannot_manage_webhooks(owner: Caller, cafe: Cafe, service: Service) -> None:
    made = await owner.make("/v1/keys", {"role": "Admin", "name": "till", "locations": [cafe.location]})
    narrow = Caller(service.client, made["key"])
    refused = await narrow.post(WEBHOOKS, {"url": "https://hooks.example.com/", "events": ["screen.online"]})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert (await narrow.get(WEBHOOKS)).status_code == 403


async def test_the_number_of_webhooks_is_limited(service: Service, owner: Caller, hook: Receiver) -> None:
    made = await subscribe(owner, hook)
    with service.services.database.write() as unit:
        row = unit.session.get(EndpointRow, 1)
        assert row is not None
        kept = {column.key: getattr(row, column.key) for column in EndpointRow.__table__.columns}
        del kept["number"]
        unit.session.add_all(EndpointRow(**kept | {"id": f"whk_{n}"}) for n in range(1, MAX_WEBHOOKS))
    refused = await owner.post(WEBHOOKS, {"url": hook.url, "events": ["screen.online"]})
    assert (refused.status_code, refused.json()["code"]) == (409, "too_many_webhooks")
    await owner.delete(f"{WEBHOOKS}/{made['id']}")
    await subscribe(owner, hook)


async def test_a_delivery_carries_the_three_headers_and_the_envelope(
    owner: Caller, cafe: Cafe, hook: Receiver, clock: VirtualClock
) -> None:
    made = await subscribe(owner, hook, "content.published")

    await publish(owner, cafe.playlist)
    await until(lambda: len(hook.got) == 1)

    [got] = hook.got
    seconds = int(clock.now().timestamp())
    signed = hmac.new(made["secret"].encode(), f"{seconds}.".encode() + got.body, hashlib.sha256).hexdigest()
    assert got.headers["Content-Type"] == "application/json"
    assert got.headers["X-Webhook-Event"] == "content.published"
    assert got.headers["X-Webhook-Timestamp"] == instant_text(clock.now())
    assert got.headers["X-Service-Signature"] == f"t={seconds},v1={signed}"
    assert by_library(got, made["secret"])
    assert not by_library(got, made["secret"] + "x")
    assert got.event == {
        "id": got.event["id"],
        "type": "content.published",
        "createdAt": instant_text(clock.now()),
        "workspace": got.event["workspace"],
        "apiVersion": "v1",
        "data": {
            "playlist": cafe.playlist,
            "name": "All day",
            "version": 2,
            "publishedAt": instant_text(clock.now()),
        },
    }
    [delivery] = await settled(owner, made["id"], 1)
    [attempt] = delivery["attempts"]
    assert (delivery["status"], delivery["event"], delivery["nextAttemptAt"]) == ("succeeded", got.event["id"], None)
    assert (attempt["status"], attempt["reason"]) == (200, None)


async def test_only_subscribed_events_are_delivered(
    service: Service, owner: Caller, cafe: Cafe, hook: Receiver
) -> None:
    quiet = await subscribe(owner, hook, *(name for name in EventType if name != "content.published"))
    made = await subscribe(owner, hook, "content.published")
    stranger = service.stranger()
    other = await subscribe(stranger, hook)
    await owner.patch(f"{WEBHOOKS}/{quiet['id']}", {"events": ["device.offline"]})

    await publish(owner, cafe.playlist)
    await settled(owner, made["id"], 1)

    assert await deliveries(owner, quiet["id"]) == []
    assert await deliveries(stranger, other["id"]) == []


@pytest.mark.parametrize(("alias", "kind"), ALIASES.items())
async def test_an_alias_subscribes_to_the_event_under_its_own_name(
    service: Service, owner: Caller, hook: Receiver, alias: str, kind: EventType
) -> None:
    await subscribe(owner, hook, alias, kind)
    with service.services.database.write() as unit:
        emit(unit, service.services.keys.workspace(unit), kind, {})

    await until(lambda: hook.types == [kind.value])
    assert hook.got[0].headers["X-Webhook-Event"] == kind.value


async def test_a_secret_is_rotated_without_a_gap(
    owner: Caller, cafe: Cafe, hook: Receiver, service: Service, clock: VirtualClock
) -> None:
    made = await subscribe(owner, hook)
    path = f"{WEBHOOKS}/{made['id']}"
    first = made["secret"]

    rotated = (await owner.post(f"{path}/rotate-secret")).json()

    second = rotated["secret"]
    assert second != first
    assert rotated["oldSecretUntil"] == instant_text(clock.now() + SECRET_OVERLAP)
    await publish(owner, cafe.playlist)
    await until(lambda: len(hook.got) == 1)
    assert hook.got[0].headers["X-Service-Signature"].count(",v1=") == 2
    assert by_library(hook.got[0], first)
    assert by_library(hook.got[0], second)

    clock.set(clock.now() + SECRET_OVERLAP)
    await publish(owner, cafe.playlist)
    await until(lambda: len(hook.got) == 2)
    assert hook.got[1].headers["X-Service-Signature"].count(",v1=") == 1
    assert not by_library(hook.got[1], first)


async def test_a_test_delivery_is_signed_and_tried_once(owner: Caller, hook: Receiver, service: Service) -> None:
    made = await subscribe(owner, hook, "screen.online")
    path = f"{WEBHOOKS}/{made['id']}"
    hook.status = 500

    asked = await owner.post(f"{path}/test")

    assert asked.status_code == 202
    [delivery] = await settled(owner, made["id"], 1)
    assert (delivery["id"], delivery["type"], delivery["status"]) == (asked.json()["id"], "ping", "failed")
    assert hook.got[0].headers["X-Webhook-Event"] == "ping"
    assert by_library(hook.got[0], made["secret"])
    assert (await owner.get(path)).json()["failures"] == 0
    await owner.patch(path, {"enabled": False})
    assert (await owner.post(f"{path}/test")).json()["code"] == "webhook_disabled"


async def test_a_delivery_is_replayed_with_the_same_id_and_body(
    owner: Caller, cafe: Cafe, hook: Receiver, service: Service
) -> None:
    made = await subscribe(owner, hook)
    path = f"{WEBHOOKS}/{made['id']}/deliveries"
    await publish(owner, cafe.playlist)
    [before] = await settled(owner, made["id"], 1)

    again = await owner.post(f"{path}/{before['id']}/replay")

    assert again.status_code == 202
    assert again.json()["event"] == before["event"]
    assert [one["status"] for one in await settled(owner, made["id"], 2)] == ["succeeded", "succeeded"]
    assert hook.got[0].body == hook.got[1].body
    assert (await owner.post(f"{path}/dlv_0/replay")).status_code == 404
    other = await subscribe(owner, hook, "screen.online")
    assert (await owner.post(f"{WEBHOOKS}/{other['id']}/deliveries/{before['id']}/replay")).status_code == 404
    hook.status = None
    third = (await owner.post(f"{path}/{before['id']}/replay")).json()
    pending = await owner.post(f"{path}/{third['id']}/replay")
    assert (pending.status_code, pending.json()["code"]) == (409, "delivery_pending")


async def test_deliveries_are_listed_by_page_and_by_status(owner: Caller, cafe: Cafe, hook: Receiver) -> None:
    made = await subscribe(owner, hook)
    path = f"{WEBHOOKS}/{made['id']}/deliveries"
    await publish(owner, cafe.playlist, times=3)
    found = await settled(owner, made["id"], 3)

    first = (await owner.get(f"{path}?limit=2")).json()
    rest = (await owner.get(f"{path}?limit=2&cursor={first['pagination']['cursor']}")).json()

    assert first["data"] + rest["data"] == found
    assert rest["pagination"] == {"cursor": None, "hasMore": False}
    assert await deliveries(owner, made["id"], "status=failed") == []
    assert await deliveries(owner, made["id"], "status=succeeded") == found
    assert (await owner.get(f"{path}?status=lost")).status_code == 422
    assert (await owner.get(f"{path}?status=failed&cursor={first['pagination']['cursor']}")).status_code == 400


async def test_entity_tags_detect_a_conflict_of_two_admins(owner: Caller, hook: Receiver) -> None:
    answer = await owner.post(WEBHOOKS, {"url": hook.url, "events": ["screen.online"]})
    path = answer.headers["Location"]
    etag = (await owner.get(path)).headers["ETag"]

    assert (await owner.send("PATCH", path, {"events": ["screen.offline"]}, **{"If-Match": etag})).status_code == 200
    assert (await owner.send("PATCH", path, {"enabled": False}, **{"If-Match": etag})).status_code == 412
    assert (await owner.send("DELETE", path, **{"If-Match": etag})).status_code == 412


async def test_a_webhook_is_enabled_and_disabled_by_what_it_shows(owner: Caller, hook: Receiver) -> None:
    path = (await owner.post(WEBHOOKS, {"url": hook.url, "events": ["screen.online"]})).headers["Location"]
    changes: list[tuple[dict[str, Any], bool]] = [
        ({"status": "disabled"}, False),
        ({"enabled": True}, True),
        ({"enabled": False, "status": "disabled"}, False),
        ({"status": "enabled"}, True),
    ]
    for change, enabled in changes:
        shown = (await owner.patch(path, change)).json()
        assert (shown["enabled"], shown["status"]) == (enabled, "enabled" if enabled else "disabled"), change
    refused = await owner.patch(path, {"enabled": False, "status": "enabled"})
    assert faults_in(refused) == {"/status": "contradiction"}
    assert faults_in(await owner.patch(path, {"status": "paused"})) == {"/status": "not_allowed"}
    assert (await owner.get(path)).json()["enabled"] is True


async def test_a_secret_is_in_no_log(
    owner: Caller, cafe: Cafe, hook: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    made = await subscribe(owner, hook)
    hook.status = 500
    await publish(owner, cafe.playlist)
    await settled(owner, made["id"], 1)
    assert made["secret"] not in caplog.text


def test_the_library_refuses_an_old_signature() -> None:
    now = datetime.now().astimezone()
    for age, good in ((TOLERANCE_SECONDS - 30, True), (TOLERANCE_SECONDS + 30, False)):
        at = now - timedelta(seconds=age)
        header = signed_headers("ping", b"{}", secrets=["a"], at=at)[SIGNATURE_HEADER]
        try:
            stripe.WebhookSignature.verify_header("{}", header, "a", tolerance=TOLERANCE_SECONDS)
        except stripe.SignatureVerificationError:
            assert not good, age
        else:
            assert good, age


def stored(service: Service) -> str:
    with service.services.database.read() as session:
        return " ".join(f"{row.secret} {row.old_secret}" for row in session.scalars(select(EndpointRow)))


async def test_the_database_holds_no_secret(service: Service, owner: Caller, hook: Receiver) -> None:
    made = await subscribe(owner, hook)
    second = (await owner.post(f"{WEBHOOKS}/{made['id']}/rotate-secret")).json()["secret"]

    assert "whsec_" not in stored(service)
    assert not any(secret.removeprefix("whsec_") in stored(service) for secret in (made["secret"], second))
    key = service.data / "secrets.key"
    assert (len(key.read_bytes()), stat.S_IMODE(key.stat().st_mode)) == (64, 0o600)


async def test_secrets_of_earlier_versions_are_sealed_by_the_start_and_go_on(
    tmp_path: Path, clock: VirtualClock, database_url: str | None, hook: Receiver
) -> None:
    options: Any = {"clock": clock, "database": database_url, "webhooks_allow_private": True}
    async with running(tmp_path / "data", **options) as earlier:
        owner = earlier.caller(Role.OWNER)
        cafe = await open_cafe(owner)
        await subscribe(owner, hook)
        with earlier.services.database.write() as unit:
            unit.session.execute(update(EndpointRow).values(secret="whsec_new", old_secret="whsec_old"))
            until_ = unit.now + SECRET_OVERLAP
            unit.session.execute(update(EndpointRow).values(old_secret_until=until_))
    async with running(tmp_path / "data", **options) as service:
        assert "whsec_" not in stored(service)
        await publish(owner := service.caller(Role.OWNER), cafe.playlist)
        await until(lambda: len(hook.got) == 1)
        assert all(by_library(hook.got[0], secret) for secret in ("whsec_new", "whsec_old"))
    if database_url is None:
        left = b"".join(file.read_bytes() for file in (tmp_path / "data").glob("service.sqlite3*"))
        assert b"whsec_" not in left, "neither in the file nor in its log"


async def test_secrets_under_another_key_are_named_and_nothing_goes_out_unsigned(
    tmp_path: Path, clock: VirtualClock, database_url: str | None, hook: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    options: Any = {"clock": clock, "database": database_url, "webhooks_allow_private": True}
    async with running(tmp_path / "data", **options) as service:
        cafe = await open_cafe(service.caller(Role.OWNER))
        made = await subscribe(service.caller(Role.OWNER), hook)
    (tmp_path / "data" / "secrets.key").write_bytes(b"x" * 64)
    async with running(tmp_path / "data", **options) as service:
        assert [made["id"] in record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [True]
        owner = service.caller(Role.OWNER)
        await publish(owner, cafe.playlist)
        await settled(owner, made["id"], 1)
        [delivery] = await deliveries(owner, made["id"])
        assert delivery["attempts"][0]["reason"] == "unreadable_secret"
        assert hook.got == []
        secret = (await owner.post(f"{WEBHOOKS}/{made['id']}/rotate-secret")).json()["secret"]
        await publish(owner, cafe.playlist)
        await until(lambda: len(hook.got) == 1)
        assert by_library(hook.got[0], secret)


def test_a_key_that_is_none_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["demo-data", "--data", str(tmp_path)]
    (tmp_path / "secrets.key").write_bytes(b"short")
    assert main(arguments, {}) == EXIT_FAILURE
    assert "secrets.key is not the key of this service, but 5 bytes" in capsys.readouterr().err
    (tmp_path / "secrets.key").unlink()
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: read_key(tmp_path / "secrets.key"), range(8)))) == 1, "one for all processes"
