"""A shop with a screen, in network namespaces: the device, the shop's router, the line, and the internet.

        device ──── shop0 router wan0 ════ wire ════ net0 internet: the service behind its front
     10.9.0.2/24   10.9.0.1                                203.0.113.9 (menus.example.com), ports 80 and 443
       fd09::2      fd09::1, name server, proxy            2a02:9::9

The real player and the real service run there, paired through the API and playing a small menu. Faults change the
machines (`rig.device("ip", …)`), what the name server says (`rig.names`), what answers at an address (`rig.front`),
the line (`rig.wire`), or the programs.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import struct
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, cast

from tests.diagnosis import servers
from tests.diagnosis.fault import Way
from tests.diagnosis.namespaces import Here, Machine
from tests.diagnosis.servers import Loop, Place
from tests.diagnosis.wire import Wire, finish_frames
from tests.support.authority import Authority
from tests.support.name_server import NameServer
from tests.support.programs import Player, Service

HOST = "menus.example.com"
PROXY_HOST = "proxy.shop"
ADDRESS, ADDRESS6 = "203.0.113.9", "2a02:9::9"
OTHER_ADDRESS = "203.0.113.66"
"""Another machine, which has nothing to do with menus."""
ROUTER = "10.9.0.1"
PROXY_PORT = 3128
PAGE_PORT = 8085
X_SOCKETS = Path("/tmp/.X11-unix")


class Board(Player):
    """The player on the device; its page is read there, as by the doctor."""

    def __init__(self, folder: Path, service: str, device: Machine) -> None:
        super().__init__(folder, service, size="640x360")
        self.prefix = device.entry
        self.port = PAGE_PORT
        self._device = device

    def state(self) -> dict[str, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5.0)
        try:
            # The page closes a connection after one request; a new one has to begin on the device.
            connection.sock = self._device.socket()
            connection.sock.settimeout(5.0)
            connection.sock.connect(("127.0.0.1", self.port))
            connection.request("GET", "/state.json")
            found: dict[str, Any] = json.loads(connection.getresponse().read())
        except (OSError, http.client.HTTPException, ValueError):
            return {}
        finally:
            connection.close()
        return found

    def findings(self) -> list[dict[str, Any]] | None:
        """The findings of its page, the first one first; None while the page does not answer."""
        state = self.state()
        return cast("list[dict[str, Any]]", state["findings"]) if state else None


class Rig:
    """The only one of a process that is alone in its namespaces, as tests/diagnosis/worker.py starts them."""

    def __init__(self, folder: Path, way: Way = Way.SECURE, *, disk: tuple[int, Path] | None = None) -> None:
        """`disk` is the memory of a disk that can be broken, and where it is mounted."""
        self.way = way
        self.disk = disk
        self.folder = folder
        self.loop = Loop()
        self.internet = Here()
        _keep_x_servers_apart(self.internet)
        self.router = Machine("router")
        self.device = Machine("device")
        self._line = Machine("line")
        self.wire = Wire()
        self._connect()
        self._mount()

        self.authority = Authority(folder)
        self.certificate = self.authority.server(HOST)
        self.names = self._name_server()
        self.service = Service(folder)
        self.service.environment["MENU_SERVICE_PUBLIC_URL"] = self.url
        self.front = Place(self.loop, self.internet, ADDRESS, 443, servers.encrypted(self.certificate, self.passing()))
        self.front6 = Place(self.loop, self.internet, ADDRESS6, 443, None)
        self.plain = Place(self.loop, self.internet, ADDRESS, 80, self.passing() if way is Way.PLAIN else None)
        self.proxy = Place(self.loop, self.router, ROUTER, PROXY_PORT, servers.proxy() if way is Way.PROXY else None)
        servers.HOSTS[HOST] = ADDRESS
        self.player = Board(folder, self.url, self.device)
        if disk is not None:
            self.player.state_folder = disk[1] / "player-state"
        self.player.environment |= {
            "MENU_PLAYER_CA_FILE": str(self.authority.file),
            "MENU_PLAYER_CLOCK_OFFSET_FILE": str(folder / "player-clock-offset"),
            **({"MENU_PLAYER_PROXY": f"http://{PROXY_HOST}:{PROXY_PORT}"} if way is Way.PROXY else {}),
            **({"MENU_PLAYER_ALLOW_PLAIN_HTTP": "true"} if way is Way.PLAIN else {}),
        }
        self.playlist = self.location = self.screen = ""

    @property
    def url(self) -> str:
        """The service's address, as it is set on the device."""
        return f"{'http' if self.way is Way.PLAIN else 'https'}://{HOST}"

    def passing(self, rule: servers.Rule = lambda _: None, *, late: float = 0.0) -> servers.Server:
        """The front of the service, which answers some paths itself."""
        return servers.front(self.service.port, rule, late=late)

    @property
    def door(self) -> Place:
        """Where the player comes in."""
        return self.plain if self.way is Way.PLAIN else self.front

    def secured(self, server: servers.Server) -> servers.Server:
        """The same with the right certificate, if the way is a secure one."""
        return server if self.way is Way.PLAIN else servers.encrypted(self.certificate, server)

    def cut(self) -> None:
        """Cut the player's connections, so that it makes new ones."""
        self.door.serve(self.door.server)

    @contextmanager
    def answered_by(self, server: servers.Server | None) -> Iterator[None]:
        """Something else in the service's place, with the service's certificate."""
        with self.door.instead(server if server is None else self.secured(server)):
            yield

    # The programs

    def start(self) -> None:
        """Start both programs, pair them, and wait until the menu is on the glass."""
        self.service.start()
        self.player.start()
        self.location = str(
            self.service.post(
                "/locations",
                {"name": "Corner Café", "timezone": "Europe/Berlin", "currency": "EUR", "locale": "de-DE"},
            )["id"]
        )
        for name, price in (("Flat white", 3.4), ("Espresso", 2.2)):
            self.service.post("/content/items", {"name": name, "category": "Coffee", "price": price})
        self.playlist = str(self.service.post("/playlists", {"name": "All day"})["id"])
        for name in ("Coffee", "More coffee"):
            self.append(self.scene(name), seconds=8)
        self.publish()
        if self.way is Way.UNPAIRED:
            self.player.code()
            return
        body = {"code": self.player.code(), "playlist": self.playlist, "location": self.location}
        self.screen = str(self.service.post("/screens/pair", body)["id"])
        self.player.wait_for("the menu is on the glass", self.is_well)

    def is_well(self, state: dict[str, Any]) -> bool:
        """Whether the board plays, and the page says of nothing that it is wrong."""
        wrong = [finding for finding in state.get("findings", ()) if finding["severity"] != "note"]
        if self.way is Way.UNPAIRED:
            return [finding["code"] for finding in wrong] == ["not_paired"] and bool(state["pairing"]["code"])
        return bool(state) and not wrong and state["presented"]["kind"] == "scene" and not state["contact"]["fault"]

    def scene(self, name: str, *widgets: dict[str, Any]) -> str:
        """Create a scene, with a menu of everything unless the widgets are given; its id."""
        place = {"x": 100, "y": 60, "width": 1720, "height": 960}
        menu = {"id": "menu", "type": "menu", **place, "categories": ["Coffee"]}
        return str(self.service.post("/scenes", {"name": name, "widgets": list(widgets) or [menu]})["id"])

    def scene_with_picture(self, name: str, colour: int = 7) -> str:
        """Create a scene with an image of its own; its id."""
        asset = self.service.upload(picture(colour), "image/png")
        image = {"id": "image", "type": "image", "x": 0, "y": 0, "width": 1920, "height": 1080, "asset": asset}
        return self.scene(name, image)

    def append(self, scene: str, seconds: int = 10) -> None:
        self.service.post(f"/playlists/{self.playlist}/scenes", {"sceneId": scene, "durationSeconds": seconds})

    def publish(self) -> int:
        return int(self.service.post(f"/playlists/{self.playlist}/publish")["version"])

    def turn_clock(self, seconds: float) -> None:
        """Set the device's clock so many seconds ahead."""
        (self.folder / "player-clock-offset").write_text(str(seconds))

    def end(self) -> None:
        """End the programs; the network goes with this process, which can have no other rig."""
        self.player.kill()
        self.service.kill()
        for machine in (self.device, self.router, self._line):
            machine.end()

    # The network

    def _connect(self) -> None:
        device, router, internet = self.device, self.router, self.internet
        internet("ip", "link", "set", "lo", "up")
        groups = self.folder / "control-groups"
        groups.mkdir()
        for there in (router, device, self._line):
            # A new view of the adapters, with the control groups of before.
            there("mount", "--rbind", "/sys/fs/cgroup", str(groups))
            there("mount", "-t", "sysfs", "none", "/sys")
            there("mount", "--rbind", str(groups), "/sys/fs/cgroup")
            there("sh", "-c", "echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad")
        internet("sh", "-c", "echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad")
        self.plug_in()
        for one, name, end in ((router, "wan0", "in"), (internet, "net0", "out")):
            one("ip", "link", "add", name, "type", "veth", "peer", "name", end, "netns", str(self._line.pid))
            finish_frames(one, name)
            self._line("ip", "link", "set", end, "up")
        router("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding")
        router("ip", "address", "add", "198.51.100.1/30", "dev", "wan0")
        router("ip", "link", "set", "wan0", "up")
        internet("ip", "address", "add", "198.51.100.2/30", "dev", "net0")
        internet("ip", "link", "set", "net0", "up")
        for address in (f"{ADDRESS}/32", f"{OTHER_ADDRESS}/32", f"{ADDRESS6}/128"):
            internet("ip", "address", "add", address, "dev", "lo")
        self.loop.loop.call_soon_threadsafe(self.wire.lay, self._line, "in", "out", self.loop.loop)
        self.lead_out()

    def lead_out(self) -> None:
        """Set the ways between router and internet, which ask for no hardware addresses: a line may be dead."""
        for one, name, other, end, address, address6 in (
            (self.router, "wan0", self.internet, "net0", "198.51.100.2", "fd51::2"),
            (self.internet, "net0", self.router, "wan0", "198.51.100.1", "fd51::1"),
        ):
            own6 = "fd51::1/64" if one is self.router else "fd51::2/64"
            one("ip", "address", "replace", own6, "dev", name)  # Gone with the link.
            hardware = json.loads(other("ip", "-json", "link", "show", "dev", end))[0]["address"]
            for number in (address, address6):
                one("ip", "neigh", "replace", number, "lladdr", hardware, "dev", name, "nud", "permanent")
            one("ip", "route", "replace", "default", "via", address)
            one("ip", "-6", "route", "replace", "default", "via", address6)

    def plug_in(self) -> None:
        """Give the device its adapter, and have it join the shop's network."""
        self.router("ip", "link", "add", "shop0", "type", "veth", "peer", "name", "eth0", "netns", str(self.device.pid))
        self.router("ip", "address", "add", f"{ROUTER}/24", "dev", "shop0")
        self.router("ip", "address", "add", "fd09::1/64", "dev", "shop0")
        self.router("ip", "link", "set", "shop0", "up")
        self.join()

    def join(self) -> None:
        """Set address and way out of the device, as its network does when it comes."""
        self.device("ip", "link", "set", "eth0", "up")
        self.device("ip", "address", "replace", "10.9.0.2/24", "dev", "eth0")
        self.device("ip", "address", "replace", "fd09::2/64", "dev", "eth0")
        self.device("ip", "route", "replace", "default", "via", ROUTER)
        self.device("ip", "-6", "route", "replace", "default", "via", "fd09::1")

    def _mount(self) -> None:
        """Name server and unit files of the device are its own."""
        self.resolver = self.folder / "resolv.conf"
        self.resolver.write_text(f"nameserver {ROUTER}\n")
        self.device("mount", "--bind", str(self.resolver), "/etc/resolv.conf")

    def _name_server(self) -> NameServer:
        async def listen() -> NameServer:
            line = self.router.socket(kind=2)
            line.bind((ROUTER, 53))
            _, server = await asyncio.get_running_loop().create_datagram_endpoint(
                lambda: NameServer(ADDRESS, others={PROXY_HOST: ROUTER}), sock=line
            )
            return server

        return self.loop.do(listen)


def _keep_x_servers_apart(here: Here) -> None:
    """An X server of another network namespace takes no notice of one that has its name already."""
    X_SOCKETS.mkdir(exist_ok=True)
    here("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", str(X_SOCKETS))


def wait_until(look: Callable[[], object], seconds: float, *, every: float = 0.25) -> bool:
    """Whether it becomes true in that time."""
    until = time.monotonic() + seconds
    while not look():
        if time.monotonic() > until:
            return False
        time.sleep(every)
    return True


def picture(colour: int) -> bytes:
    """A PNG of its own, with so much noise that it has a size."""
    rows = b"".join(b"\0" + Random(colour * 1000 + row).randbytes(3 * 320) for row in range(180))
    image = b"\x89PNG\r\n\x1a\n"
    for kind, data in (
        (b"IHDR", struct.pack("!IIBBBBB", 320, 180, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ):
        image += struct.pack("!I", len(data)) + kind + data + struct.pack("!I", zlib.crc32(kind + data))
    return image
