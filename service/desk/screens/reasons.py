"""Reasons why a board shows or does not, in sentences: the codes of moments and timetables."""

from datetime import date

from service.desk.times import when
from service.desk.words import Phrase, as_it_is, phrase
from service.schema.devices.moment import MomentOther, MomentUnshowable

_HOUSE = {
    "no_playlist": phrase("No playlist is given to it: it shows the card of the house."),
    "never_published": phrase("Its playlist was never published: it shows the card of the house."),
    "playlist_empty": phrase("Its playlist has no board: it shows the card of the house."),
    "nothing_scheduled": phrase("No board is due: it shows the card of the house."),
    "nothing_showable": phrase("Of what is due, nothing can be shown: it shows the card of the house."),
}
_UNSHOWABLE = {
    "unreadable": phrase("It cannot be read."),
    "refused": phrase("It cannot be drawn."),
    "file_missing": phrase("Its picture or film is missing."),
    "sold_out": phrase("Nothing on it can be had."),
    "without_values": phrase("The values that it tells are missing or too old."),
}


def house_in_words(reason: str | None) -> Phrase:
    """Describes why no board shows."""
    return _HOUSE.get(reason or "", _HOUSE["nothing_scheduled"])


def unshowable_in_words(why: MomentUnshowable | None) -> Phrase:
    return _UNSHOWABLE.get("" if why is None else why.why, _UNSHOWABLE["refused"])


def other_in_words(other: MomentOther, zone: str, day: date, *, language: str) -> Phrase:
    """Describes why a board does not show, and when it does."""
    at = None if other.next_at is None else when(other.next_at, zone, day, language=language)
    match other.reason:
        case "waiting":
            return phrase("Takes turns: again at {when}", when=at) if at else phrase("Takes turns")
        case "not_scheduled":
            return phrase("Its hours begin {when}", when=at) if at else phrase("Its hours do not come within a year")
        case "displaced":
            by = other.displaced_by or ""
            if at:
                return phrase("{name} shows in its place; back {when}", name=by, when=at)
            return phrase("{name} shows in its place", name=by)
        case "passed_over":
            return unshowable_in_words(other.unshowable)
        case "schedule_unreadable":
            return phrase("Its hours cannot be read.")
        case _:
            return as_it_is(other.detail)
