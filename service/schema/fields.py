"""Field types, each with its bounds and its standard."""

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Annotated, Any
from zoneinfo import available_timezones

from annotated_types import MaxLen, MinLen
from babel import Locale, UnknownLocaleError
from babel.core import get_global
from pydantic import AfterValidator, BeforeValidator, GetJsonSchemaHandler, PlainSerializer, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError

from service.core.clock import instant_text, whole_milliseconds
from service.core.prices import PRICE_DECIMALS, PRICE_LIMIT, price_of, price_units

NAME_LENGTH = 200
LABEL_LENGTH = 100
DESCRIPTION_LENGTH = 1000
LANGUAGE_LENGTH = 35
WHOLE_NUMBER_LIMIT = 1_000_000_000
COORDINATE_LIMIT = 32_768
"""Canvas units; this bound and those of widgets are what players accept."""
ASSET_PREFIX = "sha256:"

_ZONES = frozenset(available_timezones()) - {"localtime", "Factory"}
# Those that are tender somewhere: no metals, tests and currencies of the past.
CURRENCIES = frozenset(
    code
    for currencies in get_global("territory_currencies").values()
    for code, _, until, is_tender in currencies
    # Menus go on showing a currency that has ended since for a time, and versions of Babel differ.
    if is_tender and (until is None or until >= (2025, 1, 1))
)
"""Currencies of ISO 4217 that are in use."""
_RFC3339 = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})", re.ASCII)
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
# Control characters but line breaks and tabs, and what turns the direction of the text around it.
_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e]")
_BREAKS = re.compile(r"[\t\n\r\u2028\u2029]")
# Blank although they count as letters or symbols.
_BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def fault(code: str, detail: str) -> PydanticCustomError:
    """Makes a validation fault with the code and detail that the caller sees."""
    return PydanticCustomError(code, "{detail}", {"detail": detail})


def faults_at(pointers: list[str], code: str, detail: str) -> PydanticCustomError:
    """Makes a fault at several pointers below the checked value."""
    return PydanticCustomError(code, "{detail}", {"detail": detail, "pointers": pointers})


def differ(detail: str, *, at: str = "", by: Callable[[Any], object] = lambda one: one) -> AfterValidator:
    """Finds the entries of a list that say the same as an earlier one; the fault is at this pointer below each."""

    def check(entries: list[Any]) -> list[Any]:
        seen: dict[object, int] = {}
        again = [f"/{place}{at}" for place, one in enumerate(entries) if seen.setdefault(by(one), place) != place]
        if again:
            raise faults_at(again, "duplicate", detail)
        return entries

    return AfterValidator(check)


def each_once(values: list[str]) -> list[str]:
    """Removes duplicates: each value stays at its first place."""
    return list(dict.fromkeys(values))


def storable(text: str) -> str:
    if _UNSTORABLE.search(text):
        raise fault("bad_text", "Text may not hold NUL or unpaired surrogates.")
    return text


def readable(text: str) -> str:
    """Checks a text of one or several lines for control characters."""
    if found := _UNREADABLE.search(storable(text)):
        raise fault("bad_text", f"Text may not hold the control character U+{ord(found[0]):04X}.")
    return text


def one_line(text: str) -> str:
    """Checks that a text has one line."""
    if _BREAKS.search(readable(text)):
        raise fault("several_lines", "This has one line, without tabs.")
    return text


def not_blank(text: str) -> str:
    """Checks that a text has a visible character."""
    # Controls, formats such as U+200B, and blanks.
    if all(unicodedata.category(one) in ("Cc", "Cf", "Zs", "Zl", "Zp") or one in _BLANKS for one in text):
        raise fault("blank", "This may not be blank.")
    return text


class TextSchema:
    """The schema of a string in the API document. Formats of our own name a public list, such as `iana-timezone`.

    Not `WithJsonSchema`: it hands the same dictionary to every field, and the default of one is written into it.
    """

    def __init__(self, **keywords: Any) -> None:
        self._keywords = keywords

    def __get_pydantic_json_schema__(self, _schema: CoreSchema, _handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "string", **self._keywords}


def not_blank_text(longest: int) -> TextSchema:
    """Returns the schema of a text with a visible character."""
    return TextSchema(minLength=1, maxLength=longest, pattern=r"\S")


