"""The commands of `menu-service`: help, version, and what is said where a file or an address cannot be used."""

import os
import signal
import socket
from pathlib import Path

import pytest

from service.cli.main import EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_USAGE, main
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


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("demo-data", "--data", "{file}"), "{file}: a file of this name is there, where a folder is needed"),
        (("demo-data", "--data", "{file}/new"), "{file}/new: Not a directory"),
        (
            ("serve", "--data", "{file}", "--port", "0"),
            "{file}: a file of this name is there, where a folder is needed",
        ),
        (("restore", "--data", "{folder}/new", "--from", "{folder}/none"), "{folder}/none: No such file or directory"),
        (("restore", "--data", "{folder}/new", "--from", "{folder}"), "{folder}: Is a directory"),
        (("backup", "--data", "{folder}", "--to", "{folder}/none/file"), "{folder}/none is no folder"),
        (("backup", "--data", "{folder}", "--to", "{pipe}"), "{pipe} is no file, but something else of that name"),
        (
            ("serve", "--data", "{folder}/data", "--port", "{taken}"),
            "cannot listen on 127.0.0.1, port {taken}: Address already in use; give another --port",
        ),
        (
            ("serve", "--data", "{folder}/data", "--host", "..", "--port", "0"),
            "cannot listen on .., port 0: this is no name of a host",
        ),
    ],
)
def test_what_cannot_be_used_is_named_in_words(
    command: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a-file").touch()
    os.mkfifo(tmp_path / "a-pipe")
    with socket.create_server(("127.0.0.1", 0)) as other:
        given = {
            "file": tmp_path / "a-file",
            "folder": tmp_path,
            "pipe": tmp_path / "a-pipe",
            "taken": other.getsockname()[1],
        }
        status = main([part.format(**given) for part in command], environment={})

    assert status == EXIT_FAILURE
    assert capsys.readouterr().err == f"menu-service: {says.format(**given)}\n"


@pytest.mark.parametrize("command", [("keys", "list"), ("keys", "revoke", "key_1"), ("workspaces", "list")])
def test_a_folder_without_a_service_is_not_one_without_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    mistyped = tmp_path / "menu-servcie"
    assert main([*command, "--data", str(mistyped)], environment={}) == EXIT_USAGE
    assert capsys.readouterr().err == f"menu-service: {mistyped}: no service keeps its data there\n"
    assert not mistyped.exists()


def test_ctrl_c_ends_a_command_quietly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("service.cli.main.run_operator_command", interrupted)

    assert main(["keys", "list", "--data", str(tmp_path)], environment={}) == EXIT_INTERRUPTED
    assert capsys.readouterr().err == ""
