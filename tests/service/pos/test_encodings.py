"""Encodings of files: found by their characters and the language of the workspace; in doubt, the person is asked."""

import pytest

from service.core.texts import key_of
from service.services.pos.encodings import decode

CARDS = {
    "cp1250": ("pl", "Nazwa;Cena\nŻurek z jajkiem;18,50\nŚledź w śmietanie;21,00\nKaczka z jabłkami;49,00\n"),
    "cp1251": ("ru", "Название;Цена\nБорщ;350\nПельмени;420\nБлины со сметаной;280\n"),
    "cp1253": ("el", "Όνομα;Τιμή\nΧωριάτικη σαλάτα;8,50\nΜουσακάς;12,00\n"),
    "cp1254": ("tr", "Ad;Fiyat\nMercimek çorbası;90\nİskender kebap;350\nŞiş köfte;280\nKünefe;160\n"),
    "mac_roman": ("fr", "Nom;Prix\nCrème brûlée;7,50\nPâté de campagne;9,00\nÎle flottante;6,50\n"),
    "shift_jis": ("ja", "名前,価格\n醤油ラーメン,950\n餃子,480\n"),
    "cp1252": ("de", "Name;Preis\nKäsespätzle;12,50\nGrüner Salat;6,00\nRöstkaffee – groß;4,20 €\n"),
}


@pytest.mark.parametrize("codec", CARDS)
def test_a_menu_is_read_in_the_encoding_of_its_country(codec: str) -> None:
    language, text = CARDS[codec]
    assert decode(text.encode(codec), None, language=language).text == text


@pytest.mark.parametrize("codec", ["cp1251", "cp1253", "shift_jis"])
def test_a_script_of_its_own_needs_no_language(codec: str) -> None:
    found = decode(CARDS[codec][1].encode(codec), None)
    assert (found.text, found.is_sure) == (CARDS[codec][1], True)


@pytest.mark.parametrize(("codec", "language"), [("cp1250", "de"), ("cp1254", "de"), ("mac_roman", "fr")])
def test_in_doubt_the_person_is_asked(codec: str, language: str) -> None:
    assert not decode(CARDS[codec][1].encode(codec), None, language=language).is_sure


def test_one_word_is_no_evidence_of_another_script() -> None:
    assert decode("1;Käse;4,50".encode("cp1252"), None, language="de").text == "1;Käse;4,50"


@pytest.mark.parametrize("other", ["Cafe\u0301 au  lait", "Ｃａｆé au lait", "Café\u200b au\u00a0lait", "CAFÉ AU LAIT"])
def test_a_dish_is_the_same_however_it_is_written(other: str) -> None:
    assert key_of(other) == key_of("Café au lait")
