"""The section of actions: what the person in front of the screen can have done, and what it disturbs; pure."""

from __future__ import annotations

from msgspec import Struct

from player.diagnostics.page.facts import Facts
from player.diagnostics.page.markup import Html, join, tag


class Action(Struct, frozen=True, kw_only=True):
    """An action. `path` is where it is posted, below `actions/`; with a `warning` it has to be confirmed."""

    path: str
    label: str
    words: str
    warning: str = ""


TEST_AGAIN = Action(path="test", label="Test the connection", words="")
ACTIONS = (
    Action(
        path="identify", label="Show the name on the screen", words="For 20 seconds, to tell this screen from others."
    ),
    Action(path="reload", label="Look for changes now", words="Asks the menu service for a newer menu."),
    Action(
        path="fetch", label="Fetch the files again", words="Checks every image and video, and fetches what is damaged."
    ),
    Action(
        path="restart",
        label="Restart the player",
        words="Helps when the screen hangs.",
        warning="The screen is dark for a few seconds; guests see it.",
    ),
    Action(
        path="pair",
        label="Pair again",
        words="For a screen that belongs to another place now.",
        warning="The screen forgets its menu and shows a code, until somebody enters it in the menu service.",
    ),
)
DONE = {
    "identify": "The screen shows its name now, for 20 seconds.",
    "reload": "The screen asks for a newer menu now.",
    "fetch": "The screen checks its images and videos now.",
    "restart": "The player restarts now. This page is back in a few seconds.",
    "pair": "The screen asks for a new code now, and shows it.",
}
"""What the page says after an action."""
BUNDLE = Action(
    path="bundle", label="Support bundle", words="One file with everything that is on this page, for whoever helps you."
)


def actions(facts: Facts) -> Html:
    """All of them."""
    return tag("ul", *(tag("li", _action(each, facts.csrf)) for each in (*ACTIONS, BUNDLE)), cls="actions")


def button(action: Action, csrf: str, *, cls: str = "") -> Html:
    """A form of one button."""
    return tag(
        "form",
        tag("input", type="hidden", name="csrf", value=csrf),
        tag("button", action.label, type="submit", cls=cls or None),
        method="post",
        action=f"actions/{action.path}",
    )


def _action(action: Action, csrf: str) -> Html:
    about = tag("p", action.words, cls="quiet")
    if not action.warning:
        return join(button(action, csrf), about)
    return join(
        tag(
            "details",
            tag("summary", f"{action.label} …", cls="button"),
            tag("p", action.warning),
            button(action, csrf, cls="danger"),
            data_key=action.path,
            cls="confirm",
        ),
        about,
    )
