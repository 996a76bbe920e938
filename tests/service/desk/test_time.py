"""Pages of time at the desk: the scrubber, the week and playing through, on virtual time, from 20 November 2026."""

import re
from datetime import datetime, timedelta
from html import unescape
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from menu.documents.manifest_reader import read_manifest
from player.domain.playing.playback import play
from service.core.clock import instant_text
from service.core.permissions import Role
from tests.service.publishing.test_previews import stand_in
from tests.service.support.application import START, Cafe, Caller, Device, Service
from tests.service.support.desk import person, text_of

BERLIN = ZoneInfo("Europe/Berlin")
LUNCH = {"type": "daypart", "start": "11:00", "end": "15:00", "except": ["2026-11-22"]}
CHRISTMAS = {"type": "window", "startsAt": "2026-12-24T00:00", "endsAt": "2026-12-27T00:00", "priority": 10}


@pytest.fixture
def database_url() -> None:
    """SQLite only: manifests of both engines are compared elsewhere."""


@pytest.fixture
async def year(owner: Caller, cafe: Cafe, device: Device) -> Cafe:
    """A playlist with a scene for lunch and one for Christmas."""
    for name, schedule in (("Lunch", LUNCH), ("Christmas", CHRISTMAS)):
        text = {"id": "t", "type": "text", "x": 0, "y": 0, "width": 900, "height": 200, "text": name}
        scene = await owner.make("/v1/scenes", {"name": name, "widgets": [text]})
        await owner.make(f"/v1/scenes/{scene['id']}/schedules", {"timezone": "location", **schedule})
        await owner.make(f"/v1/playlists/{cafe.playlist}/scenes", {"sceneId": scene["id"], "durationSeconds": 20})
    await owner.post(f"/v1/playlists/{cafe.playlist}/publish")
    return cafe


