"""Decodes a feed: by its byte order mark, as declared, as UTF-8, or as Windows-1252 where it cannot be UTF-8.

A feed that is partly UTF-8 and partly not is refused: whichever one were chosen, the rest would be garbled.
"""

import codecs
import re

from service.schema.content.pos import FeedEncoding
from service.services.pos.feed import FeedError

_MARKS: tuple[tuple[bytes, FeedEncoding], ...] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CODECS: dict[FeedEncoding, str] = {"utf-8": "utf-8-sig", "utf-16": "utf-16", "windows-1252": "cp1252"}
_UTF8_CHARACTER = re.compile(
    rb"\xc2[\xa1-\xaa\xac-\xba\xbc-\xbf]"
    rb"|\xc3[\x80-\x84\x86-\x90\x95\x96\x98\x9a-\x9f\xa1-\xaa\xac\xad\xaf-\xba\xbc-\xbf]"
    rb"|\xe2\x80[\x90-\xaf]|\xe2\x82\xac"
)
"""Letters and signs of western Europe in UTF-8. No text in Windows-1252 has these bytes: they would be `Ã¤`, `Â°` or
`â€™`. Bytes that text may have are left out: capitals before a quotation mark, an ellipsis or a space."""


def decode(raw: bytes, declared: FeedEncoding | None) -> tuple[str, FeedEncoding]:
    """The text of the feed and its encoding. Raises FeedError."""
    marked = next((name for mark, name in _MARKS if raw.startswith(mark)), None)
    if marked is None and declared == "utf-16":
        # Without a mark it is as Windows writes it.
        raw, marked = codecs.BOM_UTF16_LE + raw, "utf-16"
    encoding = marked or declared or ("utf-8" if _is_utf8(raw) else "windows-1252")
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
    return text, encoding


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _refuse_utf8(raw: bytes) -> None:
    """Raises FeedError for a text with characters in UTF-8, which are no Windows-1252."""
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
