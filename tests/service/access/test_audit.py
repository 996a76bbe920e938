"""The audit list: each act of a person or key leaves one entry, in its transaction; who reads it, and how long."""

import csv
import io
from datetime import timedelta

import pytest
from sqlalchemy import func, select

from service.core.clock import instant_text
from service.core.permissions import Role
from service.services.access.audit import MAX_ACTORS
from service.storage.audit import KEPT, MAX_FIELDS
from service.storage.tables.audit import AuditRow
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock
from tests.service.support.desk import PASSWORD, person, text_of
from tests.service.support.workspaces import (
    POS_ROW,
    ScopedWorkspace,
    allowed_calls,
    far_reaching_calls,
    fill_workspace,
    forbidden_calls,
)

CHANGES_NOTHING = {
    ("POST", "/v1/content/items/import/preview"): "a preview",
    ("POST", "/v1/pos/connections/{}/preview"): "a preview",
    ("POST", "/v1/scenes/{}/preview.png"): "a preview",
    ("POST", "/v1/public/webhooks/{}/test"): "a ping",
    ("POST", "/v1/alerts/{}/test"): "a mail",
    ("PATCH", "/v1/screens/{}"): "the playlist that it has",
    ("POST", "/v1/screens/confirm"): "a screen that does not wait",
    ("PATCH", "/v1/pos/connections/{}/items"): "the same rows again",
    ("PUT", "/v1/pos/connections/{}/items"): "of the second connection: the items of the first",
    ("PATCH", "/v1/locations/{}/values"): "no value that there is",
    ("PATCH", "/v1/groups/{}"): "the name that it has",
    ("PATCH", "/v1/playlists/{}/order"): "the order that it has",
    ("POST", "/v1/content/items/order"): "the order that it has",
    ("DELETE", "/v1/team/members/{}/second-factor"): "none to turn off",
}


def entries(service: Service) -> int:
    with service.services.database.read() as session:
        return session.scalar(select(func.count()).select_from(AuditRow)) or 0


async def told(owner: Caller, query: str = "") -> list[str]:
    """Who did what, in words."""
    found = (await owner.get(f"/v1/audit?limit=100{query}")).json()["data"]
    return [
        f"{one['actor']['name']} {one['act']} {one['subject']['kind']} {one['subject']['name']}"
        + (f" +{one['subjects'] - 1}" if one["subjects"] > 1 else "")
        for one in found
    ]


async def test_every_call_that_changes_something_leaves_an_entry(service: Service, owner: Caller, cafe: Cafe) -> None:
    workspace = await fill_workspace(service, owner, cafe)
    silent = []
    for method, template, ids, body in writes(workspace):
        before = entries(service)
        answer = await owner.send(method, template.format(*ids), body)
        if answer.is_success and entries(service) == before and (method, template) not in CHANGES_NOTHING:
            silent.append((method, template, answer.status_code))
    assert "\n".join(map(str, silent)) == ""


def writes(workspace: ScopedWorkspace) -> list[tuple[str, str, tuple[str, ...], object]]:
    calls = [*allowed_calls(workspace), *far_reaching_calls(workspace), *forbidden_calls(workspace)]
    return [call for call in calls if call[0] != "GET" and not call[1].startswith("/v1/assets")]


async def test_an_entry_says_who_did_what_at_once_with_names_of_then(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock
) -> None:
    before = entries(service)
    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"price": 4, "name": "Long black"})
    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"price": 4})
    await owner.post(f"/v1/playlists/{cafe.playlist}/publish")
    await owner.post("/v1/content/items/bulk", [{"id": one, "eightySixed": True} for one in (cafe.coffee, cafe.cake)])
    await owner.delete(f"/v1/content/items/{cafe.cake}")
    rows = (await owner.get("/v1/audit?limit=100")).json()["data"][before:]
    assert [(one["act"], one["subject"]["kind"], one["subject"]["name"], one["subjects"]) for one in rows] == [
        ("changed", "item", "Long black", 1),
        ("published", "playlist", "All day", 1),
        ("changed", "item", rows[2]["subject"]["name"], 2),
        ("removed", "item", "Carrot cake", 1),
    ]
    assert rows[0]["fields"] == ["name", "price"]
    assert rows[0]["actor"]["kind"] == "key"
    assert rows[0]["at"] == instant_text(clock.now())


async def test_what_was_refused_or_rolled_back_leaves_none(service: Service, owner: Caller, cafe: Cafe) -> None:
    before = entries(service)
    assert (await owner.patch(f"/v1/content/items/{cafe.coffee}", {"price": -1})).status_code == 422
    assert (await owner.delete(f"/v1/scenes/{cafe.scene}")).status_code == 409
    stale = await owner.send("PATCH", f"/v1/content/items/{cafe.coffee}", {"price": 9}, **{"If-Match": '"x"'})
    assert stale.status_code == 412
    assert (
        await service.caller(Role.VIEWER).patch(f"/v1/content/items/{cafe.coffee}", {"price": 9})
    ).status_code == 403
    assert entries(service) == before


@pytest.mark.long
async def test_screens_and_periodic_jobs_leave_none(service: Service, owner: Caller, device: Device) -> None:
    before = entries(service)
    await device.heartbeat()
    await device.manifest()
    await service.pass_seconds(700)
    assert entries(service) == before


