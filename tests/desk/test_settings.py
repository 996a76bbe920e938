"""The settings in a browser: an invited person joins by the copied link, on a phone."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pyotp
import pytest
from playwright.sync_api import Browser, expect

from tests.desk.conftest import PHONE, link_for, pages
from tests.support.axe import violations
from tests.support.programs import Service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = Service(tmp_path_factory.mktemp("service"))
    started.start()
    yield started
    started.kill()


@pytest.mark.long
def test_a_location_is_opened_on_sundays_and_a_person_invited_by_a_copied_link(
    chromium: Browser, service: Service
) -> None:
    with pages(chromium, service) as open_page:
        page = open_page("/desk/settings/locations", size=PHONE)
        page.get_by_role("link", name="New location").click()
        page.get_by_label("Name", exact=True).fill("Pier")
        hours = page.get_by_role("group", name="Hours 1")
        for day in ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat"):
            hours.get_by_text(day).click()
        hours.get_by_label("from").fill("10:00")
        hours.get_by_label("to").fill("16:00")
        page.get_by_role("button", name="Make the location").click()
        expect(page.get_by_text("Pier is made.")).to_be_visible()
        expect(page.get_by_text("Sun 10:00–16:00")).to_be_visible()

        page.get_by_role("link", name="Team").click()
        page.get_by_role("link", name="Invite a person").click()
        page.get_by_label("E-mail address").fill("lee@example.com")
        page.get_by_label("Role").select_option("Editor")
        page.get_by_role("button", name="Invite").click()
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.get_by_role("button", name="Copy").click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        link = page.evaluate("navigator.clipboard.readText()")

        lee = open_page("/desk/sign-in", size=PHONE, signed_in=False)
        lee.goto(link)
        lee.get_by_label("Your name").fill("Lee")
        lee.get_by_label("Password").fill("a password of Lee")
        lee.get_by_role("button", name="Join").click()
        expect(lee.get_by_role("heading", name="Screens")).to_be_visible()
        lee.goto(f"{service.address}/desk/settings")
        expect(lee.get_by_role("link", name="Team")).to_have_count(0)


@pytest.mark.long
def test_a_person_sets_up_a_second_factor_on_a_phone_and_signs_in_with_it(chromium: Browser, service: Service) -> None:
    with pages(chromium, service) as open_page:
        page = open_page("/desk/sign-in", size=PHONE, signed_in=False)
        page.goto(link_for(service, "Editor", "sam@example.com"))
        page.goto(f"{service.address}/desk/profile")
        page.get_by_label("New password").fill("a password of Sam")
        page.get_by_role("button", name="Change the password").click()
        page.get_by_role("button", name="Set it up").click()
        key = page.get_by_label("Key", exact=True).input_value().replace(" ", "")
        codes = pyotp.TOTP(key)
        page.get_by_label("Code of the app").fill(codes.at(time.time()))
        page.get_by_role("button", name="Turn on").click()
        expect(page.locator(".recovery-codes li")).to_have_count(10)
        assert violations(page) == []
        recovery = page.locator(".recovery-codes li").first.inner_text()
        page.get_by_role("link", name="I have kept them").click()
        page.get_by_role("button", name="Sign out").last.click()

        page.get_by_label("E-mail address").fill("sam@example.com")
        page.get_by_label("Password").fill("a password of Sam")
        page.get_by_role("button", name="Sign in", exact=True).click()
        expect(page).to_have_url(re.compile("/desk/sign-in/code"))
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_text("Use a recovery code").click()
        page.get_by_label("Recovery code").fill(recovery)
        page.get_by_role("button", name="Sign in", exact=True).last.click()
        expect(page.get_by_role("heading", name="Screens")).to_be_visible()
