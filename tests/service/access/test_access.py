"""Keys, roles and workspaces: permissions, and isolation of workspaces."""

import pytest
from sqlalchemy import select

from service.core.permissions import PERMISSIONS, Permission, Role
from service.storage.tables.base import Base
from tests.service.support.application import Cafe, Caller, Device, Service, open_cafe, routes_of, start

NO_KEYS = (
    None,
    "",
    "Bearer",
    "Bearer  ",
    "Basic abc",
    "Bearer nonsense",
    "Bearer " + "x" * 9000,
    "Bearer é",
)
TOKENS = ("Bearer nonsense", "Bearer é")
"""The secrets that could be a player's token."""


async def test_every_route_needs_a_valid_key(service: Service) -> None:
    for value in NO_KEYS:
        headers = [] if value is None else [(b"Authorization", value.encode("latin-1"))]
        for method, path in (("GET", "/v1/screens"), ("POST", "/v1/content/items"), ("GET", "/v1/player/manifest")):
            response = await service.client.request(method, path, headers=headers, content=b"{not json")
            assert response.status_code == 401, value
            # A player hears that its token is not known here, so that it does not take this for its removal.
            expected = "token_unknown" if "player" in path and value in TOKENS else "unauthenticated"
            assert response.json()["code"] == expected, value
            assert response.headers["WWW-Authenticate"] == "Bearer", value


async def test_only_a_digest_of_a_key_is_stored(service: Service) -> None:
    secret = service.services.keys.create(role=Role.OWNER, name="till")

    with service.services.database.read() as session:
        stored = repr([session.execute(select(table)).all() for table in Base.metadata.sorted_tables])
    assert secret not in stored
    assert "till" in stored


async def test_device_tokens_and_keys_are_not_interchangeable(service: Service, device: Device) -> None:
    secret = service.services.keys.create(role=Role.OWNER, name="")

    assert (await Caller(service.client, device.token).get("/v1/screens")).status_code == 401
    assert (await Caller(service.client, secret).get("/v1/player/manifest")).status_code == 401


