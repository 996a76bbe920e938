"""The team: an invitation is accepted once, and no role above the inviter's is given."""

from datetime import timedelta
from typing import Any

import httpx
import pytest

from service.core.permissions import Role
from service.services.access import team as team_module
from service.services.access.team import INVITE_LIFETIME, WRONG_TOKEN_LIMITS
from tests.service.support.application import PUBLIC_URL, Caller, Service, body_of, faults_in, running
from tests.service.support.outbox import emitted_events

SHOWN_ONCE = ("token", "link", "deskLink")
INVITES = "/v1/team/invites"
MEMBERS = "/v1/team/members"
KIM = {"email": "kim@example.com", "role": "Editor"}


async def accept(service: Service, token: str, name: str = "Kim") -> Any:
    return await service.client.post(f"{INVITES}/accept", json={"token": token, "name": name})


async def preview(service: Service, token: str) -> Any:
    return await service.client.post(f"{INVITES}/preview", json={"token": token})


async def join(service: Service, owner: Caller, **fields: str) -> Any:
    """A member who has accepted an invitation."""
    response = await accept(service, (await owner.make(INVITES, KIM | fields))["token"])
    assert response.status_code == 201, response.text
    return response.json()


async def test_an_invitation_is_accepted_once_and_emitted(service: Service, owner: Caller) -> None:
    response = await owner.post(INVITES, KIM)
    invite = body_of(response)
    assert (response.status_code, response.headers["Location"]) == (201, f"{INVITES}/{invite['id']}")
    assert response.headers["Cache-Control"] == "no-store"
    assert invite["expiresAt"] == "2026-11-27T12:00:00.000Z"
    assert invite["link"] == f"{PUBLIC_URL}/join#{invite['token']}"
    [listed] = body_of(await owner.get(INVITES))["data"]
    assert listed == {name: value for name, value in invite.items() if name not in SHOWN_ONCE}

    accepted = await accept(service, invite["token"])

    member = accepted.json()
    assert (accepted.status_code, accepted.headers["Cache-Control"]) == (201, "no-store")
    assert (member["email"], member["name"], member["role"]) == ("kim@example.com", "Kim", "Editor")
    assert body_of(await owner.get(INVITES))["data"] == []
    [listed] = body_of(await owner.get(MEMBERS))["data"]
    assert listed == {name: value for name, value in member.items() if name != "key"}
    data = {"member": member["id"], "email": "kim@example.com", "name": "Kim", "role": "Editor"}
    assert emitted_events(service, "team.member.added") == [data]
    assert ended(await accept(service, invite["token"])) == "invite_accepted"
    assert len(emitted_events(service, "team.member.added")) == 1


async def test_a_member_calls_with_a_key_that_follows_the_role(service: Service, owner: Caller) -> None:
    member = await join(service, owner)
    kim = Caller(service.client, member["key"])
    item = {"name": "Tea", "category": "Tea", "price": 2}
    assert (await kim.post("/v1/content/items", item)).status_code == 201
    assert (await kim.get(MEMBERS)).status_code == 403

    changed = await owner.patch(f"{MEMBERS}/{member['id']}", {"role": "Viewer"})
    assert (changed.status_code, body_of(changed)["role"]) == (200, "Viewer")
    assert (await kim.post("/v1/content/items", item)).status_code == 403

    assert (await owner.delete(f"{MEMBERS}/{member['id']}")).status_code == 204
    assert (await kim.get("/v1/content/items")).status_code == 401
    assert body_of(await owner.get(MEMBERS))["data"] == []


def ended(response: Any) -> str:
    """Why an ended invitation cannot be accepted."""
    assert response.status_code == 410, response.text
    return str(response.json()["code"])


async def test_an_invitation_that_has_ended_says_why(service: Service, owner: Caller) -> None:
    replaced = await owner.make(INVITES, KIM)
    withdrawn = await owner.make(INVITES, KIM)
    assert (await owner.delete(f"{INVITES}/{withdrawn['id']}")).status_code == 204
    expired = await owner.make(INVITES, KIM)
    service.clock.set(service.clock.now() + INVITE_LIFETIME)
    assert body_of(await owner.get(INVITES))["data"] == []

    for again in range(2):
        for invite, why in (
            (replaced, "invite_replaced"),
            (withdrawn, "invite_withdrawn"),
            (expired, "invite_expired"),
        ):
            assert ended(await preview(service, invite["token"])) == why, again
            assert ended(await accept(service, invite["token"])) == why, again
        # The next invitation deletes expired ones; the reason stays.
        await owner.make(INVITES, {"email": f"{again}@example.com", "role": "Viewer"})
    assert emitted_events(service, "team.member.added") == []


