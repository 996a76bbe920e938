"""The words of menus in each language, and a board whose file of them is damaged."""

from importlib import resources
from pathlib import Path

import pytest

from player.domain.menu.allergens import allergen_names, allergens_title
from player.domain.menu.menu_words import all_words, is_spoken


@pytest.mark.parametrize(
    ("locale", "known"), [("bg-BG", True), ("en", True), ("zh-Hant-TW", True), ("is-IS", False), ("vi", False)]
)
def test_a_language_is_known_or_not(locale: str, known: bool) -> None:
    assert is_spoken(locale) is known


@pytest.mark.parametrize("body", [None, b"{", b'{"en": 1}'])
def test_a_board_whose_words_are_damaged_says_allergens_in_english(
    body: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if body is not None:
        (tmp_path / "menu_words.json").write_bytes(body)
    all_words.cache_clear()
    try:
        with monkeypatch.context() as patch:
            patch.setattr(resources, "files", lambda _: tmp_path)
            assert (allergens_title("bg-BG"), allergen_names(["milk"], "bg-BG")) == ("Allergens:", ("milk",))
    finally:
        all_words.cache_clear()
