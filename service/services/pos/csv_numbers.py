"""Reads prices of CSV files. The separator of the columns says how decimals are written; no price is guessed.

| between the columns | read | refused |
|---|---|---|
| comma | `8.50` | `8,50` |
| semicolon | `8,50`, `8.50`, `1.250,00` | `1.250`, which is 1250 or 1.25 |
| tab | `8,50`, `8.50` | `1.250` and `1,250` |
"""

import re
from decimal import Decimal

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
"""A number that may have a decimal or a thousands separator."""
_GROUPED = re.compile(r"[+-]?\d{1,3}(\.\d{3})+,\d+", re.ASCII)


class NumberError(Exception):
    """A number that is not written as in this file. The message is for the operator."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


def number_in(text: str, delimiter: str) -> Decimal | str:
    """The number, or the text itself where it is none. Raises NumberError for a separator that does not fit."""
    if delimiter == ",":
        if "," in text:
            raise NumberError(
                "wrong_separator", "With commas between the columns, a price is written with a point: 8.50."
            )
        return _plain(text)
    if delimiter == ";" and _GROUPED.fullmatch(text):
        return _plain(text.replace(".", "").replace(",", "."))
    if "," in text and "." in text:
        raise NumberError("wrong_separator", "A price has one separator, that of its decimals: 1250,00.")
    if _THOUSANDS.fullmatch(text) and not (delimiter == ";" and "," in text):
        whole = text.replace(".", "").replace(",", "")
        raise NumberError("ambiguous_number", f"{text} may be {whole} or have three decimals. Write {whole}, or 8,50.")
    return _plain(text.replace(",", "."))


def _plain(text: str) -> Decimal | str:
    return Decimal(text) if _NUMBER.fullmatch(text) else text
