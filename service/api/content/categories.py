"""`/v1/content/categories`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayEditEverywhere, MayRead
from service.api.http.preconditions import Expected
from service.api.http.replies import resource
from service.api.http.routing import public_router
from service.schema.content.category import CategoriesPatch, CategoriesResponse
from service.services.content.categories import CategoryService


def category_routes(*, categories: CategoryService, route: type[APIRoute]) -> APIRouter:
    """Settings of categories. A change shows on the boards within moments."""
    router = public_router("/v1/content/categories", tag="Content items", route=route)

    @router.get("", response_model=CategoriesResponse)
    def get_categories(access: MayRead) -> Response:
        """Get the notes, pictures and colours of categories."""
        return resource(categories.get(access.workspace))

    @router.patch("", response_model=CategoriesResponse)
    def change_categories(body: CategoriesPatch, access: MayEditEverywhere, expected: Expected) -> Response:
        """Set or replace the settings of categories, each as a whole; null takes those of one away."""
        return resource(categories.change(access.workspace, body, expected))

    return router
