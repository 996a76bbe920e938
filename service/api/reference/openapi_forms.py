"""Levels the forms in which versions of the framework and of pydantic write one and the same API document.

Newer ones say of every object that it may have more fields, which is so without the word. Older ones write some models
twice, as `…-Input` and `…-Output`, without any difference between them.
"""

from collections.abc import Mapping
from typing import Any

_SCHEMAS = "#/components/schemas/"
_MAY_HAVE_MORE = "additionalProperties"


def levelled(document: dict[str, Any]) -> dict[str, Any]:
    """The document in one form, whatever versions have written it."""
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
        kept = (name for name, value in part.items() if name != _MAY_HAVE_MORE or value is not True)
        return {name: _levelled(part[name], once) for name in kept}
    if isinstance(part, list):
        return [_levelled(one, once) for one in part]
    return once.get(part, part) if isinstance(part, str) else part
