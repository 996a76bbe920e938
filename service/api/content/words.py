"""`/v1/content/words`."""

from starlette.responses import Response

from service.api.http.authentication import MayEditEverywhere, MayRead
from service.api.http.preconditions import Expected
from service.api.http.replies import resource
from service.api.http.routes import api_routes
from service.schema.content.translation import WordsPatch, WordsResponse
from service.services.registry import Services

routes = api_routes("/v1/content/words", tag="Content items")
"""The words that items and scenes share, by language. A change shows on the boards within moments."""


@routes.get(response_model=WordsResponse)
def get_words(services: Services, access: MayRead) -> Response:
    """Get the translations of categories, variants, options, tags, and texts of scenes."""
    return resource(services.words.get(access.workspace))


@routes.patch(response_model=WordsResponse)
def change_words(services: Services, body: WordsPatch, access: MayEditEverywhere, expected: Expected) -> Response:
    """Add or replace words, each with its translations by language; null takes a word out."""
    return resource(services.words.change(access.workspace, body, expected))
