"""API keys: who may call, as what, and for which locations."""

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
    """A new key. `locations` narrows it to some; left out or null it is good for the whole workspace."""

    name: Name
    role: RoleName
    locations: Annotated[list[Identifier], MinLen(1), MaxLen(MAX_KEY_LOCATIONS)] | None = None


class KeyResponse(ResponseModel):
    """A key, without its secret."""

    passing = frozenset({"lastUsedAt"})

    id: str
    name: str
    role: Role
    locations: list[str] | None
    created_at: InstantText
    last_used_at: InstantText | None


class NewKeyResponse(KeyResponse):
    """A key that was made just now; `key` is shown this once."""

    passing = frozenset({"lastUsedAt", "key"})

    key: str