async def test_acts_at_the_desk_are_those_of_the_person(service: Service, owner: Caller, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/menu")
        await one.submit(f"/desk/menu/{cafe.coffee}/sold-out", {"sold": "true"})
        await one.open("/desk/profile")
        await one.submit("/desk/profile/password", {"password": PASSWORD})
        await one.submit("/desk/sign-out")
    [member] = (await owner.get("/v1/team/members")).json()["data"]
    assert await told(owner, f"&actor={member['id']}") == [
        "Kim signed_in member Kim",
        "Kim changed item Flat white",
        "Kim changed person kim@example.com",
        "Kim signed_out member Kim",
    ]
    [changed] = (await owner.get(f"/v1/audit?subject={cafe.coffee}&actor={member['id']}")).json()["data"]
    assert "eightySixed" in changed["fields"]
    # Whoever is gone keeps the name of then.
    await owner.delete(f"/v1/team/members/{member['id']}")
    assert "Kim signed_out member Kim" in await told(owner, f"&actor={member['id']}")


async def test_the_list_is_for_owners_and_admins_of_the_workspace_alone(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    assert (await service.caller(Role.ADMIN).get("/v1/audit")).status_code == 200
    assert (await service.caller(Role.PUBLISHER).get("/v1/audit")).status_code == 403
    assert (await service.stranger().get(f"/v1/audit?subject={cafe.coffee}")).json()["data"] == []
    async with person(service, Role.PUBLISHER) as one:
        assert (await one.client.get("/desk/settings/audit")).status_code == 403
        assert (await one.client.get("/desk/settings/audit/file.csv")).status_code == 403
        assert "Who did what" not in text_of(await one.open("/desk/settings/subscription"))


async def test_the_list_is_paged_and_filtered_by_day(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock
) -> None:
    clock.set(clock.now() + timedelta(days=1))
    for price in (5, 6, 7):
        await owner.patch(f"/v1/content/items/{cafe.coffee}", {"price": price})
    day = clock.now().date()
    query = f"/v1/audit?day={day}&order=newest&limit=2"
    first = (await owner.get(query)).json()
    rest = (await owner.get(f"{query}&cursor={first['pagination']['cursor']}")).json()
    assert (len(first["data"]), len(rest["data"]), rest["pagination"]["hasMore"]) == (2, 1, False)
    assert (await owner.get(f"/v1/audit?day={day + timedelta(days=1)}")).json()["data"] == []
    assert (await owner.get(f"/v1/audit?limit=2&cursor={first['pagination']['cursor']}")).status_code == 400
    for strange in ("yesterday", "0", "2026-02-30"):
        assert (await owner.get(f"/v1/audit?day={strange}")).status_code == 422, strange


async def test_csv_has_all_of_it_and_no_formulas(service: Service, owner: Caller, cafe: Cafe) -> None:
    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"name": "=cmd()"})
    table = (await owner.get("/v1/audit", Accept="text/csv")).text
    rows = list(csv.DictReader(io.StringIO(table)))
    assert len(rows) == entries(service)
    assert rows[-1]["subjectName"] == "'=cmd()"
    async with person(service, Role.OWNER) as one:
        file = await one.client.get(f"/desk/settings/audit/file.csv?subject={cafe.coffee}")
        assert file.headers["content-disposition"] == 'attachment; filename="audit.csv"'
        assert len(list(csv.DictReader(io.StringIO(file.text)))) == 2


async def test_the_page_shows_the_newest_first_and_goes_on_by_person_and_thing(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    async with person(service, Role.ADMIN) as one:
        await one.open("/desk/menu")
        await one.submit(f"/desk/menu/{cafe.coffee}/sold-out", {"sold": "true"})
        page = text_of(await one.open("/desk/settings/audit"))
        assert page.index("Changed Item Flat white") < page.index("Signed in")
        assert "Sold out" in page
        assert "Signed in" not in text_of(await one.open(f"/desk/settings/audit?subject={cafe.coffee}"))
        assert "Nothing was done that fits." in text_of(await one.open("/desk/settings/audit?day=1999-01-01"))
        assert (await one.open("/desk/settings/audit?day=never")).status_code == 200


async def test_entries_are_kept_for_400_days_and_so_many_of_a_workspace(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock
) -> None:
    for price in range(5):
        await owner.patch(f"/v1/content/items/{cafe.coffee}", {"price": price})
    service.services.audit.prune(most=3)
    assert entries(service) == 3
    clock.set(clock.now() + KEPT)
    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"price": 9})
    service.services.audit.prune()
    assert entries(service) == 1


async def test_an_entry_names_so_many_fields_and_the_page_so_many_people(
    service: Service, owner: Caller, cafe: Cafe, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.storage.audit.MAX_FIELDS", 1)
    await service.caller(Role.EDITOR).patch(f"/v1/content/items/{cafe.coffee}", {"price": 4, "name": "Long black"})
    async with person(service, Role.OWNER) as one:
        access = service.services.sessions.of(one.session or "").access  # type: ignore[union-attr]
        assert [each.name for each in service.services.audit.actors(access, most=1)] == ["Kim"]
    [*_, changed, _] = (await owner.get("/v1/audit?limit=100")).json()["data"]
    assert len(changed["fields"]) == 1 < min(MAX_FIELDS, MAX_ACTORS)


async def test_a_push_is_an_act_on_its_items_and_one_that_changes_none_is_no_act(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    till = (await owner.make("/v1/pos/connections", {"name": "Till", "format": "json"}))["id"]
    before = await told(owner)
    for _ in range(2):
        answer = await owner.send("PUT", f"/v1/pos/connections/{till}/items", [POS_ROW])
        assert answer.is_success
        assert [one.split(" ", 1)[1] for one in await told(owner)][len(before) :] == ["created item Tea"]
