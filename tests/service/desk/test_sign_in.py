"""Signing in: the first owner, passwords, links, sessions, and limits of failed attempts."""

from pathlib import Path

import pytest
from sqlalchemy import select

from service.core.permissions import Role
from service.services.access.attempts import WRONG_BY_ADDRESS, WRONG_BY_EMAIL
from service.services.access.people import LINK_LIFETIME, SET_UP_LIFETIME
from service.services.access.sessions import IDLE, LONGEST, MAX_SESSIONS
from service.storage.tables.base import Base
from service.storage.tables.people import SessionRow
from tests.service.support.application import Caller, Service, VirtualClock, running
from tests.service.support.desk import PASSWORD, Person, browser, link_for, person, set_up_link, text_of

OWNER = {"name": "Kim", "email": "Kim@example.com", "password": PASSWORD}


async def set_up(service: Service, one: Person) -> None:
    link = set_up_link(service)
    assert link is not None
    token = link.partition("token=")[2]
    assert (await one.submit("/desk/enter", {**OWNER, "token": token})).status_code == 303


async def test_the_first_owner_chooses_a_password_by_the_link_that_the_service_prints(service: Service) -> None:
    async with browser(service) as one, browser(service) as other:
        link = set_up_link(service)
        assert link is not None
        assert "You become the owner." in text_of(await one.open(link))

        short = await one.submit("/desk/enter", {**OWNER, "password": "short", "token": link.partition("token=")[2]})
        assert short.status_code == 422
        assert "This is too short." in text_of(short)
        await set_up(service, one)

        assert "Screens" in text_of(await one.open("/desk/screens"))
        assert set_up_link(service) is None
        assert (await other.open(link)).status_code == 403

        assert (await other.sign_in("kim@EXAMPLE.com")).headers["location"] == "/desk/screens"
        assert "Owner" in text_of(await other.open("/desk/profile"))


async def test_a_set_up_link_ends_after_a_day(service: Service, clock: VirtualClock) -> None:
    link = set_up_link(service)
    clock.set(clock.now() + SET_UP_LIFETIME)
    async with browser(service) as one:
        assert link is not None
        assert (await one.open(link)).status_code == 403


async def test_a_link_signs_in_once_and_for_an_hour(service: Service, clock: VirtualClock) -> None:
    first, late = link_for(service, Role.EDITOR), link_for(service, Role.EDITOR)
    async with browser(service) as one, browser(service) as other:
        assert "Role: Editor" in text_of(await one.open(first))
        assert (await other.open(first)).status_code == 403

        clock.set(clock.now() + LINK_LIFETIME)
        assert (await other.open(late)).status_code == 403


async def test_no_password_and_no_token_is_stored_in_the_clear(service: Service) -> None:
    async with browser(service) as one:
        await set_up(service, one)
        assert one.session is not None
        with service.services.database.read() as session:
            stored = repr([session.execute(select(table)).all() for table in Base.metadata.sorted_tables])
        assert PASSWORD not in stored
        assert one.session not in stored
        assert "$argon2id$" in stored


@pytest.mark.parametrize(("email", "password"), [("kim@example.com", "wrong"), ("lee@example.com", PASSWORD), ("", "")])
async def test_a_wrong_password_and_an_unknown_person_are_told_the_same(
    service: Service, email: str, password: str
) -> None:
    async with browser(service) as one, browser(service) as other:
        await set_up(service, one)
        refused = await other.sign_in(email or "x", password or "x")
        assert refused.status_code == 403
        assert "The e-mail address or the password is not right." in text_of(refused)
        assert other.session is None


async def test_signing_in_replaces_a_session_that_somebody_else_has_planted(service: Service) -> None:
    async with browser(service) as one, person(service, Role.VIEWER, "mallory@example.com") as mallory:
        await set_up(service, one)
        assert mallory.session is not None
        victim = one
        victim.client.cookies.set("__Host-desk", mallory.session, domain="service.test")
        await victim.sign_in("kim@example.com")
        assert victim.client.cookies.get("__Host-desk", domain="service.test") not in (None, mallory.session)


async def test_the_cookie_is_for_this_host_by_https_and_hidden_from_scripts(service: Service) -> None:
    async with browser(service) as one:
        response = await one.client.get(link_for(service, Role.OWNER))
        cookie = response.headers["set-cookie"].lower()
        assert cookie.startswith("__host-desk=")
        assert all(part in cookie for part in ("httponly", "secure", "samesite=lax", "path=/"))
        assert "domain" not in cookie


@pytest.mark.long
async def test_a_session_ends_after_twelve_idle_hours_and_after_thirty_days(
    service: Service, clock: VirtualClock
) -> None:
    async with person(service, Role.OWNER) as one:
        begun = clock.now()
        while clock.now() < begun + LONGEST - IDLE:
            clock.set(clock.now() + IDLE * 0.9)
            assert (await one.client.get("/desk/menu")).status_code == 200
        clock.set(begun + LONGEST)
        assert (await one.client.get("/desk/screens")).headers["location"].startswith("/desk/sign-in")
    async with person(service, Role.OWNER) as one:
        clock.set(clock.now() + IDLE)
        assert (await one.client.get("/desk/screens")).status_code == 303
        service.services.sessions.prune()
        with service.services.database.read() as session:
            assert session.scalars(select(SessionRow)).all() == []


