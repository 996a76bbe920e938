"""Findings about the board's content: playlist, scenes, items, files, changes."""

from __future__ import annotations

from collections.abc import Iterator

from menu.rules.timeline import OtherEntry, Reason, Unshowable, WhyNot
from menu.text.phrase import Phrase, phrase, phrases
from player.domain.finding import Finding, Severity, Who, quoted
from player.domain.findings.disk import DISK_CODES
from player.domain.findings.finding import explained, fault, finding, joined, note, plain, seconds_since, spoken_time
from player.domain.findings.rejected import TOLD, named_parts, told
from player.domain.playing.sync import ASSET_DAMAGED
from player.domain.recovery.fault_texts import unshowable_text
from player.domain.state import HouseReason, Kind, PairingPhase, PlayerState

CHANGE_SECONDS = 15.0
"""From a change's arrival on the board to its frame; later than this it is a finding."""

CATCHING_UP_SECONDS = 2.0
"""A glass that has shown a newer change within this time follows, however many are to come: a point of sale may send
hundreds."""

FIRST_MENU_SECONDS = 15.0
"""From a start without a menu to the finding that none comes."""


MENU_EMPTY = "menu_empty"
"""Code of the display's word on a menu without an item."""

_ELSEWHERE = (
    TOLD.keys()
    | DISK_CODES
    | {"asset_lacking", ASSET_DAMAGED, "timezone_unknown", "no_room", "part_failed", MENU_EMPTY}
)
"""Codes of rejections of which another finding tells, or which follow from what it tells."""


def of_house_card(state: PlayerState) -> Iterator[Finding]:
    """Explains why no scene is shown: one finding, or none."""
    if state.pairing.phase is not PairingPhase.PAIRED and state.running is None:
        return
    showing, staged = state.showing, state.staged
    if staged is not None and staged.key is None:
        until = staged.takes_over_at
        yield _no_playlist(
            staged.unpublished,
            phrase("The service says so. The scenes of before show until {time}.", time=spoken_time(until, state))
            if until
            else phrase("The service says so."),
        )
        return
    match showing.house_reason if showing.kind is Kind.HOUSE else None:
        case HouseReason.WAITING_FOR_PROGRAM:
            yield fault(
                "no_menu_yet",
                "This screen is paired, but has not received its menu yet.",
                "The service has not sent it.",
                "Wait a minute. If it stays, restart the player; then tell whoever runs the service.",
                who=Who.SERVICE,
            )
        case HouseReason.NO_PLAYLIST | HouseReason.NEVER_PUBLISHED:
            yield _no_playlist(state.unpublished)
        case HouseReason.NOTHING_SCHEDULED:
            yield _nothing_scheduled(state)
        case HouseReason.NOTHING_SHOWABLE:
            yield from _nothing_showable(state)
        case _:
            return


def _no_playlist(name: str | None, why: str | None = None) -> Finding:
    """Reports that the screen's playlist `name` was never published, or (empty) that it has none; None: the service
    does not say. `why` says until when the previous one is shown."""
    if name:
        what = (
            phrase(
                "There is nothing to show: the playlist {name} of this screen has never been published.",
                name=quoted(name),
            )
            if why is None
            else phrase(
                "The menu on the screen ends: the playlist {name}, which the screen has now, has never been published.",
                name=quoted(name),
            )
        )
    elif why is not None:
        what = phrase("The menu on the screen ends: no playlist is assigned to this screen any more.")
    elif name is not None:
        what = phrase("There is nothing to show: no playlist is assigned to this screen.")
    else:
        what = phrase("There is nothing to show: this screen has no playlist, or one that was never published.")
    told = phrase("The service says so.")
    return fault(
        "never_published" if name else "no_playlist",
        what,
        why or (told if name is not None else phrase("The service has sent a menu without a playlist.")),
        phrase("Publish the playlist in the service, or assign another one to this screen.")
        if name
        else phrase("Assign a playlist to this screen in the service, and publish it."),
        who=Who.OPERATOR,
    )


def of_waiting_version(state: PlayerState) -> Iterator[Finding]:
    """A new version that waits for the end of the loop."""
    staged = state.staged
    if staged is None or staged.key is None or staged.takes_over_at is None or state.running is None:
        return
    # A new version that takes over within a minute is no finding.
    if (staged.takes_over_at - state.at).total_seconds() < 60.0:
        return
    yield note(
        "version_waits",
        "A new version is here and takes over at {time}.",
        "It waits for the end of the present round of scenes.",
        "Nothing needs to be done.",
        who=Who.NOBODY,
        time=spoken_time(staged.takes_over_at, state),
    )


def of_overrides(state: PlayerState) -> Iterator[Finding]:
    """Overrides that replace the menu, or should."""
    for one in state.overrides:
        reason, until = plain(one.reason), spoken_time(one.until, state)
        if one.shows:
            yield note(
                "override_shows",
                "An override shows until {time}: {reason}.",
                "The operator has put it in place of the menu.",
                "Nothing needs to be done. It ends by itself, or when it is withdrawn in the service.",
                who=Who.NOBODY,
                time=until,
                reason=reason,
            )
        elif one.is_due:
            yield finding(
                "override_waits",
                phrase("An override should show until {time} and does not yet: {reason}.", time=until, reason=reason),
                explained((quoted(name), unshowable_text(why)) for name, why in one.waits_for)
                if one.waits_for
                else phrase("None of its scenes is scheduled now."),
                "Files are being fetched, which takes a moment. If it stays, check its scenes in the service.",
                who=Who.OPERATOR,
            )


