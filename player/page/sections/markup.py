"""HTML as text in which everything is escaped that is not markup of the page's own; pure.

`Html` is an ordinary string, in English. It also knows the phrases in it, so that `written` has it in another language.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from msgspec import Struct

from player.domain.words.phrase import Phrase, Spoken, filled, in_language, is_right_to_left
from player.domain.words.wording import FALLBACK_LOCALE

VOID = frozenset({"br", "circle", "img", "input", "line", "link", "meta", "path", "rect"})


class Html(str):
    """Markup, as opposed to text that is still to be escaped. `pieces` are markup, or still to be
    translated."""

    __slots__ = ("pieces",)
    pieces: tuple[str | _Said, ...]

    def __new__(cls, *pieces: str | _Said) -> Html:
        """Markup of these pieces."""
        made = super().__new__(
            cls, "".join(one if isinstance(one, str) else one.written(FALLBACK_LOCALE) for one in pieces)
        )
        made.pieces = pieces
        return made


class _Said(Struct, frozen=True):
    """A phrase within markup, or a value that each language writes in its own way."""

    content: Phrase | Spoken
    in_attribute: bool = False
    known: str = ""
    """As FALLBACK_LOCALE writes it: the markup of each element around it has it again."""

    def written(self, locale: str) -> str:
        content = self.content
        if self.known and locale == FALLBACK_LOCALE:
            return self.known
        if isinstance(content, Spoken):
            return escape(content.in_locale(locale))
        if self.in_attribute:
            return escape(in_language(content, locale))
        isolates = is_right_to_left(locale)
        return filled(content, locale, escape, lambda value: _value(value, locale, isolates=isolates))


Content = str | Html | Phrase | Spoken | None
"""What stands in an element: text, which is escaped, what is translated, markup, or nothing."""


def tag(name: str, /, *content: Content, **attributes: str | int | float | bool | None) -> Html:
    """An element. `cls` is its class and `for_` its label's; an underscore in an attribute is a hyphen. An attribute
    that is None or False is left out."""
    pieces: list[str | _Said] = [f"<{name}"]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        if value is True:
            pieces.append(f" {_name(key)}")
        elif isinstance(value, Phrase):
            pieces += [f' {_name(key)}="', _said(value, in_attribute=True), '"']
        else:
            pieces.append(f' {_name(key)}="{escape(str(value))}"')
    pieces.append(">")
    if name not in VOID:
        pieces += [*_pieces(content), f"</{name}>"]
    return _joined(pieces)


def join(*content: Content) -> Html:
    """One after the other."""
    return _joined(_pieces(content))


def name_of(text: str) -> Html:
    """A name that people gave, in whatever script and direction."""
    return tag("bdi", text)


def written(html: str, locale: str) -> str:
    """Markup in the language of a locale."""
    if not isinstance(html, Html):
        return html
    return "".join(one if isinstance(one, str) else one.written(locale) for one in html.pieces)


def _pieces(content: Iterable[Content]) -> Iterable[str | _Said]:
    for one in content:
        if isinstance(one, Html):
            yield from one.pieces
        elif isinstance(one, Phrase | Spoken):
            yield _said(one)
        elif one:
            yield escape(one)


def _said(content: Phrase | Spoken, *, in_attribute: bool = False) -> _Said:
    known = _Said(content, in_attribute).written(FALLBACK_LOCALE)
    return _Said(content, in_attribute, known)


def _joined(pieces: Iterable[str | _Said]) -> Html:
    """The pieces, of which neighbours that need no translation are one."""
    made: list[str | _Said] = []
    text: list[str] = []
    for one in pieces:
        if isinstance(one, str):
            text.append(one)
            continue
        if text:
            made.append("".join(text))
            text = []
        made.append(one)
    if text:
        made.append("".join(text))
    return Html(*made)


def _value(value: object, locale: str, *, isolates: bool) -> str:
    """A value within a sentence; a name or an address keeps its own order in one that runs the other way."""
    if isinstance(value, Html):
        return written(value, locale)
    if isinstance(value, Phrase | Spoken):
        return _Said(value).written(locale)
    text = escape(str(value))
    return f"<bdi>{text}</bdi>" if isolates and isinstance(value, str) else text


def _name(key: str) -> str:
    return {"cls": "class"}.get(key, key.rstrip("_").replace("_", "-"))
