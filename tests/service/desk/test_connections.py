"""Webhooks, alerts, points of sale and the subscription at the desk."""

import re
from pathlib import Path

import pytest
from sqlalchemy import func, select

from service.core.permissions import Role
from service.storage.tables.webhooks import DeliveryRow
from tests.service.support.application import Cafe, Caller, Service, VirtualClock, running, until
from tests.service.support.desk import person, text_of, undo_of
from tests.service.support.feeds import next_sync

SETTINGS = "/desk/settings"
HOOK = {"url": "https://hooks.example.com/menu", "events:screen.offline": "on", "events:content.published": "on"}
FEED = "id,name,category,price\n1,Soup,Lunch,6.50\n2,Bad,Lunch,free\n"


async def test_a_webhook_is_made_its_secret_shown_once_tested_disabled_and_removed(
    service: Service, owner: Caller
) -> None:
    async with person(service, Role.ADMIN) as one:
        await one.open(f"{SETTINGS}/webhooks/new")
        shown = await one.submit(f"{SETTINGS}/webhooks/new", HOOK)
        [secret] = re.findall(r'value="(whsec_[^"]*)"', shown.text)
        [hook] = (await owner.get("/v1/public/webhooks")).json()["data"]
        assert set(hook["events"]) == {"screen.offline", "content.published"}
        at = f"{SETTINGS}/webhooks/{hook['id']}"
        assert secret not in (await one.open(at)).text

        await one.submit(f"{at}/test")
        page = await one.open(at)
        assert "A test is on its way." in text_of(page)
        assert "ping" in text_of(page)
        assert "No delivery." in text_of(await one.open(f"{at}?status=succeeded"))

        await one.submit(f"{at}/disable")
        disabled = await one.open(at)
        assert "No events are delivered. They wait." in text_of(disabled)
        await one.submit(*undo_of(disabled))
        assert (await owner.get(f"/v1/public/webhooks/{hook['id']}")).json()["enabled"]

        await one.submit(at, {**HOOK, "url": "https://hooks.example.com/other"})
        await one.submit(*undo_of(await one.open(at)))
        assert (await owner.get(f"/v1/public/webhooks/{hook['id']}")).json()["url"] == HOOK["url"]

        rotated = await one.submit(f"{at}/rotate")
        assert "The old one signs as well until" in text_of(rotated)
        await one.submit(f"{at}/remove")
        assert (await owner.get("/v1/public/webhooks")).json()["data"] == []


async def test_deliveries_are_shown_newest_first_filtered_and_replayed(service: Service, owner: Caller) -> None:
    hooks = "/v1/public/webhooks"
    hook = (await owner.make(hooks, {"url": HOOK["url"], "events": ["screen.offline"]}))["id"]
    deliveries = [(await owner.post(f"{hooks}/{hook}/test")).json()["id"] for _ in range(3)]
    listed = (await owner.get(f"{hooks}/{hook}/deliveries?order=newest&limit=2")).json()
    assert [each["id"] for each in listed["data"]] == deliveries[:0:-1]
    cursor = listed["pagination"]["cursor"]
    rest = (await owner.get(f"{hooks}/{hook}/deliveries?order=newest&cursor={cursor}")).json()
    assert [each["id"] for each in rest["data"]] == deliveries[:1]
    assert (await owner.get(f"{hooks}/{hook}/deliveries?cursor={cursor}")).status_code == 400

    # Nothing answers there, and a test has no retries.
    await until(lambda: _failed(service) == 3)
    at = f"{SETTINGS}/webhooks/{hook}"
    async with person(service, Role.ADMIN) as one:
        page = await one.open(f"{at}?status=failed")
        assert re.findall(r'deliveries/([^"]*)/replay"', page.text) == deliveries[::-1]
        await one.submit(f"{at}/deliveries/{deliveries[0]}/replay")
        assert "The event is delivered again." in text_of(await one.open(at))
        assert len((await owner.get(f"{hooks}/{hook}/deliveries")).json()["data"]) == 4


def _failed(service: Service) -> int:
    with service.services.database.read() as session:
        failed = select(func.count()).select_from(DeliveryRow).where(DeliveryRow.status == "failed")
        return session.scalar(failed) or 0


@pytest.mark.parametrize(
    ("wrong", "said"),
    [({"url": "ftp://x"}, "This must be the https address"), ({"url": "https://127.0.0.1/"}, "This must be the https")],
)
async def test_an_address_that_is_none_shows_the_form_again(service: Service, wrong: dict[str, str], said: str) -> None:
    async with person(service, Role.ADMIN) as one:
        await one.open(f"{SETTINGS}/webhooks/new")
        again = await one.submit(f"{SETTINGS}/webhooks/new", {**HOOK, **wrong})
        assert again.status_code == 422
        assert said in text_of(again)
        assert 'name="events:screen.offline" checked' in again.text


