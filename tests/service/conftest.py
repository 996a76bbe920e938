"""Fixtures: the application on an empty folder, an owner, a café, a paired device."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.core.permissions import Role
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, open_cafe, pair, running
from tests.service.support.opened_cafe import OpenedCafe, opened_cafe
from tests.service.support.postgres import Cluster, running_cluster
from tests.service.support.quick_start import shorten_starts
from tests.service.support.receivers import Receiver, receiver
from tests.service.support.workspaces import ScopedWorkspace, fill_workspace

shorten_starts()

POSTGRES_MATTERS = tuple(
    f"tests/service/{name}"
    for name in (
        "access/test_audit.py::test_every_call_that_changes_something_leaves_an_entry",
        "shared/test_idempotency.py",
        "storage/",
        "webhooks/test_outbox.py",
    )
)
"""Where two databases can differ, locks and transactions, and each call of the API once. Other tests run on PostgreSQL
in `make test-long` alone."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        chosen = getattr(item, "callspec", SimpleNamespace(params={})).params.values()
        if "postgres" in chosen and not item.nodeid.startswith(POSTGRES_MATTERS):
            item.add_marker("long")


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    with running_cluster() as started:
        started.make_template()
        yield started


@pytest.fixture
def postgres(cluster: Cluster) -> Iterator[str]:
    """The URL of a PostgreSQL database with the service's tables."""
    with cluster.tables() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def database_url(request: pytest.FixtureRequest) -> str | None:
    """The database: None for SQLite, or a PostgreSQL URL. Tests that use this run on both."""
    return request.getfixturevalue("postgres") if request.param == "postgres" else None


@pytest.fixture
def reaches_loopback() -> bool:
    """Whether the service delivers to loopback. Tests with a receiver override this."""
    return False


@pytest.fixture(scope="session")
def made_cafe(tmp_path_factory: pytest.TempPathFactory) -> OpenedCafe:
    return opened_cafe(tmp_path_factory.mktemp("cafe") / "data")


@pytest.fixture
def opened(
    request: pytest.FixtureRequest, made_cafe: OpenedCafe, tmp_path: Path, database_url: str | None
) -> OpenedCafe | None:
    """The café, if the test asks for it and `service` starts on it. On PostgreSQL each test makes its own."""
    if database_url is not None or "cafe" not in request.fixturenames:
        return None
    made_cafe.copy(tmp_path / "data")
    return made_cafe


@pytest.fixture
async def service(
    tmp_path: Path,
    clock: VirtualClock,
    database_url: str | None,
    reaches_loopback: bool,
    opened: OpenedCafe | None,
) -> AsyncIterator[Service]:
    async with running(
        tmp_path / "data", clock=clock, database=database_url, webhooks_allow_private=reaches_loopback
    ) as started:
        yield started


@pytest.fixture
async def hook() -> AsyncIterator[Receiver]:
    async with receiver() as started:
        yield started


@pytest.fixture
def owner(service: Service, opened: OpenedCafe | None) -> Caller:
    return service.caller(Role.OWNER) if opened is None else Caller(service.client, opened.secret)


@pytest.fixture
async def cafe(owner: Caller, opened: OpenedCafe | None) -> Cafe:
    return await open_cafe(owner) if opened is None else replace(opened.cafe)


@pytest.fixture
async def scoped(service: Service, owner: Caller, cafe: Cafe) -> ScopedWorkspace:
    return await fill_workspace(service, owner, cafe)


@pytest.fixture
async def device(service: Service, owner: Caller, cafe: Cafe) -> Device:
    return await pair(service, owner, cafe)
