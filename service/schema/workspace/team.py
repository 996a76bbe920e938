"""Team of a workspace: members and invitations."""

from typing import Annotated

from annotated_types import MaxLen, MinLen
from pydantic import AfterValidator

from service.core.permissions import Role
from service.schema.base import ABSENT, Input, Patch, ResponseModel
from service.schema.fields import InstantText, Name, TextSchema, fault, storable
from service.schema.workspace.key import RoleName

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
    TextSchema(format="email", minLength=3, maxLength=MAX_EMAIL_LENGTH),
]


class InviteCreate(Input):
    """The person to invite, and the role of the new member."""

    email: Email
    role: RoleName


class InviteLookup(Input):
    """The token of an invitation to look up."""

    token: Annotated[str, MinLen(1), MaxLen(MAX_TOKEN_LENGTH)]


class InviteAcceptance(InviteLookup):
    """The token of an invitation, and the name of the new member."""

    name: Name


class MemberPatch(Input):
    """The new role of a member."""

    role: RoleName


class TeamSignInPatch(Patch):
    """A change of how members sign in."""

    second_factor_required: bool = ABSENT


class TeamSignIn(ResponseModel):
    """Rules of signing in at the desk. With `secondFactorRequired` who has no second factor is led to set one up."""

    second_factor_required: bool


class InviteResponse(ResponseModel):
    """An open invitation."""

    id: str
    email: str
    role: Role
    created_at: InstantText
    expires_at: InstantText


class NewInviteResponse(InviteResponse):
    """A new invitation; `token` and the links are shown only in this answer.

    Pass one link on to the invited person, it works once: `link` gives them a key, and holds the token behind a `#`, so
    that it gets into no log; `deskLink` lets them choose a password for the desk."""

    volatile = frozenset({"token", "link", "deskLink"})

    token: str
    link: str
    desk_link: str


class InvitePreview(ResponseModel):
    """An invitation for the invited person; `invitedBy` is the name of the inviting key, null if it is revoked."""

    workspace: str
    email: str
    role: Role
    invited_by: str | None
    expires_at: InstantText


class MemberResponse(ResponseModel):
    """A member of the workspace. `secondFactor` is whether they sign in with one at the desk."""

    volatile = frozenset({"secondFactor"})

    id: str
    email: str
    name: str
    role: Role
    created_at: InstantText
    second_factor: bool


class NewMemberResponse(MemberResponse):
    """A new member; `key` is the member's own key, shown only in this answer."""

    volatile = frozenset({"key", "secondFactor"})

    key: str
