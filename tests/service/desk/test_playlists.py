"""Playlists at the desk: order, durations, hours, publishing, approvals, versions, screens, and what shows in place."""

import re
from datetime import UTC, datetime

from service.core.permissions import Role
from tests.service.support.application import Cafe, Caller, Device, Service
from tests.service.support.desk import Person, buttons, person, text_of

PLAYLISTS = "/desk/playlists"


def tag_of(page: str) -> str:
    found = re.search(r'name="tag" value="([^"]*)"', page)
    return "" if found is None else found[1]


async def publish(one: Person, playlist: str) -> str:
    page = await one.open(f"{PLAYLISTS}/{playlist}")
    done = await one.submit(f"{PLAYLISTS}/{playlist}/publish", {"tag": tag_of(page.text)})
    assert done.status_code == 303, text_of(done)
    return str(done.headers["location"])


async def second_scene(owner: Caller) -> str:
    return str((await owner.make("/v1/scenes", {"name": "Lunch"}))["id"])


async def entries(owner: Caller, playlist: str) -> list[tuple[str, int]]:
    scenes = (await owner.get(f"/v1/playlists/{playlist}")).json()["scenes"]
    return [(one["sceneId"], one["durationSeconds"]) for one in scenes]


async def test_the_list_says_what_is_live_and_what_is_not(service: Service, owner: Caller, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        made = await one.open(PLAYLISTS)
        assert "All day Version 1 is live" in text_of(made)
        assert "Changes that are not live" not in text_of(made)
        await owner.patch(f"/v1/scenes/{cafe.scene}", {"name": "Other"})
        assert "Changes that are not live" in text_of(await one.open(PLAYLISTS))
        await one.submit(PLAYLISTS, {"name": "Evening"})
        assert "Evening Not live yet" in text_of(await one.open(PLAYLISTS))


async def test_entries_are_added_ordered_timed_and_taken_out_each_with_undo(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    lunch, path = await second_scene(owner), f"{PLAYLISTS}/{cafe.playlist}"
    async with person(service, Role.EDITOR) as one:
        await one.open(path)
        added = text_of(await one.act(f"{path}/entries", {"scene": lunch, "seconds": "60"}))
        assert "1:15 in all" in added
        assert "Lunch is in the playlist. Undo" in added
        first, last = [one["id"] for one in (await owner.get(f"/v1/playlists/{cafe.playlist}")).json()["scenes"]]
        moved = await one.act(f"{path}/order", {"entry": last, "to": "up"})
        assert f'name="order" value="{first},{last}"' in moved.text
        assert await entries(owner, cafe.playlist) == [(lunch, 60), (cafe.scene, 15)]
        await one.act(f"{path}/order", {"order": f"{first},{last}"})
        assert await entries(owner, cafe.playlist) == [(cafe.scene, 15), (lunch, 60)]
        assert "It shows for 20 seconds." in text_of(
            await one.act(f"{path}/entries/{first}/seconds", {"seconds": "20"})
        )
        wrong = await one.act(f"{path}/entries/{first}/seconds", {"seconds": "0"})
        assert "too large or too small" in text_of(wrong)
        out = await one.act(f"{path}/entries/{first}/remove")
        undo = dict(re.findall(r'name="(at|scene|seconds)" value="([^"]*)"', out.text[out.text.index('id="said"') :]))
        await one.act(f"{path}/entries", undo)
        assert await entries(owner, cafe.playlist) == [(cafe.scene, 20), (lunch, 60)]


async def test_an_entry_has_hours_of_its_own(service: Service, owner: Caller, cafe: Cafe) -> None:
    entry = (await owner.get(f"/v1/playlists/{cafe.playlist}")).json()["scenes"][0]["id"]
    path = f"{PLAYLISTS}/{cafe.playlist}/entries/{entry}/hours"
    hours = {
        "type": "daypart",
        "start": "06:00",
        "end": "11:00",
        "days.sat": "1",
        "days.sun": "1",
        "except": "2026-12-25",
    }
    async with person(service, Role.EDITOR) as one:
        await one.open(PLAYLISTS)
        shown = text_of(await one.act(path, hours))
        assert "Here: Sat, Sun, 06:00 to 11:00, not on 12/25/26" in shown
        assert "At all hours" in text_of(await one.act(path))


async def test_a_publisher_publishes_what_they_saw_and_restores(service: Service, owner: Caller, cafe: Cafe) -> None:
    path = f"{PLAYLISTS}/{cafe.playlist}"
    async with person(service, Role.PUBLISHER) as one:
        seen = tag_of((await one.open(path)).text)
        lunch = await second_scene(owner)
        await one.act(f"{path}/entries", {"scene": lunch, "seconds": "10"})
        refused = await one.submit(f"{path}/publish", {"tag": seen or "x"})
        assert "Somebody has changed this meanwhile." in text_of(refused)
        await publish(one, cafe.playlist)
        shown = text_of(await one.open(path))
        assert "Version 2 is live. Screens go to it at the end of their loop. Undo" in shown
        assert "Lunch is new." in shown
        old = await one.open(f"{path}/versions/1")
        assert f"{path}/versions/1/restore" in buttons(old)
        await one.submit(f"{path}/versions/1/restore")
        assert "Version 3 is live: it is as version 1 was." in text_of(await one.open(path))
    assert (await owner.get(f"/v1/playlists/{cafe.playlist}/versions/3")).json()["restores"] == 1


async def test_an_editor_asks_and_a_publisher_decides_by_pictures_of_both_sides(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    await owner.patch(f"/v1/scenes/{cafe.scene}", {"background": {"color": "#222222"}})
    async with person(service, Role.EDITOR) as one, person(service, Role.PUBLISHER, "boss@example.com") as boss:
        asked = await publish(one, cafe.playlist)
        seen = await one.open(asked)
        assert "Menu looks different." in text_of(seen)
        assert not {path for path in buttons(seen) if path.endswith(("/approve", "/reject"))}
        page = await boss.open(asked)
        pictures = re.findall(r'<img src="([^"]*)"', page.text)
        assert pictures == [
            f"{PLAYLISTS}/{cafe.playlist}/versions/1/scenes/{cafe.scene}/picture",
            f"{asked}/scenes/{cafe.scene}/picture",
        ]
        await boss.submit(f"{asked}/reject", {"reason": "Too dark"})
        assert "Too dark" in text_of(await one.open(asked))
        assert "Somebody has decided this already." in text_of(await boss.submit(f"{asked}/approve"))
        again = await publish(one, cafe.playlist)
        assert "Waits for approval" in text_of(await boss.open(PLAYLISTS))
        await boss.submit(f"{again}/approve")
        assert "Version 2 is live." in text_of(await boss.open(f"{PLAYLISTS}/{cafe.playlist}"))


async def test_screens_that_play_it_are_listed_and_another_gets_it(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    other = (await owner.make("/v1/playlists", {"name": "Evening"}))["id"]
    await owner.post(f"/v1/playlists/{other}/scenes", {"sceneId": cafe.scene, "durationSeconds": 10})
    await owner.post(f"/v1/playlists/{other}/publish")
    async with person(service, Role.PUBLISHER) as one:
        assert device.screen in (await one.open(f"{PLAYLISTS}/{cafe.playlist}")).text
        await one.open(f"{PLAYLISTS}/{other}")
        await one.submit(f"{PLAYLISTS}/{other}/screens", {"screen": device.screen})
        page = await one.open(f"{PLAYLISTS}/{other}")
        assert "plays this. Undo" in text_of(page)
        await one.submit(f"{PLAYLISTS}/{other}/screens", {"screen": device.screen, "playlist": cafe.playlist})
    assert (await owner.get(f"/v1/screens/{device.screen}")).json()["playlist"] == cafe.playlist


async def test_a_playlist_is_renamed_and_one_that_screens_play_is_not_removed(
    service: Service, cafe: Cafe, device: Device
) -> None:
    path = f"{PLAYLISTS}/{cafe.playlist}"
    async with person(service, Role.EDITOR) as one:
        await one.open(path)
        await one.submit(f"{path}/name", {"name": "Breakfast"})
        assert "It is called Breakfast. Undo" in text_of(await one.open(path))
        assert "This is in use." in text_of(await one.submit(f"{path}/remove"))


async def test_a_board_is_shown_now_until_a_local_time_and_withdrawn(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    form = {"show": f"scene:{cafe.scene}", "where": f"location:{cafe.location}", "until": "2026-11-20T18:00"}
    async with person(service, Role.PUBLISHER) as one, person(service, Role.VIEWER, "eve@example.com") as eve:
        await one.open("/desk/overrides")
        wrong = await one.submit("/desk/overrides", form | {"until": "2026-11-20T08:00", "reason": "Oven"})
        assert "This time has passed." in text_of(wrong)
        assert 'value="Oven"' in wrong.text
        await one.submit("/desk/overrides", form | {"reason": "Oven is broken"})
        made = (await owner.get("/v1/overrides")).json()["data"][0]
        assert datetime.fromisoformat(made["until"]) == datetime(2026, 11, 20, 17, tzinfo=UTC)  # Berlin, in winter
        shown = await eve.open("/desk/overrides")
        assert "Menu Corner Café · until" in text_of(shown)
        assert "Shown now" in text_of(shown)
        assert not {path for path in buttons(shown) if "overrides" in path}
        await one.submit(f"/desk/overrides/{made['id']}/withdraw")
        assert "Menu is withdrawn." in text_of(await one.open("/desk/overrides"))
    assert (await owner.get("/v1/overrides")).json()["data"] == []
