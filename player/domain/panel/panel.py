"""Rules of the panel: its power, by the opening hours of its location, and its mode; pure.

The rules of its power, each of which keeps the panel on:

1. It is off only while the location is closed by its opening hours, the time is trusted and the zone is known.

2. It is on for a message to read: a screen that is not paired, or has to be again, `identify`, a PIN, F1.

3. It stays on for `AWAKE_SECONDS` after that, and after a start.
"""

from __future__ import annotations

import re
from datetime import datetime
from enum import StrEnum

from msgspec import Struct, field

MODE = r"(\d{3,5})x(\d{3,5})(?:@(\d{1,3}(?:\.\d{1,3})?))?"
"""`1920x1080`, or `1920x1080@60`."""

ROTATIONS = (0, 90, 180, 270)
MAX_OVERSCAN = 10
"""Percent of each side that a panel's frame may hide."""

AWAKE_SECONDS = 60.0
"""The panel stays on for so long after somebody had to read it: it takes some seconds to wake, and people look
again."""

WAKE_SECONDS = 30.0
"""A panel may take so long from the order to be on until there is a screen; before that none is missed."""

MOST_ASKS = 5
"""The number of attempts in a row; then the panel does not obey, and is asked more seldom."""


class PowerRule(StrEnum):
    """Rule by which the panel is switched."""

    HOURS = "hours"
    """The opening hours of its location."""
    ALWAYS = "always"
    """Nothing: it is always on."""


class Power(StrEnum):
    """Power order to the panel, in the service's words."""

    ON = "on"
    OFF_BY_SCHEDULE = "off_by_schedule"


class ScreenDisplay(Struct, frozen=True, kw_only=True):
    """Service's settings of a screen: its name, and its panel's, in degrees clockwise and percent of each side. None:
    the location's setting, or none."""

    name: str | None = None
    rotation: int | None = None
    overscan: float | None = None
    mode: str | None = None
    power: PowerRule | None = None


def within_bounds(display: ScreenDisplay) -> ScreenDisplay:
    """Drops each setting that is impossible for a panel."""
    overscan, mode = display.overscan, display.mode
    return ScreenDisplay(
        name=display.name,
        rotation=display.rotation if display.rotation in ROTATIONS else None,
        overscan=overscan if overscan is not None and 0 <= overscan <= MAX_OVERSCAN else None,
        mode=mode if mode is not None and is_mode(mode) else None,
        power=display.power,
    )


class PanelOrder(Struct, frozen=True, kw_only=True):
    """Wanted state of the panel; None leaves it as it is."""

    on: bool | None = None
    mode: str | None = None


class OutputMode(Struct, frozen=True, kw_only=True):
    """A size in pixels, and its refresh rate per second; 0 where that is not known. As in `wlr-randr --json`, like
    Output."""

    width: int
    height: int
    hertz: float = field(default=0.0, name="refresh")
    current: bool = False

    def __str__(self) -> str:
        """Formats it as in a configuration."""
        return f"{self.width}x{self.height}" + (f"@{self.hertz:.3f}".rstrip("0").rstrip(".") if self.hertz else "")


class Output(Struct, frozen=True, kw_only=True):
    """A socket with a screen in it. Modes may be known only while it is on."""

    name: str
    enabled: bool
    modes: tuple[OutputMode, ...] = ()


class Cec(StrEnum):
    """Power state that a screen reports over HDMI."""

    ON = "on"
    STANDBY = "standby"
    SILENT = "silent"
    """It does not say."""


class PanelSeen(Struct, frozen=True, kw_only=True):
    """Observed state of the panel. `outputs` is None where nothing on this machine can switch them, `cec` where the
    cable has no such line."""

    outputs: tuple[Output, ...] | None = None
    cec: Cec | None = None


class Switch(Struct, frozen=True, kw_only=True):
    output: str
    on: bool


class ChooseMode(Struct, frozen=True, kw_only=True):
    """Drives an output in one of its modes."""

    output: str
    mode: OutputMode


Step = Switch | ChooseMode


class PanelFacts(Struct, frozen=True, kw_only=True, rename="camel"):
    """State of the panel. `wanted` is its power by the schedule, `until` the next change of that; `obeys`: it follows
    its orders, as far as detectable; `managed`: something on this machine can switch it."""

    wanted: Power = Power.ON
    until: datetime | None = None
    obeys: bool = True
    managed: bool = True
    mode: str | None = None
    """The mode that was asked for."""
    offered: tuple[str, ...] | None = None
    """The modes that the panel has, where it has none that was asked for."""

    @property
    def power(self) -> Power:
        """Power reported to the service: off only if the panel obeys."""
        return self.wanted if self.obeys and self.managed else Power.ON


def is_mode(text: str) -> bool:
    """Whether this is a mode in a configuration's format."""
    return re.fullmatch(MODE, text, re.ASCII) is not None


def chosen_mode(wanted: str, modes: tuple[OutputMode, ...]) -> OutputMode | None:
    """Chooses the wanted mode among those that a panel offers; without a frequency, the fastest of its size."""
    found = re.fullmatch(MODE, wanted, re.ASCII)
    if found is None:
        return None
    size, hertz = (int(found[1]), int(found[2])), float(found[3]) if found[3] else None
    fitting = [mode for mode in modes if (mode.width, mode.height) == size]
    if hertz is None:
        return max(fitting, key=lambda mode: mode.hertz, default=None)
    near = [mode for mode in fitting if abs(mode.hertz - hertz) <= 0.6]  # 60 Hz means 59.94 Hz, too.
    return min(near, key=lambda mode: abs(mode.hertz - hertz), default=None)


def steps(order: PanelOrder, outputs: tuple[Output, ...]) -> tuple[Step, ...]:
    """Returns the commands that bring the panel into the wanted state. Of several screens one shows the board."""
    enabled = [output for output in outputs if output.enabled]
    if order.on is False:
        return tuple(Switch(output=output.name, on=False) for output in enabled)
    if order.on is True and not enabled:
        return tuple(Switch(output=output.name, on=True) for output in outputs[-1:])
    if order.mode is None:
        return ()
    chosen = ((output, chosen_mode(order.mode, output.modes)) for output in enabled)
    return tuple(
        ChooseMode(output=output.name, mode=mode) for output, mode in chosen if mode is not None and not mode.current
    )


def lacking_mode(order: PanelOrder, outputs: tuple[Output, ...]) -> tuple[str, ...] | None:
    """Returns the modes that the panel offers, if it is on and lacks the wanted one; else None."""
    enabled = [output for output in outputs if output.enabled]
    if order.mode is None or not enabled or any(chosen_mode(order.mode, output.modes) for output in enabled):
        return None
    return tuple(dict.fromkeys(str(mode) for output in enabled for mode in output.modes))
