"""The test of the connection names the first step that fails: real sockets, certificates and network namespaces."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import socket
import ssl
import subprocess
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

import pytest

from player.device.network import MAX_NAME_SERVERS, NetworkFiles
from player.domain.link.connection import ConnectionTest, Step
from player.domain.link.fault import Fault
from player.link.lines import Traffic
from player.link.probe import dial, here, way
from player.link.probe import probe as probing
from player.link.probe.exchange import MAX_EVIDENCE, Line
from player.link.probe.probe import Probe
from player.link.probe.way import BestTime
from tests.player.link.test_way_out import a_proxy
from tests.support.authority import DAY, Authority
from tests.support.hostile import Answer, HostileServer, Request, hostile_server, problem, raw, silence, whole
from tests.support.hostile import late as answered_late
from tests.support.line import line_to
from tests.support.name_server import NXDOMAIN, REFUSED, SERVFAIL, name_server

MARK = {"Menu-Display": "1"}
SERVICE = whole(401, b"{}", headers=MARK)
OLD_SERVICE = problem(401, "unauthenticated")
PAGE = "text/html"


def best_time() -> BestTime:
    now = datetime.now(UTC)
    return BestTime(at=now, system=now, certain=True)


def test_of(service: str, **more: Any) -> Probe:
    usual = {"certificates": ssl.create_default_context(), "now": best_time, "network": NetworkFiles().read}
    return Probe(**{"service": service, **usual, **more})


test_of.__test__ = False  # type: ignore[attr-defined]


def fault(test: ConnectionTest) -> tuple[str, str]:
    """The step that failed, and why; steps after it were not done."""
    failure = test.failure
    if failure is None:
        return ("", "")
    later = [result.passed for result in test.steps][list(Step).index(failure.step) + 1 :]
    assert not any(later), test
    assert failure.milliseconds is None or failure.milliseconds <= 15_000
    return (failure.step, failure.fault)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


# The service answers


async def test_a_service_that_answers_passes_every_step(server: HostileServer, authority: Authority) -> None:
    server.on("/manifest", SERVICE)
    test = await test_of(server.url).run()
    done = {result.step: result.passed for result in test.steps}
    assert test.failure is None
    assert list(done) == list(Step)
    assert (done[Step.TCP], done[Step.HTTP], done[Step.SERVICE]) == (True, True, True)
    assert (done[Step.TLS], done[Step.PROXY]) == (None, None), "plain, and direct"
    assert all(result.milliseconds is not None for result in test.steps if result.passed)
    assert all("authorization" not in request.headers for request in server.requests)

    async with hostile_server(tls=authority.server("127.0.0.1")) as secure, a_proxy("secret") as proxy:
        secure.on("/manifest", OLD_SERVICE)
        by = proxy.url.replace("http://", "http://shop:secret@")
        test = await test_of(secure.url, certificates=authority.trusting, proxy=by).run()
        assert test.failure is None, test
        assert [result.step for result in test.steps if result.passed] == [
            Step.TCP,
            Step.PROXY,
            Step.TLS,
            Step.HTTP,
            Step.SERVICE,
        ]
        server.on("/manifest", OLD_SERVICE)
        test = await test_of(server.url, proxy=by).run()
        assert test.failure is None, test


ANSWERS: dict[str, tuple[Callable[[Request], Answer], tuple[str, str]]] = {
    "a service before 0.3.0": (OLD_SERVICE, ("", "")),
    "the service, not found": (whole(404, headers=MARK), ("", "")),
    "its fault": (whole(500, headers=MARK), (Step.SERVICE, Fault.SERVICE_FAILS)),
    "its fault, before 0.3.0": (problem(503, "unavailable"), (Step.SERVICE, Fault.SERVICE_FAILS)),
    "its nothing": (problem(404, "no_such_path"), (Step.SERVICE, Fault.WRONG_PATH)),
    "a fault without a mark": (whole(500, b"<html>Internal error", kind=PAGE), (Step.SERVICE, Fault.GATEWAY)),
    "a gateway": (whole(502, b"<html>Bad gateway", kind=PAGE), (Step.SERVICE, Fault.GATEWAY)),
    "a filter": (whole(403, b"<html><title>Blocked</title>", kind=PAGE), (Step.SERVICE, Fault.NOT_THE_SERVICE)),
    "another site": (whole(404, b"<html>Not found", kind=PAGE), (Step.SERVICE, Fault.NOT_THE_SERVICE)),
    "another's JSON": (whole(200, b"{}"), (Step.SERVICE, Fault.NOT_THE_SERVICE)),
    "a proxy on the way": (whole(407), (Step.PROXY, Fault.PROXY_SIGN_IN)),
    "a portal's page": (whole(200, b"<html>Welcome", kind=PAGE), (Step.SERVICE, Fault.PORTAL)),
    "a portal": (whole(302, headers={"Location": "http://hotel.example/"}), (Step.SERVICE, Fault.PORTAL)),
    "a portal that says so": (whole(511), (Step.SERVICE, Fault.PORTAL)),
    "an address that moved": (whole(308, headers={"Location": "/v2"}), (Step.SERVICE, Fault.MOVED)),
    "no HTTP": (raw(b"220 mail.example ESMTP\r\n\r\n"), (Step.HTTP, Fault.HTTP_FAILS)),
    "a cut": (raw(b""), (Step.HTTP, Fault.HTTP_FAILS)),
    "silence": (silence(), (Step.HTTP, Fault.HTTP_SILENT)),
    "a body that does not come": (raw(b"HTTP/1.1 401 X\r\nMenu-Display: 1\r\n\r\n", then_silence=1e9), ("", "")),
}


@pytest.mark.parametrize("kind", ANSWERS)
async def test_who_answers(server: HostileServer, kind: str) -> None:
    answer, expected = ANSWERS[kind]
    server.on("/manifest", answer)
    assert fault(await test_of(server.url).run()) == expected


# TCP


@asynccontextmanager
async def listening(*, accept: bool = True) -> AsyncIterator[str]:
    """An address whose machine takes connections and says nothing, or takes none and says nothing."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(8 if accept else 0)
        address = listener.getsockname()
        with socket.socket() as first, socket.socket() as second:
            for filler in () if accept else (first, second):
                filler.settimeout(0)
                filler.connect_ex(address)
            yield f"127.0.0.1:{address[1]}"


