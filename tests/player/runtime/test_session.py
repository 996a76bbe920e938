"""The session that the unit runs before the compositor: waits for a display, chooses what draws, learns from its
deaths."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from player.runtime import session


class Unit:
    """The unit as systemd runs it: it starts again whenever it ends. One second passes with each wait."""

    def __init__(self, tmp_path: Path, driver: str = "v3d", **environment: str) -> None:
        self.folder = tmp_path / "run"
        self.folder.mkdir()
        self.devices = tmp_path / "dri"
        self.devices.mkdir()
        (self.devices / "card0").touch()
        self.drm = tmp_path / "drm"
        device = self.drm / "renderD128" / "device"
        device.mkdir(parents=True)
        (tmp_path / driver).mkdir()
        (device / "driver").symlink_to(tmp_path / driver)
        self.given = {"RUNTIME_DIRECTORY": str(self.folder), **environment}
        self.environment: Mapping[str, str] = {}
        self.command: Sequence[str] = ()
        self.now = 1000.0
        self.waits: list[float] = []

    def start(self) -> Mapping[str, str]:
        """The command and environment of the compositor."""

        def execute(command: Sequence[str], environment: Mapping[str, str]) -> None:
            self.command, self.environment = command, dict(environment)

        session.start(
            dict(self.given),
            execute=execute,
            drm_class=self.drm,
            devices=self.devices,
            sleep=self.sleep,
            monotonic=lambda: self.now,
        )
        return self.environment

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def end(self, code: str, status: str, *, result: str = "", after: float = 3.0, began: bool = False) -> None:
        self.now += after
        if began:
            (self.folder / session.BEGAN).touch()
        by_result = {"killed": "signal", "dumped": "core-dump", "exited": "exit-code"}
        told = {"SERVICE_RESULT": result or by_result[code], "EXIT_CODE": code, "EXIT_STATUS": status}
        session.ended({**self.given, **told}, monotonic=lambda: self.now)

    @property
    def renderer(self) -> tuple[str | None, str | None]:
        found = self.start()
        return found.get("WLR_RENDERER"), found.get("QT_QUICK_BACKEND")


WITHOUT_GPU = ("pixman", "software")
WITH_GPU = (None, None)


def test_the_player_runs_in_the_compositor_without_x(tmp_path: Path) -> None:
    unit = Unit(tmp_path)
    unit.start()

    assert unit.command[:5] == ["cage", "-d", "-m", "last", "--"]
    *shell, script = unit.command[5:]
    script = script.replace("exec /usr/bin/menu-player", "echo")
    said = subprocess.run([*shell, f"{script}; echo DISPLAY=$DISPLAY"], env={"DISPLAY": ":0"}, capture_output=True)
    assert said.stdout == b"run\nDISPLAY=\n"
    assert (unit.folder / session.BEGAN).exists()


@pytest.mark.parametrize(("driver", "chosen"), [("v3d", WITH_GPU), ("simpledrm", WITHOUT_GPU)])
def test_neither_draws_by_a_gpu_that_is_not_there(tmp_path: Path, driver: str, chosen: tuple[str, str]) -> None:
    assert Unit(tmp_path, driver).renderer == chosen


def test_what_the_unit_says_counts(tmp_path: Path) -> None:
    assert Unit(tmp_path, "simpledrm", WLR_RENDERER="gles2", QT_QUICK_BACKEND="software").renderer[0] == "gles2"
    (tmp_path / "other").mkdir()
    assert Unit(tmp_path / "other", "simpledrm", QT_QUICK_BACKEND="rhi").renderer == (None, "rhi")


@pytest.mark.proves("cage-dies-over")
def test_a_compositor_that_dies_over_the_gpu_goes_without_it_the_third_time(tmp_path: Path) -> None:
    unit = Unit(tmp_path)
    seen = []
    for _ in range(2):
        seen.append(unit.renderer)
        unit.end("dumped", "SEGV")
    assert seen == [WITH_GPU] * 2
    assert unit.renderer == WITHOUT_GPU
    unit.end("killed", "KILL", after=3600.0)
    assert unit.renderer == WITHOUT_GPU, "it stays so"


def test_a_compositor_that_finds_no_renderer_goes_without_the_gpu_too(tmp_path: Path) -> None:
    unit = Unit(tmp_path)
    for _ in range(2):
        unit.start()
        unit.end("exited", "1")
    assert unit.renderer == WITHOUT_GPU


@pytest.mark.parametrize(
    ("code", "status", "more"),
    [
        ("exited", "75", {"began": True}),
        ("exited", "1", {"began": True}),
        ("killed", "KILL", {}),
        ("killed", "ABRT", {"result": "watchdog"}),
        ("killed", "SEGV", {"after": 600.0}),
    ],
    ids=["restart", "player_fails", "killed", "watchdog", "later"],
)
def test_what_is_no_fault_of_the_gpu_costs_it_nothing(
    tmp_path: Path, code: str, status: str, more: dict[str, object]
) -> None:
    unit = Unit(tmp_path)
    for _ in range(5):
        assert unit.renderer == WITH_GPU
        unit.end(code, status, **more)  # type: ignore[arg-type]


@pytest.mark.proves("display-device-comes")
def test_it_waits_for_a_display_as_long_as_there_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unit = Unit(tmp_path)
    card = unit.devices / "card0"
    card.unlink()

    def sleep(seconds: float) -> None:
        unit.sleep(seconds)
        assert unit.command == ()
        if unit.now > 1000.0 + 3600:
            card.touch()

    session.start(
        dict(unit.given),
        execute=lambda command, _: setattr(unit, "command", command),
        drm_class=unit.drm,
        devices=unit.devices,
        sleep=sleep,
        monotonic=lambda: unit.now,
    )
    assert unit.command
    assert capsys.readouterr().err.count("waiting for one") == 1


@pytest.mark.proves("starts-fail-without")
def test_starts_that_fail_without_end_become_rarer_and_never_stop(tmp_path: Path) -> None:
    unit = Unit(tmp_path, "simpledrm")
    for _ in range(session.PAUSE_AFTER):
        unit.start()
        unit.end("exited", "1")
    assert unit.waits == []
    unit.start()
    assert unit.waits == [session.PAUSE_SECONDS]
    unit.end("exited", "75", after=3600.0, began=True)
    unit.start()
    assert unit.waits == [session.PAUSE_SECONDS]


def test_what_the_run_before_has_left_is_cleared(tmp_path: Path) -> None:
    unit = Unit(tmp_path)
    (unit.folder / "wayland-0").touch()
    (unit.folder / "menu-player-state-x").mkdir()
    (unit.folder / "menu-player-state-x" / "lock").write_text("1\n")
    unit.start()
    assert [path.name for path in unit.folder.iterdir()] == [session.NOTES]


@pytest.mark.parametrize("damaged", ["", "x", "1 2", "nan x 3"])
def test_damaged_notes_count_as_none(tmp_path: Path, damaged: str) -> None:
    unit = Unit(tmp_path)
    (unit.folder / session.NOTES).write_text(damaged)
    assert unit.renderer == WITH_GPU


def test_it_needs_nothing_but_pythons_own_library(tmp_path: Path) -> None:
    """As the unit starts it, by a Python that has no other."""
    unit = Unit(tmp_path)
    cage = tmp_path / "bin" / "cage"
    cage.parent.mkdir()
    cage.write_text('#!/bin/sh\necho "$@"\n')
    cage.chmod(0o755)
    python = Path(sys.base_prefix) / "bin" / "python3"
    environment = {**unit.given, "PATH": f"{cage.parent}:{os.defpath}", "WLR_BACKENDS": "headless"}
    said = subprocess.run(
        [python, "-I", "-S", session.__file__, "start"], env=environment, capture_output=True, text=True, check=True
    )
    assert said.stdout.startswith("-d -m last --")


def test_what_the_compositor_tells_of_itself_is_no_message_of_the_board(tmp_path: Path) -> None:
    unit = Unit(tmp_path)
    unit.start()
    log, program = tmp_path / "log", tmp_path / "bin" / "menu-player"
    for name, text in (
        ("cage", 'echo "[ERROR] [xwayland] noise" >&2\nshift 4\nexec "$@"'),
        ("menu-player", "echo own >&2"),
    ):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    command = [*unit.command[:-1], unit.command[-1].replace("/usr/bin/menu-player", str(program))]
    become = """
