"""Converts the snapshot to JSON, for the diagnostics page and for tools."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from menu.text.phrase import in_language
from menu.text.wording import FALLBACK_LOCALE
from player.domain.pairing.pairing import Code
from player.domain.recovery.fault_texts import detail_of
from player.domain.state import PlayerState
from player.domain.time.clock import milliseconds
from player.domain.view import HouseCard, SceneView, View


def state_document(state: PlayerState, *, monotonic: float, locale: str = FALLBACK_LOCALE) -> dict[str, Any]:
    """Returns the whole snapshot, with findings in the language of a locale.

    Instants are RFC 3339 in UTC, durations in milliseconds unless the name says seconds.

    It contains the pairing code if the state does: only callers on this machine may receive it.
    """
    document = _plain(replace(state, view=HouseCard()))
    worst = state.contact.worst
    document |= {
        "pairing": document["pairing"] | _code(state.pairing.code, monotonic),
        "contact": {"fault": None, "failures": 0, **document["contact"], **(_plain(worst) if worst else {})}
        | document.pop("settings"),
        "clock": {"state": state.clock.trust, "offsetMilliseconds": milliseconds(state.clock.offset)},
        "clockDiffersMilliseconds": milliseconds(state.clock_differs),
        "program": (running := document.pop("running")) and _with_key(running),
        "staged": document["staged"] and _with_key(document["staged"]),
        "presented": _with_key(document["presented"]) | {"latencyMilliseconds": milliseconds(state.presented.latency)},
        "displayPower": state.panel.power,
        "ordered": {"serial": document.pop("serial"), "menus": _menus(state.view)},
        "findings": [
            _plain(each) | {name: in_language(getattr(each, name), locale) for name in ("what", "why", "do")}
            for each in state.findings
        ],
        "rejections": [_plain(each) | {"detail": detail_of(each)} for each in state.rejections],
    }
    for name in ("view", "faults", "found", "monotonic", "clockDiffers"):
        del document[name]
    return document


def _plain(value: Any) -> dict[str, Any]:
    """Converts a struct to JSON's own types; a phrase in English."""
    found: dict[str, Any] = to_builtins(value, enc_hook=str)
    return found


def _code(code: Code | None, monotonic: float) -> dict[str, Any]:
    return {
        "code": code.user_code if code else None,
        "address": code.verification_uri if code else None,
        "expiresInSeconds": max(0, round(code.good_until - monotonic)) if code else None,
    }


def _with_key(facts: dict[str, Any]) -> dict[str, Any]:
    return {"playlistId": None, "version": None, **(facts.pop("key") or {}), **facts}


def _menus(view: View) -> dict[str, list[dict[str, Any]]]:
    """Returns the items of each menu and item widget, as a guest reads them."""
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
