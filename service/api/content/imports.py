"""`/v1/content/imports`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayEditEverywhere
from service.api.http.paging import Paged
from service.api.http.replies import JsonReply, resource
from service.api.http.routing import public_router
from service.schema.content.item_import import ImportResponse
from service.schema.lists import Listing
from service.services.imports.undo import ImportService


def import_routes(*, imports: ImportService, route: type[APIRoute]) -> APIRouter:
    """Imports of items, to be undone."""
    router = public_router("/v1/content/imports", tag="Content items", route=route)

    @router.get("", response_model=Listing[ImportResponse])
    def list_imports(access: MayEditEverywhere, page: Paged) -> Response:
        """List the imports of the last seven days, oldest first."""
        return JsonReply(imports.list(access, page))

    @router.get("/{imported}", response_model=ImportResponse)
    def get_import(imported: str, access: MayEditEverywhere) -> Response:
        """Get one import."""
        return resource(imports.get(access, imported))

    @router.post("/{imported}/undo", response_model=ImportResponse)
    def undo_import(imported: str, access: MayEditEverywhere) -> Response:
        """Undo an import as a whole, within a day and once (otherwise 409).

        New items are removed, changed ones get their former values back. An item that somebody has changed since stays,
        and is named; whether it is sold out, and the order of others, do not count as a change.
        """
        return resource(imports.undo(access, imported))

    return router