async def test_the_number_of_stored_ended_invitations_is_limited(
    service: Service, owner: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(team_module, "MAX_ENDED_INVITES", 1)
    first, second, third = [await owner.make(INVITES, KIM) for _ in range(3)]

    assert (await preview(service, first["token"])).status_code == 404
    assert ended(await preview(service, second["token"])) == "invite_replaced"
    assert (await preview(service, third["token"])).status_code == 200


async def test_the_holder_of_a_token_sees_the_invitation(service: Service, owner: Caller) -> None:
    admin = await owner.make("/v1/keys", {"name": "Robin", "role": "Admin"})
    invite = await Caller(service.client, admin["key"]).make(INVITES, KIM)
    seen = await preview(service, invite["token"])

    assert (seen.status_code, seen.headers["Cache-Control"]) == (200, "no-store")
    shown = {"workspace": "default", "email": "kim@example.com", "role": "Editor", "invitedBy": "Robin"}
    assert seen.json() == {**shown, "expiresAt": "2026-11-27T12:00:00.000Z"}
    await owner.delete(f"/v1/keys/{admin['id']}")
    assert (await preview(service, invite["token"])).json()["invitedBy"] is None
    assert emitted_events(service, "team.member.added") == []


async def test_a_higher_role_cannot_be_invited_changed_or_removed(service: Service, owner: Caller) -> None:
    admin = service.caller(Role.ADMIN)
    boss = await join(service, owner, role="Owner")
    invite = await owner.make(INVITES, {"email": "lee@example.com", "role": "Owner"})

    for response in (
        await admin.post(INVITES, KIM | {"role": "Owner"}),
        await admin.delete(f"{INVITES}/{invite['id']}"),
        await admin.patch(f"{MEMBERS}/{boss['id']}", {"role": "Viewer"}),
        await admin.delete(f"{MEMBERS}/{boss['id']}"),
    ):
        assert (response.status_code, response.json()["code"]) == (403, "forbidden")
    assert (await admin.post(INVITES, {"email": "max@example.com", "role": "Admin"})).status_code == 201


async def test_an_invalid_invitation_is_refused(owner: Caller) -> None:
    for email in ("kim", "@example.com", "kim@", "kim@example", "k im@example.com", "kim@exa\nmple.com"):
        response = await owner.post(INVITES, KIM | {"email": email})
        assert (response.status_code, faults_in(response)) == (422, {"/email": "not_an_email"}), email
    response = await owner.post(INVITES, {"role": "King"})
    assert (response.status_code, faults_in(response)) == (422, {"/email": "required", "/role": "not_allowed"})


async def test_a_member_is_not_invited_again(service: Service, owner: Caller) -> None:
    await join(service, owner)

    again = await owner.post(INVITES, KIM | {"email": "kim@EXAMPLE.com"})

    assert (again.status_code, again.json()["code"]) == (409, "already_a_member")


async def test_the_size_of_a_team_is_limited(owner: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team_module, "MAX_TEAM", 1)
    await owner.make(INVITES, KIM)

    full = await owner.post(INVITES, {"email": "lee@example.com", "role": "Editor"})

    assert (full.status_code, full.json()["code"]) == (409, "team_full")
    # Inviting the same address again does not count twice.
    await owner.make(INVITES, KIM)


async def test_wrong_tokens_are_limited(service: Service, owner: Caller) -> None:
    invite = await owner.make(INVITES, KIM)
    [(tries, window)] = WRONG_TOKEN_LIMITS
    assert (tries, window) == (10, timedelta(minutes=15))
    for number in range(tries):
        call = preview if number % 2 else accept
        assert (await call(service, "nonsense")).status_code == 404

    for call in (preview, accept):
        stopped = await call(service, "nonsense")
        assert (stopped.status_code, stopped.json()["code"]) == (429, "too_many_requests")
        assert stopped.headers["Retry-After"] == "900"
    # Another who guesses at the same address, as behind one router, locks nobody out who was invited.
    assert (await preview(service, invite["token"])).status_code == 200
    assert (await accept(service, invite["token"])).status_code == 201
    assert ended(await accept(service, invite["token"])) == "invite_accepted"
    service.clock.set(service.clock.now() + window)
    assert (await accept(service, "nonsense")).status_code == 404


async def test_a_retry_of_an_acceptance_gets_the_same_key(service: Service, owner: Caller) -> None:
    invite = await owner.make(INVITES, KIM)

    async def accept_again(name: str = "Kim", key: str = "k-1", token: str = invite["token"]) -> Any:
        body = {"token": token, "name": name}
        return await service.client.post(f"{INVITES}/accept", json=body, headers={"Idempotency-Key": key})

    assert (await accept_again(token="nonsense")).status_code == 404
    first, again = await accept_again(), await accept_again()
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert first.headers["Location"] == again.headers["Location"]
    assert len((await owner.get(MEMBERS)).json()["data"]) == 1
    assert (await Caller(service.client, again.json()["key"]).get("/v1/screens")).status_code == 200

    assert (await accept_again(name="Sam")).json()["code"] == "idempotency_key_reused"
    assert ended(await accept_again(key="k-2")) == "invite_accepted"
    assert (await accept_again(key="a b")).json()["code"] == "bad_idempotency_key"
    service.clock.set(service.clock.now() + timedelta(hours=24))
    assert ended(await accept_again()) == "invite_accepted"


async def test_wrong_tokens_with_an_idempotency_key_are_counted(service: Service) -> None:
    [(tries, _)] = WRONG_TOKEN_LIMITS
    body, headers = {"token": "nonsense", "name": "Kim"}, {"Idempotency-Key": "k"}
    answers = [await service.client.post(f"{INVITES}/accept", json=body, headers=headers) for _ in range(tries + 1)]
    assert [answer.status_code for answer in answers] == [404] * tries + [429]


async def test_wrong_tokens_are_counted_across_a_restart(service: Service) -> None:
    [(tries, _)] = WRONG_TOKEN_LIMITS
    for _ in range(tries):
        await preview(service, "nonsense")

    async with running(service.data, clock=service.clock, database=service.database) as again:
        assert (await preview(again, "nonsense")).status_code == 429


async def test_an_invalid_forwarded_address_is_counted_as_well(service: Service) -> None:
    """A proxy forwards the address that the client claims."""
    transport = httpx.ASGITransport(app=service.asgi, client=("x" * 5000, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://service.test") as client:
        [(tries, _)] = WRONG_TOKEN_LIMITS
        answers = [await client.post(f"{INVITES}/preview", json={"token": "nonsense"}) for _ in range(tries + 1)]

    assert [answer.status_code for answer in answers] == [404] * tries + [429]


async def test_an_ended_invitation_does_not_count_as_a_wrong_token(service: Service, owner: Caller) -> None:
    spent = await owner.make(INVITES, KIM)
    await owner.make(INVITES, KIM)
    [(tries, _)] = WRONG_TOKEN_LIMITS

    for _ in range(tries + 1):
        assert ended(await preview(service, spent["token"])) == "invite_replaced"


async def test_an_invalid_acceptance_is_refused(service: Service) -> None:
    path = f"{INVITES}/accept"
    missing = await service.client.post(path, json={})
    assert (missing.status_code, faults_in(missing)) == (422, {"/token": "required", "/name": "required"})
    assert (await service.client.post(path, content=b"{")).status_code == 400
    assert (await service.client.post(path, content=b" " * 20_000)).status_code == 413


async def test_only_a_digest_of_an_invitation_is_stored(service: Service, owner: Caller) -> None:
    token = (await owner.make(INVITES, KIM))["token"]

    assert token not in (await owner.get(INVITES)).text


async def test_the_team_of_another_workspace_is_not_found(service: Service, owner: Caller) -> None:
    member = await join(service, owner)
    stranger = service.stranger()

    assert body_of(await stranger.get(MEMBERS))["data"] == []
    assert (await stranger.patch(f"{MEMBERS}/{member['id']}", {"role": "Viewer"})).status_code == 404
    assert (await stranger.delete(f"{MEMBERS}/{member['id']}")).status_code == 404
