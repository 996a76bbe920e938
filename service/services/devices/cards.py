"""Makes the enrolment tokens of a list of boards, one for one screen each: all of the list, or none.

A card is the boot file of one board. A board is known by its location and its name.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum

from pydantic import ValidationError
from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session

from service.core.clock import instant_text
from service.core.ids import NewId
from service.schema.devices.enrolment import DEFAULT_ENROLMENT_DAYS, MAX_ENROLMENT_DAYS, EnrolmentTokenCreate
from service.schema.faults import faults_of
from service.services.access.access import Access
from service.services.devices.enrolments import check_room, is_open, issue
from service.storage.database import Database, Unit
from service.storage.tables.menus import PlaylistRow
from service.storage.tables.screens import EnrolmentTokenRow, ScreenRow
from service.storage.tables.workspaces import LocationRow

MAX_CARDS = 500
"""Boards of one list."""

Board = tuple[str, str]
"""The id of its location, and its name without regard to case."""


class Existing(StrEnum):
    """Handling of boards that have an unused token, or are screens already."""

    REFUSE = "refuse"
    SKIP = "skip"
    REPLACE = "replace"
    """Their unused tokens are revoked."""


@dataclass(frozen=True, slots=True)
class CardLine:
    """One board, as a line of the list has it: location and playlist by name or id."""

    line: int
    location: str
    name: str
    playlist: str
    network: str = ""


@dataclass(frozen=True, slots=True)
class CardOrder:
    """Options for all boards of a list; `until` is the last day of the tokens, in UTC."""

    until: date | None = None
    confirm: bool = False
    existing: Existing = Existing.REFUSE


@dataclass(frozen=True, slots=True)
class Card:
    """A board with its new token; `location` is a name."""

    line: CardLine
    location: str
    token: str


@dataclass(frozen=True, slots=True, order=True)
class CardFault:
    """A fault of a line; line 0 is the whole list."""

    line: int
    text: str


class CardFaultsError(Exception):
    """A list of which nothing was made. `faults` are in the order of their lines."""

    def __init__(self, faults: Sequence[CardFault]) -> None:
        super().__init__(f"{len(faults)} faults")
        self.faults = sorted(dict.fromkeys(faults))


class CardService:
    """Makes tokens for a list of boards, and lists the tokens that wait for their boards."""

    def __init__(self, *, database: Database, new_id: NewId) -> None:
        self._database = database
        self._new_id = new_id

    def make(
        self,
        access: Access,
        lines: Sequence[CardLine],
        order: CardOrder,
        *,
        faults: Sequence[CardFault] = (),
        write: Callable[[Sequence[Card]], None],
    ) -> Sequence[Card]:
        """Makes a token for each board, and commits them once `write` has written the cards.

        Raises CardFaultsError with the `faults` of the caller and all others, and the 409 problem for too many tokens.
        """
        with self._database.write() as unit:
            check = _Check(unit, access, lines, order, faults)
            bodies = check.bodies()
            for row in check.replaced:
                unit.session.delete(row)
            unit.session.flush()
            check_room(unit, access, len(bodies))
            cards = [
                Card(
                    line=line,
                    location=check.location_names[body.location],
                    token=issue(unit, access, body, new_id=self._new_id, expires_at=check.expires_at)[1],
                )
                for line, body in bodies
            ]
            write(cards)
            return cards

    def missing(self, access: Access) -> Iterator[dict[str, object]]:
        """Yields the tokens that have not made all their screens, with names, by location; expired ones for a month."""
        waiting = (
            select(EnrolmentTokenRow, LocationRow.name, PlaylistRow.name)
            .join(LocationRow, LocationRow.id == EnrolmentTokenRow.location_id)
            .join(PlaylistRow, PlaylistRow.id == EnrolmentTokenRow.playlist_id)
            .where(
                EnrolmentTokenRow.workspace_id == access.workspace, EnrolmentTokenRow.used < EnrolmentTokenRow.screens
            )
            .order_by(LocationRow.name, EnrolmentTokenRow.name, EnrolmentTokenRow.number)
        )
        with self._database.read() as session:
            for row, location, playlist in session.execute(waiting):
                yield {
                    "location": location,
                    "name": row.name,
                    "playlist": playlist,
                    "missing": row.screens - row.used,
                    "createdAt": instant_text(row.created_at),
                    "expiresAt": instant_text(row.expires_at),
                    "token": row.id,
                }


class _Check:
    """Checks one list against the workspace."""

    def __init__(
        self, unit: Unit, access: Access, lines: Sequence[CardLine], order: CardOrder, faults: Sequence[CardFault]
    ) -> None:
        self._session: Session = unit.session
        self._access = access
        self._now = unit.now
        self._lines = lines[:MAX_CARDS]
        self._order = order
        self._faults = list(faults)
        self.replaced: list[EnrolmentTokenRow] = []
        self.location_names: Mapping[str, str] = {}
        self.expires_at = self._expiry(order.until)
        if len(lines) > MAX_CARDS:
            self._fault(lines[MAX_CARDS].line, f"a list has at most {MAX_CARDS} boards; divide it")

    def bodies(self) -> list[tuple[CardLine, EnrolmentTokenCreate]]:
        """Returns the tokens to make. Raises CardFaultsError."""
        locations = self._named(LocationRow, [one.location for one in self._lines])
        playlists = self._named(PlaylistRow, [one.playlist for one in self._lines])
        self.location_names = {id_: name for ids in locations.values() for id_, name in ids.items()}
        found: dict[Board, tuple[CardLine, EnrolmentTokenCreate]] = {}
        for line in self._lines:
            location = self._one("location", line.line, line.location, locations)
            playlist = self._one("playlist", line.line, line.playlist, playlists)
            body = self._body(line, location or "?", playlist or "?")
            if body is None or location is None:
                continue
            board = (location, line.name.casefold())
            if board in found:
                first = found[board][0].line
                self._fault(line.line, f"there is a board {line.name!r} at {line.location!r} in line {first} already")
            found.setdefault(board, (line, body))
        self._meet_existing(found)
        if self._faults:
            raise CardFaultsError(self._faults)
        return list(found.values())

    def _expiry(self, until: date | None) -> datetime:
        if until is None:
            return self._now + timedelta(days=DEFAULT_ENROLMENT_DAYS)
        # To the end of that day.
        expires_at = datetime.combine(until, time.max, UTC).replace(microsecond=0)
        if expires_at <= self._now:
            self._fault(0, f"the day {until} is over; name a later one with --until")
        elif expires_at > self._now + timedelta(days=MAX_ENROLMENT_DAYS):
            self._fault(0, f"the day {until} is more than {MAX_ENROLMENT_DAYS} days away; name an earlier one")
        return expires_at

    def _named(
        self, table: type[LocationRow] | type[PlaylistRow], written: Sequence[str]
    ) -> Mapping[str, dict[str, str]]:
        """Returns the ids, with names, that each written name or id can mean."""
        here: ColumnElement[bool] = table.workspace_id == self._access.workspace
        meant = or_(table.id.in_(set(written)), table.name.in_(set(written)))
        found: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for id_, name in self._session.execute(select(table.id, table.name).where(here, meant)):
            found[id_][id_] = name
            found[name][id_] = name
        return found

    def _one(self, kind: str, line: int, written: str, known: Mapping[str, dict[str, str]]) -> str | None:
        ids = known.get(written, {})
        if len(ids) == 1:
            return next(iter(ids))
        if not written:
            self._fault(line, f"the {kind} is empty")
        elif ids:
            self._fault(line, f"several {kind}s are called {written!r}; write the id: {', '.join(sorted(ids))}")
        else:
            self._fault(line, f"there is no {kind} {written!r}; write its name as the service has it, or its id")
        return None

    def _body(self, line: CardLine, location: str, playlist: str) -> EnrolmentTokenCreate | None:
        given = {"name": line.name, "location": location, "playlist": playlist, "confirm": self._order.confirm}
        if not line.name:
            self._fault(line.line, "the name is empty")
            return None
        try:
            return EnrolmentTokenCreate.model_validate(given)
        except ValidationError as error:
            errors = ({**one, "loc": ("body", *one["loc"])} for one in error.errors())
            for fault in faults_of(errors, given):
                self._fault(line.line, f"the {(fault.pointer or '')[1:]}: {fault.detail}")
            return None

    def _meet_existing(self, found: dict[Board, tuple[CardLine, EnrolmentTokenCreate]]) -> None:
        """Refuses boards that exist, leaves them out, or revokes their tokens, as ordered."""
        at = {location for location, _ in found}
        tokens = self._session.scalars(
            select(EnrolmentTokenRow).where(
                EnrolmentTokenRow.location_id.in_(at), EnrolmentTokenRow.screens == 1, is_open(self._now)
            )
        )
        screens = self._session.execute(
            select(ScreenRow.location_id, ScreenRow.name).where(ScreenRow.location_id.in_(at))
        )
        existing = {(location, name.casefold()): "is a screen already" for location, name in screens}
        for row in tokens:
            board = (row.location_id, row.name.casefold())
            if board in found:
                existing[board] = f"has an unused token, made on {row.created_at.date()}"
                self.replaced.append(row)
        for board in existing.keys() & found.keys():
            line, _ = found[board]
            if self._order.existing is Existing.SKIP:
                del found[board]
            elif self._order.existing is Existing.REFUSE:
                what = f"the board {line.name!r} at {line.location!r} {existing[board]}"
                self._fault(line.line, f"{what}; --existing says whether to skip or replace such boards")
        if self._order.existing is not Existing.REPLACE:
            self.replaced.clear()

    def _fault(self, line: int, text: str) -> None:
        self._faults.append(CardFault(line, text))
