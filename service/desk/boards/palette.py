"""New widgets of a board: each kind with its initial values, in the middle of the canvas."""

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

from service.desk.boards.form_fields import Known
from service.desk.words import phrase, translated

_SIZES: Mapping[str, tuple[float, float]] = {
    "menu": (0.5, 0.7),
    "grid": (0.6, 0.6),
    "item": (0.3, 0.4),
    "image": (0.35, 0.45),
    "video": (0.5, 0.5),
    "slideshow": (0.5, 0.5),
    "text": (0.4, 0.12),
    "ticker": (1, 0.07),
    "clock": (0.15, 0.1),
    "countdown": (0.3, 0.1),
    "qr": (0.14, 0.25),
    "shape": (0.3, 0.2),
}
"""Width and height of a new widget, as parts of the canvas."""
_SECONDS = 10


def kinds(known: Known) -> list[str]:
    """Returns the kinds of widgets that can be added: images, videos and items only where there are any."""
    needs = {"item": known.items, "image": known.images, "video": known.films}
    needs["slideshow"] = {**known.images, **known.films}
    return [kind for kind in _SIZES if needs.get(kind) != {}]


def new_widget(kind: str, canvas: tuple[int, int], taken: Iterable[str], known: Known, language: str) -> dict[str, Any]:
    """Creates a widget of this kind with a free id."""
    across, down = _SIZES[kind]
    width, height = round(canvas[0] * across), round(canvas[1] * down)
    place = {"x": (canvas[0] - width) // 2, "y": (canvas[1] - height) // 2, "width": width, "height": height}
    return {"id": free_id(kind, taken), "type": kind, **place, **_content(kind, known, language)}


def free_id(kind: str, taken: Iterable[str]) -> str:
    """Returns an id that no widget of the board has."""
    used = set(taken)
    return next(name for number in count(1) if (name := f"{kind}-{number}") not in used)


def _content(kind: str, known: Known, language: str) -> dict[str, Any]:
    text = str(translated(phrase("New text"), language))
    match kind:
        case "text" | "ticker":
            return {"text": text}
        case "item":
            return {"itemId": next(iter(known.items))}
        case "image":
            return {"asset": next(iter(known.images))}
        case "video":
            return {"asset": next(iter(known.films))}
        case "slideshow":
            return {"slides": [{"asset": next(iter({**known.images, **known.films})), "durationSeconds": _SECONDS}]}
        case "countdown":
            return {"end": "18:00"}
        case "qr":
            return {"data": "https://example.com"}
        case "shape":
            return {"shape": "rectangle", "color": "#2A3331"}
        case _:
            return {}
