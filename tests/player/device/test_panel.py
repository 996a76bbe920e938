"""Keeping the panel as it should be: it is asked until it obeys, not for ever, and again when a screen comes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from player.device.panel import (
    ANSWER_SECONDS,
    ASK_AGAIN_SECONDS,
    BLIND_ASKS,
    COMMAND_SECONDS,
    LOOK_SECONDS,
    PanelCommands,
    PanelKeeper,
)
from player.domain.events import PanelChecked
from player.domain.panel.panel import (
    MOST_ASKS,
    Cec,
    ChooseMode,
    Output,
    OutputMode,
    PanelOrder,
    PanelSeen,
    Step,
    Switch,
    chosen_mode,
    is_mode,
)

FULL = OutputMode(width=1920, height=1080, hertz=60.0)
SLOW = OutputMode(width=1920, height=1080, hertz=23.976)
NEAR = OutputMode(width=1920, height=1080, hertz=59.939999)
SMALL = OutputMode(width=1280, height=720, hertz=60.0)
MODES = (FULL, NEAR, SLOW, SMALL)


class FakePanel(PanelCommands):
    """A panel that does as it is asked, after it has been asked so many times."""

    def __init__(self, *, deaf: int = 0, cec: Cec | None = None, outputs: bool = True) -> None:
        self.deaf, self.cec = deaf, cec
        self.enabled, self.mode = True, FULL
        self.plugged, self.has_outputs = True, outputs
        self.asked: list[Step] = []
        self.told: list[bool] = []

    async def look(self, *, cec: bool) -> PanelSeen:
        modes = tuple(
            OutputMode(width=each.width, height=each.height, hertz=each.hertz, current=each is self.mode)
            for each in MODES
            if self.enabled
        )
        outputs = (Output(name="HDMI-A-1", enabled=self.enabled, modes=modes),) if self.plugged else ()
        return PanelSeen(outputs=outputs if self.has_outputs else None, cec=self.cec if cec else None)

    async def do(self, step: Step) -> None:
        self.asked.append(step)
        if len(self.asked) <= self.deaf:
            return
        match step:
            case Switch(on=on):
                self.enabled = on
            case ChooseMode(mode=mode):
                self.mode = next(each for each in MODES if (each.width, each.hertz) == (mode.width, mode.hertz))

    async def tell_cec(self, *, on: bool) -> None:
        self.told.append(on)
        if self.cec is not Cec.SILENT and len(self.told) > self.deaf:
            self.cec = Cec.ON if on else Cec.STANDBY

    def comes_back(self) -> None:
        """It was unplugged: the compositor drives it as it drives every new one."""
        self.enabled, self.mode = True, FULL


class Rig:
    """A keeper whose time passes as it says."""

    def __init__(self, port: FakePanel) -> None:
        self.port = port
        self.now = 0.0
        self.told: list[PanelChecked] = []
        self.keeper = PanelKeeper(port=port, monotonic=lambda: self.now, emit=self.told.append)

    async def keep(self, order: PanelOrder, seconds: float = 60.0) -> None:
        self.keeper.keep(order)
        await self.pass_(seconds)

    async def pass_(self, seconds: float) -> None:
        ends = self.now + seconds
        while self.now <= ends and (delay := await self.keeper.step()) is not None:
            self.now += delay
        self.now = ends


OFF, ON = PanelOrder(on=False), PanelOrder(on=True)


async def test_a_panel_that_obeys_is_asked_once() -> None:
    rig = Rig(FakePanel())
    await rig.keep(OFF)
    assert rig.port.asked == [Switch(output="HDMI-A-1", on=False)]
    await rig.keep(ON)
    assert rig.port.asked[1:] == [Switch(output="HDMI-A-1", on=True)]
    assert rig.told == []


@pytest.mark.parametrize("during", ["look", "do", "tell_cec"])
async def test_an_order_that_comes_while_the_panel_is_asked_ends_the_one_before(
    during: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = FakePanel(cec=Cec.ON, deaf=1000 if during == "do" else 0)
    rig = Rig(port)
    call = getattr(port, during)

    async def interrupted(*words: Any, **more: Any) -> Any:
        answer = await call(*words, **more)
        monkeypatch.undo()
        rig.keeper.keep(ON)
        port.asked.clear()
        return answer

    rig.keeper.keep(PanelOrder(on=False, mode="1280x720"))
    monkeypatch.setattr(port, during, interrupted)
    assert await rig.keeper.step() == 0.0
    assert port.asked == [], "what the older order wants is not asked any more"
    port.deaf = 0
    await rig.pass_(60)
    assert port.enabled
    assert port.cec is Cec.ON
    assert rig.told == []


async def test_a_panel_that_does_not_obey_is_asked_again() -> None:
    rig = Rig(FakePanel(deaf=2))
    await rig.keep(OFF, 3 * ANSWER_SECONDS)
    assert len(rig.port.asked) == 3
    assert not rig.port.enabled
    assert rig.told == []


@pytest.mark.proves("panel-follow-wakes")
async def test_a_panel_that_never_obeys_is_asked_seldom_and_told_of() -> None:
    rig = Rig(FakePanel(deaf=1000))
    await rig.keep(OFF, MOST_ASKS * ANSWER_SECONDS)
    assert len(rig.port.asked) == MOST_ASKS
    assert rig.told == [PanelChecked(obeys=False)]
    await rig.pass_(10 * ASK_AGAIN_SECONDS)
    assert MOST_ASKS + 5 <= len(rig.port.asked) <= MOST_ASKS + 10
    rig.port.deaf = 0
    await rig.pass_(ASK_AGAIN_SECONDS + LOOK_SECONDS)
    assert rig.told[-1] == PanelChecked()


@pytest.mark.proves("screen-plugged-again")
async def test_a_screen_that_is_plugged_in_again_is_asked_for_all_of_it() -> None:
    rig = Rig(FakePanel())
    await rig.keep(PanelOrder(on=True, mode="1280x720"))
    assert rig.port.mode is SMALL
    rig.port.comes_back()
    await rig.pass_(LOOK_SECONDS)
    assert rig.port.mode is SMALL
    await rig.keep(PanelOrder(on=False, mode="1280x720"))
    rig.port.comes_back()
    await rig.pass_(LOOK_SECONDS)
    assert not rig.port.enabled


@pytest.mark.proves("panel-follow-wakes")
async def test_a_panel_that_wakes_whenever_it_has_no_signal_is_not_switched_all_night() -> None:
    rig = Rig(FakePanel())
    rig.keeper.keep(OFF)
    for _ in range(600):
        await rig.keeper.step()
        rig.now += 1
        rig.port.comes_back()
    assert len(rig.port.asked) <= MOST_ASKS + 600 / ASK_AGAIN_SECONDS


async def test_without_a_screen_nothing_is_asked() -> None:
    port = FakePanel()
    port.plugged = False
    rig = Rig(port)
    await rig.keep(ON)
    assert (rig.port.asked, rig.told) == ([], [])


async def test_nothing_to_keep_is_nothing_to_look_at() -> None:
    assert await Rig(FakePanel()).keeper.step() is None


async def test_over_the_cable_it_is_asked_until_it_says_that_it_sleeps() -> None:
    rig = Rig(FakePanel(deaf=2, cec=Cec.ON, outputs=False))
    await rig.keep(OFF)
    assert rig.port.told == [False] * 3
    assert rig.told == []
    rig.port.cec = Cec.ON
    await rig.pass_(600)
    assert rig.port.told == [False] * 3, "somebody has switched it on by its remote control"


async def test_a_screen_that_says_nothing_over_the_cable_is_told_twice() -> None:
    rig = Rig(FakePanel(cec=Cec.SILENT))
    await rig.keep(OFF)
    await rig.keep(ON)
    assert rig.port.told == [False] * BLIND_ASKS + [True] * BLIND_ASKS


async def test_a_machine_that_can_switch_nothing_says_so() -> None:
    rig = Rig(FakePanel(outputs=False))
    await rig.keep(OFF)
    assert rig.told == [PanelChecked(managed=False)]


async def test_a_mode_that_is_not_offered_is_told_with_those_that_are() -> None:
    rig = Rig(FakePanel())
    await rig.keep(PanelOrder(mode="3840x2160"))
    assert rig.port.asked == []
    assert rig.told == [PanelChecked(offered=("1920x1080@60", "1920x1080@59.94", "1920x1080@23.976", "1280x720@60"))]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("1920x1080", FULL),
        ("1920x1080@60", FULL),
        ("1920x1080@59.94", NEAR),
        ("1920x1080@24", SLOW),
        ("1920x1080@50", None),
        ("1280x720@60", SMALL),
        ("640x480", None),
    ],
)
def test_the_mode_that_is_nearest_is_chosen(wanted: str, found: OutputMode | None) -> None:
    assert chosen_mode(wanted, MODES) == found


@pytest.mark.parametrize(
    "text", ["", "1080p", "1920x1080@", "1920x1080@60Hz", "1920x1080 --off", "-1x1080", "１９２０x1080"]
)
def test_what_is_no_mode_is_none(text: str) -> None:
    assert not is_mode(text)


# The commands, in place of which scripts stand


WLR_RANDR = """#!/bin/sh
echo "$@" >> {folder}/said
case "$1" in
--json) cat {folder}/outputs.json ;;
*) left=$(cat {folder}/deaf); [ "$left" = 0 ] || { echo $((left - 1)) > {folder}/deaf; exit 1; } ;;
esac
"""

CEC_CTL = """#!/bin/sh
echo "$@" >> {folder}/said
case "$*" in
*--give-device-power-status*) printf '\\tReceived from TV (0):\\n\\t\\tpwr-state: standby (0x01)\\n' ;;
*--playback*) printf 'Driver Info:\\n\\tPhysical Address           : 1.0.0.0\\n' ;;
esac
"""


def commands(folder: Path, command_seconds: float = COMMAND_SECONDS, **scripts: str) -> PanelCommands:
    """The real commands of a machine that has these, and a line over the cable if it has a command for it."""
    for name, text in scripts.items():
        script = folder / name.replace("_", "-")
        script.write_text(text.replace("{folder}", str(folder)))
        script.chmod(0o755)
    (folder / "dev").mkdir()
    if "cec_ctl" in scripts:
        (folder / "dev" / "cec0").touch()
    (folder / "deaf").write_text("0")
    environment = {"WAYLAND_DISPLAY": "wayland-0", "PATH": f"{folder}:/usr/bin:/bin"}
    return PanelCommands(environment=environment, devices=folder / "dev", command_seconds=command_seconds)


def said(folder: Path) -> list[str]:
    return (folder / "said").read_text().splitlines()


OUTPUTS = [
    {
        "name": "HDMI-A-1",
        "enabled": True,
        "make": None,
        "modes": [
            {"width": 1920, "height": 1080, "refresh": 59.939999, "preferred": True, "current": True},
            {"width": 1280, "height": 720, "refresh": 60.0, "preferred": False, "current": False},
        ],
    }
]


async def test_wlr_randr_is_read_and_told(tmp_path: Path) -> None:
    port = commands(tmp_path, wlr_randr=WLR_RANDR)
    (tmp_path / "outputs.json").write_text(json.dumps(OUTPUTS))
    seen = await port.look(cec=True)
    assert seen.cec is None
    assert seen.outputs is not None
    assert [(one.name, one.enabled, [str(mode) for mode in one.modes]) for one in seen.outputs] == [
        ("HDMI-A-1", True, ["1920x1080@59.94", "1280x720@60"])
    ]
    (tmp_path / "deaf").write_text("2")
    for _ in range(3):
        await port.do(Switch(output="HDMI-A-1", on=False))
    await port.do(ChooseMode(output="HDMI-A-1", mode=seen.outputs[0].modes[0]))
    assert said(tmp_path)[-2:] == ["--output HDMI-A-1 --off", "--output HDMI-A-1 --mode 1920x1080@59.939999Hz"]


async def test_a_machine_without_the_commands_has_nothing_to_switch(tmp_path: Path) -> None:
    port = commands(tmp_path)
    assert await port.look(cec=True) == PanelSeen()
    await port.do(Switch(output="HDMI-A-1", on=False))
    await port.tell_cec(on=False)


@pytest.mark.goes_beyond("MOST_OUTPUT")
@pytest.mark.parametrize("answer", ["", "no JSON", "[{}]", '{"name": 1}', "\udcff"])
async def test_what_wlr_randr_says_may_be_anything(tmp_path: Path, answer: str) -> None:
    port = commands(tmp_path, wlr_randr=WLR_RANDR)
    (tmp_path / "outputs.json").write_bytes(answer.encode(errors="surrogateescape"))
    assert (await port.look(cec=False)).outputs is None


async def test_a_command_that_hangs_is_ended(tmp_path: Path) -> None:
    port = commands(tmp_path, 0.1, wlr_randr="#!/bin/sh\nexec sleep 60\n")
    assert (await port.look(cec=False)).outputs is None


async def test_cec_ctl_wakes_the_screen_and_sends_it_to_sleep(tmp_path: Path) -> None:
    port, line = commands(tmp_path, cec_ctl=CEC_CTL), f"-d {tmp_path}/dev/cec0"
    assert (await port.look(cec=True)).cec is Cec.STANDBY
    await port.tell_cec(on=True)
    await port.tell_cec(on=False)
    assert said(tmp_path) == [
        f"{line} --to 0 --give-device-power-status",
        f"{line} --playback",
        f"{line} --to 0 --image-view-on",
        f"{line} --to 15 --active-source phys-addr=1.0.0.0",
        f"{line} --playback",
        f"{line} --to 0 --standby",
    ]
