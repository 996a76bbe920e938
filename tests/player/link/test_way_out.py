"""The way to the service: proxies, certificates of the shop's own, and no more of its line than is allowed."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime
from pathlib import Path

import pytest

from player.device.network import NetworkFiles
from player.domain.link.connection import Step
from player.domain.link.fault import Fault
from player.link import api as link
from player.link import authorities
from player.link.api import ServiceApi
from player.link.authorities import Authorities
from player.link.outcomes import Failed, Fetched, Fresh
from player.link.probe.probe import Probe
from player.link.probe.way import BestTime
from tests.support.authority import Authority
from tests.support.hostile import HostileServer, document, hostile_server, whole
from tests.support.proxy import a_proxy

CERTIFICATE = Path(__file__).parents[2] / "support" / "certificates" / "loopback.pem"
DIGEST = "0" * 64
NAME = "menus.invalid"


class Sink:
    async def begin(self, offset: int) -> bool:
        return offset == 0

    async def write(self, chunk: bytes) -> bool:
        return True


def answer_all(server: HostileServer) -> None:
    server.on("/device_authorization", document(200, {}))
    server.on("/token", document(200, {}))
    server.on("/manifest", document(200, {}))
    server.on("/heartbeat", document(200, {}))
    server.on("/screenshot", document(200, {}))
    server.on("/logs", document(200, {}))
    server.on(f"/assets/sha256:{DIGEST}", whole(200, b"x", kind="image/png"))


async def every_call(api: ServiceApi) -> list[object]:
    return [
        await api.authorize_device(device_id="ab" * 16),
        await api.token(device_code="x"),
        await api.manifest(token="tok", etag=None, wait=0),
        await api.heartbeat(token="tok", body=b"{}"),
        await api.asset(token="tok", digest=DIGEST, offset=0, sink=Sink()),
        await api.upload("/screenshot", token="tok", content=b"PNG", media_type="image/png"),
        await api.upload("/logs", token="tok", content=b"line", media_type="text/plain"),
    ]


def tls() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


@pytest.mark.proves("proxy-asks-password")
@pytest.mark.parametrize("encrypted", [True, False])
async def test_every_call_goes_through_the_proxy(encrypted: bool, tmp_path: Path) -> None:
    """Only the proxy knows the name of the service: a call that goes past it finds nothing."""
    authority = Authority(tmp_path)
    async with hostile_server(tls=authority.server(NAME) if encrypted else None) as server:
        port = int(server.url.rpartition(":")[2])
        async with a_proxy("secret", {NAME: port}) as proxy:
            answer_all(server)
            api = ServiceApi(
                f"{'https' if encrypted else 'http'}://{NAME}:{port}",
                app_version="0",
                allow_plain_http=True,
                proxy=proxy.url.replace("http://", "http://shop:secret@"),
                ca_file=authority.file,
            )
            outcomes = await every_call(api)
            probe = Probe(
                service=api.service,
                certificates=api.certificates,
                proxy=proxy.url.replace("http://", "http://shop:secret@"),
                app_version="0",
                network=NetworkFiles().read,
                now=lambda: BestTime(at=datetime.now(UTC), system=datetime.now(UTC), certain=True),
            )
            test = await probe.run()
            await api.close()
    assert all(isinstance(outcome, Fresh | Fetched) for outcome in outcomes), outcomes
    assert len(server.requests) >= len(outcomes)
    assert all(asked.startswith("CONNECT") is encrypted for asked in proxy.asked)
    reached = {result.step: result.passed for result in test.steps}
    assert reached[Step.TLS] is (True if encrypted else None), test
    assert reached[Step.HTTP] is True, test


async def test_a_call_that_goes_past_the_proxy_would_be_seen() -> None:
    api = ServiceApi(f"http://{NAME}:80", app_version="0", allow_plain_http=True)
    assert all(isinstance(outcome, Failed) for outcome in await every_call(api))
    await api.close()


@pytest.mark.proves("proxy-asks-password")
@pytest.mark.parametrize("encrypted", [True, False])
async def test_a_wrong_password_is_said(encrypted: bool) -> None:
    async with hostile_server(tls=tls() if encrypted else None) as server, a_proxy("secret") as proxy:
        by = proxy.url.replace("http://", "http://shop:wrong@")
        api = ServiceApi(server.url, app_version="0", proxy=by, ca_file=CERTIFICATE)
        outcomes = await every_call(api)
        await api.close()
    for outcome in outcomes:
        assert isinstance(outcome, Failed)
        assert outcome.fault is Fault.PROXY_SIGN_IN
        assert "407" in outcome.detail
        assert "proxy" in outcome.detail.lower()
        assert "wrong" not in outcome.detail


async def test_a_proxy_that_is_not_there_is_like_a_network_that_is_not_there() -> None:
    api = ServiceApi("https://menus.example.com", app_version="0", proxy="http://127.0.0.1:9")
    outcome = await api.manifest(token="tok", etag=None, wait=0)
    await api.close()
    assert isinstance(outcome, Failed)
    assert outcome.away


@pytest.mark.proves("proxy-asks-password")
async def test_a_private_authority_is_trusted_beside_the_system_s(monkeypatch: pytest.MonkeyPatch) -> None:
    async with hostile_server(tls=tls()) as server:
        answer_all(server)
        for api, trusted in (
            (ServiceApi(server.url, app_version="0"), False),
            (ServiceApi(server.url, app_version="0", ca_file=CERTIFICATE), True),
        ):
            outcomes = await every_call(api)
            await api.close()
            for outcome in outcomes:
                assert isinstance(outcome, Fresh | Fetched) is trusted
                assert trusted or (isinstance(outcome, Failed) and outcome.fault is Fault.CERTIFICATE_SELF_SIGNED)
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        api = ServiceApi(server.url, app_version="0")
        assert isinstance(await api.manifest(token="tok", etag=None, wait=0), Fresh)
        await api.close()
    system = len(ssl.create_default_context().get_ca_certs())
    context = link._certificates("https://menus.example.com", CERTIFICATE, None, lambda _: None)
    assert isinstance(context, Authorities)
    assert len(context.newest.get_ca_certs()) >= system


@pytest.mark.first_case
@pytest.mark.proves("private-authority-ca")
@pytest.mark.parametrize("way", ["calls", "test"])
async def test_an_authority_that_is_replaced_is_believed_without_a_restart(way: str, tmp_path: Path) -> None:
    old, new, file = Authority(made(tmp_path / "old")), Authority(made(tmp_path / "new")), tmp_path / "ca.pem"
    told: list[str | None] = []
    file.write_bytes(old.file.read_bytes())
    async with hostile_server(tls=new.server("127.0.0.1")) as server:
        answer_all(server)
        api = ServiceApi(server.url, app_version="0", ca_file=file, told_of_ca_file=told.append)
        probe = Probe(
            service=api.service,
            certificates=api.certificates,
            network=NetworkFiles().read,
            now=lambda: BestTime(at=datetime.now(UTC), system=datetime.now(UTC), certain=True),
        )

        async def is_trusted() -> bool:
            if way == "calls":
                return isinstance(await api.manifest(token="tok", etag=None, wait=0), Fresh)
            return Step.TLS in {result.step for result in (await probe.run()).steps if result.passed}

        assert not await is_trusted()
        assert told == []
        good = new.file.read_bytes()
        far = b"\n" * authorities.MAX_BYTES + good
        for bad in (b"", b"x" * 100, far, good[: len(good) // 2], old.file.read_bytes() + good[:-90]):
            file.write_bytes(bad)
            assert not await is_trusted()
            assert told == [f"{file}: no whole certificates in PEM form"], bad
        file.unlink()
        assert not await is_trusted()
        assert told[1:] == [f"{file}: No such file or directory"]
        file.write_bytes(good)
        assert await is_trusted()
        assert told[2:] == [None]
        await api.close()


@pytest.mark.proves("file-ca-file")
@pytest.mark.parametrize("content", [b"", b"-----BEGIN CERTIFICATE-----\nMIIB", None])
async def test_a_bad_file_keeps_the_authority_before_it(tmp_path: Path, content: bytes | None) -> None:
    authority, told, file = Authority(tmp_path), list[str | None](), tmp_path / "ca.pem"
    file.write_bytes(authority.file.read_bytes())
    async with hostile_server(tls=authority.server("127.0.0.1")) as server:
        answer_all(server)
        api = ServiceApi(server.url, app_version="0", ca_file=file, told_of_ca_file=told.append)
        assert isinstance(await api.manifest(token="tok", etag=None, wait=0), Fresh)
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content)
        # Its connections are all new.
        later = ServiceApi(server.url, app_version="0", certificates=api.certificates)
        assert isinstance(await later.manifest(token="tok", etag=None, wait=0), Fresh)
        assert len(told) == 1
        await later.close()
        await api.close()


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder


async def test_a_file_that_vanished_costs_its_certificates_only(tmp_path: Path) -> None:
    api = ServiceApi("https://127.0.0.1:9", app_version="0", ca_file=tmp_path / "gone.pem")
    assert isinstance(await api.manifest(token="tok", etag=None, wait=0), Failed)
    await api.close()


async def test_a_dead_connection_is_noticed_by_the_system_within_a_minute() -> None:
    assert link.DEAD_PEER_SECONDS + link.QUIET_PEER_SECONDS <= 60
    assert {name for _, name, _ in link._SOCKET_OPTIONS} >= {9}, "keep-alives"
