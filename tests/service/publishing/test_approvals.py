"""Approvals: an editor requests, a publisher decides, and exactly the reviewed playlist is published."""

import pytest

from service.core.permissions import Role
from service.services.publishing import approvals as approvals_module
from service.services.publishing import composition as manifests_module
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, body_of, faults_in
from tests.service.support.outbox import emitted_events

APPROVALS = "/v1/approvals"
PLAYLISTS = "/v1/playlists"


@pytest.fixture
def editor(service: Service) -> Caller:
    return service.caller(Role.EDITOR)


@pytest.fixture
def publisher(service: Service) -> Caller:
    return service.caller(Role.PUBLISHER)


async def ask(editor: Caller, cafe: Cafe) -> str:
    """Requests to publish the café's playlist."""
    response = await editor.post(f"{PLAYLISTS}/{cafe.playlist}/publish")
    assert response.status_code == 202, response.text
    return str(response.json()["id"])


async def version_of(caller: Caller, cafe: Cafe) -> int:
    return int(body_of(await caller.get(f"{PLAYLISTS}/{cafe.playlist}"))["version"])


async def test_an_editors_publish_is_a_request(editor: Caller, cafe: Cafe, device: Device, owner: Caller) -> None:
    before = (await device.manifest()).content

    response = await editor.post(f"{PLAYLISTS}/{cafe.playlist}/publish")

    approval = body_of(response)
    assert response.status_code == 202
    assert response.headers["Location"] == f"{APPROVALS}/{approval['id']}"
    assert (approval["playlist"], approval["status"], approval["version"]) == (cafe.playlist, "pending", None)
    assert (approval["decidedBy"], approval["decidedAt"], approval["reason"]) == (None, None, None)
    assert approval["requestedAt"] == "2026-11-20T12:00:00.000Z"
    assert [scene["id"] for scene in approval["design"]["scenes"]] == [cafe.scene]
    assert [entry["sceneId"] for entry in approval["design"]["playlist"]["entries"]] == [cafe.scene]
    assert body_of(await owner.get(f"{APPROVALS}/{approval['id']}")) == approval
    # The manifest is unchanged.
    assert await version_of(owner, cafe) == 1
    assert (await device.manifest()).content == before


async def test_approving_publishes_the_request_without_later_edits(
    editor: Caller, publisher: Caller, cafe: Cafe, device: Device, clock: VirtualClock
) -> None:
    await editor.patch(f"/v1/scenes/{cafe.scene}", {"name": "Shown"})
    approval = await ask(editor, cafe)
    await editor.patch(f"/v1/scenes/{cafe.scene}", {"name": "Edited since"})
    await editor.make(f"{PLAYLISTS}/{cafe.playlist}/scenes", {"sceneId": cafe.scene, "durationSeconds": 5})
    await clock.advance(60)

    response = await publisher.post(f"{APPROVALS}/{approval}/approve")

    decided = body_of(response)
    assert response.status_code == 200
    assert (decided["status"], decided["version"], decided["design"]) == ("approved", 2, None)
    assert decided["decidedAt"] == "2026-11-20T12:01:00.000Z"
    assert decided["decidedBy"] not in (None, decided["requestedBy"])
    manifest = body_of(await device.manifest())
    assert (manifest["playlist"]["version"], manifest["playlist"]["publishedAt"]) == (2, "2026-11-20T12:01:00.000Z")
    assert [scene["name"] for scene in manifest["scenes"]] == ["Shown"]
    assert [entry["durationSeconds"] for entry in manifest["playlist"]["entries"]] == [15]
    # The draft keeps the later edits.
    draft = body_of(await editor.get(f"{PLAYLISTS}/{cafe.playlist}"))
    assert [entry["durationSeconds"] for entry in draft["scenes"]] == [15, 5]


async def test_an_approval_survives_the_removal_of_its_scenes(
    editor: Caller, publisher: Caller, cafe: Cafe, device: Device
) -> None:
    approval = await ask(editor, cafe)
    [entry] = body_of(await editor.get(f"{PLAYLISTS}/{cafe.playlist}"))["scenes"]
    await editor.delete(f"{PLAYLISTS}/{cafe.playlist}/scenes/{entry['id']}")
    assert (await editor.delete(f"/v1/scenes/{cafe.scene}")).status_code == 204

    assert (await publisher.post(f"{APPROVALS}/{approval}/approve")).status_code == 200

    assert [scene["id"] for scene in body_of(await device.manifest())["scenes"]] == [cafe.scene]


async def test_rejecting_publishes_nothing_and_says_why(editor: Caller, publisher: Caller, cafe: Cafe) -> None:
    approval = await ask(editor, cafe)

    rejected = body_of(await publisher.post(f"{APPROVALS}/{approval}/reject", {"reason": "Last year's prices."}))

    assert (rejected["status"], rejected["reason"]) == ("rejected", "Last year's prices.")
    assert (rejected["version"], rejected["design"]) == (None, None)
    assert await version_of(editor, cafe) == 1


async def test_decisions_are_emitted(service: Service, editor: Caller, publisher: Caller, cafe: Cafe) -> None:
    rejected = await ask(editor, cafe)
    rejection = body_of(await publisher.post(f"{APPROVALS}/{rejected}/reject", {"reason": "Too early."}))
    approved = await ask(editor, cafe)
    await publisher.post(f"{APPROVALS}/{approved}/approve")

    common = {
        "playlist": cafe.playlist,
        "name": "All day",
        "requestedBy": rejection["requestedBy"],
        "decidedBy": rejection["decidedBy"],
    }
    assert emitted_events(service, "design.rejected") == [{**common, "approval": rejected, "reason": "Too early."}]
    assert emitted_events(service, "design.approved") == [{**common, "approval": approved, "version": 2}]


