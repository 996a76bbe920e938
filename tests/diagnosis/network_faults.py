"""Faults of the network, and of what answers in it."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import UTC, datetime
from threading import Event, Thread

from tests.diagnosis import wire
from tests.diagnosis.content_faults import new_playlist, playing, published
from tests.diagnosis.fault import Fault, Injection, Way
from tests.diagnosis.namespaces import Machine
from tests.diagnosis.rig import ADDRESS, ADDRESS6, HOST, OTHER_ADDRESS, PROXY_HOST, ROUTER, Rig
from tests.diagnosis.servers import Place, Rule, Server, answering, cutting, encrypted, page, silent
from tests.support.authority import DAY, Authority
from tests.support.name_server import NXDOMAIN, REFUSED, SERVFAIL, NameServer

NOW = datetime.now(UTC)
LOGIN = "http://login.hotel.example/welcome"
BLOCKED = page(403, "<html><title>Blocked by the content filter</title>")

# Link, address, route


@contextmanager
def _cable_out(rig: Rig) -> Iterator[None]:
    rig.router("ip", "link", "set", "shop0", "down")
    yield
    rig.router("ip", "link", "set", "shop0", "up")
    rig.join()


@contextmanager
def _adapter_gone(rig: Rig) -> Iterator[None]:
    rig.device("ip", "link", "delete", "eth0")
    yield
    rig.plug_in()


def _on_device(*command: str) -> Injection:
    """A command on the device; joining the network again mends it."""

    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        for line in command:
            rig.device("sh", "-ec", line)
        yield
        rig.device("ip", "address", "flush", "dev", "eth0")
        rig.join()

    return inject


@contextmanager
def _restarted_with_cable_out(rig: Rig) -> Iterator[None]:
    rig.player.end()
    with _cable_out(rig):
        rig.player.start()
        yield


@contextmanager
def _ipv6_alone(rig: Rig) -> Iterator[None]:
    """A new network: its name server is there by IPv6, too."""

    async def listen() -> None:
        line = rig.router.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        line.bind(("fd09::1", 53))
        await asyncio.get_running_loop().create_datagram_endpoint(lambda: NameServer(ADDRESS), sock=line)

    rig.loop.do(listen)
    text = rig.resolver.read_text()
    rig.resolver.write_text("nameserver fd09::1\n")
    rig.device("ip", "-4", "address", "flush", "dev", "eth0")
    yield
    rig.resolver.write_text(text)
    rig.join()


@contextmanager
def _address_taken(rig: Rig) -> Iterator[None]:
    """Another machine has the device's address, and the router has noted that one."""
    other = Machine("other")
    rig.router("ip", "link", "add", "link", "shop0", "name", "twin0", "type", "macvlan", "mode", "bridge")
    rig.router("ip", "link", "set", "twin0", "netns", str(other.pid))
    other("ip", "address", "add", "10.9.0.2/24", "dev", "twin0")
    other("ip", "link", "set", "twin0", "up")
    hardware = json.loads(other("ip", "-json", "link", "show", "dev", "twin0"))[0]["address"]
    rig.router("ip", "neigh", "replace", "10.9.0.2", "lladdr", hardware, "dev", "shop0", "nud", "permanent")
    yield
    rig.router("ip", "neigh", "delete", "10.9.0.2", "dev", "shop0")
    other.end()


# Names


@contextmanager
def _no_name_server(rig: Rig) -> Iterator[None]:
    text = rig.resolver.read_text()
    rig.resolver.write_text("# none\n")
    yield
    rig.resolver.write_text(text)


@contextmanager
def _name_server_elsewhere(rig: Rig) -> Iterator[None]:
    text = rig.resolver.read_text()
    rig.resolver.write_text(f"nameserver {OTHER_ADDRESS}\n")  # It answers that nothing listens there.
    yield
    rig.resolver.write_text(text)


def _names(answer: str | int | None, *, late: float = 0.0, answer6: str = "") -> Injection:
    """The name server says this of the service."""

    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        names = rig.names
        before, names.answer, names.late, names.answer6 = names.answer, answer, late, answer6
        rig.cut()
        yield
        names.answer, names.late, names.answer6 = before, 0.0, ""
        rig.cut()

    return inject


