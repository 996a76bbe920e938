"""API keys: role, and the locations that a key is limited to."""

from typing import Annotated

from annotated_types import MaxLen, MinLen
from pydantic import BeforeValidator

from service.core.permissions import Role
from service.schema.base import Input, ResponseModel
from service.schema.fields import Identifier, InstantText, Name, fault

MAX_KEY_LOCATIONS = 100


def _role(value: object) -> object:
    if isinstance(value, str) and value in set(Role):
        return Role(value)
    raise fault("not_allowed", f"This must be one of {', '.join(Role)}.")


RoleName = Annotated[Role, BeforeValidator(_role)]


class KeyCreate(Input):
    """A new key. `locations` limits it to some; omitted or null, it is valid for the whole workspace."""

    name: Name
    role: RoleName
    locations: Annotated[list[Identifier], MinLen(1), MaxLen(MAX_KEY_LOCATIONS)] | None = None


class KeyResponse(ResponseModel):
    """A key, without its secret."""

    volatile = frozenset({"lastUsedAt"})

    id: str
    name: str
    role: Role
    locations: list[str] | None
    created_at: InstantText
    last_used_at: InstantText | None


class NewKeyResponse(KeyResponse):
    """A new key; `key` is shown only in this answer."""

    volatile = frozenset({"lastUsedAt", "key"})

    key: str
