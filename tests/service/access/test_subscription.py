"""The subscription: changed by an owner or by a signed call of the billing provider; each real change is emitted."""

import hashlib
import hmac
import json
from typing import Any

import httpx

from service.core.permissions import Role
from tests.service.support.application import START, Caller, Service, body_of, faults_in
from tests.service.support.outbox import emitted_events

PATH = "/v1/subscription"
CALLBACK = "/v1/billing/callback"
SECRET = "billing-secret"


async def test_a_workspace_begins_with_the_free_plan(owner: Caller) -> None:
    assert body_of(await owner.get(PATH)) == {"plan": "free", "status": "active", "changedAt": None}


async def test_an_owner_changes_it_and_one_event_is_emitted(service: Service, owner: Caller) -> None:
    changed = body_of(await owner.patch(PATH, {"plan": "pro"}))
    again = body_of(await owner.patch(PATH, {"plan": "pro", "status": "active"}))

    assert changed == again == {"plan": "pro", "status": "active", "changedAt": "2026-11-20T12:00:00.000Z"}
    assert body_of(await owner.get(PATH)) == changed
    previous = {"plan": "free", "status": "active"}
    assert emitted_events(service, "subscription.updated") == [
        {"plan": "pro", "status": "active", "previous": previous}
    ]


async def test_other_roles_cannot_change_it(service: Service) -> None:
    assert (await service.caller(Role.ADMIN).patch(PATH, {"plan": "pro"})).status_code == 403
    assert (await service.caller(Role.VIEWER).get(PATH)).status_code == 200


async def test_an_invalid_subscription_is_refused(owner: Caller) -> None:
    response = await owner.patch(PATH, {"plan": "", "status": "sleeping"})

    assert (response.status_code, faults_in(response)) == (422, {"/plan": "too_short", "/status": "not_allowed"})


def bill(service: Service) -> None:
    """Enables billing, as the operator does with a setting."""
    subscriptions: Any = service.services.subscriptions
    subscriptions._billing_secret = SECRET


async def call(
    service: Service, document: object, *, secret: str = SECRET, late: float = 0, header: str | None = None
) -> httpx.Response:
    body = json.dumps(document).encode()
    seconds = int(START.timestamp() + late)
    digest = hmac.new(secret.encode(), f"{seconds}.".encode() + body, hashlib.sha256).hexdigest()
    signature = f"t={seconds},v1={digest}" if header is None else header
    headers = {"X-Service-Signature": signature, "Content-Type": "application/json"}
    return await service.client.post(CALLBACK, content=body, headers=headers)


def notice_for(service: Service, **fields: str) -> dict[str, str]:
    with service.services.database.write() as unit:
        workspace = service.services.keys.workspace(unit)
    return {"workspace": workspace, "plan": "pro", "status": "past_due", **fields}


async def test_a_signed_call_changes_it(service: Service, owner: Caller) -> None:
    bill(service)

    response = await call(service, notice_for(service))

    assert (response.status_code, body_of(response)["status"]) == (200, "past_due")
    assert body_of(await owner.get(PATH))["plan"] == "pro"
    assert (await call(service, notice_for(service), late=300)).status_code == 200
    assert len(emitted_events(service, "subscription.updated")) == 1


async def test_a_call_without_a_valid_signature_changes_nothing(service: Service, owner: Caller) -> None:
    bill(service)
    notice = notice_for(service)
    for refused in (
        await call(service, notice, secret="other"),
        await call(service, notice, late=-301),
        await call(service, notice, late=301),
        *[
            await call(service, notice, header=header)
            for header in ("", "nonsense", "t=,v1=", "t=9,t=9,v1=aa", f"t={'9' * 5000},v1=aa", "v1=aa")
        ],
    ):
        assert (refused.status_code, refused.json()["code"]) == (401, "unauthenticated")
    assert body_of(await owner.get(PATH))["plan"] == "free"


async def test_an_invalid_signed_call_is_refused(service: Service, owner: Caller) -> None:
    bill(service)

    wrong = await call(service, notice_for(service, status="sleeping"))
    assert (wrong.status_code, faults_in(wrong)) == (422, {"/status": "not_allowed"})
    assert (await call(service, notice_for(service, workspace="ws_none"))).status_code == 404


async def test_without_a_secret_there_is_no_billing(service: Service, owner: Caller) -> None:
    assert (await call(service, notice_for(service))).status_code == 404
    assert body_of(await owner.get(PATH))["plan"] == "free"