READ = [
    ("GET", "/v1/overrides"),
    ("GET", "/v1/overrides/x"),
    ("GET", "/v1/planned-changes"),
    ("GET", "/v1/planned-changes/x"),
    ("GET", "/v1/planned-changes/x/preview"),
    ("GET", "/v1/rollouts"),
    ("GET", "/v1/rollouts/versions"),
    ("GET", "/v1/rollouts/x"),
    ("GET", "/v1/rollouts/x/screens"),
    ("GET", "/v1/screens/x/rollout"),
    ("GET", "/v1/screens"),
    ("GET", "/v1/screens/x"),
    ("GET", "/v1/screens/x/screenshot"),
    ("GET", "/v1/screens/x/logs"),
    ("GET", "/v1/screens/x/receipts"),
    ("GET", "/v1/screens/x/picture"),
    ("GET", "/v1/screens/x/moment"),
    ("GET", "/v1/screens/x/timetable"),
    ("GET", "/v1/playlists/x/timetable"),
    ("GET", "/v1/screens/x/commands"),
    ("GET", "/v1/screens/x/commands/y"),
    ("GET", "/v1/content/items"),
    ("GET", "/v1/content/items/export"),
    ("GET", "/v1/content/items/x"),
    ("GET", "/v1/content/items/x/boards"),
    ("GET", "/v1/content/words"),
    ("GET", "/v1/content/categories"),
    ("GET", "/v1/playlists"),
    ("GET", "/v1/playlists/x"),
    ("GET", "/v1/playlists/x/versions"),
    ("GET", "/v1/playlists/x/versions/x"),
    ("GET", "/v1/playlists/x/versions/x/scenes/y/image"),
    ("GET", "/v1/scenes"),
    ("GET", "/v1/scenes/x"),
    ("GET", "/v1/scenes/x/preview.png"),
    ("GET", "/v1/scenes/x/schedules"),
    ("GET", "/v1/schedules/x"),
    ("GET", "/v1/scenes/templates"),
    ("GET", "/v1/scenes/templates/x/preview.png"),
    ("GET", "/v1/scenes/themes"),
    ("GET", "/v1/locations"),
    ("GET", "/v1/locations/x"),
    ("GET", "/v1/locations/x/values"),
    *(("GET", f"/v1/{place}/x/items{item}") for place in ("locations", "groups") for item in ("", "/y")),
    ("GET", "/v1/groups"),
    ("GET", "/v1/groups/x"),
    ("GET", "/v1/assets"),
    ("GET", "/v1/assets/x"),
    ("GET", "/v1/assets/x/uses"),
    ("GET", "/v1/assets/x/thumbnail"),
    ("GET", "/v1/approvals"),
    ("GET", "/v1/subscription"),
    ("GET", "/v1/approvals/x"),
    ("GET", "/v1/approvals/x/scenes/y/image"),
]
EDIT = [
    ("POST", "/v1/content/items"),
    ("PATCH", "/v1/content/items/x"),
    ("PATCH", "/v1/content/words"),
    ("PATCH", "/v1/content/categories"),
    ("PATCH", "/v1/content/items/x/variants/y"),
    ("POST", "/v1/content/items/bulk"),
    ("POST", "/v1/content/items/order"),
    ("POST", "/v1/content/items/import"),
    ("POST", "/v1/content/items/import/preview"),
    ("GET", "/v1/content/imports"),
    ("GET", "/v1/content/imports/x"),
    ("POST", "/v1/content/imports/x/undo"),
    ("DELETE", "/v1/content/items/x"),
    ("POST", "/v1/playlists"),
    ("PATCH", "/v1/playlists/x"),
    ("DELETE", "/v1/playlists/x"),
    ("POST", "/v1/playlists/x/scenes"),
    ("DELETE", "/v1/playlists/x/scenes/y"),
    ("PATCH", "/v1/playlists/x/scenes/y"),
    ("PATCH", "/v1/playlists/x/order"),
    ("POST", "/v1/scenes"),
    ("PATCH", "/v1/scenes/x"),
    ("DELETE", "/v1/scenes/x"),
    ("POST", "/v1/scenes/x/preview.png"),
    ("POST", "/v1/scenes/x/schedules"),
    ("PATCH", "/v1/schedules/x"),
    ("DELETE", "/v1/schedules/x"),
    ("POST", "/v1/locations"),
    ("PATCH", "/v1/locations/x"),
    ("PATCH", "/v1/locations/x/values"),
    *(("PATCH", f"/v1/{place}/x/items/y") for place in ("locations", "groups")),
    *(("POST", f"/v1/{place}/x/items/bulk") for place in ("locations", "groups")),
    ("POST", "/v1/planned-changes"),
    ("PATCH", "/v1/planned-changes/x"),
    ("DELETE", "/v1/planned-changes/x"),
    ("POST", "/v1/groups"),
    ("PATCH", "/v1/groups/x"),
    ("DELETE", "/v1/groups/x"),
    ("DELETE", "/v1/locations/x"),
    ("POST", "/v1/assets"),
    ("POST", "/v1/assets/uploads"),
    ("GET", "/v1/assets/uploads/x"),
    ("PATCH", "/v1/assets/uploads/x"),
    ("DELETE", "/v1/assets/uploads/x"),
    ("PATCH", "/v1/assets/x"),
    ("DELETE", "/v1/assets/x"),
    ("PUT", "/v1/pos/connections/x/items"),
    ("PATCH", "/v1/pos/connections/x/items"),
    # Without the permission to publish it is a request.
    ("POST", "/v1/playlists/x/publish"),
    ("POST", "/v1/playlists/x/versions/x/restore"),
]
PUBLISH = [
    ("POST", "/v1/approvals/x/approve"),
    ("POST", "/v1/approvals/x/reject"),
    ("POST", "/v1/overrides"),
    ("DELETE", "/v1/overrides/x"),
]
TEAM = [
    ("GET", "/v1/team/invites"),
    ("POST", "/v1/team/invites"),
    ("DELETE", "/v1/team/invites/x"),
    ("GET", "/v1/team/members"),
    ("GET", "/v1/team/members/x"),
    ("PATCH", "/v1/team/members/x"),
    ("GET", "/v1/team/members/x/sessions"),
    ("DELETE", "/v1/team/members/x/sessions"),
    ("DELETE", "/v1/team/members/x"),
    ("GET", "/v1/team/sign-in"),
]
SIGN_IN = [("PATCH", "/v1/team/sign-in"), ("DELETE", "/v1/team/members/x/second-factor")]
AUDIT = [("GET", "/v1/audit")]
WEBHOOKS = [
    ("GET", "/v1/public/webhooks"),
    ("POST", "/v1/public/webhooks"),
    ("GET", "/v1/public/webhooks/x"),
    ("PATCH", "/v1/public/webhooks/x"),
    ("DELETE", "/v1/public/webhooks/x"),
    ("POST", "/v1/public/webhooks/x/enable"),
    ("POST", "/v1/public/webhooks/x/rotate-secret"),
    ("POST", "/v1/public/webhooks/x/test"),
    ("GET", "/v1/public/webhooks/x/deliveries"),
    ("POST", "/v1/public/webhooks/x/deliveries/y/replay"),
]
ALERTS = [
    ("GET", "/v1/alerts"),
    ("POST", "/v1/alerts"),
    ("GET", "/v1/alerts/x"),
    ("PATCH", "/v1/alerts/x"),
    ("DELETE", "/v1/alerts/x"),
    ("POST", "/v1/alerts/x/test"),
]
BILLING = [("PATCH", "/v1/subscription")]
POS = [
    ("GET", "/v1/pos/connections"),
    ("POST", "/v1/pos/connections"),
    ("GET", "/v1/pos/connections/x"),
    ("PATCH", "/v1/pos/connections/x"),
    ("DELETE", "/v1/pos/connections/x"),
    ("POST", "/v1/pos/connections/x/sync"),
    ("POST", "/v1/pos/connections/x/preview"),
]
SCREENS = [
    ("POST", "/v1/rollouts"),
    ("PATCH", "/v1/rollouts/x"),
    ("DELETE", "/v1/rollouts/x"),
    ("GET", "/v1/enrolment-tokens"),
    ("GET", "/v1/enrolment-tokens/x"),
    ("POST", "/v1/enrolment-tokens"),
    ("DELETE", "/v1/enrolment-tokens/x"),
    ("POST", "/v1/screens/pair"),
    ("POST", "/v1/screens/confirm"),
    ("PATCH", "/v1/screens"),
    ("PATCH", "/v1/screens/x"),
    ("POST", "/v1/screens/x/replace"),
    ("DELETE", "/v1/screens/x"),
    ("POST", "/v1/screens/x/commands"),
    ("DELETE", "/v1/screens/x/commands/y"),
]
KEYS = [("GET", "/v1/keys"), ("POST", "/v1/keys"), ("GET", "/v1/keys/x"), ("DELETE", "/v1/keys/x")]
NEEDS = {
    Permission.KEYS: KEYS,
    Permission.READ: READ,
    Permission.EDIT: EDIT,
    Permission.PUBLISH: PUBLISH,
    Permission.SCREENS: SCREENS,
    Permission.POS: POS,
    Permission.TEAM: TEAM,
    Permission.SIGN_IN: SIGN_IN,
    Permission.AUDIT: AUDIT,
    Permission.BILLING: BILLING,
    Permission.WEBHOOKS: WEBHOOKS,
    Permission.ALERTS: ALERTS,
}

