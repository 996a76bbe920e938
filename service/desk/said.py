"""Sentence after an act, with the form that undoes it; carried across a redirect in a single-use cookie."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from service.desk.words import Phrase, phrase, phrases

MAX_COOKIE = 3000
"""Characters; browsers keep 4096 bytes. What is longer is not said."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Form that undoes an act: its address and its fields, and the element that its response replaces, for htmx."""

    action: str
    fields: Mapping[str, str] = field(default_factory=dict)
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence after an act."""

    sentence: Phrase
    undo: Undo | None = None
    kind: Literal["done", "fault"] = "done"


def packed(said: Said) -> str | None:
    """Encodes the sentence for the cookie; None if it is too long."""
    undo = None if said.undo is None else [said.undo.action, dict(said.undo.fields)]
    parts = [_packed(said.sentence), said.kind, undo]
    text = base64.urlsafe_b64encode(json.dumps(parts).encode()).decode()
    return text if len(text) <= MAX_COOKIE else None


def unpacked(text: str) -> Said | None:
    """Decodes the sentence in a cookie; None if it cannot be read."""
    try:
        packed_sentence, kind, undo = json.loads(base64.urlsafe_b64decode(text.encode()))
        sentence = _unpacked(packed_sentence)
        back = None if undo is None else Undo(str(undo[0]), {str(name): str(value) for name, value in undo[1].items()})
        if back is not None and not back.action.startswith("/desk/"):
            return None
        return Said(sentence, back, "fault" if kind == "fault" else "done")
    except (binascii.Error, ValueError, TypeError, LookupError, AttributeError):
        return None


def _packed(sentence: Phrase) -> list[object]:
    values = {
        name: _packed(value) if isinstance(value, Phrase) else value if isinstance(value, int) else str(value)
        for name, value in sentence.values.items()
    }
    return [sentence.template, sentence.many, values]


def _unpacked(parts: Any) -> Phrase:
    template, many, told = parts
    values: dict[str, Any] = {
        name: _unpacked(value) if isinstance(value, list) else value for name, value in told.items()
    }
    return phrase(template, **values) if many is None else phrases(template, many, **values)
