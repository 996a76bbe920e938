"""A screen that is given a playlist which was never published: it keeps what it plays until there is a version."""

from typing import Any

import pytest

from service.core.permissions import Role
from tests.service.support.application import Cafe, Caller, Device, Service, body_of, faults_in
from tests.service.support.desk import person, text_of, undo_of

SCREENS = "/v1/screens"


async def given(owner: Caller, device: Device, playlist: str | None) -> Any:
    return body_of(await owner.patch(f"{SCREENS}/{device.screen}", {"playlist": playlist}))


async def shown(device: Device) -> Any:
    manifest = body_of(await device.manifest())
    return manifest["playlist"] and manifest["playlist"]["name"]


async def brunch(owner: Caller) -> str:
    made: str = (await owner.make("/v1/playlists", {"name": "Brunch"}))["id"]
    return made


async def test_the_screen_keeps_its_menu_until_the_new_one_is_published(
    owner: Caller, device: Device, cafe: Cafe
) -> None:
    before = await shown(device)
    draft = await brunch(owner)
    answer = await given(owner, device, draft)
    assert (answer["playlist"], answer["playsMeanwhile"]) == (draft, cafe.playlist)
    assert await shown(device) == before
    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"eightySixed": True})
    [coffee] = [one for one in body_of(await device.manifest())["items"] if one["id"] == cafe.coffee]
    assert coffee["eightySixed"], "what it keeps is not sold out"

    await owner.post(f"/v1/playlists/{draft}/scenes", {"sceneId": cafe.scene, "durationSeconds": 10})
    await owner.post(f"/v1/playlists/{draft}/publish")
    assert await shown(device) == "Brunch"
    answer = body_of(await owner.get(f"{SCREENS}/{device.screen}"))
    assert (answer["playlist"], answer["playsMeanwhile"]) == (draft, None)


async def test_another_choice_meanwhile_counts(owner: Caller, device: Device, cafe: Cafe) -> None:
    before = await shown(device)
    first, second = await brunch(owner), await brunch(owner)
    await given(owner, device, first)
    answer = await given(owner, device, second)
    assert (answer["playlist"], answer["playsMeanwhile"], await shown(device)) == (second, cafe.playlist, before)
    answer = await given(owner, device, cafe.playlist)
    assert (answer["playlist"], answer["playsMeanwhile"], await shown(device)) == (cafe.playlist, None, before)
    await given(owner, device, first)
    answer = await given(owner, device, None)
    assert (answer["playlist"], answer["playsMeanwhile"], await shown(device)) == (None, None, None)


async def test_many_screens_keep_theirs(owner: Caller, device: Device, cafe: Cafe) -> None:
    before = await shown(device)
    body = {"choose": {"location": cafe.location}, "playlist": await brunch(owner)}
    answer = body_of(await owner.patch(SCREENS, body))
    assert [one["playsMeanwhile"] for one in answer["data"]] == [cafe.playlist]
    assert await shown(device) == before


async def test_neither_playlist_is_removed_meanwhile(owner: Caller, device: Device, cafe: Cafe) -> None:
    draft = await brunch(owner)
    await given(owner, device, draft)
    for playlist in (draft, cafe.playlist):
        refused = await owner.delete(f"/v1/playlists/{playlist}")
        assert (refused.status_code, refused.json()["code"]) == (409, "in_use")
    listed = body_of(await owner.get(f"{SCREENS}?playlist={draft}"))["data"]
    assert [one["id"] for one in listed] == [device.screen]


async def test_an_unknown_playlist_is_refused_as_before(owner: Caller, device: Device) -> None:
    assert "/playlist" in faults_in(await owner.patch(f"{SCREENS}/{device.screen}", {"playlist": "pl_none"}))


@pytest.mark.parametrize("page", ["playlist", "screen"])
async def test_the_desk_asks_first_and_says_what_guests_see(
    service: Service, owner: Caller, device: Device, cafe: Cafe, page: str
) -> None:
    draft = await brunch(owner)
    path = f"/desk/playlists/{draft}/screens" if page == "playlist" else f"/desk/screens/{device.screen}"
    form = {"screen": device.screen} if page == "playlist" else {"playlist": draft, "name": "Bar"}
    async with person(service, Role.ADMIN) as one:
        await one.open("/desk/screens")
        asked = text_of(await one.submit(path, form))
        assert "Brunch was never published." in asked
        assert "Guests go on seeing" in asked
        assert body_of(await owner.get(f"{SCREENS}/{device.screen}"))["playlist"] == cafe.playlist
        await one.submit(path, {**form, "sure": "1"})
        assert body_of(await owner.get(f"{SCREENS}/{device.screen}"))["playlist"] == draft
        screen = await one.open(f"/desk/screens/{device.screen}")
        assert "until Brunch is published" in text_of(screen)
        assert "until this is published" in text_of(await one.open(f"/desk/playlists/{draft}"))
        await one.submit(*undo_of(screen))
        assert body_of(await owner.get(f"{SCREENS}/{device.screen}"))["playlist"] == cafe.playlist


async def test_the_desk_names_the_clock_that_guests_would_see(service: Service, owner: Caller, device: Device) -> None:
    await given(owner, device, None)
    draft = await brunch(owner)
    async with person(service, Role.ADMIN) as one:
        await one.open("/desk/screens")
        asked = text_of(await one.submit(f"/desk/playlists/{draft}/screens", {"screen": device.screen}))
        assert "Guests see a card with a clock and an address" in asked
