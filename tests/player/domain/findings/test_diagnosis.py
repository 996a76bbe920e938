"""Each fault has its finding first, with a cause and something to do; what follows from it is not told, and a healthy
player has none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from player.domain.connection import ConnectionFault, ConnectionTest, Step, StepResult
from player.domain.contact import Call, Contact, FailingCall
from player.domain.documents.manifest import LinkSettings, Location, Rejection, VersionKey
from player.domain.documents.scene import Scene
from player.domain.events import Health, Trouble
from player.domain.finding import Finding, Severity
from player.domain.findings import disk, machine
from player.domain.findings.causes import LAYERS, follows
from player.domain.findings.clock import CLOCK_OFF_SECONDS
from player.domain.findings.connection import CONNECTION_CODES, PASSING, UNTESTED_SECONDS
from player.domain.findings.diagnosis import diagnose, diagnosed
from player.domain.findings.disk import DISK_CODES
from player.domain.findings.finding import sentence, span
from player.domain.findings.link import POOR_SIGNAL
from player.domain.findings.texts import DISPLAY
from player.domain.machine import Glass
from player.domain.pairing import Code, EnrolmentRefusal, Refusal
from player.domain.standstill import Standstill, Unit
from player.domain.state import (
    Device,
    HouseReason,
    Kind,
    OtherEntry,
    PairingFacts,
    PairingPhase,
    PlayerState,
    Presented,
    RunningFacts,
    Showing,
    StagedFacts,
    TakenBack,
    Unshowable,
    WhyNot,
)
from player.domain.time.clock import ClockState, Trust
from player.domain.time.timeline import Reason
from player.domain.view import HouseCard, Locality, SceneView
from player.domain.words.phrase import phrase

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
"""A Friday; 13:00 in Berlin."""
KEY = VersionKey(playlist_id="pl_0123456789abcdef0123456789abcdef", version=3)
NEXT_KEY = VersionKey(playlist_id=KEY.playlist_id, version=4)
SHA = "ab" * 32
SCENE = SceneView(
    key=KEY,
    entry_id="ent_1",
    scene=Scene(id="scn_1", name="Breakfast", width=1920, height=1080, widgets=()),
    started_at=NOW,
    revision=7,
    locality=Locality(),
    duration_seconds=10,
)
CODE = Code(
    device_code="secret",
    user_code="WDJ-BMJ",
    verification_uri="https://menus.example.com/pair",
    verification_uri_complete="https://menus.example.com/pair?code=WDJBMJ",
    interval=5.0,
    good_until=1000.0,
)
WELL = Health(
    temperature_celsius=51.2,
    disk_free_bytes=24 * 10**9,
    memory_available_bytes=512 * 10**6,
    throttled=False,
    disk_read_only=False,
    disk_free_files=10**6,
    under_voltage=False,
)
HEALTHY = PlayerState(
    at=NOW,
    device=Device(
        device_id="0123456789abcdef0123456789abcdef",
        boot_id="",
        app_version="1",
        service="https://menus.example.com",
        started_at=NOW - timedelta(hours=1),
    ),
    pairing=PairingFacts(phase=PairingPhase.PAIRED, screen_id="scr_1", screen_name="Counter"),
    contact=Contact(last_answer_at=NOW),
    settings=LinkSettings(),
    clock=ClockState(trust=Trust.TRUSTED),
    location=Location(
        id="loc_1", name="Corner Café", timezone="Europe/Berlin", currency="EUR", locale="de-DE", rotation=0
    ),
    running=RunningFacts(key=KEY, name="All day", published_at=NOW, anchor=NOW, entries=2),
    staged=None,
    revision=7,
    revision_at=NOW - timedelta(minutes=3),
    serial=5,
    view=HouseCard(),
    showing=Showing(kind=Kind.SCENE, scene_name="Breakfast"),
    presented=Presented(serial=5, kind=Kind.SCENE, key=KEY, revision=7),
    health=WELL,
)
UNPAIRED = replace(
    HEALTHY,
    pairing=PairingFacts(),
    running=None,
    location=None,
    revision=None,
    showing=Showing(kind=Kind.PAIRING),
    presented=Presented(kind=Kind.PAIRING),
    clock=ClockState(trust=Trust.TRUSTED),
)
NEW = replace(
    HEALTHY, running=None, location=None, revision=None, presented=Presented(kind=Kind.HOUSE), showing=Showing()
)


def told(state: PlayerState) -> tuple[Finding, ...]:
    """The findings of a state that has lasted for an hour."""
    return diagnose(replace(state, found=dict.fromkeys(diagnosed(state).found, state.at - timedelta(hours=1))))


def first(state: PlayerState) -> Finding:
    found = told(state)
    assert found
    return found[0]


def failing(
    trouble: Trouble = Trouble.UNREACHABLE, *, seconds: float = 600, detail: str = "no connection", **more: Any
) -> Contact:
    facts: dict[str, Any] = {"call": Call.MANIFEST, **more}
    call = FailingCall(trouble=trouble, since=NOW - timedelta(seconds=seconds), failures=3, detail=detail, **facts)
    return Contact(last_answer_at=NOW - timedelta(hours=2), failing=(call,))


def probed(step: Step, fault: str, *, state: PlayerState = HEALTHY, evidence: str = "") -> PlayerState:
    """The service is not reached, and the test has said at which step."""
    steps = [StepResult(step=each, passed=True, milliseconds=1.0) for each in Step]
    at = list(Step).index(step)
    steps[at] = StepResult(step=step, passed=False, fault=fault, evidence=evidence)
    steps[at + 1 :] = [StepResult(step=each.step, passed=None) for each in steps[at + 1 :]]
    test = ConnectionTest(at=NOW - timedelta(seconds=595), steps=tuple(steps))
    return replace(state, contact=failing(), connection=test)


def lost(*seconds: float) -> tuple[datetime, ...]:
    """When the link was lost: so many seconds ago, the newest first."""
    return tuple(NOW - timedelta(seconds=each) for each in reversed(seconds))


def house(reason: HouseReason, *, state: PlayerState = HEALTHY, **facts: Any) -> PlayerState:
    return replace(
        state,
        showing=Showing(kind=Kind.HOUSE, house_reason=reason, **facts),
        presented=replace(state.presented, kind=Kind.HOUSE),
    )


def lacking(reasons: Mapping[str, str], state: PlayerState = HEALTHY) -> PlayerState:
    """Files of the running version are not on the device."""
    assert state.running is not None
    parts = tuple(
        Rejection(code="asset_lacking", subject=sha, detail=why, name="Breakfast") for sha, why in reasons.items()
    )
    return replace(state, running=replace(state.running, missing=reasons), rejections=(*state.rejections, *parts))


def rejected(code: str, detail: str = "No space left on device", *, state: PlayerState = HEALTHY, **more: str) -> Any:
    part = Rejection(code=code, subject=more.pop("subject", "latest"), detail=detail, **more)
    return replace(state, rejections=(*state.rejections, part))


def entry(name: str, why: WhyNot, detail: str = "") -> OtherEntry:
    reason = Reason.PASSED_OVER
    return OtherEntry(entry_id=name, scene_name=name, reason=reason, unshowable=Unshowable(why, detail))


def staged(*, remaining: int = 0, missing: Mapping[str, str] | None = None, **more: Any) -> StagedFacts:
    facts: dict[str, Any] = {"takes_over_at": None, "assets": 12, "since": NOW - timedelta(minutes=5), **more}
    return StagedFacts(key=NEXT_KEY, assets_remaining=remaining, missing=missing or {}, **facts)


DAMAGED = house(
    HouseReason.NOTHING_SHOWABLE,
    state=rejected("scene_bad", "none of its widgets can be drawn", subject="scn_1", name="Breakfast"),
    others=(
        entry("Breakfast", WhyNot.UNREADABLE, "none of its widgets can be drawn"),
        entry("Lunch", WhyNot.FILE_MISSING),
    ),
)
ALL_FILES_GONE = replace(
    house(
        HouseReason.NOTHING_SHOWABLE,
        state=lacking({SHA: "it answers 404"}),
        others=(entry("Breakfast", WhyNot.FILE_MISSING),),
    )
)
FULL = replace(WELL, disk_free_bytes=0)
READ_ONLY = replace(WELL, disk_read_only=True)
FAILING = replace(READ_ONLY, disk_failing=True)


def stopped(**facts: Any) -> PlayerState:
    """Health of a device on which nothing else is wrong."""
    return replace(HEALTHY, standstill=Standstill(**facts))


CASES: list[tuple[str, PlayerState, str, str]] = [
    # what is wrong, the facts, the code of the first finding, and words that it must hold
    ("wrong settings", stopped(setting_faults=("--rotate: '45' is no angle",)), "settings_wrong", "is no angle."),
    ("wrong settings, and so it runs and draws nowhere",
     stopped(setting_faults=("x",), unit=Unit(active="failed", restarts="5", status="2"), has_session=False),
     "settings_wrong", "Correct what is named"),
    ("stopped, with a unit", stopped(unit=Unit(active="inactive")), "player_not_running", "systemctl start"),
    ("stopped, without a unit", stopped(), "player_not_running", "menu-player run"),
    ("stopped before it was paired", replace(UNPAIRED, standstill=Standstill(is_paired=False)), "player_not_running",
     "shows its code when"),
    ("not staying up", stopped(unit=Unit(active="activating", restarts="7", status="1")), "player_fails", "7 times"),
    ("nothing to draw on", stopped(runs=None, has_session=False), "no_display_session", "cage"),
    ("page off", stopped(runs=True, is_page_off=True), "page_off", "switched off"),
    ("page's port taken", stopped(runs=True, answers=True, port=8085), "page_port_taken", "(8085)"),
    ("page that does not answer", stopped(runs=True, has_session=False), "page_silent", "Wait a minute"),
    ("no rights", stopped(runs=None, hidden=("/var/lib/menu-player",)), "no_rights", "sudo"),
    ("no screen", replace(HEALTHY, faults=(Rejection(code="no_screen", subject="display", detail="none"),)),
     "no_screen", "Switch the screen on"),
    ("a scene that cannot be drawn",
     replace(HEALTHY, faults=(Rejection(code="scene_fails", subject="scn_1", detail="x", name="Lunch"),)),
     "scene_fails", "“Lunch”"),
    ("read-only", replace(HEALTHY, health=READ_ONLY), "disk_read_only", "worn out"),
    ("read-only, by what the disk says", rejected("disk_read_only", "Read-only file system"), "disk_read_only", "worn"),
    ("read-only at the start",
     replace(rejected("state_in_memory", "it cannot be written (Read-only file system)"), health=READ_ONLY),
     "state_in_memory", "write-protected"),
    ("another user's folder", rejected("state_in_memory", "it cannot be written (Permission denied)"),
     "state_in_memory", "belongs to the player's user"),
    ("full", replace(HEALTHY, health=FULL), "disk_full", "0 MB are free"),
    ("no more files", replace(HEALTHY, health=replace(WELL, disk_free_files=0)), "disk_full", "no more files"),
    ("full, by what the disk says", rejected("disk_full"), "disk_full", "larger card"),
    ("failing", rejected("disk_failing", "Input/output error"), "disk_failing", "Replace the card"),
    ("failing, and so read-only",
     rejected("disk_failing", "Input/output error", state=replace(HEALTHY, health=READ_ONLY)),
     "disk_failing", "Input/output error. Replace the card"),
    ("failing, and nobody has written", replace(HEALTHY, health=FAILING), "disk_failing", "protected itself"),
    ("failing at the start", rejected("state_in_memory", state=replace(HEALTHY, health=FAILING)),
     "state_in_memory", "fails when it is read or written. The board goes on from memory"),
    ("full, and so a picture is missing", replace(lacking({SHA: "No space left on device"}), health=FULL),
     "disk_full", "larger card"),
    ("read-only, and so nothing of the new version is here",
     replace(rejected("disk_read_only", "x"), staged=staged(remaining=3, missing={SHA: "Read-only file system"})),
     "disk_read_only", "write-protected"),
    ("a version that does not fit", rejected("no_room", "9 bytes are to be downloaded, and the disk has room for 1"),
     "no_room", "The version that shows goes on."),
    ("a first version that does not fit", rejected("no_room", "the disk has room for 1", state=NEW),
     "no_room", "the screen shows no menu"),
    ("a playlist that is taken off, while its scenes show",
     replace(HEALTHY, staged=replace(staged(takes_over_at=NOW + timedelta(seconds=40)), key=None, unpublished="")),
     "no_playlist", "13:00"),
    ("a playlist that was never published, while the scenes of another one show",
     replace(HEALTHY, staged=replace(staged(), key=None, unpublished="Draft")), "never_published", "“Draft”, which"),
    ("damaged on the disk, and no connection",
     replace(rejected("asset_damaged", subject=SHA, state=lacking({SHA: "no connection"})), contact=failing()),
     "files_damaged", "1 picture or film on the device's disk is damaged. In “Breakfast”."),
    ("nearly full", replace(HEALTHY, health=replace(WELL, disk_free_bytes=disk.DISK_LOW_BYTES - 1)),
     "disk_low", "511 MB are free"),
    ("unreachable", replace(HEALTHY, contact=failing()), "connection_no_connection", "menus.example.com"),
    ("unreachable, the clock unknown for it",
     replace(HEALTHY, contact=failing(), clock=ClockState()), "connection_no_connection", "network cable"),
    ("cable out", probed(Step.LINK, ConnectionFault.NO_CABLE), "connection_no_cable", "Push the cable in"),
    ("a cable that comes and goes, and is in", replace(HEALTHY, links_lost=lost(20, 40, 60)),
     "connection_unstable", "3 times in the last minutes"),
    ("a cable that comes and goes, and is out",
     replace(probed(Step.LINK, ConnectionFault.NO_CABLE), links_lost=lost(4, 24, 44)), "connection_unstable", "clicks"),
    ("a cable that came and went, and is out for good",
     replace(probed(Step.LINK, ConnectionFault.NO_CABLE), links_lost=lost(61, 80, 100)),
     "connection_no_cable", "Push the cable in"),
    ("a cable that was out", replace(HEALTHY, contact=Contact(last_answer_at=NOW), links_lost=lost(20)),
     "connection_unstable", "is back"),
    ("cable out, nothing known of the time", replace(probed(Step.LINK, ConnectionFault.NO_CABLE), clock=ClockState()),
     "connection_no_cable", "Push the cable in"),
    ("cable out, files missing", replace(lacking({SHA: "no connection"}), contact=failing(),
     connection=probed(Step.LINK, ConnectionFault.NO_CABLE).connection), "connection_no_cable", "cable"),
    ("cable out before the first menu",
     house(HouseReason.WAITING_FOR_PROGRAM, state=probed(Step.LINK, ConnectionFault.NO_CABLE, state=NEW)),
     "connection_no_cable", "cable"),
    ("cable out before pairing", probed(Step.LINK, ConnectionFault.NO_CABLE, state=UNPAIRED),
     "connection_no_cable", "cable"),
    ("a certificate that has run out", probed(Step.TLS, ConnectionFault.CERTIFICATE_EXPIRED),
     "connection_certificate_expired", "new certificate"),
    ("a certificate, by a wrong clock",
     replace(probed(Step.TLS, ConnectionFault.CLOCK_WRONG), clock=ClockState()), "connection_clock_wrong", "NTP"),
    ("a certificate, by a wrong clock, not paired",
     replace(probed(Step.TLS, ConnectionFault.CLOCK_WRONG, state=UNPAIRED), clock=ClockState()),
     "connection_clock_wrong", "NTP"),
    ("a certificate that has run out, not paired, and no time server",
     replace(probed(Step.TLS, ConnectionFault.CERTIFICATE_EXPIRED, state=UNPAIRED), clock=ClockState()),
     "connection_certificate_expired", "new certificate"),
    ("a certificate by a clock that was right",
     replace(probed(Step.TLS, ConnectionFault.CLOCK_WRONG), clock=ClockState(trust=Trust.CORRECTED,
                                                                             offset=timedelta(hours=9))),
     "connection_clock_wrong", "NTP"),
    ("slow", replace(HEALTHY, contact=failing(Trouble.TIMEOUT)), "connection_slow", "so slow"),
    ("slow, and now and then a call is answered",
     replace(probed(Step.HTTP, ConnectionFault.SLOW), contact=Contact(last_answer_at=NOW)),
     "connection_slow", "so slow"),
    ("a log-in page", replace(HEALTHY, contact=failing(Trouble.CAPTIVE_PORTAL)), "connection_portal", "guest network"),
    ("nonsense", replace(HEALTHY, contact=failing(Trouble.GARBAGE)), "connection_not_understood", "not understand"),
    ("a fault of the service",
     replace(HEALTHY, contact=failing(Trouble.FAULT, detail="it answers 500", fault=ConnectionFault.SERVICE_FAILS)),
     "connection_service_fails", "It answers 500"),
    ("nothing at the path that is set, not paired",
     replace(UNPAIRED, contact=failing(Trouble.FAULT, call=Call.PAIRING, fault=ConnectionFault.WRONG_PATH)),
     "connection_wrong_path", "Correct the address"),
    ("too many calls", replace(HEALTHY, contact=failing(Trouble.FAULT, detail="it answers 429")),
     "connection_service_declines", "It answers 429"),
    ("a proxy that asks who it is",
     replace(HEALTHY, contact=failing(Trouble.IN_BETWEEN, fault=ConnectionFault.PROXY_SIGN_IN)),
     "connection_proxy_sign_in", "user and a password"),
    ("another site", replace(HEALTHY, contact=failing(Trouble.IN_BETWEEN)), "connection_not_the_service", "answers at"),
    ("a file that the service has lost, and all else well",
     replace(lacking({SHA: "it answers 404"}), contact=failing(Trouble.FAULT, call=Call.ASSET, subject=SHA)),
     "files_missing", "it answers 404"),
    ("refused, not confirmed yet", replace(HEALTHY, contact=failing(Trouble.REFUSED)), "screen_refused", "accept"),
    ("removed", replace(HEALTHY, pairing=PairingFacts(phase=PairingPhase.WAITING, code=CODE, refusal=Refusal.REVOKED)),
     "screen_refused", "7 days"),
    ("unknown", replace(HEALTHY, pairing=PairingFacts(refusal=Refusal.UNKNOWN)), "screen_refused", "older backup"),
    ("credentials lost", replace(HEALTHY, pairing=PairingFacts(phase=PairingPhase.WAITING, code=CODE)),
     "pairing_lost", "WDJ-BMJ"),
    ("a card of another device",
     replace(HEALTHY, pairing=PairingFacts(phase=PairingPhase.WAITING, code=CODE, from_another_device=True)),
     "copied_card", "WDJ-BMJ"),
    ("two devices", replace(HEALTHY, pairing=replace(HEALTHY.pairing, two_devices=True)), "two_devices", "one card"),
    ("not paired", replace(UNPAIRED, pairing=PairingFacts(phase=PairingPhase.WAITING, code=CODE)),
     "not_paired", "enter WDJ-BMJ"),
    ("not paired, no code yet", UNPAIRED, "not_paired", "within seconds"),
    *((f"an enrolment token: {refusal}",
       replace(UNPAIRED, pairing=PairingFacts(phase=PairingPhase.WAITING, code=CODE, enrolment=refusal)),
       "enrolment_refused", "enter WDJ-BMJ") for refusal in EnrolmentRefusal),
    ("no menu comes", house(HouseReason.WAITING_FOR_PROGRAM, state=NEW), "no_menu_yet", "not received"),
    ("no playlist", house(HouseReason.NO_PLAYLIST, state=replace(NEW, location=HEALTHY.location)),
     "no_playlist", "Assign a playlist"),
    ("no playlist, as the service says",
     house(HouseReason.NO_PLAYLIST, state=replace(NEW, location=HEALTHY.location, unpublished="")),
     "no_playlist", "no playlist is assigned"),
    ("never published",
     house(HouseReason.NEVER_PUBLISHED, state=replace(NEW, location=HEALTHY.location, unpublished="Draft")),
     "never_published", "“Draft”"),
    ("an empty playlist", rejected("playlist_empty", "version 4 has no scenes"), "playlist_empty", "plays on"),
    ("an empty playlist and nothing before it",
     house(HouseReason.PLAYLIST_EMPTY, state=rejected("playlist_empty", "version 1 has no scenes", state=NEW)),
     "playlist_empty", "nothing to show"),
    ("every scene damaged", DAMAGED, "no_scene_can_show", "none of its widgets"),
    ("every file gone", ALL_FILES_GONE, "files_missing", "no scene can be shown"),
    ("all sold out",
     house(HouseReason.NOTHING_SHOWABLE, others=(entry("Lunch", WhyNot.SOLD_OUT),)),
     "all_sold_out", "sold out"),
    ("one scene's items sold out", replace(HEALTHY, showing=replace(
        HEALTHY.showing, others=(entry("Lunch", WhyNot.SOLD_OUT),))), "menu_sold_out", "“Lunch”"),
    ("one menu's items sold out", rejected("menu_empty", "no item of this menu can be had", subject="scn_1/w",
     name="Lunch"), "menu_sold_out", "n “Lunch”: no item"),
    ("no font, not paired", rejected("no_font", "no font is installed", subject="card/letters", state=UNPAIRED),
     "no_font", "boxes"),
    ("letters that no font has", rejected("letters_missing", "no font has 日", subject="scn_1/letters", name="Lunch"),
     "letters_missing", "n “Lunch”: no font has 日"),
    ("a film that is not decoded", rejected("video_stalled", "the film “film” is coded as AV1, 320 × 180: none of it"
     " could be decoded here", subject="scn_1/film", name="Lunch"), "film_fails", "n “Lunch”: the film “film”"),
    ("nothing scheduled today any more",
     house(HouseReason.NOTHING_SCHEDULED, next_scheduled=NOW + timedelta(hours=4)), "nothing_scheduled", "at 17:00."),
    ("nothing scheduled until Monday",
     house(HouseReason.NOTHING_SCHEDULED, next_scheduled=datetime(2026, 11, 23, 5, 30, tzinfo=UTC)),
     "nothing_scheduled", "at Monday 23 November at 06:30."),
    ("nothing scheduled ever", house(HouseReason.NOTHING_SCHEDULED), "nothing_scheduled", "nor at any time"),
    ("a damaged scene", rejected("scene_bad", "none of its widgets can be drawn", subject="scn_1", name="Breakfast"),
     "scenes_rejected", "cene “Breakfast”: none of its widgets"),
    ("an item", rejected("item_bad", '"price" is negative', subject="itm_" + "0" * 32, name="Flat white"),
     "parts_rejected", "tem “Flat white”: \"price\" is negative"),
    ("a menu of many pages",
     rejected("menu_continues", "9 pages, of which one showing has time for 3", subject="scn_1/w", name="Lunch"),
     "menu_continues", "n “Lunch”: 9 pages"),
    ("colours that could hardly be read",
     rejected("contrast_low", "names and texts in #222222 on #111111", subject="scn_1/w", name="Lunch"),
     "contrast_low", "n “Lunch”: names and texts in #222222"),
    ("items without a name in a language",
     rejected("translation_missing", "“Soup”: no name in English (en)", subject="scn_1/w/languages/en", name="Lunch"),
     "translation_missing", "n “Lunch”: “Soup”: no name in English"),
    ("values that are not there",
     rejected("value_missing", "no current value of “soup”", subject="scn_1/w", name="Lunch"),
     "value_missing", "n “Lunch”: no current value of “soup”"),
    ("a widget", rejected("widget_unknown", 'no widget of type "orbit"', subject="scn_1/w", name="Lunch"),
     "parts_rejected", "n “Lunch”: no widget of type"),
    ("a picture missing", lacking({SHA: "it answers 404"}), "files_missing", "n “Breakfast”: it answers 404"),
    ("a file of the new version that the service has lost",
     replace(HEALTHY, staged=staged(remaining=1, missing={SHA: "it answers 404"})), "files_failing", "11 of 12"),
    ("a slow line", replace(HEALTHY, staged=staged(remaining=9)), "files_on_their_way", "3 of 12"),
    ("a version that waits for its turn",
     replace(HEALTHY, staged=staged(takes_over_at=NOW + timedelta(minutes=40))), "version_waits", "13:40"),
    ("an older menu", rejected("manifest_older", "If it sends nothing newer", subject="manifest"),
     "older_menu", "restored"),
    ("another service", rejected("other_service", "they are for http://a", subject="credentials", state=UNPAIRED),
     "other_service", "http://a"),
    ("another service, which shows another certificate",
     rejected("other_service", "they are for http://a", subject="credentials",
              state=probed(Step.TLS, ConnectionFault.CERTIFICATE_WRONG_NAME, state=UNPAIRED)),
     "other_service", "http://a"),
    ("another service, and no cable",
     rejected("other_service", "they are for http://a", subject="credentials",
              state=probed(Step.LINK, ConnectionFault.NO_CABLE, state=UNPAIRED)), "connection_no_cable", "cable"),
    ("a price not on the glass", replace(HEALTHY, revision=8), "change_not_shown", "12:57"),
    ("no time", replace(HEALTHY, clock=ClockState()), "clock_unknown", "NTP"),
    ("a corrected clock", replace(HEALTHY, clock=ClockState(trust=Trust.CORRECTED, offset=timedelta(hours=-1))),
     "clock_corrected", "1 hour fast"),
    ("synchronised and an hour off", replace(HEALTHY, clock_differs=timedelta(hours=1)), "clock_differs", "hour slow"),
    ("an unknown zone",
     rejected("timezone_unknown", "the zone Mars/Base is not known", state=replace(
         HEALTHY, location=Location(id="l", name="Café", timezone="UTC", currency="EUR", locale="de", rotation=0))),
     "zone_unknown", "“Café”"),
    ("a worn card, over which all comes late",
     replace(HEALTHY, health=replace(WELL, disk_sync_seconds=5.2), staged=staged(remaining=9)),
     "disk_slow", "5 seconds"),
    ("a location in another zone than somebody set on the device",
     replace(HEALTHY, device=replace(HEALTHY.device, zone="America/New_York")), "zone_differs", "13:00"),
    ("memory", replace(HEALTHY, health=replace(WELL, memory_available_bytes=machine.MEMORY_LOW_BYTES - 1)),
     "memory_low", "63 MB"),
    ("died for want of memory", replace(HEALTHY, crashes=1, health=replace(WELL, memory_kills=1)), "restarted",
     "because memory ran out"),
    ("a limit of the memory",
     replace(HEALTHY, health=replace(WELL, memory_available_bytes=10 * 1024**2, memory_limit_bytes=256 * 1024**2)),
     "memory_low", "10 MB of the 256 MB are left. Raise the limit"),
    ("heat", replace(HEALTHY, health=replace(WELL, temperature_celsius=machine.HOT_CELSIUS)), "hot", "80 °C"),
    ("heat, and so slower",
     replace(HEALTHY, health=replace(WELL, temperature_celsius=90.0, throttled=True)), "hot", "90 °C"),
    ("slowed down", replace(HEALTHY, health=replace(WELL, throttled=True)), "throttled", "power supply"),
    ("a weak power supply", replace(HEALTHY, health=replace(WELL, throttled=True, under_voltage=True)),
     "under_voltage", "enough power"),
    ("a screen that fell back to a coarse picture", replace(HEALTHY, glass=Glass(width=640, height=480, hertz=60.0)),
     "display_small", "640 × 480"),
    ("a small screen", replace(HEALTHY, glass=Glass(width=1024, height=600)), "display_small", "1024 × 600"),
    ("half pictures",
     replace(HEALTHY, glass=Glass(width=1920, height=1080), health=replace(WELL, display_mode="1920x1080i")),
     "display_interlaced", "1920x1080i"),
    ("a slow screen", replace(HEALTHY, glass=Glass(width=3840, height=2160, hertz=15.0)), "display_slow", "15 Hz"),
    ("an upright screen, scenes across",
     replace(HEALTHY, view=SCENE, glass=Glass(width=1080, height=1920, upright=True)), "display_turned", "upright"),
    ("a screen turned back by its location",
     replace(HEALTHY, view=SCENE, glass=Glass(width=1920, height=1080, upright=True)), "display_turned", "1920 × 1080"),
    ("frames that come late", replace(HEALTHY, frames_late=True), "frames_late", "jerk"),
    ("a weak Wi-Fi", replace(HEALTHY, wifi_signal=POOR_SIGNAL), "wifi_weak", "-78 dBm"),
    ("a weak Wi-Fi, and calls that fail",
     replace(HEALTHY, contact=failing(Trouble.TIMEOUT), wifi_signal=-83),
     "connection_wifi_weak", "-83 dBm"),
    ("a bad setting", rejected("setting_bad", "config.toml: rotate: 'x' is none of 0", subject="settings"),
     "setting_bad", "rotate"),
    ("a boot file with a mistake",
     rejected("boot_file_bad", "menu-player.toml, line 4: rotate: 45 is none of 0", subject="menu-player.toml, line 4"),
     "boot_file_bad", "rotate"),
    ("secrets on a boot partition that is write-protected",
     rejected("boot_file_readable", "", subject="menu-player.toml"),
     "boot_file_readable", "write-protected"),
    ("a page without a port", rejected("page_port_taken", "another program has port 8085", subject="page"),
     "page_port_taken", "port 8085"),
    ("an authority's file that is not whole", rejected("ca_file_bad", "/etc/ca.pem: no whole certificates in PEM form"),
     "ca_file_bad", "ca.pem"),
    ("a part that fails", rejected("part_failed", "KeyError in downloads.py, line 150", subject="downloads"),
     "part_failed", "downloads.py"),
    ("a player that dies", replace(HEALTHY, crashes=3), "restarted", "died 3 times"),
    (
        "a version that failed",
        replace(
            HEALTHY,
            device=replace(HEALTHY.device, taken_back=TakenBack(version="0.3.0", why="the board does not start")),
        ),
        "update_taken_back",
        "Version 0.3.0 of the player did not work",
    ),
    ("a player that has died once", replace(HEALTHY, crashes=1), "restarted", "died once"),
    ("damage on the disk", rejected("state_corrupt", "a checksum is wrong; nothing is lost", subject="clock"),
     "state_damaged", "power cut"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("state", "code", "says"), [case[1:] for case in CASES], ids=[case[0].replace(" ", "_") for case in CASES]
)
def test_each_fault_is_the_first_finding(state: PlayerState, code: str, says: str) -> None:
    finding = first(state)
    assert finding.code == code
    assert says in f"{finding.what} {finding.why} {finding.do}"


HEALTHY_STATES = {
    "a board that plays": HEALTHY,
    "nothing measured": replace(HEALTHY, health=Health()),
    "a clock that is right without a time server": replace(
        HEALTHY, clock=ClockState(trust=Trust.CORRECTED, offset=timedelta(seconds=3))
    ),
    "a version that takes over in a minute": replace(HEALTHY, staged=staged(takes_over_at=NOW + timedelta(seconds=59))),
    "a version whose files are coming": replace(HEALTHY, staged=staged(remaining=5, since=NOW - timedelta(seconds=5))),
    "a test of the connection that found all well": replace(
        HEALTHY, connection=ConnectionTest(at=NOW, steps=tuple(StepResult(step=step, passed=True) for step in Step))
    ),
    "an outage that is over": replace(probed(Step.LINK, ConnectionFault.NO_CABLE), contact=Contact(last_answer_at=NOW)),
    "a cable that came and went minutes ago": replace(HEALTHY, links_lost=lost(180, 190, 200, 210)),
    "a cable that was out a minute ago": replace(HEALTHY, contact=Contact(last_answer_at=NOW), links_lost=lost(60, 70)),
    "a cable that has just gone, untested": replace(
        HEALTHY, contact=Contact(last_answer_at=NOW - timedelta(seconds=3)), links_lost=lost(2)
    ),
    "a whole screen": replace(HEALTHY, view=SCENE, glass=Glass(width=1920, height=1080, hertz=60.0)),
    "a screen whose rate is not known, and a small one": replace(HEALTHY, glass=Glass(width=1280, height=720)),
    "an upright screen without a scene": replace(HEALTHY, glass=Glass(width=1080, height=1920, upright=True)),
    "a squarish screen": replace(HEALTHY, view=SCENE, glass=Glass(width=1280, height=1280, upright=False)),
    "a film's rate": replace(HEALTHY, glass=Glass(width=1920, height=1080, hertz=23.98)),
    "a fair Wi-Fi": replace(HEALTHY, wifi_signal=POOR_SIGNAL + 1),
    "paired anew with another service": rejected("other_service", "they are for http://a", subject="credentials"),
    "a gauge at its bound": replace(
        HEALTHY,
        health=replace(
            WELL,
            disk_free_bytes=disk.DISK_LOW_BYTES,
            memory_available_bytes=machine.MEMORY_LOW_BYTES,
            temperature_celsius=machine.HOT_CELSIUS - 0.1,
        ),
    ),
}


@pytest.mark.parametrize("state", HEALTHY_STATES.values(), ids=[name.replace(" ", "_") for name in HEALTHY_STATES])
def test_a_healthy_board_has_no_finding(state: PlayerState) -> None:
    assert diagnose(state) == ()
    assert diagnose(replace(state, found=diagnosed(state).found)) == ()


@pytest.mark.parametrize("fault", ConnectionFault)
def test_every_fault_of_the_connection_is_told_at_once_and_by_its_own_words(fault: ConnectionFault) -> None:
    state = probed(Step.TCP, fault, evidence="it said so")
    just_begun = replace(state, contact=failing(seconds=594))
    for each in (state, just_begun):
        found = diagnose(each)
        # A service that restarts, and a connection that is cut once, pass by themselves.
        passing = f"connection_{fault}" in PASSING
        assert [finding.code for finding in found] == ([] if passing else [f"connection_{fault}"])
    finding = first(state)
    assert finding.why.startswith("It said so.")
    assert finding.do.endswith(".")
    assert "{" not in finding.what + finding.do.replace("{user", "")


def test_an_outage_of_seconds_that_nothing_has_tested_is_no_finding_and_a_lasting_one_is() -> None:
    state = replace(HEALTHY, contact=failing(seconds=1))
    state = replace(state, found=diagnosed(state).found)
    assert diagnose(state) == ()
    late = replace(state, at=state.at + timedelta(seconds=UNTESTED_SECONDS))
    assert [finding.code for finding in diagnose(late)] == ["connection_no_connection"]


def test_a_test_of_an_earlier_outage_says_nothing_of_this_one() -> None:
    answered = replace(failing(seconds=20), last_answer_at=NOW - timedelta(seconds=30))
    state = replace(probed(Step.LINK, ConnectionFault.NO_CABLE), contact=answered)
    assert first(state).code == "connection_no_connection"


def test_an_outage_with_nothing_to_show_is_a_fault_and_with_a_menu_a_warning() -> None:
    assert first(replace(NEW, contact=failing())).severity is Severity.FAULT
    assert first(replace(HEALTHY, contact=failing())).severity is Severity.WARNING


@pytest.mark.parametrize(
    ("state", "alone"),
    [
        (replace(lacking({SHA: "x"}, replace(HEALTHY, health=FULL)), staged=staged(remaining=2)), "disk_full"),
        (replace(DAMAGED, staged=None), "no_scene_can_show"),
        (
            replace(probed(Step.TLS, ConnectionFault.CERTIFICATE_EXPIRED), clock=ClockState()),
            "connection_certificate_expired",
        ),
        (replace(probed(Step.LINK, ConnectionFault.NO_CABLE), clock=ClockState()), "connection_no_cable"),
        (replace(UNPAIRED, clock=ClockState()), "not_paired"),
        (house(HouseReason.WAITING_FOR_PROGRAM, state=replace(NEW, contact=failing())), "connection_no_connection"),
    ],
)
def test_what_follows_from_a_finding_is_not_told_beside_it(state: PlayerState, alone: str) -> None:
    assert [finding.code for finding in told(state)] == [alone]


HOUSE_CARDS = {
    "damaged files": rejected("asset_damaged", subject=SHA, state=ALL_FILES_GONE),
    "files": ALL_FILES_GONE,
    "scenes": DAMAGED,
    "no schedule that holds": house(HouseReason.NOTHING_SCHEDULED),
    "scenes that wait for the time": house(HouseReason.NOTHING_SCHEDULED, state=replace(HEALTHY, clock=ClockState())),
    "no playlist": house(HouseReason.NO_PLAYLIST, state=NEW),
    "no room": rejected("no_room", "x", state=house(HouseReason.NOTHING_SHOWABLE, state=lacking({SHA: "x"}))),
    "no menu": house(HouseReason.WAITING_FOR_PROGRAM, state=NEW),
}
BESIDE: dict[str, dict[str, Any]] = {
    "nothing": {},
    "no connection": {"contact": failing()},
    "no cable": {"contact": failing(), "connection": probed(Step.LINK, ConnectionFault.NO_CABLE).connection},
    "a wrong clock": {"clock": ClockState(trust=Trust.CORRECTED, offset=timedelta(hours=-1))},
    "no time": {"clock": ClockState()},
    "heat": {"health": replace(WELL, temperature_celsius=90.0)},
    "a full disk": {"health": FULL},
    "lost credentials": {"pairing": PairingFacts(phase=PairingPhase.WAITING, code=CODE)},
}


@pytest.mark.parametrize("beside", BESIDE.values(), ids=BESIDE)
@pytest.mark.parametrize("card", HOUSE_CARDS.values(), ids=HOUSE_CARDS)
def test_a_house_card_has_a_fault_first_that_says_why(card: PlayerState, beside: dict[str, Any]) -> None:
    assert first(replace(card, **beside)).severity is Severity.FAULT


def test_no_two_findings_follow_from_each_other_and_of_any_some_one_is_told() -> None:
    causes = {code: beside for layer in LAYERS for code, beside in layer.items()}
    assert len(causes) == sum(map(len, LAYERS))
    codes = sorted(causes.keys() | frozenset[str]().union(*causes.values()))
    # What the table says holds: none of it is of a later layer.
    assert {(code, each) for code in codes for each in codes if follows(code, each)} == {
        (code, cause) for code, beside in causes.items() for cause in beside
    }
    for some in chain(combinations(codes, 2), combinations(codes, 3)):
        assert any(not any(follows(each, cause) for cause in some) for each in some), some


def test_notes_come_last_and_a_gap_in_the_schedule_is_one() -> None:
    gap = house(HouseReason.NOTHING_SCHEDULED, next_scheduled=NOW + timedelta(hours=4))
    assert first(gap).severity is Severity.NOTE
    found = told(replace(gap, health=replace(WELL, temperature_celsius=90.0)))
    assert [finding.code for finding in found] == ["hot", "nothing_scheduled"]


def test_a_finding_keeps_the_time_since_which_it_is_there() -> None:
    hot = replace(HEALTHY, health=replace(WELL, temperature_celsius=85.0))
    before = replace(hot, found=diagnosed(hot).found)
    later = replace(before, at=NOW + timedelta(minutes=9))
    (finding,) = diagnose(replace(later, found=diagnosed(later).found))
    assert finding.since == NOW
    cooled = replace(later, health=WELL)
    assert diagnosed(cooled).found == {}


@pytest.mark.parametrize(
    ("well", "between"),
    [
        ({"temperature_celsius": machine.COOL_CELSIUS - 0.1}, {"temperature_celsius": machine.COOL_CELSIUS}),
        ({"memory_available_bytes": machine.MEMORY_WELL_BYTES}, {"memory_available_bytes": machine.MEMORY_LOW_BYTES}),
        ({"disk_sync_seconds": 0.01}, {"disk_sync_seconds": disk.QUICK_SECONDS}),
        ({"disk_free_bytes": disk.DISK_WELL_BYTES}, {"disk_free_bytes": disk.DISK_LOW_BYTES}),
    ],
)
def test_a_gauge_that_swings_about_its_bound_makes_no_finding_come_and_go(
    well: dict[str, Any], between: dict[str, Any]
) -> None:
    (name,) = well
    bad = replace(HEALTHY, health=replace(WELL, **{name: 1000 if name == "temperature_celsius" else 5 * 1024**2}))
    found = diagnosed(bad).found
    assert len(found) == 1
    swung = replace(HEALTHY, health=replace(WELL, **between))
    assert diagnose(swung) == ()
    assert len(diagnose(replace(swung, found=found))) == 1
    assert diagnose(replace(HEALTHY, health=replace(WELL, **well), found=found)) == ()


def test_a_small_offset_of_the_clock_is_no_finding() -> None:
    small = timedelta(seconds=CLOCK_OFF_SECONDS - 1)
    assert told(replace(HEALTHY, clock_differs=small)) == ()
    assert told(replace(HEALTHY, clock=ClockState(trust=Trust.CORRECTED, offset=small))) == ()


def test_a_zone_of_the_same_time_is_no_finding() -> None:
    for zone in ("", "Europe/Paris", "Mars/Base"):
        assert told(replace(HEALTHY, device=replace(HEALTHY.device, zone=zone))) == ()
    unknown = replace(HEALTHY, clock=ClockState(), device=replace(HEALTHY.device, zone="Asia/Tokyo"))
    assert "zone_differs" not in {finding.code for finding in told(unknown)}


@pytest.mark.goes_beyond("MAX_NAMED")
def test_a_long_list_is_shortened() -> None:
    many = tuple(
        Rejection(code="item_bad", subject=f"itm_{number}", detail="no price", name=f"Dish {number}")
        for number in range(1000)
    )
    (finding,) = told(replace(HEALTHY, rejections=many))
    assert "1000 items" in finding.what
    assert "and 995 more" in finding.why
    assert len(finding.why) < 300


@pytest.mark.parametrize(
    "facts",
    [
        {"setting_faults": ("x",), "has_session": False},
        {"runs": None, "hidden": ("/var/lib/menu-player",)},
        {},
    ],
)
def test_without_a_player_nothing_is_said_to_be_unpaired(facts: dict[str, Any]) -> None:
    """Nobody can pair a screen that shows no code."""
    assert len(told(replace(stopped(is_paired=False, **facts), pairing=UNPAIRED.pairing, running=None))) == 1


def test_the_field_guide_lists_every_finding() -> None:
    page = (Path(__file__).parents[4] / "docs" / "field-guide.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    states = [case[1] for case in CASES]
    assert {finding.code for state in states for finding in told(state)} <= listed
    assert listed >= CONNECTION_CODES | DISPLAY.keys() | DISK_CODES


INNER_WORDS = re.compile(
    r"errno|revision|manifest|held poll|latency|etag|\bsha|[0-9a-f]{24}|\bEROFS|Traceback|\bpoll|heartbeat|staged"
    r"|\w+_\w{12,}|widget id|rejection",
    re.IGNORECASE,
)


@pytest.mark.parametrize("state", [case[1] for case in CASES], ids=[case[0].replace(" ", "_") for case in CASES])
def test_findings_are_sentences_without_inner_words(state: PlayerState) -> None:
    for finding in told(state):
        for text in (finding.what, finding.why, finding.do):
            assert not INNER_WORDS.search(text), text
        assert finding.what.endswith(".")
        assert finding.do.endswith(".")
        assert ".." not in finding.what + finding.why.replace("…", "") + finding.do


def test_what_other_parts_say_is_told_without_what_only_programs_can_use() -> None:
    state = replace(
        HEALTHY,
        contact=failing(detail=f"no connection: [Errno 111] Connection refused for sha256:{SHA} of scn_{'a' * 32}"),
    )
    assert first(state).why.startswith("No connection: Connection refused for … of ….")


@pytest.mark.parametrize("code", sorted(DISPLAY))
def test_every_fault_of_the_display_has_something_to_do(code: str) -> None:
    finding = first(replace(HEALTHY, faults=(Rejection(code=code, subject="display", detail="it is so"),)))
    assert (finding.code, finding.do != "") == (code, True)
    assert "{" not in finding.what


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-59.4, "59 seconds"),
        (59.7, "1 minute"),
        (3569.0, "59 minutes"),
        (3599.6, "1 hour"),
        (-3600.4, "1 hour"),
        (84_000.0, "23 hours"),
        (86_399.0, "1 day"),
    ],
)
def test_a_span_is_said_in_the_unit_that_it_comes_to(seconds: float, words: str) -> None:
    assert span(timedelta(seconds=seconds)) == words


def test_a_sentence_begins_with_a_capital_unless_it_is_a_name() -> None:
    assert sentence(phrase("{adapter} has no cable", adapter="eth0")) == "eth0 has no cable."
    assert sentence(phrase("{adapter} has no cable", adapter="it")) == "It has no cable."
