"""Sends heartbeats: a report of what is on the glass goes up, the service's time and its commands come down."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal, assert_never

import msgspec

from player.domain.commands import Result
from player.domain.contact import Call
from player.domain.documents.manifest import Rejection
from player.domain.events import Command, Event, HeartbeatAnswered, ServiceAnswered, ServiceSilent, Trouble
from player.domain.finding import Finding
from player.domain.findings.texts import detail_of
from player.domain.panel import Power
from player.domain.state import PlayerState, TakenBack
from player.domain.time.clock import Clock, milliseconds
from player.link.answers import HeartbeatAnswer, decoded
from player.link.api import SILENT_SECONDS, ServiceApi
from player.link.outcomes import Failed, Fresh, Refused
from player.link.token_source import TokenSource

LEAST_SECONDS_BETWEEN = 1.0
MAX_ERRORS = 20
MAX_FINDINGS = 10
MAX_BODY_BYTES = 64 * 1024
MAX_WORD = 200
"""Characters of a code, a subject or an identifier."""
MAX_DETAIL = 1000
MAX_SPAN = 1_000_000_000
"""Milliseconds. Earlier services refuse a heartbeat with more, and a clock without a battery is decades off."""
PLAUSIBLE_YEARS = range(2020, 2200)
"""A service whose clock is outside these has a worse idea of the time than the player."""

_CALL = Call.HEARTBEAT


class PresentedReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The frame on the glass; only a scene has more than its kind. Instants are aware."""

    kind: Literal["scene", "house", "pairing", "nothing"]
    playlist_id: str | None = None
    version: int | None = None
    revision: int | None = None
    scene_id: str | None = None
    entry_id: str | None = None
    since: datetime | None = None
    latency_milliseconds: int | None = None


class StagedReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The staged version; `waiting_for` is when it takes over, None while it is not ready."""

    playlist_id: str
    version: int
    waiting_for: datetime | None = None


class ClockReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The player's trust in its clock."""

    state: Literal["trusted", "corrected", "unknown"]
    offset_milliseconds: int | None = None