async def test_a_rejection_needs_a_reason(editor: Caller, publisher: Caller, cafe: Cafe) -> None:
    approval = await ask(editor, cafe)
    for body, faults in (
        ({}, {"/reason": "required"}),
        ({"reason": " "}, {"/reason": "blank"}),
        ({"reason": "x" * 1001}, {"/reason": "too_long"}),
        ({"reason": 5}, {"/reason": "wrong_type"}),
    ):
        response = await publisher.post(f"{APPROVALS}/{approval}/reject", body)
        assert (response.status_code, faults_in(response)) == (422, faults)
    assert body_of(await editor.get(f"{APPROVALS}/{approval}"))["status"] == "pending"


async def test_a_decision_is_final(editor: Caller, publisher: Caller, cafe: Cafe) -> None:
    approval = await ask(editor, cafe)
    await publisher.post(f"{APPROVALS}/{approval}/approve")

    for verb, body in (("approve", None), ("reject", {"reason": "No."})):
        again = await publisher.post(f"{APPROVALS}/{approval}/{verb}", body)
        assert (again.status_code, again.json()["code"]) == (409, "already_decided")
    assert await version_of(editor, cafe) == 2


async def test_a_newer_request_replaces_the_pending_one(editor: Caller, publisher: Caller, cafe: Cafe) -> None:
    first = await ask(editor, cafe)
    second = await ask(editor, cafe)

    assert body_of(await editor.get(f"{APPROVALS}/{first}"))["status"] == "replaced"
    assert (await publisher.post(f"{APPROVALS}/{first}/approve")).status_code == 409
    pending = body_of(await editor.get(f"{APPROVALS}?status=pending"))["data"]
    assert [approval["id"] for approval in pending] == [second]


async def test_a_publish_replaces_the_pending_request(editor: Caller, publisher: Caller, cafe: Cafe) -> None:
    waiting = await ask(editor, cafe)
    assert (await publisher.post(f"{PLAYLISTS}/{cafe.playlist}/publish")).status_code == 200

    # Approving it now would publish an older playlist than the one that plays.
    assert (await publisher.post(f"{APPROVALS}/{waiting}/approve")).status_code == 409
    assert body_of(await editor.get(f"{APPROVALS}/{waiting}"))["status"] == "replaced"


async def test_approvals_are_listed_by_status(editor: Caller, publisher: Caller, cafe: Cafe) -> None:
    ids = [await ask(editor, cafe) for _ in range(3)]
    await publisher.post(f"{APPROVALS}/{ids[2]}/reject", {"reason": "No."})

    page = body_of(await editor.get(f"{APPROVALS}?status=replaced&limit=1"))

    assert [approval["id"] for approval in page["data"]] == ids[:1]
    assert "design" not in page["data"][0]
    cursor = page["pagination"]["cursor"]
    rest = body_of(await editor.get(f"{APPROVALS}?status=replaced&cursor={cursor}"))
    assert [approval["id"] for approval in rest["data"]] == ids[1:2]
    other = await editor.get(f"{APPROVALS}?status=rejected&cursor={cursor}")
    assert (other.status_code, other.json()["code"]) == (400, "bad_cursor")
    wrong = await editor.get(f"{APPROVALS}?status=lost")
    assert (wrong.status_code, faults_in(wrong)) == (422, {"status": "enum"})


async def test_approvals_of_another_workspace_are_not_found(service: Service, editor: Caller, cafe: Cafe) -> None:
    approval = await ask(editor, cafe)
    stranger = service.stranger()

    assert body_of(await stranger.get(APPROVALS))["data"] == []
    for response in (
        await stranger.get(f"{APPROVALS}/{approval}"),
        await stranger.post(f"{APPROVALS}/{approval}/approve"),
        await stranger.post(f"{APPROVALS}/{approval}/reject", {"reason": "No."}),
        await stranger.post(f"{PLAYLISTS}/{cafe.playlist}/publish"),
    ):
        assert response.status_code == 404


async def test_a_request_that_players_would_refuse_is_refused(
    editor: Caller, cafe: Cafe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifests_module, "MAX_MANIFEST_BYTES", 1)

    refused = await editor.post(f"{PLAYLISTS}/{cafe.playlist}/publish")

    assert (refused.status_code, refused.json()["code"]) == (409, "playlist_too_large")
    assert body_of(await editor.get(APPROVALS))["data"] == []


async def test_old_decisions_are_deleted(editor: Caller, cafe: Cafe, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(approvals_module, "MAX_DECIDED_APPROVALS", 2)

    ids = [await ask(editor, cafe) for _ in range(5)]

    listed = body_of(await editor.get(APPROVALS))["data"]
    assert [approval["id"] for approval in listed] == ids[2:]


async def test_approvals_are_removed_with_their_playlist(editor: Caller, cafe: Cafe) -> None:
    approval = await ask(editor, cafe)

    assert (await editor.delete(f"{PLAYLISTS}/{cafe.playlist}")).status_code == 204

    assert (await editor.get(f"{APPROVALS}/{approval}")).status_code == 404
