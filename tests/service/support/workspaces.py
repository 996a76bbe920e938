"""A workspace with every kind of resource at two locations, and a valid call of every route."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import select

from service.core.clock import instant_text
from service.core.permissions import Role
from service.storage.tables.base import Base
from tests.service.support.application import START, Cafe, Caller, Service, pair, png

HIDDEN_MARK = "Zq7391"
"""Part of every name outside the narrowed key's location. No answer to that key may contain it."""
CITY = {"name": f"City {HIDDEN_MARK}", "timezone": "UTC", "currency": "EUR", "locale": "de"}
POS_ROW = {"id": "1", "name": "Tea", "category": "Tea", "price": 2}
DAYPART = {"type": "daypart", "start": "06:00", "end": "11:00"}


@dataclass
class ScopedWorkspace:
    """A workspace with two locations, and a key for one of them."""

    narrow: Caller
    here: Cafe
    there: str
    """The other location."""
    group_here: str
    """A group of both locations."""
    group_mine: str
    group_there: str
    screen_here: str
    screen_there: str
    command_here: str
    command_there: str
    playlist_there: str
    """The playlist of the screen there."""
    approval_here: str
    approval_there: str
    key_narrow: str
    key_child: str
    """A key with the same location."""
    key_there: str
    key_wide: str
    token_here: str
    token_there: str
    override_here: str
    override_there: str
    plan_here: str
    plan_there: str
    rollout: str
    webhook: str
    alert: str
    delivery: str
    connection: str
    till_here: str
    till_there: str
    """Connections of the locations, to which items are pushed."""
    invite: str
    member: str
    schedule: str
    variant: str
    entry: str
    asset: str
    upload: str
    imported: str
    code_here: str
    code_there: str
    """Codes that devices show; the device of `code_there` is the screen there."""
    code_third: str


