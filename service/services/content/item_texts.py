"""Texts of items in other languages."""

from collections.abc import Iterable, Mapping

from service.core.errors import Fault
from service.schema.base import unchecked
from service.schema.content.translation import Translation, TranslationResponse
from service.storage.tables.menus import ItemRow

_translation = unchecked(TranslationResponse)


def translations_of(row: ItemRow) -> dict[str, TranslationResponse]:
    return {
        language: _translation(told.get("name"), told.get("description")) for language, told in row.translations.items()
    }


def set_translations(row: ItemRow, translations: Mapping[str, Mapping[str, str]]) -> None:
    """Sets the item's texts in other languages; each entry has only the given ones."""
    row.translations = {language: dict(told) for language, told in translations.items()}
    row.named_in = "".join(f" {language} " for language, told in translations.items() if "name" in told)


def stored_translations(translations: Mapping[str, Translation]) -> dict[str, dict[str, str]]:
    return {
        language: {name: text for name, text in (("name", one.name), ("description", one.description)) if text}
        for language, one in translations.items()
    }


def without_base(row: ItemRow, *, given: bool, pointer: str) -> Iterable[Fault]:
    """Checks descriptions in other languages of an item without one: a fault if they are given, otherwise they are
    removed with the item's own."""
    if row.description:
        return
    described = [language for language, told in row.translations.items() if "description" in told]
    if not described:
        return
    if given:
        for language in described:
            at = f"{pointer}/translations/{language}/description"
            yield Fault("no_base", "The item itself has no `description` that this would translate.", at)
        return
    named = {language: {"name": told["name"]} for language, told in row.translations.items() if "name" in told}
    set_translations(row, named)
