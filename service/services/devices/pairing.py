"""Pairs devices by the device authorization grant (RFC 8628).

A device requests a pair of codes, shows the short one, and polls for a token with the long one. An operator claims the
code, which binds the device to a screen. Until the player has used the token, each poll answers the same one, so a lost
answer loses no screen. All limits are counted in the database, so they hold across restarts.
"""

import re
import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from service.core.changes import CodeClaimed, ScreenChanged
from service.core.errors import Fault, ProblemError, invalid, not_found
from service.core.ids import NewId, digest_of, new_secret, secret_from
from service.schema.devices.pairing import Enrolment
from service.schema.devices.screen import ScreenPair, ScreenReplace, ScreenResponse
from service.services.access.access import Access
from service.services.devices.enrolments import redeem, screen_name
from service.services.devices.presence import Presence
from service.services.devices.revoked_tokens import revoke_token
from service.services.devices.screens import ScreenService, check_assignment, visible_screen
from service.services.publishing.live_overrides import announce_screens
from service.services.shared.attempt_limits import AttemptLimits, check_attempts
from service.services.shared.etags import ALWAYS, Condition
from service.storage.database import Database, Unit
from service.storage.tables.screens import CommandRow, PairingRow, ScreenRow, ScreenUploadRow, WrongCodeRow
from service.storage.tables.workspaces import LocationRow

USER_CODE_ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
"""No vowels, so no words (RFC 8628, section 6.1)."""
USER_CODE_LENGTH = 6
CODE_LIFETIME = timedelta(seconds=900)
CLAIM_GRACE = timedelta(seconds=300)
"""A code claimed in its last seconds can still be exchanged for a token for this long."""
EXPIRED_RETENTION = timedelta(hours=1)
"""The time for which an expired code still answers `expired_token` rather than `invalid_grant`."""
INTERVAL_SECONDS = 5
SLOW_DOWN_SECONDS = 5
MAX_INTERVAL_SECONDS = 60
INTERVAL_TOLERANCE = timedelta(seconds=1)
"""The time by which a poll may arrive before its interval has passed, because of the network."""

SHOWN_FOR = timedelta(seconds=60)
"""After a poll its code is taken to be on a screen: a device polls at least twice in this time."""
STILL_CALLING = timedelta(seconds=5)
"""A token that is used this long after a code was issued is not that of the device with the code."""

MAX_PENDING = 10_000
MAX_PENDING_PER_ADDRESS = 50
BUSY_RETRY_SECONDS = 60

WRONG_CODE_LIMITS: AttemptLimits = ((5, timedelta(minutes=15)), (20, timedelta(days=1)))
"""Wrong codes per workspace, and the period over which they are counted."""

DEFAULT_SCREEN_NAME = "New screen"

_USER_CODE = re.compile(f"[{USER_CODE_ALPHABET}]{{{USER_CODE_LENGTH}}}")
_SEPARATORS = re.compile(r"[\s\-‐-―−]+")


@dataclass(frozen=True, slots=True)
class Codes:
    """Codes for a device that wants to be paired."""

    device_code: str
    user_code: str
    enrolment: Enrolment | None = None
    """The outcome of the device's enrolment token; None without one."""


@dataclass(frozen=True, slots=True)
class TooManyCodes:
    """Refusal of more codes for now, for this address or `everywhere`."""

    everywhere: bool
    retry_after: int


@dataclass(frozen=True, slots=True)
class Granted:
    """Device is paired."""

    access_token: str
    screen: str
    screen_name: str
    locale: str
    workspace: str


@dataclass(frozen=True, slots=True)
class Pending:
    """Not claimed yet; `too_fast` if the device polled before its interval was over."""

    too_fast: bool


@dataclass(frozen=True, slots=True)
class Expired:
    """Not claimed in time."""


