"""Translations: names and descriptions of items by language, and the words that items and scenes share."""

from typing import Annotated, TypeVar

from annotated_types import MaxLen, MinLen
from pydantic import AfterValidator, TypeAdapter, ValidationError

from menu.documents.manifest_reader import MAX_WORDS
from menu.documents.scene import MAX_LANGUAGES
from service.core.errors import pointer_part
from service.schema.base import ABSENT, Input, Patch, ResponseModel
from service.schema.fields import Description, Language, Name, Reason, differ, faults_at

Word = Reason
"""A category, a variant, an option, a tag, or a text of a scene."""

T = TypeVar("T")
_language: TypeAdapter[str] = TypeAdapter(Language)
_word: TypeAdapter[str] = TypeAdapter(Word)


class Translation(Input):
    """An item's texts in another language; what is left out is shown as the item has it."""

    name: Name | None = None
    description: Description | None = None


class NameTranslation(Input):
    """An item's name in another language, as a feed tells it."""

    name: Name


class TranslationResponse(ResponseModel):
    """An item's texts in another language."""

    name: str | None
    description: str | None


def _by_language(values: dict[str, T]) -> dict[str, T]:
    """Returns the values by languages in their usual spelling, each of which occurs once."""
    found: dict[str, T] = {}
    for written, value in values.items():
        pointer = [f"/{pointer_part(written)}"]
        try:
            language = _language.validate_python(written)
        except ValidationError:
            detail = f"{written[:50]!r} is not a language tag (BCP 47) that CLDR knows, such as en, pt-BR or zh-Hant."
            raise faults_at(pointer, "unknown_language", detail) from None
        if language in found:
            raise faults_at(pointer, "duplicate", "This language stands here already.")
        found[language] = value
    return found


def _say_something(translations: dict[str, Translation]) -> dict[str, Translation]:
    silent = [f"/{language}" for language, one in translations.items() if one.name is None and not one.description]
    if silent:
        raise faults_at(silent, "empty", "A translation has a name, a description or both.")
    return translations


def _are_words(values: dict[str, T]) -> dict[str, T]:
    for written in values:
        try:
            _word.validate_python(written)
        except ValidationError as flaw:
            detail = str(flaw.errors()[0]["msg"])
            raise faults_at([f"/{pointer_part(written)}"], "bad_text", f"This is no word: {detail}") from None
    return values


LANGUAGES_DIFFER = differ("This language stands here already.")
Languages = Annotated[list[Language], MaxLen(MAX_LANGUAGES), LANGUAGES_DIFFER]
Translations = Annotated[
    dict[str, Translation], MaxLen(MAX_LANGUAGES), AfterValidator(_by_language), AfterValidator(_say_something)
]
NameTranslations = Annotated[dict[str, NameTranslation], MaxLen(MAX_LANGUAGES), AfterValidator(_by_language)]
WordTranslations = Annotated[dict[str, Word], MinLen(1), MaxLen(MAX_LANGUAGES), AfterValidator(_by_language)]


class WordsPatch(Patch):
    """Words with their translations by language, to add or to replace; null takes a word out."""

    words: Annotated[dict[str, WordTranslations | None], MaxLen(MAX_WORDS), AfterValidator(_are_words)] = ABSENT


class WordsResponse(ResponseModel):
    """The words that items and scenes share, with their translations by language."""

    words: dict[str, dict[str, str]]
