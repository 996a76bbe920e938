"""Manages second factors: one-time codes by time (TOTP, RFC 6238), and recovery codes, each of which works once.

A key is stored sealed, recovery codes as digests. A code counts from one step before now to one after, and never again.
Wrong codes are limited as passwords are, for each person separately.
"""

import hmac
import secrets
from dataclasses import dataclass
from datetime import datetime

import pyotp
from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import Session

from service.core.audit_acts import AuditAct
from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, invalid
from service.core.ids import digest_of
from service.schema.workspace.person import FactorCode, FactorEnd
from service.schema.workspace.team import TeamSignIn, TeamSignInPatch
from service.services.access.access import Access
from service.services.access.attempts import check_sign_ins, count_wrong
from service.services.access.passwords import is_password
from service.services.access.sessions import Caller, SignedIn
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.lookup import get
from service.services.webhooks.sealed_secrets import SealedSecrets
from service.storage.audit import note
from service.storage.database import Database, Unit
from service.storage.tables.people import PersonRow, RecoveryCodeRow, SecondFactorRow, WrongSignInRow
from service.storage.tables.workspaces import MemberRow, WorkspaceRow

STEP_SECONDS = 30
STEPS_AROUND = 1
"""Steps before and after the present one whose codes count: for a clock that is off, and for slow fingers."""
RECOVERY_CODES = 10
ISSUER = "Menu Player"

_RECOVERY_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without those that are taken for each other."""


@dataclass(frozen=True, slots=True)
class FactorOffer:
    """A key that waits for its first code: as text, and as the address that an app reads from a QR code."""

    key: str
    uri: str


@dataclass(frozen=True, slots=True)
class FactorState:
    """Since when a person has a second factor, None without one, and how many recovery codes are left."""

    since: str | None
    codes_left: int


class SecondFactorService:
    def __init__(self, *, database: Database, seals: SealedSecrets) -> None:
        self._database = database
        self._seals = seals

    def state(self, who: SignedIn) -> FactorState:
        with self._database.read() as session:
            row = session.get(SecondFactorRow, who.person)
            since = None if row is None or row.confirmed_at is None else instant_text(row.confirmed_at)
            mine = select(func.count()).select_from(RecoveryCodeRow).where(RecoveryCodeRow.person_id == who.person)
            left = session.scalar(mine) or 0
        return FactorState(since, left)

    def begin(self, who: SignedIn) -> None:
        """Makes a key, which counts once a code of it was shown. Raises 409 if there is a second factor already."""
        with self._database.write() as unit:
            self.begin_for(unit, who.person)

    def begin_for(self, unit: Unit, person: str) -> None:
        """Makes a key, as `begin` does, in the caller's transaction."""
        if has_factor(unit.session, person):
            raise ProblemError(409, "second_factor_on", "There is one already", "The second factor is turned on.")
        unit.session.execute(delete(SecondFactorRow).where(SecondFactorRow.person_id == person))
        key = self._seals.seal(_owner(person), pyotp.random_base32())
        unit.session.add(SecondFactorRow(person_id=person, secret=key, used_step=0, confirmed_at=None))
        unit.session.flush()

    def offer(self, person: str) -> FactorOffer | None:
        """Returns the key that waits for its first code, if there is one."""
        with self._database.read() as session:
            row = session.get(SecondFactorRow, person)
            name = session.scalars(select(PersonRow.email).where(PersonRow.id == person)).one()
        key = None if row is None or row.confirmed_at is not None else self._seals.open(_owner(person), row.secret)
        if key is None:
            return None
        return FactorOffer(key, pyotp.TOTP(key, interval=STEP_SECONDS).provisioning_uri(name=name, issuer_name=ISSUER))

    def turn_on(self, who: SignedIn, body: FactorCode, caller: Caller) -> tuple[str, ...]:
        """Turns the second factor on by its first code; returns the recovery codes. Raises 403, and 429 after wrong
        codes."""
        with self._database.write() as unit:
            codes = self.confirm(unit, who.person, body.code, caller)
        if codes is None:
            raise wrong_code()
        return codes

    def confirm(self, unit: Unit, person: str, code: str, caller: Caller) -> tuple[str, ...] | None:
        """Turns it on, as `turn_on` does, in the caller's transaction; None for a wrong code, which is counted: commit
        all the same."""
        check_sign_ins(unit, _owner(person), caller)
        row = unit.session.get(SecondFactorRow, person)
        if row is None or row.confirmed_at is not None or not self._is_next(row, code, unit.now):
            count_wrong(unit, _owner(person), caller)
            return None
        row.confirmed_at = unit.now
        return _new_recovery_codes(unit, person)

    def renew_codes(self, who: SignedIn, body: FactorCode, caller: Caller) -> tuple[str, ...]:
        """Returns new recovery codes in place of the others, by a code. Raises 403, and 429 after wrong codes."""
        with self._database.write() as unit:
            is_right = self.accepts(unit, who.person, body.code, caller)
            codes = _new_recovery_codes(unit, who.person) if is_right else None
        if codes is None:
            raise wrong_code()
        return codes

    def accepts(self, unit: Unit, person: str, code: str, caller: Caller) -> bool:
        """True if the code is right: one by time, or a recovery code, which is used up. In the caller's transaction,
        which has to commit also if it is wrong: that is counted. Raises the 429 problem."""
        check_sign_ins(unit, _owner(person), caller)
        row = unit.session.get(SecondFactorRow, person)
        if row is not None and row.confirmed_at is not None:
            if self._is_next(row, code, unit.now):
                return True
            used = delete(RecoveryCodeRow).where(
                RecoveryCodeRow.digest == _recovery_digest(person, code), RecoveryCodeRow.person_id == person
            )
            if unit.session.scalar(used.returning(RecoveryCodeRow.person_id)) is not None:
                return True
        count_wrong(unit, _owner(person), caller)
        return False

    def turn_off(self, who: SignedIn, body: FactorEnd, caller: Caller) -> None:
        """Turns the second factor off, by password and code. Raises 422, and 429 after too many wrong ones."""
        with self._database.write() as unit:
            check_sign_ins(unit, _owner(who.person), caller)
            # Counted before it is checked: attempts at the same moment cannot pass the limit together.
            number = count_wrong(unit, _owner(who.person), caller)
            stored = unit.session.scalars(select(PersonRow.password).where(PersonRow.id == who.person)).one()
        if stored is not None and not is_password(stored, body.password):
            raise invalid([Fault("wrong_password", "This is not the password.", "/password")])
        with self._database.write() as unit:
            unit.session.execute(delete(WrongSignInRow).where(WrongSignInRow.number == number))
            if self.accepts(unit, who.person, body.code, caller):
                remove_factor(unit, who.person)
                return
        raise invalid([Fault("wrong_code", "This is not a code of now.", "/code")])

    def reset(self, access: Access, member: str) -> None:
        """Turns the second factor of a member off. Raises 404, and 409 for a member of another workspace as well: its
        owner decides about that one."""
        with self._database.write() as unit:
            row = get(unit.session, MemberRow, access.workspace, member, kind="member")
            same = func.lower(MemberRow.email) == row.email.lower()
            if unit.session.scalar(select(exists().where(same, MemberRow.workspace_id != access.workspace))):
                raise ProblemError(
                    409,
                    "member_elsewhere",
                    "They are in another workspace as well",
                    "The operator of the service turns it off: menu-service desk-link --without-second-factor.",
                )
            person = unit.session.scalar(select(PersonRow.id).where(PersonRow.email == row.email.lower()))
            if person is not None:
                remove_factor(unit, person)

    def rules(self, access: Access) -> TeamSignIn:
        with self._database.read() as session:
            return TeamSignIn(second_factor_required=is_required(session, access.workspace))

    def change_rules(self, access: Access, body: TeamSignInPatch, expected: Condition = ALWAYS) -> TeamSignIn:
        """Changes the rules, from the next sign-in of each member on. Raises the 412 problem."""
        with self._database.write() as unit:
            expected.check(TeamSignIn(second_factor_required=is_required(unit.session, access.workspace)))
            required = body.given().get("second_factor_required", is_required(unit.session, access.workspace))
            row = unit.session.scalars(select(WorkspaceRow).where(WorkspaceRow.id == access.workspace)).one()
            row.second_factor = required
            return TeamSignIn(second_factor_required=required)

    def _is_next(self, row: SecondFactorRow, code: str, now: datetime) -> bool:
        """Accepts a code of about now that is newer than the last accepted one, and records it as the last."""
        key = self._seals.open(_owner(row.person_id), row.secret)
        if key is None:
            return False
        totp, step = pyotp.TOTP(key, interval=STEP_SECONDS), int(now.timestamp()) // STEP_SECONDS
        given = "".join(code.split()).encode()
        # One further ahead was used while the clock was: it must not lock its owner out.
        used = row.used_step if row.used_step <= step + STEPS_AROUND else 0
        for near in range(step - STEPS_AROUND, step + STEPS_AROUND + 1):
            if near > used and hmac.compare_digest(totp.generate_otp(near).encode(), given):
                row.used_step = near
                return True
        return False


