"""Findings about what the board was given to show: playlist, scenes, items, files, changes."""

from __future__ import annotations

from collections.abc import Iterator

from player.domain.documents.manifest import Rejection
from player.domain.findings.finding import (
    Finding,
    Severity,
    Who,
    at_stake,
    plain,
    plays_on,
    quoted,
    seconds_since,
    sentence,
    some,
    spoken_time,
)
from player.domain.findings.texts import unshowable_text
from player.domain.playing.sync import ASSET_DAMAGED
from player.domain.state import HouseReason, Kind, OtherEntry, PairingPhase, PlayerState, StagedFacts, WhyNot
from player.domain.time.timeline import Reason
from player.domain.words.phrase import Phrase, phrase, phrases

BOUNDARY_SECONDS = 60.0
"""A new version that takes over within this time is no finding."""

CHANGE_SECONDS = 15.0
"""From a change's arrival on the board to its frame; later than this it is a finding."""

CATCHING_UP_SECONDS = 2.0
"""A glass that has shown a newer change within this time follows, however many are to come: a point of sale may send
hundreds."""

FIRST_MENU_SECONDS = 15.0
"""From a start without a menu to the finding that none comes."""


_PARTS = {
    "scene_bad": ("scene", "scenes"),
    "entry_bad": ("place in the playlist", "places in the playlist"),
    "item_bad": ("item", "items"),
    "modifier_bad": ("extra", "extras"),
    "variant_bad": ("variant", "variants"),
    "schedule_bad": ("schedule", "schedules"),
    "widget_bad": ("part of a scene", "parts of scenes"),
    "widget_unknown": ("part of a scene", "parts of scenes"),
    "widget_outside": ("part of a scene", "parts of scenes"),
}
"""Names of rejected parts, by the code of the rejection."""

_ELSEWHERE = frozenset(
    {
        "asset_lacking", ASSET_DAMAGED,
        "playlist_empty", "program_unshowable", "manifest_older", "timezone_unknown", "setting_bad",
        "boot_file_bad", "boot_file_readable",
        "state_corrupt", "state_in_memory", "no_room", "disk_full", "disk_read_only", "disk_failing", "disk_refused",
        "other_service", "asset_missing", "page_port_taken", "part_failed", "ca_file_bad", "menu_continues",
        "contrast_low", "translation_missing", "value_missing", "video_stalled", "menu_empty",
        "no_font", "letters_missing",
    }
)  # fmt: skip
"""Codes of rejections of which another finding tells, or which follow from what it tells."""


def of_house_card(state: PlayerState) -> Iterator[Finding]:
    """Why no scene shows: one finding, or none."""
    if state.pairing.phase is not PairingPhase.PAIRED and state.running is None:
        return
    showing, staged = state.showing, state.staged
    if staged is not None and staged.key is None:
        yield _taken_off(state, staged)
        return
    match showing.house_reason if showing.kind is Kind.HOUSE else None:
        case HouseReason.WAITING_FOR_PROGRAM:
            yield Finding(
                code="no_menu_yet",
                severity=Severity.FAULT,
                what=phrase("This screen is paired, but has not received its menu yet."),
                why=phrase("The service has not sent it."),
                do=phrase("Wait a minute. If it stays, restart the player; then tell whoever runs the service."),
                who=Who.SERVICE,
            )
        case HouseReason.NO_PLAYLIST:
            told = state.unpublished is not None
            yield Finding(
                code="no_playlist",
                severity=Severity.FAULT,
                what=phrase("There is nothing to show: no playlist is assigned to this screen.")
                if told
                else phrase("There is nothing to show: this screen has no playlist, or one that was never published."),
                why=phrase("The service says so.")
                if told
                else phrase("The service has sent a menu without a playlist."),
                do=phrase("Assign a playlist to this screen in the service, and publish it."),
                who=Who.OPERATOR,
            )
        case HouseReason.NEVER_PUBLISHED:
            yield Finding(
                code="never_published",
                severity=Severity.FAULT,
                what=phrase(
                    "There is nothing to show: the playlist {name} of this screen has never been published.",
                    name=quoted(state.unpublished or ""),
                ),
                why=phrase(
                    "A screen shows a playlist as it was last published. The service has sent no version of this one."
                ),
                do=phrase("Publish the playlist in the service, or assign another one to this screen."),
                who=Who.OPERATOR,
            )
        case HouseReason.NOTHING_SCHEDULED:
            yield _nothing_scheduled(state)
        case HouseReason.NOTHING_SHOWABLE:
            yield from _nothing_showable(state)
        case _:
            return