async def fill_workspace(service: Service, owner: Caller, cafe: Cafe) -> ScopedWorkspace:
    """Fill both locations."""
    city = (await owner.make("/v1/locations", CITY))["id"]
    playlist = (await owner.make("/v1/playlists", {"name": "Elsewhere"}))["id"]
    entry = await owner.make(f"/v1/playlists/{playlist}/scenes", {"sceneId": cafe.scene, "durationSeconds": 5})
    here = await pair(service, owner, cafe, device_id="1" * 32)
    there = await pair(service, owner, cafe, device_id="2" * 32)
    # Else it would go on playing what it has, until the other one is published.
    assert (await owner.patch(f"/v1/screens/{there.screen}", {"playlist": None})).status_code == 200
    moved = {"location": city, "playlist": playlist, "name": f"Till {HIDDEN_MARK}", "tags": [HIDDEN_MARK]}
    assert (await owner.patch(f"/v1/screens/{there.screen}", moved)).status_code == 200
    commands = [
        (await owner.post(f"/v1/screens/{one.screen}/commands", {"type": "identify"})).json()["id"]
        for one in (here, there)
    ]
    editor = service.caller(Role.EDITOR)
    approvals = [(await editor.post(f"/v1/playlists/{one}/publish")).json()["id"] for one in (cafe.playlist, playlist)]
    keys: dict[str, Any] = {
        name: await owner.make("/v1/keys", {"name": name, "role": "Owner", "locations": locations})
        for name, locations in {
            "narrow": [cafe.location],
            "child": [cafe.location],
            f"there {HIDDEN_MARK}": [city],
            f"wide {HIDDEN_MARK}": None,
        }.items()
    }
    tokens = [
        (await owner.make("/v1/enrolment-tokens", {"name": name, "location": location, "playlist": playlist}))["id"]
        for name, location in (("Till", cafe.location), (f"Till {HIDDEN_MARK}", city))
    ]
    groups = [
        (await owner.make("/v1/groups", {"name": name, "locations": locations}))["id"]
        for name, locations in (
            ("Region", [cafe.location, city]),
            ("Mine", [cafe.location]),
            (f"Region {HIDDEN_MARK}", [city]),
        )
    ]
    overrides = [
        (await owner.make("/v1/overrides", override_of(cafe.scene, target, reason)))["id"]
        for target, reason in (({"location": cafe.location}, "Early"), ({"screens": [there.screen]}, HIDDEN_MARK))
    ]
    plans = [
        (await owner.make("/v1/planned-changes", planned_price(name, cafe.coffee, location)))["id"]
        for name, location in (("Early", cafe.location), (HIDDEN_MARK, city))
    ]
    rollout = await owner.make("/v1/rollouts", {"version": "9.9.9", "tags": [HIDDEN_MARK]})
    webhook = await owner.make(
        "/v1/public/webhooks", {"url": f"https://example.com/{HIDDEN_MARK}", "events": ["screen.online"]}
    )
    alert = await owner.make(
        "/v1/alerts", {"email": f"z{HIDDEN_MARK}@example.com", "kinds": ["screen_offline"], "locations": [city]}
    )
    delivery = (await owner.post(f"/v1/public/webhooks/{webhook['id']}/test")).json()
    connection = await owner.make(
        "/v1/pos/connections", {"name": HIDDEN_MARK, "feed": f"{HIDDEN_MARK}.csv", "format": "csv"}
    )
    tills = [
        (await owner.make("/v1/pos/connections", {"name": HIDDEN_MARK, "format": "json", "location": location}))["id"]
        for location in (cafe.location, city)
    ]
    first = await owner.make("/v1/team/invites", {"email": f"a{HIDDEN_MARK}@example.com", "role": "Viewer"})
    accepted = {"token": first["token"], "name": HIDDEN_MARK}
    member = (await service.client.post("/v1/team/invites/accept", json=accepted)).json()
    invite = await owner.make("/v1/team/invites", {"email": f"b{HIDDEN_MARK}@example.com", "role": "Viewer"})
    schedule = await owner.make(f"/v1/scenes/{cafe.scene}/schedules", DAYPART)
    sizes = {"variants": [{"name": "Small", "price": 2}]}
    coffee = (await owner.patch(f"/v1/content/items/{cafe.coffee}", sizes)).json()
    asset = (await owner.raw("POST", "/v1/assets", png(), "image/png")).json()
    upload = await owner.make("/v1/assets/uploads", {"mediaType": "image/png", "size": len(png())})
    imported = (await owner.post("/v1/content/items/import", {"text": "Imported 3"})).json()
    codes = [(await service.device(name * 32).ask_codes()).user_code for name in ("3", "2", "6")]
    return ScopedWorkspace(
        narrow=Caller(service.client, keys["narrow"]["key"]),
        here=cafe,
        there=city,
        group_here=groups[0],
        group_mine=groups[1],
        group_there=groups[2],
        screen_here=here.screen,
        screen_there=there.screen,
        command_here=commands[0],
        command_there=commands[1],
        playlist_there=playlist,
        approval_here=approvals[0],
        approval_there=approvals[1],
        key_narrow=keys["narrow"]["id"],
        key_child=keys["child"]["id"],
        key_there=keys[f"there {HIDDEN_MARK}"]["id"],
        key_wide=keys[f"wide {HIDDEN_MARK}"]["id"],
        token_here=tokens[0],
        token_there=tokens[1],
        override_here=overrides[0],
        override_there=overrides[1],
        plan_here=plans[0],
        plan_there=plans[1],
        rollout=rollout["id"],
        webhook=webhook["id"],
        alert=alert["id"],
        delivery=delivery["id"],
        connection=connection["id"],
        till_here=tills[0],
        till_there=tills[1],
        invite=invite["id"],
        member=member["id"],
        schedule=schedule["id"],
        variant=coffee["variants"][0]["id"],
        entry=entry["id"],
        asset=asset["id"],
        upload=upload["id"],
        imported=imported["import"]["id"],
        code_here=codes[0],
        code_there=codes[1],
        code_third=codes[2],
    )


def planned_price(name: str, item: str, location: str) -> dict[str, Any]:
    """A price of an item at a location in the summer."""
    return {"name": name, "at": "2027-06-01T05:00", "changes": [{"item": item, "location": location, "price": 9}]}


def override_of(scene: str, target: dict[str, Any], reason: str = "Closed early") -> dict[str, Any]:
    """The body of an override of this scene, for a day from the start of the tests' clock."""
    until = instant_text(START + timedelta(days=1))
    return {"scene": scene, "target": target, "until": until, "reason": reason}


