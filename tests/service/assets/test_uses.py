"""An asset tells what uses it; one that nothing uses is deleted, and its file goes a day later."""

import hashlib
from datetime import timedelta
from pathlib import Path

import av
import pytest

from service.core.clock import instant_text
from service.core.permissions import Role
from service.services.assets import uses as uses_module
from service.services.assets.assets import KEPT_AFTER_REMOVAL
from service.services.assets.uses import MAX_USE_FAULTS
from tests.service.support.application import (
    Cafe,
    Caller,
    Service,
    body_of,
    faults_in,
    png,
)
from tests.support.films import still

ASSETS = "/v1/assets"
NO_USES: dict[str, list[object]] = {
    name: [] for name in ("items", "categories", "scenes", "versions", "approvals", "overrides")
}
FILM = Path(__file__).parents[3] / "service" / "kit" / "steam.mp4"


async def uploaded(caller: Caller, content: bytes = png(), media_type: str = "image/png") -> str:
    response = await caller.raw("POST", ASSETS, content, media_type)
    assert response.status_code in (200, 201), response.text
    return str(response.json()["id"])


def picture(asset: str) -> dict[str, object]:
    return {"id": "picture", "type": "image", "x": 0, "y": 0, "width": 90, "height": 90, "asset": asset}


async def playlist_of(owner: Caller, scene: str) -> str:
    playlist = str((await owner.make("/v1/playlists", {"name": "Posters"}))["id"])
    await owner.make(f"/v1/playlists/{playlist}/scenes", {"sceneId": scene, "durationSeconds": 15})
    return playlist


async def uses(caller: Caller, asset: str) -> dict[str, list[dict[str, object]]]:
    response = await caller.get(f"{ASSETS}/{asset}/uses")
    assert response.status_code == 200
    found: dict[str, list[dict[str, object]]] = response.json()
    return found


def is_stored(service: Service, asset: str) -> bool:
    return service.services.store.size(asset.removeprefix("sha256:")) is not None


async def test_each_use_is_told_and_keeps_the_asset(service: Service, owner: Caller, cafe: Cafe) -> None:
    asset = await uploaded(owner)
    assert await uses(owner, asset) == NO_USES

    await owner.patch(f"/v1/content/items/{cafe.cake}", {"image": asset})
    await owner.patch("/v1/content/categories", {"categories": {"Cakes": {"image": asset}}})
    scene = (await owner.make("/v1/scenes", {"name": "Poster", "widgets": [picture(asset)]}))["id"]
    playlist = await playlist_of(owner, scene)
    assert (await owner.post(f"/v1/playlists/{playlist}/publish")).status_code == 200
    assert (await service.caller(Role.EDITOR).post(f"/v1/playlists/{playlist}/publish")).status_code == 202
    until = instant_text(service.clock.now() + timedelta(hours=1))
    override = await owner.make(
        "/v1/overrides", {"scene": scene, "target": {"everything": True}, "until": until, "reason": "Test"}
    )
    found = await uses(owner, asset)
    assert [one["id"] for one in found["items"]] == [cafe.cake]
    assert found["categories"] == ["Cakes"]
    assert found["scenes"] == [{"id": scene, "name": "Poster"}]
    assert [(one["playlist"], one["version"]) for one in found["versions"]] == [(playlist, 1)]
    assert [one["playlist"] for one in found["approvals"]] == [playlist]
    assert found["overrides"] == [{"id": override["id"], "name": "Poster"}]

    refused = await owner.delete(f"{ASSETS}/{asset}")
    assert (refused.status_code, refused.json()["code"]) == (409, "in_use")
    kinds = {one["code"] for one in refused.json()["errors"]}
    assert kinds == {f"used_by_{one}" for one in ("item", "category", "scene", "version", "approval", "override")}
    stranger = service.stranger()
    assert await uses(stranger, await uploaded(stranger)) == NO_USES


