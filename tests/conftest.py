"""Set-up that every test shares: Qt draws offscreen, in software, whatever machine the tests run on."""

import gc
import os

import pytest

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_QUICK_BACKEND"] = "software"


def pytest_collection_finish() -> None:
    """Spare the collector what lasts until the end of the run: it would look through it thousands of times."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session")
def qapp_cls() -> type:
    """The player has no widgets."""
    from PySide6.QtGui import QGuiApplication

    return QGuiApplication
