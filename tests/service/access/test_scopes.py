"""The outside of a key's scope: other locations for a narrowed key, other workspaces for any key.

It is a 404, it is not changed, and nothing reveals it.
"""

import base64

from sqlalchemy import select

from service.storage.tables.base import Base
from tests.service.support.application import Caller, Service, body_of, faults_in, open_cafe, pair, png, routes_of
from tests.service.support.workspaces import (
    HIDDEN_MARK,
    ScopedWorkspace,
    all_rows,
    allowed_calls,
    far_reaching_calls,
    forbidden_calls,
    hidden_calls,
    override_of,
    send_call,
)


async def test_what_is_inside_works_and_reveals_nothing_outside(service: Service, scoped: ScopedWorkspace) -> None:
    """First in the file, so on PostgreSQL too: it uses every table and route."""
    ids = (scoped.there, scoped.screen_there, scoped.key_there, scoped.key_wide, scoped.webhook, scoped.connection)
    for call in allowed_calls(scoped):
        response = await send_call(scoped.narrow, call)

        assert response.status_code < 300 or response.status_code == 409, (call, response.text)
        assert HIDDEN_MARK not in response.text, call
        assert not [one for one in ids if one in response.text], call


async def test_every_route_is_in_the_table(service: Service, scoped: ScopedWorkspace) -> None:
    listed = {
        (method, template.partition("?")[0])
        for calls in (hidden_calls, forbidden_calls, far_reaching_calls, allowed_calls)
        for method, template, _, _ in calls(scoped)
    }

    assert listed == routes_of(service)


async def test_what_is_outside_is_not_found_and_not_changed(service: Service, scoped: ScopedWorkspace) -> None:
    before = all_rows(service)
    for call in hidden_calls(scoped):
        response = await send_call(scoped.narrow, call)

        assert (response.status_code, response.json()["code"]) == (404, "not_found"), call
        assert HIDDEN_MARK not in response.text, call
    for call in forbidden_calls(scoped):
        response = await send_call(scoped.narrow, call)

        assert (response.status_code, response.json()["code"]) == (403, "forbidden"), call
        assert HIDDEN_MARK not in response.text, call
    for call in far_reaching_calls(scoped):
        response = await send_call(scoped.narrow, call)

        assert (response.status_code, response.json()["code"]) == (403, "reaches_elsewhere"), call
        assert "/v1/locations/{location}/items/{item}" in response.json()["detail"]
    assert all_rows(service) == before


async def test_what_is_outside_is_answered_like_an_unknown_id(service: Service, scoped: ScopedWorkspace) -> None:
    """Otherwise a key could probe for what exists elsewhere."""
    for method, template, ids, body in hidden_calls(scoped):
        if len(ids) != 1 or ids[0] == scoped.screen_here or "playlists" in template or "approvals" in template:
            # Every key can read playlists and approvals, so their existence is no secret.
            continue
        there = await send_call(scoped.narrow, (method, template, ids, body))
        nowhere = await send_call(scoped.narrow, (method, template, ("none",), body))
        assert there.json() | {"detail": ""} == nowhere.json() | {"detail": ""}
        assert there.json()["detail"].replace(ids[0], "none") == nowhere.json()["detail"]
    pairing = {"playlist": scoped.here.playlist, "location": scoped.here.location}
    for code in (scoped.code_there, scoped.code_there[:3].lower() + "-" + scoped.code_there[3:]):
        elsewhere = await scoped.narrow.post("/v1/screens/pair", pairing | {"code": code})
        wrong = await scoped.narrow.post("/v1/screens/pair", pairing | {"code": "BBBBBB"})
        assert elsewhere.json()["detail"].replace(code, "BBBBBB") == wrong.json()["detail"]
    # And it counts as a failed attempt.
    for _ in range(2):
        stopped = await scoped.narrow.post("/v1/screens/pair", pairing | {"code": scoped.code_there})
    assert stopped.status_code == 429


