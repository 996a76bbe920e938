"""The top of the page: what is on the glass now, and whether anything is wrong; pure."""

from __future__ import annotations

from player.domain.findings.diagnosis import Finding, Severity
from player.domain.state import HouseReason, Kind, PairingPhase, PlayerState, Showing
from player.domain.words.phrase import Phrase, phrase
from player.page.sections.facts import Facts
from player.page.sections.markup import Content, Html, join, name_of, tag
from player.page.sections.parts import Mood, pairs, sign
from player.page.sections.words import Times, told

HOUSE_WORDS = {
    HouseReason.WAITING_FOR_PROGRAM: phrase("The screen is paired and waits for its first menu."),
    HouseReason.FETCHING: phrase("The first menu is being fetched."),
    HouseReason.NO_PLAYLIST: phrase("No playlist is assigned to this screen, or it has never been published."),
    HouseReason.NEVER_PUBLISHED: phrase("The playlist of this screen has never been published."),
    HouseReason.PLAYLIST_EMPTY: phrase("The playlist has no scenes."),
    HouseReason.NOTHING_SCHEDULED: phrase("No scene is scheduled for this time."),
    HouseReason.NOTHING_SHOWABLE: phrase("Scenes are scheduled, but none of them can be shown."),
}

SEVERITIES = {Severity.FAULT: phrase("Fault"), Severity.WARNING: phrase("Warning"), Severity.NOTE: phrase("Note")}
MOODS = {Severity.FAULT: Mood.FAULT, Severity.WARNING: Mood.WARNING, Severity.NOTE: Mood.NOTE}


def headline(findings: tuple[Finding, ...]) -> Html:
    """Is it well, or what is wrong first, and what is to be done about it?"""
    if findings:
        first = findings[0]
        rest = len(findings) - 1
        words = tag(
            "div",
            tag(
                "p",
                tag("a", told(first.what), href="#findings"),
                join(" ", phrase("And {count} more.", count=rest)) if rest else None,
            ),
            tag("p", told(first.do), cls="do") if first.do else None,
        )
        return tag(
            "div",
            sign(MOODS[first.severity], SEVERITIES[first.severity]),
            words,
            cls=f"verdict {MOODS[first.severity]}",
        )
    return tag("p", sign(Mood.GOOD), tag("span", phrase("Nothing is wrong.")), cls="verdict good")


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
                src=f"glass.jpg?{shown.serial}",
                alt=phrase("The screen now: {what}", what=_what_shows(state)),
                width=1920,
                height=1080,
                id="glass",
                decoding="async",
            ),
            href="glass.png",
            aria_label=phrase("Picture of the screen, full size"),
        ),
        cls="glass",
    )
    return join(picture, tag("p", _what_shows_html(state), cls="lead"), pairs(_rows(state, times)))


def _rows(state: PlayerState, times: Times) -> list[tuple[Content, Content]]:
    showing = state.showing
    rows: list[tuple[Content, Content]] = []
    if showing.kind is Kind.SCENE:
        upcoming = _next(showing)
        rows += [
            (phrase("Since"), times.clock(showing.since, seconds=True) if showing.since else None),
            (
                phrase("Until"),
                times.clock(showing.until, seconds=True) if showing.until else phrase("the menu changes"),
            ),
            (phrase("Next"), upcoming),
        ]
    elif showing.next_scheduled:
        rows.append((phrase("Next scene"), times.until(showing.next_scheduled)))
    code = state.pairing.code
    return rows if code is None else [*rows, (phrase("Code"), tag("strong", name_of(code.user_code)))]


def _next(showing: Showing) -> Html | None:
    """The scene that follows: of those that wait, the one that is due when this one ends."""
    due = [other for other in showing.others if other.next_at is not None]
    first = min(due, key=lambda other: other.next_at or other.next_at, default=None)  # type: ignore[arg-type,return-value]
    if first is None or showing.until is None or first.next_at is None or first.next_at > showing.until:
        return tag("span", phrase("the same scene again")) if showing.until else None
    return name_of(first.scene_name)


def _what_shows(state: PlayerState) -> Phrase:
    if not state.is_live:
        return phrase("not what it should")
    match state.showing.kind:
        case Kind.SCENE:
            return phrase("the scene {name}", name=state.showing.scene_name or "")
        case Kind.HOUSE:
            return phrase("the house card, with the time")
        case Kind.PAIRING if state.pairing.code is None:
            return phrase("a card for pairing, without a code yet")
        case Kind.PAIRING:
            return phrase("a code for pairing")
        case _:
            return phrase("nothing yet")


def _what_shows_html(state: PlayerState) -> Content:
    showing = state.showing
    match showing.kind:
        case Kind.SCENE:
            name = name_of(showing.scene_name) if showing.scene_name else phrase("A scene")
            return phrase("{scene} is showing.", scene=tag("strong", name))
        case Kind.HOUSE:
            why = HOUSE_WORDS[showing.house_reason] if showing.house_reason else None
            return join(phrase("The house card is showing."), " ", why)
        case Kind.PAIRING if state.pairing.code is None:
            return phrase("The screen shows no code yet: the menu service has not given it one.")
        case Kind.PAIRING:
            return phrase("The screen shows a code. Enter it in the menu service to pair this screen.")
        case _:
            return phrase("Nothing is showing yet.")


def pairing_words(state: PlayerState) -> Phrase:
    """Whether the screen belongs to anybody."""
    stopped = state.standstill
    if stopped is not None and stopped.is_paired and state.pairing.phase is not PairingPhase.PAIRED:
        return phrase("not known")
    match state.pairing.phase:
        case PairingPhase.PAIRED:
            return phrase("Paired")
        case PairingPhase.WAITING:
            return phrase("Waiting for somebody to enter its code")
        case _:
            return phrase("Not paired")
