"""Lists the periodic jobs of the service."""

from collections.abc import Iterator

from service.services.alerts.watch import LOOK_SECONDS
from service.services.devices.presence import WRITTEN_EVERY
from service.services.devices.rollouts import RELOAD_SECONDS, STOP_SECONDS
from service.services.operations.upkeep import UPKEEP_SECONDS, Job, LeaderJob
from service.services.registry import Services

PRESENCE_SECONDS = int(WRITTEN_EVERY.total_seconds())
"""Interval for finding lost screens, and for writing the uses of keys."""
SWEEP_SECONDS = 600
"""Interval for deleting what is old."""


def upkeep_jobs(services: Services) -> Iterator[Job | LeaderJob]:
    """Returns the periodic jobs of this process, and those of the leader."""
    # First each process catches up and writes its contacts, then the leader acts on what is written.
    yield Job("missed changes", UPKEEP_SECONDS, services.hub.catch_up)
    yield LeaderJob("instants of a wrong clock", UPKEEP_SECONDS, lambda _: services.clock_correction.run())
    yield LeaderJob("due values", UPKEEP_SECONDS, lambda _: services.due_values.tick(services.clock.now()))
    yield Job("news of screens", UPKEEP_SECONDS, services.presence.flush_news)
    yield Job("contacts of screens", int(services.presence.written_every.total_seconds()), services.presence.flush)
    yield Job("uses of keys", PRESENCE_SECONDS, services.keys.flush)
    yield LeaderJob("lost screens", PRESENCE_SECONDS, lambda since: services.presence.sweep(leading_since=since))
    yield Job("rollouts", RELOAD_SECONDS, services.rollouts.load)
    yield LeaderJob("failing rollouts", STOP_SECONDS, services.rollouts.stop_failing)
    yield LeaderJob("alerts", LOOK_SECONDS, lambda _: services.alert_watch.look(services.clock.now()))
    yield LeaderJob("old events", SWEEP_SECONDS, lambda _: services.deliveries.prune())
    yield LeaderJob("old revoked tokens", SWEEP_SECONDS, lambda _: services.revoked_tokens.prune())
    yield LeaderJob("old enrolment tokens", SWEEP_SECONDS, lambda _: services.enrolment_tokens.prune())
    yield LeaderJob("old overrides", SWEEP_SECONDS, lambda _: services.overrides.prune())
    yield LeaderJob("removed assets", SWEEP_SECONDS, lambda _: services.assets.prune())
    yield LeaderJob("old uploads", SWEEP_SECONDS, lambda _: services.asset_uploads.prune())
    yield LeaderJob("old planned changes", SWEEP_SECONDS, lambda _: services.planned_changes.prune())
    yield LeaderJob("old imports", SWEEP_SECONDS, lambda _: services.imports.prune())
    yield LeaderJob("old receipts", SWEEP_SECONDS, lambda _: services.receipts.prune())
    yield LeaderJob("old commands", SWEEP_SECONDS, lambda _: services.commands.prune())
    yield LeaderJob("ended sessions", SWEEP_SECONDS, lambda _: services.sessions.prune())
    yield LeaderJob("old acts", SWEEP_SECONDS, lambda _: services.audit.prune())
    yield LeaderJob("old answers", SWEEP_SECONDS, lambda _: services.stored_responses.sweep())
