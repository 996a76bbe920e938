"""Queue of webhook deliveries: claims due ones, records attempts, and schedules retries.

The queue is in the database, so it survives a crash and is shared by all processes. A claim is a time in the endpoint's
row; if the claimer has not recorded an attempt by then, the delivery is made again. An event arrives at least once,
each time with the same id.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import assert_never

from sqlalchemy import delete, exists, select, update
from sqlalchemy.orm import Session

from service.core.events import PING
from service.schema.workspace.webhook import DeliveryStatus
from service.services.shared.outbound import TIMEOUT_SECONDS, Answered, Outcome, Unanswered
from service.services.webhooks.sealed_secrets import SealedSecrets
from service.storage.claims import claim
from service.storage.database import Database, Unit
from service.storage.tables.webhooks import AttemptRow, DeliveryRow, EndpointRow, EventRow

MAX_RETRIES = 3
RETRY_SECONDS = 60
"""Before the first retry; each further one waits twice as long."""
RETRY_JITTER = 0.1
"""Each wait is up to this share longer or shorter, so that receivers that were down are not called all at once."""
FAILURES_TO_DISABLE = 10
"""Deliveries that fail in a row until the endpoint is disabled."""
LONGEST_RETRY = timedelta(seconds=RETRY_SECONDS * 2 ** (MAX_RETRIES - 1) * (1 + RETRY_JITTER))
CLAIM = timedelta(seconds=2 * TIMEOUT_SECONDS)
"""The duration of a claim whose claimer records nothing."""
RETENTION = timedelta(days=14)
"""The time for which events and their deliveries are stored."""

_PRUNED_AT_ONCE = 1000

_jitter = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class DeliveryJob:
    """A claimed delivery, to be made now."""

    delivery: str
    endpoint: str
    url: str
    event: str
    body: bytes = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)
    """The current secret first, then the previous one while it is valid; none if they are under another key."""


@dataclass(frozen=True, slots=True)
class Attempt:
    job: DeliveryJob
    made_at: datetime
    outcome: Outcome
    milliseconds: int


@dataclass(frozen=True, slots=True)
class Batch:
    """Jobs to send now, and when the next delivery is due; None if none is pending."""

    jobs: tuple[DeliveryJob, ...]
    upcoming: datetime | None


class DeliveryQueue:
    """Claims deliveries and records attempts. Safe to use from any thread and process."""

    def __init__(
        self,
        *,
        database: Database,
        secrets: SealedSecrets,
        jitter: Callable[[], float] = lambda: _jitter.uniform(1 - RETRY_JITTER, 1 + RETRY_JITTER),
    ) -> None:
        self._database = database
        self._secrets = secrets
        self._jitter = jitter

    def batch(self, attempts: Sequence[Attempt], *, room: int) -> Batch:
        """Records the attempts, and claims up to `room` new jobs, each of another endpoint."""
        with self._database.write_concurrently() as unit:
            for attempt in attempts:
                self._record(unit, attempt)
            unit.session.flush()
            jobs = tuple(_claim(unit, room, self._secrets)) if room > 0 else ()
            unit.session.flush()
            return Batch(jobs=jobs, upcoming=_upcoming(unit.session))

    def release(self, attempts: Sequence[Attempt], jobs: Sequence[DeliveryJob]) -> None:
        """Records the attempts, and releases the claims of the jobs."""
        with self._database.write_concurrently() as unit:
            for attempt in attempts:
                self._record(unit, attempt)
            unit.session.execute(
                update(EndpointRow)
                .where(EndpointRow.id.in_([job.endpoint for job in jobs]))
                .values(busy_until=unit.now)
            )

    def prune(self) -> None:
        dropped = _PRUNED_AT_ONCE
        while dropped == _PRUNED_AT_ONCE:
            with self._database.write() as unit:
                old = select(EventRow.number).where(EventRow.created_at <= unit.now - RETENTION).limit(_PRUNED_AT_ONCE)
                numbers = unit.session.scalars(old).all()
                unit.session.execute(delete(EventRow).where(EventRow.number.in_(numbers)))
                dropped = len(numbers)

    def _record(self, unit: Unit, attempt: Attempt) -> None:
        session = unit.session
        endpoint = session.scalar(
            # Not FOR UPDATE: new deliveries, which refer to the endpoint, need not wait for this.
            select(EndpointRow).where(EndpointRow.id == attempt.job.endpoint).with_for_update(key_share=True)
        )
        delivery = session.scalar(select(DeliveryRow).where(DeliveryRow.id == attempt.job.delivery))
        if endpoint is not None:
            endpoint.busy_until = unit.now
        if endpoint is None or delivery is None or delivery.status != DeliveryStatus.PENDING:
            return
        status, reason = _result_of(attempt.outcome)
        session.add(
            AttemptRow(
                delivery_id=delivery.id,
                made_at=attempt.made_at,
                status=status,
                reason=reason,
                milliseconds=attempt.milliseconds,
            )
        )
        delivery.tries += 1
        is_test = attempt.job.event == PING
        if status is not None and 200 <= status < 300:
            delivery.status, delivery.due_at = DeliveryStatus.SUCCEEDED, None
            if not is_test:
                endpoint.failures = 0
        elif delivery.tries <= MAX_RETRIES and not is_test:
            wait = RETRY_SECONDS * 2 ** (delivery.tries - 1) * self._jitter()
            delivery.due_at = unit.now + timedelta(seconds=wait)
        else:
            delivery.status, delivery.due_at = DeliveryStatus.FAILED, None
            if not is_test:
                endpoint.failures += 1
                endpoint.enabled = endpoint.enabled and endpoint.failures < FAILURES_TO_DISABLE


def _result_of(outcome: Outcome) -> tuple[int | None, str | None]:
    match outcome:
        case Answered(status):
            return status, None
        case Unanswered(reason):
            return None, reason
        case _:
            assert_never(outcome)


def _claim(unit: Unit, room: int, secrets: SealedSecrets) -> Sequence[DeliveryJob]:
    waiting = exists().where(DeliveryRow.endpoint_id == EndpointRow.id, DeliveryRow.due_at <= unit.now)
    free = (
        select(EndpointRow)
        .where(EndpointRow.enabled, EndpointRow.busy_until <= unit.now, waiting)
        # The longest wait first: with more dead endpoints than there is room, the others are still served.
        .order_by(EndpointRow.busy_until, EndpointRow.number)
    )
    jobs = []
    for endpoint in claim(unit.session, free, limit=room):
        endpoint.busy_until = unit.now + CLAIM
        delivery, event = unit.session.execute(
            select(DeliveryRow.id, EventRow)
            .join(EventRow, EventRow.id == DeliveryRow.event_id)
            .where(DeliveryRow.endpoint_id == endpoint.id, DeliveryRow.due_at <= unit.now)
            .order_by(DeliveryRow.due_at, DeliveryRow.number)
            .limit(1)
        ).one()
        jobs.append(
            DeliveryJob(
                delivery=delivery,
                endpoint=endpoint.id,
                url=endpoint.url,
                event=event.type,
                body=event.body.encode(),
                secrets=_valid_secrets(endpoint, secrets, now=unit.now),
            )
        )
    return jobs


def _valid_secrets(endpoint: EndpointRow, secrets: SealedSecrets, *, now: datetime) -> tuple[str, ...]:
    """Returns the secrets; none if the current one cannot be opened."""
    old, until = endpoint.old_secret, endpoint.old_secret_until
    stored = (endpoint.secret,) if old is None or until is None or until <= now else (endpoint.secret, old)
    present, *others = (secrets.open(endpoint.id, one) for one in stored)
    return () if present is None else (present, *(one for one in others if one is not None))


def _upcoming(session: Session) -> datetime | None:
    # One index look-up per endpoint, however many deliveries are pending.
    first = (
        select(DeliveryRow.due_at)
        .where(DeliveryRow.endpoint_id == EndpointRow.id, DeliveryRow.due_at.is_not(None))
        .order_by(DeliveryRow.due_at)
        .limit(1)
        .scalar_subquery()
    )
    rows = session.execute(select(EndpointRow.busy_until, first).where(EndpointRow.enabled)).all()
    return min((max(busy, due) for busy, due in rows if due is not None), default=None)