ApiCall = tuple[str, str, tuple[str, ...], Any]
"""Method, path template, ids, and a valid body."""


def hidden_calls(w: ScopedWorkspace) -> Iterator[ApiCall]:
    """Calls about resources that are hidden from the narrowed key: 404."""
    screen = {"playlist": w.here.playlist}
    key = {"name": "a", "role": "Viewer"}
    yield "GET", "/v1/screens/{}", (w.screen_there,), None
    yield "GET", "/v1/screens/{}/screenshot", (w.screen_there,), None
    yield "GET", "/v1/screens/{}/logs", (w.screen_there,), None
    yield "GET", "/v1/screens/{}/receipts", (w.screen_there,), None
    yield "GET", "/v1/screens/{}/picture?at=2026-11-20T12:00:00Z", (w.screen_there,), None
    yield "GET", "/v1/screens/{}/moment", (w.screen_there,), None
    span = "from=2026-11-20T12:00:00Z&to=2026-11-21T12:00:00Z"
    yield "GET", f"/v1/screens/{{}}/timetable?{span}", (w.screen_there,), None
    yield "GET", f"/v1/playlists/{{}}/timetable?location={w.there}&{span}", (w.here.playlist,), None
    yield "PATCH", "/v1/screens/{}", (w.screen_there,), {"name": "x"}
    yield "PATCH", "/v1/screens/{}", (w.screen_there,), {"location": w.here.location}
    yield "PATCH", "/v1/screens/{}", (w.screen_here,), {"name": "x", "location": w.there}
    yield "PATCH", "/v1/screens", (), {"choose": {"location": w.there}, "tags": ["x"]}
    yield "PATCH", "/v1/screens", (), {"choose": {"screens": [w.screen_here]}, "location": w.there}
    yield "PATCH", "/v1/screens", (), {"choose": {"group": w.group_there}, "tags": ["x"]}
    yield "POST", "/v1/screens/{}/replace", (w.screen_there,), {"code": w.code_here}
    yield "POST", "/v1/screens/{}/replace", (w.screen_here,), {"code": w.code_there}
    yield "DELETE", "/v1/screens/{}", (w.screen_there,), None
    yield "POST", "/v1/screens/{}/commands", (w.screen_there,), {"type": "restart"}
    yield "GET", "/v1/screens/{}/commands", (w.screen_there,), None
    yield "GET", "/v1/screens/{}/commands/{}", (w.screen_there, w.command_there), None
    yield "DELETE", "/v1/screens/{}/commands/{}", (w.screen_there, w.command_there), None
    yield "POST", "/v1/screens/pair", (), screen | {"code": w.code_here, "location": w.there}
    yield "POST", "/v1/screens/pair", (), screen | {"code": w.code_there, "location": w.here.location}
    yield "PUT", "/v1/pos/connections/{}/items", (w.till_there,), [POS_ROW]
    yield "PATCH", "/v1/pos/connections/{}/items", (w.till_there,), [POS_ROW]
    yield "GET", "/v1/locations/{}", (w.there,), None
    yield "PATCH", "/v1/locations/{}", (w.there,), {"currency": "USD"}
    yield "DELETE", "/v1/locations/{}", (w.there,), None
    yield "GET", "/v1/locations/{}/values", (w.there,), None
    yield "PATCH", "/v1/locations/{}/values", (w.there,), {"values": {"a": None}}
    yield "GET", "/v1/groups/{}", (w.group_there,), None
    for place, name in (("locations", w.there), ("groups", w.group_there)):
        yield "GET", f"/v1/{place}/{{}}/items", (name,), None
        yield "GET", f"/v1/{place}/{{}}/items/{{}}", (name, w.here.coffee), None
        yield "PATCH", f"/v1/{place}/{{}}/items/{{}}", (name, w.here.coffee), {"price": 1}
        yield "POST", f"/v1/{place}/{{}}/items/bulk", (name,), [{"id": w.here.coffee, "price": 1}]
    yield "POST", "/v1/playlists/{}/publish", (w.playlist_there,), None
    yield "POST", "/v1/playlists/{}/versions/{}/restore", (w.playlist_there, "1"), None
    yield "DELETE", "/v1/playlists/{}", (w.playlist_there,), None
    yield "POST", "/v1/approvals/{}/approve", (w.approval_there,), None
    yield "POST", "/v1/approvals/{}/reject", (w.approval_there,), {"reason": "no"}
    yield "GET", "/v1/keys/{}", (w.key_there,), None
    yield "GET", "/v1/keys/{}", (w.key_wide,), None
    yield "DELETE", "/v1/keys/{}", (w.key_there,), None
    yield "DELETE", "/v1/keys/{}", (w.key_wide,), None
    yield "POST", "/v1/keys", (), key | {"locations": [w.here.location, w.there]}
    yield "GET", "/v1/overrides/{}", (w.override_there,), None
    yield "DELETE", "/v1/overrides/{}", (w.override_there,), None
    yield "POST", "/v1/overrides", (), override_of(w.here.scene, {"location": w.there})
    yield "GET", "/v1/planned-changes/{}", (w.plan_there,), None
    yield "GET", "/v1/planned-changes/{}/preview", (w.plan_there,), None
    yield "PATCH", "/v1/planned-changes/{}", (w.plan_there,), {"name": "a"}
    yield "DELETE", "/v1/planned-changes/{}", (w.plan_there,), None
    yield "POST", "/v1/planned-changes", (), planned_price("a", w.here.coffee, w.there)
    yield "GET", "/v1/enrolment-tokens/{}", (w.token_there,), None
    yield "DELETE", "/v1/enrolment-tokens/{}", (w.token_there,), None
    yield "POST", "/v1/enrolment-tokens", (), {"name": "a", "location": w.there, "playlist": w.here.playlist}