async def test_an_alert_is_made_changed_put_back_tested_and_removed(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    async with person(service, Role.ADMIN) as one:
        assert 'value="kim@example.com"' in (await one.open(f"{SETTINGS}/alerts/new")).text
        given = {"email": "kim@example.com", "offlineMinutes": "15", "kinds:sync_failed": "on"}
        quiet = {"quietStart": "22:00", "quietEnd": "07:00", "quietZone": "Europe/Berlin"}
        await one.submit(f"{SETTINGS}/alerts/new", {**given, **quiet, f"locations:{cafe.location}": "on"})
        assert "kim@example.com is told by e-mail." in text_of(await one.open(f"{SETTINGS}/alerts"))
        [alert] = (await owner.get("/v1/alerts")).json()["data"]
        assert alert["quiet"] == {"start": "22:00", "end": "07:00", "timezone": "Europe/Berlin"}
        assert (alert["locations"], alert["kinds"]) == ([cafe.location], ["sync_failed"])

        at = f"{SETTINGS}/alerts/{alert['id']}"
        await one.submit(at, {**given, "offlineMinutes": "30"})
        changed = (await owner.get(f"/v1/alerts/{alert['id']}")).json()
        assert (changed["quiet"], changed["locations"], changed["offlineMinutes"]) == (None, None, 30)
        await one.submit(*undo_of(await one.open(at)))
        assert (await owner.get(f"/v1/alerts/{alert['id']}")).json()["quiet"] == alert["quiet"]
        assert (await one.submit(at, {**given, "offlineMinutes": "0"})).status_code == 422
        await one.submit(f"{at}/test")
        assert "A test mail to kim@example.com is on its way." in text_of(await one.open(at))
        await one.submit(f"{at}/remove")
        assert (await owner.get("/v1/alerts")).json()["data"] == []


async def test_without_a_mail_server_the_alerts_say_so(
    tmp_path: Path, database_url: str | None, clock: VirtualClock
) -> None:
    async with (
        running(tmp_path, clock=clock, database=database_url, mail_server=None) as service,
        person(service, Role.ADMIN) as one,
    ):
        page = text_of(await one.open(f"{SETTINGS}/alerts"))
        assert "The service has no mail server" in page
        assert "New alert" not in page


async def test_a_point_of_sale_is_connected_previewed_and_read_and_its_bad_rows_named(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    pos = f"{SETTINGS}/points-of-sale"
    async with person(service, Role.ADMIN) as one:
        await one.open(f"{pos}/new")
        given = {"name": "Till", "feed": "menu.csv", "format": "csv", "enabled": "on"}
        made = await one.submit(f"{pos}/new", given)
        at = made.headers["location"]
        [connection] = (await owner.get("/v1/pos/connections")).json()["data"]
        file = service.data / connection["file"]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(FEED, encoding="utf-8")
        assert connection["file"] in text_of(await one.open(at))

        preview = text_of(await one.submit(f"{at}/preview"))
        assert "Soup" in preview
        assert "Row 2" in preview
        asked = await one.submit(f"{at}/sync")
        waiting = await one.open(asked.headers["location"])
        assert "The feed is read now" in text_of(waiting)
        assert "every 2s" in waiting.text
        await next_sync(service, owner, f"/v1/pos/connections/{connection['id']}", None)
        done = await one.open(asked.headers["location"])
        assert "every 2s" not in done.text
        assert "Row 2" in text_of(done)
        assert "1 bad row" in text_of(await one.open(pos))

        path = f"/v1/pos/connections/{connection['id']}"
        await one.submit(at, {**given, "name": "Bar", "everyMinutes": "60", "encoding": "windows-1250"})
        changed = (await owner.get(path)).json()
        assert (changed["name"], changed["everyMinutes"], changed["encoding"]) == ("Bar", 60, "windows-1250")
        await one.submit(*undo_of(await one.open(at)))
        after = (await owner.get(path)).json()
        assert (after["name"], after["everyMinutes"], after["encoding"]) == ("Till", None, None)
        soup = next(one for one in (await owner.get("/v1/content/items")).json()["data"] if one["name"] == "Soup")
        await owner.patch(f"/v1/content/items/{soup['id']}", {"price": 1000 * soup["price"]})
        leaps = text_of(await one.submit(f"{at}/preview"))
        assert "A hundred times as much, or a hundredth Soup" in leaps
        assert (await one.submit(at, {**given, "feed": "ftp://till"})).status_code == 422
        await one.submit(f"{at}/remove")
        assert "No point of sale is connected." in text_of(await one.open(pos))


async def test_an_owner_changes_the_subscription_and_others_see_it(service: Service, owner: Caller) -> None:
    path = f"{SETTINGS}/subscription"
    async with person(service, Role.ADMIN) as one, person(service, Role.OWNER, "boss@example.com") as boss:
        assert "Change the subscription" not in text_of(await one.open(path))
        assert (await one.submit(path, {"plan": "big", "status": "active"})).status_code == 403
        await boss.open(path)
        await boss.submit(path, {"plan": "big", "status": "paused"})
        assert (await owner.get("/v1/subscription")).json()["plan"] == "big"
        await boss.submit(*undo_of(await boss.open(path)))
        assert (await owner.get("/v1/subscription")).json()["plan"] != "big"
