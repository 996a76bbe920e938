"""The section of actions: what the person in front of the screen can have done, and what it disturbs; pure."""

from __future__ import annotations

from msgspec import Struct

from player.domain.words.phrase import Phrase, phrase
from player.page.sections.facts import Facts
from player.page.sections.markup import Html, join, tag


class Action(Struct, frozen=True, kw_only=True):
    """An action: `name` is what the server knows it by, `done` is said once it has been asked for. With a `warning` it
    has to be confirmed. It is in the section `where`."""

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


def actions(facts: Facts) -> Html:
    """Those that can be had."""
    offered = [_action(each, facts.csrf) for each in ACTIONS if each.name in facts.actions]
    if facts.has_bundle:
        about = tag(
            "p", phrase("One file with all that helps somebody else to help you, without secrets."), cls="quiet"
        )
        offered.append(join(tag("a", phrase("Support bundle"), href="bundle.zip", download=True, cls="button"), about))
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
            tag("summary", action.label, " …", cls="button"),
            tag("p", action.warning),
            button(action, csrf, cls="danger"),
            data_key=action.name,
            cls="confirm",
        ),
        about,
    )
