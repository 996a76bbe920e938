"""Top of the page: what is on the display now; pure."""

from __future__ import annotations

from operator import itemgetter

from menu.text.phrase import Phrase, phrase
from player.domain.finding import Severity
from player.domain.state import HouseReason, Kind, PairingPhase, PlayerState, Showing
from player.page.sections.words import Marked, name_of

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
_PAIRING = {
    PairingPhase.PAIRED: phrase("Paired"),
    PairingPhase.WAITING: phrase("Waiting for somebody to enter its code"),
}


def shown(state: PlayerState) -> Phrase:
    """Returns the sentence of the picture, also for those who do not see it."""
    match state.showing.kind:
        case Kind.SCENE:
            name = state.showing.scene_name
            scene = name_of(name) if name else phrase("A scene")
            return phrase("{scene} is showing.", scene=Marked(scene, "strong"))
        case Kind.HOUSE:
            return phrase("The house card is showing.")
        case Kind.PAIRING if state.pairing.code is None:
            return phrase("The screen shows no code yet: the menu service has not given it one.")
        case Kind.PAIRING:
            return phrase("The screen shows a code. Enter it in the menu service to pair this screen.")
        case _:
            return phrase("Nothing is showing yet.")


def upcoming(showing: Showing) -> Phrase | Marked | None:
    """Returns the scene that follows: of those that wait, the one that is due when this one ends."""
    due = [(other.next_at, other.scene_name) for other in showing.others if other.next_at is not None]
    if showing.until is None:
        return None
    at, name = min(due, key=itemgetter(0), default=(None, ""))
    return phrase("the same scene again") if at is None or at > showing.until else name_of(name)


def pairing_words(state: PlayerState) -> Phrase:
    """States whether the screen belongs to a workspace."""
    return _PAIRING.get(state.pairing.phase, phrase("Not paired"))
