"""A link to the store of files is followed once, without the token, and for no bytes but those that have the hash."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from player.domain.events import AssetsMissing, AssetsVerified, ServiceFailed
from player.domain.link.fault import Fault
from player.link import api as link
from player.link.api import ServiceApi
from player.link.downloads import Downloads
from player.storage.assets import AssetFolder
from tests.player.link.test_downloads import image, name, path, running, serving, version
from tests.player.link.token_source import FakeTokenSource
from tests.support.hostile import (
    Answer,
    Heard,
    HostileServer,
    Request,
    hostile_server,
    late,
    raw,
    revocation,
    silence,
    whole,
)
from tests.support.virtual import Dice, VirtualClock

CERTIFICATES = Path(__file__).parents[2] / "support" / "certificates"
CONTENT = image(1)
OBJECT = f"/bucket/files/{name(CONTENT)}"
QUERY = "X-Amz-Signature=secret"


@pytest_asyncio.fixture
async def objects() -> AsyncIterator[HostileServer]:
    async with hostile_server() as started:
        yield started


@pytest.fixture
def store(tmp_path: Path) -> AssetFolder:
    return AssetFolder(tmp_path, protected=frozenset)


@pytest.fixture
def downloads(api: ServiceApi, store: AssetFolder, clock: VirtualClock, heard: Heard) -> Downloads:
    return Downloads(api=api, token_source=FakeTokenSource(), store=store, clock=clock, random=Dice(), emit=heard)


def linking(target: str, content: bytes, *, mark: bool = True) -> Callable[[Request], Answer]:
    """A service that gives players who follow it a link, and others the bytes."""

    def decide(request: Request) -> Answer:
        if request.headers.get("menu-redirect") != "accepted":
            return serving(content)(request)
        return whole(307, headers={"Location": target, **({"Menu-Display": "1"} if mark else {})})(request)

    return decide


async def fetched(downloads: Downloads, *contents: bytes, seconds: float = 30) -> None:
    async with running(downloads):
        downloads.want([version(*contents)], on_glass=None)
        await asyncio.sleep(seconds)


async def test_a_link_is_followed_without_the_token(
    downloads: Downloads, server: HostileServer, objects: HostileServer, store: AssetFolder, heard: Heard
) -> None:
    server.on(path(CONTENT), linking(f"{objects.url}{OBJECT}?{QUERY}", CONTENT))
    objects.on_path(OBJECT, whole(200, CONTENT, kind="image/png", headers={"Set-Cookie": "a=b"}))

    await fetched(downloads, CONTENT)

    assert store.path(name(CONTENT)).read_bytes() == CONTENT
    [asked] = objects.requests
    assert asked.path == f"{OBJECT}?{QUERY}"
    assert not {"authorization", "cookie", "menu-redirect", "if-range", "range"} & asked.headers.keys()
    assert "tok" not in str(asked.headers)
    assert len(server.requests) == 1
    assert isinstance(heard.events[-1], AssetsVerified)


async def test_a_download_by_a_link_goes_on_where_it_stopped(
    downloads: Downloads, server: HostileServer, objects: HostileServer, store: AssetFolder
) -> None:
    content = image(2, 400_000)
    server.on(path(content), linking(f"{objects.url}{OBJECT}?{QUERY}", content))
    cut = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 400000\r\n\r\n" + content[:300_000])
    rest = {"Content-Range": "bytes 300000-399999/400000"}
    objects.on_path(OBJECT, cut, whole(206, content[300_000:], kind="image/png", headers=rest))

    await fetched(downloads, content)

    assert store.path(name(content)).read_bytes() == content
    assert [one.headers.get("range") for one in objects.requests] == [None, "bytes=300000-"]
    assert len(server.requests) == 2, "each attempt asks for a link of its own: they are short-lived"


NO_USE: list[tuple[str, Callable[[Request], Answer]]] = [
    ("the link was forged, or has expired", whole(403, b"<Error/>", kind="application/xml")),
    ("the object is gone", whole(404, b"<Error/>", kind="application/xml")),
    ("it redirects to itself", whole(307, headers={"Location": OBJECT, "Menu-Display": "1"})),
    ("it redirects to the service", whole(302, headers={"Location": "http://127.0.0.1/v1/player/manifest"})),
    ("it speaks as the service", revocation),
    ("it sends a web page", whole(200, b"<html>", kind="text/html")),
    ("it sends another part", whole(206, b"x", headers={"Content-Range": "bytes 7-7/1000"})),
    ("it is silent", silence()),
    ("it begins too late", late(link.READ_SECONDS + 1, whole(200, CONTENT))),
    ("it speaks no HTTP", raw(b"SSH-2.0-x\r\n")),
]


@pytest.mark.parametrize(("what", "answer"), NO_USE, ids=[one for one, _ in NO_USE])
async def test_the_service_sends_what_the_store_does_not(
    downloads: Downloads,
    server: HostileServer,
    objects: HostileServer,
    store: AssetFolder,
    heard: Heard,
    what: str,
    answer: Callable[[Request], Answer],
    caplog: pytest.LogCaptureFixture,
) -> None:
    server.on(path(CONTENT), linking(f"{objects.url}{OBJECT}?{QUERY}", CONTENT))
    objects.on_path(OBJECT, answer)

    await fetched(downloads, CONTENT, seconds=40)

    assert store.path(name(CONTENT)).read_bytes() == CONTENT
    assert len(objects.requests) == 1, "a link is followed once"
    assert heard.of(ServiceFailed) == [], "nobody is to act: the file is here"
    assert "the store of files at 127.0.0.1" in caplog.text
    assert "secret" not in caplog.text


NO_LINKS = {
    "another scheme": "ftp://127.0.0.1/file",
    "a file": "file:///etc/passwd",
    "no scheme": "//127.0.0.1/file",
    "a path": "/elsewhere",
    "nothing": "",
    "no port": "http://127.0.0.1:99999999/",
    "credentials in it": "http://user:password@127.0.0.1/file",
    "too long": "http://127.0.0.1/" + "x" * 5000,
}


@pytest.mark.goes_beyond("MAX_LINK_LENGTH")
@pytest.mark.parametrize("target", NO_LINKS.values(), ids=NO_LINKS)
async def test_a_link_that_is_no_address_of_a_store_is_not_followed(
    downloads: Downloads, server: HostileServer, store: AssetFolder, target: str
) -> None:
    server.on(path(CONTENT), linking(target, CONTENT))

    await fetched(downloads, CONTENT)

    assert store.path(name(CONTENT)).read_bytes() == CONTENT
    assert [one.headers.get("menu-redirect") for one in server.requests] == ["accepted", None]


async def test_the_redirect_of_a_guest_network_is_not_followed(
    downloads: Downloads, server: HostileServer, objects: HostileServer, store: AssetFolder, heard: Heard
) -> None:
    server.on(path(CONTENT), linking(f"{objects.url}/login", CONTENT, mark=False))

    await fetched(downloads, CONTENT)

    assert not store.path(name(CONTENT)).exists()
    assert objects.requests == []
    assert heard.of(ServiceFailed)[0].fault is Fault.MOVED, "it is the service's own host: use its final address"


async def test_no_other_call_follows_a_redirect(api: ServiceApi, server: HostileServer, objects: HostileServer) -> None:
    for call in ("/manifest", "/heartbeat"):
        server.on(call, whole(307, headers={"Location": f"{objects.url}{OBJECT}", "Menu-Display": "1"}))

    await api.manifest(token="tok", etag=None, wait=0)
    await api.heartbeat(token="tok", body=b"{}")

    assert objects.requests == []


async def test_bytes_with_another_hash_are_not_kept(
    downloads: Downloads, server: HostileServer, objects: HostileServer, store: AssetFolder, heard: Heard
) -> None:
    server.on(path(CONTENT), linking(f"{objects.url}{OBJECT}?{QUERY}", CONTENT))
    objects.on_path(OBJECT, whole(200, image(9), kind="image/png"))

    await fetched(downloads, CONTENT)

    assert not store.path(name(CONTENT)).exists()
    assert name(CONTENT) in heard.of(AssetsMissing)[-1].reasons


async def test_from_https_no_link_leads_to_plain_http(objects: HostileServer) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / "loopback.pem")
    trusting = ssl.create_default_context(cafile=CERTIFICATES / "loopback.pem")
    async with hostile_server(tls=context) as server:
        server.on(path(CONTENT), linking(f"{objects.url}{OBJECT}?{QUERY}", CONTENT))
        api = ServiceApi(server.url, app_version="0", certificates=trusting)
        sink = _Sink()
        await api.asset(token="tok", digest=name(CONTENT), offset=0, sink=sink)
        await api.close()
    assert sink.content == CONTENT
    assert objects.requests == []


async def test_where_links_fail_the_service_is_asked_for_the_next_files_at_once(
    downloads: Downloads, server: HostileServer, objects: HostileServer, store: AssetFolder
) -> None:
    contents = [image(number) for number in range(30)]
    for each in contents:
        server.on(path(each), linking(f"{objects.url}{OBJECT}", each))
    objects.on_path(OBJECT, whole(403))

    await fetched(downloads, *contents)

    assert all(store.path(name(each)).exists() for each in contents)
    assert 2 <= len(objects.requests) <= 4


class _Sink:
    def __init__(self) -> None:
        self.content = b""

    async def begin(self, offset: int) -> bool:
        return offset == 0

    async def write(self, chunk: bytes) -> bool:
        self.content += chunk
        return True
