"""Builds a heartbeat's report from the snapshot; pure."""

from __future__ import annotations

from player.domain.findings.diagnosis import diagnose
from player.domain.findings.texts import detail_of
from player.domain.state import PlayerState
from player.domain.time.clock import milliseconds
from player.link.heartbeat import (
    ClockReport,
    ErrorReport,
    FindingReport,
    HealthReport,
    PresentedReport,
    Report,
    ResultReport,
    StagedReport,
    TakenBackReport,
)


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
        findings=tuple(
            FindingReport(
                code=finding.code,
                severity=finding.severity.value,
                what=finding.what,
                do=finding.do,
                who=finding.who.value,
                since=finding.since,
            )
            for finding in diagnose(state)
        ),
        errors=tuple(
            ErrorReport(code=rejection.code, subject=rejection.subject, detail=detail_of(rejection))
            for rejection in state.rejections
        ),
        results=tuple(
            ResultReport(id=result.id, outcome=result.outcome.value, detail=result.detail, at=result.at)
            for result in state.results
        ),
        taken_back=TakenBackReport(version=taken_back.version, why=taken_back.why)
        if (taken_back := state.device.taken_back)
        else None,
    )
