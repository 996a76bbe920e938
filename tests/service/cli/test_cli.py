"""The commands of `menu-service`: help and version."""

import pytest

from service.cli.main import main
from service.cli.parser import build_parser
from tests.support.commands import commands_of

COMMANDS = tuple(commands_of(build_parser()))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main((*command[1:], "--help"), environment={})

    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert said.startswith(f"usage: {' '.join(command)}")
    assert "--help" in said


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(("--version",), environment={})

    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("menu-service ")
