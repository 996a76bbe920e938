"""Users of the desk: signing in, the first owner, and the settings that a user changes for themselves."""

from typing import Annotated, Literal

from annotated_types import MaxLen, MinLen
from pydantic import AfterValidator

from service.core.permissions import Role
from service.schema.base import Input, Patch, ResponseModel
from service.schema.fields import InstantText, Name, storable
from service.schema.workspace.team import MAX_EMAIL_LENGTH, MAX_TOKEN_LENGTH, Email

MIN_PASSWORD = 10
MAX_PASSWORD = 200
"""Characters. A longer text would only cost time to hash."""
MAX_CODE = 40
"""Characters of a code, with the blanks and dashes that somebody may type."""

DeskLanguage = Literal["ar", "de", "en", "es", "fr"]
Password = Annotated[str, MinLen(MIN_PASSWORD), MaxLen(MAX_PASSWORD), AfterValidator(storable)]
Token = Annotated[str, MinLen(1), MaxLen(MAX_TOKEN_LENGTH), AfterValidator(storable)]


class SignIn(Input):
    """The e-mail address and the password of a person."""

    email: Annotated[str, MinLen(1), MaxLen(MAX_EMAIL_LENGTH), AfterValidator(storable)]
    password: Annotated[str, MinLen(1), MaxLen(MAX_PASSWORD), AfterValidator(storable)]


class FirstOwner(Input):
    """The token of a set-up link, and the first owner."""

    token: Token
    name: Name
    email: Email
    password: Password


class Joining(Input):
    """The token of an invitation, and the person who joins. Who has a password already gives that one."""

    token: Token
    name: Name
    password: Password


class LinkRequest(Input):
    """The e-mail address of a person who asks for a link."""

    email: Annotated[str, MinLen(1), MaxLen(MAX_EMAIL_LENGTH), AfterValidator(storable)]


class NewPassword(Input):
    """The token of a mailed link, and the password to have from now on."""

    token: Token
    password: Password


class NewMember(Input):
    """A person who gets a link that signs them in; a member is made if there is none."""

    name: Name
    email: Email
    role: Role


class PasswordChange(Input):
    """The password now, where there is one, and the new one."""

    current: Annotated[str, MaxLen(MAX_PASSWORD), AfterValidator(storable)] = ""
    password: Password


Code = Annotated[str, MinLen(1), MaxLen(MAX_CODE), AfterValidator(storable)]


class FactorCode(Input):
    """A code of the second factor: by time, or a recovery code."""

    code: Code


class FactorEnd(Input):
    """The password, where there is one, and a code: they turn the second factor off."""

    password: Annotated[str, MaxLen(MAX_PASSWORD), AfterValidator(storable)] = ""
    code: Code


class PersonPatch(Patch):
    """The choices of a person for themselves; with `language` null the desk speaks the browser's."""

    language: DeskLanguage | None = None


class SessionView(ResponseModel):
    """A session of a person. `agent` is the browser, as it names itself."""

    id: str
    address: str
    agent: str
    created_at: InstantText
    used_at: InstantText
    current: bool
