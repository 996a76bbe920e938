"""Controls the panel's power and mode: by wlr-randr, which asks the compositor, and by cec-ctl over the HDMI cable.

Many screens follow only one of them, so both are asked. A request that a screen ignores is repeated, at most MOST_ASKS
times in a row, and every ASK_AGAIN_SECONDS from then on.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from player.domain.events import PanelChecked
from player.domain.panel.panel import (
    MOST_ASKS,
    Cec,
    ChooseMode,
    Output,
    PanelOrder,
    PanelSeen,
    Step,
    Switch,
    lacking_mode,
    steps,
)

log = logging.getLogger(__name__)

LOOK_SECONDS = 10.0
"""Between two looks at a panel that is as it should be: a screen that is plugged in again has forgotten all."""

ANSWER_SECONDS = 3.0
"""From a wish to the look whether it was followed."""

ASK_AGAIN_SECONDS = 60.0
"""Between two wishes of a panel that has not obeyed MOST_ASKS times: some wake up whenever they lose their signal."""

BLIND_ASKS = 2
"""The number of times that a screen is asked over the cable while it does not tell its state."""

COMMAND_SECONDS = 3.0
"""The time that a command may take; the CEC line is slow. A stop waits for it."""

MOST_OUTPUT = 256 * 1024
"""Bytes of a command's answer that are read."""

_POWER = re.compile(r"pwr-state: (?:in-transition-)?(?:to-)?(on|standby)")


class PanelKeeper:
    """Keeps the panel as it was ordered. `keep` and `step` are called by one thread, `step` again after the seconds
    that it returns."""

    def __init__(
        self, *, port: PanelCommands, monotonic: Callable[[], float], emit: Callable[[PanelChecked], None]
    ) -> None:
        self._port = port
        self._monotonic = monotonic
        self._emit = emit
        self._order = PanelOrder()
        self._told = PanelChecked()
        self._asks = self._cec_asks = 0
        self._cec_settled = True
        self._right_since: float | None = None
        self._asked_at = float("-inf")

    def keep(self, order: PanelOrder) -> None:
        """Sets the state in which to keep the panel from now on."""
        if order.on is not None and order.on is not self._order.on:
            self._cec_asks, self._cec_settled = 0, False
        if order != self._order:
            self._order, self._asks, self._right_since = order, 0, None
            self._asked_at = float("-inf")

    async def step(self) -> float | None:
        """Checks the panel, and requests what is wrong; returns the seconds until the next look, None if there is
        nothing to keep."""
        order = self._order
        if order == PanelOrder():
            return None
        seen = await self._port.look(cec=not self._cec_settled)
        pending = await self._ask_cec(seen)
        if order is not self._order:
            return 0.0
        outputs = seen.outputs or ()
        wrong = steps(order, outputs)
        now = self._monotonic()
        if wrong:
            self._right_since = None
            if self._asks < MOST_ASKS or now - self._asked_at >= ASK_AGAIN_SECONDS:
                self._asks, self._asked_at = self._asks + 1, now
                log.info("panel command sent: %s", ", ".join(map(_words, wrong)))
                for step in wrong:
                    await self._port.do(step)
                    if order is not self._order:
                        return 0.0
        else:
            self._right_since = now if self._right_since is None else self._right_since
            if now - self._right_since >= 30.0:  # When it is not any more, it is asked at once.
                self._asks = 0
        managed = order.on is None or seen.outputs is not None or seen.cec is not None or self._cec_asks > 0
        gives_up = self._asks >= MOST_ASKS
        looked = PanelChecked(obeys=not (wrong and gives_up), managed=managed, offered=lacking_mode(order, outputs))
        if looked != self._told:
            self._told = looked
            self._emit(looked)
        return ANSWER_SECONDS if (wrong and not gives_up) or pending else LOOK_SECONDS

    async def _ask_cec(self, seen: PanelSeen) -> bool:
        """Asks the screen over the cable until it obeys; True if it may still have to be asked."""
        on = self._order.on
        if on is None or self._cec_settled:
            return False
        followed = seen.cec is (Cec.ON if on else Cec.STANDBY)
        most = BLIND_ASKS if seen.cec is Cec.SILENT else MOST_ASKS
        if seen.cec is None or followed or self._cec_asks >= most:
            self._cec_settled = True
            return False
        self._cec_asks += 1
        await self._port.tell_cec(on=on)
        return True


class PanelCommands:
    """Controls the panel by the commands wlr-randr and cec-ctl, as far as this machine has them."""

    def __init__(
        self,
        *,
        environment: Mapping[str, str] = os.environ,
        devices: Path = Path("/dev"),
        command_seconds: float = COMMAND_SECONDS,
    ) -> None:
        """`environment` names the compositor, and where commands are looked for."""
        self._environment = dict(environment)
        self._devices = devices
        self._command_seconds = command_seconds

    async def look(self, *, cec: bool) -> PanelSeen:
        return PanelSeen(outputs=await self._outputs(), cec=await self._cec_power() if cec else None)

    async def do(self, step: Step) -> None:
        """Executes a step by wlr-randr."""
        match step:
            case Switch(output=output, on=on):
                words = ["--output", output, "--on" if on else "--off"]
            case ChooseMode(output=output, mode=mode):
                hertz = f"@{mode.hertz:.6f}Hz" if mode.hertz else ""
                words = ["--output", output, "--mode", f"{mode.width}x{mode.height}{hertz}"]
        await self._run("wlr-randr", *words)

    async def tell_cec(self, *, on: bool) -> None:
        """Wakes the screen, and has it show this device; or sends it to standby."""
        device = self._cec_device()
        if device is None:
            return
        told = await self._run("cec-ctl", "-d", device, "--playback")
        where = re.search(r"Physical Address\s*:\s*([0-9a-f](?:\.[0-9a-f]){3})", told or "")
        await self._run("cec-ctl", "-d", device, "--to", "0", "--image-view-on" if on else "--standby")
        if on and where is not None:
            await self._run("cec-ctl", "-d", device, "--to", "15", "--active-source", f"phys-addr={where[1]}")

    async def _outputs(self) -> tuple[Output, ...] | None:
        if not self._environment.get("WAYLAND_DISPLAY"):
            return None
        told = await self._run("wlr-randr", "--json")
        try:
            return msgspec.json.decode(told or "", type=tuple[Output, ...])
        except (msgspec.MsgspecError, UnicodeError):
            return None

    async def _cec_power(self) -> Cec | None:
        device = self._cec_device()
        if device is None:
            return None
        told = await self._run("cec-ctl", "-d", device, "--to", "0", "--give-device-power-status")
        found = _POWER.search(told or "")
        return Cec(found[1]) if found else Cec.SILENT

    def _cec_device(self) -> str | None:
        """Returns the first line over a cable, if there is a command for it."""
        if shutil.which("cec-ctl", path=self._environment.get("PATH")) is None:
            return None
        return min(map(str, self._devices.glob("cec[0-9]*")), default=None)

    async def _run(self, *command: str) -> str | None:
        """Returns the output of a command; None if it fails, hangs or is missing."""

        def run() -> bytes | None:
            try:
                done = subprocess.run(
                    command,
                    check=False,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=self._environment,
                    timeout=self._command_seconds,
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                log.info("%s cannot be asked: %s", command[0], error)
                return None
            return done.stdout if done.returncode == 0 else None

        said = await asyncio.to_thread(run)
        return None if said is None else said[:MOST_OUTPUT].decode(errors="replace")


def _words(step: Step) -> str:
    return f"{step.output} {'on' if step.on else 'off'}" if isinstance(step, Switch) else f"{step.output} {step.mode}"
