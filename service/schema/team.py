"""The team of a workspace: who was invited, and who belongs to it."""

from typing import Annotated

from annotated_types import MaxLen, MinLen
from pydantic import AfterValidator

from service.core.permissions import Role
from service.schema.base import Input, ResponseModel
from service.schema.fields import Described, InstantText, Name, fault, storable
from service.schema.key import RoleName

MAX_EMAIL_LENGTH = 254
"""RFC 5321, section 4.5.3.1.3, without the angle brackets."""
MAX_TOKEN_LENGTH = 200


def _email(text: str) -> str:
    name, _, host = text.rpartition("@")
    if not name or "." not in host.strip(".") or not text.isprintable() or any(map(str.isspace, text)):
        raise fault("not_an_email", "This must be an e-mail address such as kim@example.com.")
    return f"{name}@{host.lower()}"


Email = Annotated[
    str,
    MinLen(3),
    MaxLen(MAX_EMAIL_LENGTH),
    AfterValidator(storable),
    AfterValidator(_email),
    Described(format="email", minLength=3, maxLength=MAX_EMAIL_LENGTH),
]


class InviteCreate(Input):
    """Somebody to invite, and what they may do once they have accepted."""

    email: Email
    role: RoleName


class InviteLookup(Input):
    """The token of an invitation, by somebody who wants to know what it is for."""

    token: Annotated[str, MinLen(1), MaxLen(MAX_TOKEN_LENGTH)]


class InviteAcceptance(InviteLookup):
    """The token of an invitation, and the name of whoever accepts it."""

    name: Name


class MemberPatch(Input):
    """What a member may do from now on."""

    role: RoleName


class InviteResponse(ResponseModel):
    """An invitation that nobody has accepted yet."""

    id: str
    email: str
    role: Role
    created_at: InstantText
    expires_at: InstantText


class NewInviteResponse(InviteResponse):
    """An invitation that was made just now; `token` and `link` are shown this once.

    The link is to be passed on to whom it is for. It holds the token behind a `#`, so that it gets into no log.
    """

    passing = frozenset({"token", "link"})

    token: str
    link: str


class InvitePreview(ResponseModel):
    """What somebody is invited to; `invitedBy` is the name of the key that invites, unless that is gone by now."""

    workspace: str
    email: str
    role: Role
    invited_by: str | None
    expires_at: InstantText


class MemberResponse(ResponseModel):
    """Somebody who belongs to the workspace."""

    id: str
    email: str
    name: str
    role: Role
    created_at: InstantText


class NewMemberResponse(MemberResponse):
    """A member who has just accepted; `key` is the member's own, and shown this once."""

    passing = frozenset({"key"})

    key: str
