"""Identity provider by which users of a chain sign in."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class IdentityProvider:
    """An OpenID Connect provider, and the client credentials of this service."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    name: str
    """The name on the button."""
