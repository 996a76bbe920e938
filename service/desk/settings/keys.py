"""Keys of the API: a new one is shown once, and each is revoked at once."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.bodies import model_of
from service.core.errors import ProblemError
from service.desk.choices import Choices
from service.desk.forms import ticked
from service.desk.lists import Pages
from service.desk.settings.pages import KEYS, roles_for, settings_page
from service.desk.visits import MayManageKeys, Visit
from service.desk.words import phrase
from service.schema.lists import MAX_LIMIT
from service.schema.workspace.key import KeyCreate
from service.services.access.keys import KeyManager
from service.services.access.sessions import SessionService
from service.services.publishing.epochs import Epochs
from service.storage.paging import PageRequest


def key_routes(
    *, keys: KeyManager, sessions: SessionService, epochs: Epochs, choices: Choices, route: type[APIRoute]
) -> APIRouter:
    """All keys, and the form of a new one."""
    router = APIRouter(prefix=KEYS, include_in_schema=False, route_class=route)

    def form(visit: Visit, problem: ProblemError | None = None) -> Response:
        return settings_page(
            visit,
            "settings_key",
            problem=problem,
            given={name: visit.form.get(name, "") for name in ("name", "role")},
            chosen=ticked(visit.form, "locations"),
            roles=roles_for(visit.access),
            locations=choices.locations(visit.access),
        )

    @router.get("")
    def list_keys(visit: MayManageKeys, cursor: Annotated[str | None, Query(max_length=200)] = None) -> Response:
        """The keys, oldest first."""
        found = keys.list(visit.access, PageRequest(MAX_LIMIT, cursor))
        return settings_page(
            visit,
            "settings_keys",
            found=found.data,
            pages=Pages(KEYS, {}, cursor, found.pagination.cursor),
            roles=roles_for(visit.access),
            locations=choices.locations(visit.access),
            restored=epochs.restored(),
            now=sessions.now(),
        )

    @router.get("/new")
    def show_new(visit: MayManageKeys) -> Response:
        """The form of a new key."""
        return form(visit)

    @router.post("/new")
    def create(visit: MayManageKeys) -> Response:
        """Makes a key, and shows it, once; what is not valid shows the form again."""
        given = {"name": visit.form.get("name", ""), "role": visit.form.get("role", "")}
        locations = ticked(visit.form, "locations") or None
        try:
            made = keys.create(visit.access, model_of(KeyCreate, {**given, "locations": locations}))
        except ProblemError as problem:
            return form(visit, problem)
        return settings_page(visit, "settings_new_key", made=made)

    @router.post("/{key}/revoke")
    def revoke(key: str, visit: MayManageKeys) -> Response:
        """Revokes a key: it stops working at once."""
        name = keys.get(visit.access, key).name
        keys.revoke(visit.access, key)
        return visit.done(phrase("The key {name} is revoked.", name=name), to=KEYS)

    return router
