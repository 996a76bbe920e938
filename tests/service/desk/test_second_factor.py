"""The second factor: setting it up, signing in with it, losing it, and what guessing and replaying come to."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import httpx
import pyotp
import pytest
from sqlalchemy import select

from service.core.permissions import Role
from service.schema.workspace.person import NewMember
from service.services.access.attempts import WRONG_BY_EMAIL, check_sign_ins, count_wrong
from service.services.access.entries import MAX_PENDING, PENDING_LIFETIME
from service.services.access.second_factors import RECOVERY_CODES, STEP_SECONDS
from service.services.access.sessions import Caller as SomeCaller
from service.services.access.workspaces import default_workspace
from service.storage.tables.base import Base
from service.storage.tables.people import PendingSignInRow
from tests.service.support.application import Caller, Service, VirtualClock, running
from tests.service.support.desk import PASSWORD, Person, browser, link_for, person, text_of, undo_of

FACTOR = "/desk/profile/second-factor"
STEP = "/desk/sign-in/code"
EMAIL = "kim@example.com"


def code_of(key: str, clock: VirtualClock, steps: int = 0) -> str:
    return pyotp.TOTP(key).at(int(clock.now().timestamp()) + steps * STEP_SECONDS)


def key_in(page: httpx.Response) -> str:
    [key] = re.findall(r'id="key"[^>]*>([A-Z2-7 ]+)<', page.text)
    return str(key).replace(" ", "")


def codes_in(page: httpx.Response) -> list[str]:
    return re.findall(r"<code>([^<]*)</code>", page.text)


async def turn_on(one: Person, clock: VirtualClock) -> tuple[str, list[str]]:
    """The key and the recovery codes of a person who is signed in; they have a password as well."""
    await one.open("/desk/profile")
    await one.submit("/desk/profile/password", {"password": PASSWORD})
    assert (await one.submit(f"{FACTOR}/begin")).headers["location"] == FACTOR
    key = key_in(await one.open(FACTOR))
    shown = await one.submit(f"{FACTOR}/on", {"code": code_of(key, clock)})
    assert shown.status_code == 200, text_of(shown)
    clock.set(clock.now() + timedelta(seconds=STEP_SECONDS))
    return key, codes_in(shown)


@asynccontextmanager
async def asked(service: Service, address: str = "192.0.2.7") -> AsyncIterator[Person]:
    """A browser that has shown the password of Kim, and is asked for the code."""
    async with browser(service, address) as one:
        answer = await one.sign_in(EMAIL)
        assert answer.headers["location"].startswith(STEP), text_of(answer)
        yield one


async def enter(one: Person, code: str, to: str = "") -> httpx.Response:
    return await one.submit(STEP, {"code": code, "next": to})


@pytest.mark.long
async def test_wrong_codes_are_limited_over_restarts_and_from_anywhere(
    tmp_path: Path, database_url: str | None, clock: VirtualClock
) -> None:
    limit, window = WRONG_BY_EMAIL[0]
    async with running(tmp_path, clock=clock, database=database_url) as service:
        async with person(service, Role.EDITOR) as one:
            key, codes = await turn_on(one, clock)
        for number in range(limit):
            async with asked(service, f"192.0.2.{number + 20}") as guesser:
                assert (await enter(guesser, "000000")).status_code == 403
    async with running(tmp_path, clock=clock, database=database_url) as service, asked(service) as one:
        held_up = await enter(one, code_of(key, clock))
        assert held_up.status_code == 429
        assert "Too many attempts." in text_of(held_up)
        assert (await enter(one, codes[0])).status_code == 429
        assert one.session is None
        clock.set(clock.now() + window)
    async with running(tmp_path, clock=clock, database=database_url) as service, asked(service) as one:
        assert (await enter(one, code_of(key, clock))).status_code == 303


async def test_a_person_turns_it_on_by_a_code_and_is_asked_for_one_at_each_sign_in(
    service: Service, clock: VirtualClock
) -> None:
    async with person(service, Role.EDITOR) as one:
        key, codes = await turn_on(one, clock)
        assert len(set(codes)) == RECOVERY_CODES
        profile = await one.open("/desk/profile")
        assert "10 recovery codes left" in text_of(profile)
        assert not set(codes) & set(re.findall(r"[\w-]{19}", profile.text))
        async with asked(service) as other:
            # One of two is none.
            assert other.session is None
            assert (await other.client.get("/desk/screens")).headers["location"].startswith("/desk/sign-in")
            assert "The code" not in text_of(await other.open(STEP))
            done = await enter(other, code_of(key, clock), "/desk/menu?search=tea")
            assert done.headers["location"] == "/desk/menu?search=tea"
            assert "Role: Editor" in text_of(await other.open("/desk/profile"))
            # It is used up.
            assert other.client.cookies.get("__Host-desk-step") is None


async def test_the_qr_code_has_the_key(service: Service, clock: VirtualClock) -> None:
    async with person(service, Role.VIEWER) as one:
        await one.open("/desk/profile")
        await one.submit(f"{FACTOR}/begin")
        page = await one.open(FACTOR)
        offer = service.services.factors.offer(service.services.sessions.of(one.session or "").person)  # type: ignore[union-attr]
        assert offer is not None
        assert offer.uri == f"otpauth://totp/Menu%20Player:kim%40example.com?secret={offer.key}&issuer=Menu%20Player"
        assert offer.key == key_in(page)
        assert "<svg" in page.text.partition('class="factor-qr"')[2]
        # Its size would tell of the key.
        assert "content-encoding" not in page.headers
        # Until a code was shown nobody is asked for one.
        async with browser(service) as other:
            assert "Role: Viewer" in text_of(await other.open(link_for(service, Role.VIEWER)))


async def test_a_code_is_accepted_once_a_step_early_or_late_and_no_older_one_after_it(
    service: Service, clock: VirtualClock
) -> None:
    async with person(service, Role.EDITOR) as one:
        key, _ = await turn_on(one, clock)
    for steps, accepted in ((-1, False), (2, False), (-2, False), (0, True), (0, False), (1, True), (0, False)):
        # The code of one step ago is the one that turned it on.
        async with asked(service) as other:
            answer = await enter(other, code_of(key, clock, steps))
            assert answer.status_code == (303 if accepted else 403), steps
            assert (other.session is not None) == accepted
    clock.set(clock.now() + timedelta(seconds=3 * STEP_SECONDS))
    async with asked(service) as other:
        assert (await enter(other, code_of(key, clock, -1))).status_code == 303


async def test_a_recovery_code_signs_in_once(service: Service, clock: VirtualClock) -> None:
    async with person(service, Role.EDITOR) as one:
        _, codes = await turn_on(one, clock)
    async with asked(service) as other:
        assert (await enter(other, codes[3].upper().replace("-", " "))).status_code == 303
        assert "9 recovery codes left" in text_of(await other.open(FACTOR))
    async with asked(service) as other:
        refused = await enter(other, codes[3])
        assert refused.status_code == 403
        assert "This code is not right." in text_of(refused)
        assert (await enter(other, codes[4])).status_code == 303


async def test_new_recovery_codes_take_the_place_of_the_old_ones(service: Service, clock: VirtualClock) -> None:
    async with person(service, Role.EDITOR) as one:
        key, old = await turn_on(one, clock)
        wrong = await one.submit(f"{FACTOR}/codes", {"renewal": "000000"})
        assert "This code is not right." in text_of(wrong)
        assert "10 recovery codes left" in text_of(wrong)
        shown = await one.submit(f"{FACTOR}/codes", {"renewal": code_of(key, clock)})
        new = codes_in(shown)
        assert len(set(new)) == RECOVERY_CODES
        assert not set(new) & set(old)
        assert "10 recovery codes left" in text_of(await one.open("/desk/profile"))
    async with asked(service) as other:
        assert (await enter(other, old[0])).status_code == 403
        assert (await enter(other, new[0])).status_code == 303


async def test_a_recovery_code_gets_new_ones_too(service: Service, clock: VirtualClock) -> None:
    async with person(service, Role.EDITOR) as one:
        _, codes = await turn_on(one, clock)
        shown = await one.submit(f"{FACTOR}/codes", {"renewal": codes[0]})
        assert len(codes_in(shown)) == RECOVERY_CODES


async def test_who_has_no_second_factor_gets_no_codes(service: Service) -> None:
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/profile")
        assert (await one.submit(f"{FACTOR}/codes", {"renewal": "000000"})).headers["location"] == "/desk/profile"


async def test_neither_key_nor_codes_are_stored_in_the_clear(service: Service, clock: VirtualClock) -> None:
    async with person(service, Role.EDITOR) as one, browser(service) as other:
        key, codes = await turn_on(one, clock)
        await other.sign_in(EMAIL)
        pending = other.client.cookies.get("__Host-desk-step")
        with service.services.database.read() as session:
            stored = repr([session.execute(select(table)).all() for table in Base.metadata.sorted_tables])
        for secret in (key, pending, *codes, *(one.replace("-", "") for one in codes)):
            assert secret is not None
            assert secret not in stored


async def test_more_than_so_many_wrong_passwords_a_day_hold_signing_in_up(
    service: Service, clock: VirtualClock
) -> None:
    (often, window), (limit, day) = WRONG_BY_EMAIL
    async with person(service, Role.EDITOR) as one:
        await one.open("/desk/profile")
        await one.submit("/desk/profile/password", {"password": PASSWORD})
    async with browser(service) as one:
        guesser = SomeCaller(address="198.51.100.9", agent="")
        for number in range(1, limit):
            if number % often == 0:
                clock.set(clock.now() + window)
            with service.services.database.write() as unit:
                check_sign_ins(unit, EMAIL, guesser)
                count_wrong(unit, EMAIL, guesser)
        clock.set(clock.now() + window)
        assert (await one.sign_in(EMAIL, "guess")).status_code == 403
        assert (await one.sign_in(EMAIL)).status_code == 429
        clock.set(clock.now() + day)
        assert (await one.sign_in(EMAIL)).status_code == 303


async def test_a_pending_sign_in_ends_after_ten_minutes_and_opens_nothing(
    service: Service, clock: VirtualClock
) -> None:
    async with person(service, Role.OWNER) as one:
        key, _ = await turn_on(one, clock)
    async with asked(service) as other:
        pending = other.client.cookies.get("__Host-desk-step")
        # It is no session, whichever cookie it comes in.
        other.client.cookies.set("__Host-desk", pending or "", domain="service.test")
        assert (await other.client.get("/desk/menu")).status_code == 303
        clock.set(clock.now() + PENDING_LIFETIME)
        assert (await enter(other, code_of(key, clock))).headers["location"] == "/desk/sign-in"
        assert other.client.cookies.get("__Host-desk") == pending
        for _ in range(MAX_PENDING + 1):
            await other.sign_in(EMAIL)
        with service.services.database.read() as session:
            assert len(session.scalars(select(PendingSignInRow)).all()) == MAX_PENDING


async def test_the_second_step_gives_a_session_that_nobody_has_planted(service: Service, clock: VirtualClock) -> None:
    async with person(service, Role.OWNER) as one, person(service, Role.VIEWER, "mallory@example.com") as mallory:
        key, _ = await turn_on(one, clock)
        async with asked(service) as victim:
            victim.client.cookies.set("__Host-desk", mallory.session or "", domain="service.test")
            step = victim.client.cookies.get("__Host-desk-step")
            done = await enter(victim, code_of(key, clock))
            [cookie] = [each for each in done.headers.get_list("set-cookie") if each.startswith("__Host-desk=")]
            token = cookie.partition("=")[2].partition(";")[0]
            assert token not in (mallory.session, step)
            assert all(part in cookie.lower() for part in ("httponly", "secure", "samesite=lax", "path=/"))


@pytest.mark.first_case
@pytest.mark.parametrize("path", [f"{FACTOR}/begin", f"{FACTOR}/on", f"{FACTOR}/off", "/desk/settings/team/sign-in"])
async def test_no_other_site_and_no_stale_page_changes_how_somebody_signs_in(
    service: Service, clock: VirtualClock, path: str
) -> None:
    async with person(service, Role.OWNER) as one:
        key, _ = await turn_on(one, clock)
        form = {"password": PASSWORD, "code": code_of(key, clock), "required": "true"}
        assert (await one.submit(path, form, Origin="https://evil.example")).status_code == 403
        assert (await one.submit(path, {**form, "csrf": "x"})).status_code == 403
        assert "10 recovery codes left" in text_of(await one.open("/desk/profile"))
    async with asked(service) as other:
        crossed = await other.submit(STEP, {"code": code_of(key, clock)}, Origin="https://evil.example")
        assert crossed.status_code == 403
        assert (await enter(other, code_of(key, clock))).status_code == 303


async def test_it_is_turned_off_by_password_and_code_together(service: Service, clock: VirtualClock) -> None:
    async with person(service, Role.EDITOR) as one:
        key, codes = await turn_on(one, clock)
        await one.open(FACTOR)
        for password, code, said in (
            ("wrong", code_of(key, clock), "This is not the password until now."),
            (PASSWORD, "000000", "This code is not right."),
            (PASSWORD, "", "This is too short."),
        ):
            refused = await one.submit(f"{FACTOR}/off", {"password": password, "code": code})
            assert refused.status_code == 422
            assert said in text_of(refused)
        assert (await one.submit(f"{FACTOR}/begin")).status_code == 409
        await one.submit(f"{FACTOR}/off", {"password": PASSWORD, "code": codes[0]})
        assert "The second factor is turned off." in text_of(await one.open("/desk/profile"))
    async with browser(service) as other:
        assert (await other.sign_in(EMAIL)).headers["location"] == "/desk/screens"


async def test_an_owner_requires_it_and_who_has_none_sets_it_up_at_the_next_sign_in(
    service: Service, clock: VirtualClock, owner: Caller
) -> None:
    async with person(service, Role.OWNER, "boss@example.com") as boss, person(service, Role.EDITOR) as one:
        await one.open("/desk/profile")
        await one.submit("/desk/profile/password", {"password": PASSWORD})
        await boss.open("/desk/settings/team")
        await boss.submit("/desk/settings/team/sign-in", {"required": "true"})
        page = await boss.open("/desk/settings/team")
        assert "Who has no second factor sets one up at the next sign-in." in text_of(page)
        assert (await owner.get("/v1/team/sign-in")).json() == {"secondFactorRequired": True}
        # Who is signed in goes on until then.
        assert (await one.client.get("/desk/menu")).status_code == 200
        async with asked(service) as other:
            offered = await other.open(STEP)
            assert "Set up a second factor" in text_of(offered)
            key = key_in(offered)
            assert (await enter(other, "000000")).status_code == 403
            shown = await enter(other, code_of(key, clock), "/desk/menu")
            assert len(codes_in(shown)) == RECOVERY_CODES
            assert 'href="/desk/menu"' in shown.text
            assert (await other.client.get("/desk/menu")).status_code == 200
        await boss.submit(*undo_of(page))
        assert (await owner.get("/v1/team/sign-in")).json() == {"secondFactorRequired": False}


async def test_links_and_invitations_lead_to_it_as_well(service: Service, owner: Caller, clock: VirtualClock) -> None:
    await owner.patch("/v1/team/sign-in", {"secondFactorRequired": True})
    invite = await owner.make("/v1/team/invites", {"email": "lee@example.com", "role": "Editor"})
    async with browser(service) as one, browser(service) as lee:
        assert "Set up a second factor" in text_of(await one.open(link_for(service, Role.EDITOR)))
        assert one.session is None
        given = {"name": "Lee", "password": PASSWORD, "token": invite["token"]}
        assert (await lee.submit("/desk/join", given)).headers["location"].startswith(STEP)
        await enter(lee, code_of(key_in(await lee.open(STEP)), clock))
        assert "Role: Editor" in text_of(await lee.open("/desk/profile"))


async def test_only_an_owner_decides_and_resets_a_lost_one(
    service: Service, owner: Caller, clock: VirtualClock
) -> None:
    admin = service.caller(Role.ADMIN)
    async with person(service, Role.EDITOR) as one, person(service, Role.OWNER, "boss@example.com") as boss:
        await turn_on(one, clock)
        ids = {each["email"]: each["id"] for each in (await owner.get("/v1/team/members")).json()["data"]}
        factors = {each["email"]: each["secondFactor"] for each in (await admin.get("/v1/team/members")).json()["data"]}
        assert factors == {EMAIL: True, "boss@example.com": False}
        at = f"/v1/team/members/{ids[EMAIL]}/second-factor"
        assert (await admin.delete(at)).status_code == 403
        assert (await admin.patch("/v1/team/sign-in", {"secondFactorRequired": True})).status_code == 403
        page = f"/desk/settings/team/{ids[EMAIL]}"
        async with person(service, Role.ADMIN, "admin@example.com") as other:
            assert "second-factor" not in (await other.open(page)).text
            assert "Require a second factor" not in text_of(await other.open("/desk/settings/team"))
        assert "Their second factor is lost" in text_of(await boss.open(page))
        await boss.submit(f"{page}/second-factor/reset")
        assert "Kim signs in without a second factor now." in text_of(await boss.open(page))
        async with browser(service) as again:
            assert (await again.sign_in(EMAIL)).headers["location"] == "/desk/screens"
        assert (await owner.delete(at)).status_code == 204


async def test_the_owner_of_another_workspace_does_not_reset_it(service: Service, clock: VirtualClock) -> None:
    stranger = service.stranger()
    async with person(service, Role.EDITOR) as one, browser(service) as other:
        await turn_on(one, clock)
        invite = await stranger.make("/v1/team/invites", {"email": EMAIL, "role": "Editor"})
        joined = await other.submit("/desk/join", {"name": "Kim", "password": PASSWORD, "token": invite["token"]})
        assert joined.headers["location"].startswith(STEP)
        [member] = (await stranger.get("/v1/team/members")).json()["data"]
        refused = await stranger.delete(f"/v1/team/members/{member['id']}/second-factor")
        assert (refused.status_code, refused.json()["code"]) == (409, "member_elsewhere")


async def test_a_link_of_the_command_line_asks_for_the_code_unless_it_is_lost(
    service: Service, clock: VirtualClock
) -> None:
    async with person(service, Role.OWNER) as one:
        await turn_on(one, clock)
    async with browser(service) as other:
        assert "Enter the code" in text_of(await other.open(link_for(service, Role.OWNER)))
    with service.services.database.write() as unit:
        workspace = default_workspace(unit, service.services.keys._new_id)
    body = NewMember(name="Kim", email=EMAIL, role=Role.OWNER)
    token = service.services.people.sign_in_token(workspace, body, without_second_factor=True)
    async with browser(service) as other:
        assert "Role: Owner" in text_of(await other.open(f"/desk/enter?token={token}"))
        assert "Set it up" in text_of(await other.open("/desk/profile"))


async def test_a_key_sealed_with_another_key_file_is_refused_and_a_recovery_code_still_works(
    tmp_path: Path, database_url: str | None, clock: VirtualClock
) -> None:
    async with running(tmp_path, clock=clock, database=database_url) as service, person(service, Role.OWNER) as one:
        key, codes = await turn_on(one, clock)
    (tmp_path / "secrets.key").unlink()
    async with running(tmp_path, clock=clock, database=database_url) as service, asked(service) as one:
        assert (await enter(one, code_of(key, clock))).status_code == 403
        assert (await enter(one, codes[0])).status_code == 303