@dataclass(frozen=True, slots=True)
class Denied:
    """Screen removed before the device fetched its token."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """No such device code, or it has been used."""


Grant = Granted | Pending | Expired | Denied | Unknown


@dataclass(frozen=True, slots=True)
class PairingRequest:
    """A device that wants to be paired, by its own description."""

    device_id: str
    device_name: str | None
    address: str
    enrolment_token: str | None = None


class PairingService:
    """Issues codes, lets operators claim them, and exchanges claimed ones for tokens."""

    def __init__(self, *, database: Database, screens: ScreenService, presence: Presence, new_id: NewId) -> None:
        self._database = database
        self._screens = screens
        self._presence = presence
        self._new_id = new_id

    def apply(self, applicant: PairingRequest) -> Codes | TooManyCodes:
        """Issues a pair of codes.

        A second request of the same device from the same address voids the first code, unless that is on the screen of
        another device, as with copies of one card. With an enrolment token the code is claimed at once.
        """
        with self._database.write() as unit:
            expired = PairingRow.expires_at <= unit.now - EXPIRED_RETENTION
            same_device = (PairingRow.device_id == applicant.device_id) & (PairingRow.address == applicant.address)
            left = PairingRow.asked_at.is_(None) | (PairingRow.asked_at <= unit.now - SHOWN_FOR)
            void = same_device & PairingRow.claimed.is_(False) & left
            unit.session.execute(delete(PairingRow).where(expired | void))
            pending = PairingRow.claimed.is_(False) & (PairingRow.expires_at > unit.now)
            if _count(unit.session, pending) >= MAX_PENDING:
                return TooManyCodes(everywhere=True, retry_after=BUSY_RETRY_SECONDS)
            if _count(unit.session, pending & (PairingRow.address == applicant.address)) >= MAX_PENDING_PER_ADDRESS:
                return TooManyCodes(everywhere=False, retry_after=BUSY_RETRY_SECONDS)
            codes = Codes(device_code=new_secret(), user_code=_free_user_code(unit.session))
            row = PairingRow(
                device_code_digest=digest_of(codes.device_code),
                user_code=codes.user_code,
                device_id=applicant.device_id,
                device_name=applicant.device_name,
                address=applicant.address,
                expires_at=unit.now + CODE_LIFETIME,
                interval_seconds=INTERVAL_SECONDS,
                asked_at=None,
                claimed=False,
                screen_id=None,
            )
            unit.session.add(row)
            if applicant.enrolment_token is None:
                return codes
            token = redeem(unit, applicant.enrolment_token, applicant.device_id)
            if isinstance(token, Enrolment):
                return replace(codes, enrolment=token)
            self._bind(
                unit,
                token.workspace_id,
                row,
                name=screen_name(token),
                playlist=token.playlist_id,
                location=token.location_id,
                waiting=token.confirm,
            )
            return replace(codes, enrolment=Enrolment.ACCEPTED)

    def grant(self, device_code: str, *, was_held: bool = False) -> Grant:
        """Answers a poll with the device code; one that was held counts from its beginning."""
        with self._database.write() as unit:
            row = unit.session.scalar(select(PairingRow).where(PairingRow.device_code_digest == digest_of(device_code)))
            if row is None:
                return Unknown()
            if row.expires_at <= unit.now:
                return Expired()
            if not row.claimed:
                return Pending(too_fast=False) if was_held else _pending(row, now=unit.now)
            screen = unit.session.scalar(select(ScreenRow).where(ScreenRow.id == row.screen_id))
            if screen is None:
                return Denied()
            # Its device is there: a code of the same device that was issued before is on another one.
            row.asked_at = unit.now
            token = secret_from(device_code, purpose="access token")
            screen.token_digest = digest_of(token)
            screen.token_used = False
            unit.announce(ScreenChanged(screen.workspace_id, screen.id))
            location = unit.session.scalar(select(LocationRow).where(LocationRow.id == screen.location_id))
            return Granted(
                access_token=token,
                screen=screen.id,
                screen_name=screen.name,
                locale=location.locale if location is not None else "",
                workspace=screen.workspace_id,
            )

    def claim(self, access: Access, body: ScreenPair) -> ScreenResponse:
        """Binds the device that shows the code to a screen of the workspace.

        Raises the 422 problem for a malformed code and for an unknown playlist or location, 404 for a code that is
        unknown, expired or used, and 429 after too many of those.
        """
        with self._database.write() as unit:
            check_assignment(unit.session, access, playlist=body.playlist, location=body.location)
            row = self._shown(unit, access, body.code)
            if row is not None:
                screen = self._bind(
                    unit, access.workspace, row, name=body.name, playlist=body.playlist, location=body.location
                )
        if row is None:
            raise not_found("pairing code", body.code)
        return self._screens.view(screen, now=unit.now)

    def replace(self, access: Access, screen: str, body: ScreenReplace, expected: Condition = ALWAYS) -> ScreenResponse:
        """Puts the device that shows the code in the place of a screen's device, whose token is revoked.

        Raises the problems of `claim`, 404 and 412 for the screen, and 409 for a device that is another screen.
        """
        with self._database.write() as unit:
            old = visible_screen(unit.session, access, screen)
            expected.check(self._screens.view(old, now=unit.now))
            row = self._shown(unit, access, body.code)
            if row is not None:
                there = _screen_of(unit.session, access.workspace, row.device_id)
                is_copy = there is not None and self._still_calls(unit, there, row)
                if there is not None and there.id != old.id and not is_copy:
                    detail = f"It is {there.name!r} ({there.id}). Remove that screen first, if the device has left it."
                    raise ProblemError(409, "device_in_use", "This device is another screen", detail)
                old.device_id = old.id if is_copy else row.device_id
                old.waiting = False
                _begin_again(unit, old, row)
                # What waits is for the device that goes; what became of the others belongs to the place.
                unfinished = CommandRow.finished_at.is_(None)
                unit.session.execute(delete(CommandRow).where(CommandRow.screen_id == old.id, unfinished))
        if row is None:
            raise not_found("pairing code", body.code)
        return self._screens.view(old, now=unit.now)

    def _shown(self, unit: Unit, access: Access, code: str) -> PairingRow | None:
        """Returns the pairing of a code that a device shows, if the key may see it. Raises the 422 and 429 problems.

        The caller commits although there is none: attempts have to be counted.
        """
        user_code = _normal(code)
        check_attempts(
            unit,
            WrongCodeRow,
            WrongCodeRow.workspace_id == access.workspace,
            WRONG_CODE_LIMITS,
            "Too many wrong codes were entered in this workspace.",
        )
        row = unit.session.scalar(
            select(PairingRow).where(
                PairingRow.user_code == user_code,
                PairingRow.claimed.is_(False),
                PairingRow.expires_at > unit.now,
            )
        )
        if row is not None and not _is_at_hidden_location(unit.session, access, row):
            return row
        unit.session.add(WrongCodeRow(workspace_id=access.workspace, tried_at=unit.now))
        return None

    def confirm(self, screen: str, *, token_digest: str) -> None:
        """Voids the device code, because the player has called with its token."""
        with self._database.write() as unit:
            row = unit.session.scalar(
                select(ScreenRow).where(ScreenRow.id == screen, ScreenRow.token_digest == token_digest)
            )
            if row is None:
                return
            row.token_used = True
            unit.session.execute(delete(PairingRow).where(PairingRow.screen_id == screen))
            unit.announce(ScreenChanged(row.workspace_id, screen))

    def _bind(
        self,
        unit: Unit,
        workspace: str,
        row: PairingRow,
        *,
        name: str | None,
        playlist: str,
        location: str,
        waiting: bool = False,
    ) -> ScreenRow:
        screen = _screen_of(unit.session, workspace, row.device_id)
        is_copy = screen is not None and self._still_calls(unit, screen, row)
        if screen is None or is_copy:
            screen_id = self._new_id("scr")
            screen = ScreenRow(
                id=screen_id,
                workspace_id=workspace,
                # A workspace has a device once: of copies of one card, the first that was paired.
                device_id=screen_id if is_copy else row.device_id,
                name=row.device_name or DEFAULT_SCREEN_NAME,
                waiting=waiting,
                created_at=unit.now,
            )
            unit.session.add(screen)
        # One that was confirmed before its first call stays so.
        screen.waiting = screen.waiting and waiting
        screen.name = name or screen.name
        screen.location_id = location
        screen.playlist_id, screen.next_playlist_id = playlist, None
        _begin_again(unit, screen, row)
        # The commands that wait for the device are void.
        unit.session.execute(delete(CommandRow).where(CommandRow.screen_id == screen.id))
        return screen

    def _still_calls(self, unit: Unit, screen: ScreenRow, pairing: PairingRow) -> bool:
        """True if the screen's device goes on calling while this code is shown, so that another device shows it: by its
        token, a call that is held at this moment, or the code by which it became the screen."""
        issued = pairing.expires_at - CODE_LIFETIME
        of_screen = (PairingRow.screen_id == screen.id) & PairingRow.claimed.is_(True) & (PairingRow.asked_at > issued)
        if unit.session.scalar(select(PairingRow.number).where(of_screen).limit(1)) is not None:
            return True
        contact = self._presence.of(screen)
        if contact is None or contact.token is None or contact.token != screen.token_digest:
            return False
        if self._presence.holds(screen.id, token=contact.token):
            return True
        return issued + STILL_CALLING <= contact.last_seen <= unit.now


def _begin_again(unit: Unit, screen: ScreenRow, row: PairingRow) -> None:
    """Binds the device of a pairing to the screen, and resets everything known of the screen."""
    revoke_token(unit, screen)
    screen.last_seen = None
    screen.report = None
    screen.reported_at = None
    screen.finding_codes = None
    screen.changed_at = unit.now
    unit.session.flush()
    # Earlier claims of the screen are void, and so is what its device has sent.
    unit.session.execute(delete(PairingRow).where(PairingRow.screen_id == screen.id))
    unit.session.execute(delete(ScreenUploadRow).where(ScreenUploadRow.screen_id == screen.id))
    row.claimed = True
    row.screen_id = screen.id
    row.expires_at = max(row.expires_at, unit.now + CLAIM_GRACE)
    announce_screens(unit, screen.workspace_id, [screen.location_id])
    unit.announce(ScreenChanged(screen.workspace_id, screen.id))
    unit.announce(CodeClaimed(row.device_code_digest))


def _screen_of(session: Session, workspace: str, device: str) -> ScreenRow | None:
    """Returns the screen of a device. A workspace has a device once."""
    return session.scalar(select(ScreenRow).where(ScreenRow.workspace_id == workspace, ScreenRow.device_id == device))


def _is_at_hidden_location(session: Session, access: Access, pairing: PairingRow) -> bool:
    """True if the device is already a screen at a location that the key does not see. The key does not see its code."""
    there = _screen_of(session, access.workspace, pairing.device_id)
    return there is not None and not access.sees(there.location_id)


def _pending(row: PairingRow, *, now: datetime) -> Pending:
    """Applies RFC 8628, section 3.5: polling too fast makes the interval 5 seconds longer from now on."""
    since = None if row.asked_at is None else now - row.asked_at
    too_fast = since is not None and since < timedelta(seconds=row.interval_seconds) - INTERVAL_TOLERANCE
    if too_fast:
        row.interval_seconds = min(row.interval_seconds + SLOW_DOWN_SECONDS, MAX_INTERVAL_SECONDS)
    row.asked_at = now
    return Pending(too_fast=too_fast)


def _normal(code: str) -> str:
    typed = _SEPARATORS.sub("", code).upper()
    if not _USER_CODE.fullmatch(typed):
        detail = f"A code has {USER_CODE_LENGTH} letters out of {USER_CODE_ALPHABET}."
        raise invalid([Fault("not_a_code", detail, "/code")])
    return typed


def _count(session: Session, condition: ColumnElement[bool]) -> int:
    return session.scalar(select(func.count()).select_from(PairingRow).where(condition)) or 0


def _free_user_code(session: Session) -> str:
    for _ in range(20):
        code = "".join(secrets.choice(USER_CODE_ALPHABET) for _ in range(USER_CODE_LENGTH))
        if _count(session, PairingRow.user_code == code) == 0:
            return code
    raise RuntimeError("no user code is free: too many are pending for the alphabet")