async def test_nothing_listens() -> None:
    async with listening() as address:
        pass
    assert fault(await test_of(f"http://{address}").run()) == (Step.TCP, Fault.REFUSED)
    by_proxy = test_of("https://menus.example", proxy=f"http://{address}")
    assert fault(await by_proxy.run()) == (Step.TCP, Fault.PROXY_SILENT)


async def test_a_test_can_be_given_up_as_it_looks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A coroutine that nobody awaits is told as a warning, and that fails a test."""
    look_again = probing._Run._look_again

    async def given_up(run: probing._Run, found: Fault) -> None:
        current = asyncio.current_task()
        assert current is not None
        current.cancel()
        await look_again(run, found)

    monkeypatch.setattr(probing._Run, "_look_again", given_up)
    async with listening() as address:
        pass
    with pytest.raises(asyncio.CancelledError):
        await asyncio.ensure_future(test_of(f"http://{address}").run())
    gc.collect()


@pytest.mark.goes_beyond("MAX_ROUNDS")
async def test_packets_that_nobody_answers() -> None:
    async with listening(accept=False) as address:
        assert fault(await test_of(f"http://{address}").run()) == (Step.TCP, Fault.SILENT)
        by_proxy = test_of("https://menus.example", proxy=f"http://{address}")
        assert fault(await by_proxy.run()) == (Step.TCP, Fault.PROXY_SILENT)


@contextmanager
def full(seconds: float) -> Iterator[str]:
    """A machine that drops what comes until so many seconds are over."""
    with socket.socket() as listener, contextlib.ExitStack() as stack:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address, port = listener.getsockname()
        for _ in range(2):  # What comes after these is dropped, until somebody takes them.
            filler = stack.enter_context(socket.socket())
            filler.settimeout(0)
            filler.connect_ex((address, port))

        def take() -> None:
            listener.settimeout(0)
            with contextlib.suppress(BlockingIOError):
                while True:
                    stack.enter_context(listener.accept()[0])

        asyncio.get_running_loop().call_later(seconds, take)
        yield f"{address}:{port}"


async def test_a_connection_is_tried_again_before_the_kernel_does() -> None:
    with full(1.5) as address:
        test = await test_of(f"http://{address}").run()
    done = {result.step: result for result in test.steps}
    assert done[Step.TCP].passed
    assert done[Step.TCP].milliseconds is not None
    assert 1500 <= done[Step.TCP].milliseconds < 2500, "the kernel sends again after 1 s, and then after 3 s"
    assert fault(test) == (Step.HTTP, Fault.SLOW)


async def test_a_line_that_moves_bytes_is_slow_and_not_dead() -> None:
    """Packets of a new connection wait for seconds behind those of the calls."""
    moved = count(1000, 500)
    with full(5.0) as address:
        assert fault(await test_of(f"https://{address}", traffic=lambda: {1: Traffic(received=next(moved))}).run()) == (
            Step.TCP,
            Fault.SLOW,
        )
    for still in ({}, {1: Traffic(received=1000)}):
        with full(5.0) as address:
            test = await test_of(f"https://{address}", traffic=lambda still=still: still).run()
            assert fault(test) == (Step.TCP, Fault.SILENT)
    with full(60.0) as address:
        test = await test_of(f"https://{address}", traffic=lambda: {1: Traffic(received=next(moved))}).run()
        assert fault(test) == (Step.TCP, Fault.SILENT), "a filter may let old connections be"


# TLS


async def test_a_server_that_accepts_and_says_nothing() -> None:
    async with listening() as address:
        assert fault(await test_of(f"https://{address}").run()) == (Step.TLS, Fault.TLS_SILENT)
        by_proxy = test_of("https://menus.example", proxy=f"http://{address}")
        assert fault(await by_proxy.run()) == (Step.PROXY, Fault.PROXY_SILENT)


async def test_a_handshake_that_comes_drop_by_drop_is_a_slow_line() -> None:
    answering: list[asyncio.Task[None] | None] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answering.append(asyncio.current_task())
        writer.write(b"\x16\x03\x03\x10\x00")
        with contextlib.suppress(OSError):
            while await reader.read(65536):
                pass
            writer.close()
            await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        test = await test_of(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}").run()
        await asyncio.gather(*filter(None, answering))
    assert fault(test) == (Step.TLS, Fault.SLOW)


HANDSHAKE = 3 if ssl.OPENSSL_VERSION_INFO >= (3, 5) else 1
"""OpenSSL 3.5 has keys of ML-KEM in its handshakes, which make them some three times as long."""


@pytest.mark.parametrize(
    ("rate", "late", "found"),
    [
        (600.0, 0.0, (Step.HTTP, Fault.SLOW)),
        (900.0, 2.0, (Step.HTTP, Fault.SLOW)),
        (12_500.0, 2.5, ("", "")),
        (12_500.0, 0.0, ("", "")),
    ],
)
async def test_a_line_over_which_a_certificate_comes_in_seconds_is_slow(
    authority: Authority, rate: float, late: float, found: tuple[str, str]
) -> None:
    async with hostile_server(tls=authority.server("127.0.0.1")) as secure, line_to(secure.url) as line:
        secure.on("/manifest", answered_late(late, SERVICE))
        line.rate = rate * HANDSHAKE
        test = await test_of(line.url.replace("http:", "https:"), certificates=authority.trusting).run()
    assert fault(test) == found, test
    assert test.handshakes < probing.SLOW_LINE_SECONDS


@pytest.mark.parametrize(("resent", "found"), [(2, Fault.SLOW), (1, Fault.HTTP_SILENT), (0, Fault.HTTP_SILENT)])
async def test_an_answer_that_does_not_come_while_the_calls_send_again_is_lost_on_the_line(
    server: HostileServer, resent: int, found: Fault
) -> None:
    server.on("/manifest", silence())
    seen = iter([Traffic(resent=3), *[Traffic(resent=3 + resent)] * 9])
    test = await test_of(server.url, traffic=lambda: {1: next(seen)}).run()
    assert fault(test) == (Step.HTTP, found)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", Fault.NO_TLS),
        (b"SSH-2.0-OpenSSH_9.9\r\n", Fault.NO_TLS),
        (b"", Fault.TLS_FAILS),
    ],
)
async def test_what_speaks_no_tls(said: bytes, code: Fault) -> None:
    answering: list[asyncio.Task[None] | None] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answering.append(asyncio.current_task())
        with contextlib.suppress(ConnectionError):
            await reader.read(65536)
            writer.write(said)
            writer.close()
            await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        test = await test_of(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}").run()
        await asyncio.gather(*filter(None, answering))
    assert fault(test) == (Step.TLS, code)
    assert test.failure is not None
    assert "_" not in test.failure.evidence, "it is read out on the phone"


NOW = datetime.now(UTC)
CERTIFICATES: dict[str, tuple[Sequence[str], datetime, datetime, str]] = {
    "right": (["127.0.0.1"], NOW - DAY, NOW + DAY, ""),
    "run out": (["127.0.0.1"], NOW - 9 * DAY, NOW - 2 * DAY, Fault.CERTIFICATE_EXPIRED),
    "not valid yet": (["127.0.0.1"], NOW + 2 * DAY, NOW + 9 * DAY, Fault.CERTIFICATE_NOT_YET_VALID),
    "another name": (["other.example"], NOW - DAY, NOW + DAY, Fault.CERTIFICATE_WRONG_NAME),
    "another address": (["127.0.0.9"], NOW - DAY, NOW + DAY, Fault.CERTIFICATE_WRONG_NAME),
}


@pytest.mark.parametrize("kind", CERTIFICATES)
async def test_a_certificate(authority: Authority, kind: str) -> None:
    names, begins, ends, expected = CERTIFICATES[kind]
    async with hostile_server(tls=authority.server(*names, begins=begins, ends=ends)) as server:
        server.on("/manifest", SERVICE)
        test = await test_of(server.url, certificates=authority.trusting).run()
    assert fault(test)[1] == expected
    if "valid" in kind or "out" in kind:
        assert test.failure is not None
        assert f"{ends:%Y-%m-%d}" in test.failure.evidence


async def test_an_authority_that_nobody_knows(authority: Authority) -> None:
    async with hostile_server(tls=authority.server("127.0.0.1")) as server:
        server.on("/manifest", SERVICE)
        test = await test_of(server.url).run()
    assert fault(test) == (Step.TLS, Fault.CERTIFICATE_UNKNOWN_CA)
    assert server.requests == []


@pytest.mark.parametrize(
    ("server", "code", "says"),
    [
        (lambda known, _: known.server_by_another("127.0.0.1"), Fault.CERTIFICATE_INCOMPLETE, "“R7”"),
        (lambda known, _: known.server_by_another("127.0.0.1", whole=True), "", ""),
        (lambda _, other: other.server("127.0.0.1"), Fault.CERTIFICATE_UNKNOWN_CA, "“Authority of "),
        (lambda _, other: other.server_by_another("127.0.0.1", public=False), Fault.CERTIFICATE_UNKNOWN_CA, "“R7”"),
        (lambda known, _: known.server_by_itself("127.0.0.1"), Fault.CERTIFICATE_SELF_SIGNED, "nobody else"),
        (
            lambda known, _: known.server_by_itself("fritz.box", "myfritz.box"),
            Fault.CERTIFICATE_WRONG_NAME,
            "fritz.box",
        ),
        (lambda known, _: known.server("www.shop.example"), Fault.CERTIFICATE_WRONG_NAME, "www.shop.example"),
    ],
)
@pytest.mark.parametrize("by_proxy", [False, True])
async def test_who_has_signed_a_certificate(
    authority: Authority, tmp_path: Path, server: Any, code: str, says: str, by_proxy: bool
) -> None:
    async with hostile_server(tls=server(authority, Authority(tmp_path))) as service, a_proxy("secret") as proxy:
        service.on("/manifest", SERVICE)
        more = {"proxy": proxy.url.replace("http://", "http://shop:secret@")} if by_proxy else {}
        test = await test_of(service.url, certificates=authority.trusting, **more).run()
    assert fault(test)[1] == code
    if test.failure is not None:
        assert says in test.failure.evidence


@pytest.mark.parametrize("by_proxy", [False, True])
async def test_plain_http_at_the_port_of_secure_connections(server: HostileServer, by_proxy: bool) -> None:
    # It waits for the end of what it takes for a request.
    server.on_path("/", whole(404, b"<html>", kind=PAGE))
    async with a_proxy("secret") as proxy:
        more = {"proxy": proxy.url.replace("http://", "http://shop:secret@")} if by_proxy else {}
        test = await test_of(server.url.replace("http://", "https://"), **more).run()
    assert fault(test) == (Step.TLS, Fault.NO_TLS)
    assert test.failure is not None
    assert test.failure.evidence == "without encryption it answers 404"


@pytest.mark.parametrize("known", ["by the player", "by the other side", "by nobody"])
async def test_a_clock_that_is_wrong_is_not_the_certificate_s_fault(authority: Authority, known: str) -> None:
    # The system's clock cannot be set here: the certificate is of another time instead, which is the true one.
    true = NOW + 400 * DAY
    date = {"Date": f"{true:%a, %d %b %Y %H:%M:%S} GMT"} if known == "by the other side" else {}
    at, certain = (true, True) if known == "by the player" else (datetime.now(UTC), False)
    async with hostile_server(tls=authority.server("127.0.0.1", begins=true - DAY, ends=true + DAY)) as server:
        server.on("/manifest", whole(401, headers=MARK | date))
        now = BestTime(at=at, system=datetime.now(UTC), certain=certain)
        test = await test_of(server.url, certificates=authority.trusting, now=lambda: now).run()
    assert fault(test) == (Step.TLS, Fault.CLOCK_WRONG)


# Portals


@asynccontextmanager
async def plain(answer: Callable[[Request], Answer]) -> AsyncIterator[int]:
    async with hostile_server() as server:
        server._rules["/"] = deque([answer])
        yield int(server.url.rpartition(":")[2])


PORTALS: dict[str, tuple[Callable[[Request], Answer], str]] = {
    "a redirect": (whole(302, headers={"Location": "https://login.hotel.example/?to=x"}), Fault.PORTAL),
    "a page": (whole(200, b"<html><form>Your room?</form>", kind=PAGE), Fault.PORTAL),
    "says so": (whole(511), Fault.PORTAL),
    "the service's own redirect": (
        whole(301, headers={"Location": "https://127.0.0.1/"}),
        Fault.CERTIFICATE_UNKNOWN_CA,
    ),
    "a server's first page": (whole(200, b"<html>It works!", kind=PAGE), Fault.CERTIFICATE_UNKNOWN_CA),
    "the service": (whole(200, b"<form>", kind=PAGE, headers=MARK), Fault.CERTIFICATE_UNKNOWN_CA),
}


@pytest.mark.parametrize("kind", PORTALS)
async def test_a_portal_behind_a_certificate_of_its_own(authority: Authority, kind: str) -> None:
    answer, expected = PORTALS[kind]
    async with hostile_server(tls=authority.server("127.0.0.1")) as server, plain(answer) as port:
        test = await test_of(server.url, portal_port=port).run()
    assert fault(test) == (Step.TLS, expected)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (whole(200, b"<html>Welcome<form>Book a table", kind=PAGE), Fault.NOT_THE_SERVICE),
        (whole(302, headers={"Location": "https://www.shop.example/"}), Fault.MOVED),
        (whole(404, b"<html>", kind=PAGE), Fault.NOT_THE_SERVICE),
        (whole(511), Fault.PORTAL),
    ],
)
async def test_a_site_with_a_certificate_for_its_name_is_no_guest_network(
    authority: Authority, answer: Callable[[Request], Answer], code: Fault
) -> None:
    async with hostile_server(tls=authority.server("127.0.0.1")) as server, plain(PORTALS["a redirect"][0]) as port:
        server.on("/manifest", answer)
        test = await test_of(server.url, certificates=authority.trusting, portal_port=port).run()
    assert fault(test) == (Step.SERVICE, code)


# Proxies


@pytest.mark.parametrize("encrypted", [True, False])
@pytest.mark.parametrize(
    ("status", "expected"),
    [(407, Fault.PROXY_SIGN_IN), (403, Fault.PROXY_FORBIDS), (502, Fault.PROXY_FAILS), (503, Fault.PROXY_FAILS)],
)
async def test_a_proxy_that_does_not_let_the_device_through(
    server: HostileServer, status: int, expected: str, encrypted: bool
) -> None:
    target = "menus.example:443" if encrypted else "http://menus.example/v1/player/manifest"
    server._rules[target] = deque([whole(status)])
    scheme = "https" if encrypted else "http"
    test = await test_of(f"{scheme}://menus.example", proxy=server.url).run()
    assert fault(test) == (Step.PROXY, expected)


@pytest.mark.parametrize(
    ("asked", "code", "says"),
    [
        ("NTLM", Fault.PROXY_OTHER_SIGN_IN, "NTLM"),
        ("Negotiate, NTLM", Fault.PROXY_OTHER_SIGN_IN, "NTLM, Negotiate"),
        ('Digest realm="x, Basic y", nonce=1', Fault.PROXY_OTHER_SIGN_IN, "Digest"),
        ('Negotiate, Basic realm="shop"', Fault.PROXY_SIGN_IN, "407"),
        ("<what is this>", Fault.PROXY_SIGN_IN, "407"),
    ],
)
async def test_a_proxy_that_asks_for_another_kind_of_sign_in(
    server: HostileServer, asked: str, code: Fault, says: str
) -> None:
    server._rules["menus.example:443"] = deque([whole(407, headers={"Proxy-Authenticate": asked})])
    test = await test_of("https://menus.example", proxy=server.url).run()
    assert fault(test) == (Step.PROXY, code)
    assert test.failure is not None
    assert says in test.failure.evidence


# Names


class Standing:
    """The kernel's and the system's files of a device that stands well in its network; tests change them."""

    def __init__(self, folder: Path) -> None:
        self.files = NetworkFiles(
            adapters=folder / "net",
            proc=folder / "proc",
            resolver=folder / "resolv.conf",
            behind_stub=folder / "behind.conf",
            hosts=folder / "hosts",
        )
        self.files.proc.mkdir()
        self.files.adapters.mkdir()
        self.adapter("eth0")
        self.addresses("192.168.7.20")
        self.routes(default="192.168.7.1")
        self.files.resolver.write_text("# a network\nnameserver 127.0.0.1\n")
        self.files.hosts.write_text("127.0.0.1 localhost\n")

    def adapter(self, name: str, *, on: bool = True, linked: bool = True, signal: int | None = None) -> None:
        folder = self.files.adapters / name
        folder.mkdir(exist_ok=True)
        (folder / "type").write_text("1\n")
        (folder / "flags").write_text("0x1003\n" if on else "0x1002\n")
        (folder / "operstate").write_text("up\n" if linked else "down\n")
        (folder / "carrier").unlink(missing_ok=True)
        if on:
            (folder / "carrier").write_text(f"{linked:d}\n")
        if name.startswith("wlan"):
            (folder / "wireless").mkdir(exist_ok=True)
        if signal is not None:
            (self.files.proc / "wireless").write_text(
                "Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE\n"
                " face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22\n"
                f" {name}: 0000   54.  {signal}.  -256        0      0      0      0      3        0\n"
            )

    def addresses(self, *addresses: str) -> None:
        leaves = "".join(f"        |-- {address}\n           /32 host LOCAL\n" for address in ("127.0.0.1", *addresses))
        (self.files.proc / "fib_trie").write_text(f"Main:\n  +-- 0.0.0.0/0 3 0 5\n{leaves}Local:\n{leaves}")

    def routes(self, *, default: str | None, adapter: str = "eth0") -> None:
        rows = [f"{adapter}\t0007A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0"]
        if default is not None:
            gateway = int.from_bytes(socket.inet_aton(default), "little")
            rows.insert(0, f"{adapter}\t00000000\t{gateway:08X}\t0003\t0\t0\t0\t00000000\t0\t0\t0")
        (self.files.proc / "route").write_text("\n".join(["Iface\tDestination\tGateway", *rows, ""]))


@pytest.fixture
def standing(tmp_path: Path) -> Standing:
    return Standing(tmp_path)


def knows(**names: str | Sequence[str]) -> way.Resolve:
    async def resolve(host: str, port: int) -> Sequence[str]:
        del port
        if host.replace(".", "_").replace("-", "_") in names:
            found = names[host.replace(".", "_").replace("-", "_")]
            return [found] if isinstance(found, str) else found
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    return resolve


NAME_SERVERS: dict[str, tuple[str | int | None, str]] = {
    "no such name": (NXDOMAIN, Fault.NAME_UNKNOWN),
    "a name without an address": (0, Fault.NAME_UNKNOWN),
    "a name server that fails": (SERVFAIL, Fault.NAME_SERVER_FAILS),
    "a name server that refuses": (REFUSED, Fault.NAME_SERVER_FAILS),
    "a silent name server": (None, Fault.NAME_SERVER_SILENT),
}


@pytest.mark.parametrize("kind", NAME_SERVERS)
async def test_a_name_that_is_not_found(standing: Standing, kind: str) -> None:
    said, expected = NAME_SERVERS[kind]
    async with name_server(said) as names:
        probe = test_of(
            "https://menus.example.com", network=standing.files.read, resolve=knows(), name_server_port=names.port
        )
        test = await probe.run()
    assert fault(test) == (Step.NAME, expected)
    assert names.asked == ["menus.example.com"]
    assert [result.passed for result in test.steps][:3] == [True] * 3


async def test_a_resolver_that_hangs_with_its_name_server(standing: Standing) -> None:
    async def hang(host: str, port: int) -> Sequence[str]:
        await asyncio.sleep(30.0)
        raise AssertionError((host, port))

    loop = asyncio.get_running_loop()
    async with name_server(None) as names:
        probe = test_of(
            "https://menus.example.com", network=standing.files.read, resolve=hang, name_server_port=names.port
        )
        began = loop.time()
        assert fault(await probe.run()) == (Step.NAME, Fault.NAME_SERVER_SILENT)
    assert loop.time() - began <= probing.NAME_SECONDS


async def test_no_name_server_is_set(standing: Standing) -> None:
    standing.files.resolver.unlink()
    test = await test_of("https://menus.example.com", network=standing.files.read, resolve=knows()).run()
    assert fault(test) == (Step.NAME, Fault.NO_NAME_SERVER)


async def test_the_name_of_the_proxy_is_unknown(standing: Standing) -> None:
    async with name_server(NXDOMAIN) as names:
        probe = test_of(
            "https://menus.example.com",
            proxy="http://proxy.shop:3128",
            network=standing.files.read,
            resolve=knows(),
            name_server_port=names.port,
        )
        assert fault(await probe.run()) == (Step.NAME, Fault.PROXY_SILENT)
    assert names.asked == ["proxy.shop"]


async def test_a_name_server_that_lies(server: HostileServer, standing: Standing) -> None:
    """The lie is the name's step, where the service answers at its address of before, or where it can be no other."""
    server.on("/manifest", SERVICE)
    port = int(server.url.rpartition(":")[2])
    lying: dict[str, Any] = {"network": standing.files.read, "resolve": knows(menus_shop="127.0.0.3")}
    assert fault(await test_of(f"http://menus.shop:{port}", **lying).run()) == (Step.NAME, Fault.NAME_WRONG)
    probe = test_of(f"http://menus.shop:{port}", reached=lambda: "127.0.0.1", **lying)
    test = await probe.run()
    assert fault(test) == (Step.NAME, Fault.NAME_WRONG)
    assert test.failure is not None
    assert "127.0.0.1" in test.failure.evidence
    probe = test_of(f"http://menus.shop:{port}", reached=lambda: "127.0.0.3", **lying)
    assert fault(await probe.run()) == (Step.TCP, Fault.REFUSED), "it answered there"
    standing.files.hosts.write_text("127.0.0.3 menus.shop\n")
    probe = test_of(f"http://menus.shop:{port}", **lying)
    assert fault(await probe.run()) == (Step.TCP, Fault.REFUSED), "the device's own file says so"
    probe = test_of(f"http://menus.shop:{port}", network=standing.files.read, resolve=knows(menus_shop="127.0.0.1"))
    assert (await probe.run()).failure is None, "nothing is wrong where the service answers"
    lying["resolve"] = knows(menus_shop="2a02:9::9")
    probe = test_of(f"http://menus.shop:{port}", reached=lambda: "127.0.0.1", **lying)
    assert fault(await probe.run()) == (Step.ROUTE, Fault.OTHER_IP), "no IPv6 here, and the name may be right"


