"""Reading the bodies of callers who have no key: they are small, and may be signed instead."""

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from service.api.routing import read_json_body
from service.errors import invalid
from service.schema.faults import faults_of

MAX_KEYLESS_BYTES = 16 * 1024

M = TypeVar("M", bound=BaseModel)


async def read_document(request: Request, model: type[M], *, check: Callable[[bytes], None] | None = None) -> M:
    """The body as a model, once its bytes have passed the check. Raises the 400, 413, 415 and 422 problems."""
    raw, document = await read_json_body(request, limit=MAX_KEYLESS_BYTES)
    if check is not None:
        check(raw)
    try:
        return model.model_validate(document)
    except ValidationError as fault:
        errors = ({**error, "loc": ("body", *error["loc"])} for error in fault.errors())
        raise invalid(faults_of(errors, document)) from None


def body_schema(model: type[BaseModel]) -> dict[str, Any]:
    """What the API document says of a body that the handler reads itself."""
    content = {"application/json": {"schema": model.model_json_schema()}}
    return {"requestBody": {"required": True, "content": content}}
