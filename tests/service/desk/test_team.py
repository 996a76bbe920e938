"""The team and the keys at the desk: inviting by a link and by e-mail, joining, roles, sessions, keys shown once."""

import re
from pathlib import Path

import pytest

from service.core.permissions import Role
from service.services.access.team import INVITE_LIFETIME
from tests.service.alerts.test_alerts import Inbox, smtp
from tests.service.support.application import Cafe, Caller, Service, VirtualClock, running
from tests.service.support.desk import PASSWORD, Person, browser, link_for, person, text_of, undo_of

TEAM = "/desk/settings/team"
LEE = {"email": "lee@example.com", "role": "Editor"}


async def invite(one: Person, **more: str) -> str:
    """The path of the link that the page shows."""
    await one.open(f"{TEAM}/invite")
    shown = await one.submit(f"{TEAM}/invite", {**LEE, **more})
    assert "lee@example.com is invited" in text_of(shown)
    [link] = re.findall(r'value="https://menu\.example\.com(/desk/join\?token=[^"]*)"', shown.text)
    return str(link)


async def join(one: Person, link: str, password: str = PASSWORD) -> int:
    token = link.partition("token=")[2]
    answer = await one.submit("/desk/join", {"token": token, "name": "Lee", "password": password})
    return answer.status_code


async def test_an_invited_person_chooses_a_password_by_the_link_and_signs_in_with_it(service: Service) -> None:
    async with person(service, Role.ADMIN) as one, browser(service) as lee, browser(service) as late:
        link = await invite(one)
        assert "lee@example.com" in text_of(await one.open(TEAM))
        assert "Role: Editor" in text_of(await lee.open(link))
        assert await join(lee, link, "short") == 422
        assert await join(lee, link) == 303
        assert "Role: Editor" in text_of(await lee.open("/desk/profile"))
        assert (await late.open(link)).status_code == 410
        assert (await late.sign_in("lee@example.com")).status_code == 303
        assert "Lee" in text_of(await one.open(TEAM))
        # The member has no key that nobody has seen.
        assert "Lee" not in text_of(await one.open("/desk/settings/keys"))


async def test_an_invitation_is_withdrawn_or_ends_by_itself(service: Service, clock: VirtualClock) -> None:
    async with person(service, Role.ADMIN) as one, browser(service) as lee:
        link = await invite(one)
        page = await one.open(TEAM)
        [path] = re.findall(r'action="([^"]*/withdraw)"', page.text)
        await one.submit(path)
        assert "The invitation is withdrawn." in text_of(await one.open(TEAM))
        assert "This invitation was taken back." in text_of(await lee.open(link))
        link = await invite(one)
        clock.set(clock.now() + INVITE_LIFETIME)
        assert await join(lee, link) == 410


async def test_the_link_goes_by_e_mail_where_there_is_a_mail_server_and_is_shown_if_that_refuses(
    tmp_path: Path, database_url: str | None, clock: VirtualClock
) -> None:
    inbox = Inbox()
    async with (
        smtp(inbox) as server,
        running(tmp_path, clock=clock, database=database_url, mail_server=server) as service,
        person(service, Role.ADMIN) as one,
    ):
        link = await invite(one, mail="on")
        [mail] = inbox.mails
        assert mail["To"] == "lee@example.com"
        assert link in inbox.texts[0]
        inbox.refusal = "550 No such mailbox"
        await one.open(f"{TEAM}/invite")
        shown = await one.submit(f"{TEAM}/invite", {**LEE, "mail": "on"})
        assert "Not sent" in text_of(shown)
        assert "No such mailbox" in text_of(shown)
        assert "/desk/join?token=" in shown.text


async def test_without_a_mail_server_no_mail_is_offered_and_none_sent(
    tmp_path: Path, database_url: str | None, clock: VirtualClock
) -> None:
    async with (
        running(tmp_path, clock=clock, database=database_url, mail_server=None) as service,
        person(service, Role.ADMIN) as one,
    ):
        assert "by e-mail" not in text_of(await one.open(f"{TEAM}/invite"))
        owner = service.caller(Role.OWNER)
        refused = await one.submit(f"{TEAM}/invite", {**LEE, "mail": "on"})
        assert "The service has no mail server." in text_of(refused)
        assert (await owner.get("/v1/team/invites")).json()["data"] == []