def of_changes(state: PlayerState) -> Iterator[Finding]:
    """A change that has arrived but is not displayed."""
    shown = state.presented
    if state.revision is None or shown.kind is not Kind.SCENE or state.showing.kind is not Kind.SCENE:
        return
    if shown.revision == state.revision:
        return
    if shown.revised_at is not None and 0 <= seconds_since(shown.revised_at, state) < CATCHING_UP_SECONDS:
        return
    yield finding(
        "change_not_shown",
        "The newest prices or sold-out dishes are on the device, but not on the screen.",
        phrase("They were changed at {time}.", time=spoken_time(state.revision_at, state)) if state.revision_at else "",
        "Restart the player. If it comes again, report it with the player's log.",
    )


def of_parts(state: PlayerState) -> Iterator[Finding]:
    """Scenes, items and parts of them that were left out, and why."""
    running = state.running
    failing = {part.subject for part in state.faults}
    parts = [
        part
        for part in state.rejections
        if part.code not in _ELSEWHERE and part not in state.faults and part.subject not in failing
    ]
    if not parts:
        return
    gone = [part for part in parts if part.code in ("scene_bad", "entry_bad")]
    items = [part for part in parts if part.code == "item_bad"]
    # The worst kind gives the finding its name; the others are told beside it.
    first = gone or items or parts
    yield finding(
        "scenes_rejected" if gone else "parts_rejected",
        _left_out(first[0].code, len(first)),
        told([*first, *(part for part in parts if part not in first)]),
        "Correct what is named here in the service, and publish. The rest of the board plays on.",
        severity=Severity.WARNING if running is not None or not gone else Severity.FAULT,
        who=Who.OPERATOR,
    )


def _nothing_scheduled(state: PlayerState) -> Finding:
    instant = state.showing.next_scheduled
    if instant is None:
        return fault(
            "nothing_scheduled",
            "No scene is scheduled now, nor at any time to come.",
            "The schedules of the playlist and its scenes have ended, or never hold together.",
            "Change the schedules, or add a scene without one, and publish.",
            who=Who.OPERATOR,
        )
    return note(
        "nothing_scheduled",
        "Nothing is scheduled now. The next scene shows at {time}.",
        "The schedules of the playlist and its scenes leave this time free.",
        "If something should show now, change a schedule, or add a scene without one.",
        who=Who.OPERATOR,
        time=spoken_time(instant, state),
    )


def _nothing_showable(state: PlayerState) -> Iterator[Finding]:
    out = [each for each in state.showing.others if each.reason in (Reason.PASSED_OVER, Reason.SCHEDULE_UNREADABLE)]
    reasons = {other.unshowable.why if other.unshowable is not None else None for other in out}
    if reasons == {WhyNot.FILE_MISSING}:
        return  # The files are the cause, and a finding of their own.
    if reasons == {WhyNot.SOLD_OUT}:
        yield note(
            "all_sold_out",
            "Everything on the menu is sold out or removed, so no scene shows.",
            scenes_told(out),
            "If that is wrong, make the items available again in the service.",
            who=Who.OPERATOR,
        )
        return
    yield fault(
        "no_scene_can_show",
        "No scene can be shown, because each of them is damaged or empty.",
        scenes_told(out),
        "Correct the scenes that are named here in the service, and publish.",
        who=Who.OPERATOR,
    )


def of_sold_out(state: PlayerState) -> Iterator[Finding]:
    """Menus without an item, while something else is shown."""
    if state.showing.kind is not Kind.SCENE:
        return
    sold_out = Unshowable(WhyNot.SOLD_OUT)
    passed_over = [other for other in state.showing.others if other.unshowable == sold_out]
    names = {other.scene_name for other in passed_over}
    beside = [part for part in named_parts(state, MENU_EMPTY) if part.name not in names]
    if passed_over or beside:
        yield note(
            "menu_sold_out",
            phrases(
                "All items of {count} menu are sold out or removed, so nothing of it shows.",
                "All items of {count} menus are sold out or removed, so nothing of them shows.",
                count=len(passed_over) + len(beside),
            ),
            joined(scenes_told(passed_over) if passed_over else "", told(beside) if beside else ""),
            "If that is wrong, make the items available again in the service.",
            who=Who.OPERATOR,
        )


def _left_out(code: str, count: int) -> Phrase:
    match code:
        case "scene_bad" | "entry_bad":
            parts = phrases("{count} scene", "{count} scenes", count=count)
        case "item_bad":
            parts = phrases("{count} item", "{count} items", count=count)
        case _:
            parts = phrases("{count} part of the menu", "{count} parts of the menu", count=count)
    return phrases(
        "{parts} cannot be used and is left out.", "{parts} cannot be used and are left out.", count=count, parts=parts
    )


def scenes_told(others: list[OtherEntry]) -> str:
    """Lists scenes by name, each with why it is not shown."""
    return explained(
        (quoted(each.scene_name), each.detail if each.unshowable is None else unshowable_text(each.unshowable))
        for each in others
    )
