"""Decodes a feed or a file: by its byte order mark, as declared, as UTF-8, or else by its characters.

A feed that is partly UTF-8 and partly not is refused: whichever one were chosen, the rest would be garbled. Characters
distinguish Cyrillic, Greek and Japanese; the workspace's language decides between Western encodings.
"""

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from service.schema.content.pos import FeedEncoding
from service.services.pos.feed import FeedError

_MARKS: tuple[tuple[bytes, FeedEncoding], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CODECS: dict[FeedEncoding, str] = {
    "utf-8": "utf-8-sig",
    "utf-16": "utf-16",
    "windows-1252": "cp1252",
    "windows-1250": "cp1250",
    "windows-1251": "cp1251",
    "windows-1253": "cp1253",
    "windows-1254": "cp1254",
    "mac-roman": "mac_roman",
    "shift-jis": "shift_jis",
}
_NAMES: dict[str, FeedEncoding] = {codec: name for name, codec in _CODECS.items() if not name.startswith("utf")}
_LANGUAGES: dict[FeedEncoding, frozenset[str]] = {
    "windows-1251": frozenset(("be", "bg", "kk", "mk", "ru", "sr", "uk")),
    "windows-1253": frozenset(("el",)),
    "shift-jis": frozenset(("ja",)),
    "windows-1250": frozenset(("bs", "cs", "hr", "hu", "pl", "ro", "sk", "sl", "sq")),
    "windows-1254": frozenset(("az", "tr")),
}
"""Languages whose letters windows-1252 lacks."""
_ENOUGH = 6
"""Bytes beyond ASCII from which on they tell an encoding."""
MAX_LOOKED_AT = 64 * 1024
"""Bytes by which the encoding is found."""
_UTF8_CHARACTER = re.compile(
    rb"\xc2[\xa1-\xaa\xac-\xba\xbc-\xbf]"
    rb"|\xc3[\x80-\x84\x86-\x90\x95\x96\x98\x9a-\x9f\xa1-\xaa\xac\xad\xaf-\xba\xbc-\xbf]"
    rb"|\xe2\x80[\x90-\xaf]|\xe2\x82\xac"
)
"""Letters and signs of western Europe in UTF-8. No text in Windows-1252 has these bytes: they would be `Ã¤`, `Â°` or
`â€™`. Bytes that text may have are left out: capitals before a quotation mark, an ellipsis or a space."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, its encoding, and whether another one was as likely."""

    text: str
    encoding: FeedEncoding
    is_sure: bool = True


def decode(raw: bytes, declared: FeedEncoding | None, *, language: str = "") -> Decoded:
    """Decodes the feed; `language` is that of the workspace. Raises FeedError."""
    marked = next((name for mark, name in _MARKS if raw.startswith(mark)), None)
    if marked is None and declared == "utf-16":
        # Without a mark it is as Windows writes it.
        raw, marked = codecs.BOM_UTF16_LE + raw, "utf-16"
    is_sure = True
    encoding = marked or declared
    if encoding is None:
        encoding, is_sure = ("utf-8", True) if _is_utf8(raw) else _found(raw, language)
    if encoding == "windows-1252":
        _refuse_utf8(raw)
    try:
        text = raw.decode(_CODECS[encoding])
    except UnicodeDecodeError as fault:
        line = raw.count(b"\n", 0, fault.start) + 1
        raise FeedError(
            "bad_encoding",
            f"The feed cannot be read as {encoding}: byte {fault.start}, in line {line}, does not belong there.",
        ) from None
    if "\0" in text:
        detail = "The feed is no text, or UTF-16 without a byte order mark: then set `encoding` to utf-16."
        raise FeedError("bad_encoding", detail)
    return Decoded(text, encoding, is_sure)


def _found(raw: bytes, language: str) -> tuple[FeedEncoding, bool]:
    """Returns the likeliest encoding other than UTF, and whether no other one is as likely."""
    sample = raw[: raw.rfind(b"\n", 0, MAX_LOOKED_AT) + 1 or MAX_LOOKED_AT] if len(raw) > MAX_LOOKED_AT else raw
    matches = list(from_bytes(sample, cp_isolation=list(_NAMES)))
    likely = {_NAMES[one] for match in matches for one in match.could_be_from_charset if one in _NAMES}
    best = _NAMES.get(matches[0].encoding, "windows-1252") if matches else "windows-1252"
    told = sum(byte >= 0x80 for byte in sample)
    # Scripts of their own, which no other encoding has by chance.
    if best in ("windows-1251", "windows-1253", "shift-jis") and (language in _LANGUAGES[best] or told >= _ENOUGH):
        return best, True
    own: FeedEncoding = next((name for name, languages in _LANGUAGES.items() if language in languages), "windows-1252")
    if best == "mac-roman" and own not in likely and told >= _ENOUGH:
        return best, False
    return own, not matches or _CODECS[own] in matches[0].could_be_from_charset


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _refuse_utf8(raw: bytes) -> None:
    """Raises FeedError for a text with characters in UTF-8, which are not Windows-1252."""
    found = _UTF8_CHARACTER.search(raw)
    if found is None:
        return
    line = raw.count(b"\n", 0, found.start()) + 1
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as fault:
        other = raw.count(b"\n", 0, fault.start) + 1
        detail = f"Line {line} of the feed is UTF-8, and line {other} is not. Export it in one encoding."
        raise FeedError("mixed_encodings", detail) from None
    raise FeedError("bad_encoding", f"The feed is UTF-8, as line {line} shows, and not Windows-1252 as declared.")