async def test_lists_filters_and_cursors_reveal_nothing_outside(
    service: Service, owner: Caller, scoped: ScopedWorkspace
) -> None:
    for path, expected in (
        ("/v1/screens?", [scoped.screen_here]),
        ("/v1/screens?status=offline&", [scoped.screen_here]),
        ("/v1/screens?status=online&", []),
        (f"/v1/screens?playlist={scoped.playlist_there}&", []),
        (f"/v1/screens?location={scoped.here.location}&", [scoped.screen_here]),
        ("/v1/locations?", [scoped.here.location]),
        ("/v1/groups?", [scoped.group_here, scoped.group_mine]),
        (f"/v1/groups?location={scoped.here.location}&", [scoped.group_here, scoped.group_mine]),
        ("/v1/keys?", [scoped.key_narrow, scoped.key_child]),
        ("/v1/enrolment-tokens?", [scoped.token_here]),
    ):
        found: list[str] = []
        cursor = ""
        while True:
            page = body_of(await scoped.narrow.get(f"{path}limit=1{cursor}"))
            found += [one["id"] for one in page["data"]]
            if page["pagination"]["cursor"] is None:
                break
            cursor = f"&cursor={page['pagination']['cursor']}"
        # As many pages as it has rows: hasMore does not reveal others.
        assert found == expected, path
        wide = body_of(await owner.get(f"{path}limit=1"))["pagination"]["cursor"]
        if wide is not None:
            page = body_of(await scoped.narrow.get(f"{path}cursor={wide}"))
            assert {one["id"] for one in page["data"]} <= set(expected), path
    for location in (scoped.there, "loc_none"):
        for path in ("screens", "groups"):
            refused = await scoped.narrow.get(f"/v1/{path}?location={location}")
            assert (refused.status_code, faults_in(refused)) == (422, {"location": "unknown_location"})


async def test_a_cursor_does_not_reveal_how_many_rows_others_have(
    service: Service, owner: Caller, scoped: ScopedWorkspace
) -> None:
    with service.services.database.read() as session:
        numbers = [row.number for row in session.execute(select(Base.metadata.tables["keys"])).all()]
    cursor = body_of(await owner.get("/v1/keys?limit=1"))["pagination"]["cursor"]

    assert int.from_bytes(base64.urlsafe_b64decode(cursor)[:8], "big") not in numbers


async def test_another_workspace_finds_none_of_it(service: Service, owner: Caller, scoped: ScopedWorkspace) -> None:
    stranger = service.stranger()
    before = all_rows(service)
    for calls in (hidden_calls, forbidden_calls, far_reaching_calls, allowed_calls):
        for call in calls(scoped):
            if not call[2]:
                continue
            response = await send_call(stranger, call)

            assert (response.status_code, response.json()["code"]) == (404, "not_found"), call
            assert HIDDEN_MARK not in response.text, call
    assert all_rows(service) == before


async def test_another_workspace_gets_empty_lists_and_no_cursors(
    service: Service, owner: Caller, scoped: ScopedWorkspace
) -> None:
    # A second one of each, so that there is a cursor.
    await owner.raw("POST", "/v1/assets", png(1), "image/png")
    await owner.make("/v1/scenes", {"name": "x", "widgets": []})
    await owner.make("/v1/team/invites", {"email": "d@example.com", "role": "Viewer"})
    await owner.make("/v1/pos/connections", {"name": "x", "feed": "x.csv", "format": "csv"})
    await owner.make("/v1/public/webhooks", {"url": "https://example.com/", "events": ["screen.online"]})
    await owner.make("/v1/rollouts", {"version": "9.9.9"})
    await owner.make("/v1/alerts", {"email": "kim@example.com", "kinds": ["sync_failed"]})
    await owner.make("/v1/overrides", override_of(scoped.here.scene, {"everything": True}))
    again = await owner.make("/v1/team/invites", {"email": "e@example.com", "role": "Viewer"})
    await service.client.post("/v1/team/invites/accept", json={"token": again["token"], "name": "e"})
    await owner.post("/v1/content/items/import", {"text": "Second 3"})
    stranger = service.stranger()
    lists = [path for method, path in routes_of(service) if method == "GET" and "{}" not in path]
    shared = ("/v1/subscription", "/v1/team/sign-in", "/v1/scenes/templates", "/v1/scenes/themes")
    for no_list in (*shared, "/v1/content/words", "/v1/content/categories", "/v1/content/items/export"):
        lists.remove(no_list)
    lists.remove("/v1/rollouts/versions")
    assert (await stranger.get("/v1/rollouts/versions")).json()["data"] == [], "counts, in one page"

    for path in lists:
        mine = body_of(await stranger.get(path))["data"]
        assert [one["id"] for one in mine] == (["key_2"] if path == "/v1/keys" else []), path
        cursor = body_of(await owner.get(f"{path}?limit=1"))["pagination"]["cursor"]
        assert cursor, path
        refused = await stranger.get(f"{path}?cursor={cursor}")
        assert (refused.status_code, refused.json()["code"]) == (400, "bad_cursor"), path
    await owner.patch("/v1/content/words", {"words": {"Tea": {"de": "Tee"}}})
    assert body_of(await stranger.get("/v1/content/words")) == {"words": {}}
    await owner.patch("/v1/content/categories", {"categories": {"Tea": {"note": "With milk"}}})
    assert body_of(await stranger.get("/v1/content/categories")) == {"categories": {}}


