"""Loads the translations of a program's sentences, and chooses the language that somebody asks for."""

from __future__ import annotations

from collections.abc import Collection
from gettext import GNUTranslations, NullTranslations
from importlib.resources.abc import Traversable
from io import BytesIO

MOST_WISHES = 20
"""Languages of a request that are looked at."""


def translations(file: Traversable, language: str) -> NullTranslations:
    """Translations of a PO file; English where it is damaged."""
    # Not at the top: a board in English needs none, and a start has no time for it.
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import PoFileError, read_po

    binary = BytesIO()
    try:
        write_mo(binary, read_po(BytesIO(file.read_bytes()), locale=language))
        binary.seek(0)
        return GNUTranslations(binary)
    except (OSError, ValueError, PoFileError):
        return NullTranslations()


def wished(accepted: str, spoken: Collection[str]) -> str | None:
    """Returns the first of these languages in an Accept-Language header (RFC 9110); None if it names none of them."""
    wishes: list[tuple[float, int, str]] = []
    for wish in accepted.split(",")[:MOST_WISHES]:
        tag, _, weight = wish.strip().partition(";")
        try:
            quality = float(weight.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        language = tag.strip().lower().replace("_", "-").partition("-")[0]
        if language in spoken and quality > 0:
            wishes.append((-quality, len(wishes), language))
    return min(wishes)[2] if wishes else None