# Lengths come before the functions: after one, pydantic no longer knows that the value is text.
Text = Annotated[str, AfterValidator(readable)]
Name = Annotated[
    str,
    MinLen(1),
    MaxLen(NAME_LENGTH),
    AfterValidator(one_line),
    AfterValidator(not_blank),
    not_blank_text(NAME_LENGTH),
]
Lines = Annotated[
    str,
    MinLen(1),
    MaxLen(NAME_LENGTH),
    AfterValidator(readable),
    AfterValidator(not_blank),
    not_blank_text(NAME_LENGTH),
]
"""A short text of one or several lines."""
Label = Annotated[
    str,
    MinLen(1),
    MaxLen(LABEL_LENGTH),
    AfterValidator(one_line),
    AfterValidator(not_blank),
    not_blank_text(LABEL_LENGTH),
]
Description = Annotated[str, MaxLen(DESCRIPTION_LENGTH), AfterValidator(readable)]
Reason = Annotated[
    str,
    MinLen(1),
    MaxLen(DESCRIPTION_LENGTH),
    AfterValidator(readable),
    AfterValidator(not_blank),
    not_blank_text(DESCRIPTION_LENGTH),
]
Identifier = Annotated[str, MinLen(1), MaxLen(LABEL_LENGTH), AfterValidator(storable)]


def _number(value: object) -> int | Decimal:
    # The body reader turns every JSON number into int or Decimal; a bool is an int to Python.
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise fault("not_a_number", "This must be a number.")
    if isinstance(value, int):
        return value
    number = Decimal(value)
    if not number.is_finite():
        raise fault("not_a_number", "NaN and Infinity are not numbers here.")
    return number


def _within(number: int | Decimal, limit: int | Decimal) -> bool:
    # Not abs(): 1e9999999 overflows the decimal context, while a comparison looks at the exponent.
    return -limit <= number <= limit


def decimal_number(value: object) -> Decimal:
    """Parses a number as it is written. Raises the fault of an invalid one."""
    return Decimal(_number(value))


def _float(value: object) -> int | float:
    number = _number(value)
    if not _within(number, WHOLE_NUMBER_LIMIT):
        raise fault("out_of_range", f"Numbers here lie between -{WHOLE_NUMBER_LIMIT} and {WHOLE_NUMBER_LIMIT}.")
    return int(number) if number == int(number) else float(number)


def _int(value: object) -> int:
    number = _number(value)
    if isinstance(number, int):
        return number
    if not _within(number, WHOLE_NUMBER_LIMIT) or number != number.to_integral_value():
        raise fault("not_whole", "This must be a whole number.")
    return int(number)


def _money(value: Decimal) -> Decimal:
    if not _within(value, PRICE_LIMIT):
        raise fault("out_of_range", f"A price is at most {PRICE_LIMIT}.")
    # Only after the bounds: rounding a larger number could overflow the decimal context.
    if value != round(value, PRICE_DECIMALS):
        raise fault("too_precise", f"A price has at most {PRICE_DECIMALS} decimal places.")
    return price_of(price_units(round(value, PRICE_DECIMALS)))


def _not_negative(value: Decimal) -> Decimal:
    if value < 0:
        raise fault("negative", "A price is not negative.")
    return abs(value)


_NUMBER_SCHEMA = {"type": "number", "minimum": -int(PRICE_LIMIT), "maximum": int(PRICE_LIMIT)}
Money = Annotated[Decimal, BeforeValidator(decimal_number), AfterValidator(_money), WithJsonSchema(_NUMBER_SCHEMA)]
Price = Annotated[
    Decimal,
    BeforeValidator(decimal_number),
    AfterValidator(_money),
    AfterValidator(_not_negative),
    WithJsonSchema(_NUMBER_SCHEMA | {"minimum": 0}),
]
Number = Annotated[int | float, BeforeValidator(_float)]
Whole = Annotated[int, BeforeValidator(_int)]


