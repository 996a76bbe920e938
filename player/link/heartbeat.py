"""Sends heartbeats, which report what is on the display, and receives the service's time and its commands."""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, assert_never

import msgspec

from player.domain.events import Command, Event, HeartbeatAnswered, ServiceAnswered, ServiceSilent
from player.domain.link.contact import Call
from player.domain.link.fault import Fault
from player.domain.recovery.fault_texts import detail_of
from player.domain.state import PlayerState
from player.domain.time.clock import Clock, milliseconds
from player.link.answers import HeartbeatAnswer, decoded
from player.link.api import SILENT_SECONDS, ServiceApi
from player.link.outcomes import Failed, Fresh, Refused
from player.link.pairing import Pairing

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


def report_of(state: PlayerState) -> dict[str, Any]:
    """Returns the report for the service, within its bounds. It describes the frame on the display, not the newest
    order."""
    presented, key, staged, health = state.presented, state.presented.key, state.staged, state.health
    report = {
        "presented": _known(
            kind=presented.kind.value,
            playlistId=key.playlist_id if key else None,
            version=key.version if key else None,
            revision=presented.revision,
            sceneId=presented.scene_id,
            entryId=presented.entry_id,
            override=presented.override,
            since=_in_milliseconds(presented.since) if key else None,
            latencyMilliseconds=_within(milliseconds(presented.latency)),
        ),
        "staged": None,
        "displayPower": state.panel.power.value,
        "clock": _known(state=state.clock.trust.value, offsetMilliseconds=_within(milliseconds(state.clock.offset))),
        "health": _known(
            temperatureCelsius=health.temperature_celsius,
            diskFreeBytes=health.disk_free_bytes,
            memoryAvailableBytes=health.memory_available_bytes,
            throttled=health.throttled,
        ),
        "findings": [
            _cleaned(each, "code", "severity", "who", what=each.what, do=each.do)
            for each in state.findings[:MAX_FINDINGS]
        ],
        "errors": [_cleaned(each, "code", "subject", detail=detail_of(each)) for each in state.rejections[:MAX_ERRORS]],
        "results": [_cleaned(each, "id", "outcome", detail=each.detail) for each in state.results],
    }
    if staged and (key := staged.key):
        waiting_for = _in_milliseconds(staged.takes_over_at)
        report["staged"] = _known(playlistId=key.playlist_id, version=key.version, waitingFor=waiting_for)
    if (taken_back := state.device.taken_back) is not None:
        known = ("version", "code") if taken_back.code else ("version",)
        report["takenBack"] = _cleaned(taken_back, *known, why=taken_back.why)
    return report


class Heartbeat:
    """Sends reports, at most one a second. One `beat` at a time."""

    def __init__(
        self,
        *,
        api: ServiceApi,
        token_source: Pairing,
        boot_id: str,
        app_version: str,
        clock: Clock,
        emit: Callable[[Event], None],
        newest: Callable[[str, float], object] = lambda _etag, _sent: None,
    ) -> None:
        """`newest` receives the entity tag of the service's newest manifest, and when it was asked."""
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

    async def beat(self, state: PlayerState) -> None:
        """Sends a report of this state, once a second has passed since the last one. Does nothing while unpaired."""
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
            outcome = await self._api.heartbeat(token=token, body=self._body(state))
        finally:
            silent.cancel()
        received = self._clock.monotonic()
        if self._token_source.token != token:
            return  # The answer is to the screen that this was before.
        match outcome:
            case Fresh():
                self._token_source.accepted(token)
                told = tuple(result.id for result in state.results)
                self._read_answer(outcome, sent=sent, received=received, told=told)
            case Refused(revoked=revoked):
                self._token_source.refused(token, revoked=revoked)
                self._fail(Failed(fault=Fault.SCREEN_REFUSED, detail=outcome.detail))
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

    def _body(self, state: PlayerState) -> bytes:
        document = report_of(state) | {"sequence": self._sequence, "bootId": self._boot_id, "runId": self._run_id}
        document["appVersion"] = self._app_version
        errors, findings = document["errors"], document["findings"]
        while len(body := msgspec.json.encode(document, order="sorted")) > MAX_BODY_BYTES and (errors or findings):
            (errors or findings).pop()
        return body


def _known(**facts: Any) -> dict[str, Any]:
    return {name: fact for name, fact in facts.items() if fact is not None}


def _within(span: int | None) -> int | None:
    return None if abs(span or 0) > MAX_SPAN else span


def _in_milliseconds(instant: datetime | None) -> str | None:
    """Formats an aware instant in RFC 3339, UTC, with milliseconds."""
    if instant is None:
        return None
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _cleaned(part: msgspec.Struct, *words: str, **sentences: str) -> dict[str, str]:
    """Returns these fields of a part, and its instant, within the service's bounds."""
    told = {name: _printable(str(getattr(part, name))[:MAX_WORD]) for name in words}
    told |= {name: _printable(text[:MAX_DETAIL]) for name, text in sentences.items()}
    return told | _known(**{name: _in_milliseconds(getattr(part, name, None)) for name in ("since", "at")})


def _printable(text: str) -> str:
    """Removes control characters: the service would refuse the whole heartbeat for one."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
