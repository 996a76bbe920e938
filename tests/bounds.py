"""The bounds of the player: finds them in the code, and writes docs/bounds.md with those that people meet.

`python -m tests.bounds` writes the page.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "bounds.md"
NAMED = re.compile(r"(MAX|MOST)_\w+")
"""Names of bounds."""
MEASURES = re.compile(
    "MOST_(ALONE|FRAMES_PER_SECOND|GAP|LEGEND|LEGEND_AT_LEAST_SIZE|LINES|PADDING|PAGES_GROWN|PANEL_PADDING|REACH|SIZE|"
    "STRETCH|WRAPPED|WRAPPED_PAGED)"
)
"""Measures of the typesetting, which no content can exceed."""
TOOLS = ("player/runtime/demo.py", "player/preview")
"""Commands for a desk, which run on no board."""

DOCUMENTS, DISPLAY = "menu/documents", "player/display"
MET = {
    "Content": (
        (f"{DOCUMENTS}/manifest_reader.py", "MAX_BODY", "one manifest", "what plays goes on"),
        (f"{DOCUMENTS}/manifest_reader.py", "MAX_ENTRIES", "entries of a playlist", "the first ones are used"),
        (f"{DOCUMENTS}/manifest_reader.py", "MAX_ITEMS", "items of a workspace", "the first ones are used"),
        (f"{DOCUMENTS}/manifest_reader.py", "MAX_ASSETS", "images and films of a version", "the first ones are used"),
        (f"{DOCUMENTS}/manifest.py", "MAX_ASSET_BYTES", "one image or film", "it is left out"),
        (f"{DOCUMENTS}/manifest.py", "MAX_MODIFIERS", "modifiers of an item", "the first ones are used"),
        (f"{DOCUMENTS}/manifest.py", "MAX_VARIANTS", "variants of an item", "the first ones are used"),
        (f"{DISPLAY}/layout/variants.py", "MOST_PRICE_COLUMNS", "columns of prices", "variants stand in lines"),
        (f"{DOCUMENTS}/manifest.py", "MAX_PARTS", "parts of a combo", "the first ones are used"),
        (f"{DOCUMENTS}/manifest.py", "MAX_TAGS", "tags, or allergens, of an item", "none of them are used"),
        (f"{DOCUMENTS}/manifest.py", "MAX_DESCRIPTION", "letters of a description", "there is no description"),
        (f"{DOCUMENTS}/manifest_reader.py", "MAX_WORDS", "translated words", "the first ones are used"),
        (f"{DOCUMENTS}/manifest_reader.py", "MAX_VALUES", "values of a location", "the first ones are used"),
        (f"{DOCUMENTS}/manifest.py", "MAX_OPENING_HOURS", "opening hours of a location", "the panel stays on"),
        (f"{DOCUMENTS}/scene_reader.py", "MAX_WIDGETS", "widgets of a scene", "the first ones are used"),
        (f"{DOCUMENTS}/scene_reader.py", "MAX_SCHEDULES", "schedules of an entry", "the first ones are used"),
        (f"{DOCUMENTS}/scene.py", "MAX_TEXT", "letters of a text", "the widget is left out"),
        (f"{DOCUMENTS}/scene.py", "MAX_QR_TEXT", "letters of a QR code", "the widget is left out"),
        (f"{DOCUMENTS}/scene.py", "MAX_SLIDES", "slides of a slideshow", "the first ones are used"),
        (f"{DOCUMENTS}/scene.py", "MAX_TRANSITION_MILLISECONDS", "a transition", "it takes 500 ms"),
        (f"{DISPLAY}/widgets/grid.py", "MOST_GRIDS", "grids of a scene", "the others are not drawn"),
        (f"{DISPLAY}/widgets/slideshow.py", "MOST_SLIDESHOWS", "slideshows of a scene", "the others are not drawn"),
        (f"{DISPLAY}/widgets/countdown.py", "MOST_COUNTDOWNS", "countdowns of a scene", "the others are not drawn"),
        (f"{DISPLAY}/widgets/qr.py", "MOST_CODES", "QR codes of a scene", "the others are not drawn"),
        ("player/domain/playing/listings.py", "MOST_CARDS", "cards of a grid", "further items are left out"),
        (f"{DISPLAY}/media/image_plan.py", "MOST_PIXELS", "pixels of an image", "it is not drawn"),
        (f"{DISPLAY}/media/image_plan.py", "MOST_FILE_BYTES", "file of an image", "it is not drawn"),
        (f"{DISPLAY}/media/resources.py", "MOST_DECODERS", "films at once", "further ones show their poster"),
        (f"{DISPLAY}/media/crash_guard.py", "MOST_CRASHES", "crashes over one film", "its poster shows for a day"),
    ),
    "The device": (
        ("player/domain/playing/sync.py", "VERSION_BUDGET_BYTES", "files of a version", "it is not fetched"),
        ("player/storage/assets.py", "DISK_RESERVE_BYTES", "free disk after a version", "with less it is not fetched"),
        ("player/storage/assets.py", "MOST_BYTES_IN_MEMORY", "files in memory, without a disk", "it is not fetched"),
        ("player/domain/findings/disk.py", "DISK_LOW_BYTES", "free disk", "with less, `disk_low`"),
        ("player/domain/findings/machine.py", "MEMORY_LOW_BYTES", "free memory", "with less, `memory_low`"),
        ("player/domain/findings/clock.py", "CLOCK_OFF_SECONDS", "error of the clock", "`clock_differs`"),
        ("player/domain/pairing.py", "GRACE_SECONDS", "a removed screen keeps its menu", "it is deleted"),
        ("player/domain/recovery/liveness.py", "HUNG_SECONDS", "a display that hangs", "the player restarts"),
        ("player/domain/recovery/fallback.py", "MOST_SCENE_FAILURES", "failures of a scene", "it is passed over"),
        ("player/domain/recovery/fallback.py", "SAFE_CARD_SECONDS", "the safe card shows", "the player tries again"),
        ("player/settings.py", "MAX_OVERSCAN", "overscan, percent of each edge", "the setting is refused"),
    ),
    "The page and commands": (
        ("player/domain/commands.py", "COMMAND_SECONDS", "a command", "it has failed"),
        ("player/domain/access.py", "PIN_SECONDS", "a PIN on the glass", "it no longer counts"),
        ("player/domain/access.py", "SESSION_SECONDS", "a session of the page", "the PIN is asked for again"),
        ("player/domain/access.py", "MOST_SESSIONS", "sessions at once", "the oldest one ends"),
        ("player/page/connections.py", "MAX_CONNECTIONS", "connections to the page", "a waiting one is closed"),
        ("player/page/bundle.py", "MAX_BUNDLE_BYTES", "a support bundle", "the oldest log lines are left out"),
        ("player/recent_log.py", "MAX_LINES", "lines of the recent log", "the oldest one is dropped"),
    ),
}
"""The bounds that operators and technicians meet: file, name, the thing that has the bound, and the effect beyond
it."""

HEAD = """\
# Bounds

