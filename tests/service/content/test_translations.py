"""Names and descriptions by language, and the words that items and scenes share, from the API to the manifest."""

from typing import Any

import pytest

from menu.documents.manifest_reader import MAX_WORDS
from menu.documents.scene import MAX_LANGUAGES
from service.core.permissions import Role
from tests.service.support.application import Cafe, Caller, Device, Service, body_of

ITEMS, WORDS, SCENES = "/v1/content/items", "/v1/content/words", "/v1/scenes"
ENGLISH = {"name": "Filter coffee", "description": "Freshly brewed"}


async def told(device: Device, item: str) -> dict[str, Any]:
    """The item's names in the manifest."""
    [found] = [one for one in body_of(await device.manifest())["items"] if one["id"] == item]
    translations: dict[str, Any] = found.get("translations", {})
    return translations


async def publish_in(owner: Caller, cafe: Cafe, *languages: str) -> None:
    """Show the café's scene in these languages."""
    assert (await owner.patch(f"{SCENES}/{cafe.scene}", {"languages": list(languages)})).status_code == 200
    assert (await owner.post(f"/v1/playlists/{cafe.playlist}/publish")).status_code == 200


async def test_players_are_told_the_languages_that_their_scenes_show(owner: Caller, cafe: Cafe, device: Device) -> None:
    at = f"{ITEMS}/{cafe.coffee}"
    given = {"en": ENGLISH, "ar": {"name": "قهوة"}, "ja": {"name": "コーヒー"}}
    item = body_of(await owner.patch(at, {"description": "Frisch gebrüht", "translations": given}))
    assert item["translations"] == {
        "en": ENGLISH,
        "ar": {"name": "قهوة", "description": None},
        "ja": {"name": "コーヒー", "description": None},
    }
    assert await told(device, cafe.coffee) == {}

    await publish_in(owner, cafe, "en-GB", "ar")
    assert await told(device, cafe.coffee) == {"en": ENGLISH, "ar": {"name": "قهوة"}}

    await owner.patch(f"/v1/locations/{cafe.location}", {"locale": "ja-JP"})
    assert set(await told(device, cafe.coffee)) == {"en", "ar", "ja"}


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("translations", "pointer", "code"),
    [
        ({"en": {"description": "Freshly brewed"}}, "/translations/en/description", "no_base"),
        ({"xx": {"name": "Coffee"}}, "/translations/xx", "unknown_language"),
        ({"not a tag": {"name": "Coffee"}}, "/translations/not a tag", "unknown_language"),
        ({"en": {"name": "Coffee"}, "EN": {"name": "Coffee"}}, "/translations/EN", "duplicate"),
        ({"en": {}}, "/translations/en", "empty"),
        ({"en": {"name": ""}}, "/translations/en/name", "too_short"),
        ({"en": "Coffee"}, "/translations/en", "wrong_type"),
        ([], "/translations", "wrong_type"),
        (
            {tag: {"name": "Coffee"} for tag in ("en", "fr", "es", "it", "pt", "nl", "pl", "tr", "ar")},
            "/translations",
            "too_long",
        ),
    ],
)
async def test_a_bad_translation_is_refused_by_pointer(
    owner: Caller, cafe: Cafe, translations: Any, pointer: str, code: str
) -> None:
    assert MAX_LANGUAGES == 8
    refused = await owner.patch(f"{ITEMS}/{cafe.coffee}", {"translations": translations})
    assert refused.status_code == 422, refused.text
    assert [(one["pointer"], one["code"]) for one in refused.json()["errors"]] == [(pointer, code)]


async def test_a_description_takes_its_translations_with_it(owner: Caller, cafe: Cafe) -> None:
    at = f"{ITEMS}/{cafe.coffee}"
    given = {"description": "Frisch", "translations": {"en": ENGLISH, "fr": {"description": "Fraîchement"}}}
    assert (await owner.patch(at, given)).status_code == 200
    left = body_of(await owner.patch(at, {"description": None}))["translations"]
    assert left == {"en": {"name": "Filter coffee", "description": None}}


async def test_the_operator_can_list_what_has_no_name_in_a_language(owner: Caller, cafe: Cafe) -> None:
    await owner.patch(f"{ITEMS}/{cafe.coffee}", {"translations": {"zh-hant": {"name": "咖啡"}}})
    found = body_of(await owner.get(f"{ITEMS}?withoutNameIn=zh-Hant"))["data"]
    assert cafe.coffee not in {one["id"] for one in found}
    assert cafe.cake in {one["id"] for one in found}
    everything = body_of(await owner.get(f"{ITEMS}?withoutNameIn=zh"))["data"]
    assert {cafe.coffee, cafe.cake} <= {one["id"] for one in everything}
    assert (await owner.get(f"{ITEMS}?withoutNameIn=nonsense!")).status_code == 422


