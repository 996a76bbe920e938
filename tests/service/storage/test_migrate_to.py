"""`migrate-to`: the copy on PostgreSQL accepts the same keys, tokens and cursors."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, inspect, select

from service.cli.main import EXIT_FAILURE, main
from service.core.permissions import Role
from service.storage.copying import TargetNotEmptyError, copy_database
from service.storage.engines import open_engine
from service.storage.tables.base import Base
from service.storage.tables.workspaces import FactRow
from tests.service.support.application import Caller, VirtualClock, open_cafe, pair, running
from tests.service.support.postgres import Cluster


@pytest.fixture
def empty(cluster: Cluster) -> Iterator[str]:
    """The URL of an empty PostgreSQL database."""
    with cluster.database() as url:
        yield url


@pytest.fixture
def target(empty: str, tmp_path: Path) -> Iterator[Engine]:
    engine = open_engine(empty, file=tmp_path)
    yield engine
    engine.dispose()


async def test_everything_is_copied(
    tmp_path: Path, clock: VirtualClock, empty: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with running(tmp_path / "data", clock=clock) as service:
        secret = service.services.keys.create(role=Role.OWNER, name="")
        owner = Caller(service.client, secret)
        cafe = await open_cafe(owner)
        device = await pair(service, owner, cafe)
        gone = await owner.make("/v1/content/items", {"name": "Gone", "category": "Cake", "price": 1})
        page = (await owner.get("/v1/content/items?limit=1")).json()
        await owner.delete(f"/v1/content/items/{gone['id']}")
        group = (await owner.make("/v1/groups", {"name": "All", "locations": [cafe.location]}))["id"]
        for place in (f"groups/{group}", f"locations/{cafe.location}"):
            await owner.patch(f"/v1/{place}/items/{cafe.coffee}", {"price": 5, "eightySixed": True})
        there = (await owner.get(f"/v1/locations/{cafe.location}/items")).json()
        manifest = await device.manifest()

    assert main(["migrate-to", "--data", str(tmp_path / "data"), "--database", empty], {}) == 0

    assert "        2 items\n" in capsys.readouterr().out
    async with running(tmp_path / "data", clock=clock, database=empty) as service:
        owner = Caller(service.client, secret)
        again = device.calling(service.client)
        assert (await again.manifest()).content == manifest.content
        assert (await owner.get(f"/v1/locations/{cafe.location}/items")).json() == there
        rest = (await owner.get(f"/v1/content/items?cursor={page['pagination']['cursor']}")).json()["data"]
        assert [item["id"] for item in rest] == [cafe.cake]
        # Numbered after the deleted item: a cursor may point there.
        added = await owner.make("/v1/content/items", {"name": "New", "category": "Cake", "price": 1})
        with service.services.database.read() as session:
            numbers = session.scalars(select(Base.metadata.tables["items"].c.number)).all()
        assert sorted(numbers) == [1, 2, 4]
        assert (await owner.get("/v1/content/items")).json()["data"][-1] == added


@pytest.mark.long
def test_a_database_with_rows_is_left_alone(tmp_path: Path, target: Engine) -> None:
    source = open_engine(None, file=tmp_path / "db")
    copy_database(source, target)
    with target.begin() as connection:
        connection.execute(FactRow.__table__.insert(), {"name": "theirs", "value": ""})

    with pytest.raises(TargetNotEmptyError, match="facts"):
        copy_database(source, target)

    with target.connect() as connection:
        assert connection.scalar(select(func.count()).select_from(FactRow)) == 1
    source.dispose()


@pytest.mark.long
def test_a_copy_that_fails_half_way_leaves_nothing(
    tmp_path: Path, target: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["demo-data", "--data", str(tmp_path)], {}) == 0
    source = open_engine(None, file=tmp_path / "service.sqlite3")

    def fail(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as broken:
        broken.setattr("service.storage.copying._continue_numbering", fail)
        with pytest.raises(RuntimeError):
            copy_database(source, target)

    with target.connect() as connection:
        assert connection.scalar(select(func.count()).select_from(Base.metadata.tables["items"])) == 0
    assert copy_database(source, target)["items"] > 0
    source.dispose()


def test_wrong_usage_is_a_plain_message(tmp_path: Path, capsys: pytest.CaptureFixture[str], empty: str) -> None:
    nowhere = "postgresql+psycopg://menu:hunter2@127.0.0.1:1/menu"
    for arguments, words in (
        ([], "MENU_SERVICE_DATABASE is needed"),
        (["--database", empty], "holds no database"),
    ):
        assert main(["migrate-to", "--data", str(tmp_path), *arguments], {}) == EXIT_FAILURE
        assert words in capsys.readouterr().err
    assert (
        main(["keys", "create", "--role", "Owner", "--data", str(tmp_path), "--database", nowhere], {}) == EXIT_FAILURE
    )
    message = capsys.readouterr().err
    assert message.startswith("menu-service: the database cannot be used: ")
    assert "hunter2" not in message


def test_an_empty_database_is_still_empty_after_a_refusal(tmp_path: Path, target: Engine, empty: str) -> None:
    assert main(["migrate-to", "--data", str(tmp_path / "none"), "--database", empty], {}) == EXIT_FAILURE

    assert inspect(target).get_table_names() == []