def _taken_off(state: PlayerState, staged: StagedFacts) -> Finding:
    """The screen has lost its playlist, and shows it until the end of the present round."""
    name, until = staged.unpublished, staged.takes_over_at
    return Finding(
        code="never_published" if name else "no_playlist",
        severity=Severity.FAULT,
        what=phrase(
            "The menu on the screen ends: the playlist {name}, which the screen has now, has never been published.",
            name=quoted(name),
        )
        if name
        else phrase("The menu on the screen ends: no playlist is assigned to this screen any more."),
        why=phrase("The service says so. The scenes of before show until {time}.", time=spoken_time(until, state))
        if until
        else phrase("The service says so."),
        do=phrase("Publish the playlist in the service, or assign another one to this screen.")
        if name
        else phrase("Assign a playlist to this screen in the service, and publish it."),
        who=Who.OPERATOR,
    )


def of_playlist(state: PlayerState) -> Iterator[Finding]:
    """A playlist that was published without a scene, or of which none can be shown."""
    playing_on = plays_on(state)
    for part in state.rejections:
        if part.code == "playlist_empty":
            yield Finding(
                code="playlist_empty",
                severity=at_stake(state),
                what=phrase("The playlist was published without a scene, so the version before it plays on.")
                if playing_on
                else phrase("The playlist was published without a scene, so there is nothing to show."),
                why=sentence(part.detail),
                do=phrase("Put a scene into the playlist, and publish it again."),
                who=Who.OPERATOR,
            )
        elif part.code == "program_unshowable":
            yield Finding(
                code="version_unshowable",
                severity=at_stake(state),
                what=phrase("No scene of the newest version can be shown, so the version before it plays on.")
                if playing_on
                else phrase("No scene of the newest version can be shown, so there is nothing to show."),
                why=sentence(part.detail),
                do=phrase("Correct the scenes that are named here, and publish again."),
                who=Who.OPERATOR,
            )
        elif part.code == "manifest_older":
            yield Finding(
                code="older_menu",
                severity=Severity.WARNING,
                what=phrase("The service has sent an older menu than the one that shows, which stays."),
                why=sentence(part.detail),
                do=phrase("Tell whoever runs the service: its database may have been restored from a backup."),
                who=Who.SERVICE,
            )
        elif part.code == "other_service" and state.pairing.phase is not PairingPhase.PAIRED:
            yield Finding(
                code="other_service",
                severity=Severity.FAULT,
                what=phrase("This device was paired with another service than the one that is set now."),
                why=sentence(part.detail),
                do=phrase("Set the former address of the service, or pair the device with the new one."),
            )


def of_waiting_version(state: PlayerState) -> Iterator[Finding]:
    """A new version that waits for the end of the loop."""
    staged = state.staged
    if staged is None or staged.key is None or staged.takes_over_at is None or state.running is None:
        return
    if (staged.takes_over_at - state.at).total_seconds() < BOUNDARY_SECONDS:
        return
    yield Finding(
        code="version_waits",
        severity=Severity.NOTE,
        what=phrase("A new version is here and takes over at {time}.", time=spoken_time(staged.takes_over_at, state)),
        why=phrase("It waits for the end of the present round of scenes."),
        do=phrase("Nothing needs to be done."),
        who=Who.NOBODY,
    )