PAC = b'function FindProxyForURL(url, host) { return isPlainHostName(host) ? "DIRECT" : "PROXY proxy.shop:3128"; }'


@pytest.mark.parametrize(("host", "step"), [("menus.shop", Step.TCP), ("elsewhere.shop", Step.NAME)])
async def test_a_network_that_lets_devices_out_by_a_proxy_alone(
    server: HostileServer, standing: Standing, host: str, step: Step
) -> None:
    """Nobody takes connections where the service is, or its name is not known."""
    web, resolve = int(server.url.rpartition(":")[2]), knows(menus_shop="127.0.0.3", wpad="127.0.0.1")
    facts: dict[str, Any] = {"network": standing.files.read, "reached": lambda: "127.0.0.3", "portal_port": web}
    standing.files.resolver.write_text("nameserver 127.0.0.1\n")
    async with name_server(NXDOMAIN) as names:
        facts |= {"name_server_port": names.port}
        server.on_path("/wpad.dat", whole(200, PAC, kind="application/x-ns-proxy-autoconfig"))
        test = await test_of(f"https://{host}", resolve=resolve, **facts).run()
        assert fault(test) == (step, Fault.PROXY_OFFERED)
        assert test.failure is not None
        assert test.failure.evidence == "the network names the proxy http://proxy.shop:3128 (wpad.dat at 127.0.0.1)"
        server.on_path("/wpad.dat", whole(200, b"<html>FindProxyForURL? PROXY no</html>", kind="text/html"))
        test = await test_of(f"https://{host}", resolve=resolve, **facts).run()
        assert fault(test) != (step, Fault.PROXY_OFFERED)


