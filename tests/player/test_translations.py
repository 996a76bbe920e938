"""Sentences on the glass and on the page are in five languages: no sentence lacks its translation, or was
never found."""

from __future__ import annotations

import ast
import re
import string
from datetime import date
from pathlib import Path

import pytest

from menu.text.phrase import LANGUAGES, Phrase, SpokenDay, in_language, phrase, phrases
from player.domain.findings.diagnosis import diagnose
from player.domain.link.connection import Step
from player.domain.link.fault import Fault
from tests.player.domain.findings.states import probed
from tests.player.domain.findings.test_diagnosis import CASES
from tests.translations import LOCALE, ROOT, Sentence, sentences, translations

SPOKEN_IN = (
    "player/domain/findings",
    "player/domain/pairing/notice.py",
    "player/display",
    "player/page/sections",
    "player/page/middleware.py",
    "player/page/sign_in.py",
    "player/setting_values.py",
    "player/settings.py",
)
"""Where sentences for the glass and the page are written."""

OTHERS_WORDS = frozenset(
    {
        "settings_wrong", "no_screen", "scene_fails", "disk_read_only", "state_in_memory", "disk_failing", "no_room",
        "playlist_empty", "older_menu", "other_service", "zone_unknown", "setting_bad", "page_port_taken",
        "state_damaged", "boot_file_bad", "update_taken_back", "no_way_back", "part_failed",
        "ca_file_bad",
    }
)  # fmt: skip
"""Codes of findings whose evidence is what another part has said, in English."""

SENTENCE = re.compile(r"[A-Z][a-z]+ .*[.!?…]$", re.DOTALL)
TOLD_ELSEWHERE = {"detail"}
"""Arguments whose sentences are for the log, and evidence on the page."""


def values_of(text: str) -> list[str]:
    return sorted({name for _, name, _, _ in string.Formatter().parse(text) if name})


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_translated(language: str) -> None:
    known = translations(language)
    for sentence in sentences():
        first = sentence[0] if isinstance(sentence, tuple) else sentence
        found = known.get(first)
        assert found is not None, f"{first!r} is not in {language}.po: run python -m tests.translations"
        forms = found.string if isinstance(found.string, tuple) else (found.string,)
        assert all(forms), f"{first!r} has no translation in {language}.po"
        assert not found.fuzzy, first
        assert len(forms) == (known.num_plurals if isinstance(sentence, tuple) else 1), first
        known_values = set(values_of(sentence[1] if isinstance(sentence, tuple) else sentence))
        # `Once` and an Arabic dual say how many there are by themselves.
        needed = known_values - {"count"}
        for form in forms:
            assert needed <= set(values_of(form)) <= known_values, form


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_is_left_of_what_is_no_longer_said(language: str) -> None:
    said: set[Sentence] = {sentence[0] if isinstance(sentence, tuple) else sentence for sentence in sentences()}
    left = [each.id for each in translations(language) if each.id and not {each.id, each.id[0]} & said]
    assert left == [], "run python -m tests.translations"
    assert not translations(language).obsolete


def test_every_language_of_the_board_has_its_file() -> None:
    assert sorted(file.stem for file in LOCALE["player"].iterdir()) == sorted(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_finding_is_told_in_every_language(language: str) -> None:
    for finding in (finding for case in CASES for finding in diagnose(case[1])):
        if finding.why and finding.code not in OTHERS_WORDS:
            assert isinstance(finding.why, Phrase), f"{finding.code}: {finding.why!r} cannot be translated"
        for text in (finding.what, finding.do):
            assert isinstance(text, Phrase), f"{finding.code}: {text!r} cannot be translated"
            assert in_language(text, language) != text, finding.code
            assert in_language(text, "en-GB") == in_language(text, "ja") == text


def test_every_fault_of_the_connection_is_told_in_every_language() -> None:
    for finding in (finding for fault in Fault for finding in diagnose(probed(Step.TCP, fault, evidence=""))):
        for text in (finding.what, finding.do):
            assert len({text, *(in_language(text, language) for language in LANGUAGES)}) == 1 + len(LANGUAGES)


def test_no_sentence_for_the_glass_is_written_without_being_found() -> None:
    lost = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {node.value}"
        for place in SPOKEN_IN
        for path in ([ROOT / place] if place.endswith(".py") else sorted((ROOT / place).rglob("*.py")))
        for node in unfound(path)
    ]
    assert lost == [], "say it by phrase()"


