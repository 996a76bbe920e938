"""The snapshot as JSON, for the diagnostics page and for tools."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from player.domain.documents.manifest import Location, VersionKey
from player.domain.findings.diagnosis import diagnose
from player.domain.findings.texts import detail_of
from player.domain.state import PlayerState, Presented, Showing
from player.domain.time.clock import milliseconds
from player.domain.view import SceneView, View
from player.domain.words.phrase import in_language
from player.domain.words.wording import FALLBACK_LOCALE


def state_document(state: PlayerState, *, monotonic: float, locale: str = FALLBACK_LOCALE) -> dict[str, Any]:
    """The whole snapshot, with findings in the language of a locale.

    Instants are RFC 3339 in UTC, durations in milliseconds unless the name says seconds.

    It contains the pairing code if the state does: only callers on this machine are given it.
    """
    pairing, contact, running, staged = state.pairing, state.contact, state.running, state.staged
    worst = contact.worst
    code = pairing.code
    return {
        "at": _instant(state.at),
        "playerRuns": state.standstill is None,
        "device": {
            "id": state.device.device_id,
            "bootId": state.device.boot_id,
            "appVersion": state.device.app_version,
            "service": state.device.service,
            "startedAt": _instant(state.device.started_at),
        },
        "pairing": {
            "phase": pairing.phase,
            "code": code.user_code if code else None,
            "address": code.verification_uri if code else None,
            "expiresInSeconds": max(0, round(code.good_until - monotonic)) if code else None,
            "screenId": pairing.screen_id,
            "screenName": pairing.screen_name,
            "refusal": pairing.refusal,
        },
        "contact": {
            "lastAnswerAt": _instant(contact.last_answer_at),
            "failingSince": _instant(worst.since) if worst else None,
            "failures": worst.failures if worst else 0,
            "call": worst.call if worst else None,
            "trouble": contact.trouble,
            "detail": worst.detail if worst else None,
            "waitSeconds": state.settings.wait_seconds,
            "pollSeconds": state.settings.poll_seconds,
            "heartbeatSeconds": state.settings.heartbeat_seconds,
        },
        "clock": {"state": state.clock.trust, "offsetMilliseconds": milliseconds(state.clock.offset)},
        "location": _location(state.location),
        "program": running
        and {
            **_key(running.key),
            "name": running.name,
            "publishedAt": _instant(running.published_at),
            "anchor": _instant(running.anchor),
            "entries": running.entries,
        },
        "staged": staged
        and {
            **_key(staged.key),
            "assetsRemaining": staged.assets_remaining,
            "lacking": dict(staged.missing),
            "takesOverAt": _instant(staged.takes_over_at),
        },
        "revision": state.revision,
        "revisionAt": _instant(state.revision_at),
        "showing": _showing(state.showing),
        "displayPower": state.panel.power,
        "ordered": {"serial": state.serial, "menus": _menus(state.view)},
        "presented": _presented(state.presented),
        "findings": [
            {
                "code": finding.code,
                "severity": finding.severity,
                "what": in_language(finding.what, locale),
                "why": in_language(finding.why, locale),
                "do": in_language(finding.do, locale),
                "who": finding.who,
                "since": _instant(finding.since),
            }
            for finding in diagnose(state)
        ],
        "rejections": [
            {"code": rejection.code, "subject": rejection.subject, "detail": detail_of(rejection)}
            for rejection in state.rejections
        ],
        "health": {
            "temperatureCelsius": state.health.temperature_celsius,
            "diskFreeBytes": state.health.disk_free_bytes,
            "memoryAvailableBytes": state.health.memory_available_bytes,
            "throttled": state.health.throttled,
        },
    }


def _showing(showing: Showing) -> dict[str, Any]:
    return {
        "kind": showing.kind,
        "houseReason": showing.house_reason,
        "entryId": showing.entry_id,
        "sceneId": showing.scene_id,
        "sceneName": showing.scene_name,
        "since": _instant(showing.since),
        "until": _instant(showing.until),
        "loop": showing.loop,
        "loopBoundary": _instant(showing.loop_boundary),
        "nextChange": _instant(showing.next_change),
        "nextScheduled": _instant(showing.next_scheduled),
        "others": [
            {
                "entryId": other.entry_id,
                "sceneName": other.scene_name,
                "reason": other.reason,
                "detail": other.detail,
                "nextAt": _instant(other.next_at),
            }
            for other in showing.others
        ],
    }


def _menus(view: View) -> dict[str, list[dict[str, Any]]]:
    """The items of each menu and item widget, as a guest reads them."""
    if not isinstance(view, SceneView):
        return {}
    listed = {
        widget: [row for section in listing.sections for row in section.rows] for widget, listing in view.menus.items()
    }
    return {
        widget: [
            {
                "itemId": row.item_id,
                "name": row.name,
                "price": row.price.whole,
                "variants": [
                    {"name": one.name, "price": one.price.text, "soldOut": one.sold_out} for one in row.variants
                ],
                "soldOut": row.sold_out,
            }
            for row in rows
        ]
        for widget, rows in (*listed.items(), *((widget, [row]) for widget, row in view.items.items()))
    }


def _presented(presented: Presented) -> dict[str, Any]:
    return {
        "serial": presented.serial,
        "kind": presented.kind,
        **_key(presented.key),
        "revision": presented.revision,
        "sceneId": presented.scene_id,
        "entryId": presented.entry_id,
        "since": _instant(presented.since),
        "at": _instant(presented.at),
        "latencyMilliseconds": milliseconds(presented.latency),
    }


def _key(key: VersionKey | None) -> dict[str, Any]:
    return {"playlistId": key.playlist_id if key else None, "version": key.version if key else None}


def _location(location: Location | None) -> dict[str, Any] | None:
    if location is None:
        return None
    return {
        "id": location.id,
        "name": location.name,
        "timezone": location.timezone,
        "currency": location.currency,
        "locale": location.locale,
    }


def _instant(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
