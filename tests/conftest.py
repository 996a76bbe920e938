"""Set-up that every test shares: Qt draws offscreen, in software, whatever machine the tests run on."""

import os

import pytest

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_QUICK_BACKEND"] = "software"


@pytest.fixture(scope="session")
def qapp_cls() -> type:
    """The player has no widgets."""
    from PySide6.QtGui import QGuiApplication

    return QGuiApplication