@contextmanager
def _restarted_with_silent_names(rig: Rig) -> Iterator[None]:
    rig.player.end()
    with _names(None)(rig):
        rig.player.start()
        yield


@contextmanager
def _portal_by_names(rig: Rig) -> Iterator[None]:
    """As many guest networks do it: every name leads to the router's log-in page."""
    with listening(rig, ROUTER, 80, answering(page(302, Location=LOGIN))), _names(ROUTER)(rig):
        yield


# What answers


def _service(server: Callable[[Rig], Server | None]) -> Injection:
    """This answers in the service's place, with its certificate."""
    return lambda rig: rig.answered_by(server(rig))


def _answer(answer: bytes) -> Injection:
    return _service(lambda _: answering(answer))


def _door(server: Callable[[Rig], Server]) -> Injection:
    """This answers at the service's port, before any certificate."""
    return lambda rig: rig.door.instead(server(rig))


def certificate(*names: str, begins: int = -1, ends: int = 1) -> Injection:
    """The service shows a certificate for these names, valid from and to so many days from now."""

    def server(rig: Rig) -> Server:
        context = rig.authority.server(*names, begins=NOW + begins * DAY, ends=NOW + ends * DAY)
        return encrypted(context, rig.passing())

    return _door(server)


def _intercepted(server: Callable[[Rig], Server]) -> Callable[[Rig], Server]:
    def serve(rig: Rig) -> Server:
        folder = rig.folder / "other"
        folder.mkdir(exist_ok=True)
        return encrypted(Authority(folder).server(HOST), server(rig))

    return serve


def _only(part: str, answer: bytes) -> Injection:
    """The front answers requests whose path has this part in it, and passes on the others."""
    rule: Rule = lambda path: answer if part in path else None  # noqa: E731
    return _service(lambda rig: rig.passing(rule))


def _problem(status: int, code: str = "fault", **headers: str) -> bytes:
    """The answer of a service that fails."""
    kind = f"urn:menu-display:problem:{code}"
    document = {"type": kind, "code": code, "title": "Something went wrong", "status": status}
    return page(status, json.dumps(document), kind="application/problem+json", Menu_Display="1", **headers)