def unfound(path: Path) -> list[ast.Constant]:
    """Sentences that are neither docstrings nor extracted, nor told elsewhere than on the glass."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    fine: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) or (isinstance(node, ast.keyword) and node.arg in TOLD_ELSEWHERE):
            fine.update(id(inner) for inner in ast.walk(node.value) if not isinstance(node, ast.Expr))
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                fine.add(id(node.value))
        elif isinstance(node, ast.Assign) and any(
            isinstance(to, ast.Name) and to.id in FOR_THE_OPERATOR for to in node.targets
        ):
            fine.add(id(node.value))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in EXTRACTED:
            texts = [*node.args, *(word.value for word in node.keywords if word.arg == "many")]
            fine.update(id(inner) for each in texts for inner in either(each))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            # The log, what is put together there, and what the operator hears of a command.
            fine.update(id(inner) for inner in ast.walk(node) if node.func.attr in LOGGED)
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and SENTENCE.match(node.value)
        and id(node) not in fine
    ]


FOR_THE_OPERATOR = {"IDENTIFIED"}
"""Sentences of their own, which the operator hears of a command."""


def either(node: ast.expr) -> list[ast.expr]:
    """A text, or the two of a condition."""
    return [*either(node.body), *either(node.orelse)] if isinstance(node, ast.IfExp) else [node]


EXTRACTED = {"finding", "fault", "note", "phrase", "phrases", "Words", "Row", "Told"}
LOGGED = {"debug", "info", "warning", "error", "critical", "exception", "removeprefix", "_end_command", "_end_all"}


def test_qml_holds_no_words_of_its_own() -> None:
    texts = [
        (path.name, text)
        for path in sorted((ROOT / "player" / "display" / "qml").rglob("*.qml"))
        for text in re.findall(r'\btext: [^\n"]*"([^"]*[A-Za-z]{2}[^"]*)"', path.read_text(encoding="utf-8"))
    ]
    assert texts == [("PinCard.qml", "PIN")]


@pytest.mark.parametrize(
    ("locale", "says"),
    [
        ("en-GB", "The device's clock is 4 minutes slow."),
        ("de-AT", "Die Uhr des Geräts geht 4 Minuten nach."),
        ("es-MX", "El reloj del aparato va atrasado 4 minutos."),
        ("fr-CA", "L’horloge de l’appareil retarde de 4 minutes."),
        ("ar-EG", "ساعة الجهاز متأخرة 4 دقائق."),
        ("ja-JP", "The device's clock is 4 minutes slow."),
        ("nonsense", "The device's clock is 4 minutes slow."),
    ],
)
def test_a_phrase_within_a_phrase_is_translated_too(locale: str, says: str) -> None:
    off = phrase("{span} slow", span=phrases("{count} minute", "{count} minutes", count=4))
    whole = phrase("The device's clock is {off}. The board goes by the service's time instead.", off=off)
    assert in_language(whole, locale).startswith(says)


def test_arabic_counts_as_arabic_does() -> None:
    told = [in_language(phrases("{count} hour", "{count} hours", count=n), "ar") for n in (1, 2, 3, 11, 100)]
    assert told == ["ساعة واحدة", "ساعتين", "3 ساعات", "11 ساعة", "100 ساعة"]


def test_a_name_keeps_its_own_direction_in_an_arabic_sentence() -> None:
    told = in_language(phrase("{host} cannot be reached.", host="menu.example.com"), "ar-KW")
    assert "\N{FIRST STRONG ISOLATE}menu.example.com\N{POP DIRECTIONAL ISOLATE}" in told
    assert in_language(phrase("{host} cannot be reached.", host="{curious}"), "de") == "{curious} ist nicht erreichbar."


def test_a_day_is_spoken_as_the_place_does() -> None:
    when = phrase("{day} at {time}", day=SpokenDay(date(2026, 12, 5)), time="07:00")
    assert when == "Saturday 5 December at 07:00"
    assert in_language(when, "de") == "Samstag, 5. Dezember um 07:00"
    assert in_language(when, "fr") == "samedi 5 décembre à 07:00"


def test_plain_text_is_left_as_it_is() -> None:
    assert in_language("Corner Café", "ar") == "Corner Café"
