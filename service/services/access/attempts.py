"""Limits wrong passwords, links and codes of people, and links that are requested by mail: by network address and by
account."""

from datetime import timedelta

from service.core.ids import digest_of
from service.services.access.sessions import Caller
from service.services.shared.attempt_limits import AttemptLimits, check_attempts
from service.storage.database import Unit
from service.storage.tables.base import ADDRESS_LENGTH
from service.storage.tables.people import WrongSignInRow

WRONG_BY_EMAIL: AttemptLimits = ((10, timedelta(minutes=15)), (50, timedelta(days=1)))
WRONG_BY_ADDRESS: AttemptLimits = ((30, timedelta(minutes=15)),)
"""Failed attempts, and the period over which they are counted. A shop's people share an address."""
LINKS_BY_EMAIL: AttemptLimits = ((3, timedelta(minutes=15)), (10, timedelta(days=1)))
LINKS_BY_ADDRESS: AttemptLimits = ((20, timedelta(minutes=15)),)
"""Links that are asked for by mail, whether or not somebody has the address."""


def check_sign_ins(unit: Unit, whose: str, caller: Caller) -> None:
    """Raises the 429 problem after too many wrong attempts of the address, or at the account `whose`."""
    detail = "Too many attempts to sign in failed. Wait a while, or ask for a link."
    for rows, limits in (
        (WrongSignInRow.address == caller.address, WRONG_BY_ADDRESS),
        (WrongSignInRow.email == digest_of(whose), WRONG_BY_EMAIL),
    ):
        check_attempts(unit, WrongSignInRow, rows, limits, detail)


def check_address(unit: Unit, caller: Caller, detail: str) -> None:
    """Raises the 429 problem after too many wrong attempts of the address."""
    check_attempts(unit, WrongSignInRow, WrongSignInRow.address == caller.address, WRONG_BY_ADDRESS, detail)


def count_wrong(unit: Unit, whose: str, caller: Caller) -> int:
    """Counts an attempt; returns the number by which it is withdrawn if it was right."""
    attempt = WrongSignInRow(address=caller.address, email=digest_of(whose), tried_at=unit.now)
    unit.session.add(attempt)
    unit.session.flush()
    return attempt.number


def count_link(unit: Unit, email: str, caller: Caller) -> None:
    """Counts a link that is requested by mail. Raises the 429 problem after too many, whoever has the address."""
    address, whose = f"link {caller.address}"[:ADDRESS_LENGTH], digest_of(f"link {email}")
    for rows, limits in (
        (WrongSignInRow.address == address, LINKS_BY_ADDRESS),
        (WrongSignInRow.email == whose, LINKS_BY_EMAIL),
    ):
        check_attempts(unit, WrongSignInRow, rows, limits, "Too many links were asked for. Wait a while.")
    unit.session.add(WrongSignInRow(address=address, email=whose, tried_at=unit.now))