import os, sys
from player.runtime import session
session.journal_stream = lambda _: os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY)
session.become(sys.argv[2:], os.environ)
"""
    said = subprocess.run(
        [sys.executable, "-c", become, log, *command],
        env={**os.environ, "PATH": f"{program.parent}:{os.defpath}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=True,
    )
    assert (log.read_text(), said.stdout) == ("[ERROR] [xwayland] noise\n", b"own\n")


def test_a_compositor_that_is_not_installed_is_named(tmp_path: Path) -> None:
    environment = {**Unit(tmp_path).given, "PATH": str(tmp_path), "WLR_BACKENDS": "headless"}
    python = Path(sys.base_prefix) / "bin" / "python3"
    said = subprocess.run(
        [python, "-I", session.__file__, "start"], env=environment, capture_output=True, text=True, check=False
    )
    assert said.returncode == 1
    assert said.stderr == "menu-player: cage cannot be started (No such file or directory); install it again\n"


@pytest.mark.proves("file-link-nowhere")
def test_the_players_folders_are_there_and_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    owner = pwd.getpwuid(os.getuid()).pw_name
    folders = [tmp_path / name for name in ("there", "missing", "a-file", "a-link", "elsewhere")]
    there, _, a_file, a_link, elsewhere = folders
    (there / "assets").mkdir(parents=True)
    there.chmod(0o755)
    a_file.write_text("hello")
    (tmp_path / "a-file.aside-1").write_text("earlier")
    a_link.symlink_to("nowhere")
    (tmp_path / "disk").mkdir()
    elsewhere.symlink_to("disk")
    session.prepare(folders, user=owner)
    assert [(folder.is_dir(), folder.stat().st_mode & 0o777) for folder in folders] == [(True, 0o700)] * 5
    assert (there / "assets").is_dir()
    assert elsewhere.is_symlink()
    assert [(tmp_path / f"a-file.aside-{n}").read_text() for n in (1, 2)] == ["earlier", "hello"]
    assert (tmp_path / "a-link.aside-1").is_symlink()
    assert f"{a_file} was not a folder; what stood there is {a_file}.aside-2 now" in capsys.readouterr().err


def test_a_folder_that_cannot_be_had_does_not_keep_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    session.prepare([tmp_path / "file" / "state", tmp_path / "cache"], user=pwd.getpwuid(os.getuid()).pw_name)
    assert (tmp_path / "cache").is_dir()
    assert "cannot be used: Not a directory" in capsys.readouterr().err


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
def test_what_belongs_to_others_in_them_becomes_the_players(tmp_path: Path) -> None:
    state, others = tmp_path / "state", tmp_path / "others"
    (state / "assets").mkdir(parents=True)
    for file in (state / "credentials", state / "assets" / "a", others):
        file.touch()
    (state / "link").symlink_to(others)
    session.prepare([state], user="nobody")
    nobody = pwd.getpwnam("nobody").pw_uid
    for given in (state, state / "credentials", state / "assets", state / "assets" / "a", state / "link"):
        assert given.lstat().st_uid == nobody
    assert others.stat().st_uid == 0


def test_the_picture_of_the_start_gives_the_display_up_and_stays(tmp_path: Path) -> None:
    told = tmp_path / "told"
    plymouth = tmp_path / "plymouth"
    session.end_splash(str(plymouth))
    assert not told.exists(), "a machine without one"
    plymouth.write_text(f'#!/bin/sh\necho "$@" >> {told}\nexit 1\n')
    plymouth.chmod(0o755)
    session.end_splash(str(plymouth))
    assert told.read_text().splitlines() == ["quit --retain-splash", "--wait"]


def test_a_picture_of_the_start_that_does_not_end_holds_nothing_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "SPLASH_SECONDS", 0.1)
    plymouth = tmp_path / "plymouth"
    plymouth.write_text("#!/bin/sh\nexec sleep 600\n")
    plymouth.chmod(0o755)
    session.end_splash(str(plymouth))