class HealthReport(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Gauges of the machine; unknown ones are left out."""

    temperature_celsius: float | None = None
    disk_free_bytes: int | None = None
    memory_available_bytes: int | None = None
    throttled: bool | None = None


class Report(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A heartbeat without its number and sender. Of `findings` the first MAX_FINDINGS are sent, of `errors` the first
    MAX_ERRORS."""

    presented: PresentedReport
    staged: StagedReport | None = None
    display_power: Power = Power.ON
    clock: ClockReport
    health: HealthReport = HealthReport()
    findings: tuple[Finding, ...] = ()
    errors: tuple[Rejection, ...] = ()
    results: tuple[Result, ...] = ()
    taken_back: TakenBack | None = None


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


class Heartbeat:
    """Sends reports, at most one a second. One `beat` at a time."""

    def __init__(
        self,
        *,
        api: ServiceApi,
        token_source: TokenSource,
        boot_id: str,
        app_version: str,
        clock: Clock,
        emit: Callable[[Event], None],
        newest: Callable[[str, float], object] = lambda _etag, _sent: None,
    ) -> None:
        """`newest` is told the entity tag of the service's newest manifest, and when it was asked."""
        self._api = api
        self._token_source = token_source
        self._boot_id = boot_id
        self._run_id = secrets.token_hex(8)  # another one in each copy of a card, also in one machine
        self._app_version = app_version
        self._clock = clock
        self._emit = emit
        self._newest = newest
        # The service ignores a heartbeat with a lower number of the same boot. The monotonic clock does not go back
        # within a boot, and this counts ten times faster than heartbeats come: a restarted player is always above.
        self._sequence = int(clock.monotonic() * 10)
        self._sent_at = -math.inf

    async def beat(self, report: Report) -> None:
        """Send this, once a second has passed since the last one. Does nothing while unpaired."""
        pause = self._sent_at + LEAST_SECONDS_BETWEEN - self._clock.monotonic()
        if pause > 0:
            await asyncio.sleep(pause)
        token = self._token_source.token
        if token is None:
            return
        self._sequence += 1
        self._sent_at = sent = self._clock.monotonic()
        silent = asyncio.get_running_loop().call_later(SILENT_SECONDS, self._emit, ServiceSilent())
        try:
            outcome = await self._api.heartbeat(token=token, body=self._body(report))
        finally:
            silent.cancel()
        received = self._clock.monotonic()
        if self._token_source.token != token:
            return  # The answer is to the screen that this was before.
        match outcome:
            case Fresh():
                self._token_source.accepted(token)
                told = tuple(result.id for result in report.results)
                self._read_answer(outcome, sent=sent, received=received, told=told)
            case Refused(revoked=revoked):
                self._token_source.refused(token, revoked=revoked)
                self._fail(Failed(trouble=Trouble.REFUSED, detail=outcome.detail))
            case Failed():
                self._fail(outcome)
            case _:
                assert_never(outcome)

    def _read_answer(self, fresh: Fresh, *, sent: float, received: float, told: tuple[str, ...]) -> None:
        answer = decoded(fresh.body, HeartbeatAnswer)
        if answer is None or answer.server_time.year not in PLAUSIBLE_YEARS:
            self._fail(fresh.unreadable("its answer to a heartbeat cannot be read"))
            return
        self._emit(ServiceAnswered(call=_CALL))
        self._emit(
            HeartbeatAnswered(
                server_time=answer.server_time.astimezone(UTC),
                sent=sent,
                received=received,
                screen_name=answer.screen.name,
                settings=answer.readable_settings(),
                commands=tuple(Command(id=each.id, type=each.type) for each in answer.readable_commands()),
                told=told,
                display=answer.screen.readable_display(),
                wanted_version=answer.readable_version(),
                two_devices=bytes(answer.two_devices) == b"true",
            )
        )
        if (etag := answer.readable_etag()) is not None:
            self._newest(etag, sent)

    def _fail(self, failed: Failed) -> None:
        self._emit(failed.of(_CALL))

    def _body(self, report: Report) -> bytes:
        document = msgspec.to_builtins(report, enc_hook=str)  # a Phrase is a string
        document |= {"sequence": self._sequence, "bootId": self._boot_id, "runId": self._run_id}
        document["appVersion"] = self._app_version
        if report.presented.since:
            document["presented"]["since"] = _in_milliseconds(report.presented.since)
        if report.staged and report.staged.waiting_for:
            document["staged"]["waitingFor"] = _in_milliseconds(report.staged.waiting_for)
        for part, name in (("presented", "latencyMilliseconds"), ("clock", "offsetMilliseconds")):
            if abs(document[part].get(name) or 0) > MAX_SPAN:
                del document[part][name]
        document["findings"] = findings = [
            _cleaned(each, "code", "severity", "who", what=each.what, do=each.do)
            for each in report.findings[:MAX_FINDINGS]
        ]
        document["errors"] = errors = [
            _cleaned(each, "code", "subject", detail=detail_of(each)) for each in report.errors[:MAX_ERRORS]
        ]
        document["results"] = [_cleaned(each, "id", "outcome", detail=each.detail) for each in report.results]
        document.pop("takenBack")
        if (taken_back := report.taken_back) is not None:
            document["takenBack"] = _cleaned(taken_back, "version", why=taken_back.why)
        while len(body := msgspec.json.encode(document, order="sorted")) > MAX_BODY_BYTES and (errors or findings):
            (errors or findings).pop()
        return body


def _in_milliseconds(instant: datetime) -> str:
    """An aware instant in RFC 3339, UTC, with milliseconds."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _cleaned(part: msgspec.Struct, *words: str, **sentences: str) -> dict[str, str]:
    """These fields of a part, and its instant, within the service's bounds."""
    told = {name: _printable(str(getattr(part, name))[:MAX_WORD]) for name in words}
    told |= {name: _printable(text[:MAX_DETAIL]) for name, text in sentences.items()}
    instants = {name: getattr(part, name, None) for name in ("since", "at")}
    return told | {name: _in_milliseconds(instant) for name, instant in instants.items() if instant is not None}


def _printable(text: str) -> str:
    """Without control characters: the service would refuse the whole heartbeat for one."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