async def test_ids_of_another_workspace_cannot_be_used(
    service: Service, owner: Caller, scoped: ScopedWorkspace
) -> None:
    stranger = service.stranger()
    theirs = await open_cafe(stranger)
    device = await pair(service, stranger, theirs, device_id="4" * 32)
    code = (await service.device("5" * 32).ask_codes()).user_code
    before = all_rows(service)
    item, place = {"name": "a", "category": "b", "price": 1}, scoped.here
    entry = {"sceneId": place.scene, "durationSeconds": 5}
    pairing = {"code": code, "playlist": place.playlist, "location": place.location}
    key = {"name": "a", "role": "Viewer", "locations": [place.location]}
    menu = {"id": "a", "type": "menu", "x": 0, "y": 0, "width": 9, "height": 9, "itemIds": [place.coffee]}

    for method, path, body, pointers in (
        ("POST", "/v1/content/items", item | {"image": scoped.asset}, {"/image"}),
        ("POST", "/v1/content/items/bulk", [{"id": place.coffee, "price": 1}], {"/0/id"}),
        ("POST", "/v1/scenes", {"name": "a", "background": {"asset": scoped.asset}}, {"/background/asset"}),
        ("POST", "/v1/scenes", {"name": "a", "widgets": [menu]}, {"/widgets/0/itemIds/0"}),
        ("POST", f"/v1/playlists/{theirs.playlist}/scenes", entry, {"/sceneId"}),
        ("PATCH", f"/v1/playlists/{theirs.playlist}/order", {"order": [place.scene]}, {"/order", "/order/0"}),
        ("PATCH", f"/v1/screens/{device.screen}", {"location": place.location}, {"/location"}),
        ("PATCH", f"/v1/screens/{device.screen}", {"playlist": place.playlist}, {"/playlist"}),
        ("POST", "/v1/screens/pair", pairing, {"/playlist", "/location"}),
        ("POST", "/v1/keys", key, {"/locations/0"}),
        (
            "POST",
            "/v1/groups",
            {"name": "a", "locations": [place.location, scoped.group_here]},
            {"/locations/0", "/locations/1"},
        ),
        ("GET", f"/v1/groups?location={place.location}", None, {"location"}),
        ("POST", f"/v1/locations/{theirs.location}/items/bulk", [{"id": place.coffee, "price": 1}], {"/0/id"}),
        (
            "PATCH",
            f"/v1/locations/{theirs.location}/items/{theirs.coffee}",
            {"variants": [{"id": scoped.variant, "price": 1}]},
            {"/variants/0/id"},
        ),
        ("GET", f"/v1/screens?location={place.location}", None, {"location"}),
        ("GET", f"/v1/screens?playlist={place.playlist}", None, {"playlist"}),
    ):
        response = await stranger.send(method, path, body)
        assert response.status_code == 422, (path, response.text)
        assert set(faults_in(response)) == pointers, path
    assert all_rows(service) == before
