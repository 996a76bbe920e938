"""Enrolment tokens: devices become screens by them, without a code on the display."""

from typing import Annotated

from annotated_types import Ge, Le

from service.schema.base import Input, ResponseModel
from service.schema.fields import Identifier, InstantText, Name, Whole

MAX_ENROLMENT_SCREENS = 500
MAX_ENROLMENT_DAYS = 365
DEFAULT_ENROLMENT_DAYS = 30
MAX_ENROLMENT_TOKEN_LENGTH = 100


class EnrolmentTokenCreate(Input):
    """A new token: the playlist and location of the screens that it makes, their name, how many it makes at most, and
    for how many days. Of several screens with one name each gets a number behind it. With `confirm` they get no menu
    until somebody confirms them."""

    playlist: Identifier
    location: Identifier
    name: Name
    screens: Annotated[Whole, Ge(1), Le(MAX_ENROLMENT_SCREENS)] = 1
    days: Annotated[Whole, Ge(1), Le(MAX_ENROLMENT_DAYS)] = DEFAULT_ENROLMENT_DAYS
    confirm: bool = False


class EnrolmentTokenResponse(ResponseModel):
    """A token, without its secret; `used` is the number of screens that it has made."""

    id: str
    name: str
    playlist: str
    location: str
    screens: int
    used: int
    confirm: bool
    created_at: InstantText
    expires_at: InstantText


class NewEnrolmentTokenResponse(EnrolmentTokenResponse):
    """A new token; `token` is shown only in this answer."""

    volatile = frozenset({"token"})

    token: str
