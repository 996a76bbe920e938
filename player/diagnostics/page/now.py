"""The top of the page: what is on the glass now, and whether anything is wrong; pure."""

from __future__ import annotations

from player.diagnostics.page.facts import Facts
from player.diagnostics.page.markup import Content, Html, join, name_of, tag
from player.diagnostics.page.parts import Mood, pairs, sign
from player.diagnostics.page.words import Times, duration
from player.domain.health import Finding, Severity
from player.domain.state import HouseReason, Kind, PairingPhase, PlayerState, Showing

HOUSE_WORDS = {
    HouseReason.WAITING_FOR_PROGRAM: "The screen is paired and waits for its first menu.",
    HouseReason.FETCHING: "The first menu is being fetched.",
    HouseReason.NO_PLAYLIST: "No playlist is assigned to this screen, or it has never been published.",
    HouseReason.NEVER_PUBLISHED: "The playlist of this screen has never been published.",
    HouseReason.PLAYLIST_EMPTY: "The playlist has no scenes.",
    HouseReason.NOTHING_SCHEDULED: "No scene is scheduled for this time.",
    HouseReason.NOTHING_SHOWABLE: "Scenes are scheduled, but none of them can be shown.",
}

MOODS = {Severity.FAULT: Mood.FAULT, Severity.WARNING: Mood.WARNING, Severity.NOTE: Mood.NOTE}


def headline(findings: tuple[Finding, ...]) -> Html:
    """One sentence: is it well, or what is wrong first?"""
    if findings:
        first = findings[0]
        rest = len(findings) - 1
        words: Content = join(
            sign(MOODS[first.severity], {"fault": "Fault", "warning": "Warning", "note": "Note"}[first.severity]),
            tag("span", tag("a", first.what, href="#findings"), f" And {rest} more." if rest else None),
        )
        return tag("p", words, cls=f"verdict {MOODS[first.severity]}")
    return tag("p", sign(Mood.GOOD), tag("span", "Nothing is wrong."), cls="verdict good")


def now(facts: Facts) -> Html:
    """The picture of the glass, and what it shows until when."""
    state = facts.state
    times = Times(state.at, state.location)
    shown = state.presented
    picture = tag(
        "figure",
        tag(
            "a",
            tag(
                "img",
                src=f"glass.png?{shown.serial}",
                alt=f"The screen now: {_what_shows(state)}",
                width=1920,
                height=1080,
                id="glass",
                decoding="async",
            ),
            href="glass.png",
            aria_label="Picture of the screen, full size",
        ),
        cls="glass",
    )
    return join(picture, tag("p", _what_shows_html(state), cls="lead"), pairs(_rows(state, times)))


def _rows(state: PlayerState, times: Times) -> list[tuple[str, Content]]:
    showing = state.showing
    rows: list[tuple[str, Content]] = []
    if showing.kind is Kind.SCENE:
        upcoming = _next(showing)
        rows += [
            ("Since", times.clock(showing.since, seconds=True) if showing.since else None),
            ("Until", times.clock(showing.until, seconds=True) if showing.until else "the menu changes"),
            ("Next", upcoming),
        ]
    elif showing.next_scheduled:
        rows.append(("Next scene", times.until(showing.next_scheduled)))
    code = state.pairing.code
    return rows if code is None else [*rows, ("Code", tag("strong", code.user_code))]


def _next(showing: Showing) -> Html | None:
    """The scene that follows: of those that wait, the one that is due when this one ends."""
    due = [other for other in showing.others if other.next_at is not None]
    first = min(due, key=lambda other: other.next_at or other.next_at, default=None)  # type: ignore[arg-type,return-value]
    if first is None or showing.until is None or first.next_at is None or first.next_at > showing.until:
        return tag("span", "the same scene again") if showing.until else None
    return name_of(first.scene_name)


def _what_shows(state: PlayerState) -> str:
    if not state.is_live:
        return "not what it should"
    match state.showing.kind:
        case Kind.SCENE:
            return f"the scene {state.showing.scene_name}"
        case Kind.HOUSE:
            return "the house card, with the time"
        case Kind.PAIRING:
            return "a code for pairing"
        case _:
            return "nothing yet"


def _what_shows_html(state: PlayerState) -> Html:
    showing = state.showing
    match showing.kind:
        case Kind.SCENE:
            return join(tag("strong", name_of(showing.scene_name or "A scene")), " is showing.")
        case Kind.HOUSE:
            why = HOUSE_WORDS[showing.house_reason] if showing.house_reason else ""
            return join("The house card is showing. ", why)
        case Kind.PAIRING:
            return join("The screen shows a code. Enter it in the menu service to pair this screen.")
        case _:
            return join("Nothing is showing yet.")


def pairing_words(state: PlayerState) -> str:
    """Whether the screen belongs to anybody."""
    match state.pairing.phase:
        case PairingPhase.PAIRED:
            return "Paired"
        case PairingPhase.WAITING:
            return "Waiting for somebody to enter its code"
        case _:
            return "Not paired"


def running_for(state: PlayerState) -> str:
    """How long the player has run."""
    return duration(state.at - state.device.started_at)