def _known(values: frozenset[str], code: str, what: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        if value not in values:
            raise fault(code, f"{value!r} is not {what}.")
        return value

    return check


def _parsed(value: str) -> str | None:
    """Returns the usual spelling of a locale that CLDR knows. `und` and `root` name no language."""
    try:
        found = str(Locale.parse(value, sep="-")).replace("_", "-")
    except (ValueError, UnknownLocaleError):
        return None
    return None if value.lower().partition("-")[0] in ("und", "root") else found


def _locale(value: str) -> str:
    found = _parsed(value)
    if found is None:
        raise fault("unknown_locale", f"{value!r} is not a locale that CLDR knows, such as de-DE.")
    return found


def _language(value: str) -> str:
    found = _parsed(value)
    if found is None:
        detail = f"{value!r} is not a language tag (BCP 47) that CLDR knows, such as en, pt-BR or zh-Hant."
        raise fault("unknown_language", detail)
    return found


def read_instant(value: object) -> object:
    """Parses the instant of a text. Raises the fault of an invalid one."""
    if not isinstance(value, str) or not _RFC3339.fullmatch(value):
        raise fault("not_an_instant", "This must be an instant such as 2026-11-20T17:00:00Z (RFC 3339).")
    try:
        return whole_milliseconds(datetime.fromisoformat(value.upper()).astimezone(UTC))
    except (ValueError, OverflowError):
        raise fault("not_an_instant", "There is no such date and time.") from None


def of_calendar(form: str, read: Callable[[str], object], code: str, detail: str) -> Callable[[str], str]:
    """Makes a check that a text has this form, and names a value of the calendar: `read` raises ValueError if not."""
    pattern = re.compile(form, re.ASCII)

    def checked(value: str) -> str:
        try:
            if pattern.fullmatch(value):
                read(value)
                return value
        except ValueError:
            pass
        raise fault(code, detail)

    return checked


_date = of_calendar(r"\d{4}-\d{2}-\d{2}", date.fromisoformat, "not_a_date", "This must be a date, such as 2026-12-25.")


def _instant_written(value: object) -> object:
    found = read_instant(value)
    return instant_text(found) if isinstance(found, datetime) else found


check_timezone = _known(_ZONES, "unknown_timezone", "a time zone of the IANA database")
Timezone = Annotated[
    str, AfterValidator(check_timezone), TextSchema(format="iana-timezone", examples=["Europe/Berlin"])
]
Currency = Annotated[
    str,
    AfterValidator(_known(CURRENCIES, "unknown_currency", "a currency of ISO 4217 that is in use")),
    TextSchema(format="iso-4217", pattern="^[A-Z]{3}$", examples=["EUR"]),
]
LocaleName = Annotated[
    str, MaxLen(50), AfterValidator(_locale), TextSchema(format="cldr-locale", maxLength=50, examples=["de-DE"])
]
Language = Annotated[
    str,
    MaxLen(LANGUAGE_LENGTH),
    AfterValidator(_language),
    TextSchema(format="bcp-47", maxLength=LANGUAGE_LENGTH, examples=["en"]),
]
Instant = Annotated[
    datetime,
    BeforeValidator(read_instant),
    PlainSerializer(instant_text, when_used="json"),
    TextSchema(format="date-time"),
]
DateText = Annotated[str, AfterValidator(_date), TextSchema(format="date", examples=["2026-12-25"])]
InstantText = Annotated[str, TextSchema(format="date-time")]
WrittenInstant = Annotated[str, BeforeValidator(_instant_written), TextSchema(format="date-time")]
"""An instant in a document that is stored as it is sent."""


def _pattern(expression: str, code: str, detail: str) -> Callable[[str], str]:
    compiled = re.compile(expression, re.ASCII)

    def check(value: str) -> str:
        if not compiled.fullmatch(value):
            raise fault(code, detail)
        return value

    return check


Sha256 = Annotated[
    str,
    AfterValidator(_pattern(r"[0-9a-f]{64}", "not_a_hash", "A SHA-256 has 64 hex digits, in lower case.")),
    WithJsonSchema({"type": "string", "pattern": "^[0-9a-f]{64}$"}),
]

_ASSET_NAME = r"sha256:[0-9a-f]{64}"
_COLOR = r"#([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})"
AssetName = Annotated[
    str,
    AfterValidator(_pattern(_ASSET_NAME, "not_an_asset", "An asset is named sha256: and 64 hex digits.")),
    TextSchema(pattern=f"^{_ASSET_NAME}$"),
]


def _family(value: str) -> str:
    if value.startswith(ASSET_PREFIX):
        _pattern(_ASSET_NAME, "not_an_asset", "A font of the assets is named sha256: and 64 hex digits.")(value)
    return value


FontFamily = Annotated[
    str,
    MinLen(1),
    MaxLen(NAME_LENGTH),
    AfterValidator(one_line),
    AfterValidator(not_blank),
    AfterValidator(_family),
    not_blank_text(NAME_LENGTH),
]
"""The name of an installed family, or a font of the assets."""
Color = Annotated[
    str,
    AfterValidator(_pattern(_COLOR, "not_a_color", "A colour is #RRGGBB or #AARRGGBB.")),
    TextSchema(pattern=f"^{_COLOR}$", examples=["#F5EFE6"]),
]


def instant_or_none(instant: datetime | None) -> str | None:
    """Formats an optional instant for JSON."""
    return None if instant is None else instant_text(instant)
