"""Decides by rollouts which version each screen should run, and when one stops by itself.

A screen is chosen by a number that it has for each version: as the percentage grows, those that were chosen stay so. Of
the rollouts that match a screen the newest that has chosen it counts. A screen that rollouts match and none has chosen
should stay at its version; one that no rollout matches decides for itself.

Each process keeps the rollouts in memory, so that a heartbeat costs no SQL; those of other processes are read every
`RELOAD_SECONDS`.
"""

import hashlib
import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.core.changes import RolloutsChanged
from service.core.clock import instant_text
from service.core.errors import ProblemError, narrowed
from service.core.ids import NewId
from service.schema.devices.rollout import RolloutCreate, RolloutPatch, RolloutResponse, RolloutScreens, RolloutState
from service.schema.lists import Listing
from service.services.access.access import Access
from service.services.devices.directory import Device
from service.services.devices.presence import Presence
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import count, get, read_page
from service.storage.database import Database
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.screens import RolloutRow, ScreenRow

_log = logging.getLogger(__name__)

MAX_ROLLOUTS = 100
RELOAD_SECONDS = 10
STOP_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Rollout:
    """A rollout, with the fields that a heartbeat needs."""

    version: str
    tags: frozenset[str]
    percent: int
    running: bool

    def matches(self, tags: Iterable[str]) -> bool:
        """True if it is for screens with these tags."""
        return not self.tags or not self.tags.isdisjoint(tags)

    def chooses(self, screen: str) -> bool:
        """True if a screen is among the percentage."""
        number = int.from_bytes(hashlib.sha256(f"{self.version} {screen}".encode()).digest()[:4])
        return number * 100 < self.percent * 2**32


class RolloutService:
    """Manages rollouts, and decides which version a screen should run."""

    def __init__(self, *, database: Database, cursors: Cursors, presence: Presence, new_id: NewId) -> None:
        self._database = database
        self._cursors = cursors
        self._presence = presence
        self._new_id = new_id
        self._rollouts: dict[str, tuple[Rollout, ...]] = {}
        """By workspace, the newest first."""

    def load(self) -> None:
        found: dict[str, list[Rollout]] = defaultdict(list)
        with self._database.read() as session:
            for row in session.scalars(select(RolloutRow).order_by(RolloutRow.number.desc())):
                found[row.workspace_id].append(_rollout(row))
        self._rollouts = {workspace: tuple(rollouts) for workspace, rollouts in found.items()}

    def wanted(self, device: Device, *, running: str) -> str | None:
        """Returns the version that the device, which runs `running`, should run. None: the device decides."""
        is_matched = False
        for rollout in self._rollouts.get(device.manifest_key.workspace, ()):
            if rollout.matches(device.tags):
                is_matched = True
                if rollout.running and rollout.chooses(device.screen):
                    return rollout.version
        return running if is_matched else None

    def list(self, access: Access, request: PageRequest) -> Listing[RolloutResponse]:
        """Returns one page of the rollouts. Raises the 403 problem for a key that is narrowed to locations."""
        whole_workspace(access)
        with self._database.read() as session:
            page = read_page(session, self._cursors, RolloutRow, access.workspace, request)
            look = self._look(session, access.workspace)
            return listing(page, look.view)

    def get(self, access: Access, rollout: str) -> RolloutResponse:
        """Raises the 403 and 404 problems."""
        whole_workspace(access)
        with self._database.read() as session:
            row = get(session, RolloutRow, access.workspace, rollout, kind="rollout")
            return self._look(session, access.workspace).view(row)

    def create(self, access: Access, body: RolloutCreate) -> RolloutResponse:
        """Returns a new rollout. Raises the 403 problem for a key that is narrowed to locations, and 409 for one too
        many."""
        whole_workspace(access)
        with self._database.write() as unit:
            if count(unit.session, RolloutRow, access.workspace) >= MAX_ROLLOUTS:
                detail = f"A workspace has at most {MAX_ROLLOUTS} rollouts. Delete old ones."
                raise ProblemError(409, "too_many_rollouts", "Too many rollouts", detail)
            row = RolloutRow(
                id=self._new_id("rol"),
                workspace_id=access.workspace,
                version=body.version,
                tags=body.tags,
                percent=body.percent,
                stop_at_percent=body.stop_at_percent,
                stopped=False,
                created_at=unit.now,
            )
            unit.session.add(row)
            unit.session.flush()
            unit.announce(RolloutsChanged(access.workspace))
            view = self._look(unit.session, access.workspace).view(row)
        self.load()
        return view

    def change(self, access: Access, rollout: str, body: RolloutPatch, expected: Condition = ALWAYS) -> RolloutResponse:
        """Changes some fields. Raises the 403, 404 and 412 problems."""
        whole_workspace(access)
        with self._database.write() as unit:
            row = get(unit.session, RolloutRow, access.workspace, rollout, kind="rollout")
            look = self._look(unit.session, access.workspace)
            expected.check(look.view(row))
            for name, value in body.given().items():
                setattr(row, name, value)
            unit.announce(RolloutsChanged(access.workspace))
            view = look.view(row)
        self.load()
        return view

    def remove(self, access: Access, rollout: str, expected: Condition = ALWAYS) -> None:
        """Removes a rollout; its screens keep the version that they run. Raises the 403, 404 and 412 problems."""
        whole_workspace(access)
        with self._database.write() as unit:
            row = get(unit.session, RolloutRow, access.workspace, rollout, kind="rollout")
            expected.check(self._look(unit.session, access.workspace).view(row))
            unit.session.delete(row)
            unit.announce(RolloutsChanged(access.workspace))
        self.load()

    def stop_failing(self, _leading_since: timedelta) -> None:
        """Stops each rollout whose version too many of its screens have rolled back."""
        if not any(rollout.running for rollouts in self._rollouts.values() for rollout in rollouts):
            return
        running = RolloutRow.stopped.is_(False)
        with self._database.read() as session:
            # Not under the write lock: every screen is read, with its report.
            rows = session.scalars(select(RolloutRow).where(running)).all()
            looks = {name: self._look(session, name) for name in {row.workspace_id for row in rows}}
            counted = {row.id: looks[row.workspace_id].count(row) for row in rows}
        failing = [row.id for row in rows if is_failing(counted[row.id], row.stop_at_percent)]
        if failing:
            with self._database.write() as unit:
                for row in unit.session.scalars(select(RolloutRow).where(RolloutRow.id.in_(failing), running)):
                    if not is_failing(counted[row.id], row.stop_at_percent):
                        continue
                    row.stopped = True
                    unit.announce(RolloutsChanged(row.workspace_id))
                    _log.warning(
                        "the rollout of version %s has stopped: %d of %d screens have taken it back",
                        row.version, counted[row.id].taken_back, counted[row.id].chosen,
                    )  # fmt: skip
        self.load()

    def _look(self, session: Session, workspace: str) -> "Look":
        return Look(self._presence, rollouts_of(session, workspace), screens_of(session, workspace))


