"""Decides whom to tell of what, and when: pure, from what is wrong and what an alert has told already.

1. A trouble is told once it has lasted: a screen for the alert's minutes, a board's fault for two minutes.
2. What is due waits a minute for others, so that many screens of one failure are one mail.
3. Nothing is told in the quiet hours, nor of a screen whose location is closed.
4. When nothing is left of all that was told of a kind, one mail says that it is over. A decided approval needs none.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from service.schema.workspace.alert import AlertKind
from service.services.alerts.troubles import Trouble

GATHER = timedelta(seconds=60)
"""For so long what is due waits for others."""
FAULT_LASTS = timedelta(minutes=2)
"""A fault that goes by itself sooner is not told."""
MAX_LINES = 50
"""Lines of a mail; the others are counted."""

Name = tuple[AlertKind, str]
"""A trouble: its kind and subject."""


@dataclass(frozen=True, slots=True)
class Known:
    """A trouble that an alert has noticed."""

    name: str
    noticed_at: datetime
    told_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail, without its address."""

    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class Step:
    """Changes of the known troubles, and mails to send."""

    noticed: tuple[Trouble, ...] = ()
    told: tuple[Name, ...] = ()
    forgotten: tuple[Name, ...] = ()
    mails: tuple[Mail, ...] = ()


_SUBJECTS: Mapping[AlertKind, tuple[str, str, str, str]] = {
    AlertKind.SCREEN_OFFLINE: (
        "{} is offline",
        "{} screens are offline",
        "{} is online again",
        "{} screens are online again",
    ),
    AlertKind.BOARD_FAULT: (
        "{} has a fault",
        "{} boards have a fault",
        "{} is all right again",
        "{} boards are all right again",
    ),
    AlertKind.SYNC_FAILED: (
        "{} could not be synchronised",
        "{} points of sale could not be synchronised",
        "{} is synchronised again",
        "{} points of sale are synchronised again",
    ),
    AlertKind.APPROVAL_REQUESTED: ("Approval asked for: {}", "{} approvals are asked for", "", ""),
    AlertKind.WEBHOOK_DISABLED: (
        "A webhook is disabled: {}",
        "{} webhooks are disabled",
        "A webhook is enabled again: {}",
        "{} webhooks are enabled again",
    ),
}


def step(
    found: Sequence[Trouble],
    known: Mapping[Name, Known],
    *,
    offline: timedelta,
    is_quiet: bool,
    now: datetime,
) -> Step:
    """Decides about the current troubles; `offline` is how long a screen may be offline."""
    present = {(one.kind, one.subject): one for one in found}
    noticed = tuple(one for name, one in present.items() if name not in known)
    gone = [name for name in known if name not in present]
    silent = [name for name in gone if known[name].told_at is None or name[0] is AlertKind.APPROVAL_REQUESTED]
    if is_quiet:
        return Step(noticed=noticed, forgotten=tuple(silent))
    mails: list[Mail] = []
    over: list[Name] = []
    for kind in dict.fromkeys(name[0] for name in gone if name not in silent):
        told = [name for name, one in known.items() if name[0] is kind and one.told_at is not None]
        if not present.keys() & set(told):
            over += told
            mails.append(_over(kind, [known[name].name for name in told]))
    waits = {name: _due_at(one, known.get(name), offline=offline, now=now) for name, one in present.items()}
    due = [
        name
        for name, at in waits.items()
        if at is not None and at <= now and (name not in known or known[name].told_at is None)
    ]
    if not due or min(at for name in due if (at := waits[name]) is not None) > now - GATHER:
        due = []
    else:
        mails.append(_news([present[name] for name in due]))
    return Step(noticed=noticed, told=tuple(due), forgotten=(*silent, *over), mails=tuple(mails))


def _due_at(trouble: Trouble, known: Known | None, *, offline: timedelta, now: datetime) -> datetime | None:
    """Returns when the trouble is reported; None while its location is closed."""
    if trouble.is_closed:
        return None
    began = trouble.since or (now if known is None else known.noticed_at)
    lasts = {AlertKind.SCREEN_OFFLINE: offline, AlertKind.BOARD_FAULT: FAULT_LASTS}.get(trouble.kind, timedelta())
    return max(began, trouble.open_since or began) + lasts


def _news(several: Sequence[Trouble]) -> Mail:
    kinds = list(dict.fromkeys(one.kind for one in several))
    if len(several) == 1:
        subject = _SUBJECTS[kinds[0]][0].format(several[0].name)
    elif len(kinds) == 1:
        subject = _SUBJECTS[kinds[0]][1].format(len(several))
    else:
        subject = f"{len(several)} things need a look"
    return Mail(subject, _lines(f"{one.text}." for one in several))


def _over(kind: AlertKind, names: Sequence[str]) -> Mail:
    _, _, one, many = _SUBJECTS[kind]
    subject = one.format(names[0]) if len(names) == 1 else many.format(len(names))
    return Mail(subject, _lines(names) if len(names) > 1 else f"{subject}.\n")


def _lines(lines: Iterable[str]) -> str:
    told = list(lines)
    rest = [f"… and {len(told) - MAX_LINES} more."] if len(told) > MAX_LINES else []
    return "\n".join([*told[:MAX_LINES], *rest]) + "\n"