async def test_a_name_that_has_the_ipv6_address_of_another_machine(
    server: HostileServer, standing: Standing, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.on("/manifest", SERVICE)
    port = int(server.url.rpartition(":")[2])

    async def connection(address: str, port: int) -> Line:
        await asyncio.sleep(0.2 if address == "127.0.0.1" else 0.0)
        return await asyncio.open_connection(address, port)

    monkeypatch.setattr(dial, "_connection", lambda *there: asyncio.ensure_future(connection(*there)))
    resolve = knows(menus_shop=("::1", "127.0.0.1"))
    async with hostile_server(host="::1", port=port) as other:
        other.on("/manifest", whole(404, b"<html>Not found</html>", kind="text/html"))
        test = await test_of(f"http://menus.shop:{port}", network=standing.files.read, resolve=resolve).run()
    assert fault(test) == (Step.NAME, Fault.NAME_WRONG)
    assert test.failure is not None
    assert test.failure.evidence == "the name server says ::1; the service answers at 127.0.0.1"


@pytest.mark.parametrize(
    ("address", "reached", "expected"),
    [
        ("192.168.7.1", None, Fault.NAME_WRONG),
        ("10.99.1.1", None, Fault.SILENT),
        ("203.0.113.9", None, Fault.SILENT),
        ("10.99.1.1", "203.0.113.9", Fault.NAME_WRONG),
        ("10.99.1.1", "10.99.1.1", Fault.SILENT),
    ],
)
async def test_a_private_address_is_a_lie_in_the_shop_or_where_the_service_was_elsewhere(
    standing: Standing, monkeypatch: pytest.MonkeyPatch, address: str, reached: str | None, expected: Fault
) -> None:
    async def silence(*_: object, **__: object) -> NoReturn:
        await asyncio.Event().wait()
        raise AssertionError

    monkeypatch.setattr(asyncio, "open_connection", silence)
    probe = test_of(
        "https://menus.company.com",
        network=standing.files.read,
        resolve=knows(menus_company_com=address),
        reached=lambda: reached,
    )
    assert fault(await probe.run(step_seconds=0.2))[1] == expected


# Link, address and route


def break_link(standing: Standing, kind: str) -> str:
    if kind == "no cable":
        standing.adapter("eth0", linked=False)
        return Fault.NO_CABLE
    if kind == "no cable, and a Wi-Fi that nobody uses":
        standing.adapter("eth0", linked=False)
        standing.adapter("wlan0", linked=False)
        return Fault.NO_CABLE
    if kind == "switched off":
        standing.adapter("eth0", on=False, linked=False)
        return Fault.LINK_OFF
    if kind == "no adapter":
        for file in (standing.files.adapters / "eth0").iterdir():
            file.unlink()
        (standing.files.adapters / "eth0").rmdir()
        return Fault.NO_ADAPTER
    standing.adapter("eth0", on=False, linked=False)
    standing.adapter("wlan0", linked=False)
    return Fault.WIFI_NOT_JOINED


@pytest.mark.parametrize(
    "kind", ["no cable", "no cable, and a Wi-Fi that nobody uses", "switched off", "no adapter", "no Wi-Fi"]
)
async def test_no_link(standing: Standing, kind: str) -> None:
    standing.routes(default=None)
    expected = break_link(standing, kind)
    test = await test_of("https://menus.example.com", network=standing.files.read, resolve=knows()).run()
    assert fault(test) == (Step.LINK, expected)
    assert all(result.passed is None for result in test.steps[1:])


async def test_the_link_that_was_used_is_the_one_that_is_missing(standing: Standing) -> None:
    standing.adapter("wlan0", signal=-60)
    standing.routes(default="192.168.7.1", adapter="wlan0")
    probe = test_of("https://menus.example.com", network=standing.files.read, resolve=knows())
    probe.look()
    standing.adapter("wlan0", linked=False)
    standing.adapter("eth0", linked=False)
    standing.routes(default=None)
    assert fault(await probe.run()) == (Step.LINK, Fault.WIFI_NOT_JOINED)


def test_the_signal_of_a_wifi_is_read_alone(standing: Standing) -> None:
    standing.adapter("eth0")
    standing.adapter("wlan0", signal=-60)
    assert [standing.files.signal(name) for name in ("wlan0", "eth0", "")] == [-60, None, None]
    assert [adapter.signal for adapter in standing.files.read().adapters] == [None, -60]
    standing.adapter("wlan0", signal=-60, linked=False)
    assert standing.files.signal("wlan0") is None, "the kernel's word of a Wi-Fi that is gone is no signal"


@pytest.mark.parametrize(("signal", "step"), [(-60, Step.NAME), (-88, Step.LINK)])
async def test_a_weak_wifi_is_the_fault_of_the_link(standing: Standing, signal: int, step: Step) -> None:
    standing.adapter("eth0", linked=False)
    standing.adapter("wlan0", signal=signal)
    standing.routes(default="192.168.7.1", adapter="wlan0")
    async with name_server(None) as names:
        probe = test_of(
            "https://menus.example.com", network=standing.files.read, resolve=knows(), name_server_port=names.port
        )
        test = await probe.run()
    assert test.failure is not None
    assert test.failure.step is step
    assert f"{signal} dBm" in test.steps[0].evidence


@pytest.mark.parametrize(("addresses", "expected"), [((), Fault.NO_ADDRESS), (("169.254.3.4",), Fault.NO_ADDRESS)])
async def test_no_address(standing: Standing, addresses: tuple[str, ...], expected: str) -> None:
    standing.addresses(*addresses)
    test = await test_of("https://menus.example.com", network=standing.files.read, resolve=knows()).run()
    assert fault(test) == (Step.ADDRESS, expected)


async def test_no_way_out(standing: Standing, server: HostileServer) -> None:
    standing.routes(default=None)
    async with name_server(None) as names:
        for service in ("https://203.0.113.9", "https://menus.example.com"):
            probe = test_of(service, network=standing.files.read, resolve=knows(), name_server_port=names.port)
            assert fault(await probe.run()) == (Step.ROUTE, Fault.NO_ROUTE), service
    server.on("/manifest", SERVICE)
    port = server.url.rpartition(":")[2]
    probe = test_of(f"http://menus.shop:{port}", network=standing.files.read, resolve=knows(menus_shop="127.0.0.1"))
    assert (await probe.run()).failure is None, "a service in the same network needs no way out"


async def test_a_device_whose_files_cannot_be_read_still_gets_a_test(tmp_path: Path, server: HostileServer) -> None:
    nowhere = tmp_path / "nothing"
    files = NetworkFiles(adapters=nowhere, proc=nowhere, resolver=nowhere, behind_stub=nowhere, hosts=nowhere)
    server.on("/manifest", SERVICE)
    assert (await test_of(server.url, network=files.read).run()).failure is None


async def test_no_more_is_read_and_tried_than_the_bounds_allow(
    standing: Standing, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = b"<html><title>" + b"Blocked \xe2\x80\xae" * 100 + b"</title>"
    sent = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 403 No\r\nContent-Type: text/html\r\n\r\n" + page)
        with contextlib.suppress(ConnectionError):
            while sent < 64 * 1024 * 1024:
                writer.write(b"x" * 65536)
                sent += 65536
                await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        test = await test_of(f"http://127.0.0.1:{port}").run()
    assert fault(test) == (Step.SERVICE, Fault.NOT_THE_SERVICE)
    assert test.failure is not None
    assert len(test.failure.evidence) <= MAX_EVIDENCE
    assert test.failure.evidence.isprintable()
    assert sent < 16 * 1024 * 1024

    async def many(host: str, port: int) -> Sequence[str]:
        del host, port
        return [f"127.0.0.{number}" for number in range(2, 12)]

    test = await test_of(
        f"http://menus.shop:{port}", network=standing.files.read, resolve=many, reached=lambda: "127.0.0.2"
    ).run()
    assert test.failure is not None
    assert test.failure.evidence.count("127.0.0.") == here.MAX_ADDRESSES

    standing.files.resolver.write_text("".join(f"nameserver 127.0.0.{number}\n" for number in range(1, 9)))
    assert len(standing.files.read().name_servers) == MAX_NAME_SERVERS

    async with name_server(NXDOMAIN) as names:
        monkeypatch.setattr(names, "more", b"x" * 10_000)
        said = await here._ask("127.0.0.1", "menus.shop", names.port)
    assert said is here.NameAnswer.UNKNOWN


# In a network namespace: the real kernel, resolver and name server


IN_NAMESPACE = """
import asyncio, json, ssl, subprocess, sys
from datetime import UTC, datetime
from player.device.network import NetworkFiles
from player.link.probe.probe import Probe
from player.link.probe.way import BestTime
from tests.support.name_server import NXDOMAIN, SERVFAIL, name_server

async def test(service):
    now = datetime.now(UTC)
    probe = Probe(service=service, certificates=ssl.create_default_context(),
                  network=NetworkFiles().read, now=lambda: BestTime(at=now, system=now, certain=True))
    failure = (await probe.run()).failure
    return [failure.step, failure.fault]

async def main():
    found = {}
    for name, command in json.loads(sys.argv[1]):
        subprocess.run(["sh", "-ec", command], check=True)
        found[name] = await test("https://203.0.113.9")
    async with name_server(None, host="127.0.0.9", port=53) as server:
        for name, said in (("no such name", NXDOMAIN), ("failing", SERVFAIL), ("a lie", "127.0.0.1")):
            server.answer = said
            found[name] = await test("https://menus.example.com")
    print(json.dumps(found))

asyncio.run(main())
"""
STEPS = [
    ("no adapter", "mount -t sysfs none /sys && ip link set lo up", Step.LINK, Fault.NO_ADAPTER),
    ("switched off", "ip link add eth0 type veth peer name far", Step.LINK, Fault.LINK_OFF),
    ("no cable", "ip link set eth0 up", Step.LINK, Fault.NO_CABLE),
    ("no address", "ip link set far up", Step.ADDRESS, Fault.NO_ADDRESS),
    ("self-assigned", "ip addr add 169.254.9.9/16 dev eth0", Step.ADDRESS, Fault.NO_ADDRESS),
    ("no route", "ip addr add 10.9.0.2/24 dev eth0", Step.ROUTE, Fault.NO_ROUTE),
    ("nobody is the router", "ip route add default via 10.9.0.1", Step.TCP, Fault.SILENT),
    ("a filter", "ip route add prohibit 203.0.113.9", Step.TCP, Fault.SILENT),
]


@pytest.mark.long
def test_the_kernel_s_own_faults(tmp_path: Path) -> None:
    """Where namespaces are forbidden, the same faults are in the files of the tests above."""
    alone = ("unshare", "-rnm")
    if subprocess.run([*alone, "true"], check=False, capture_output=True).returncode:
        return
    resolver = tmp_path / "resolv.conf"
    resolver.write_text("nameserver 127.0.0.9\noptions attempts:1 timeout:1\n")
    bind = ("sh", "-ec", 'mount --bind "$0" /etc/resolv.conf; exec "$@"', str(resolver))
    script = (sys.executable, "-c", IN_NAMESPACE, json.dumps([step[:2] for step in STEPS]))
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[4])}
    out = subprocess.run([*alone, *bind, *script], check=True, env=environment, stdout=subprocess.PIPE).stdout
    found = {name: tuple(failed) for name, failed in json.loads(out).items()}
    assert found == {name: (step, code) for name, _, step, code in STEPS} | {
        "no such name": (Step.NAME, Fault.NAME_UNKNOWN),
        "failing": (Step.NAME, Fault.NAME_SERVER_FAILS),
        "a lie": (Step.NAME, Fault.NAME_WRONG),
    }
