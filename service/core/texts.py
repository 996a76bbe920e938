"""Compares texts as people do: the same for all ways to write them; imports no other part of the service."""

import unicodedata


def key_of(text: str) -> str:
    """The text in a form that is equal for either case, composed and decomposed, full-width and half-width characters
    (Unicode, NFKC), and without characters that cannot be seen."""
    told = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(one for one in told if unicodedata.category(one) != "Cf").split())
