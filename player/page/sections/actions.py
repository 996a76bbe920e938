"""Actions that are available on the page, with their words; pure."""

from __future__ import annotations

from msgspec import Struct

from menu.text.phrase import Phrase, phrase


class Action(Struct, frozen=True, kw_only=True):
    """An action: `name` is its name for the server, `done` the text shown once it has been requested. With a `warning`
    it has to be confirmed. It is in the section `where`."""

    name: str
    label: Phrase
    done: Phrase
    words: Phrase | None = None
    warning: Phrase | None = None
    where: str = "actions"


TEST = Action(
    name="test",
    label=phrase("Test the connection"),
    done=phrase("The connection is being tested. The result shows here in a few seconds."),
    where="connection",
)
RESTART = Action(
    name="restart",
    label=phrase("Restart the player"),
    words=phrase("Helps when the screen hangs."),
    done=phrase("The player restarts. The page opens again by itself, in about ten seconds."),
    warning=phrase("The screen is dark for a few seconds; guests see it."),
)
ACTIONS = (
    Action(
        name="identify",
        label=phrase("Show the name on the screen"),
        words=phrase("For 20 seconds, to tell this screen from others."),
        done=phrase("The screen shows its name now, for 20 seconds."),
    ),
    Action(
        name="reload",
        label=phrase("Look for changes now"),
        words=phrase("Asks the menu service for a newer menu."),
        done=phrase("The player has asked the menu service for changes."),
    ),
    Action(
        name="fetch",
        label=phrase("Fetch the files again"),
        words=phrase("Checks every image and video, and fetches what is damaged."),
        done=phrase("The player checks its files, and fetches what is damaged."),
    ),
    RESTART,
    Action(
        name="pair",
        label=phrase("Pair again"),
        words=phrase("For a screen that belongs to another place now."),
        done=phrase("The screen asks for a code, and shows it in a few seconds."),
        warning=phrase("The screen forgets its menu and shows a code, until somebody enters it in the menu service."),
    ),
)
BY_NAME = {action.name: action for action in (*ACTIONS, TEST)}
