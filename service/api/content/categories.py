"""`/v1/content/categories`."""

from starlette.responses import Response

from service.api.http.authentication import MayEditEverywhere, MayRead
from service.api.http.preconditions import Expected
from service.api.http.replies import resource
from service.api.http.routes import api_routes
from service.schema.content.category import CategoriesPatch, CategoriesResponse
from service.services.registry import Services

routes = api_routes("/v1/content/categories", tag="Content items")
"""Settings of categories. A change shows on the boards within moments."""


@routes.get(response_model=CategoriesResponse)
def get_categories(services: Services, access: MayRead) -> Response:
    """Get the notes, pictures and colours of categories."""
    return resource(services.categories.get(access.workspace))


@routes.patch(response_model=CategoriesResponse)
def change_categories(
    services: Services, body: CategoriesPatch, access: MayEditEverywhere, expected: Expected
) -> Response:
    """Set or replace the settings of categories, each as a whole; null takes those of one away."""
    return resource(services.categories.change(access.workspace, body, expected))
