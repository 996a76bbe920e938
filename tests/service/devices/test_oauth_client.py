"""Pairing with a public client of RFC 8628: oauthlib writes every request and reads every answer."""

from datetime import timedelta
from urllib.parse import urlsplit

import httpx
import pytest
from oauthlib.oauth2 import DeviceClient, OAuth2Error, OAuth2Token

from service.services.devices.pairing import CODE_LIFETIME, INTERVAL_SECONDS, SLOW_DOWN_SECONDS
from tests.service.support.application import DEVICE_ID, Cafe, Caller, Service

BASE = "https://service.test/v1/player"
"""oauthlib requires HTTPS."""
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
WAITING = {"authorization_pending", "slow_down"}


class PublicPlayer:
    """A player that implements only the standard."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._oauth = DeviceClient("menu-player")
        self.answers: list[str] = []

    async def ask_codes(self) -> None:
        prepared = urlsplit(self._oauth.prepare_request_uri(f"{BASE}/device_authorization", device_id=DEVICE_ID))
        # RFC 8628, section 3.1: the parameters that oauthlib puts into the URL belong into the form.
        response = await self._post(prepared._replace(query="").geturl(), prepared.query)
        assert response.status_code == 200, response.text
        codes = response.json()
        self.device_code: str = codes["device_code"]
        self.user_code: str = codes["user_code"]
        self.interval: int = codes.get("interval", 5)
        self.lifetime: int = codes["expires_in"]

    async def ask_token(self) -> OAuth2Token:
        body = self._oauth.prepare_request_body(self.device_code, include_client_id=True)
        response = await self._post(f"{BASE}/token", body)
        try:
            token: OAuth2Token = self._oauth.parse_request_body_response(response.text)
        except OAuth2Error as refusal:
            assert response.status_code == 400
            self.answers.append(refusal.error)
            raise
        self.answers.append("token")
        return token

    async def poll(self) -> OAuth2Token:
        """Section 3.5: wait for the interval between two calls, and for five seconds more after each `slow_down`."""
        while True:
            try:
                return await self.ask_token()
            except OAuth2Error as refusal:
                if refusal.error not in WAITING:
                    raise
                self.interval += 5 if refusal.error == "slow_down" else 0
            await self._service.pass_seconds(self.interval)

    async def get(self, path: str) -> httpx.Response:
        address, headers, _ = self._oauth.add_token(f"{BASE}/{path}")
        return await self._service.client.get(address, headers=headers)

    async def _post(self, address: str, form: str) -> httpx.Response:
        return await self._service.client.post(address, content=form, headers=FORM)


@pytest.fixture
async def player(service: Service) -> PublicPlayer:
    player = PublicPlayer(service)
    await player.ask_codes()
    return player


async def enter_code(owner: Caller, cafe: Cafe, player: PublicPlayer) -> str:
    where = {"code": player.user_code, "playlist": cafe.playlist, "location": cafe.location}
    screen: str = (await owner.make("/v1/screens/pair", where))["id"]
    return screen


async def test_a_public_client_becomes_a_screen(
    service: Service, owner: Caller, cafe: Cafe, player: PublicPlayer
) -> None:
    assert (player.interval, player.lifetime) == (INTERVAL_SECONDS, int(CODE_LIFETIME.total_seconds()))
    with pytest.raises(OAuth2Error):
        await player.ask_token()
    await service.pass_seconds(player.interval)
    screen = await enter_code(owner, cafe, player)

    token = await player.poll()

    assert player.answers == ["authorization_pending", "token"]
    assert token["screen_id"] == screen
    manifest = await player.get("manifest")
    assert manifest.status_code == 200
    assert manifest.json()["playlist"]["id"] == cafe.playlist


async def test_a_client_that_slows_down_is_served(
    service: Service, owner: Caller, cafe: Cafe, player: PublicPlayer
) -> None:
    for _ in range(2):
        with pytest.raises(OAuth2Error):
            await player.ask_token()
    player.interval += SLOW_DOWN_SECONDS
    await service.pass_seconds(player.interval)
    with pytest.raises(OAuth2Error):
        await player.ask_token()
    assert player.answers == ["authorization_pending", "slow_down", "authorization_pending"]

    await enter_code(owner, cafe, player)
    await player.poll()

    assert player.answers[-1] == "token"


async def test_an_unclaimed_code_ends_the_wait(service: Service, player: PublicPlayer) -> None:
    service.clock.set(service.clock.now() + timedelta(seconds=player.lifetime))

    with pytest.raises(OAuth2Error) as refused:
        await player.poll()

    assert refused.value.error == "expired_token"


async def test_a_screen_removed_at_once_is_denied(owner: Caller, cafe: Cafe, player: PublicPlayer) -> None:
    screen = await enter_code(owner, cafe, player)
    await owner.delete(f"/v1/screens/{screen}")

    with pytest.raises(OAuth2Error) as refused:
        await player.poll()

    assert refused.value.error == "access_denied"


async def test_a_device_code_is_void_after_the_first_use_of_its_token(
    owner: Caller, cafe: Cafe, player: PublicPlayer
) -> None:
    await enter_code(owner, cafe, player)
    await player.poll()
    await player.get("manifest")

    with pytest.raises(OAuth2Error) as refused:
        await player.poll()

    assert refused.value.error == "invalid_grant"
