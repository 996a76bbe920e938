"""The boards by which templates and layout are judged: shops with the menus of real places (tests/data/boards)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from player.domain.view import SceneView
from service.core.json_text import read_json
from tests.player.display.views.kit import KitScenes

BOARDS = {file.stem: file for file in sorted((Path(__file__).parents[3] / "data" / "boards").glob("*.json"))}
_LOCATION = ("name", "timezone", "currency", "locale")
_SCENE = ("theme", "languages", "languageMode")


def board_views(kit: KitScenes, board: str) -> dict[str, SceneView]:
    """The board as an operator gets it from its template, with the shop's name for a headline; where languages take
    turns, each of them alone. The keys begin with the board's name."""
    shop: dict[str, Any] = read_json(BOARDS[board].read_bytes())
    languages = shop.get("languages", []) if shop.get("languageMode") == "inTurn" else []
    turns = {f"{board}-{language}": {"languages": [language]} for language in languages} or {board: {}}
    for name, turn in turns.items():
        kit.menus[name] = {
            "location": {field: shop[field] for field in _LOCATION},
            "words": shop.get("words", {}),
            # In the order of the file.
            "items": [{"sortIndex": number, **item} for number, item in enumerate(shop["items"])],
            "scene": {
                "name": shop["name"],
                "fill": {"headline": {"text": shop["name"]}, **shop.get("fill", {})},
                **{field: shop[field] for field in _SCENE if field in shop},
                **turn,
            },
        }
    return {name: kit.view(shop["template"], shop["orientation"], name) for name in turns}
