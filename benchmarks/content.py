"""The content that every program of the comparison shows: three full-HD scenes, 2 s each, fades of 500 ms.

content/menu.json holds the text, the sample café and the design kit the photographs. This module converts both to what
each program reads: scenes of the service, a page for the browser, data for the bare QML program. The positions, in
pixels, are the same for all.
"""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.programs import Service

FOLDER = Path(__file__).parent / "content"
IMAGES = Path(__file__).resolve().parent.parent / "service"
MENU: dict[str, Any] = json.loads((FOLDER / "menu.json").read_text())
SCENES: list[dict[str, Any]] = MENU["scenes"]
SCENE_SECONDS: float = MENU["sceneSeconds"]
FADE_MILLISECONDS: int = MENU["fadeMilliseconds"]

WIDTH, HEIGHT = 1920, 1080
TITLE = (80, 40)
TITLE_SIZE = 72
BAR = (80, 150, 1760, 12)
IMAGE = (1240, 200, 600, 816)
COLUMNS = (80, 660)
COLUMN_WIDTH = 520
ROWS_A_COLUMN = 12
ROW_TOP, ROW_HEIGHT = 200, 68
TEXT_SIZE = 30
FONT = "Inter"


@dataclass(frozen=True)
class Published:
    """Ids in the service: an item of the first scene, the playlist of all scenes, and one of the first scene alone."""

    location: str
    item: str
    loop: str
    still: str


def publish(service: Service) -> Published:
    """Create the content in the service and publish it."""
    location = service.post(
        "/locations", {"name": "Benchmark", "timezone": "UTC", "currency": "EUR", "locale": "en-IE"}
    )
    items, scenes = [], []
    for scene in SCENES:
        for number, (name, price) in enumerate(scene["rows"]):
            body = {"name": name, "category": scene["title"], "price": price, "sortIndex": number}
            items.append(str(service.post("/content/items", body)["id"]))
        photograph = service.upload((IMAGES / scene["picture"]).read_bytes(), "image/jpeg")
        bar = service.upload(_plain_png(scene["accent"]), "image/png")
        scenes.append(str(service.post("/scenes", _document(scene, photograph=photograph, bar=bar))["id"]))
    return Published(
        location=str(location["id"]),
        item=items[0],
        loop=_playlist(service, "Loop", scenes),
        still=_playlist(service, "Still", scenes[:1]),
    )