def whys(page: str) -> list[str]:
    """The boards that do not show, each with its reason."""
    items = re.findall(r"<li>(<b>.*?)</li>", page[page.index('class="whys"') :], re.DOTALL)
    return [unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", one))).strip() for one in items]


@pytest.mark.long
async def test_the_scrubber_says_what_shows_until_when_and_why_the_others_do_not(
    service: Service, owner: Caller, year: Cafe, device: Device
) -> None:
    path = f"/desk/screens/{device.screen}/moment"
    async with person(service, Role.VIEWER) as one:
        morning = await one.open(f"{path}?date=2026-11-21&time=09:30")
        assert "Menu Shows then; its playlist is version 2" in text_of(morning)
        assert "Until 11:00" in text_of(morning)
        lunch, christmas = whys(morning.text)
        assert lunch == "Lunch Its hours begin 11:00 Every day, 11:00 to 15:00, not on 11/22/26 Go there"
        assert christmas.startswith("Christmas Its hours begin Thu, Dec 24, 00:00 24 Dec 2026, 00:00 to 27 Dec 2026")
        assert "picture?at=2026-11-21T08:30:00.000Z" in morning.text
        feast = text_of(await one.open(f"{path}?date=2026-12-25&time=12:00"))
        assert "Menu Christmas shows in its place; back Sun, Dec 27, 00:00" in feast
        noon = text_of(await one.open(f"{path}?date=2026-11-21&time=11:00"))
        assert "These boards take turns until 15:00" in noon
        assert re.search(r"Takes turns: again at 11:00:\d\d", noon)
        following = re.search(r'href="([^"]*)" rel="next"', morning.text)
        assert following is not None
        assert "11:00" in text_of(await one.open(unescape(following[1])))
        german = await one.open(f"{path}?date=2026-11-21&time=09:30", **{"Accept-Language": "de"})
        assert "Lunch Beginnt" in text_of(german) or "11:00" in text_of(german)


@pytest.mark.long
async def test_the_scrubber_is_the_players_timeline(
    service: Service, owner: Caller, year: Cafe, device: Device
) -> None:
    manifest = read_manifest((await device.manifest()).content)
    assert manifest.version is not None
    playback = play(manifest.version, location=manifest.location, catalogue=manifest.catalogue, missing={})
    async with person(service, Role.VIEWER) as one:
        for hours in (0, 23, 47, 24 * 33 + 5, 24 * 35):
            at = START + timedelta(hours=hours)
            due = playback.due_at(at, schedules_trusted=True)
            assert due.entry is not None
            local = at.astimezone(BERLIN)
            page = await one.open(f"/desk/screens/{device.screen}/moment?date={local:%Y-%m-%d}&time={local:%H:%M}")
            shows = re.search(r'class="shows"><b><bdi>([^<]*)', page.text)
            assert shows is not None
            assert shows[1] == playback.version.scenes[due.entry.scene_id].name, at
            assert {why.split()[0] for why in whys(page.text)} == {other.scene_name for other in due.others}


@pytest.mark.long
async def test_times_that_never_were_or_came_twice_are_told(service: Service, year: Cafe, device: Device) -> None:
    path = f"/desk/screens/{device.screen}/moment"
    async with person(service, Role.VIEWER) as one:
        spring = text_of(await one.open(f"{path}?date=2027-03-28&time=02:30"))
        assert "skip 02:30: this is the time after." in spring
        assert "Sun, March 28, 2027, 03:30" in spring
        autumn = await one.open(f"{path}?date=2027-10-31&time=02:30")
        assert "This is the first time. The second" in text_of(autumn)
        assert "at=2027-10-31T00:30:00.000Z" in autumn.text
        second = await one.open(f"{path}?date=2027-10-31&time=02:30&second=1")
        assert "This is the second time. The first" in text_of(second)
        assert "at=2027-10-31T01:30:00.000Z" in second.text
        for query, said in (
            ("date=2031-01-01&time=08:00", "400 days before and after now"),
            ("date=never&time=08:00", "This must be a date"),
            ("date=2026-11-21&time=25:61", "This must be a time"),
            ("date=0001-01-01&time=00:00", "This must be a date"),
            ("date=9999-12-31&time=23:59", "This must be a date"),
        ):
            refused = await one.open(f"{path}?{query}")
            assert (refused.status_code, said in text_of(refused)) == (422, True), query
            assert "Fri, November 20, 2026, 13:00" in text_of(refused)


async def test_the_past_is_what_the_screen_has_reported_or_nothing(
    service: Service, owner: Caller, year: Cafe, device: Device
) -> None:
    path = f"/desk/screens/{device.screen}/moment"
    async with person(service, Role.VIEWER) as one:
        past = await one.open(f"{path}?date=2026-11-19&time=12:00")
        assert "It has reported nothing of this time, or not yet." in text_of(past)
        assert "/moment/picture" not in past.text
        assert "The reasons are by what is published now." in text_of(past)


@pytest.mark.long
async def test_a_panel_that_is_off_by_the_hours_is_told(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    hours = [{"start": "08:00", "end": "18:00", "timezone": "location"}]
    changed = await owner.patch(f"/v1/locations/{cafe.location}", {"openingHours": hours})
    assert changed.status_code == 200, changed.text
    path = f"/desk/screens/{device.screen}/moment?date=2026-11-21&time="
    async with person(service, Role.VIEWER) as one:
        assert "panel is off" not in text_of(await one.open(path + "03:00"))
        await owner.patch(f"/v1/screens/{device.screen}", {"display": {"power": "hours"}})
        assert "panel is off" in text_of(await one.open(path + "03:00"))
        assert "panel is off" not in text_of(await one.open(path + "09:00"))


@pytest.mark.long
async def test_a_picture_is_of_the_board_that_shows_then(
    service: Service, year: Cafe, device: Device, tmp_path: Any
) -> None:
    stand_in(service, tmp_path, "open(out, 'wb').write(open('scene.json', 'rb').read())")
    path = f"/desk/screens/{device.screen}/moment/picture"
    async with person(service, Role.VIEWER) as one:
        drawn = await one.open(f"{path}?at={instant_text(datetime(2026, 12, 25, 12, tzinfo=BERLIN))}")
        assert '"name":"Christmas"' in drawn.text
        assert '"name":"Menu"' in (await one.open(f"{path}?at={instant_text(START)}")).text


@pytest.mark.long
async def test_a_screen_without_a_playlist_says_so_on_both_pages(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    await owner.patch(f"/v1/screens/{device.screen}", {"playlist": None})
    async with person(service, Role.VIEWER) as one:
        for page in ("moment", "week"):
            shown = text_of(await one.open(f"/desk/screens/{device.screen}/{page}"))
            assert "No playlist is given to it: it shows the card of the house." in shown
        assert "Nothing changes after this within a year." in text_of(
            await one.open(f"/desk/screens/{device.screen}/moment")
        )


@pytest.mark.long
async def test_the_week_is_a_calendar_of_blocks_that_lead_to_the_scrubber(
    service: Service, owner: Caller, year: Cafe, device: Device
) -> None:
    await owner.make(
        "/v1/planned-changes",
        {"name": "New prices", "at": "2026-11-21T06:00", "changes": [{"item": year.coffee, "price": 9}]},
    )
    party = {"startsAt": "2026-11-21T17:00:00Z", "until": "2026-11-21T17:20:00Z", "reason": "Party"}
    await owner.make("/v1/overrides", {"scene": year.scene, "target": {"everything": True}, **party})
    async with person(service, Role.VIEWER) as one:
        page = await one.open(f"/desk/screens/{device.screen}/week")
        days = page.text.split('class="calendar-day')[1:]
        assert len(days) == 7
        rows = [[int(row) for row in re.findall(r'data-rows="(\d+)"', day)] for day in days]
        assert {sum(day) for day in rows} == {48}
        saturday = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", days[5]))
        assert "06:00 New prices" in saturday
        assert "11:00–15:00 Menu, Lunch" in saturday
        assert "18:00–18:20 Menu Party" in saturday
        assert "Not today: Lunch" in days[6]
        assert rows[6] == [48]
        [link] = re.findall(r'href="(/desk/screens/[^"]*)"[^>]*>\s*<time>18:00', days[5])
        assert "Shown in place of all else: Party" in text_of(await one.open(unescape(link)))

        feast = text_of(await one.open(f"/desk/playlists/{year.playlist}/week?date=2026-12-25"))
        assert "00:00–24:00 Christmas in place of Menu, Lunch" in feast
        spring = await one.open(f"/desk/playlists/{year.playlist}/week?location={year.location}&date=2027-03-28")
        sunday = spring.text.split('class="calendar-day')[7]
        assert sum(int(row) for row in re.findall(r'data-rows="(\d+)"', sunday)) == 48
        assert (await one.open(f"/desk/playlists/{year.playlist}/week?date=soon")).status_code == 422


async def test_a_playlist_plays_through_as_draft_and_as_it_is_live(service: Service, owner: Caller, year: Cafe) -> None:
    path = f"/desk/playlists/{year.playlist}/play"
    async with person(service, Role.VIEWER) as one:
        page = await one.open(path)
        assert "3 boards 0:55 in all" in text_of(page)
        assert re.findall(r'data-seconds="(\d+)"', page.text) == ["15", "20", "20"]
        assert "Live: version" not in text_of(page)
        entry = (await owner.get(f"/v1/playlists/{year.playlist}")).json()["scenes"][0]["id"]
        await owner.delete(f"/v1/playlists/{year.playlist}/scenes/{entry}")
        assert "2 boards 0:40 in all" in text_of(await one.open(path))
        live = await one.open(f"{path}?of=live&step=3")
        assert "3 boards 0:55 in all" in text_of(live)
        assert 'alt="Christmas"' in live.text
        assert "0:35 / 0:55" in text_of(live)
        assert f"{year.playlist}/versions/2/scenes/" in live.text
        empty = await owner.make("/v1/playlists", {"name": "Empty"})
        assert "has no board yet" in text_of(await one.open(f"/desk/playlists/{empty['id']}/play?step=4"))
