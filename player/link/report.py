"""Builds a heartbeat's report from the snapshot; pure."""

from __future__ import annotations

from player.domain.state import PlayerState
from player.domain.time.clock import milliseconds
from player.link.heartbeat import ClockReport, HealthReport, PresentedReport, Report, StagedReport


def report_of(state: PlayerState) -> Report:
    """The report for the service. It describes the frame that is on the glass, not the newest order."""
    presented, staged, health = state.presented, state.staged, state.health
    key = presented.key
    return Report(
        presented=PresentedReport(
            kind=presented.kind.value,
            playlist_id=key.playlist_id if key else None,
            version=key.version if key else None,
            revision=presented.revision,
            scene_id=presented.scene_id,
            entry_id=presented.entry_id,
            since=presented.since if key else None,
            latency_milliseconds=milliseconds(presented.latency),
        ),
        staged=StagedReport(
            playlist_id=staged.key.playlist_id, version=staged.key.version, waiting_for=staged.takes_over_at
        )
        if staged and staged.key
        else None,
        display_power=state.panel.power,
        clock=ClockReport(state=state.clock.trust.value, offset_milliseconds=milliseconds(state.clock.offset)),
        health=HealthReport(
            temperature_celsius=health.temperature_celsius,
            disk_free_bytes=health.disk_free_bytes,
            memory_available_bytes=health.memory_available_bytes,
            throttled=health.throttled,
        ),
        findings=state.findings,
        errors=state.rejections,
        results=state.results,
        taken_back=state.device.taken_back,
    )