async def test_words_are_added_replaced_and_taken_out_one_by_one(owner: Caller, cafe: Cafe, device: Device) -> None:
    assert body_of(await owner.get(WORDS)) == {"words": {}}
    await publish_in(owner, cafe, "en")
    assert "words" not in body_of(await device.manifest())
    words = {"Kaffee": {"en": "Coffee", "ja": "コーヒー"}, "groß": {"en": "large"}}
    await owner.patch(WORDS, {"words": words})
    answer = await owner.patch(WORDS, {"words": {"groß": {"EN": "big"}, "klein": {"en": "small"}}})
    assert body_of(answer) == {"words": {**words, "groß": {"en": "big"}, "klein": {"en": "small"}}}
    assert body_of(await device.manifest())["words"] == {
        "Kaffee": {"en": "Coffee"},
        "groß": {"en": "big"},
        "klein": {"en": "small"},
    }
    await owner.patch(WORDS, {"words": {"Kaffee": None, "klein": None}})
    assert body_of(await owner.get(WORDS)) == {"words": {"groß": {"en": "big"}}}


@pytest.mark.parametrize(
    ("words", "pointer", "code"),
    [
        ({" ": {"en": "x"}}, "/words/ ", "bad_text"),
        ({"x": {}}, "/words/x", "too_short"),
        ({"a/b": {"qq": "x"}}, "/words/a~1b/qq", "unknown_language"),
        ({"x": {"en": " "}}, "/words/x/en", "blank"),
        ({"x": {"und": "y"}}, "/words/x/und", "unknown_language"),
        ({str(number): {"en": "x"} for number in range(MAX_WORDS + 1)}, "/words", "too_long"),
    ],
)
async def test_a_bad_word_is_refused_by_pointer(owner: Caller, words: Any, pointer: str, code: str) -> None:
    refused = await owner.patch(WORDS, {"words": words})
    assert [(one["pointer"], one["code"]) for one in refused.json()["errors"]] == [(pointer, code)]


async def test_a_workspace_has_only_so_many_words(owner: Caller) -> None:
    full = {str(number): {"en": "x"} for number in range(MAX_WORDS)}
    assert (await owner.patch(WORDS, {"words": full})).status_code == 200
    refused = await owner.patch(WORDS, {"words": {"one more": {"en": "x"}}})
    assert refused.status_code == 422
    assert (await owner.patch(WORDS, {"words": {"0": None, "one more": {"en": "x"}}})).status_code == 200


async def test_words_of_two_operators_do_not_undo_each_other(owner: Caller) -> None:
    tag = (await owner.get(WORDS)).headers["ETag"]
    assert (await owner.patch(WORDS, {"words": {"a": {"en": "x"}}})).status_code == 200
    late = await owner.send("PATCH", WORDS, {"words": {"a": {"en": "y"}}}, **{"If-Match": tag})
    assert late.status_code == 412


async def test_four_languages_do_not_show_together(owner: Caller, cafe: Cafe) -> None:
    four = {"languages": ["de", "en", "fr", "it"]}
    at = f"{SCENES}/{cafe.scene}"
    assert (await owner.patch(at, four)).status_code == 200
    refused = await owner.patch(at, {"languageMode": "together"})
    assert [(one["pointer"], one["code"]) for one in refused.json()["errors"]] == [("/languages/3", "too_many")]
    assert (await owner.patch(at, {"languages": ["de", "en"], "languageMode": "together"})).status_code == 200
    twice = await owner.patch(at, {"languages": ["de", "DE"]})
    assert [(one["pointer"], one["code"]) for one in twice.json()["errors"]] == [("/languages/1", "duplicate")]


async def test_an_editor_may_translate_and_a_viewer_may_read(service: Service) -> None:
    editor, viewer = service.caller(Role.EDITOR), service.caller(Role.VIEWER)
    assert (await editor.patch(WORDS, {"words": {"a": {"en": "b"}}})).status_code == 200
    assert (await viewer.patch(WORDS, {"words": {}})).status_code == 403
    assert body_of(await viewer.get(WORDS)) == {"words": {"a": {"en": "b"}}}
