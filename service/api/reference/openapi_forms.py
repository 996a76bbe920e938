"""Unifies the forms in which versions of the framework and of pydantic write one and the same API document.

Newer ones state for every object that it may have more fields, which is the default. Older ones write some models
twice, as `…-Input` and `…-Output`, without any difference between them. Constructs that client generators fail on are
omitted or written in JSON Schema's terms.
"""

from collections.abc import Iterator, Mapping
from typing import Any

_SCHEMAS = "#/components/schemas/"
_MAY_HAVE_MORE = "additionalProperties"
_BOUNDS = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}
"""Bounds of numbers as pydantic leaves them in types with a check of their own, and as JSON Schema has them."""
_EXAMPLES = ("example", "examples", "const", "enum", "default")
_NAMED = frozenset(("version", "openapi"))
"""Words of `info`, whose title stays."""


def levelled(document: dict[str, Any]) -> dict[str, Any]:
    """Returns the document in one form, whatever versions have written it."""
    schemas = document["components"]["schemas"]
    once = {
        _SCHEMAS + plain + side: _SCHEMAS + plain
        for plain in (name.removesuffix("-Input") for name in schemas if name.endswith("-Input"))
        if schemas[plain + "-Input"] == schemas.get(plain + "-Output")
        for side in ("-Input", "-Output")
    }
    level: dict[str, Any] = _levelled(document, once)
    named = {once.get(_SCHEMAS + name, name).removeprefix(_SCHEMAS): schema for name, schema in schemas.items()}
    level["components"]["schemas"] = {name: _levelled(named[name], once) for name in sorted(named)}
    return level


def _levelled(part: Any, once: Mapping[str, str]) -> Any:
    if isinstance(part, dict):
        return dict(_kept(part, once))
    if isinstance(part, list):
        return [_levelled(one, once) for one in part]
    return once.get(part, part) if isinstance(part, str) else part


def _kept(part: Mapping[str, Any], once: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Yields the keywords of an object, or the entries of a map, in their unified form."""
    for name, value in part.items():
        if name == _MAY_HAVE_MORE and value is True:
            continue
        if name in _BOUNDS and isinstance(value, int | float):
            yield _BOUNDS[name], value
        elif name == "default" and value == "" and part.get("format") == "date-time":
            # It is left out then.
            continue
        elif name in _EXAMPLES:
            yield name, value
        elif name == "title" and isinstance(value, str) and not part.keys() & _NAMED:
            # Two schemas with one title are one to some programs; their names are unique.
            continue
        else:
            yield name, _levelled(value, once)
