"""The faults on the way to the service, each with what follows from it; pure.

A call, the test of the way, findings, cards, the page, the log and heartbeats name a fault by its code; the service's
desk has sentences by these codes (`service/desk/screens/read_out.py`).
"""

from __future__ import annotations

from enum import Enum, StrEnum, auto
from typing import Self

from player.domain.finding import Who, Words


class Reach(Enum):
    """Step that a call reaches that meets the fault."""

    AWAY = auto()
    """Nothing answers, or something else does in the place of the service."""
    UNTRUSTED = auto()
    """No secure connection is made."""
    SERVICE = auto()
    """The service itself answers."""


class Row(Words, frozen=True, kw_only=True):
    """Texts of a fault, and what follows from it."""

    code: str
    reach: Reach = Reach.AWAY
    passes: bool = False
    """Whether it may be over in a moment, so that it is told only once it has lasted."""
    offline: bool = False
    """Whether it keeps the device from a time server, too."""
    silent: bool = False
    """Whether an answer was waited for, and none came."""


class Fault(StrEnum):
    """A fault, by the code of its finding."""

    row: Row

    def __new__(cls, row: Row) -> Self:
        member = str.__new__(cls, row.code)
        member._value_ = row.code
        member.row = row
        return member

    @property
    def is_on_the_way(self) -> bool:
        """Whether it keeps every call from the service."""
        return self.row.reach is not Reach.SERVICE

    NO_ADAPTER = Row(
        "The device has no network adapter.",
        "Plug in a network or Wi-Fi adapter, or have the device repaired.",
        code="connection_no_adapter",
        offline=True,
    )
    LINK_OFF = Row(
        "The network of the device is switched off.",
        "Switch its network or Wi-Fi on in the settings of the device (not flight mode), or restart it.",
        code="connection_link_off",
        offline=True,
    )
    NO_CABLE = Row(
        "No network cable is plugged in, or the box at its other end is off.",
        "Push the cable in at the device and at the box, see that the lamps beside it light up, and try another cable.",
        code="connection_no_cable",
        offline=True,
    )
    """No Wi-Fi adapter is on either."""
    WIFI_NOT_JOINED = Row(
        "The device is not connected to the Wi-Fi.",
        "See that the Wi-Fi is on and its name and password are those set on the device, or plug in a cable.",
        code="connection_wifi_not_joined",
        offline=True,
    )
    """No cable is plugged in either."""
    WIFI_WEAK = Row(
        "The Wi-Fi signal at the device is too weak.",
        "Move the device or the Wi-Fi access point closer together, or use a cable.",
        code="connection_wifi_weak",
        offline=True,
    )
    """A step after the link got no answer."""
    NO_ADDRESS = Row(
        "The network gives the device no address.",
        "Restart the network box (router). If that does not help, ask whoever runs the network whether its DHCP"
        " has addresses left, and lets this device in.",
        Who.NETWORK,
        code="connection_no_address",
        offline=True,
    )
    """It may have given itself one (169.254.…)."""
    NO_ROUTE = Row(
        "The device is in the network of the shop, but knows no way out of it.",
        "Restart the network box (router). If the device has a fixed address, check the gateway that is set beside it.",
        Who.NETWORK,
        code="connection_no_route",
        offline=True,
    )
    OTHER_IP = Row(
        "The network of the shop and {host} have no version of the internet protocol in common (IPv4, IPv6).",
        "Ask whoever runs the network to give this device an address of the version that is named here, or a way"
        " between the two (NAT64). Or ask whoever runs the service for an address of the other version.",
        Who.NETWORK,
        code="connection_other_ip",
        offline=True,
    )
    NO_NAME_SERVER = Row(
        "The device knows no name server (DNS), so it cannot look up {host}.",
        "Restart the network box (router). If the device has a fixed address, set a name server beside it.",
        Who.NETWORK,
        code="connection_no_name_server",
        offline=True,
    )
    NAME_SERVER_SILENT = Row(
        "The name server (DNS) of this network does not answer, so the device cannot look up {host}.",
        "Restart the network box (router): it may have given the address of this device to another one, too. If other"
        " devices can use the internet, ask whoever runs the network about port 53.",
        Who.NETWORK,
        code="connection_name_server_silent",
        offline=True,
        silent=True,
    )
    NAME_SERVER_FAILS = Row(
        "The name server (DNS) of this network does not say where {host} is.",
        "Restart the network box (router). If that does not help, tell whoever runs the network.",
        Who.NETWORK,
        code="connection_name_server_fails",
        offline=True,
    )
    """It cannot or will not say, or says it later than a call waits."""
    NAME_UNKNOWN = Row(
        "The name server (DNS) says that there is no {host}.",
        "Check that the address of the service is spelled right on this device ({address}). If it is, a filter of this"
        " network may block the name.",
        code="connection_name_unknown",
    )
    """Or it has no address."""
    NAME_WRONG = Row(
        "The name server (DNS) gives a wrong address for {host}.",
        "A filter or a log-in page of this network sends the device elsewhere: ask whoever runs the network to let"
        " {host} through, or use another network.",
        Who.NETWORK,
        code="connection_name_wrong",
        offline=True,
    )
    """Such as one of the shop's own network."""
    REFUSED = Row(
        "The machine at {host} takes no connections at port {port}.",
        "Check that the address of the service is right on this device ({address}). If it is, the service is not"
        " running: tell whoever runs it.",
        Who.SERVICE,
        code="connection_refused",
        passes=True,
    )
    SILENT = Row(
        "Nothing answers at {host}, port {port}.",
        "See whether other devices here can use the internet; if not, restart the network box. If they can, a"
        " firewall drops the connection, or the service is down. Ask whoever runs the network to let the device"
        " out to {host}, port {port}.",
        Who.NETWORK,
        code="connection_silent",
        offline=True,
        silent=True,
    )
    """Something drops the packets, nothing is there, or a router says so."""
    PROXY_OFFERED = Row(
        "This network does not let the device out to {host} directly: it has a proxy, and none is set on this device.",
        'Write the proxy that is named here into the player\'s settings: proxy = "http://host:port". Then restart the'
        " player. If it does not help, ask whoever runs the network for the proxy that devices without a user take.",
        Who.NETWORK,
        code="connection_proxy_offered",
        offline=True,
    )
    """The network names it by WPAD."""
    PROXY_SILENT = Row(
        "The proxy that is set on this device does not answer.",
        "Check the address of the proxy in the player's settings, and that the proxy runs.",
        Who.NETWORK,
        code="connection_proxy_silent",
        silent=True,
    )
    PROXY_SIGN_IN = Row(
        "The proxy asks this device for a user and a password, or does not accept those that are set.",
        'Write them into the player\'s settings: proxy = "http://user:password@host:port".',
        Who.NETWORK,
        code="connection_proxy_sign_in",
    )
    """It answers 407."""
    PROXY_OTHER_SIGN_IN = Row(
        "The proxy asks this device for a kind of sign-in that it cannot do.",
        "Ask whoever runs the proxy to let this device through without sign-in, or to accept a user and a password of"
        " it (Basic).",
        Who.NETWORK,
        code="connection_proxy_other_sign_in",
    )
    """Such as NTLM."""
    PROXY_FORBIDS = Row(
        "The proxy does not let this device through to {host}.",
        "Ask whoever runs the proxy to allow {host}, port {port}.",
        Who.NETWORK,
        code="connection_proxy_forbids",
    )
    PROXY_FAILS = Row(
        "The proxy cannot reach {host}.",
        "Ask whoever runs the proxy. Check, too, that what is set on this device is the address of a proxy.",
        Who.NETWORK,
        code="connection_proxy_fails",
    )
    """Or it is no proxy."""
    TLS_SILENT = Row(
        "{host} accepts the connection, and then nothing comes.",
        "Often a firewall holds the connection up, or the line is overloaded. Ask whoever runs the network to let"
        " the device out to {host}, port {port}.",
        Who.NETWORK,
        code="connection_tls_silent",
        silent=True,
    )
    TLS_FAILS = Row(
        "No secure connection to {host} can be made.",
        "A firewall or a filter of this network breaks it off, or the address is not that of the service ({address}). "
        "Ask whoever runs the network to let the device out to {host}, port {port}.",
        Who.NETWORK,
        code="connection_tls_fails",
        reach=Reach.UNTRUSTED,
        passes=True,
    )
    """The other end speaks no TLS, or breaks it off."""
    NO_TLS = Row(
        "{host} speaks without encryption at port {port}, where secure connections are expected.",
        "Check that the address of the service is right on this device ({address}). If it is, tell whoever runs the"
        " service: its port {port} has to be set up for https, with a certificate.",
        Who.SERVICE,
        code="connection_no_tls",
        reach=Reach.UNTRUSTED,
    )
    CERTIFICATE_EXPIRED = Row(
        "The certificate of {host} has run out.",
        "Tell whoever runs the service: it needs a new certificate.",
        Who.SERVICE,
        code="connection_certificate_expired",
        reach=Reach.UNTRUSTED,
    )
    """By the best known time."""
    CERTIFICATE_NOT_YET_VALID = Row(
        "The certificate of {host} is not valid yet.",
        "Compare the clock on the board with a phone. If it is right, tell whoever runs the service that the"
        " certificate begins too late.",
        Who.SERVICE,
        code="connection_certificate_not_yet_valid",
        reach=Reach.UNTRUSTED,
    )
    """By the best known time."""
    CLOCK_WRONG = Row(
        "The device's clock is wrong, so it cannot make a secure connection.",
        "Let the device reach a time server (NTP, UDP port 123), or set its clock.",
        Who.NETWORK,
        code="connection_clock_wrong",
        reach=Reach.UNTRUSTED,
    )
    """The certificate is good by the best known time, and not by the device's clock."""
    CERTIFICATE_WRONG_NAME = Row(
        "What answers at {host} shows the certificate of another name.",
        "Check the address of the service on this device ({address}). If it is right, something on this network answers"
        " in its place: ask whoever runs the network, or use another one.",
        Who.NETWORK,
        code="connection_certificate_wrong_name",
        reach=Reach.UNTRUSTED,
    )
    CERTIFICATE_SELF_SIGNED = Row(
        "The certificate of {host} is signed by nobody but itself, so this device cannot trust it.",
        "Tell whoever runs the service: it needs a certificate of an authority that devices know. If it is to stay"
        " as it is, set ca_file in the player's settings to a file with this certificate.",
        Who.SERVICE,
        code="connection_certificate_self_signed",
        reach=Reach.UNTRUSTED,
    )
    """It is of the right name."""
    CERTIFICATE_INCOMPLETE = Row(
        "The service at {host} sends no intermediate certificate, so this device cannot see who vouches for it.",
        "Tell whoever runs the service: the file with the whole chain (fullchain.pem) has to be set there, not that"
        " with the certificate alone.",
        Who.SERVICE,
        code="connection_certificate_incomplete",
        reach=Reach.UNTRUSTED,
    )
    """A known authority publishes it."""
    CERTIFICATE_UNKNOWN_CA = Row(
        "The certificate that {host} shows is signed by nobody whom this device trusts.",
        "A filter of this network opens secure connections: ask whoever runs it to leave {host} alone. If the company"
        " has certificates of its own, set ca_file in the player's settings.",
        Who.NETWORK,
        code="connection_certificate_unknown_ca",
        reach=Reach.UNTRUSTED,
    )
    """A filter that opens TLS, or a private authority."""
    PORTAL = Row(
        "This is a guest network whose log-in page answers in place of the service.",
        "Use another network, or have whoever runs this one let the device in without the page.",
        Who.NETWORK,
        code="connection_portal",
        offline=True,
    )
    SLOW = Row(
        "The connection to {host} is so slow, or loses so much, that answers do not arrive.",
        "See whether other devices here are slow, too, and what uses the line. On Wi-Fi: move the device or the"
        " access point closer together, or use a cable.",
        Who.NETWORK,
        code="connection_slow",
    )
    """A call alone says so where no answer has come in time."""
    LARGE_LOST = Row(
        "Small packets get through to {host} and back, and large ones are lost on the way.",
        "Ask whoever runs the network: packets of the usual size do not fit somewhere on the way (MTU), often in a VPN,"
        " a tunnel or a line with PPPoE. Set a smaller MTU in the network box, such as 1400, or have it correct the"
        " packets (MSS clamping).",
        Who.NETWORK,
        code="connection_large_lost",
    )
    """A path MTU that nobody is told of."""
    HTTP_SILENT = Row(
        "{host} takes the request, and no answer comes.",
        "Wait some minutes. If it stays, tell whoever runs the service; a filter of this network may also hold the"
        " answer up.",
        Who.SERVICE,
        code="connection_http_silent",
        silent=True,
    )
    HTTP_FAILS = Row(
        "The connection to {host} breaks before an answer comes.",
        "Check that the address is that of the service ({address}). If it is, a filter of this network breaks the"
        " connection, or the service fails: tell whoever runs them.",
        Who.NETWORK,
        code="connection_http_fails",
        passes=True,
    )
    """Or the answer is not HTTP."""
    MOVED = Row(
        "{host} sends the device to another address.",
        "Check the address of the service on this device ({address}), and set the new one if it has moved. On a guest"
        " network this may be its log-in page.",
        code="connection_moved",
    )
    NOT_THE_SERVICE = Row(
        "Something other than the menu service answers at {host}.",
        "Check the address of the service on this device ({address}). If it is right, a filter of this network answers"
        " in its place: ask whoever runs it to let {host} through.",
        code="connection_not_the_service",
    )
    """A filter, or another site at this address."""
    GATEWAY = Row(
        "The menu service at {host} is down: only the machine before it answers.",
        "Wait some minutes, then tell whoever runs the service.",
        Who.SERVICE,
        code="connection_gateway",
        passes=True,
    )
    """It answers 5xx."""
    OLD_MENU = Row(
        "Something on the way to {host} keeps giving this device an old menu; the service has a newer one.",
        "A cache or a filter of this network answers in place of the service: ask whoever runs it to keep nothing of"
        " {host}, or use another network. Until then the board may show what is sold out.",
        Who.NETWORK,
        code="connection_old_menu",
    )
    """Only a call for the menu finds it."""
    WRONG_PATH = Row(
        "The menu service at {host} answers, but not at the address that is set on this device.",
        "Correct the address of the service on this device ({address}): see what follows {host} in it.",
        code="connection_wrong_path",
        reach=Reach.SERVICE,
    )
    SERVICE_FAILS = Row(
        "The menu service answers with a fault of its own.",
        "Tell whoever runs the service.",
        Who.SERVICE,
        code="connection_service_fails",
        reach=Reach.SERVICE,
        passes=True,
    )
    """It answers 5xx."""
    NO_CONNECTION = Row(
        "{host} cannot be reached.",
        "Check the network cable or the Wi-Fi, and that this network lets the device out to that address.",
        Who.NETWORK,
        code="connection_no_connection",
        offline=True,
    )
    """A call alone says so: no connection is made, or it breaks."""
    SERVICE_DECLINES = Row(
        "The menu service does not do what this device asks of it.",
        "Wait some minutes. If it stays, tell whoever runs the service.",
        Who.SERVICE,
        code="connection_service_declines",
        reach=Reach.SERVICE,
        passes=True,
    )
    """Another answer than 2xx and 5xx."""
    NOT_UNDERSTOOD = Row(
        "The menu service answers with something that this player does not understand.",
        "Check the address of the service on this device ({address}), and that the player is not older than the"
        " service allows.",
        Who.SERVICE,
        code="connection_not_understood",
        reach=Reach.SERVICE,
    )
    """Not what the protocol says, too large, or of another hash."""
    SCREEN_REFUSED = Row(
        "The service does not accept this screen any more.",
        "If the screen was not removed on purpose, pair it again with the code that it will show.",
        Who.OPERATOR,
        code="screen_refused",
        reach=Reach.SERVICE,
    )
    """It has refused the token of the screen once."""


UNANSWERED = frozenset({Fault.NO_CONNECTION, Fault.SLOW})
"""Faults of calls that got no answer, where nothing says why."""
