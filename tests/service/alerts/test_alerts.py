"""Alerts by e-mail, from the API to a mail server on loopback."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.smtp import SMTP, Envelope, Session

from service.app.application import MAIL_SECONDS
from service.core.mail_server import MailServer
from service.core.permissions import Role
from service.services.alerts.mails import GIVEN_UP_AFTER, MAX_QUEUED
from service.services.alerts.rules import GATHER
from service.services.alerts.watch import LOOK_SECONDS, MAX_ALERTS
from tests.service.support.application import (
    NO_MAIL_SERVER,
    Cafe,
    Caller,
    Device,
    Service,
    VirtualClock,
    body_of,
    faults_in,
    running,
    until,
)
from tests.service.support.feeds import sync_now
from tests.service.support.opened_cafe import OpenedCafe

ALERTS = "/v1/alerts"
EVERYTHING = ["screen_offline", "board_fault", "sync_failed", "approval_requested", "webhook_disabled"]
KIM = {"email": "kim@example.com", "kinds": EVERYTHING}


class Inbox:
    """Accepts mails, or answers with `refusal`."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.refusal = ""

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:
        if self.refusal:
            return self.refusal
        assert isinstance(envelope.content, bytes)
        message = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        self.mails.append(message)
        return "250 Message accepted"

    @property
    def texts(self) -> list[str]:
        return [mail.get_content().replace("\r\n", "\n") for mail in self.mails]

    @property
    def subjects(self) -> list[str]:
        return [mail["Subject"] for mail in self.mails]


