"""One unit of work: whole or not at all, told once it is committed and not before."""

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
from service.storage.tables import FactRow
from tests.service.support.application import START, VirtualClock


@pytest.fixture
def told() -> list[Change]:
    return []


@pytest.fixture
def database(tmp_path: Path, told: list[Change], database_url: str | None) -> Iterator[Database]:
    engine = open_engine(database_url, file=tmp_path / "db")
    migrate(engine)
    hub = ChangeHub()
    hub.subscribe(told.append)
    database = Database(engine=engine, clock=VirtualClock(), publish=hub.publish)
    yield database
    database.close()


def test_a_notice_follows_the_commit_and_is_told_once(database: Database, told: list[Change]) -> None:
    with database.write() as unit:
        unit.session.add(FactRow(name="a", value="b"))
        for notice in (ContentChanged("ws"), ScreenChanged("ws", "scr"), ContentChanged("ws")):
            unit.announce(notice)
        assert told == []

    assert told == [ContentChanged("ws"), ScreenChanged("ws", "scr")]


def test_a_unit_that_fails_changes_and_tells_nothing(database: Database, told: list[Change]) -> None:
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
    assert told == []


def test_a_read_sees_one_moment(database: Database) -> None:
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


def put(database: Database, name: str) -> None:
    with database.write() as unit:
        unit.session.add(FactRow(name=name, value=""))
        unit.announce(ContentChanged(name))


def test_units_that_belong_together_are_one(database: Database, told: list[Change]) -> None:
    with database.as_one_unit():
        put(database, "a")
        put(database, "b")
        assert names_in(database) == ["a", "b"]
        assert told == []

    assert names_in(database) == ["a", "b"]
    assert told == [ContentChanged("a"), ContentChanged("b")]


def refuse(database: Database, *, inside: bool) -> None:
    with database.as_one_unit():
        put(database, "a")
        if inside:
            with database.write():
                raise not_found("cake", "x")
        raise not_found("cake", "x")


def test_a_problem_between_units_keeps_the_finished_ones_and_one_inside_keeps_none(database: Database) -> None:
    with pytest.raises(ProblemError):
        refuse(database, inside=True)
    assert names_in(database) == []

    with pytest.raises(ProblemError):
        refuse(database, inside=False)
    assert names_in(database) == ["a"]


def test_a_fault_among_units_that_belong_together_changes_and_tells_nothing(
    database: Database, told: list[Change]
) -> None:
    def fail() -> None:
        with database.as_one_unit():
            put(database, "a")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()

    assert names_in(database) == []
    assert told == []
