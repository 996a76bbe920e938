"""Figures that tests measure, told after the run. A conftest imports both names."""

from __future__ import annotations

import pytest

FIGURES: dict[str, float] = {}
"""Measurements: seconds, unless it says otherwise."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if FIGURES:
        terminalreporter.section("seconds, unless it says otherwise")
        for what, figure in FIGURES.items():
            terminalreporter.write_line(f"{figure:7.1f}  {what}")


@pytest.fixture(scope="session")
def figures() -> dict[str, float]:
    return FIGURES
