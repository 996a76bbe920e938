"""Rollouts at the desk: how far each is and why it fails, who may act on it, and a screen's own update."""

from typing import Any

import pytest

from service.core.permissions import Role
from service.desk.screens.rollouts import why_back
from service.desk.words import Phrase, as_it_is
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, pair
from tests.service.support.desk import buttons, person, text_of, undo_of

PATH = "/desk/rollouts"
FORM = {"version": "0.2.0", "tags": "", "percent": "100", "stopAtPercent": "5"}


async def roll_out(owner: Caller, version: str = "0.2.0", **more: Any) -> str:
    return str((await owner.make("/v1/rollouts", {"version": version, **more}))["id"])


async def test_a_rollout_is_started_held_widened_and_removed(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    await device.heartbeat()
    async with person(service, Role.PUBLISHER) as one:
        page = text_of(await one.open(PATH))
        assert "There is no rollout: each screen takes the newest version of its repository by itself." in page
        assert "0.1.0 · 1 screen" in page
        await one.open(f"{PATH}/new")
        bad = await one.submit(PATH, FORM | {"version": "new"})
        assert bad.status_code == 422
        assert "A version begins with a digit, such as 0.2.0." in text_of(bad)
        answer = await one.submit(PATH, FORM | {"percent": "0"})
        shown = await one.open(answer.headers["location"])
        assert "0.2.0 goes to 0 of 1 screen." in text_of(shown)
        at = answer.headers["location"]

        answer = await one.submit(f"{at}/reach", {"percent": "100", "stopAtPercent": "10"})
        shown = await one.open(answer.headers["location"])
        assert "0.2.0 goes to 1 of 1 screen." in text_of(shown)
        assert (await device.heartbeat()).json()["wantedVersion"] == "0.2.0"
        action, fields = undo_of(shown)
        assert (action, fields) == (f"{at}/reach", {"percent": "0", "stopAtPercent": "5"})

        answer = await one.submit(f"{at}/hold")
        shown = await one.open(answer.headers["location"])
        assert "The rollout of 0.2.0 is held." in text_of(shown)
        assert "Held back 1" in text_of(shown)
        assert (await device.heartbeat()).json()["wantedVersion"] == "0.1.0"
        action, fields = undo_of(shown)
        answer = await one.submit(action, fields)
        assert "The rollout of 0.2.0 goes on." in text_of(await one.open(answer.headers["location"]))
        assert (await device.heartbeat()).json()["wantedVersion"] == "0.2.0"

        answer = await one.submit(f"{at}/remove")
        assert "The rollout of 0.2.0 is removed." in text_of(await one.open(answer.headers["location"]))
        assert (await one.open(at)).status_code == 404


async def test_the_page_says_which_screens_failed_and_why_first(
    service: Service, owner: Caller, cafe: Cafe, device: Device, clock: VirtualClock
) -> None:
    done = await pair(service, owner, cafe, device_id="2" * 32)
    failed = await pair(service, owner, cafe, device_id="3" * 32)
    await owner.patch(f"/v1/screens/{failed.screen}", {"name": "Bar <b>"})
    at = f"{PATH}/{await roll_out(owner)}"
    await device.heartbeat()
    await done.heartbeat(appVersion="0.2.0")
    await failed.heartbeat(takenBack={"version": "0.2.0", "why": "the board does not start"})
    async with person(service, Role.VIEWER) as one:
        shown = text_of(await one.open(at))
        assert "1 of 3 have it · 1 took it back" in shown
        assert "Under way, with failures" in shown
        assert "Bar <b> " in shown
        assert "The board did not start with it." in shown
        assert "Installs it in its update window" in text_of(await one.open(f"{at}?state=waiting"))
        assert f'href="/desk/screens/{done.screen}"' in (await one.open(f"{at}?state=running")).text
        service.services.rollouts.stop_failing(clock.monotonic())
        assert "Has stopped by itself" in text_of(await one.open(f"{at}/state"))
        listed = text_of(await one.open(PATH))
        assert "0.2.0 All screens · 100 %" in listed
        assert "1 of 3 have it · 1 took it back" in listed
        screen = text_of(await one.open(f"/desk/screens/{failed.screen}"))
        assert "It took 0.2.0 back. The board did not start with it. See the rollout" in screen


async def test_a_screen_says_which_version_it_waits_for(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    await device.heartbeat()
    async with person(service, Role.VIEWER) as one:
        at = f"/desk/screens/{device.screen}"
        assert "Update" not in text_of(await one.open(at))
        await roll_out(owner, "0.2.0", percent=0)
        assert "Stays with what it runs: 0.2.0 has not chosen it" in text_of(await one.open(at))
        rollout = await roll_out(owner, "0.3.0")
        page = await one.open(at)
        assert "0.3.0 waits for its update window" in text_of(page)
        assert f'href="{PATH}/{rollout}"' in page.text
        await device.heartbeat(appVersion="0.3.0", sequence=2)
        assert "Update" not in text_of(await one.open(at))


@pytest.mark.parametrize("role", [Role.VIEWER, Role.EDITOR])
async def test_who_may_not_manage_screens_sees_no_act_on_rollouts(
    service: Service, owner: Caller, cafe: Cafe, role: Role
) -> None:
    rollout = await roll_out(owner)
    async with person(service, role) as one:
        listed, page = await one.open(PATH), await one.open(f"{PATH}/{rollout}")
        for shown in (listed, page):
            assert {to for to in buttons(shown) if to.startswith(PATH)} == set()
            assert f"{PATH}/new" not in shown.text
        assert (await one.open(f"{PATH}/new")).status_code == 403
        for act in ("hold", "go-on", "reach", "remove"):
            assert (await one.submit(f"{PATH}/{rollout}/{act}")).status_code == 403
        assert (await one.submit(PATH, FORM)).status_code == 403


def test_a_reason_is_told_by_its_code_and_by_the_sentence_of_an_older_update_guard() -> None:
    lost = Phrase("The board had lost its pairing with it.")
    assert why_back("pairing_lost", "another sentence") == why_back(None, "the board has lost its pairing") == lost
    assert why_back("of_a_newer_guard", "it says why") == why_back(None, "it says why") == as_it_is("it says why")
    assert why_back(None, None) is None