async def test_sessions_are_listed_and_ended_and_sign_out_ends_one(service: Service) -> None:
    async with person(service, Role.OWNER) as one, person(service, Role.OWNER) as other:
        [ours, theirs] = service.services.sessions.list(service.services.sessions.of(one.session or ""))  # type: ignore[arg-type]
        assert (ours.current, theirs.current) != (True, True)
        there = next(each.id for each in (ours, theirs) if not each.current)
        await one.open("/desk/profile")
        assert (await one.submit(f"/desk/profile/sessions/{there}/end")).status_code == 303
        assert "The session has ended." in text_of(await one.open("/desk/profile"))
        assert (await other.client.get("/desk/screens")).status_code == 303

        await one.submit("/desk/sign-out")
        assert (await one.client.get("/desk/screens")).status_code == 303


@pytest.mark.long
async def test_a_person_has_so_many_sessions_at_most(service: Service) -> None:
    async with person(service, Role.OWNER) as first:
        for _ in range(MAX_SESSIONS):
            async with browser(service) as one:
                await one.open(link_for(service, Role.OWNER))
        assert (await first.client.get("/desk/screens")).status_code == 303


async def test_a_session_ends_with_its_member_and_follows_its_role(service: Service, owner: Caller) -> None:
    async with person(service, Role.EDITOR) as one:
        [member] = (await owner.get("/v1/team/members")).json()["data"]
        await owner.patch(f"/v1/team/members/{member['id']}", {"role": "Viewer"})
        assert "Role: Viewer" in text_of(await one.open("/desk/profile"))
        await owner.delete(f"/v1/team/members/{member['id']}")
        assert (await one.client.get("/desk/screens")).status_code == 303


async def test_a_new_password_ends_the_other_sessions(service: Service) -> None:
    async with browser(service) as one, browser(service) as other:
        await set_up(service, one)
        await other.sign_in("kim@example.com")
        await one.open("/desk/profile")
        wrong = await one.submit("/desk/profile/password", {"current": "wrong", "password": "another password"})
        assert wrong.status_code == 422
        right = await one.submit("/desk/profile/password", {"current": PASSWORD, "password": "another password"})
        assert right.status_code == 303
        assert (await one.client.get("/desk/menu")).status_code == 200
        assert (await other.client.get("/desk/screens")).status_code == 303
        assert (await other.sign_in("kim@example.com")).status_code == 403
        assert (await other.sign_in("kim@example.com", "another password")).status_code == 303


async def test_attempts_are_limited_per_address_of_the_person_over_restarts(
    tmp_path: Path, database_url: str | None, clock: VirtualClock
) -> None:
    limit, window = WRONG_BY_EMAIL[0]
    async with running(tmp_path, clock=clock, database=database_url) as service, browser(service) as one:
        await set_up(service, one)
        for number in range(limit):
            async with browser(service, f"192.0.2.{number + 20}") as guesser:
                assert (await guesser.sign_in("kim@example.com", "guess")).status_code == 403
    async with running(tmp_path, clock=clock, database=database_url) as service, browser(service) as one:
        held_up = await one.sign_in("KIM@example.com")
        assert held_up.status_code == 429
        assert "Too many attempts." in text_of(held_up)
        clock.set(clock.now() + window)
        assert (await one.sign_in("kim@example.com")).status_code == 303


@pytest.mark.long
async def test_attempts_are_limited_per_network_address(service: Service) -> None:
    limit, _ = WRONG_BY_ADDRESS[0]
    async with browser(service) as one, browser(service, "198.51.100.9") as guesser:
        await set_up(service, one)
        for number in range(limit - 1):
            await guesser.sign_in(f"{number}@example.com", "guess")
        assert (await guesser.open("/desk/enter?token=ml_guess")).status_code == 403
        assert (await guesser.sign_in("kim@example.com")).status_code == 429
        assert (await one.sign_in("kim@example.com")).status_code == 303


async def test_right_passwords_are_not_counted(service: Service) -> None:
    limit, _ = WRONG_BY_EMAIL[0]
    async with browser(service) as one:
        await set_up(service, one)
        for _ in range(limit + 1):
            assert (await one.sign_in("kim@example.com")).status_code == 303


@pytest.mark.parametrize(
    ("to", "where"),
    [
        ("/desk/menu?search=tea", "/desk/menu?search=tea"),
        ("https://evil.example/desk/", "/desk/screens"),
        ("//evil.example", "/desk/screens"),
        ("/desk/\\evil", "/desk/screens"),
    ],
)
async def test_after_signing_in_a_person_is_where_they_wanted_to_be(service: Service, to: str, where: str) -> None:
    async with browser(service) as one:
        await set_up(service, one)
        assert (await one.sign_in("kim@example.com", to=to)).headers["location"] == where