def far_reaching_calls(w: ScopedWorkspace) -> Iterator[ApiCall]:
    """Calls that change the menus of all locations at once: 403 for any narrowed key, which says what to call."""
    item = {"name": "Tea", "category": "Tea", "price": 2}
    yield "PATCH", "/v1/content/words", (), {"words": {"Tea": {"de": "Tee"}}}
    yield "PATCH", "/v1/content/categories", (), {"categories": {"Tea": {"note": "With milk"}}}
    yield "POST", "/v1/content/items", (), item
    yield "POST", "/v1/content/items/bulk", (), [{"id": w.here.coffee, "price": 3}]
    yield "POST", "/v1/content/items/order", (), {"category": "Coffee", "items": [w.here.coffee]}
    yield "POST", "/v1/content/items/import", (), {"text": "Tea 3"}
    yield "POST", "/v1/content/items/import/preview", (), {"text": "Tea 3"}
    yield "GET", "/v1/content/imports", (), None
    yield "GET", "/v1/content/imports/{}", (w.imported,), None
    yield "POST", "/v1/content/imports/{}/undo", (w.imported,), None
    yield "PATCH", "/v1/content/items/{}", (w.here.coffee,), {"price": 4}
    yield "PATCH", "/v1/content/items/{}/variants/{}", (w.here.coffee, w.variant), {"eightySixed": True}
    yield "DELETE", "/v1/content/items/{}", (w.here.cake,), None
    yield "PUT", "/v1/pos/connections/{}/items", (w.connection,), [POS_ROW]
    yield "PATCH", "/v1/pos/connections/{}/items", (w.connection,), [POS_ROW]


