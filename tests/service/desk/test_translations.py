"""Sentences of the desk are in five languages: none lacks its translation, and none is left of what is not said."""

import string

import pytest

from service.desk.words import ENGLISH, LANGUAGES
from tests.translations import sentences, translations

OTHERS = sorted(set(LANGUAGES) - {ENGLISH})


def values_of(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", OTHERS)
def test_every_sentence_is_translated(language: str) -> None:
    known = translations(language, "service")
    for sentence in sentences("service"):
        first, last = sentence if isinstance(sentence, tuple) else (sentence, sentence)
        found = known.get(first)
        assert found is not None, f"{first!r} is not in {language}.po: run python -m tests.translations"
        forms = found.string if isinstance(found.string, tuple) else (found.string,)
        assert all(forms), f"{first!r} has no translation in {language}.po"
        for form in forms:
            assert values_of(last) - {"count"} <= values_of(form) <= values_of(last), form


@pytest.mark.parametrize("language", OTHERS)
def test_no_translation_is_left_of_what_is_no_longer_said(language: str) -> None:
    said = {sentence[0] if isinstance(sentence, tuple) else sentence for sentence in sentences("service")}
    left = [each.id for each in translations(language, "service") if each.id and not {each.id, each.id[0]} & said]
    assert left == [], "run python -m tests.translations"
