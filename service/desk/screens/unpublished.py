"""Asks before a screen is assigned a playlist that was never published."""

from starlette.responses import Response

from service.desk.desk import Desk
from service.desk.visits import Visit
from service.desk.words import phrase


def asked_first(visit: Visit, desk: Desk, playlist: str, *, plays: str | None, back: str) -> Response | None:
    """Returns the question, which names what guests will see; None if the playlist has a version, or the user has
    confirmed.

    `plays` is the playlist that the screen plays.
    """
    playlists = desk.playlists(visit.access)
    given = playlists.get(playlist)
    if visit.is_sure or given is None or given.version > 0 or playlist == plays:
        return None
    kept = None if plays is None else playlists.get(plays)
    if kept is not None and kept.version > 0:
        seen = phrase(
            "Guests go on seeing {playlist} until {name} is published. The screen changes by itself then.",
            playlist=kept.name,
            name=given.name,
        )
    else:
        seen = phrase("Guests see a card with a clock and an address until {name} is published.", name=given.name)
    question = phrase("{name} was never published. Give it to the screen all the same?", name=given.name)
    return visit.ask(question, because=seen, yes=phrase("Give it to the screen"), back=back)