async def _plain_only(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A web server that was not told of certificates."""
    await reader.read(1)
    writer.write(page(400, "<html>Bad request"))


def _cut_in_the_middle() -> Server:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{")
        await writer.drain()
        await asyncio.sleep(0.2)

    return serve


@contextmanager
def listening(rig: Rig, address: str, port: int, server: Server) -> Iterator[Place]:
    """Another server, on the router for an address of the router's, else in the internet."""
    place = Place(rig.loop, rig.router if address == ROUTER else rig.internet, address, port, server)
    try:
        yield place
    finally:
        place.serve(None)


def _portal(*, secure: Callable[[Rig], AbstractContextManager[None]], answer: bytes) -> Injection:
    """A portal takes plain HTTP, and does something to secure connections."""

    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        with rig.plain.instead(answering(answer)), secure(rig):
            yield

    return inject


def _website(*, answer: bytes) -> Injection:
    """A site answers, whose port for plain HTTP sends to another name of it, as many do."""
    return _portal(secure=_answer(answer), answer=page(301, Location="https://www.shop.example/"))


@contextmanager
def _service_frozen(rig: Rig) -> Iterator[None]:
    rig.service.freeze()
    yield
    rig.service.thaw()


@contextmanager
def _frozen_while_nothing_changes(rig: Rig) -> Iterator[None]:
    """It has just answered: nothing is asked for but the next change, which waits."""
    with playing(rig, published(rig, new_playlist(rig, rig.scene("All day"), seconds=45))):
        state = rig.player.wait_for("it plays", lambda state: state["showing"]["sceneName"] == "All day")
        answered = state["contact"]["lastAnswerAt"]
        rig.player.wait_for("it answers", lambda state: state["contact"]["lastAnswerAt"] > answered)
        with _service_frozen(rig):
            yield
    rig.player.wait_for("the others play", lambda state: state["showing"]["sceneName"] != "All day")


@contextmanager
def _service_down(rig: Rig) -> Iterator[None]:
    rig.service.kill()
    yield
    rig.service.start()


@contextmanager
def _revoked(rig: Rig) -> Iterator[None]:
    rig.service.delete(f"/screens/{rig.screen}")
    yield


@contextmanager
def _new_poster(rig: Rig) -> Iterator[None]:
    """The screen gets a picture that it has not had. Not in the rig's own playlist, of which all is sold at times."""
    scene = rig.scene_with_picture(f"Poster {time.monotonic()}", round(time.monotonic()))
    with playing(rig, published(rig, new_playlist(rig, scene))):
        yield


@contextmanager
def _posters(rig: Rig) -> Iterator[None]:
    """The screen gets pictures that take minutes over a slow line."""
    scenes = [rig.scene_with_picture(f"Poster {time.monotonic()}", 100 + number) for number in range(5)]
    with playing(rig, published(rig, new_playlist(rig, *scenes))):
        yield


@contextmanager
def _asset_fails(rig: Rig) -> Iterator[None]:
    with _only("/assets/", _problem(500))(rig), _new_poster(rig):
        yield


@contextmanager
def _asset_missing(rig: Rig) -> Iterator[None]:
    with _only("/assets/", _problem(404, "not_found"))(rig), _new_poster(rig):
        yield


@contextmanager
def _cached(rig: Rig) -> Iterator[None]:
    """A cache answers for the menu, and for nothing else, whatever it is asked; the operator changes a price."""
    unchanged = page(304, Menu_Display="1")
    with _only("/manifest", unchanged)(rig):
        one = rig.service.get("/content/items")["data"][0]
        rig.service.patch(f"/content/items/{one['id']}", {"price": round(one["price"] + 0.1, 2)})
        yield


# The line


def _wire(**values: object) -> Injection:
    """The line does this to packets."""

    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        for name, value in values.items():
            setattr(rig.wire, name, value)
        yield
        rig.wire.heal()

    return inject


def _router_says(*route: str) -> Injection:
    """The router has this route instead of the one to the service."""

    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        rig.router("ip", "route", "add", route[0], f"{ADDRESS}/32", *route[1:])
        yield
        rig.router("ip", "route", "delete", route[0], f"{ADDRESS}/32", *route[1:])

    return inject


@contextmanager
def _internet_gone(rig: Rig) -> Iterator[None]:
    """The modem is off: the router has no way out, and its name server cannot ask anybody."""
    rig.router("ip", "link", "set", "wan0", "down")
    with _names(SERVFAIL)(rig):
        yield
    rig.router("ip", "link", "set", "wan0", "up")
    rig.lead_out()


@contextmanager
def _flapping(rig: Rig) -> Iterator[None]:
    """The cable has a loose contact: 10 s out, 10 s in."""
    over = Event()

    def flap() -> None:
        while not over.is_set():
            rig.router("ip", "link", "set", "shop0", "down")
            over.wait(10.0)
            rig.router("ip", "link", "set", "shop0", "up")
            rig.join()
            over.wait(10.0)

    thread = Thread(target=flap)
    thread.start()
    yield
    over.set()
    thread.join()


@contextmanager
def _only_by_proxy(rig: Rig) -> Iterator[None]:
    """A company's network: browsers find the proxy by the name wpad, and nothing gets out without it."""
    text = rig.resolver.read_text()
    rig.resolver.write_text(f"search shop\n{text}")
    rig.names.others["wpad.shop"] = ROUTER
    script = 'function FindProxyForURL(url, host) { return "PROXY proxy.shop:3128; DIRECT"; }'
    kind = "application/x-ns-proxy-autoconfig"
    with listening(rig, ROUTER, 80, answering(page(200, script, kind=kind))), _wire(drops=wire.to_port(443))(rig):
        rig.cut()
        yield
    del rig.names.others["wpad.shop"]
    rig.resolver.write_text(text)


# The proxy


def _proxy(server: Server | None) -> Injection:
    return lambda rig: rig.proxy.instead(server)


@contextmanager
def _proxy_unknown(rig: Rig) -> Iterator[None]:
    before = rig.names.others.pop(PROXY_HOST)
    rig.names.others[PROXY_HOST] = NXDOMAIN
    rig.cut()
    yield
    rig.names.others[PROXY_HOST] = before


def _together(*injections: Injection) -> Injection:
    @contextmanager
    def inject(rig: Rig) -> Iterator[None]:
        with ExitStack() as stack:
            for each in injections:
                stack.enter_context(each(rig))
            yield

    return inject


_redirect = page(302, Location=LOGIN)
_welcome = page(200, "<html><title>Welcome</title><form>Room number</form>")

FAULTS = (
    # Link, address, route
    Fault("cable out", _cable_out, "connection_no_cable", quick=True),
    Fault("cable out at the start", _restarted_with_cable_out, "connection_no_cable"),
    Fault("adapter gone", _adapter_gone, "connection_no_adapter"),
    Fault("adapter switched off", _on_device("ip link set eth0 down"), "connection_link_off"),
    Fault("no address", _on_device("ip address flush dev eth0"), "connection_no_address"),
    Fault(
        "self-assigned address",
        _on_device("ip address flush dev eth0", "ip address add 169.254.7.7/16 dev eth0"),
        "connection_no_address",
    ),
    Fault("address of another machine", _address_taken, "connection_name_server_silent"),
    Fault(
        "no route", _on_device("ip route delete default", "ip -6 route delete default"), "connection_no_route"
    ),
    Fault("wrong gateway", _on_device("ip route replace default via 10.9.0.77"), "connection_silent"),
    # The board tells of it for some minutes more.
    Fault("loose cable, 10 s in and 10 s out", _flapping, "connection_no_cable", "connection_unstable", spoils=True),
    # Names
    Fault("no name server", _no_name_server, "connection_no_name_server"),
    Fault("name server silent", _names(None), "connection_name_server_silent"),
    Fault("name server silent at the start", _restarted_with_silent_names, "connection_name_server_silent"),
    Fault("name server is not there", _name_server_elsewhere, "connection_name_server_silent"),
    Fault("no such name", _names(NXDOMAIN), "connection_name_unknown"),
    Fault("name without an address", _names(0), "connection_name_unknown"),
    Fault("name server fails", _names(SERVFAIL), "connection_name_server_fails"),
    Fault("name server refuses", _names(REFUSED), "connection_name_server_fails"),
    Fault("name leads to the device itself", _names("127.0.0.1"), "connection_name_wrong"),
    Fault("name leads nowhere", _names("0.0.0.0"), "connection_name_wrong"),
    Fault("name leads to the router", _names(ROUTER), "connection_name_wrong"),
    Fault("name leads to another machine", _names(OTHER_ADDRESS), "connection_name_wrong"),
    Fault("slow name server", _names(ADDRESS, late=4.0), "connection_name_server_fails"),
    # Connections
    Fault("port closed", lambda rig: rig.door.instead(None), "connection_refused"),
    Fault("everything dropped", _wire(drops=wire.everything), "connection_silent"),
    Fault("firewall drops the port", _wire(drops=wire.to_port(443)), "connection_silent"),
    Fault("router drops", _router_says("blackhole"), "connection_silent"),
    # A router says so once a second to all calls together (RFC 1812, 4.3.2.8): a test that hears nothing is right, too.
    Fault("router: unreachable", _router_says("unreachable"), "connection_silent"),
    Fault("router: prohibited", _router_says("prohibit"), "connection_silent"),
    Fault("internet gone behind the router", _internet_gone, "connection_name_server_fails", "connection_silent"),
    Fault("IPv6 address only, and no IPv6", _together(_names("", answer6=ADDRESS6), _wire(drops=wire.of_version(6))),
          "connection_silent"),
    Fault("IPv6 alone in the shop, and IPv4 alone at the service", _ipv6_alone, "connection_other_ip"),
    # Silence
    Fault("silent before TLS", _door(lambda _: silent), "connection_tls_silent"),
    Fault("silent after TLS", _service(lambda _: silent), "connection_http_silent"),
    Fault("silent after the request", _answer(b""), "connection_http_silent"),
    Fault("silent, plain HTTP", _answer(b""), "connection_http_silent", way=Way.PLAIN),
    Fault("service frozen", _service_frozen, "connection_http_silent"),
    Fault("service frozen while nothing changes", _frozen_while_nothing_changes, "connection_http_silent"),
    # TLS
    Fault("certificate run out", certificate(HOST, begins=-90, ends=-2), "connection_certificate_expired"),
    Fault("certificate not valid yet", certificate(HOST, begins=2, ends=90), "connection_certificate_not_yet_valid"),
    Fault("certificate of another name", certificate("shop.example"), "connection_certificate_wrong_name"),
    Fault("TLS opened by a filter", _door(_intercepted(Rig.passing)), "connection_certificate_unknown_ca"),
    Fault("intermediate certificate missing",
          _door(lambda rig: encrypted(rig.authority.server_by_another(HOST), rig.passing())),
          "connection_certificate_incomplete", quick=True),
    Fault("self-signed certificate", _door(lambda rig: encrypted(rig.authority.server_by_itself(HOST), rig.passing())),
          "connection_certificate_self_signed"),
    Fault("the router's own certificate",
          _door(lambda rig: encrypted(rig.authority.server_by_itself("router.shop"), answering(_welcome))),
          "connection_certificate_wrong_name"),
    Fault("TLS broken off", _door(lambda _: cutting), "connection_tls_fails"),
    Fault("no TLS", _door(lambda _: _plain_only), "connection_no_tls"),
    Fault("plain HTTP at the port of TLS", _door(Rig.passing), "connection_no_tls"),
    # Portals
    Fault("portal: 511", _answer(page(511)), "connection_portal"),
    Fault("portal: redirect, plain HTTP", _answer(_redirect), "connection_portal", way=Way.PLAIN),
    Fault("portal: page, plain HTTP", _answer(_welcome), "connection_portal", way=Way.PLAIN),
    Fault("portal: 511, plain HTTP", _answer(page(511)), "connection_portal", way=Way.PLAIN),
    Fault("portal with a certificate of its own",
          _portal(secure=_door(_intercepted(lambda _: answering(_redirect))), answer=_redirect), "connection_portal"),
    Fault("portal that refuses TLS", _portal(secure=lambda rig: rig.front.instead(None), answer=_redirect),
          "connection_portal"),
    Fault("portal that drops TLS", _portal(secure=_wire(drops=wire.to_port(443)), answer=_redirect),
          "connection_portal"),
    Fault("portal by the name server", _portal_by_names, "connection_portal"),
    # A site of another purpose, with a certificate for its name: no guest network
    Fault("the shop's own website", _website(answer=_welcome), "connection_not_the_service", quick=True),
    Fault("the shop's own website, which sends on", _website(answer=page(302, Location="https://www.shop.example/")),
          "connection_moved"),
    Fault("the shop's own website, not paired", _website(answer=_welcome), "connection_not_the_service",
          way=Way.UNPAIRED),
    # Something in between
    Fault("cache with an old menu", _cached, "connection_old_menu"),
    Fault("filter: 403", _answer(BLOCKED), "connection_not_the_service"),
    Fault("filter: 403, plain HTTP", _answer(BLOCKED), "connection_not_the_service", way=Way.PLAIN),
    Fault("filter on the menu alone", _only("/manifest", BLOCKED), "connection_not_the_service"),
    Fault("filter on files alone: 404",
          _together(_only("/assets/", page(404, "<html>Not found")), _new_poster), "files_failing"),
    Fault("another site: 404", _answer(page(404, "<html><title>Not found</title>")), "connection_not_the_service"),
    Fault("another site's JSON", _answer(page(200, "{}", kind="application/json")), "connection_not_the_service"),
    Fault("moved for good", _answer(page(301, Location="https://new.example.com/v1/player/manifest")),
          "connection_moved"),
    Fault("answers cut in the middle", _service(lambda _: _cut_in_the_middle()),
          "connection_http_fails", "connection_not_the_service"),
    Fault("gateway: 502", _service_down, "connection_gateway"),
    # What it asks for is kept to, whoever it is that asks in the service's name.
    Fault("gateway: 503", _answer(page(503, "<html>Down", Retry_After="120")), "connection_gateway", mended=150.0),
    Fault("gateway: 504, plain HTTP", _answer(page(504, "<html>Late")), "connection_gateway", way=Way.PLAIN),
    # The service
    Fault("service: 500", _answer(_problem(500)), "connection_service_fails"),
    Fault("service: 500 on reports", _only("/heartbeat", _problem(500)), "connection_service_fails"),
    Fault("service: 500 on menus", _only("/manifest", _problem(500)), "connection_service_fails"),
    Fault("service: 500 on files", _asset_fails, "files_failing"),
    Fault("service: 404 on files", _asset_missing, "files_failing"),
    Fault("a fault without the service's mark: 500", _answer(page(500, "<html>Internal error")), "connection_gateway"),
    Fault("service: too many calls", _answer(_problem(429, "rate_limited", Retry_After="30")),
          "connection_service_declines"),
    Fault("service: not understood", _only("/manifest", page(200, "[]", kind="application/json", Menu_Display="1")),
          "connection_not_understood"),
    Fault("screen removed", _revoked, "screen_refused", spoils=True),
    # The line
    # It is told by the report of the next scene: until then nothing is sent that could be slow.
    Fault("1 kB/s", _wire(rate=1000.0), "connection_slow"),
    Fault("48 kbit/s, and pictures to fetch", _together(_wire(rate=6000.0), _posters), "connection_slow",
          "files_on_their_way", mended=120.0),
    Fault("half of the packets lost", _wire(loss=0.5), "connection_slow"),
    Fault("large packets lost", _wire(drops=wire.large), "connection_large_lost"),
    Fault("packets of the usual size lost", _together(_wire(drops=wire.longer_than(1300)), _new_poster),
          "files_on_their_way", mended=120.0),
    # The proxy
    Fault("proxy only, by wpad", _only_by_proxy, "connection_proxy_offered"),
    Fault("proxy refuses", _proxy(None), "connection_proxy_silent", way=Way.PROXY),
    Fault("proxy silent", _proxy(silent), "connection_proxy_silent", way=Way.PROXY),
    Fault("proxy unknown", _proxy_unknown, "connection_proxy_silent", way=Way.PROXY),
    Fault("proxy: 407", _proxy(answering(page(407))), "connection_proxy_sign_in", way=Way.PROXY),
    Fault("proxy: 407, by NTLM or Negotiate",
          _proxy(answering(page(407, Proxy_Authenticate="Negotiate\r\nProxy-Authenticate: NTLM"))),
          "connection_proxy_other_sign_in", way=Way.PROXY),
    Fault("proxy: 403", _proxy(answering(page(403))), "connection_proxy_forbids", way=Way.PROXY),
    Fault("proxy: 502", _proxy(answering(page(502))), "connection_proxy_fails", way=Way.PROXY),
    Fault("service down behind the proxy", lambda rig: rig.front.instead(None), "connection_proxy_fails",
          way=Way.PROXY),
    Fault("proxy opens TLS", _door(_intercepted(Rig.passing)), "connection_certificate_unknown_ca", way=Way.PROXY),
    Fault("cable out, by a proxy", _cable_out, "connection_no_cable", way=Way.PROXY),
    # Before it is paired
    Fault("cable out, not paired", _cable_out, "connection_no_cable", way=Way.UNPAIRED),
    Fault("no such name, not paired", _names(NXDOMAIN), "connection_name_unknown", way=Way.UNPAIRED),
    Fault("another site, not paired", _answer(page(404, "<html>Not found")), "connection_not_the_service",
          way=Way.UNPAIRED),
    Fault("everything dropped, not paired", _wire(drops=wire.everything), "connection_silent", way=Way.UNPAIRED),
    Fault("nothing at this path, not paired", _answer(_problem(404, "no_such_path")), "connection_wrong_path",
          way=Way.UNPAIRED),
    Fault("a fault without the service's mark, not paired", _answer(page(500, "<html>Internal error")),
          "connection_gateway", way=Way.UNPAIRED),
    Fault("portal, not paired", _portal(secure=_door(_intercepted(lambda _: answering(_redirect))), answer=_redirect),
          "connection_portal", way=Way.UNPAIRED),
)  # fmt: skip