@asynccontextmanager
async def smtp(inbox: Inbox) -> AsyncIterator[MailServer]:
    server = await asyncio.get_running_loop().create_server(lambda: SMTP(inbox), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield MailServer(host="127.0.0.1", port=port, sender=NO_MAIL_SERVER.sender)


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
async def service(
    tmp_path: Path, clock: VirtualClock, database_url: str | None, inbox: Inbox, opened: OpenedCafe | None
) -> AsyncIterator[Service]:
    async with (
        smtp(inbox) as server,
        running(tmp_path / "data", clock=clock, database=database_url, mail_server=server) as started,
    ):
        yield started


async def look(service: Service, clock: VirtualClock, *, after: timedelta = timedelta()) -> None:
    """Pass time, then look as the leader does."""
    clock.set(clock.now() + after)
    service.services.presence.flush()
    service.services.presence.sweep(leading_since=-timedelta(days=1))
    service.services.alert_watch.look(clock.now())


async def arrived(service: Service, inbox: Inbox, number: int) -> list[str]:
    """The subjects, once so many mails have arrived."""
    await service.pass_seconds(MAIL_SECONDS)
    await until(lambda: len(inbox.mails) >= number and not service.services.mails.due(service.clock.now()))
    return inbox.subjects


async def test_a_screen_that_goes_offline_is_told_and_so_is_its_return(
    service: Service, owner: Caller, device: Device, clock: VirtualClock, inbox: Inbox
) -> None:
    made = await owner.make(ALERTS, KIM | {"offlineMinutes": 5})
    await device.heartbeat()
    await look(service, clock, after=timedelta(minutes=4))
    assert await arrived(service, inbox, 0) == []
    await look(service, clock, after=timedelta(minutes=1) + GATHER)
    assert await arrived(service, inbox, 1) == ["Bar is offline"]
    [mail] = inbox.mails
    assert (mail["To"], mail["From"]) == ("kim@example.com", NO_MAIL_SERVER.sender)
    assert mail["Auto-Submitted"] == "auto-generated"
    assert inbox.texts[0] == "Bar (Corner Café) is offline.\n"
    assert body_of(await owner.get(f"{ALERTS}/{made['id']}"))["mailedAt"] is not None

    await look(service, clock, after=timedelta(hours=5))
    await device.heartbeat()
    await look(service, clock)
    assert await arrived(service, inbox, 2) == ["Bar is offline", "Bar is online again"]


async def test_the_first_finding_of_a_board_is_told_if_it_is_a_fault(
    service: Service, owner: Caller, device: Device, clock: VirtualClock, inbox: Inbox
) -> None:
    await owner.make(ALERTS, KIM)
    black = {
        "code": "black",
        "severity": "fault",
        "what": "The screen is black.",
        "do": "Press its button.",
        "who": "here",
    }
    for _ in range(5):
        await device.heartbeat(findings=[black])
        await look(service, clock, after=timedelta(minutes=1))
    assert await arrived(service, inbox, 1) == ["Bar has a fault"]
    assert inbox.texts[0] == "Bar (Corner Café) says: The screen is black. Press its button.\n"


async def test_failed_syncs_approvals_and_dead_webhooks_are_told(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock, inbox: Inbox
) -> None:
    await owner.make(ALERTS, KIM)
    connection = (await owner.make("/v1/pos/connections", {"name": "Till", "feed": "no.csv", "format": "csv"}))["id"]
    await sync_now(service, owner, f"/v1/pos/connections/{connection}")
    await service.caller(Role.EDITOR).post(f"/v1/playlists/{cafe.playlist}/publish")
    await look(service, clock)
    await look(service, clock, after=GATHER)
    assert await arrived(service, inbox, 1) == ["2 things need a look"]
    assert inbox.texts[0].splitlines()[1] == "Somebody asks to publish the playlist All day."


async def test_a_mail_that_is_refused_is_told_and_tried_again(
    service: Service, owner: Caller, clock: VirtualClock, inbox: Inbox
) -> None:
    alert = f"{ALERTS}/{(await owner.make(ALERTS, KIM))['id']}"
    inbox.refusal = "451 Greylisted, come back later"
    assert (await owner.post(f"{alert}/test")).status_code == 202
    await service.pass_seconds(MAIL_SECONDS)
    failure = ""
    while not failure:
        await service.pass_seconds(1)
        failure = body_of(await owner.get(alert))["failure"] or ""
    assert failure == "Greylisted, come back later"
    inbox.refusal = ""
    await service.pass_seconds(75)
    assert await arrived(service, inbox, 1) == ["This is a test of the alerts of your menu boards"]
    assert body_of(await owner.get(alert))["failure"] is None


async def test_a_mail_has_an_id_that_nobody_guesses_and_that_is_the_same_in_each_try(
    service: Service, owner: Caller, clock: VirtualClock, inbox: Inbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    alert = f"{ALERTS}/{(await owner.make(ALERTS, KIM))['id']}"
    with monkeypatch.context() as forgetful:
        # The service has ended before it noted that the mail was accepted.
        forgetful.setattr(service.services.mails, "sent", lambda number, failure: None)
        await owner.post(f"{alert}/test")
        while len(inbox.mails) < 2:
            await service.pass_seconds(MAIL_SECONDS)
    await owner.post(f"{alert}/test")
    while len({mail["Message-ID"] for mail in inbox.mails}) < 2:
        await service.pass_seconds(MAIL_SECONDS)
    ids = [mail["Message-ID"] for mail in inbox.mails]
    assert ids[0] == ids[1]
    assert all(re.fullmatch(r"<[0-9a-f]{64}@[^@<>]+>", one) for one in ids)


async def test_a_mail_that_nobody_accepts_for_a_day_is_given_up(
    tmp_path: Path, clock: VirtualClock, database_url: str | None
) -> None:
    async with running(tmp_path / "data", clock=clock, database=database_url) as service:
        owner = service.caller(Role.OWNER)
        await owner.post(f"{ALERTS}/{(await owner.make(ALERTS, KIM))['id']}/test")
        [mail] = service.services.mails.due(clock.now())
        clock.set(clock.now() + GIVEN_UP_AFTER)
        service.services.mails.sent(mail.number, "no route")
        assert service.services.mails.due(clock.now() + timedelta(days=9)) == []


async def test_of_many_mails_that_wait_the_oldest_are_dropped(
    tmp_path: Path, clock: VirtualClock, database_url: str | None
) -> None:
    async with running(tmp_path / "data", clock=clock, database=database_url) as service:
        owner = service.caller(Role.OWNER)
        alert = (await owner.make(ALERTS, KIM))["id"]
        for _ in range(MAX_QUEUED + 5):
            await owner.post(f"{ALERTS}/{alert}/test")
        waiting = service.services.mails.due(clock.now())
        assert [mail.number for mail in waiting] == list(range(6, MAX_QUEUED + 6))


async def test_without_a_mail_server_there_are_no_alerts(
    tmp_path: Path, clock: VirtualClock, database_url: str | None
) -> None:
    async with running(tmp_path / "data", clock=clock, database=database_url, mail_server=None) as service:
        answer = await service.caller(Role.OWNER).post(ALERTS, KIM)
        assert (answer.status_code, answer.json()["code"]) == (409, "no_mail_server")
        assert "--smtp" in answer.json()["detail"]


async def test_only_the_locations_of_an_alert_are_told_and_only_in_their_hours(
    service: Service, owner: Caller, device: Device, cafe: Cafe, clock: VirtualClock, inbox: Inbox
) -> None:
    city = {"name": "Elsewhere", "timezone": "UTC", "currency": "EUR", "locale": "de"}
    elsewhere = (await owner.make("/v1/locations", city))["id"]
    alert = f"{ALERTS}/{(await owner.make(ALERTS, KIM | {'locations': [elsewhere]}))['id']}"
    await device.heartbeat()
    await look(service, clock, after=timedelta(hours=1))
    await look(service, clock, after=GATHER)
    assert await arrived(service, inbox, 0) == []
    await owner.patch(f"/v1/locations/{cafe.location}", {"openingHours": [{"start": "06:00", "end": "08:00"}]})
    await owner.patch(alert, {"locations": None})
    await look(service, clock, after=timedelta(hours=1))
    assert await arrived(service, inbox, 0) == [], "the location is closed"
    await owner.patch(f"/v1/locations/{cafe.location}", {"openingHours": []})
    await look(service, clock)
    assert await arrived(service, inbox, 1) == ["Bar is offline"]


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"email": "kim"}, "/email"),
        ({"email": "kim@example.com\r\nBcc: all@example.com"}, "/email"),
        ({"kinds": []}, "/kinds"),
        ({"kinds": ["rain"]}, "/kinds/0"),
        ({"offlineMinutes": 1}, "/offlineMinutes"),
        ({"offlineMinutes": 1441}, "/offlineMinutes"),
        ({"quiet": {"start": "25:00", "end": "07:00", "timezone": "UTC"}}, "/quiet/start"),
        ({"quiet": {"start": "22:00", "end": "07:00", "timezone": "Mars/Olympus"}}, "/quiet/timezone"),
        ({"locations": ["loc_9"]}, "/locations/0"),
    ],
)
async def test_what_is_no_alert_is_refused(owner: Caller, body: dict[str, Any], pointer: str) -> None:
    answer = await owner.post(ALERTS, KIM | body)
    assert answer.status_code == 422, answer.text
    assert list(faults_in(answer)) == [pointer]
    assert body_of(await owner.get(ALERTS))["data"] == []