def has_factor(session: Session, person: str) -> bool:
    """True if the person is asked for a code."""
    on = SecondFactorRow.person_id == person, SecondFactorRow.confirmed_at.is_not(None)
    return session.scalar(select(exists().where(*on))) or False


def is_required(session: Session, workspace: str) -> bool:
    """True if members of the workspace need a second factor."""
    return session.scalars(select(WorkspaceRow.second_factor).where(WorkspaceRow.id == workspace)).one()


def remove_factor(unit: Unit, person: str) -> None:
    """Turns the second factor of a person off, and deletes their recovery codes, in the caller's transaction."""
    for table in (RecoveryCodeRow, SecondFactorRow):
        unit.session.execute(delete(table).where(table.person_id == person))
    note(unit.session, AuditAct.REMOVED, "second_factor", person)


def wrong_code() -> ProblemError:
    """Returns 403: the code is not right."""
    return ProblemError(
        403, "wrong_code", "This code did not match", "A code works for a minute, once. Give the one of now."
    )


def _owner(person: str) -> str:
    return f"second factor of {person}"


def _new_recovery_codes(unit: Unit, person: str) -> tuple[str, ...]:
    codes = tuple(_new_recovery_code() for _ in range(RECOVERY_CODES))
    unit.session.execute(delete(RecoveryCodeRow).where(RecoveryCodeRow.person_id == person))
    unit.session.add_all(RecoveryCodeRow(digest=_recovery_digest(person, one), person_id=person) for one in codes)
    return codes


def _new_recovery_code() -> str:
    # Over 79 random bits: an unsalted digest of them is safe to store.
    groups = ("".join(secrets.choice(_RECOVERY_LETTERS) for _ in range(size)) for size in (4, 4, 4, 4))
    return "-".join(groups)


def _recovery_digest(person: str, code: str) -> str:
    letters = "".join(one for one in code.lower() if one.isalnum())
    return digest_of(f"{person} {letters}")
