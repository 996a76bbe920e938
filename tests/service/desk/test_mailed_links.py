"""Links by mail: to sign in and to choose a new password; what they tell nobody, and what they cannot do."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from service.core.mail_server import MailServer
from service.core.permissions import Role
from service.schema.workspace.person import LinkRequest
from service.services.access.attempts import LINKS_BY_ADDRESS, LINKS_BY_EMAIL
from service.services.access.people import MAILED_LIFETIME, LinkPurpose
from service.services.access.sessions import Caller as SomeCaller
from service.services.alerts.mailed_links import MAX_SENDING
from service.services.alerts.rules import Mail
from service.storage.tables.base import Base
from tests.service.alerts.test_alerts import Inbox, smtp
from tests.service.desk.test_second_factor import STEP, code_of, key_in
from tests.service.support.application import NO_MAIL_SERVER, Service, VirtualClock, running
from tests.service.support.desk import PASSWORD, Person, browser, link_for, person, text_of

EMAIL = "kim@example.com"
NEW = "another password"


@asynccontextmanager
async def mailing(
    tmp_path: Path, database_url: str | None, clock: VirtualClock
) -> AsyncIterator[tuple[Service, Inbox]]:
    """A service with a mail server, and Kim, an editor with a password."""
    inbox = Inbox()
    async with (
        smtp(inbox) as server,
        running(tmp_path, clock=clock, database=database_url, mail_server=server) as service,
    ):
        async with person(service, Role.EDITOR) as one:
            await one.open("/desk/profile")
            await one.submit("/desk/profile/password", {"password": PASSWORD})
        yield service, inbox


async def ask(service: Service, one: Person, what: str = "link", email: str = EMAIL, **headers: str) -> httpx.Response:
    answer = await one.submit(f"/desk/sign-in/{what}", {"email": email}, **headers)
    await service.services.mailed_links.finish()
    return answer


def link_in(inbox: Inbox) -> str:
    [link] = re.findall(r"https://menu\.example\.com(/desk/\S+)", inbox.texts[-1])
    return str(link)


def token_in(inbox: Inbox) -> str:
    return link_in(inbox).partition("token=")[2]


@pytest.mark.long
async def test_links_are_limited_by_address_and_by_client_over_restarts(
    tmp_path: Path, database_url: str | None, clock: VirtualClock
) -> None:
    (limit, window), (by_day, _) = LINKS_BY_EMAIL
    async with mailing(tmp_path, database_url, clock) as (service, inbox):
        for number in range(limit):
            async with browser(service, f"192.0.2.{number + 20}") as one:
                assert (await ask(service, one)).status_code == 200
        assert len(inbox.mails) == limit
    async with running(tmp_path, clock=clock, database=database_url) as service:
        async with browser(service) as one:
            held_up = await ask(service, one, "password")
            assert held_up.status_code == 429
            assert "Too many attempts." in text_of(held_up)
            # A password still signs in: links are counted by themselves.
            assert (await one.sign_in(EMAIL)).status_code == 303
            for number in range(by_day - limit):
                clock.set(clock.now() + window)
                assert (await ask(service, one)).status_code == 200, number
            clock.set(clock.now() + window)
            assert (await ask(service, one)).status_code == 429
        often, _ = LINKS_BY_ADDRESS[0]
        async with browser(service, "198.51.100.9") as one:
            for number in range(often):
                assert (await ask(service, one, email=f"{number}@example.com")).status_code == 200
            assert (await ask(service, one, email="new@example.com")).status_code == 429


async def test_a_mailed_link_signs_in_once_by_its_button_within_a_quarter_of_an_hour(
    tmp_path: Path, database_url: str | None, clock: VirtualClock
) -> None:
    async with mailing(tmp_path, database_url, clock) as (service, inbox), browser(service) as one:
        assert "Send me a link" in text_of(await one.open("/desk/sign-in"))
        await ask(service, one, email="KIM@example.com", **{"Accept-Language": "de"})
        assert inbox.subjects == ["Ihr Link zum Anmelden"]
        link = link_in(inbox)
        async with browser(service) as program:
            # One that looks at the links of mails uses none up.
            assert (await program.client.get(link)).status_code == 200
        page = await one.open(link)
        assert one.session is None
        assert "Welcome back" in text_of(page)
        assert (await one.submit("/desk/mailed/sign-in", {"token": token_in(inbox)})).status_code == 303
        assert "Role: Editor" in text_of(await one.open("/desk/profile"))
        async with browser(service) as other:
            assert (await other.submit("/desk/mailed/sign-in", {"token": token_in(inbox)})).status_code == 403
            await ask(service, other)
            clock.set(clock.now() + MAILED_LIFETIME)
            assert (await other.submit("/desk/mailed/sign-in", {"token": token_in(inbox)})).status_code == 403


@pytest.mark.parametrize("what", ["link", "password"])
async def test_the_answer_is_the_same_whether_or_not_somebody_has_the_address(
    tmp_path: Path, database_url: str | None, clock: VirtualClock, what: str
) -> None:
    async with mailing(tmp_path, database_url, clock) as (service, inbox), browser(service) as one:
        inbox.refusal = "550 No such mailbox"
        emails = (EMAIL, "lee@example.com", "no address", "'; drop table people; --")
        answers = [await ask(service, one, what, email) for email in emails]
        shown = {
            (answer.status_code, re.sub(r"&#39;|'", "'", answer.text.replace(email.replace("'", "&#39;"), "")))
            for answer, email in zip(answers, emails, strict=True)
        }
        assert len(shown) == 1
        assert answers[0].status_code == 200
        limit, _ = LINKS_BY_EMAIL[0]
        for email in emails[:2]:
            tries = [(await ask(service, one, what, email)).status_code for _ in range(limit)]
            assert tries == [*[200] * (limit - 1), 429], email


async def test_a_new_password_by_mail_ends_every_session_and_the_old_password(
    tmp_path: Path, database_url: str | None, clock: VirtualClock
) -> None:
    async with (
        mailing(tmp_path, database_url, clock) as (service, inbox),
        browser(service) as one,
        browser(service) as other,
    ):
        await other.sign_in(EMAIL)
        assert "Forgot the password?" in text_of(await one.open("/desk/sign-in"))
        await ask(service, one, "password")
        assert "Wherever you are signed in, you are signed out." in text_of(await one.open(link_in(inbox)))
        token = token_in(inbox)
        short = await one.submit("/desk/mailed/password", {"token": token, "password": "short"})
        assert (short.status_code, "This is too short." in text_of(short)) == (422, True)
        assert (await other.client.get("/desk/screens")).status_code == 200
        done = await one.submit("/desk/mailed/password", {"token": token, "password": NEW})
        assert done.headers["location"] == "/desk/screens"
        assert (await one.client.get("/desk/menu")).status_code == 200
        assert (await other.client.get("/desk/screens")).status_code == 303
        assert (await other.sign_in(EMAIL)).status_code == 403
        assert (await other.sign_in(EMAIL, NEW)).status_code == 303
        again = await one.submit("/desk/mailed/password", {"token": token, "password": PASSWORD})
        assert again.status_code == 403


@pytest.mark.parametrize("what", ["link", "password"])
async def test_the_second_factor_is_asked_for_after_either(
    tmp_path: Path, database_url: str | None, clock: VirtualClock, what: str
) -> None:
    async with mailing(tmp_path, database_url, clock) as (service, inbox):
        async with person(service, Role.EDITOR) as one:
            await one.open("/desk/profile")
            await one.submit("/desk/profile/second-factor/begin")
            key = key_in(await one.open("/desk/profile/second-factor"))
            await one.submit("/desk/profile/second-factor/on", {"code": code_of(key, clock)})
            clock.set(clock.now() + timedelta(seconds=30))
        async with browser(service) as other:
            await ask(service, other, what)
            form = {"token": token_in(inbox), "password": NEW}
            path = "/desk/mailed/sign-in" if what == "link" else "/desk/mailed/password"
            assert (await other.submit(path, form)).headers["location"].startswith(STEP)
            assert other.session is None
            assert (await other.submit(STEP, {"code": code_of(key, clock)})).status_code == 303


async def test_a_link_does_what_it_was_made_for_alone_and_the_newest_alone(
    tmp_path: Path, database_url: str | None, clock: VirtualClock
) -> None:
    async with mailing(tmp_path, database_url, clock) as (service, inbox), browser(service) as one:
        await ask(service, one, "password")
        reset = token_in(inbox)
        await ask(service, one, "link")
        first = token_in(inbox)
        assert (await one.submit("/desk/mailed/sign-in", {"token": reset})).status_code == 403
        assert (await one.client.get(f"/desk/enter?token={first}")).status_code == 403
        crossed = await one.submit("/desk/mailed/password", {"token": first, "password": NEW})
        assert crossed.status_code == 403
        await ask(service, one, "link")
        assert (await one.submit("/desk/mailed/sign-in", {"token": first})).status_code == 403
        assert one.session is None
        with service.services.database.read() as session:
            stored = repr([session.execute(select(table)).all() for table in Base.metadata.sorted_tables])
        assert token_in(inbox) not in stored
        assert (await one.submit("/desk/mailed/sign-in", {"token": token_in(inbox)})).status_code == 303


@pytest.mark.parametrize(
    "path", ["/desk/sign-in/link", "/desk/sign-in/password", "/desk/mailed/sign-in", "/desk/mailed/password"]
)
async def test_no_other_site_asks_for_a_link_or_follows_one(
    tmp_path: Path, database_url: str | None, clock: VirtualClock, path: str
) -> None:
    async with mailing(tmp_path, database_url, clock) as (service, inbox), browser(service) as one:
        await ask(service, one, "password" if path.endswith("password") else "link")
        form = {"email": EMAIL, "token": token_in(inbox), "password": NEW}
        for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            assert (await one.submit(path, form, **headers)).status_code == 403
        await service.services.mailed_links.finish()
        assert len(inbox.mails) == 1
        assert one.session is None
        assert (await one.sign_in(EMAIL)).status_code == 303


async def test_without_a_mail_server_no_link_is_offered(
    tmp_path: Path, database_url: str | None, clock: VirtualClock
) -> None:
    async with (
        running(tmp_path, clock=clock, database=database_url, mail_server=None) as service,
        browser(service) as one,
    ):
        assert "Send me a link" not in text_of(await one.open("/desk/sign-in"))
        for what in ("link", "password"):
            assert (await one.client.get(f"/desk/sign-in/{what}")).headers["location"] == "/desk/sign-in"
            assert (await one.submit(f"/desk/sign-in/{what}", {"email": EMAIL})).status_code == 303


@pytest.mark.long
async def test_a_mail_server_that_does_not_answer_holds_nobody_up_and_so_many_mails_wait_at_most(
    tmp_path: Path, database_url: str | None, clock: VirtualClock
) -> None:
    silent = await asyncio.get_running_loop().create_server(asyncio.Protocol, "127.0.0.1", 0)
    server = MailServer("127.0.0.1", silent.sockets[0].getsockname()[1], NO_MAIL_SERVER.sender)
    async with silent, running(tmp_path, clock=clock, database=database_url, mail_server=server) as service:
        links = service.services.mailed_links
        for number in range(MAX_SENDING + 2):
            email, caller = f"{number}@example.com", SomeCaller(address=f"192.0.2.{number}", agent="")
            link_for(service, Role.VIEWER, email)
            body, mail = LinkRequest(email=email), lambda link: Mail("Link", link)
            await links.send(body, LinkPurpose.MAILED, caller, path="/desk", mail=mail)
        assert len(links._sending) == MAX_SENDING
        await links.close()


async def test_mails_have_ids_of_their_own(tmp_path: Path, database_url: str | None, clock: VirtualClock) -> None:
    async with mailing(tmp_path, database_url, clock) as (service, inbox), browser(service) as one:
        await ask(service, one)
        await ask(service, one, "password")
        assert len({mail["Message-ID"] for mail in inbox.mails}) == 2
