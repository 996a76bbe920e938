"""API keys: a new one is shown once, and each can be revoked at once."""

from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.desk import Desk
from service.desk.documents import DocumentForm
from service.desk.lists import Cursor, Pages
from service.desk.routing import desk_routes
from service.desk.settings.pages import KEYS, roles_for, settings_page
from service.desk.visits import MayManageKeys, Visit
from service.desk.words import phrase
from service.schema.lists import MAX_LIMIT
from service.schema.workspace.key import KeyCreate
from service.storage.paging import PageRequest

FORM = DocumentForm(KeyCreate, "name", "role", "locations")

routes = desk_routes(Desk, KEYS)


def _form(desk: Desk, visit: Visit, problem: ProblemError | None = None) -> Response:
    return settings_page(
        visit,
        "settings_key",
        problem=problem,
        form=FORM,
        given=visit.form,
        roles=roles_for(visit.access),
        locations=desk.locations(visit.access),
    )


@routes.get()
def list_keys(desk: Desk, visit: MayManageKeys, cursor: Cursor = None) -> Response:
    """Returns the keys, oldest first."""
    found = desk.services.key_manager.list(visit.access, PageRequest(MAX_LIMIT, cursor))
    return settings_page(
        visit,
        "settings_keys",
        found=found.data,
        pages=Pages(KEYS, {}, cursor, found.pagination.cursor),
        roles=roles_for(visit.access),
        locations=desk.locations(visit.access),
        restored=desk.services.epochs.restored(),
        now=desk.services.sessions.now(),
    )


@routes.get("/new")
def show_new(desk: Desk, visit: MayManageKeys) -> Response:
    """Returns the form of a new key."""
    return _form(desk, visit)


@routes.post("/new")
def create(desk: Desk, visit: MayManageKeys) -> Response:
    """Makes a key, and shows it, once; what is not valid shows the form again."""
    try:
        made = desk.services.key_manager.create(visit.access, model_of(KeyCreate, FORM.read(visit.form)))
    except ProblemError as problem:
        return _form(desk, visit, problem)
    return settings_page(visit, "settings_new_key", made=made)


@routes.post("/{key}/revoke")
def revoke(desk: Desk, key: str, visit: MayManageKeys) -> Response:
    """Revokes a key: it stops working at once."""
    name = desk.services.key_manager.get(visit.access, key).name
    desk.services.key_manager.revoke(visit.access, key)
    return visit.done(phrase("The key {name} is revoked.", name=name), to=KEYS)
