"""Documents of pairing, with the field names of RFC 8628 and RFC 6749."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict

from service.schema.base import ResponseModel
from service.schema.fields import TextSchema

OAuthErrorCode = Literal[
    "invalid_request",
    "invalid_client",
    "unsupported_grant_type",
    "invalid_grant",
    "authorization_pending",
    "slow_down",
    "expired_token",
    "access_denied",
    "temporarily_unavailable",
]


class Enrolment(StrEnum):
    """The outcome of an enrolment token: the device is a screen, or why not."""

    ACCEPTED = "accepted"
    UNKNOWN = "unknown"
    EXPIRED = "expired"
    USED_UP = "used_up"
    KNOWN_DEVICE = "known_device"
    """It is a screen of the workspace already, and needs its code."""


class _OAuthResponse(ResponseModel):
    # Field names as they are, not in camelCase.
    model_config = ConfigDict(alias_generator=lambda name: name)


class DeviceForm(BaseModel):
    """A device's request for codes. `device_id` is its identity: 32 hex digits."""

    client_id: Literal["menu-player"]
    device_id: Annotated[str, TextSchema(pattern="^[0-9A-Fa-f]{32}$")]
    device_name: str = ""
    app_version: str = ""
    enrolment_token: str = ""
    """Makes the device a screen without anybody entering its code."""


class TokenForm(BaseModel):
    """A device's request for the token of its code."""

    grant_type: Literal["urn:ietf:params:oauth:grant-type:device_code"]
    device_code: str
    client_id: Literal["menu-player"]


class CodesResponse(_OAuthResponse):
    """The codes of a device: one to show, and one to keep secret (RFC 8628, section 3.2)."""

    device_code: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    expires_in: int
    interval: int
    enrolment: Enrolment | None = None
    """The outcome of the device's enrolment token; null without one."""


class TokenResponse(_OAuthResponse):
    """The access token of a device (RFC 6749, section 5.1)."""

    access_token: str
    token_type: Literal["Bearer"]
    screen_id: str
    screen_name: str
    """The player shows it at once, before it has anything else to show."""
    locale: str
    """Locale of the screen's location, in whose language the player shows it; empty for a screen without a location."""
    workspace_id: str
    """A player that is paired with this workspace again may go on with what it plays."""


class OAuthErrorResponse(_OAuthResponse):
    """An OAuth error (RFC 6749, section 5.2; RFC 8628, section 3.5)."""

    error: OAuthErrorCode
    error_description: str