MAY = {
    Role.VIEWER: {Permission.READ},
    Role.EDITOR: {Permission.READ, Permission.EDIT},
    Role.PUBLISHER: {Permission.READ, Permission.EDIT, Permission.PUBLISH, Permission.SCREENS},
    Role.ADMIN: set(Permission) - {Permission.BILLING, Permission.SIGN_IN},
    Role.OWNER: set(Permission),
}


def test_role_names() -> None:
    assert {role: set(permissions) for role, permissions in PERMISSIONS.items()} == MAY


@pytest.mark.first_case
@pytest.mark.parametrize("role", list(Role))
async def test_each_role_has_its_permissions(service: Service, role: Role) -> None:
    caller = service.caller(role)
    for permission, calls in NEEDS.items():
        for method, path in calls:
            response = await caller.send(method, path, {})
            refused = response.status_code == 403
            assert refused == (permission not in MAY[role]), (method, path)
            if refused:
                assert response.json()["code"] == "forbidden"
                assert role in response.json()["detail"]


def test_every_route_of_the_public_api_is_in_the_table(service: Service) -> None:
    listed = {
        (method, path.replace("/x", "/{}").replace("/y", "/{}")) for calls in NEEDS.values() for method, path in calls
    }
    assert routes_of(service) == listed


async def test_a_change_of_another_workspace_wakes_no_request(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    stranger = service.stranger()
    theirs = await open_cafe(stranger)
    call = start(device.held((await device.manifest()).headers["ETag"]))
    await service.holding()

    await stranger.patch(f"/v1/content/items/{theirs.coffee}", {"price": 9})
    await stranger.post(f"/v1/playlists/{theirs.playlist}/publish")

    assert not call.done()
    service.held_polls.close()
    assert (await call).status_code == 304
