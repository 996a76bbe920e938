"""Signs people in by an identity provider (OpenID Connect 1.0): authorization code with PKCE, state and nonce.

What the provider says counts only with its signature, for this service, for this sign-in and for now. A random token
in a cookie ties the parts of a sign-in together: state, nonce and verifier are derived from it, so nothing is stored.
"""

import hmac
import json
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import httpx
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.jose import JsonWebKey, JsonWebToken
from authlib.jose.errors import JoseError
from authlib.oidc.core import CodeIDToken

from service.core.clock import Clock
from service.core.errors import ProblemError
from service.core.identity_provider import IdentityProvider
from service.core.ids import new_secret, secret_from

TIMEOUT_SECONDS = 10.0
"""For each answer of the provider."""
KNOWN_FOR = timedelta(hours=1)
"""Addresses and keys of the provider are used for so long. A key that is not known is looked for at once, but not more
often than once in `LOOKED_EVERY`."""
LOOKED_EVERY = timedelta(minutes=1)
LEEWAY_SECONDS = 60
"""Difference of the clocks that is allowed."""
MAX_ANSWER_BYTES = 256 * 1024
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384")
"""Signatures by keys of the provider; neither none nor one by the shared secret."""
SCOPE = "openid email profile"
PROVIDER_DONE = "/desk/sign-in/provider/done"
"""The page to which the provider sends people back: it has to know its address."""

_STATE, _NONCE, _VERIFIER = "oidc state", "oidc nonce", "oidc verifier"


@dataclass(frozen=True, slots=True)
class Departure:
    """The address to which the browser goes, and the token for its cookie."""

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
    """The provider's own description, and its keys."""

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
        """The name of the provider; None without one."""
        return None if self._provider is None else self._provider.name

    def begin(self) -> Departure:
        """Begins a sign-in. Raises 404 without a provider, and 503 while it does not answer."""
        provider = self._configured()
        token = new_secret()
        metadata = self._look_up(provider).metadata
        with self._client(provider, metadata) as client:
            url, _ = client.create_authorization_url(
                metadata["authorization_endpoint"],
                code_verifier=secret_from(token, purpose=_VERIFIER),
                state=secret_from(token, purpose=_STATE),
                nonce=secret_from(token, purpose=_NONCE),
            )
        return Departure(url, token)

    def finish(self, token: str, *, state: str, code: str) -> Identity:
        """The person that the provider vouches for. Raises 403, and 503 while it does not answer."""
        provider = self._configured()
        if not token or not hmac.compare_digest(secret_from(token, purpose=_STATE).encode(), state.encode()):
            raise _refused("The sign-in was not begun in this browser, or took too long.")
        known = self._look_up(provider)
        try:
            with self._client(provider, known.metadata) as client:
                answer = client.fetch_token(
                    known.metadata["token_endpoint"],
                    code=code,
                    code_verifier=secret_from(token, purpose=_VERIFIER),
                )
        except AuthlibBaseError as fault:
            raise _refused(f"The provider gave no token: {fault.error}.") from None
        except (httpx.HTTPError, ValueError) as fault:
            raise _unanswered() from fault
        return self._identity(provider, str(answer.get("id_token") or ""), secret_from(token, purpose=_NONCE))

    def _identity(self, provider: IdentityProvider, id_token: str, nonce: str) -> Identity:
        known = self._look_up(provider)
        try:
            claims = self._claims(provider, known, id_token, nonce)
        except (JoseError, ValueError):
            # Signed with a key that is new, perhaps.
            if self._clock.now() < known.read_at + LOOKED_EVERY:
                raise _refused("The provider's token is not valid.") from None
            try:
                claims = self._claims(provider, self._look_up(provider, anew=True), id_token, nonce)
            except (JoseError, ValueError):
                raise _refused("The provider's token is not valid.") from None
        email = claims.get("email")
        if not isinstance(email, str) or claims.get("email_verified") is not True:
            raise _refused("The provider has not verified an e-mail address of this person.")
        methods, name = claims.get("amr"), claims.get("name")
        both = isinstance(methods, list) and "mfa" in methods
        return Identity(email, name.strip() if isinstance(name, str) and name.strip() else email, both_shown=both)

    def _claims(self, provider: IdentityProvider, known: _Known, id_token: str, nonce: str) -> CodeIDToken:
        """The claims of the token, checked by OpenID Connect Core 1.0, section 3.1.3.7. Raises JoseError."""
        claims: CodeIDToken = JsonWebToken(list(ALGORITHMS)).decode(
            id_token,
            JsonWebKey.import_key_set(known.keys),
            claims_cls=CodeIDToken,
            claims_options={
                "iss": {"essential": True, "value": provider.issuer},
                "aud": {"essential": True, "value": provider.client_id},
                "nonce": {"essential": True, "value": nonce},
            },
            claims_params={"nonce": nonce, "client_id": provider.client_id},
        )
        claims.validate(now=int(self._clock.now().timestamp()), leeway=LEEWAY_SECONDS)
        return claims

    def _look_up(self, provider: IdentityProvider, *, anew: bool = False) -> _Known:
        """The provider's addresses and keys. Raises the 503 problem."""
        now = self._clock.now()
        with self._lock:
            known = self._known
            if known is not None and not anew and known.read_at <= now < known.read_at + KNOWN_FOR:
                return known
            try:
                with httpx.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False) as client:
                    metadata = _document(client, f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration")
                    if metadata.get("issuer") != provider.issuer:
                        raise ValueError("the document is another issuer's")
                    for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                        if not isinstance(metadata.get(name), str):
                            raise ValueError(f"the document has no {name}")
                    keys = _document(client, metadata["jwks_uri"])
            except (httpx.HTTPError, httpx.InvalidURL, ValueError) as fault:
                raise _unanswered() from fault
            self._known = known = _Known(metadata, keys, now)
            return known

    def _client(self, provider: IdentityProvider, metadata: dict[str, Any]) -> OAuth2Client:
        methods = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        basic = "client_secret_basic" in methods
        return OAuth2Client(
            client_id=provider.client_id,
            client_secret=provider.client_secret,
            token_endpoint_auth_method="client_secret_basic" if basic else "client_secret_post",
            scope=SCOPE,
            redirect_uri=self._redirect_uri,
            code_challenge_method="S256",
            timeout=TIMEOUT_SECONDS,
            follow_redirects=False,
        )

    def _configured(self) -> IdentityProvider:
        if self._provider is None:
            raise ProblemError(404, "no_such_path", "There is no such page", "No identity provider is set.")
        return self._provider


def _document(client: httpx.Client, url: str) -> dict[str, Any]:
    """A JSON object of the provider. Raises HTTPError and ValueError."""
    body = bytearray()
    with client.stream("GET", url, headers={"Accept": "application/json"}) as answer:
        answer.raise_for_status()
        for chunk in answer.iter_bytes():
            body += chunk
            if len(body) > MAX_ANSWER_BYTES:
                raise ValueError("the answer is too large")
    document = json.loads(body)
    if not isinstance(document, dict):
        raise ValueError("the answer is no object")
    return document


def _refused(detail: str) -> ProblemError:
    return ProblemError(403, "provider_refused", "The sign-in was refused", detail)


def _unanswered() -> ProblemError:
    return ProblemError(
        503, "provider_unanswered", "The identity provider does not answer", "Try again, or sign in by password."
    )
