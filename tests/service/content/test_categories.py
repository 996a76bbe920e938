"""Notes, pictures and colours of categories, from the API to the manifest."""

from typing import Any

import pytest

from menu.documents.manifest_reader import MAX_CATEGORIES
from service.core.permissions import Role
from tests.service.support.application import Cafe, Caller, Device, Service, body_of, png

CATEGORIES = "/v1/content/categories"
NOTED = {"note": "Served with fries"}


async def test_settings_of_categories_reach_the_boards_with_their_picture(
    owner: Caller, cafe: Cafe, device: Device
) -> None:
    assert body_of(await owner.get(CATEGORIES)) == {"categories": {}}
    assert "categories" not in body_of(await device.manifest())
    picture = (await owner.raw("POST", "/v1/assets", png(77), "image/png")).json()["id"]
    burgers = {**NOTED, "image": picture, "color": "#8FD16F"}
    await owner.patch(CATEGORIES, {"categories": {"Burgers": burgers, "Sides": {"color": "#112233"}}})
    manifest = body_of(await device.manifest())
    assert manifest["categories"] == {"Burgers": burgers, "Sides": {"color": "#112233"}}
    assert manifest["assets"][picture.removeprefix("sha256:")]["mediaType"] == "image/png"

    answer = await owner.patch(CATEGORIES, {"categories": {"Burgers": NOTED, "Sides": None}})
    assert body_of(answer)["categories"].keys() == {"Burgers"}
    manifest = body_of(await device.manifest())
    assert manifest["categories"] == {"Burgers": NOTED}
    assert picture.removeprefix("sha256:") not in manifest["assets"]


@pytest.mark.parametrize(
    ("categories", "pointer", "code"),
    [
        ({"Burgers": {"note": " "}}, "/categories/Burgers/note", "blank"),
        ({"a/b": {"color": "green"}}, "/categories/a~1b/color", "not_a_color"),
        ({"Burgers": {"image": f"sha256:{'0' * 64}"}}, "/categories/Burgers/image", "unknown_asset"),
        ({str(number): NOTED for number in range(MAX_CATEGORIES + 1)}, "/categories", "too_long"),
    ],
)
async def test_bad_settings_are_refused_by_pointer(owner: Caller, categories: Any, pointer: str, code: str) -> None:
    refused = await owner.patch(CATEGORIES, {"categories": categories})
    assert [(one["pointer"], one["code"]) for one in refused.json()["errors"]] == [(pointer, code)]


async def test_a_workspace_has_settings_of_only_so_many_categories(owner: Caller) -> None:
    full = {str(number): NOTED for number in range(MAX_CATEGORIES)}
    assert (await owner.patch(CATEGORIES, {"categories": full})).status_code == 200
    assert (await owner.patch(CATEGORIES, {"categories": {"more": NOTED}})).status_code == 422


async def test_only_who_edits_sets_categories(service: Service) -> None:
    reader = service.caller(Role.VIEWER)
    assert (await reader.patch(CATEGORIES, {"categories": {"Burgers": NOTED}})).status_code == 403
    assert (await reader.get(CATEGORIES)).status_code == 200
