"""The guard's command line: what it can do is said, and what it cannot is refused before anything is done."""

from __future__ import annotations

import pytest

from guard.__main__ import main


def test_the_help_names_each_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["--help"])
    said = capsys.readouterr().out
    assert all(f"\n    {command} " in said for command in ("check", "update", "keep"))


@pytest.mark.parametrize("arguments", [[], ["downgrade"], ["check", "now"]])
def test_what_it_does_not_know_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"^2$"):
        main(arguments)
    assert "menu-player-guard: error:" in capsys.readouterr().err
