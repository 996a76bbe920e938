"""Set-up that every test shares: Qt draws offscreen, in software, whatever machine the tests run on. Hypothesis draws
the same cases in every run, and no clock judges them: a failure can be repeated anywhere."""

import gc
import logging
import os
import signal
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from player.device.heaps import bound_heaps
from tests.support.examples import examples
from tests.support.films import CHATTER
from tests.support.programs import Service

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

settings.register_profile("steady", examples(25))
settings.load_profile("steady")
# Else it also tries the constants of those modules of ours that happen to be loaded, which differ from run to run.
providers.is_local_module_file = lambda _: False

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_QUICK_BACKEND"] = "software"
os.environ["LC_ALL"] = "C.UTF-8"

if find_spec("playwright") is None:
    # It does not go with Debian's own libraries (`make test-debian`).
    collect_ignore_glob = ["desk/*", "e2e/test_pages.py", "player/page/test_*_in_a_browser.py"]

bound_heaps()
Service.loaded = True


def pytest_configure(config: pytest.Config) -> None:
    # Ctrl-C is tested also where the caller ignores it, as `nohup` and a shell's background do.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if tuple(int(part) for part in version("anyio").split(".")[:2]) < (4, 16):
        # As Debian 13 has it. A connection that is cancelled in the moment in which it is made is left to the
        # garbage collector: https://github.com/agronholm/anyio/pull/1364
        config.addinivalue_line("filterwarnings", "ignore:unclosed (transport|<socket):ResourceWarning")


def pytest_itemcollected(item: pytest.Item) -> None:
    """A decoder has threads of Qt's own. Where Python takes Qt's messages, as with pytest-qt, one that logs waits for
    Python's lock, and a test that closes the film may wait in that lock for the thread; one that logs as the test ends
    calls what is no longer there. So Qt writes the messages of such a test itself."""
    if item.get_closest_marker("film"):
        item.add_marker("no_qt_log")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test that is marked `first_case`, the other cases are long."""
    seen: set[str] = set()
    for item in items:
        if item.get_closest_marker("first_case") is None or item.get_closest_marker("long") is not None:
            continue
        test = item.nodeid.partition("[")[0]
        if test in seen:
            item.add_marker("long")
        seen.add(test)


@pytest.fixture(autouse=True)
def _messages_of_films(request: pytest.FixtureRequest) -> Iterator[None]:
    """Tests of films fail at an unexpected message, as the others do."""
    film = request.node.get_closest_marker("film")
    if film is None:
        yield
        return
    capture = request.getfixturevalue("capfd")
    yield
    written = filter(None, capture.readouterr().err.splitlines())
    assert [line for line in written if not any(word in line for word in (*CHATTER, *film.args))] == []


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Nothing of what is imported and collected is garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Spare the collector what lasts until the end of the run: it would look through it thousands of times."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_unconfigure() -> None:
    """PySide6's Property has a destructor of the old kind, so classes with one are not collected as Python ends, and it
    warns of those that a test was the first to import."""
    gc.freeze()


@pytest.fixture(autouse=True)
def _log_handlers() -> Iterator[None]:
    """A command that a test calls logs to the test's stderr, which is closed with the test, and limits what repeats in
    the log of the tests after it."""
    yield
    root = logging.getLogger()
    for handler in tuple(root.handlers):
        handler.filters.clear()
        if type(handler) is logging.StreamHandler:
            root.removeHandler(handler)


@pytest.fixture(scope="session")
def qapp_cls() -> type:
    """The player has no widgets."""
    from PySide6.QtGui import QGuiApplication

    return QGuiApplication


@pytest.fixture(scope="module")
def chromium() -> "Iterator[Browser]":
    """One browser for the tests of a module."""
    from tests.support.chromium import opened

    with opened() as browser:
        yield browser


@pytest.fixture(scope="module")
def window(chromium: "Browser") -> "Page":
    """One window for the tests of a module; `forget` clears it between them."""
    return chromium.new_context(locale="en").new_page()
