"""The commands of `menu-player`: each explains itself."""

import pytest

from player.cli import build_parser, main
from tests.support.commands import commands_of

COMMANDS = tuple(commands_of(build_parser()))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main((*command[1:], "--help"))

    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: {' '.join(command)}")
    assert "--help" in said


def test_the_overscan_is_explained_in_percent(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(("run", "--help"))

    assert "0 to 10 % of the side" in " ".join(capsys.readouterr().out.split())


def test_the_version_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(("--version",))

    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("menu-player ")
