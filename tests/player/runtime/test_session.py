"""The session that the unit runs before the player: waits for a display, chooses what draws, starts the compositor and
learns from its deaths."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from player.runtime import session
from tests.support.patience import PATIENCE_SECONDS
from tests.support.programs import eventually


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
        """The environment of compositor and player."""

        def execute(command: Sequence[str], environment: Mapping[str, str]) -> None:
            self.command, self.environment = command, dict(environment)

        session.start(
            dict(self.given),
            compose=lambda *_: "wayland-0",
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

    def end(
        self, code: str, status: str, *, result: str = "", after: float = 3.0, began: bool = True, compositor: str = ""
    ) -> None:
        self.now += after
        if not began:
            (self.folder / session.BEGAN).unlink()
        if compositor:
            (self.folder / session.ENDED).write_text(f"{compositor}\n")
        by_result = {"killed": "signal", "dumped": "core-dump", "exited": "exit-code"}
        told = {"SERVICE_RESULT": result or by_result[code], "EXIT_CODE": code, "EXIT_STATUS": status}
        session.ended({**self.given, **told}, monotonic=lambda: self.now)

    @property
    def renderer(self) -> tuple[str | None, str | None]:
        found = self.start()
        return found.get("WLR_RENDERER"), found.get("QT_QUICK_BACKEND")


WITHOUT_GPU = ("pixman", "software")
WITH_GPU = (None, None)


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


CAGE = 'shift 4\nDISPLAY=:0 WAYLAND_DISPLAY=wayland-0 "$@"\n'
"""As the compositor does, it ends when its client does."""
PLAYER = 'echo "$@ in $WAYLAND_DISPLAY, X: $DISPLAY"'


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., tuple[int, str, str]]:
    """Runs the session with these scripts in place of compositor and player, by a Python that has nothing but its own
    library; returns its status, what it said, and the compositor's status."""

    def run(cage: str, player: str = PLAYER, *, prelude: str = "") -> tuple[int, str, str]:
        folder = tmp_path / "run"
        folder.mkdir(exist_ok=True)
        if cage:
            program(tmp_path / "bin" / "cage", cage)
        script = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(Path(session.__file__).parents[2])!r})
