"""Reads bodies in handlers for which the framework does not, and describes them in the API document."""

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from service.api.http.routing import read_json_body
from service.core.errors import invalid
from service.schema.faults import faults_of

MAX_KEYLESS_BYTES = 16 * 1024
"""Limit for callers without an API key."""

M = TypeVar("M", bound=BaseModel)


async def read_document(request: Request, model: type[M], *, check: Callable[[bytes], None] | None = None) -> M:
    """Parses the body as a model; `check` sees its bytes first. Raises the 400, 413, 415 and 422 problems."""
    raw, document = await read_json_body(request, limit=MAX_KEYLESS_BYTES)
    if check is not None:
        check(raw)
    return model_of(model, document)


def model_of(model: type[M], document: Any) -> M:
    """Validates the document. Raises the 422 problem."""
    try:
        return model.model_validate(document)
    except ValidationError as fault:
        errors = ({**error, "loc": ("body", *error["loc"])} for error in fault.errors())
        raise invalid(faults_of(errors, document)) from None


def body_schema(model: type[BaseModel], *, media_type: str = "application/json") -> dict[str, Any]:
    """Returns the request body in the API document; `api.openapi` adds the model."""
    content = {media_type: {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}}
    return {"requestBody": {"required": True, "content": content}}