@dataclass(frozen=True, slots=True)
class Look:
    """Rollouts of a workspace, newest first, and its screens."""

    presence: Presence
    rollouts: Sequence[RolloutRow]
    screens: Sequence[ScreenRow]

    def view(self, row: RolloutRow) -> RolloutResponse:
        return RolloutResponse(
            id=row.id,
            version=row.version,
            tags=row.tags,
            percent=row.percent,
            stop_at_percent=row.stop_at_percent,
            status="stopped" if row.stopped else "running",
            screens=self.count(row),
            created_at=instant_text(row.created_at),
        )

    def count(self, row: RolloutRow) -> RolloutScreens:
        state = self.states(row)
        states = Counter(found for screen in self.screens if (found := state(screen)) is not None)
        matched = states.total()
        return RolloutScreens(
            matched=matched,
            chosen=matched - states["notChosen"],
            running=states["running"],
            taken_back=states["takenBack"],
            overruled=states["overruled"],
            waiting=states["waiting"],
            held=states["held"],
        )

    def states(self, row: RolloutRow) -> Callable[[ScreenRow], RolloutState | None]:
        """Returns a function from a screen to the version's state there; None if the rollout is not for it."""
        rollout = _rollout(row)
        newer = [_rollout(one) for one in self.rollouts if one.number > row.number and not one.stopped]

        def state_of(screen: ScreenRow) -> RolloutState | None:
            if not rollout.matches(screen.tags):
                return None
            if not rollout.chooses(screen.id):
                return "notChosen"
            report = self.report(screen)
            if taken_back(report).get("version") == rollout.version:
                return "takenBack"
            if report.get("appVersion") == rollout.version:
                return "running"
            if any(one.matches(screen.tags) and one.chooses(screen.id) for one in newer):
                return "overruled"
            return "waiting" if rollout.running else "held"

        return state_of

    def report(self, screen: ScreenRow) -> dict[str, Any]:
        """Returns the last report of a screen; empty without one."""
        contact = self.presence.of(screen)
        return {} if contact is None else contact.report or {}


def is_failing(screens: RolloutScreens, stop_at_percent: int) -> bool:
    """True if so many of the chosen screens have rolled the version back that the rollout stops by itself."""
    return screens.taken_back > 0 and screens.taken_back * 100 >= stop_at_percent * screens.chosen


def taken_back(report: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the version that a screen has rolled back, and why; empty if it has rolled back none."""
    return report.get("takenBack") or {}


def _rollout(row: RolloutRow) -> Rollout:
    return Rollout(version=row.version, tags=frozenset(row.tags), percent=row.percent, running=not row.stopped)


def rollouts_of(session: Session, workspace: str) -> Sequence[RolloutRow]:
    """Returns the rollouts of a workspace, newest first."""
    mine = select(RolloutRow).where(RolloutRow.workspace_id == workspace)
    return session.scalars(mine.order_by(RolloutRow.number.desc())).all()


def screens_of(session: Session, workspace: str) -> Sequence[ScreenRow]:
    return session.scalars(select(ScreenRow).where(ScreenRow.workspace_id == workspace)).all()


def whole_workspace(access: Access) -> None:
    """Raises the 403 problem for a key that is narrowed to locations."""
    if access.locations is not None:
        raise narrowed("see or change rollouts")