Every queue, file, document and wait of the player has a bound. These are the ones that operators and technicians meet;
the others are constants with `MAX` or `MOST` in their names, and `tests/test_bounds.py` holds that a test goes beyond
each. Content beyond a bound is reported to the operator; [semantics.md](semantics.md#what-a-bad-document-costs) says
what a bad document costs, and [service.md](service.md) lists the service's own bounds, which are mostly smaller.

`python -m tests.bounds` writes this page from the code.
"""


def bounds_in_code() -> Iterator[tuple[str, str]]:
    """File and name of every bound of the player."""
    for path in sorted((*(ROOT / "menu").rglob("*.py"), *(ROOT / "player").rglob("*.py"))):
        file = str(path.relative_to(ROOT))
        if file.startswith(TOOLS):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            match node:
                case ast.Assign(targets=[ast.Tuple(elts=targets)]) | ast.Assign(targets=targets):
                    pass
                case ast.AnnAssign(target=target):
                    targets = [target]
                case _:
                    continue
            for target in targets:
                if isinstance(target, ast.Name) and NAMED.fullmatch(target.id):
                    yield file, target.id


def is_tested(name: str) -> bool:
    return bool(MEASURES.fullmatch(name)) or name in named_in_tests()


@cache
def named_in_tests() -> frozenset[str]:
    """Every word of the tests: constants that they import, and those that `goes_beyond` marks."""
    files = [path for path in (ROOT / "tests").rglob("*.py") if path != Path(__file__)]
    return frozenset(word for path in files for word in re.findall(r"\w+", path.read_text(encoding="utf-8")))


def value_of(file: str, name: str) -> str:
    """The value as the page writes it."""
    value = getattr(importlib.import_module(file.removesuffix(".py").replace("/", ".")), name)
    if re.search(r"BYTES|_BODY$", name):
        for factor, unit in ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB")):
            if value % factor == 0:
                return f"{value // factor} {unit}"
        return f"{value} bytes"
    if name.endswith("MILLISECONDS"):
        return f"{value:,} ms"
    if name.endswith("SECONDS"):
        for seconds, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
            if value % seconds == 0:
                return f"{value // seconds:g} {unit}"
        return f"{value:g} s"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def page() -> str:
    """docs/bounds.md with the values of today."""
    text = HEAD
    for title, rows in MET.items():
        text += f"\n## {title}\n\n| bound | value | beyond it | in the code |\n|---|---|---|---|\n"
        for file, name, thing, effect in rows:
            text += f"| {thing} | {value_of(file, name)} | {effect} | `{file}`: `{name}` |\n"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE.relative_to(ROOT)} written\n")
