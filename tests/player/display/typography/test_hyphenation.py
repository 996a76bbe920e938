"""Words wider than a line are hyphenated as their language has it, by Debian's patterns."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtGui import QFont

from menu.documents.box import Box
from menu.documents.scene import ItemWidget, TextRole, TextWidget
from menu.text.wording import Locality
from player.display.layout.item import LEAST_SIZE
from player.display.typography import hyphenation
from player.display.typography.hyphenation import hyphen_points, read_patterns
from tests.player.display.conftest import Glass
from tests.player.display.scenes import listing, one_menu, row, scene, showing


def hyphenated(text: str, locale: str) -> str:
    ends = (*sorted(hyphen_points(text, locale)), len(text))
    starts = (0, *ends[:-1])
    return "-".join(text[start:end] for start, end in zip(starts, ends, strict=True))


@pytest.mark.parametrize(
    ("locale", "word", "syllables"),
    [
        ("de-DE", "Grießklößchensuppe", "Grieß-klöß-chen-suppe"),
        ("de-AT", "Ofenkartoffel", "Ofen-kar-tof-fel"),
        ("en-US", "cheeseburger", "cheese-burger"),
        ("fr-CH", "Bouillabaisse", "Bouilla-baisse"),
        ("de", "(Ofenkartoffel, 12 Ei)", "(Ofen-kar-tof-fel, 12 Ei)"),
        ("ja-JP", "あんバタートースト", "あんバタートースト"),
        ("xx-YY", "Ofenkartoffel", "Ofenkartoffel"),
        ("../../etc/passwd", "Ofenkartoffel", "Ofenkartoffel"),
        ("tr-TR", "İİİİİİİİ", "İİİİİİİİ"),
    ],
)
def test_words_are_divided_as_in_their_language(locale: str, word: str, syllables: str) -> None:
    assert hyphenated(word, locale) == syllables


@pytest.mark.parametrize(
    ("word", "best"),
    [
        ("Streuselkuchen", "Streusel-kuchen"),
        ("Überraschung", "Über-raschung"),
        ("Apfelstrudel", "Apfel-strudel"),
        ("Kartoffelsalat", "Kartoffel-salat"),
        ("Kirschtorte", "Kirsch-torte"),
        ("Champignonrahmschnitzel", "Champignonrahm-schnitzel"),
        ("Zwiebelrostbraten", "Zwiebelrost-braten"),
        ("Bratkartoffeln", "Brat-kartoffeln"),
        ("Champignons", "Champi-gnons"),
        ("x" * 5000, "x" * 5000),
    ],
)
def test_compounds_break_at_their_joints_first(word: str, best: str) -> None:
    at = next(iter(hyphen_points(word, "de-DE")), None)
    assert (f"{word[:at]}-{word[at:]}" if at else word) == best


def test_patterns_are_read_as_libreoffice_reads_them() -> None:
    text = "LEFTHYPHENMIN 2\nwhole1compounds\nNEXTLEVEL\n% comment\n1ba\n2nd.\nx1x/y=,1,2\n"

    assert read_patterns(text) == {"ba": (1, 0, 0), "nd.": (2, 0, 0, 0)}


def test_a_damaged_file_costs_the_hyphens_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hyphenation, "FOLDER", tmp_path)
    (tmp_path / "hyph_qa.dic").write_bytes(b"NO-SUCH-ENCODING\n1ba\n")
    (tmp_path / "hyph_qb.dic").write_bytes(b"UTF-8\n\xff\xfe1b\x00a\n")
    (tmp_path / "hyph_qc.dic").mkdir()

    assert [hyphenated("Ofenkartoffel", locale) for locale in ("qa", "qb", "qc")] == ["Ofenkartoffel"] * 3


@pytest.mark.parametrize("width", [520, 560, 600])
def test_a_name_wider_than_its_column_is_hyphenated(glass: Glass, width: int) -> None:
    name = "Donaudampfschifffahrtsgesellschaftskapitänsfrühstück"
    box = Box(x=80, y=80, width=width, height=900)
    glass.show(one_menu(listing(("", [row(name, "6,50 €")])), box=box, min_text_size=40))
    lines = glass.texts("name")[0].split("\n")

    assert len(lines) > 1
    assert all(line.endswith("-") for line in lines[:-1])
    assert "".join(line.removesuffix("-") for line in lines) == name


def test_a_word_that_fits_is_not_hyphenated(glass: Glass) -> None:
    text = "Ofenkartoffel mit Kräuterquark und Schnittlauchröllchen aus dem Kräutergarten hinter dem Haus"
    box = Box(x=80, y=80, width=500, height=900)
    glass.show(
        one_menu(listing(("", [row("Ofenkartoffel", description=text)])), box=box, locality=Locality(locale="de"))
    )

    assert "-" not in glass.texts("details")[0]


@pytest.mark.parametrize("role", TextRole)
def test_a_word_of_a_text_of_a_set_size_is_hyphenated_where_it_would_be_much_smaller(
    glass: Glass, role: TextRole
) -> None:
    box = Box(x=80, y=80, width=330, height=900)
    text = TextWidget(id="text", box=box, text="Grießklößchensuppe", size=80, role=role)
    glass.show(replace(showing(scene(text)), locality=Locality(locale="de-DE")))

    assert glass.texts("text") == ["Grieß-\nklößchen-\nsuppe"]
    assert QFont(glass.find("text")[0].property("font")).pixelSize() >= 48


def poster(glass: Glass, name: str) -> tuple[list[str], int]:
    """The lines of a name on an item widget, and its size."""
    widget = ItemWidget(id="poster", box=Box(x=60, y=60, width=580, height=460), item_id=name)
    view = replace(showing(scene(widget)), locality=Locality(locale="de-DE"), items={"poster": row(name)})
    glass.show(view)
    [item] = glass.find("itemName")
    return glass.texts("itemName")[0].split("\n"), QFont(item.property("font")).pixelSize()


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Champignonrahmschnitzel", ["Champignon-", "rahmschnitzel"]),
        ("Feines Champignonrahmschnitzel", ["Feines", "Champignon-", "rahmschnitzel"]),
        ("Streuselkuchen", ["Streuselkuchen"]),
        ("Spaghetti Bolognese XL", ["Spaghetti", "Bolognese XL"]),
    ],
)
def test_a_long_word_of_a_poster_is_hyphenated_where_that_makes_it_larger(
    glass: Glass, name: str, lines: list[str]
) -> None:
    found, size = poster(glass, name)
    _, neighbour = poster(glass, "Wiener Schnitzel mit Pommes")

    assert found == lines
    assert size >= 0.7 * neighbour


@pytest.mark.parametrize("name", ["Donaudampfschifffahrtsgesellschaftskapitänsfrühstück", "A" * 200])
def test_no_word_makes_a_poster_smaller_than_its_least_size(glass: Glass, name: str) -> None:
    lines, size = poster(glass, name)

    assert size >= LEAST_SIZE
    assert "".join(line.removesuffix("-") for line in lines) == name
    reports = [report.detail for report in glass.undrawable if report.code == "word_cut"]
    assert len(reports) == ("AAA" in name)
    assert all("AAAA" in detail for detail in reports)
