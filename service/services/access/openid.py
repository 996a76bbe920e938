"""Speaks OpenID Connect by Authlib. Loaded only where a provider is set: it would make each start a tenth of a second
longer."""

import json
import ssl
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

import httpx
from authlib.common.errors import AuthlibBaseError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.jose import JsonWebKey, JsonWebToken
from authlib.jose.errors import JoseError
from authlib.oidc.core import CodeIDToken

from service.core.identity_provider import IdentityProvider

TIMEOUT_SECONDS = 10.0
"""For each answer of the provider."""
MAX_ANSWER_BYTES = 256 * 1024
LEEWAY_SECONDS = 60
"""Difference of the clocks that is allowed."""
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384")
"""Signatures by keys of the provider; neither none nor one by the shared secret."""
SCOPE = "openid email profile"


class RefusedError(Exception):
    """The provider gave no token, or one that is not valid."""


class UnwellError(Exception):
    """The provider does not answer, or not as it should."""


class Exchange:
    """The two steps of a sign-in. Raises RefusedError and UnwellError."""

    def __init__(self, provider: IdentityProvider, metadata: Mapping[str, Any], *, redirect_uri: str) -> None:
        methods = metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        basic = "client_secret_basic" in methods
        self._metadata = metadata
        self._client = OAuth2Client(
            client_id=provider.client_id,
            client_secret=provider.client_secret,
            token_endpoint_auth_method="client_secret_basic" if basic else "client_secret_post",
            scope=SCOPE,
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
            timeout=TIMEOUT_SECONDS,
            follow_redirects=False,
            verify=_certificates(),
        )

    def url(self, *, state: str, nonce: str, verifier: str) -> str:
        """The address to which the browser goes."""
        with self._client as client:
            at = self._metadata["authorization_endpoint"]
            return str(client.create_authorization_url(at, code_verifier=verifier, state=state, nonce=nonce)[0])

    def id_token(self, *, code: str, verifier: str) -> str:
        """The token for the code that the browser has brought."""
        with self._client as client:
            try:
                answer = client.fetch_token(self._metadata["token_endpoint"], code=code, code_verifier=verifier)
            except AuthlibBaseError as fault:
                raise RefusedError(fault.error) from None
            except (httpx.HTTPError, ValueError) as fault:
                raise UnwellError(str(fault)) from fault
        return str(answer.get("id_token") or "")


def read_provider(provider: IdentityProvider) -> tuple[dict[str, Any], dict[str, Any]]:
    """The provider's own description (OpenID Connect Discovery 1.0), and its keys. Raises UnwellError."""
    try:
        # Redirects are not followed: the operator has named the issuer, and its document the rest.
        with httpx.Client(timeout=TIMEOUT_SECONDS, follow_redirects=False, verify=_certificates()) as client:
            metadata = _document(client, f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration")
            if metadata.get("issuer") != provider.issuer:
                raise UnwellError("the document is another issuer's")
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                if not isinstance(metadata.get(name), str):
                    raise UnwellError(f"the document has no {name}")
            return metadata, _document(client, metadata["jwks_uri"])
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as fault:
        raise UnwellError(str(fault)) from fault


@cache
def _certificates() -> ssl.SSLContext:
    """The certificates that httpx trusts. To read them takes 50 ms, and a sign-in has three clients."""
    return httpx.create_ssl_context()


def _document(client: httpx.Client, url: str) -> dict[str, Any]:
    body = bytearray()
    with client.stream("GET", url, headers={"Accept": "application/json"}) as answer:
        answer.raise_for_status()
        for chunk in answer.iter_bytes():
            body += chunk
            if len(body) > MAX_ANSWER_BYTES:
                raise UnwellError("the answer is too large")
    document = json.loads(body)
    if not isinstance(document, dict):
        raise UnwellError("the answer is no object")
    return document


def claims_of(
    id_token: str, provider: IdentityProvider, keys: Mapping[str, Any], *, nonce: str, now: datetime
) -> Mapping[str, Any]:
    """The claims of the token, checked by OpenID Connect Core 1.0, section 3.1.3.7. Raises RefusedError."""
    try:
        claims: CodeIDToken = JsonWebToken(list(ALGORITHMS)).decode(
            id_token,
            JsonWebKey.import_key_set(dict(keys)),
            claims_cls=CodeIDToken,
            claims_options={
                "iss": {"essential": True, "value": provider.issuer},
                "aud": {"essential": True, "value": provider.client_id},
                "nonce": {"essential": True, "value": nonce},
            },
            claims_params={"nonce": nonce, "client_id": provider.client_id},
        )
        claims.validate(now=int(now.timestamp()), leeway=LEEWAY_SECONDS)
    except (JoseError, ValueError, TypeError, KeyError) as fault:
        raise RefusedError(str(fault)) from None
    return dict(claims)
