"""Energies in the words of the location's law and language."""

import pytest

from menu.text.energy import energy_text, is_declared_large, needs_text


@pytest.mark.parametrize(
    ("least", "most", "locale", "text"),
    [
        (720, None, "en-GB", "720 kcal"),
        (1240, None, "de-DE", "1.240 kcal"),
        (410, 620, "de-DE", "410–620 kcal"),
        (1240, None, "fr-FR", "1 240 kcal"),
        (720, None, "en-AU", "3,012 kJ"),
        (410, 620, "en-NZ", "1,715–2,594 kJ"),
        (0, None, "en-US", "0 Cal"),
        (4, None, "en-US", "5 Cal"),
        (48, None, "en-US", "50 Cal"),
        (51, None, "en-US", "50 Cal"),
        (1244, None, "en-US", "1,240 Cal"),
        (1245, None, "es-US", "1,250 Cal"),
        (411, 624, "en-US", "410–620 Cal"),
        (411, 414, "en-US", "410 Cal"),
        (724, None, "en-CA", "724 Cal"),
        (720, None, "ru-RU", "720 ккал"),
        (720, None, "ja-JP", "720 kcal"),
        (720, None, "xx", "720 kcal"),
    ],
)
def test_an_energy_is_written_as_the_location_does(least: int, most: int | None, locale: str, text: str) -> None:
    shown = energy_text(least, most, locale)
    assert " ".join(shown.split()) == text
    assert " " not in shown, "it does not break"


@pytest.mark.parametrize(
    ("locale", "large", "begins"),
    [
        ("en-US", True, "2,000 calories a day"),
        ("es-US", True, "2,000 calories a day"),
        ("en-GB", False, "Adults need around 2000 kcal a day"),
        ("en-AU", False, "The average adult daily energy intake is 8700 kJ"),
        ("de-AT", False, "Referenzmenge"),
        ("en-IE", False, "Reference intake"),
    ],
)
def test_what_an_adult_needs_is_said_in_the_words_of_the_law(locale: str, large: bool, begins: str) -> None:
    assert is_declared_large(locale) is large
    assert needs_text(locale).replace("\N{NO-BREAK SPACE}", " ").startswith(begins)


def test_where_no_wording_is_known_nothing_is_said() -> None:
    assert needs_text("ja-JP") == ""


def test_two_choices_have_a_slash_between_them_in_the_united_states() -> None:
    assert energy_text(641, 820, "en-US", of_two=True) == "640/820\N{NO-BREAK SPACE}Cal"
    assert energy_text(641, 643, "en-US", of_two=True) == "640\N{NO-BREAK SPACE}Cal"
    assert energy_text(641, 820, "en-US") == "640–820\N{NO-BREAK SPACE}Cal"
    assert energy_text(641, 820, "en-CA", of_two=True) == "641–820\N{NO-BREAK SPACE}Cal"