async def test_who_has_a_password_joins_another_workspace_only_with_it(service: Service) -> None:
    stranger = service.stranger()
    async with person(service, Role.ADMIN) as one, browser(service) as lee, browser(service) as mallory:
        assert await join(lee, await invite(one)) == 303
        invited = (await stranger.make("/v1/team/invites", {"email": "Lee@example.com", "role": "Owner"}))["deskLink"]
        assert await join(mallory, invited, "a password of mallory") == 403
        assert (await mallory.sign_in("lee@example.com", "a password of mallory")).status_code == 403
        assert await join(lee, invited) == 303


async def test_who_is_a_member_elsewhere_without_a_password_gets_none_from_an_inviter(service: Service) -> None:
    stranger = service.stranger()
    link_for(service, Role.OWNER, "lee@example.com")
    async with browser(service) as mallory:
        invited = (await stranger.make("/v1/team/invites", {"email": "lee@example.com", "role": "Owner"}))["deskLink"]
        assert await join(mallory, invited) == 409
        assert mallory.session is None


async def test_a_member_gets_another_role_is_signed_out_and_removed(service: Service, owner: Caller) -> None:
    async with person(service, Role.ADMIN) as one, browser(service) as lee:
        await join(lee, await invite(one))
        members = (await owner.get("/v1/team/members")).json()["data"]
        [member] = [each["id"] for each in members if each["name"] == "Lee"]
        at = f"{TEAM}/{member}"
        assert "Unknown browser" not in text_of(await one.open(at))
        assert "192.0.2.7" in text_of(await one.open(at))
        await one.submit(at, {"role": "Publisher"})
        assert "Role: Publisher" in text_of(await lee.open("/desk/profile"))
        await one.submit(*undo_of(await one.open(at)))
        assert "Role: Editor" in text_of(await lee.open("/desk/profile"))

        assert len((await owner.get(f"/v1/team/members/{member}/sessions")).json()["data"]) == 1
        await one.submit(f"{at}/sign-out")
        assert "Lee is signed out everywhere." in text_of(await one.open(at))
        assert (await lee.client.get("/desk/screens")).status_code == 303
        await one.submit(f"{at}/remove")
        assert (await owner.get(f"/v1/team/members/{member}")).status_code == 404


async def test_nobody_touches_a_higher_role_or_themselves(service: Service, owner: Caller) -> None:
    async with person(service, Role.ADMIN) as one, person(service, Role.OWNER, "boss@example.com") as boss:
        ids = {each["email"]: each["id"] for each in (await owner.get("/v1/team/members")).json()["data"]}
        for email in ("boss@example.com", "kim@example.com"):
            page = await one.open(f"{TEAM}/{ids[email]}")
            assert not re.findall(r'action="/desk/settings/team[^"]*"', page.text)
        assert (await one.submit(f"{TEAM}/{ids['boss@example.com']}/sign-out")).status_code == 403
        assert (await boss.client.get("/desk/menu")).status_code == 200
        assert "Owner –" not in text_of(await one.open(f"{TEAM}/invite"))
        assert (await one.submit(f"{TEAM}/invite", {**LEE, "role": "Owner"})).status_code == 403


@pytest.mark.parametrize("narrow", [False, True])
async def test_a_key_is_shown_once_and_revoked(service: Service, cafe: Cafe, narrow: bool) -> None:
    keys = "/desk/settings/keys"
    async with person(service, Role.ADMIN) as one:
        await one.open(f"{keys}/new")
        given = {"name": "Till", "role": "Editor", **({f"locations:{cafe.location}": "on"} if narrow else {})}
        shown = await one.submit(f"{keys}/new", given)
        assert shown.headers["cache-control"] == "no-store"
        [secret] = re.findall(r'value="(mk_[^"]*)"', shown.text)
        till = Caller(service.client, secret)
        assert (await till.get("/v1/locations")).status_code == 200
        listed = await one.open(keys)
        assert secret not in listed.text
        assert ("Corner Café" if narrow else "All locations") in text_of(listed).partition("Till")[2]
        [revoke] = re.findall(r'action="([^"]*/revoke)"', listed.text)[-1:]
        await one.submit(revoke)
        assert "The key Till is revoked." in text_of(await one.open(keys))
        assert (await till.get("/v1/locations")).status_code == 401


async def test_a_key_needs_a_name_and_no_higher_role(service: Service) -> None:
    async with person(service, Role.ADMIN) as one:
        await one.open("/desk/settings/keys/new")
        assert (await one.submit("/desk/settings/keys/new", {"name": "", "role": "Editor"})).status_code == 422
        assert (await one.submit("/desk/settings/keys/new", {"name": "Till", "role": "Owner"})).status_code == 403