from player.runtime import session
from tests.support.patience import PATIENCE_SECONDS
from tests.support.programs import eventually
session.PLAYER = {str(program(tmp_path / "bin" / "menu-player", player))!r}
{prelude}
sys.exit(session.main(["start"]))
"""
        path = f"{tmp_path / 'bin'}:{os.defpath if cage else ''}"
        ended = subprocess.run(
            [Path(sys.base_prefix) / "bin" / "python3", "-I", "-S", "-c", script],
            env={"RUNTIME_DIRECTORY": str(folder), "PATH": path, "WLR_BACKENDS": "headless"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=PATIENCE_SECONDS,
        )
        eventually((folder / session.ENDED).exists, what="the compositor has ended")
        eventually((folder / session.ENDED).read_text, what="its status is written")
        return ended.returncode, ended.stdout, (folder / session.ENDED).read_text().strip()

    return run


def test_the_player_runs_in_the_compositor_without_x_and_takes_it_along(run: Callable[..., object]) -> None:
    assert run(CAGE, f"{PLAYER}; exit 75") == (75, "run in wayland-0, X: \n", "0")


@pytest.mark.proves("cage-dies-over")
@pytest.mark.parametrize(
    ("cage", "said"),
    [("kill -SEGV $$", (1, "")), (f"({CAGE}) &\nkill -SEGV $$", (0, "run in wayland-0, X: \n"))],
    ids=["at once", "later"],
)
def test_a_compositor_that_dies_is_known_by_its_status(
    run: Callable[..., tuple[int, str, str]], cage: str, said: tuple[int, str]
) -> None:
    status, told, compositor = run(cage)
    # The shell has a word for it as well, before or after what the player says.
    assert (status, told.replace("Segmentation fault\n", ""), compositor) == (*said, "139")


def test_a_compositor_that_is_not_installed_is_named(run: Callable[..., tuple[int, str, str]]) -> None:
    status, said, compositor = run("")
    assert (status, compositor) == (1, "127")
    assert said.endswith("menu-player: cage cannot be started; install it again\n")


def test_a_player_that_is_not_installed_is_named(run: Callable[..., tuple[int, str, str]]) -> None:
    status, said, _ = run(CAGE, prelude='session.PLAYER += "-gone"')
    assert status == 1
    assert said.endswith("menu-player-gone cannot be started (No such file or directory); install it again\n")


def test_what_the_compositor_tells_of_itself_is_no_message_of_the_board(
    tmp_path: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    log = tmp_path / "log"
    prelude = f"import os\nsession.journal_stream = lambda _: os.open({str(log)!r}, os.O_CREAT | os.O_WRONLY)"
    assert run(f"echo noise >&2\n{CAGE}", "echo own >&2", prelude=prelude) == (0, "own\n", "0")
    assert log.read_text() == "noise\n"


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
        unit.end("exited", "255", compositor="139")
    assert seen == [WITH_GPU] * 2
    assert unit.renderer == WITHOUT_GPU
    unit.end("killed", "KILL", after=3600.0)
    assert unit.renderer == WITHOUT_GPU, "it stays so"


def test_a_compositor_that_finds_no_renderer_goes_without_the_gpu_too(tmp_path: Path) -> None:
    unit = Unit(tmp_path)
    for _ in range(2):
        unit.start()
        unit.end("exited", "1", began=False, compositor="1")
    assert unit.renderer == WITHOUT_GPU


@pytest.mark.parametrize(
    ("code", "status", "more"),
    [
        ("exited", "75", {"compositor": "0"}),
        ("exited", "1", {}),
        ("killed", "KILL", {"compositor": "0"}),
        ("dumped", "SEGV", {"compositor": "0"}),
        ("exited", "255", {"compositor": "137"}),
        ("killed", "ABRT", {"result": "watchdog", "compositor": "134"}),
        ("exited", "255", {"after": 600.0, "compositor": "139"}),
        ("exited", "1", {"compositor": "139x"}),
    ],
    ids=["restart", "player_fails", "killed", "player_crashes", "compositor_killed", "watchdog", "later", "damaged"],
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
        compose=lambda *_: "wayland-0",
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
        unit.end("exited", "1", began=False)
    assert unit.waits == []
    unit.start()
    assert unit.waits == [session.PAUSE_SECONDS]
    unit.end("exited", "75", after=3600.0)
    unit.start()
    assert unit.waits == [session.PAUSE_SECONDS]


def test_what_the_run_before_has_left_is_cleared(tmp_path: Path) -> None:
    unit = Unit(tmp_path)
    (unit.folder / "wayland-0").touch()
    (unit.folder / "menu-player-state-x").mkdir()
    (unit.folder / "menu-player-state-x" / "lock").write_text("1\n")
    unit.start()
    assert {path.name for path in unit.folder.iterdir()} == {session.NOTES, session.BEGAN}


@pytest.mark.parametrize("damaged", ["", "x", "1 2", "nan x 3"])
def test_damaged_notes_count_as_none(tmp_path: Path, damaged: str) -> None:
    unit = Unit(tmp_path)
    (unit.folder / session.NOTES).write_text(damaged)
    assert unit.renderer == WITH_GPU


def test_it_needs_nothing_but_pythons_own_library(tmp_path: Path) -> None:
    """As the unit starts it, by a Python that has no other."""
    program(tmp_path / "bin" / "cage", 'echo "$@" >"$RUNTIME_DIRECTORY/given"; exit 1')
    (tmp_path / "run").mkdir()
    python = Path(sys.base_prefix) / "bin" / "python3"
    path = f"{tmp_path / 'bin'}:{os.defpath}"
    environment = {"RUNTIME_DIRECTORY": str(tmp_path / "run"), "PATH": path, "WLR_BACKENDS": "headless"}
    said = subprocess.run([python, "-I", "-S", session.__file__, "start"], env=environment, capture_output=True)
    assert (said.returncode, said.stdout, said.stderr) == (1, b"", b"")
    assert (tmp_path / "run" / "given").read_text().startswith("-d -m last -- /bin/sh -c ")


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


def test_a_picture_of_the_start_that_does_not_end_holds_nothing_up(tmp_path: Path) -> None:
    plymouth = tmp_path / "plymouth"
    plymouth.write_text("#!/bin/sh\nexec sleep 600\n")
    plymouth.chmod(0o755)
    session.end_splash(str(plymouth), seconds=0.1)
