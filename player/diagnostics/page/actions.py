"""The section of actions: what the person in front of the screen can have done, and what it disturbs; pure."""

from __future__ import annotations

from msgspec import Struct

from player.diagnostics.page.facts import Facts
from player.diagnostics.page.markup import Html, join, tag


class Action(Struct, frozen=True, kw_only=True):
    """An action: `name` is what the server knows it by, `done` is said once it has been asked for. With a `warning` it
    has to be confirmed. It is in the section `where`."""

    name: str
    label: str
    words: str
    done: str
    warning: str = ""
    where: str = "actions"


TEST = Action(
    name="test",
    label="Test the connection",
    words="",
    done="The connection is being tested. The result shows here in a few seconds.",
    where="connection",
)
RESTART = Action(
    name="restart",
    label="Restart the player",
    words="Helps when the screen hangs.",
    done="The player restarts. The page opens again by itself, in about ten seconds.",
    warning="The screen is dark for a few seconds; guests see it.",
)
ACTIONS = (
    Action(
        name="identify",
        label="Show the name on the screen",
        words="For 20 seconds, to tell this screen from others.",
        done="The screen shows its name now, for 20 seconds.",
    ),
    Action(
        name="reload",
        label="Look for changes now",
        words="Asks the menu service for a newer menu.",
        done="The player has asked the menu service for changes.",
    ),
    Action(
        name="fetch",
        label="Fetch the files again",
        words="Checks every image and video, and fetches what is damaged.",
        done="The player checks its files, and fetches what is damaged.",
    ),
    RESTART,
    Action(
        name="pair",
        label="Pair again",
        words="For a screen that belongs to another place now.",
        done="The screen asks for a code, and shows it in a few seconds.",
        warning="The screen forgets its menu and shows a code, until somebody enters it in the menu service.",
    ),
)
BY_NAME = {action.name: action for action in (*ACTIONS, TEST)}


def actions(facts: Facts) -> Html:
    """Those that can be had."""
    offered = [_action(each, facts.csrf) for each in ACTIONS if each.name in facts.actions]
    if facts.has_bundle:
        about = tag("p", "One file with all that helps somebody else to help you, without secrets.", cls="quiet")
        offered.append(join(tag("a", "Support bundle", href="bundle.zip", download=True, cls="button"), about))
    return tag("ul", *(tag("li", each) for each in offered), cls="actions")


def button(action: Action, csrf: str, *, cls: str = "") -> Html:
    """A form of one button."""
    return tag(
        "form",
        tag("input", type="hidden", name="csrf", value=csrf),
        tag("button", action.label, type="submit", cls=cls or None),
        method="post",
        action=f"actions/{action.name}",
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
            data_key=action.name,
            cls="confirm",
        ),
        about,
    )