async def test_a_workspace_has_so_many_alerts(owner: Caller) -> None:
    for _ in range(MAX_ALERTS):
        await owner.make(ALERTS, KIM)
    answer = await owner.post(ALERTS, KIM)
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_alerts")


async def test_an_alert_is_changed_and_removed(owner: Caller) -> None:
    quiet = {"start": "22:00", "end": "07:00", "timezone": "Europe/Berlin"}
    alert = f"{ALERTS}/{(await owner.make(ALERTS, KIM | {'quiet': quiet}))['id']}"
    changed = await owner.patch(alert, {"kinds": ["sync_failed"], "offlineMinutes": 30})
    assert (changed.json()["kinds"], changed.json()["quiet"]) == (["sync_failed"], quiet)
    assert (await owner.patch(alert, {"quiet": None})).json()["quiet"] is None
    assert (await owner.delete(alert)).status_code == 204
    assert (await owner.get(alert)).status_code == 404


@pytest.mark.long
async def test_the_leader_looks_by_itself(
    service: Service, owner: Caller, device: Device, clock: VirtualClock, inbox: Inbox
) -> None:
    await owner.make(ALERTS, KIM | {"offlineMinutes": 2})
    await device.heartbeat()
    await service.pass_seconds(130 + int(GATHER.total_seconds()) + 2 * LOOK_SECONDS)
    assert await arrived(service, inbox, 1) == ["Bar is offline"]
