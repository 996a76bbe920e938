"""Signing in by an identity provider: a small one runs here over HTTP, and lies in every way that must be found out."""

import base64
import hashlib
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from service.core.identity_provider import IdentityProvider
from service.core.permissions import Role
from service.desk.people.provider import MAX_CODE
from service.services.access.attempts import WRONG_BY_ADDRESS
from service.services.access.identity import KNOWN_FOR, LOOKED_EVERY
from service.services.access.openid import LEEWAY_SECONDS, MAX_ANSWER_BYTES
from tests.service.desk.test_second_factor import STEP, turn_on
from tests.service.support.application import PUBLIC_URL, Service, VirtualClock, running
from tests.service.support.desk import Person, browser, link_for, person, text_of

WAY, DONE = "/desk/sign-in/provider", "/desk/sign-in/provider/done"
CLIENT, SECRET = "menu-boards", "a secret of both"
EMAIL = "kim@example.com"


@cache
def first_key() -> Any:
    """The provider's key at first, the same one for all tests: to make one takes a fifth of a second."""
    return RSAKey.generate_key(2048, {"kid": "first"})


class Provider:
    """An OpenID Connect provider: discovery, keys, authorization and tokens."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.key = first_key()
        self.published = [self.key]
        self.claims: dict[str, Any] = {"email": EMAIL, "email_verified": True, "name": "Kim"}
        self.other: dict[str, Any] = {}
        """Claims that are not as they should be; None is left out."""
        self.header: dict[str, Any] = {"alg": "RS256", "kid": "first"}
        self.signed_with: Any = None
        self.metadata: dict[str, Any] = {}
        self.other_keys: list[dict[str, str]] = []
        self.keys_read = 0
        self.asked: dict[str, dict[str, str]] = {}
        self.issuer = ""
        self.padding = 0

    def answer(self, path: str, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        if path == "/.well-known/openid-configuration":
            ends = {f"{name}_endpoint": f"{self.issuer}/{name}" for name in ("authorization", "token")}
            return 200, {"issuer": self.issuer, **ends, "jwks_uri": f"{self.issuer}/keys", **self.metadata}
        if path == "/keys":
            self.keys_read += 1
            keys = [key.as_dict(private=False) for key in self.published]
            return 200, {"keys": [*self.other_keys, *keys], "padding": "x" * self.padding}
        asked = self.asked.pop(form.get("code", ""), None)
        basic = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        client = basic or f"{form['client_id']}:{form['client_secret']}"
        challenge = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        known = (
            asked is not None and base64.urlsafe_b64encode(challenge).decode().rstrip("=") == asked["code_challenge"]
        )
        if not known or client != f"{CLIENT}:{SECRET}" or form["redirect_uri"] != PUBLIC_URL + DONE:
            return 400, {"error": "invalid_grant"}
        assert asked is not None
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": self.id_token(asked["nonce"])}

    def id_token(self, nonce: str) -> str:
        now = int(self.clock.now().timestamp())
        right = {"iss": self.issuer, "aud": CLIENT, "sub": "1", "iat": now, "exp": now + 300, "nonce": nonce}
        claims = {name: value for name, value in {**right, **self.claims, **self.other}.items() if value is not None}
        if self.header["alg"] == "none":
            parts = (json.dumps(one).encode() for one in (self.header, claims))
            return ".".join(base64.urlsafe_b64encode(one).decode().rstrip("=") for one in parts) + "."
        return jwt.encode(self.header, claims, self.signed_with or self.key, [self.header["alg"]])

    def authorize(self, url: str, code: str = "code-1") -> str:
        """The provider lets the person in: the path to which it sends the browser back."""
        parts = urlsplit(url)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        assert (parts.scheme + "://" + parts.netloc + parts.path) == f"{self.issuer}/authorization"
        assert (asked["client_id"], asked["response_type"], asked["code_challenge_method"]) == (CLIENT, "code", "S256")
        assert asked["redirect_uri"] == PUBLIC_URL + DONE
        assert "openid" in asked["scope"].split()
        self.asked[code] = asked
        return f"{DONE}?{urlencode({'code': code, 'state': asked['state']})}"


@pytest.fixture
def provider(clock: VirtualClock) -> Iterator[Provider]:
    made = Provider(clock)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer({})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer({name: values[0] for name, values in parse_qs(body).items()})

        def _answer(self, form: dict[str, str]) -> None:
            status, document = made.answer(self.path, form, self.headers.get("Authorization", ""))
            raw = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made.issuer = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield made
        server.shutdown()
        thread.join()


@asynccontextmanager
async def served(tmp_path: Path, url: str | None, clock: VirtualClock, provider: Provider) -> AsyncIterator[Service]:
    known = IdentityProvider(provider.issuer, CLIENT, SECRET, "Example Login")
    async with running(tmp_path, clock=clock, database=url, identity_provider=known) as service:
        yield service


async def go(one: Person, provider: Provider, to: str = "") -> httpx.Response:
    """Through the provider and back."""
    left = await one.client.get(f"{WAY}?{urlencode({'next': to})}" if to else WAY)
    assert left.status_code == 303, text_of(left)
    return await one.client.get(provider.authorize(left.headers["location"]))


async def test_failed_attempts_are_limited_per_address_over_restarts(
    tmp_path: Path, database_url: str | None, clock: VirtualClock, provider: Provider
) -> None:
    limit, window = WRONG_BY_ADDRESS[0]
    async with served(tmp_path, database_url, clock, provider) as service, browser(service) as one:
        link_for(service, Role.OWNER)
        for _ in range(limit):
            assert (await one.client.get(f"{DONE}?code=x&state=x")).status_code == 403
    async with served(tmp_path, database_url, clock, provider) as service, browser(service) as one:
        assert (await go(one, provider)).status_code == 429
        clock.set(clock.now() + window)
        assert (await go(one, provider)).status_code == 303


async def test_a_member_signs_in_by_the_provider_and_is_where_they_wanted_to_be(
    tmp_path: Path, database_url: str | None, clock: VirtualClock, provider: Provider
) -> None:
    async with served(tmp_path, database_url, clock, provider) as service, browser(service) as one:
        link_for(service, Role.EDITOR)
        assert "Sign in with Example Login" in text_of(await one.open("/desk/sign-in"))
        provider.claims["email"] = "KIM@Example.com"
        done = await go(one, provider, "/desk/menu?search=tea")
        assert done.headers["location"] == "/desk/menu?search=tea"
        assert "Role: Editor" in text_of(await one.open("/desk/profile"))
        assert one.client.cookies.get("__Host-desk-provider") is None
        assert (await go(one, provider, "https://evil.example/")).headers["location"] == "/desk/screens"


async def test_the_secret_goes_into_the_form_where_the_provider_asks_for_it_and_keys_of_later_kinds_do_not_matter(
    tmp_path: Path, database_url: str | None, clock: VirtualClock, provider: Provider
) -> None:
    provider.metadata = {
        "authorization_endpoint": f"{provider.issuer}/authorization?realm=shop",
        "token_endpoint_auth_methods_supported": ["client_secret_post"],
    }
    provider.other_keys = [{"kty": "AKP", "alg": "ML-DSA-44", "kid": "later", "pub": "AAAA"}]
    async with served(tmp_path, database_url, clock, provider) as service, browser(service) as one:
        link_for(service, Role.EDITOR)
        assert "realm=shop" in (await one.client.get(WAY)).headers["location"]
        assert (await go(one, provider)).status_code == 303


async def test_an_invited_person_joins_by_it_and_nobody_else(
    tmp_path: Path, database_url: str | None, clock: VirtualClock, provider: Provider
) -> None:
    async with served(tmp_path, database_url, clock, provider) as service, browser(service) as one:
        owner = service.caller(Role.OWNER)
        provider.claims |= {"email": "lee@example.com", "name": " Lee\0 "}
        stranger = await go(one, provider)
        assert stranger.status_code == 403
        assert "Nobody has invited this e-mail address." in text_of(stranger)
        await owner.make("/v1/team/invites", {"email": "Lee@example.com", "role": "Publisher"})
        assert (await go(one, provider)).headers["location"] == "/desk/screens"
        assert "Role: Publisher" in text_of(await one.open("/desk/profile"))
        [member] = (await owner.get("/v1/team/members")).json()["data"]
        assert (member["name"], member["email"]) == ("Lee", "Lee@example.com")
        assert (await owner.get("/v1/team/invites")).json()["data"] == []


LIES: dict[str, dict[str, Any]] = {
    "another issuer": {"other": {"iss": "https://evil.example"}},
    "another audience": {"other": {"aud": "another client"}},
    "several audiences of which another is meant": {"other": {"aud": [CLIENT, "x"], "azp": "x"}},
    "no audience": {"other": {"aud": None}},
    "expired": {"other": {"exp": 1_700_000_000}},
    "no expiry": {"other": {"exp": None}},
    "of the future": {"other": {"iat": 4_000_000_000}},
    "another nonce": {"other": {"nonce": "x"}},
    "no nonce": {"other": {"nonce": None}},
    "no subject": {"other": {"sub": None}},
    "not signed": {"header": {"alg": "none"}},
    "signed with the shared secret": {"header": {"alg": "HS256"}, "signed_with": OctKey.import_key(SECRET)},
    "an address that is not verified": {"other": {"email_verified": False}},
    "an address that is verified by a word": {"other": {"email_verified": "true"}},
    "no address": {"other": {"email": None}},
    "an address that is no text": {"other": {"email": [EMAIL]}},
    "an address that no database stores": {"other": {"email": "kim\0@example.com"}},
}


@pytest.mark.first_case
@pytest.mark.parametrize("lie", list(LIES))
async def test_a_token_that_lies_signs_nobody_in(
    tmp_path: Path, database_url: str | None, clock: VirtualClock, provider: Provider, lie: str
) -> None:
    async with served(tmp_path, database_url, clock, provider) as service, browser(service) as one:
        link_for(service, Role.OWNER)
        for name, value in LIES[lie].items():
            setattr(provider, name, value)
        refused = await go(one, provider)
        assert refused.status_code == 403, lie
        assert "The sign-in was refused." in text_of(refused)
        assert one.session is None


async def test_a_token_that_somebody_else_has_signed_is_refused_and_a_new_key_is_found(
    tmp_path: Path, database_url: str | None, clock: VirtualClock, provider: Provider
) -> None:
    async with served(tmp_path, database_url, clock, provider) as service, browser(service) as one:
        link_for(service, Role.OWNER)
        forger = RSAKey.generate_key(2048, {"kid": "first"})
        provider.signed_with = forger
        # Neither the key's name nor a key in the header makes it another one.
        for header in ({"kid": "first"}, {"kid": "first", "jwk": forger.as_dict(private=False)}, {"kid": "second"}):
            provider.header = {"alg": "RS256", **header}
            assert (await go(one, provider)).status_code == 403
        assert provider.keys_read == 1
        clock.set(clock.now() + LOOKED_EVERY)
        assert (await go(one, provider)).status_code == 403
        assert provider.keys_read == 2
        # The provider changes its keys.
        provider.key = RSAKey.generate_key(2048, {"kid": "second"})
        provider.published, provider.signed_with = [provider.key], None
        provider.header = {"alg": "RS256", "kid": "second"}
        clock.set(clock.now() + LOOKED_EVERY)
        assert (await go(one, provider)).status_code == 303
        clock.set(clock.now() + KNOWN_FOR)
        assert (await go(one, provider)).status_code == 303
        assert provider.keys_read == 4
        clock.set(clock.now() - timedelta(seconds=LEEWAY_SECONDS / 2))
        provider.other = {"iat": int(clock.now().timestamp()) + LEEWAY_SECONDS // 2}
        assert (await go(one, provider)).status_code == 303


async def test_the_answer_of_another_browser_and_a_second_use_are_refused(
    tmp_path: Path, database_url: str | None, clock: VirtualClock, provider: Provider
) -> None:
    async with (
        served(tmp_path, database_url, clock, provider) as service,
        browser(service) as one,
        browser(service) as mallory,
    ):
        link_for(service, Role.OWNER)
        left = await mallory.client.get(WAY)
        back = provider.authorize(left.headers["location"])
        # Whoever follows it without having begun, or having begun elsewhere, is not signed in as somebody else.
        assert (await one.client.get(back)).status_code == 403
        await one.client.get(WAY)
        assert (await one.client.get(back)).status_code == 403
        assert one.session is None
        # The code was not used up by them; with it the right browser gets in, once.
        assert (await mallory.client.get(back)).status_code == 303
        first = mallory.session
        assert (await mallory.client.get(back)).status_code == 403
        assert mallory.session == first
        left = await one.client.get(WAY)
        wrong = provider.authorize(left.headers["location"]).replace("code-1", "code-2")
        assert (await one.client.get(wrong)).status_code == 403
        await one.client.get(WAY)
        assert (await one.client.get(f"{DONE}?error=access_denied&state=x")).status_code == 403
        await one.client.get(WAY)
        assert (await one.client.get(f"{DONE}?code={'x' * (MAX_CODE + 1)}&state=x")).status_code == 403


async def test_it_replaces_a_session_that_somebody_has_planted_and_its_cookie_is_hidden(
    tmp_path: Path, database_url: str | None, clock: VirtualClock, provider: Provider
) -> None:
    async with (
        served(tmp_path, database_url, clock, provider) as service,
        browser(service) as one,
        person(service, Role.VIEWER, "mallory@example.com") as mallory,
    ):
        link_for(service, Role.OWNER)
        one.client.cookies.set("__Host-desk", mallory.session or "", domain="service.test")
        left = await one.client.get(WAY)
        cookie = left.headers["set-cookie"].lower()
        assert cookie.startswith("__host-desk-provider=")
        assert all(part in cookie for part in ("httponly", "secure", "samesite=lax", "path=/"))
        done = await one.client.get(provider.authorize(left.headers["location"]))
        assert mallory.session not in done.headers["set-cookie"]
        assert "__Host-desk=" in done.headers["set-cookie"]


@pytest.mark.parametrize(("methods", "asked"), [(None, True), (["pwd"], True), (["pwd", "mfa"], False)])
async def test_the_second_factor_is_asked_for_unless_the_provider_has_asked_for_one(
    tmp_path: Path, database_url: str | None, clock: VirtualClock, provider: Provider, methods: object, asked: bool
) -> None:
    async with served(tmp_path, database_url, clock, provider) as service, browser(service) as one:
        async with person(service, Role.EDITOR) as kim:
            await turn_on(kim, clock)
        provider.claims["amr"] = methods
        done = await go(one, provider)
        assert done.headers["location"].startswith(STEP) == asked
        assert (one.session is None) == asked


@pytest.mark.parametrize("fault", ["another issuer", "no keys", "too much", "no endpoint"])
async def test_a_provider_that_does_not_answer_as_it_should_says_so(
    tmp_path: Path, database_url: str | None, clock: VirtualClock, provider: Provider, fault: str
) -> None:
    async with served(tmp_path, database_url, clock, provider) as service, browser(service) as one:
        match fault:
            case "another issuer":
                provider.metadata = {"issuer": "https://evil.example"}
            case "no keys":
                provider.metadata = {"jwks_uri": "http://127.0.0.1:9/keys"}
            case "too much":
                provider.padding = MAX_ANSWER_BYTES
            case "no endpoint":
                provider.metadata = {"token_endpoint": None}
        answer = await one.open(WAY)
        assert answer.status_code == 503
        assert "The identity provider does not answer." in text_of(answer)
        provider.metadata, provider.padding = {}, 0
        assert (await one.client.get(WAY)).status_code == 303


async def test_without_a_provider_there_is_no_such_way(service: Service) -> None:
    async with browser(service) as one:
        assert "Sign in with Example" not in text_of(await one.open("/desk/sign-in"))
        assert (await one.client.get(WAY)).status_code == 404
        assert (await one.client.get(f"{DONE}?code=x&state=x")).status_code in (403, 404)
