"""Seeded mutations of bytes and of JSON trees."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

DEEP = 3000
LONG = 20_000

STRANGE: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    0.5,
    -0.0,
    1e308,
    -1e308,
    2**31,
    2**53 + 1,
    2**64,
    10**40,
    float("nan"),
    float("inf"),
    "",
    " ",
    "\0",
    "\ud800",
    "\u202e",
    "\N{ZERO WIDTH JOINER}",
    "a" * 201,
    "A" * LONG,
    "1",
    "true",
    "null",
    "NaN",
    "../../etc/passwd",
    "file:///etc/passwd",
    "%s%n{}",
    "2026-02-30T25:61:61Z",
    "9999-12-31T23:59:59.999Z",
    "0001-01-01T00:00:00+23:59",
    "2026-11-20T08:00:00",
    "24:00",
    "24:01",
    "-1:00",
    "America/Nowhere",
    "Pacific/Apia",
    "/etc/localtime",
    "sha256:" + "0" * 64,
    "#GGGGGG",
    "location",
    [],
    {},
    [[]],
    [None],
    {"": None},
    ["a"] * 500,
)
SPLICES = (
    b"\0",
    b"\xff\xfe",
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b",",
    b"\\u0000",
    b"\\ud800",
    b"1e999999999",
    b"\xf0\x9f\x8d\xb0",
)


def mutate_bytes(rng: random.Random, body: bytes, others: Sequence[bytes]) -> bytes:
    """One to four changes of a body: flipped bits, cuts, doubles, pieces of others, odd bytes."""
    made = bytearray(body)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(made) + 1)
        end = min(len(made), at + rng.choice((1, 2, 8, 64, 512)))
        match rng.randrange(7):
            case 0 if made:
                at = min(at, len(made) - 1)
                made[at] ^= 1 << rng.randrange(8)
            case 1:
                del made[at:]
            case 2:
                del made[at:end]
            case 3:
                made[at:at] = made[at:end] * rng.choice((1, 2, 50))
            case 4:
                other = rng.choice(others)
                begin = rng.randrange(len(other) + 1)
                made[at:end] = other[begin : begin + rng.choice((4, 32, 256))]
            case 5:
                made[at:end] = rng.choice(SPLICES)
            case _:
                made[at:end] = rng.randbytes(end - at)
    return bytes(made)


def mutate_tree(rng: random.Random, tree: Any, *, changes: int | None = None) -> Any:
    """A copy of a JSON tree with some of its nodes changed."""
    made = [copy.deepcopy(tree)]
    for _ in range(changes or rng.choice((1, 1, 2, 3, 6))):
        holder, key = rng.choice(_places(made))
        _change(rng, holder, key, made[0])
    return made[0]


def _places(tree: Any) -> list[tuple[Any, Any]]:
    """Every node but the outermost, as its holder and its place there."""
    found: list[tuple[Any, Any]] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        for key, child in node.items() if isinstance(node, dict) else enumerate(node):
            found.append((node, key))
            if isinstance(child, dict | list):
                waiting.append(child)
    return found


def _change(rng: random.Random, holder: Any, key: Any, root: Any) -> None:
    value = holder[key]
    match rng.randrange(8):
        case 0 if isinstance(holder, dict):
            del holder[key]
        case 0 if len(holder) > 1:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[rng.choice((key + "x", key.upper(), "", "id", "type"))] = holder.pop(key)
        case 1 | 2 if isinstance(value, list) and value:
            value += [copy.deepcopy(rng.choice(value)) for _ in range(rng.choice((1, 3, 60)))]
        case 3 if isinstance(value, str):
            holder[key] = _mutate_text(rng, value)
        case 3 | 4 if isinstance(value, int | float) and not isinstance(value, bool):
            holder[key] = rng.choice((-value, value * 1000, value + 0.001, str(value), value * 1e12, [value]))
        case 5:
            other, place = rng.choice(_places([root]))
            holder[key] = copy.deepcopy(other[place])
        case _:
            holder[key] = copy.deepcopy(rng.choice(STRANGE))


def _mutate_text(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    return rng.choice(
        (text[:at], text[at:], text * 3, text[:at] + chr(rng.choice((0, 9, 127, 0x200F, 0x1F370, 0x3042))) + text[at:])
    )


def encode(tree: Any) -> bytes:
    """JSON, as far as the tree can be written: NaN and lone surrogates go out as they are."""
    return json.dumps(tree, ensure_ascii=True).encode()


def encode_valid(tree: Any) -> bytes:
    """The same as a document that any reader takes for JSON: what is wrong in it is wrong in its own place."""
    return encode(tree).replace(b"NaN", b"1e400").replace(b"Infinity", b"1e401").replace(b"\\ud800", b"\\u2028")


def nested(rng: random.Random, body: bytes) -> bytes:
    """A body with something very deep in it."""
    at = body.find(b":", rng.randrange(max(1, len(body)))) + 1
    depth = rng.choice((100, DEEP, 100_000))
    opening = rng.choice((b"[", b'{"a":'))
    return body[:at] + opening * depth + body[at:]


Mutator = Callable[[random.Random], bytes]
