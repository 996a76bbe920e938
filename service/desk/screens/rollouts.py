"""Rollouts of player versions: their progress and failures, and the acts on them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

from fastapi import Query
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.desk import Desk, everything
from service.desk.documents import DocumentForm
from service.desk.lists import Cursor, Pages
from service.desk.routing import desk_routes
from service.desk.said import Undo
from service.desk.visits import MayManageScreens, MayRead, Visit
from service.desk.words import Phrase, as_it_is, phrase, phrases
from service.schema.devices.rollout import RolloutCreate, RolloutPatch, RolloutResponse, RolloutScreen, RolloutState
from service.services.access.access import Access
from service.services.devices.rollouts import is_failing
from service.storage.paging import PageRequest

ROLLOUTS = "/desk/rollouts"
FORM = DocumentForm(RolloutCreate, "version", "percent", "stopAtPercent", words="tags")
REACH = DocumentForm(RolloutPatch, "percent", "stopAtPercent")
PAGE_SIZE = 50
FIRST_PERCENT = 10
"""The form offers so many percent: a mistake meets some screens, and not all."""

STATES: Mapping[str, Phrase] = {
    "takenBack": phrase("Took it back"),
    "waiting": phrase("Waits"),
    "held": phrase("Held back"),
    "running": phrase("Has it"),
    "overruled": phrase("A newer rollout counts"),
    "notChosen": phrase("Not chosen"),
}
"""States of the version at a screen: the first that any has is what an operator wants to know first."""
_WHYS = {
    "not_started": phrase("The board did not start with it."),
    "not_whole": phrase("It was not installed whole."),
    "pairing_lost": phrase("The board had lost its pairing with it."),
    "no_contact": phrase("The board did not reach the service with it, although the device did."),
}
"""Reasons of the update guard, by its codes; others have its sentence."""
_CODES = {
    "the board does not start": "not_started",
    "the board is not installed whole": "not_whole",
    "the board has lost its pairing": "pairing_lost",
    "the board is not in contact with the service, which answers this machine": "no_contact",
}
"""The codes of guards up to 0.5.0, which report sentences alone."""

Word = Annotated[str, Query(max_length=40)]

routes = desk_routes(Desk, ROLLOUTS)


def _change(desk: Desk, visit: Visit, rollout: str, given: Mapping[str, object]) -> RolloutResponse:
    return desk.services.rollouts.change(visit.access, rollout, model_of(RolloutPatch, given))


def _told(visit: Visit, rollout: str, sentence: Phrase, undo: Undo | None = None) -> Response:
    return visit.done(sentence, to=f"{ROLLOUTS}/{rollout}", undo=undo)


def _form(desk: Desk, visit: Visit, given: Mapping[str, str], problem: ProblemError | None = None) -> Response:
    versions = desk.services.rollout_screens.versions(visit.access).data
    return visit.page("rollout_new", fault=problem, given=defaultdict(str, given), versions=versions)


@routes.get()
def list_rollouts(desk: Desk, visit: MayRead) -> Response:
    """All of them, and which versions run."""
    return visit.page("rollouts", **_list_values(visit.access, desk))


@routes.get("/list")
def get_list(desk: Desk, visit: MayRead) -> Response:
    """Returns the part of the list that changes by itself."""
    return visit.part("rollouts", **_list_values(visit.access, desk))


@routes.get("/new")
def new_rollout(desk: Desk, visit: MayManageScreens, version: Word = "") -> Response:
    """Returns the form of a new one."""
    return _form(desk, visit, {"version": version, "tags": "", "percent": str(FIRST_PERCENT), "stopAtPercent": "5"})


@routes.post()
def create(desk: Desk, visit: MayManageScreens) -> Response:
    """Starts it; what is not valid shows the form again."""
    try:
        made = desk.services.rollouts.create(visit.access, model_of(RolloutCreate, FORM.read(visit.form)))
    except ProblemError as problem:
        return _form(desk, visit, visit.form, problem)
    undo = Undo(f"{ROLLOUTS}/{made.id}/remove")
    return _told(visit, made.id, _goes_to(made), undo)


@routes.get("/{rollout}")
def show_rollout(desk: Desk, rollout: str, visit: MayRead, state: Word = "", cursor: Cursor = None) -> Response:
    """One: how far it is, screen by screen."""
    return visit.page("rollout", **_values(visit.access, desk, rollout, state, cursor))


@routes.get("/{rollout}/state")
def get_state(desk: Desk, rollout: str, visit: MayRead, state: Word = "", cursor: Cursor = None) -> Response:
    """Returns the part that changes by itself."""
    return visit.part("rollout_state", **_values(visit.access, desk, rollout, state, cursor))


@routes.post("/{rollout}/hold")
def hold(desk: Desk, rollout: str, visit: MayManageScreens) -> Response:
    """Holds it: screens that have not installed the version stay with what they run."""
    found = _change(desk, visit, rollout, {"stopped": True})
    sentence = phrase("The rollout of {version} is held.", version=found.version)
    return _told(visit, rollout, sentence, Undo(f"{ROLLOUTS}/{rollout}/go-on"))


@routes.post("/{rollout}/go-on")
def go_on(desk: Desk, rollout: str, visit: MayManageScreens) -> Response:
    """Lets it go on."""
    found = _change(desk, visit, rollout, {"stopped": False})
    sentence = phrase("The rollout of {version} goes on.", version=found.version)
    return _told(visit, rollout, sentence, Undo(f"{ROLLOUTS}/{rollout}/hold"))


@routes.post("/{rollout}/reach")
def reach(desk: Desk, rollout: str, visit: MayManageScreens) -> Response:
    """Changes how many screens are chosen, and when it stops by itself."""
    before = desk.services.rollouts.get(visit.access, rollout)
    after = _change(desk, visit, rollout, REACH.read(visit.form))
    return _told(visit, rollout, _goes_to(after), Undo(f"{ROLLOUTS}/{rollout}/reach", REACH.shown(before)))


@routes.post("/{rollout}/remove")
def remove(desk: Desk, rollout: str, visit: MayManageScreens) -> Response:
    """Removes it; screens keep the version that they run."""
    found = desk.services.rollouts.get(visit.access, rollout)
    desk.services.rollouts.remove(visit.access, rollout)
    sentence = phrase("The rollout of {version} is removed. Screens keep what they run.", version=found.version)
    return visit.done(sentence, to=ROLLOUTS)


def rollout_of(desk: Desk, access: Access, screen: str) -> RolloutScreen | None:
    """Returns the rollout that counts for a screen; None without one, and for who sees none."""
    try:
        return desk.services.rollout_screens.of_screen(access, screen, now=desk.now())
    except ProblemError:
        return None


def why_back(code: str | None, why: str | None) -> Phrase | None:
    """Describes why a version was rolled back."""
    known = _WHYS.get(code or _CODES.get(why or "", ""))
    return known or (as_it_is(why) if why else None)


def _goes_to(rollout: RolloutResponse) -> Phrase:
    counts = rollout.screens
    of = phrases("{count} screen", "{count} screens", count=counts.matched)
    return phrase("{version} goes to {chosen} of {of}.", version=rollout.version, chosen=counts.chosen, of=of)


def state_of(rollout: RolloutResponse) -> tuple[Phrase, str]:
    """Returns the state of a rollout in words, and the colour of its label."""
    counts = rollout.screens
    if rollout.status == "stopped":
        failing = is_failing(counts, rollout.stop_at_percent)
        return (phrase("Has stopped by itself"), "bad") if failing else (phrase("Held"), "warn")
    if not counts.chosen:
        return phrase("No screen is chosen"), ""
    if counts.taken_back:
        return phrase("Under way, with failures"), "bad"
    if counts.running == counts.chosen:
        return (phrase("All have it"), "ok") if rollout.percent == 100 else (phrase("All chosen ones have it"), "ok")
    return phrase("Under way"), ""


def _list_values(access: Access, desk: Desk) -> dict[str, Any]:
    found = list(everything(lambda page: desk.services.rollouts.list(access, page)))[::-1]
    return {
        "rollouts": [(one, *state_of(one)) for one in found],
        "versions": desk.services.rollout_screens.versions(access).data,
    }


def _values(access: Access, desk: Desk, rollout: str, state: str, cursor: str | None) -> dict[str, Any]:
    found = desk.services.rollouts.get(access, rollout)
    counts = _counts(found)
    first = next((name for name, count in counts if count), "waiting")
    shown = cast(RolloutState, state if state in STATES else first)
    request = PageRequest(PAGE_SIZE, cursor)
    listed = desk.services.rollout_screens.list(access, rollout, request, state=shown, now=desk.now())
    path = f"{ROLLOUTS}/{rollout}"
    sentence, tone = state_of(found)
    return {
        "rollout": found,
        "sentence": sentence,
        "tone": tone,
        "counts": counts,
        "shown": shown,
        "screens": [(one, why_back(one.code, one.why)) for one in listed.data],
        "locations": desk.locations(access),
        "names": STATES,
        "pages": Pages(path, {"state": state}, cursor, listed.pagination.cursor),
        "query": {name: value for name, value in (("state", state), ("cursor", cursor or "")) if value},
        "now": desk.now(),
    }


def _counts(rollout: RolloutResponse) -> Sequence[tuple[str, int]]:
    """Returns the number of screens in each state, in the order of `STATES`."""
    counts = rollout.screens
    first = (counts.taken_back, counts.waiting, counts.held, counts.running)
    return list(zip(STATES, (*first, counts.overruled, counts.matched - counts.chosen), strict=True))