async def test_a_version_that_may_be_restored_keeps_its_assets(service: Service, owner: Caller, cafe: Cafe) -> None:
    asset = await uploaded(owner)
    scene = (await owner.make("/v1/scenes", {"name": "Poster", "widgets": [picture(asset)]}))["id"]
    playlist = await playlist_of(owner, scene)
    await owner.post(f"/v1/playlists/{playlist}/publish")
    await owner.patch(f"/v1/scenes/{scene}", {"widgets": []})
    for _ in range(9):
        await owner.post(f"/v1/playlists/{playlist}/publish")
    assert (await owner.delete(f"{ASSETS}/{asset}")).status_code == 409
    assert (await owner.post(f"/v1/playlists/{playlist}/versions/1/restore")).status_code == 200

    await owner.post(f"/v1/playlists/{playlist}/publish")
    assert [one["version"] for one in (await uses(owner, asset))["versions"]] == [11]


async def test_an_unused_asset_is_deleted_and_its_file_goes_a_day_later(service: Service, owner: Caller) -> None:
    asset = await uploaded(owner)
    await owner.get(f"{ASSETS}/{asset}/thumbnail")

    assert (await owner.delete(f"{ASSETS}/{asset}")).status_code == 204
    for path in ("", "/uses", "/thumbnail"):
        assert (await owner.get(f"{ASSETS}/{asset}{path}")).status_code == 404
    assert (await owner.delete(f"{ASSETS}/{asset}")).status_code == 404
    assert body_of(await owner.get(ASSETS))["data"] == []

    service.clock.set(service.clock.now() + KEPT_AFTER_REMOVAL - timedelta(seconds=1))
    service.services.assets.prune()
    assert is_stored(service, asset), "a backup that is being made may name it"
    service.clock.set(service.clock.now() + timedelta(seconds=1))
    service.services.assets.prune()
    assert not is_stored(service, asset)
    assert list((service.data / "assets" / "thumbnails").iterdir()) == []


@pytest.mark.long
async def test_a_file_stays_while_any_workspace_has_it(service: Service, owner: Caller) -> None:
    stranger = service.stranger()
    for again in (stranger, owner):
        asset = await uploaded(owner)
        await uploaded(again)
        await owner.delete(f"{ASSETS}/{asset}")
        if again is owner:
            await stranger.delete(f"{ASSETS}/{asset}")
            await uploaded(owner)  # within the day
        service.clock.set(service.clock.now() + KEPT_AFTER_REMOVAL)
        service.services.assets.prune()
        assert is_stored(service, asset)
        assert (await again.get(f"{ASSETS}/{asset}")).content == png()


