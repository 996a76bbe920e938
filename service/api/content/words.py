"""`/v1/content/words`."""

from fastapi import APIRouter
from fastapi.routing import APIRoute
from starlette.responses import Response

from service.api.http.authentication import MayEditEverywhere, MayRead
from service.api.http.preconditions import Expected
from service.api.http.replies import resource
from service.api.http.routing import public_router
from service.schema.content.translation import WordsPatch, WordsResponse
from service.services.content.words import WordService


def word_routes(*, words: WordService, route: type[APIRoute]) -> APIRouter:
    """The words that items and scenes share, by language. A change shows on the boards within moments."""
    router = public_router("/v1/content/words", tag="Content items", route=route)

    @router.get("", response_model=WordsResponse)
    def get_words(access: MayRead) -> Response:
        """Get the translations of categories, variants, options, tags, and texts of scenes."""
        return resource(words.get(access.workspace))

    @router.patch("", response_model=WordsResponse)
    def change_words(body: WordsPatch, access: MayEditEverywhere, expected: Expected) -> Response:
        """Add or replace words, each with its translations by language; null takes a word out."""
        return resource(words.change(access.workspace, body, expected))

    return router