def forbidden_calls(w: ScopedWorkspace) -> Iterator[ApiCall]:
    """Calls about the whole workspace: 403 for any narrowed key, whatever its role."""
    webhook, connection = "/v1/public/webhooks", "/v1/pos/connections"
    yield "POST", "/v1/locations", (), CITY
    yield "POST", "/v1/groups", (), {"name": "Region"}
    yield "PATCH", "/v1/groups/{}", (w.group_here,), {"name": "Region"}
    yield "DELETE", "/v1/groups/{}", (w.group_here,), None
    yield "PATCH", "/v1/groups/{}/items/{}", (w.group_here, w.here.coffee), {"price": 1}
    yield "POST", "/v1/groups/{}/items/bulk", (w.group_here,), [{"id": w.here.coffee, "price": 1}]
    yield "POST", "/v1/keys", (), {"name": "a", "role": "Viewer"}
    yield "GET", webhook, (), None
    yield "POST", webhook, (), {"url": "https://example.com/", "events": ["screen.online"]}
    yield "GET", webhook + "/{}", (w.webhook,), None
    yield "PATCH", webhook + "/{}", (w.webhook,), {"enabled": False}
    yield "POST", webhook + "/{}/enable", (w.webhook,), None
    yield "POST", webhook + "/{}/rotate-secret", (w.webhook,), None
    yield "POST", webhook + "/{}/test", (w.webhook,), None
    yield "GET", webhook + "/{}/deliveries", (w.webhook,), None
    yield "POST", webhook + "/{}/deliveries/{}/replay", (w.webhook, w.delivery), None
    yield "DELETE", webhook + "/{}", (w.webhook,), None
    yield "GET", "/v1/alerts", (), None
    yield "POST", "/v1/alerts", (), {"email": "kim@example.com", "kinds": ["sync_failed"]}
    yield "GET", "/v1/alerts/{}", (w.alert,), None
    yield "PATCH", "/v1/alerts/{}", (w.alert,), {"offlineMinutes": 5}
    yield "POST", "/v1/alerts/{}/test", (w.alert,), None
    yield "DELETE", "/v1/alerts/{}", (w.alert,), None
    yield "GET", "/v1/rollouts", (), None
    yield "POST", "/v1/rollouts", (), {"version": "9.9.9"}
    yield "GET", "/v1/rollouts/versions", (), None
    yield "GET", "/v1/rollouts/{}", (w.rollout,), None
    yield "GET", "/v1/rollouts/{}/screens", (w.rollout,), None
    yield "GET", "/v1/screens/{}/rollout", (w.screen_there,), None
    yield "PATCH", "/v1/rollouts/{}", (w.rollout,), {"percent": 5}
    yield "DELETE", "/v1/rollouts/{}", (w.rollout,), None
    yield "GET", connection, (), None
    yield "POST", connection, (), {"name": "x", "feed": "x.csv", "format": "csv"}
    yield "GET", connection + "/{}", (w.connection,), None
    yield "PATCH", connection + "/{}", (w.connection,), {"name": "x"}
    yield "POST", connection + "/{}/sync", (w.connection,), None
    yield "POST", connection + "/{}/preview", (w.connection,), None
    yield "DELETE", connection + "/{}", (w.connection,), None
    yield "GET", "/v1/team/invites", (), None
    yield "POST", "/v1/team/invites", (), {"email": "c@example.com", "role": "Viewer"}
    yield "DELETE", "/v1/team/invites/{}", (w.invite,), None
    yield "GET", "/v1/team/members", (), None
    yield "GET", "/v1/team/members/{}", (w.member,), None
    yield "GET", "/v1/team/members/{}/sessions", (w.member,), None
    yield "DELETE", "/v1/team/members/{}/sessions", (w.member,), None
    yield "DELETE", "/v1/team/members/{}/second-factor", (w.member,), None
    yield "GET", "/v1/team/sign-in", (), None
    yield "PATCH", "/v1/team/sign-in", (), {"secondFactorRequired": True}
    yield "GET", "/v1/audit", (), None
    yield "PATCH", "/v1/team/members/{}", (w.member,), {"role": "Editor"}
    yield "DELETE", "/v1/team/members/{}", (w.member,), None
    yield "PATCH", "/v1/subscription", (), {"plan": "gold"}