def of_changes(state: PlayerState) -> Iterator[Finding]:
    """A change that has reached the board and is not on the glass."""
    shown = state.presented
    if state.revision is None or shown.kind is not Kind.SCENE or state.showing.kind is not Kind.SCENE:
        return
    if shown.revision == state.revision:
        return
    if shown.revised_at is not None and 0 <= seconds_since(shown.revised_at, state) < CATCHING_UP_SECONDS:
        return
    yield Finding(
        code="change_not_shown",
        severity=Severity.WARNING,
        what=phrase("The newest prices or sold-out dishes are on the device, but not on the screen."),
        why=phrase("They were changed at {time}.", time=spoken_time(state.revision_at, state))
        if state.revision_at
        else "",
        do=phrase("Restart the player. If it comes again, report it with the player's log."),
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
    first = gone or [part for part in parts if part.code == "item_bad"] or parts
    one, _ = _PARTS.get(first[0].code, ("part of the menu", ""))
    same = [part for part in parts if _PARTS.get(part.code, ("part of the menu",))[0] == one]
    # The worst kind gives the finding its name; the others are told beside it.
    yield Finding(
        code="scenes_rejected" if gone else "parts_rejected",
        severity=Severity.WARNING if running is not None or not gone else Severity.FAULT,
        what=_left_out(first[0].code, len(same), others=len(parts) - len(same)),
        why=told([*first, *(part for part in parts if part not in first)]),
        do=phrase("Correct what is named here in the service, and publish. The rest of the board plays on."),
        who=Who.OPERATOR,
    )


def of_long_menus(state: PlayerState) -> Iterator[Finding]:
    """Menus of more pages than one showing of their scene has time for."""
    if parts := named_parts(state, "menu_continues"):
        yield _note(
            parts,
            phrases(
                "{count} menu has more pages than its scene has time for; the next showing goes on from there.",
                "{count} menus have more pages than their scenes have time for; the next showing goes on from there.",
                count=len(parts),
            ),
            do=phrase("To show all of it at once, give the scene more time, or spread the menu over two scenes."),
        )


def of_colours(state: PlayerState) -> Iterator[Finding]:
    """Parts of scenes whose text has another colour than the theme's, which could hardly be read."""
    if parts := named_parts(state, "contrast_low"):
        yield _note(
            parts,
            phrases(
                "The colours of {count} part of a scene could hardly be read; the board draws stronger ones.",
                "The colours of {count} parts of scenes could hardly be read; the board draws stronger ones.",
                count=len(parts),
            ),
            do=phrase(
                "Nothing is missing on the board. To choose the colours yourself, change those that are named here."
            ),
        )


def of_languages(state: PlayerState) -> Iterator[Finding]:
    """Items without a name in a language that shows."""
    if parts := named_parts(state, "translation_missing"):
        yield _note(
            parts,
            phrase("Some items have no name in a language that a menu shows; they show as they are written."),
            do=phrase("Nothing is missing on the board. Give the items that are named here a name in that language."),
        )


def of_values(state: PlayerState) -> Iterator[Finding]:
    """Texts without lines that tell values, as these are not there or too old."""
    if parts := named_parts(state, "value_missing"):
        yield _note(
            parts,
            phrase("Some lines of texts are left out: the values that they tell are not there, or are too old."),
            do=phrase("Look at the program that sends these values to the service: it may have stopped."),
        )


def named_parts(state: PlayerState, code: str) -> list[Rejection]:
    """The rejected parts with this code."""
    return [part for part in state.rejections if part.code == code]


def _note(parts: list[Rejection], what: Phrase, *, do: Phrase) -> Finding:
    """A note for the operator on parts that have one code, which is the finding's too."""
    return Finding(code=parts[0].code, severity=Severity.NOTE, what=what, why=told(parts), do=do, who=Who.OPERATOR)


def _nothing_scheduled(state: PlayerState) -> Finding:
    instant = state.showing.next_scheduled
    if instant is None:
        return Finding(
            code="nothing_scheduled",
            severity=Severity.FAULT,
            what=phrase("No scene is scheduled now, nor at any time to come."),
            why=phrase("The schedules of the playlist and its scenes have ended, or never hold together."),
            do=phrase("Change the schedules, or add a scene without one, and publish."),
            who=Who.OPERATOR,
        )
    return Finding(
        code="nothing_scheduled",
        severity=Severity.NOTE,
        what=phrase("Nothing is scheduled now. The next scene shows at {time}.", time=spoken_time(instant, state)),
        why=phrase("The schedules of the playlist and its scenes leave this time free."),
        do=phrase("If something should show now, change a schedule, or add a scene without one."),
        who=Who.OPERATOR,
    )


def _nothing_showable(state: PlayerState) -> Iterator[Finding]:
    out = [each for each in state.showing.others if each.reason in (Reason.PASSED_OVER, Reason.SCHEDULE_UNREADABLE)]
    reasons = {other.unshowable.why if other.unshowable is not None else None for other in out}
    if reasons == {WhyNot.FILE_MISSING}:
        return  # The files are the cause, and a finding of their own.
    if reasons == {WhyNot.SOLD_OUT}:
        yield Finding(
            code="all_sold_out",
            severity=Severity.NOTE,
            what=phrase("Everything on the menu is sold out or removed, so no scene shows."),
            why=scenes_told(out),
            do=phrase("If that is wrong, make the items available again in the service."),
            who=Who.OPERATOR,
        )
        return
    yield Finding(
        code="no_scene_can_show",
        severity=Severity.FAULT,
        what=phrase("No scene can be shown, because each of them is damaged or empty."),
        why=scenes_told(out),
        do=phrase("Correct the scenes that are named here in the service, and publish."),
        who=Who.OPERATOR,
    )


def _left_out(code: str, count: int, *, others: int) -> Phrase:
    match code:
        case "scene_bad":
            parts = phrases("{count} scene", "{count} scenes", count=count)
        case "entry_bad":
            parts = phrases("{count} place in the playlist", "{count} places in the playlist", count=count)
        case "item_bad":
            parts = phrases("{count} item", "{count} items", count=count)
        case "modifier_bad":
            parts = phrases("{count} extra", "{count} extras", count=count)
        case "variant_bad":
            parts = phrases("{count} variant", "{count} variants", count=count)
        case "schedule_bad":
            parts = phrases("{count} schedule", "{count} schedules", count=count)
        case "widget_bad" | "widget_unknown" | "widget_outside":
            parts = phrases("{count} part of a scene", "{count} parts of scenes", count=count)
        case _:
            parts = phrases("{count} part of the menu", "{count} parts of the menu", count=count)
    if not others:
        return phrases(
            "{parts} cannot be used and is left out.",
            "{parts} cannot be used and are left out.",
            count=count,
            parts=parts,
        )
    more = phrases("{count} other part", "{count} other parts", count=others)
    return phrases(
        "{parts} cannot be used and is left out, and {more}.",
        "{parts} cannot be used and are left out, and {more}.",
        count=count,
        parts=parts,
        more=more,
    )


def scenes_told(others: list[OtherEntry]) -> str:
    """Scenes by their names, each with why it does not show."""
    reasons = [unshowable_text(each.unshowable) if each.unshowable is not None else each.detail for each in others]
    named = [
        phrase("{name}: {why}", name=quoted(other.scene_name), why=plain(why))
        for other, why in zip(others, reasons, strict=True)
    ]
    return sentence(some(named))


def told(parts: list[Rejection]) -> str:
    """Parts by their names, each with what is said of it."""
    return sentence(some([phrase("{name}: {why}", name=_name(part), why=plain(part.detail)) for part in parts]))


def _name(part: Rejection) -> str:
    if not part.name:
        return plain(part.subject) or _PARTS.get(part.code, ("",))[0]
    match part.code:
        case "scene_bad":
            return phrase("scene {name}", name=quoted(part.name))
        case "item_bad":
            return phrase("item {name}", name=quoted(part.name))
        case "modifier_bad":
            return phrase("extra {name}", name=quoted(part.name))
        case "variant_bad":
            return phrase("variant {name}", name=quoted(part.name))
        case _:
            return phrase("in {name}", name=quoted(part.name))
