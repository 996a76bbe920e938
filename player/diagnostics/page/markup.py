"""HTML as text in which everything is escaped that is not markup of the page's own; pure."""

from __future__ import annotations

from html import escape

VOID = frozenset({"br", "circle", "img", "input", "line", "link", "meta", "path", "rect"})


class Html(str):
    """Markup, as opposed to text that is still to be escaped."""

    __slots__ = ()


Content = str | Html | None
"""What stands in an element: text, which is escaped, markup, or nothing."""


def tag(name: str, /, *content: Content, **attributes: str | int | float | bool | None) -> Html:
    """An element. `cls` is its class and `for_` its label's; an underscore in an attribute is a hyphen. An attribute
    that is None or False is left out."""
    written = "".join(
        f" {_name(key)}" if value is True else f' {_name(key)}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{join(*content)}</{name}>")


def join(*content: Content) -> Html:
    """One after the other."""
    return Html("".join(one if isinstance(one, Html) else escape(one) for one in content if one))


def name_of(text: str) -> Html:
    """A name that people gave, in whatever script and direction."""
    return tag("bdi", text)


def _name(key: str) -> str:
    return {"cls": "class"}.get(key, key.rstrip("_").replace("_", "-"))
