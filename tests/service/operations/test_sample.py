"""The sample café: loaded once and atomically, and valid for the API."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from service.core.errors import ProblemError
from service.services.assets.bundled import BundledError
from service.services.operations.sample import SAMPLE_FILE, SAMPLE_FOLDER
from tests.service.support.application import (
    Cafe,
    Caller,
    Service,
    SlowFile,
    VirtualClock,
    body_of,
    pair,
    running,
    start,
    until,
)

FOLDER = Path(__file__).parent / "data" / "sample"


async def test_the_sample_is_loaded_once(service: Service, owner: Caller) -> None:
    first = service.services.sample.load(FOLDER)
    second = service.services.sample.load(FOLDER)

    assert (first.created, second.created) == (True, False)
    assert second.ids == first.ids
    assert set(first.ids["playlists"]) == {"landscape", "portrait"}
    assert len(body_of(await owner.get("/v1/content/items"))["data"]) == 2
    playlist = body_of(await owner.get(f"/v1/playlists/{first.ids['playlists']['landscape']}"))
    assert playlist["version"] == 1
    assert [entry["durationSeconds"] for entry in playlist["scenes"]] == [12, 8]


async def test_a_screen_can_play_the_sample(service: Service, owner: Caller) -> None:
    ids = service.services.sample.load(FOLDER).ids
    device = await pair(service, owner, Cafe(ids["location"], "", "", "", ids["playlists"]["landscape"]))

    manifest = body_of(await device.manifest())

    assert [scene["name"] for scene in manifest["scenes"]] == ["Breakfast", "Lunch"]
    assert manifest["scenes"][0]["widgets"][0]["itemIds"] == [ids["items"]["flat-white"]]
    assert len(manifest["scenes"][0]["schedules"]) == 1
    [digest] = manifest["assets"]
    assert manifest["scenes"][0]["background"]["asset"] == f"sha256:{digest}"
    assert (await device.asset(f"sha256:{digest}")).content == (FOLDER / "hero.png").read_bytes()


def broken(folder: Path, change: Any) -> Path:
    target = folder / "sample"
    shutil.copytree(FOLDER, target)
    document = json.loads((target / SAMPLE_FILE).read_text())
    change(document)
    (target / SAMPLE_FILE).write_text(json.dumps(document))
    return target


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda cafe: cafe["items"][1].update(price="6.75"), "item soup: /price"),
        (lambda cafe: cafe["items"][1].update(image="asset:none"), "'asset:none'"),
        (lambda cafe: cafe["assets"].update(words=SAMPLE_FILE), "neither an image nor a video"),
        (lambda cafe: cafe["scenes"][1].update(width=1), "scene lunch: /width"),
        (lambda cafe: cafe["scenes"][0]["schedules"][0].update(end="6"), "scene breakfast: /end"),
        (lambda cafe: cafe["playlists"][1]["entries"][0].update(durationSeconds=0), "playlist portrait: /duration"),
    ],
)
async def test_a_faulty_sample_changes_nothing(
    service: Service, owner: Caller, tmp_path: Path, change: Any, message: str
) -> None:
    with pytest.raises((BundledError, ProblemError), match=message):
        service.services.sample.load(broken(tmp_path, change))

    for path in ("locations", "content/items", "scenes", "playlists", "assets"):
        assert body_of(await owner.get(f"/v1/{path}"))["data"] == []


async def test_no_transaction_is_open_while_the_sample_is_read(service: Service, owner: Caller, tmp_path: Path) -> None:
    folder = broken(tmp_path, lambda _: None)
    hero = SlowFile(folder / "hero.png")
    loading = asyncio.create_task(asyncio.to_thread(service.services.sample.load, folder))
    try:
        await hero.asked_for()
        other = start(owner.post("/v1/playlists", {"name": "Mine"}))
        await until(other.done)
        assert not loading.done()
    finally:
        await hero.give((FOLDER / "hero.png").read_bytes())

    assert other.result().status_code == 201
    assert (await loading).created


async def test_two_processes_that_load_the_sample_at_once_load_it_once(
    service: Service, owner: Caller, tmp_path: Path, clock: VirtualClock
) -> None:
    slow = {name: broken(tmp_path / name, lambda _: None) for name in ("one", "other")}
    heroes = [SlowFile(folder / "hero.png") for folder in slow.values()]
    async with running(service.data, clock=clock, database=service.database) as process:
        loaders = (service.services.sample, process.services.sample)
        loading = [
            asyncio.create_task(asyncio.to_thread(loader.load, folder))
            for loader, folder in zip(loaders, slow.values(), strict=True)
        ]
        try:
            for hero in heroes:
                await hero.asked_for()
        finally:
            for hero in heroes:
                await hero.give((FOLDER / "hero.png").read_bytes())
        one, other = await asyncio.gather(*loading)

    assert sorted((one.created, other.created)) == [False, True]
    assert one.ids == other.ids
    assert len(body_of(await owner.get("/v1/assets"))["data"]) == 1


async def test_the_bundled_sample_is_valid(service: Service, owner: Caller) -> None:
    loaded = service.services.sample.load(SAMPLE_FOLDER)

    assert set(loaded.ids["playlists"]) == {"landscape", "portrait"}
    for playlist in loaded.ids["playlists"].values():
        device = await pair(service, owner, Cafe(loaded.ids["location"], "", "", "", playlist))
        manifest = body_of(await device.manifest())
        assert manifest["items"]
        for digest in manifest["assets"]:
            assert (await device.asset(f"sha256:{digest}")).status_code == 200
