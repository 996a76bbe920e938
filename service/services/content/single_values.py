"""Splits a change of local values into single values by name: `price`, `variants/var_1/price`, `modifiers/Oat
milk/priceDelta`.

Two changes meet where they name the same value; a list that is null names each value in it.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

_PARTS = {"variants": "id", "modifiers": "name"}
_UNTIL = "eightySixedUntil"


def flat(document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the single values of a change as the API takes it."""
    found: dict[str, Any] = {}
    for name, value in document.items():
        key = _PARTS.get(name)
        if key is None or value is None:
            found[name] = value
        else:
            found |= {
                f"{name}/{one[key]}/{field}": told for one in value for field, told in one.items() if field != key
            }
    return found


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the change as the API takes it."""
    document: dict[str, Any] = {}
    parts: dict[tuple[str, str], dict[str, Any]] = {}
    for name, value in values.items():
        kind, _, rest = name.partition("/")
        if not rest:
            document[name] = value
            continue
        part, _, field = rest.rpartition("/")
        if (kind, part) not in parts:
            parts[kind, part] = {_PARTS[kind]: part}
            document.setdefault(kind, []).append(parts[kind, part])
        parts[kind, part][field] = value
    return document


def without(values: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Returns the single values that none of these names names."""
    names = list(names)
    return {name: value for name, value in values.items() if not meet([name], names)}


def meet(some: Collection[str], others: Collection[str]) -> bool:
    """True if both name the same value."""
    return any(_same(_whole(one), _whole(other)) for one in some for other in others)


def _whole(name: str) -> str:
    """Maps the end of an 86 to the 86: both are one value."""
    return "eightySixed" if name == _UNTIL else name


def _same(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")
