"""Signs people in by an identity provider (OpenID Connect 1.0): authorization code with PKCE, state and nonce.

A provider's statement counts only with its signature, for this service, for this sign-in and for now. A random token in
a cookie ties the parts of a sign-in together: state, nonce and verifier are derived from it, so nothing is stored.
"""

import hmac
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from service.core.clock import Clock
from service.core.errors import ProblemError
from service.core.identity_provider import IdentityProvider
from service.core.ids import new_secret, secret_from

KNOWN_FOR = timedelta(hours=1)
"""Addresses and keys of the provider are used for so long. A key that is not known is looked for at once, but not more
often than once in `LOOKED_EVERY`."""
LOOKED_EVERY = timedelta(minutes=1)
PROVIDER_DONE = "/desk/sign-in/provider/done"
"""The page to which the provider sends people back: it has to know its address."""

_STATE, _NONCE, _VERIFIER = "oidc state", "oidc nonce", "oidc verifier"


@dataclass(frozen=True, slots=True)
class Departure:
    """Address to which the browser goes, and the token for its cookie."""

    url: str
    token: str


@dataclass(frozen=True, slots=True)
class Identity:
    """A person, as the provider has confirmed them."""

    email: str
    name: str
    both_shown: bool
    """Whether the provider says that it has asked for a second factor (RFC 8176, `mfa`)."""


@dataclass(frozen=True, slots=True)
class _Known:
    """Provider's own description, and its keys."""

    metadata: dict[str, Any]
    keys: dict[str, Any]
    read_at: datetime


class IdentityService:
    """Talks to the provider. Safe to use from any thread."""

    def __init__(self, *, provider: IdentityProvider | None, clock: Clock, redirect_uri: str) -> None:
        self._provider = provider
        self._clock = clock
        self._redirect_uri = redirect_uri
        self._lock = threading.Lock()
        self._known: _Known | None = None

    @property
    def name(self) -> str | None:
        """Name of the provider; None without one."""
        return None if self._provider is None else self._provider.name

    def begin(self) -> Departure:
        """Begins a sign-in. Raises 404 without a provider, and 503 while it does not answer."""
        from service.services.access.openid import Exchange

        provider = self._configured()
        token = new_secret()
        exchange = Exchange(provider, self._look_up(provider).metadata, redirect_uri=self._redirect_uri)
        state, nonce, verifier = (secret_from(token, purpose=one) for one in (_STATE, _NONCE, _VERIFIER))
        url = exchange.url(state=state, nonce=nonce, verifier=verifier)
        return Departure(url, token)

    def finish(self, token: str, *, state: str, code: str) -> Identity:
        """Returns the person that the provider confirms. Raises 403, and 503 while it does not answer."""
        from service.services.access.openid import Exchange, RefusedError, UnwellError

        provider = self._configured()
        if not token or not hmac.compare_digest(secret_from(token, purpose=_STATE).encode(), state.encode()):
            raise _refused("The sign-in was not begun in this browser, or took too long.")
        exchange = Exchange(provider, self._look_up(provider).metadata, redirect_uri=self._redirect_uri)
        try:
            id_token = exchange.id_token(code=code, verifier=secret_from(token, purpose=_VERIFIER))
        except RefusedError as fault:
            raise _refused(f"The provider gave no token: {fault}.") from None
        except UnwellError as fault:
            raise _unanswered() from fault
        claims = self._claims(provider, id_token, secret_from(token, purpose=_NONCE))
        email = claims.get("email")
        if not isinstance(email, str) or not email.isprintable() or claims.get("email_verified") is not True:
            raise _refused("The provider has not verified an e-mail address of this person.")
        methods, name = claims.get("amr"), claims.get("name")
        both = isinstance(methods, list) and "mfa" in methods
        shown = "".join(filter(str.isprintable, name)).strip() if isinstance(name, str) else ""
        return Identity(email, shown or email, both_shown=both)

    def _claims(self, provider: IdentityProvider, id_token: str, nonce: str) -> Mapping[str, Any]:
        """Returns the claims of a valid token. Raises the 403 problem."""
        from service.services.access.openid import RefusedError, claims_of

        known, now = self._look_up(provider), self._clock.now()
        try:
            return claims_of(id_token, provider, known.keys, nonce=nonce, now=now)
        except RefusedError:
            # Signed with a key that is new, perhaps.
            if now < known.read_at + LOOKED_EVERY:
                raise _refused("The provider's token is not valid.") from None
        known = self._look_up(provider, anew=True)
        try:
            return claims_of(id_token, provider, known.keys, nonce=nonce, now=now)
        except RefusedError:
            raise _refused("The provider's token is not valid.") from None

    def _look_up(self, provider: IdentityProvider, *, anew: bool = False) -> _Known:
        """Returns the provider's addresses and keys. Raises the 503 problem."""
        from service.services.access.openid import UnwellError, read_provider

        now = self._clock.now()
        with self._lock:
            known = self._known
            if known is not None and not anew and known.read_at <= now < known.read_at + KNOWN_FOR:
                return known
            try:
                metadata, keys = read_provider(provider)
            except UnwellError as fault:
                raise _unanswered() from fault
            self._known = known = _Known(metadata, keys, now)
            return known

    def _configured(self) -> IdentityProvider:
        if self._provider is None:
            raise ProblemError(404, "no_such_path", "There is no such page", "No identity provider is set.")
        return self._provider


def _refused(detail: str) -> ProblemError:
    return ProblemError(403, "provider_refused", "The sign-in was refused", detail)


def _unanswered() -> ProblemError:
    return ProblemError(
        503, "provider_unanswered", "The identity provider does not answer", "Try again, or sign in by password."
    )
