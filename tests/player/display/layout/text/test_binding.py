"""Lines end where a person would end them."""

import pytest

from player.display.layout.text.bidi import NO_BREAK_SPACE
from player.display.layout.text.binding import Bond, bind, bind_last


@pytest.mark.goes_beyond("MOST_QUOTED")
@pytest.mark.parametrize(
    ("text", "tightly", "loosely"),
    [
        ("Schnitzel „Wiener Art“, Pommes", "Schnitzel „Wiener~Art“, Pommes", None),
        ("Schnitzel „Wiener Art mit Pommes und Salat“", "Schnitzel „Wiener Art mit Pommes und Salat“", ...),
        ("Hähnchenbrustfilet in Rahmsauce", "Hähnchenbrustfilet in Rahmsauce", "Hähnchenbrustfilet in~Rahmsauce"),
        ("Aus der Pfanne", "Aus der Pfanne", "Aus~der~Pfanne"),
        ("Prosciutto e funghi", "Prosciutto e funghi", "Prosciutto e~funghi"),
        ("Poke bowl – keuze van zalm", "Poke bowl~– keuze van zalm", "Poke bowl~– keuze van~zalm"),
        ("2 × regular soft drinks + popcorn", "2~×~regular soft drinks + popcorn", "2~×~regular~soft~drinks + popcorn"),
        ("2x cola, chips", "2x~cola, chips", None),
        ("Sakura box, 18 stuks", "Sakura box, 18~stuks", None),
        ("Cola 0,33 l", "Cola 0,33~l", None),
        ("Cola / Fanta / Sprite", "Cola~/ Fanta~/ Sprite", None),
        ("Salat (klein) mit Brot", "Salat (klein) mit Brot", "Salat (klein) mit~Brot"),
        ("Tea (hot or iced)\nWater", "Tea (hot~or~iced)\nWater", None),
        ("Τσίπουρο με γλυκάνισο 200 ml", "Τσίπουρο με γλυκάνισο 200~ml", "Τσίπουρο με~γλυκάνισο 200~ml"),
        ("Größe M", "Größe M", None),
        ("冷やし煮干しそば", "冷やし煮干しそば", None),
        ("", "", None),
    ],
)
def test_what_belongs_together_stays_in_a_line(text: str, tightly: str, loosely: object) -> None:
    def bound(*, loosely: bool) -> str:
        return bind(text, Bond.LOOSE if loosely else Bond.TIGHT, lambda _: True).replace(NO_BREAK_SPACE, "~")

    assert bound(loosely=False) == tightly
    if loosely is not ...:
        assert bound(loosely=True) == (loosely or tightly)


def test_a_clause_is_whole_where_it_fits() -> None:
    bound = bind("44. Sakura box, 18 stuks", Bond.CLAUSE, lambda _: True)
    assert bound.replace(NO_BREAK_SPACE, "~") == "44.~Sakura~box, 18~stuks"
    bound = bind("Lachsfilet in Rahmsoße, Reis", Bond.CLAUSE, lambda phrase: len(phrase) < 15)
    assert bound.replace(NO_BREAK_SPACE, "~") == "Lachsfilet in~Rahmsoße, Reis"


def test_a_phrase_that_is_wider_than_a_line_is_not_whole() -> None:
    text = "3 × in Salzwasser gekochte Kartoffeln"
    bound = bind(text, Bond.LOOSE, lambda phrase: len(phrase) < 8)
    assert bound.replace(NO_BREAK_SPACE, "~") == "3~×~in Salzwasser gekochte Kartoffeln"


def test_the_last_two_phrases_are_bound() -> None:
    assert bind_last("Champagne Grand Cru ") == f"Champagne Grand{NO_BREAK_SPACE}Cru"
    assert bind_last("und Joghurt-Soße") == "und Joghurt\N{NON-BREAKING HYPHEN}Soße"
    assert bind_last("焼き鳥") == "焼き鳥"
