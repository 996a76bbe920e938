"""Units of work: atomic, and their changes are published after the commit."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from service.core.changes import Change, ChangeHub, ContentChanged, ScreenChanged
from service.core.errors import ProblemError, not_found
from service.storage.database import Database
from service.storage.engines import open_engine
from service.storage.migrate import migrate
from service.storage.tables.workspaces import FactRow
from tests.service.support.application import START, VirtualClock


@pytest.fixture
def published() -> list[Change]:
    return []


@pytest.fixture
def database(tmp_path: Path, published: list[Change], database_url: str | None) -> Iterator[Database]:
    engine = open_engine(database_url, file=tmp_path / "db")
    migrate(engine)
    hub = ChangeHub()
    hub.subscribe(published.append)
    database = Database(engine=engine, clock=VirtualClock(), publish=hub.publish)
    yield database
    database.close()


def test_a_change_is_published_once_after_the_commit(database: Database, published: list[Change]) -> None:
    with database.write() as unit:
        unit.session.add(FactRow(name="a", value="b"))
        for change in (ContentChanged("ws"), ScreenChanged("ws", "scr"), ContentChanged("ws")):
            unit.announce(change)
        assert published == []

    assert published == [ContentChanged("ws"), ScreenChanged("ws", "scr")]


def test_a_failed_unit_changes_and_publishes_nothing(database: Database, published: list[Change]) -> None:
    def fail() -> None:
        with database.write() as unit:
            unit.session.add(FactRow(name="a", value="b"))
            unit.session.flush()
            unit.announce(ContentChanged("ws"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()

    with database.read() as session:
        assert session.get(FactRow, "a") is None
    assert published == []


def test_a_read_sees_one_snapshot(database: Database) -> None:
    with database.read() as session:
        assert session.get(FactRow, "a") is None
        with database.write() as unit:
            unit.session.add(FactRow(name="a", value="b"))
        session.expire_all()
        assert session.get(FactRow, "a") is None
    with database.read() as session:
        assert session.get(FactRow, "a") is not None


def test_a_unit_has_one_instant(database: Database) -> None:
    with database.write() as unit:
        assert unit.now == START
        assert unit.now.utcoffset() == timedelta(0)


def names_in(database: Database) -> list[str]:
    with database.read() as session:
        return list(session.scalars(select(FactRow.name).order_by(FactRow.name)))


def add_fact(database: Database, name: str) -> None:
    with database.write() as unit:
        unit.session.add(FactRow(name=name, value=""))
        unit.announce(ContentChanged(name))


def test_units_in_one_block_are_one_unit(database: Database, published: list[Change]) -> None:
    with database.as_one_unit():
        add_fact(database, "a")
        add_fact(database, "b")
        assert names_in(database) == ["a", "b"]
        assert published == []

    assert names_in(database) == ["a", "b"]
    assert published == [ContentChanged("a"), ContentChanged("b")]


def refuse(database: Database, *, inside: bool) -> None:
    with database.as_one_unit():
        add_fact(database, "a")
        if inside:
            with database.write():
                raise not_found("cake", "x")
        raise not_found("cake", "x")


def test_a_problem_between_units_keeps_the_finished_ones_and_one_inside_rolls_back(database: Database) -> None:
    with pytest.raises(ProblemError):
        refuse(database, inside=True)
    assert names_in(database) == []

    with pytest.raises(ProblemError):
        refuse(database, inside=False)
    assert names_in(database) == ["a"]


def test_an_error_in_a_block_changes_and_publishes_nothing(database: Database, published: list[Change]) -> None:
    def fail() -> None:
        with database.as_one_unit():
            add_fact(database, "a")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()

    assert names_in(database) == []
    assert published == []