def publish_full_film(service: Service, film: Path) -> tuple[str, str]:
    """Publish a playlist of one scene that the film fills; the ids of its location and of the playlist."""
    location = service.post("/locations", {"name": "Film", "timezone": "UTC", "currency": "EUR", "locale": "en-IE"})
    box = {"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT}
    asset = service.upload(film.read_bytes(), "video/mp4")
    document = {"name": "Film", "widgets": [{"id": "film", "type": "video", "asset": asset, **box}]}
    return str(location["id"]), _playlist(service, "Film", [str(service.post("/scenes", document)["id"])])


def write_film_page(folder: Path, film: Path) -> Path:
    """Write a page that the film fills, for a browser; the file."""
    file = folder / "film.html"
    style = "* { margin: 0; background: black; cursor: none } video { width: 100vw; height: 100vh; object-fit: cover }"
    file.write_text(
        f'<!doctype html><meta charset="utf-8"><title>Film</title><style>{style}</style>'
        f'<video src="{film.as_uri()}" autoplay muted loop></video>'
    )
    return file


def _playlist(service: Service, name: str, scenes: list[str]) -> str:
    playlist = str(service.post("/playlists", {"name": name})["id"])
    for scene in scenes:
        service.post(f"/playlists/{playlist}/scenes", {"sceneId": scene, "durationSeconds": SCENE_SECONDS})
    service.post(f"/playlists/{playlist}/publish")
    return playlist


def _document(scene: dict[str, Any], *, photograph: str, bar: str) -> dict[str, Any]:
    def box(x: int, y: int, width: int, height: int) -> dict[str, int]:
        return {"x": x, "y": y, "width": width, "height": height}

    return {
        "name": scene["title"],
        "background": {"color": scene["background"]},
        "theme": {"textColor": "#FFFFFF"},
        "transition": {"type": "fade", "milliseconds": FADE_MILLISECONDS},
        "widgets": [
            {
                "id": "title",
                "type": "text",
                "text": scene["title"],
                "size": TITLE_SIZE,
                "weight": "bold",
                **box(*TITLE, BAR[2], 100),
            },
            {"id": "bar", "type": "image", "asset": bar, "fit": "stretch", **box(*BAR)},
            {"id": "picture", "type": "image", "asset": photograph, **box(*IMAGE)},
            {
                "id": "menu",
                "type": "menu",
                "categories": [scene["title"]],
                "groupByCategory": False,
                "columns": len(COLUMNS),
                "minTextSize": TEXT_SIZE,
                "maxTextSize": TEXT_SIZE,
                **box(COLUMNS[0], ROW_TOP, COLUMNS[-1] + COLUMN_WIDTH - COLUMNS[0], IMAGE[3]),
            },
        ],
    }


def _plain_png(color: str) -> bytes:
    from PySide6.QtGui import QColor, QImage

    from player.display.window.screenshot import encode_png

    image = QImage(BAR[3], BAR[3], QImage.Format.Format_RGB32)
    image.fill(QColor(color))
    return encode_png(image)


def write_floor(folder: Path) -> Path:
    """Write the content for the bare QML program; the file."""
    scenes = [{**scene, "picture": (IMAGES / scene["picture"]).as_uri()} for scene in SCENES]
    layout = {
        "title": TITLE,
        "titleSize": TITLE_SIZE,
        "bar": BAR,
        "picture": IMAGE,
        "columns": COLUMNS,
        "columnWidth": COLUMN_WIDTH,
        "rowsAColumn": ROWS_A_COLUMN,
        "rowTop": ROW_TOP,
        "rowHeight": ROW_HEIGHT,
        "textSize": TEXT_SIZE,
        "font": FONT,
        "fade": FADE_MILLISECONDS,
        "hold": round(SCENE_SECONDS * 1000) - FADE_MILLISECONDS,
    }
    file = folder / "floor.json"
    file.write_text(json.dumps({"scenes": scenes, "layout": layout}))
    return file


def write_page(folder: Path) -> Path:
    """Write the content as a page for a browser, animated by its style sheet alone; the file."""
    file = folder / "menu.html"
    file.write_text(_page())
    return file


def _page() -> str:
    def at(x: int, y: int, width: int, height: int) -> str:
        return f"left:{x}px;top:{y}px;width:{width}px;height:{height}px"

    body = []
    for number, scene in enumerate(SCENES):
        body.append(f'<div class="scene" id="s{number}" style="background:{scene["background"]}">')
        body.append(f"<h1>{html.escape(scene['title'])}</h1>")
        body.append(f'<div style="{at(*BAR)};background:{scene["accent"]}"></div>')
        body.append(f'<img style="{at(*IMAGE)}" src="{(IMAGES / scene["picture"]).as_uri()}">')
        for row, (name, price) in enumerate(scene["rows"]):
            column, line = divmod(row, ROWS_A_COLUMN)
            place = at(COLUMNS[column], ROW_TOP + line * ROW_HEIGHT, COLUMN_WIDTH, ROW_HEIGHT)
            body.append(f'<div class="item" style="{place}">{html.escape(name)}<b>{price:.2f}</b></div>')
        body.append("</div>")
    round_ms = round(SCENE_SECONDS * 1000) * len(SCENES)
    fade, step = 100 * FADE_MILLISECONDS / round_ms, 100 / len(SCENES)
    style = f"""
      * {{ margin: 0; padding: 0 }}
      body {{ width: {WIDTH}px; height: {HEIGHT}px; overflow: hidden; cursor: none }}
      .scene {{ position: absolute; inset: 0; font: {TEXT_SIZE}px "{FONT}"; color: white }}
      .scene * {{ position: absolute }}
      h1 {{ left: {TITLE[0]}px; top: {TITLE[1]}px; font-size: {TITLE_SIZE}px; white-space: nowrap }}
      img {{ object-fit: cover }}
      .item {{ line-height: {ROW_HEIGHT}px }}
      .item b {{ right: 0; font-weight: normal }}
      @keyframes second {{
        0%, {step - fade}% {{ opacity: 0 }}  {step}%, {2 * step}% {{ opacity: 1 }}
        {2 * step + 0.01}%, 100% {{ opacity: 0 }}
      }}
      @keyframes third {{
        0%, {2 * step - fade}% {{ opacity: 0 }}  {2 * step}%, {100 - fade}% {{ opacity: 1 }}  100% {{ opacity: 0 }}
      }}
      #s1 {{ animation: second {round_ms}ms linear infinite }}
      #s2 {{ animation: third {round_ms}ms linear infinite }}
    """
    return f'<!doctype html><meta charset="utf-8"><title>Menu</title><style>{style}</style>{"".join(body)}'