def allowed_calls(w: ScopedWorkspace) -> Iterator[ApiCall]:
    """Calls that the narrowed key may make: at its own location, and on content, which is shared."""
    pairing = {"code": w.code_here, "playlist": w.here.playlist, "location": w.here.location}
    for path in (
        "screens",
        "locations",
        "groups",
        "keys",
        "content/items",
        "scenes",
        "playlists",
        "assets",
        "approvals",
    ):
        yield "GET", f"/v1/{path}", (), None
    yield "GET", "/v1/subscription", (), None
    yield "GET", "/v1/content/words", (), None
    yield "GET", "/v1/content/categories", (), None
    yield "GET", "/v1/scenes/themes", (), None
    yield "GET", "/v1/screens/{}", (w.screen_here,), None
    yield "PATCH", "/v1/screens/{}", (w.screen_here,), {"playlist": w.here.playlist}
    yield "POST", "/v1/screens/{}/commands", (w.screen_here,), {"type": "identify"}
    yield "GET", "/v1/screens/{}/commands", (w.screen_here,), None
    yield "GET", "/v1/screens/{}/commands/{}", (w.screen_here, w.command_here), None
    yield "DELETE", "/v1/screens/{}/commands/{}", (w.screen_here, w.command_here), None
    yield "POST", "/v1/screens/pair", (), pairing
    yield "PATCH", "/v1/screens", (), {"choose": {"tag": HIDDEN_MARK}, "display": {"rotation": 90}}
    yield "POST", "/v1/screens/{}/replace", (w.screen_here,), {"code": w.code_third}
    yield "POST", "/v1/screens/confirm", (), {"screens": [w.screen_here]}
    yield "PUT", "/v1/pos/connections/{}/items", (w.till_here,), [POS_ROW]
    yield "PATCH", "/v1/pos/connections/{}/items", (w.till_here,), [POS_ROW]
    yield "GET", "/v1/locations/{}", (w.here.location,), None
    yield "PATCH", "/v1/locations/{}", (w.here.location,), {"name": "Corner"}
    yield "GET", "/v1/locations/{}/values", (w.here.location,), None
    yield "PATCH", "/v1/locations/{}/values", (w.here.location,), {"values": {"a": None}}
    yield "GET", "/v1/groups/{}", (w.group_here,), None
    local = {"price": 4, "variants": [{"id": w.variant, "eightySixed": True}]}
    for place, name in (("locations", w.here.location), ("groups", w.group_mine)):
        yield "GET", f"/v1/{place}/{{}}/items", (name,), None
        yield "GET", f"/v1/{place}/{{}}/items/{{}}", (name, w.here.coffee), None
        yield "PATCH", f"/v1/{place}/{{}}/items/{{}}", (name, w.here.coffee), local
        yield "POST", f"/v1/{place}/{{}}/items/bulk", (name,), [{"id": w.here.coffee, "price": 1}]
    yield "GET", "/v1/groups/{}/items", (w.group_here,), None
    yield "GET", "/v1/groups/{}/items/{}", (w.group_here, w.here.coffee), None
    yield "POST", "/v1/keys", (), {"name": "a", "role": "Viewer", "locations": [w.here.location]}
    yield "GET", "/v1/keys/{}", (w.key_narrow,), None
    yield "GET", "/v1/overrides", (), None
    yield "GET", "/v1/overrides/{}", (w.override_here,), None
    yield "POST", "/v1/overrides", (), override_of(w.here.scene, {"everything": True})
    yield "GET", "/v1/planned-changes", (), None
    yield "GET", "/v1/planned-changes/{}", (w.plan_here,), None
    yield "GET", "/v1/planned-changes/{}/preview", (w.plan_here,), None
    yield "PATCH", "/v1/planned-changes/{}", (w.plan_here,), {"name": "a"}
    yield "POST", "/v1/planned-changes", (), planned_price("a", w.here.cake, w.here.location)
    yield "DELETE", "/v1/planned-changes/{}", (w.plan_here,), None
    yield "DELETE", "/v1/overrides/{}", (w.override_here,), None
    yield "GET", "/v1/enrolment-tokens", (), None
    yield "GET", "/v1/enrolment-tokens/{}", (w.token_here,), None
    yield "POST", "/v1/enrolment-tokens", (), {"name": "a", "location": w.here.location, "playlist": w.here.playlist}
    yield "DELETE", "/v1/enrolment-tokens/{}", (w.token_here,), None
    yield "GET", "/v1/content/items/export", (), None
    yield "GET", "/v1/content/items/{}", (w.here.coffee,), None
    yield "GET", "/v1/content/items/{}/boards", (w.here.coffee,), None
    yield "GET", "/v1/assets/{}", (w.asset,), None
    yield "GET", "/v1/assets/{}/uses", (w.asset,), None
    yield "GET", "/v1/assets/{}/thumbnail", (w.asset,), None
    yield "PATCH", "/v1/assets/{}", (w.asset,), {"alt": "x"}
    yield "POST", "/v1/assets", (), None
    yield "POST", "/v1/assets/uploads", (), {"mediaType": "image/png", "size": 9}
    yield "GET", "/v1/assets/uploads/{}", (w.upload,), None
    yield "PATCH", "/v1/assets/uploads/{}", (w.upload,), None
    yield "DELETE", "/v1/assets/uploads/{}", (w.upload,), None
    yield "GET", "/v1/scenes/templates", (), None
    yield "GET", "/v1/scenes/templates/{}/preview.png?location={}", ("burgers", w.here.location), None
    yield "GET", "/v1/scenes/{}", (w.here.scene,), None
    yield "GET", "/v1/scenes/{}/preview.png", (w.here.scene,), None
    yield "POST", "/v1/scenes/{}/preview.png", (w.here.scene,), {"name": "x"}
    yield "POST", "/v1/scenes", (), {"name": "x", "widgets": []}
    yield "PATCH", "/v1/scenes/{}", (w.here.scene,), {"name": "x"}
    yield "POST", "/v1/scenes/{}/schedules", (w.here.scene,), DAYPART
    yield "GET", "/v1/playlists/{}", (w.playlist_there,), None
    yield "POST", "/v1/playlists", (), {"name": "x"}
    yield "PATCH", "/v1/playlists/{}", (w.playlist_there,), {"name": "x"}
    yield "POST", "/v1/playlists/{}/scenes", (w.here.playlist,), {"sceneId": w.here.scene, "durationSeconds": 5}
    yield "PATCH", "/v1/playlists/{}/order", (w.playlist_there,), {"order": [w.here.scene]}
    yield "PATCH", "/v1/playlists/{}/scenes/{}", (w.playlist_there, w.entry), {"durationSeconds": 6}
    version = (w.here.playlist, "1")
    yield "GET", "/v1/playlists/{}/versions", version[:1], None
    yield "GET", "/v1/playlists/{}/versions/{}", version, None
    yield "GET", "/v1/playlists/{}/versions/{}/scenes/{}/image", (*version, w.here.scene), None
    yield "GET", "/v1/approvals/{}", (w.approval_there,), None
    yield "GET", "/v1/approvals/{}/scenes/{}/image", (w.approval_here, w.here.scene), None
    yield "POST", "/v1/approvals/{}/approve", (w.approval_here,), None
    yield "POST", "/v1/approvals/{}/reject", (w.approval_here,), {"reason": "no"}
    yield "POST", "/v1/playlists/{}/publish", (w.here.playlist,), None
    yield "POST", "/v1/playlists/{}/versions/{}/restore", version, None
    yield "DELETE", "/v1/playlists/{}/scenes/{}", (w.playlist_there, w.entry), None
    yield "GET", "/v1/scenes/{}/schedules", (w.here.scene,), None
    yield "GET", "/v1/schedules/{}", (w.schedule,), None
    yield "PATCH", "/v1/schedules/{}", (w.schedule,), {"start": "07:00"}
    yield "DELETE", "/v1/schedules/{}", (w.schedule,), None
    # In use: 409, so the resource is visible.
    yield "DELETE", "/v1/scenes/{}", (w.here.scene,), None
    yield "DELETE", "/v1/locations/{}", (w.here.location,), None
    yield "DELETE", "/v1/playlists/{}", (w.here.playlist,), None
    yield "DELETE", "/v1/screens/{}", (w.screen_here,), None
    yield "DELETE", "/v1/keys/{}", (w.key_child,), None
    yield "DELETE", "/v1/assets/{}", (w.asset,), None


async def send_call(caller: Caller, call: ApiCall) -> Any:
    method, template, ids, body = call
    path = template.format(*ids)
    if (method, path) == ("POST", "/v1/assets"):
        return await caller.raw(method, path, png(), "image/png")
    if (method, template) == ("PATCH", "/v1/assets/uploads/{}"):
        return await caller.raw(method, path, png(), "application/offset+octet-stream", **{"Upload-Offset": "0"})
    return await caller.send(method, path, body)


def all_rows(service: Service) -> dict[str, str]:
    """All stored rows, except failed attempts."""
    with service.services.database.read() as session:
        return {
            table.name: repr(session.execute(select(table)).all())
            for table in Base.metadata.sorted_tables
            if table.name != "wrong_codes"
        }
