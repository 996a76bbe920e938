"""`/v1/content/imports`."""

from starlette.responses import Response

from service.api.http.authentication import MayEditEverywhere
from service.api.http.paging import Paged
from service.api.http.replies import JsonReply, resource
from service.api.http.routes import api_routes
from service.schema.content.item_import import ImportResponse
from service.schema.lists import Listing
from service.services.registry import Services

routes = api_routes("/v1/content/imports", tag="Content items")
"""Imports of items, to be undone."""


@routes.get(response_model=Listing[ImportResponse])
def list_imports(services: Services, access: MayEditEverywhere, page: Paged) -> Response:
    """List the imports of the last seven days, oldest first."""
    return JsonReply(services.imports.list(access, page))


@routes.get("/{imported}", response_model=ImportResponse)
def get_import(services: Services, imported: str, access: MayEditEverywhere) -> Response:
    """Get one import."""
    return resource(services.imports.get(access, imported))


@routes.post("/{imported}/undo", response_model=ImportResponse)
def undo_import(services: Services, imported: str, access: MayEditEverywhere) -> Response:
    """Undo an import as a whole, within a day and once (otherwise 409).

    New items are removed, changed ones get their former values back. An item that somebody has changed since stays,
    and is named; whether it is sold out, and the order of others, do not count as a change.
    """
    return resource(services.imports.undo(access, imported))