async def test_a_refusal_and_the_list_name_a_bounded_number_of_uses(
    owner: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    asset = await uploaded(owner)
    for number in range(MAX_USE_FAULTS + 3):
        body = {"name": f"Dish {number}", "category": "Lunch", "price": 3, "image": asset}
        await owner.make("/v1/content/items", body)
    refused = await owner.delete(f"{ASSETS}/{asset}")
    assert len(refused.json()["errors"]) == MAX_USE_FAULTS
    monkeypatch.setattr(uses_module, "MAX_LISTED_USES", 3)
    assert len((await uses(owner, asset))["items"]) == 3


@pytest.mark.long
async def test_files_are_removed_some_at_a_time(service: Service, owner: Caller) -> None:
    made = [await uploaded(owner, png(shade)) for shade in range(3)]
    for asset in made:
        assert (await owner.delete(f"{ASSETS}/{asset}")).status_code == 204
    service.clock.set(service.clock.now() + KEPT_AFTER_REMOVAL)
    for left in (1, 0):
        service.services.assets.prune(most=2)
        assert sum(is_stored(service, asset) for asset in made) == left


async def test_a_key_of_a_location_sees_no_override_of_another_and_cannot_delete_under_it(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    asset = await uploaded(owner)
    scene = (await owner.make("/v1/scenes", {"name": "Poster", "widgets": [picture(asset)]}))["id"]
    until = instant_text(service.clock.now() + timedelta(hours=1))
    body = {"scene": scene, "target": {"everything": True}, "until": until, "reason": "Test"}
    await owner.make("/v1/overrides", body)
    assert (await owner.delete(f"/v1/scenes/{scene}")).status_code == 204
    key = await owner.make("/v1/keys", {"name": "Till", "role": "Editor", "locations": [cafe.location]})
    narrow = Caller(service.client, key["key"])

    assert (await uses(narrow, asset))["overrides"] == []
    refused = await narrow.delete(f"{ASSETS}/{asset}")
    assert (refused.status_code, refused.json()["code"]) == (409, "in_use")
    assert "Poster" not in refused.text


async def test_a_text_says_what_is_to_be_seen(service: Service, owner: Caller) -> None:
    asset = await uploaded(owner)
    changed = await owner.patch(f"{ASSETS}/{asset}", {"alt": "A cup of coffee"})
    assert (changed.status_code, changed.json()["alt"]) == (200, "A cup of coffee")
    assert body_of(await owner.get(ASSETS))["data"][0]["alt"] == "A cup of coffee"
    stale = await owner.send("PATCH", f"{ASSETS}/{asset}", {"alt": "x"}, **{"If-Match": '"other"'})
    assert stale.status_code == 412
    for bad in ("", " ", "a\nb", "x" * 501, 5):
        refused = await owner.patch(f"{ASSETS}/{asset}", {"alt": bad})
        assert (refused.status_code, "/alt" in faults_in(refused)) == (422, True)
    assert (await owner.patch(f"{ASSETS}/{asset}", {"alt": None})).json()["alt"] is None
    assert (await service.caller(Role.VIEWER).patch(f"{ASSETS}/{asset}", {"alt": "x"})).status_code == 403
    assert (await service.stranger().patch(f"{ASSETS}/{asset}", {"alt": "x"})).status_code == 404


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("content", "media_type", "made", "large"),
    [
        (still("jpg").read_bytes(), "image/jpeg", "image/jpeg", None),
        (png(), "image/png", "image/jpeg", None),
        ((FILM.parent / "pictures" / "pizza.webp").read_bytes(), "image/webp", "image/png", 640),
        (FILM.read_bytes(), "video/mp4", "image/jpeg", 640),
    ],
    ids=["jpeg", "png", "transparent webp", "film"],
)
async def test_a_thumbnail_is_small_and_cached(
    owner: Caller, tmp_path: Path, content: bytes, media_type: str, made: str, large: int | None
) -> None:
    asset = await uploaded(owner, content, media_type)
    for size in (160, 320, 640):
        response = await owner.get(f"{ASSETS}/{asset}/thumbnail?size={size}")
        assert (response.status_code, response.headers["Content-Type"]) == (200, made)
        (tmp_path / "thumbnail").write_bytes(response.content)
        with av.open(str(tmp_path / "thumbnail")) as opened:
            sides = opened.streams.video[0].width, opened.streams.video[0].height
        assert max(sides) == (size if large else min(max(sides), size))
        tag = response.headers["ETag"]
        again = await owner.get(f"{ASSETS}/{asset}/thumbnail?size={size}", **{"If-None-Match": tag})
        assert again.status_code == 304
    refused = await owner.get(f"{ASSETS}/{asset}/thumbnail?size=4000")
    assert (refused.status_code, list(faults_in(refused))) == (422, ["size"])


async def test_a_damaged_file_has_no_thumbnail_and_says_so(service: Service, owner: Caller) -> None:
    content = still("jpg").read_bytes()
    asset = await uploaded(owner, content, "image/jpeg")
    path = service.services.store.path(hashlib.sha256(content).hexdigest())  # type: ignore[attr-defined]
    for spoiled in (content[:300], bytes(len(content)), None):
        path.unlink() if spoiled is None else path.write_bytes(spoiled)
        response = await owner.get(f"{ASSETS}/{asset}/thumbnail")
        assert (response.status_code, response.json()["code"]) == (503, "asset_unavailable")
