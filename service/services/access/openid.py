"""Speaks OpenID Connect; joserfc checks signatures. Loaded only where a provider is set: it would make each start a
tenth of a second longer."""

import base64
import hashlib
import json
import ssl
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any

import httpx
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from service.core.identity_provider import IdentityProvider

MAX_ANSWER_BYTES = 256 * 1024
LEEWAY_SECONDS = 60
"""Difference of the clocks that is allowed."""
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384")
"""Signatures by keys of the provider; neither none nor one by the shared secret."""
SCOPE = "openid email profile"


class RefusedError(Exception):
    """No token from the provider, or one that is not valid."""


class UnwellError(Exception):
    """No answer from the provider, or not the expected one."""


class Exchange:
    """Two steps of a sign-in by a code (RFC 6749, section 4.1; RFC 7636). Raises RefusedError and UnwellError."""

    def __init__(self, provider: IdentityProvider, metadata: Mapping[str, Any], *, redirect_uri: str) -> None:
        self._provider = provider
        self._metadata = metadata
        self._redirect_uri = redirect_uri

    def url(self, *, state: str, nonce: str, verifier: str) -> str:
        """Returns the address to which the browser goes."""
        asked = {
            "response_type": "code",
            "client_id": self._provider.client_id,
            "redirect_uri": self._redirect_uri,
            "scope": SCOPE,
            "state": state,
            "nonce": nonce,
            "code_challenge": base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("="),
            "code_challenge_method": "S256",
        }
        return str(httpx.URL(self._metadata["authorization_endpoint"]).copy_merge_params(asked))

    def id_token(self, *, code: str, verifier: str) -> str:
        """Returns the token for the code that the browser has brought."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._redirect_uri,
            "code_verifier": verifier,
        }
        client, secret = self._provider.client_id, self._provider.client_secret
        methods = self._metadata.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
        auth = httpx.BasicAuth(client, secret) if "client_secret_basic" in methods else None
        if auth is None:
            form |= {"client_id": client, "client_secret": secret}
        try:
            with _client() as http:
                answer = _document(http, "POST", self._metadata["token_endpoint"], data=form, auth=auth)
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as fault:
            raise UnwellError(str(fault)) from fault
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise RefusedError(str(answer.get("error", "there is none in the answer")))
        return token


def read_provider(provider: IdentityProvider) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the provider's own description (OpenID Connect Discovery 1.0), and its keys. Raises UnwellError."""
    try:
        with _client() as client:
            at = f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration"
            metadata = _document(client, "GET", at)
            if metadata.get("issuer") != provider.issuer:
                raise UnwellError("the document is another issuer's")
            for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
                if not isinstance(metadata.get(name), str):
                    raise UnwellError(f"the document has no {name}")
            return metadata, _document(client, "GET", metadata["jwks_uri"])
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as fault:
        raise UnwellError(str(fault)) from fault


def _client() -> httpx.Client:
    # Redirects are not followed: the operator has named the issuer, and its document the rest.
    return httpx.Client(timeout=10.0, follow_redirects=False, verify=_certificates())  # For each answer.


@cache
def _certificates() -> ssl.SSLContext:
    """Returns the certificates that httpx trusts. Reading them takes 50 ms, and a sign-in has three clients."""
    return httpx.create_ssl_context()


def _document(client: httpx.Client, method: str, url: str, **sent: Any) -> dict[str, Any]:
    """Returns the answer, also one of a refusal (RFC 6749, section 5.2). Raises ValueError and httpx.HTTPError."""
    body = bytearray()
    with client.stream(method, url, headers={"Accept": "application/json"}, **sent) as answer:
        if method == "GET" or not answer.is_client_error:
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
    """Returns the claims of the token, checked by OpenID Connect Core 1.0, section 3.1.3.7. Raises RefusedError."""
    try:
        usable = [key for key in keys["keys"] if key.get("kty") in ("RSA", "EC")]
        claims = jwt.decode(id_token, KeySet.import_key_set({"keys": usable}), list(ALGORITHMS)).claims
        audience = claims.get("aud")
        checked = jwt.JWTClaimsRegistry(
            now=int(now.timestamp()),
            leeway=LEEWAY_SECONDS,
            iss={"essential": True, "value": provider.issuer},
            sub={"essential": True},
            aud={"essential": True, "value": provider.client_id},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True, "value": nonce},
            # Of several audiences, the one that the token was made for.
            azp={"essential": isinstance(audience, list) and len(audience) > 1, "value": provider.client_id},
        )
        checked.validate(claims)
    except (JoseError, ValueError, TypeError, KeyError, AttributeError) as fault:
        raise RefusedError(str(fault)) from None
    return claims
