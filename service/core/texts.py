"""Compares texts regardless of spelling variants; imports no other part of the service."""

import unicodedata


def key_of(text: str) -> str:
    """Folds the text: equal for either case, composed and decomposed, full-width and half-width characters (Unicode,
    NFKC), and without invisible characters."""
    told = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(one for one in told if unicodedata.category(one) != "Cf").split())
