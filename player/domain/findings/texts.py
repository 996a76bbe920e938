"""The texts of faults: what is wrong, what to do and who can do it, by the code of the fault; pure.

Findings, the pairing card, the reports to the service and the log all say a fault in these words.
"""

from __future__ import annotations

from collections.abc import Mapping

from menu.documents.manifest import Rejection
from menu.rules.timeline import Unshowable, WhyNot
from menu.text.phrase import Phrase, phrase
from player.domain.connection import ConnectionFault as Fault
from player.domain.finding import Who
from player.domain.findings.finding import Words, quoted

NO_CONNECTION = "no_connection"
SERVICE_DECLINES = "service_declines"
NOT_UNDERSTOOD = "not_understood"

CONNECTION: Mapping[str, Words] = {
    Fault.NO_ADAPTER: Words(
        "The device has no network adapter.",
        "Plug in a network or Wi-Fi adapter, or have the device repaired.",
    ),
    Fault.LINK_OFF: Words(
        "The network of the device is switched off.",
        "Switch its network or Wi-Fi on in the settings of the device (not flight mode), or restart it.",
    ),
    Fault.NO_CABLE: Words(
        "No network cable is plugged in, or the box at its other end is off.",
        "Push the cable in at the device and at the box, see that the lamps beside it light up, and try another cable.",
    ),
    Fault.WIFI_NOT_JOINED: Words(
        "The device is not connected to the Wi-Fi.",
        "See that the Wi-Fi is on and its name and password are those set on the device, or plug in a cable.",
    ),
    Fault.WIFI_WEAK: Words(
        "The Wi-Fi signal at the device is too weak.",
        "Move the device or the Wi-Fi access point closer together, or use a cable.",
    ),
    Fault.NO_ADDRESS: Words(
        "The network gives the device no address.",
        "Restart the network box (router). If that does not help, ask whoever runs the network whether its DHCP"
        " has addresses left, and lets this device in.",
        Who.NETWORK,
    ),
    Fault.NO_ROUTE: Words(
        "The device is in the network of the shop, but knows no way out of it.",
        "Restart the network box (router). If the device has a fixed address, check the gateway that is set beside it.",
        Who.NETWORK,
    ),
    Fault.OTHER_IP: Words(
        "The network of the shop and {host} have no version of the internet protocol in common (IPv4, IPv6).",
        "Ask whoever runs the network to give this device an address of the version that is named here, or a way"
        " between the two (NAT64). Or ask whoever runs the service for an address of the other version.",
        Who.NETWORK,
    ),
    Fault.NO_NAME_SERVER: Words(
        "The device knows no name server (DNS), so it cannot look up {host}.",
        "Restart the network box (router). If the device has a fixed address, set a name server beside it.",
        Who.NETWORK,
    ),
    Fault.NAME_SERVER_SILENT: Words(
        "The name server (DNS) of this network does not answer, so the device cannot look up {host}.",
        "Restart the network box (router): it may have given the address of this device to another one, too. If other"
        " devices can use the internet, ask whoever runs the network about port 53.",
        Who.NETWORK,
    ),
    Fault.NAME_SERVER_FAILS: Words(
        "The name server (DNS) of this network does not say where {host} is.",
        "Restart the network box (router). If that does not help, tell whoever runs the network.",
        Who.NETWORK,
    ),
    Fault.NAME_UNKNOWN: Words(
        "The name server (DNS) says that there is no {host}.",
        "Check that the address of the service is spelled right on this device ({address}). If it is, a filter of this"
        " network may block the name.",
    ),
    Fault.NAME_WRONG: Words(
        "The name server (DNS) gives a wrong address for {host}.",
        "A filter or a log-in page of this network sends the device elsewhere: ask whoever runs the network to let"
        " {host} through, or use another network.",
        Who.NETWORK,
    ),
    Fault.REFUSED: Words(
        "The machine at {host} takes no connections at port {port}.",
        "Check that the address of the service is right on this device ({address}). If it is, the service is not"
        " running: tell whoever runs it.",
        Who.SERVICE,
    ),
    Fault.SILENT: Words(
        "Nothing answers at {host}, port {port}.",
        "See whether other devices here can use the internet; if not, restart the network box. If they can, a"
        " firewall drops the connection, or the service is down. Ask whoever runs the network to let the device"
        " out to {host}, port {port}.",
        Who.NETWORK,
    ),
    Fault.PROXY_OFFERED: Words(
        "This network does not let the device out to {host} directly: it has a proxy, and none is set on this device.",
        'Write the proxy that is named here into the player\'s settings: proxy = "http://host:port". Then restart the'
        " player. If it does not help, ask whoever runs the network for the proxy that devices without a user take.",
        Who.NETWORK,
    ),
    Fault.PROXY_SILENT: Words(
        "The proxy that is set on this device does not answer.",
        "Check the address of the proxy in the player's settings, and that the proxy runs.",
        Who.NETWORK,
    ),
    Fault.PROXY_SIGN_IN: Words(
        "The proxy asks this device for a user and a password, or does not accept those that are set.",
        'Write them into the player\'s settings: proxy = "http://user:password@host:port".',
        Who.NETWORK,
    ),
    Fault.PROXY_OTHER_SIGN_IN: Words(
        "The proxy asks this device for a kind of sign-in that it cannot do.",
        "Ask whoever runs the proxy to let this device through without sign-in, or to accept a user and a password of"
        " it (Basic).",
        Who.NETWORK,
    ),
    Fault.PROXY_FORBIDS: Words(
        "The proxy does not let this device through to {host}.",
        "Ask whoever runs the proxy to allow {host}, port {port}.",
        Who.NETWORK,
    ),
    Fault.PROXY_FAILS: Words(
        "The proxy cannot reach {host}.",
        "Ask whoever runs the proxy. Check, too, that what is set on this device is the address of a proxy.",
        Who.NETWORK,
    ),
    Fault.TLS_SILENT: Words(
        "{host} accepts the connection, and then nothing comes.",
        "Often a firewall holds the connection up, or the line is overloaded. Ask whoever runs the network to let"
        " the device out to {host}, port {port}.",
        Who.NETWORK,
    ),
    Fault.TLS_FAILS: Words(
        "No secure connection to {host} can be made.",
        "A firewall or a filter of this network breaks it off, or the address is not that of the service ({address}). "
        "Ask whoever runs the network to let the device out to {host}, port {port}.",
        Who.NETWORK,
    ),
    Fault.NO_TLS: Words(
        "{host} speaks without encryption at port {port}, where secure connections are expected.",
        "Check that the address of the service is right on this device ({address}). If it is, tell whoever runs the"
        " service: its port {port} has to be set up for https, with a certificate.",
        Who.SERVICE,
    ),
    Fault.CERTIFICATE_EXPIRED: Words(
        "The certificate of {host} has run out.",
        "Tell whoever runs the service: it needs a new certificate.",
        Who.SERVICE,
    ),
    Fault.CERTIFICATE_NOT_YET_VALID: Words(
        "The certificate of {host} is not valid yet.",
        "Compare the clock on the board with a phone. If it is right, tell whoever runs the service that the"
        " certificate begins too late.",
        Who.SERVICE,
    ),
    Fault.CLOCK_WRONG: Words(
        "The device's clock is wrong, so it cannot make a secure connection.",
        "Let the device reach a time server (NTP, UDP port 123), or set its clock.",
        Who.NETWORK,
    ),
    Fault.CERTIFICATE_WRONG_NAME: Words(
        "What answers at {host} shows the certificate of another name.",
        "Check the address of the service on this device ({address}). If it is right, something on this network answers"
        " in its place: ask whoever runs the network, or use another one.",
        Who.NETWORK,
    ),
    Fault.CERTIFICATE_SELF_SIGNED: Words(
        "The certificate of {host} is signed by nobody but itself, so this device cannot trust it.",
        "Tell whoever runs the service: it needs a certificate of an authority that devices know. If it is to stay"
        " as it is, set ca_file in the player's settings to a file with this certificate.",
        Who.SERVICE,
    ),
    Fault.CERTIFICATE_INCOMPLETE: Words(
        "The service at {host} sends no intermediate certificate, so this device cannot see who vouches for it.",
        "Tell whoever runs the service: the file with the whole chain (fullchain.pem) has to be set there, not that"
        " with the certificate alone.",
        Who.SERVICE,
    ),
    Fault.CERTIFICATE_UNKNOWN_CA: Words(
        "The certificate that {host} shows is signed by nobody whom this device trusts.",
        "A filter of this network opens secure connections: ask whoever runs it to leave {host} alone. If the company"
        " has certificates of its own, set ca_file in the player's settings.",
        Who.NETWORK,
    ),
    Fault.PORTAL: Words(
        "This is a guest network whose log-in page answers in place of the service.",
        "Use another network, or have whoever runs this one let the device in without the page.",
        Who.NETWORK,
    ),
    Fault.SLOW: Words(
        "The connection to {host} is so slow, or loses so much, that answers do not arrive.",
        "See whether other devices here are slow, too, and what uses the line. On Wi-Fi: move the device or the"
        " access point closer together, or use a cable.",
        Who.NETWORK,
    ),
    Fault.LARGE_LOST: Words(
        "Small packets get through to {host} and back, and large ones are lost on the way.",
        "Ask whoever runs the network: packets of the usual size do not fit somewhere on the way (MTU), often in a VPN,"
        " a tunnel or a line with PPPoE. Set a smaller MTU in the network box, such as 1400, or have it correct the"
        " packets (MSS clamping).",
        Who.NETWORK,
    ),
    Fault.HTTP_SILENT: Words(
        "{host} takes the request, and no answer comes.",
        "Wait some minutes. If it stays, tell whoever runs the service; a filter of this network may also hold the"
        " answer up.",
        Who.SERVICE,
    ),
    Fault.HTTP_FAILS: Words(
        "The connection to {host} breaks before an answer comes.",
        "Check that the address is that of the service ({address}). If it is, a filter of this network breaks the"
        " connection, or the service fails: tell whoever runs them.",
        Who.NETWORK,
    ),
    Fault.MOVED: Words(
        "{host} sends the device to another address.",
        "Check the address of the service on this device ({address}), and set the new one if it has moved. On a guest"
        " network this may be its log-in page.",
    ),
    Fault.NOT_THE_SERVICE: Words(
        "Something other than the menu service answers at {host}.",
        "Check the address of the service on this device ({address}). If it is right, a filter of this network answers"
        " in its place: ask whoever runs it to let {host} through.",
    ),
    Fault.OLD_MENU: Words(
        "Something on the way to {host} keeps giving this device an old menu; the service has a newer one.",
        "A cache or a filter of this network answers in place of the service: ask whoever runs it to keep nothing of"
        " {host}, or use another network. Until then the board may show what is sold out.",
        Who.NETWORK,
    ),
    Fault.GATEWAY: Words(
        "The menu service at {host} is down: only the machine before it answers.",
        "Wait some minutes, then tell whoever runs the service.",
        Who.SERVICE,
    ),
    Fault.WRONG_PATH: Words(
        "The menu service at {host} answers, but not at the address that is set on this device.",
        "Correct the address of the service on this device ({address}): see what follows {host} in it.",
    ),
    Fault.SERVICE_FAILS: Words(
        "The menu service answers with a fault of its own.",
        "Tell whoever runs the service.",
        Who.SERVICE,
    ),
    NO_CONNECTION: Words(
        "{host} cannot be reached.",
        "Check the network cable or the Wi-Fi, and that this network lets the device out to that address.",
        Who.NETWORK,
    ),
    SERVICE_DECLINES: Words(
        "The menu service does not do what this device asks of it.",
        "Wait some minutes. If it stays, tell whoever runs the service.",
        Who.SERVICE,
    ),
    NOT_UNDERSTOOD: Words(
        "The menu service answers with something that this player does not understand.",
        "Check the address of the service on this device ({address}), and that the player is not older than the"
        " service allows.",
        Who.SERVICE,
    ),
}
"""By what a test of the connection finds, then what only the calls to the service say."""

DISK: Mapping[str, Words] = {
    "disk_failing": Words(
        "The device's disk fails when it is read or written.",
        "Replace the card or the disk, and install the player again. The screen keeps its pairing only if the old card"
        " can still be copied.",
    ),
    "disk_read_only": Words(
        "The device's disk is write-protected: nothing new can be stored.",
        "If the card has a lock switch, open it. If not, the card is probably worn out: a system protects a failing"
        " disk in this way. Restart the device, and replace the card if it comes back.",
    ),
    "disk_full": Words(
        "The device's disk is full: new menus, pictures and films cannot be stored.",
        "Delete what does not belong on the device, or use a larger card. The player goes on by itself when there is"
        " room.",
    ),
    "disk_refused": Words(
        "The device cannot write to the player's directory.",
        "Check that the directory belongs to the player's user, then restart the player.",
    ),
}
"""Texts of the disk's answers to a write."""

_RESTARTS = phrase("The player restarts by itself. If this stays, restart the device; its log says more.")
_REPORT = phrase("Report it with the player's log. The board plays on.")

DISPLAY: Mapping[str, Words] = {
    "no_screen": Words(
        "No screen is connected, or it is switched off.",
        "Switch the screen on, choose the input that the device is plugged into, and check the cable at both ends. The"
        " board shows at once.",
    ),
    "scene_fails": Words(
        "The scene {name} cannot be drawn and is left out.",
        "Change or remove this scene, and publish. The other scenes play on.",
        Who.OPERATOR,
    ),
    "version_fails": Words(
        "The newest version of the playlist cannot be drawn, so the one before it plays.",
        "Change the playlist, and publish it again. What is sold out still counts.",
        Who.OPERATOR,
    ),
    "safe_card": Words(
        "The menu cannot be drawn; a card says so in its place.",
        "The player tries again every ten minutes, and when a new version is published.",
        Who.OPERATOR,
    ),
    "frames_stopped": Words(
        "Pictures are drawn, but do not reach the screen.",
        "The player restarts with the screen's software. If this stays, restart the device.",
    ),
    "graphics_failed": Words(
        "The graphics hardware of the device failed.",
        "The player restarts, and draws without the graphics hardware if that does not help.",
        Who.NOBODY,
    ),
    "display_broken": Words("The player's own files are damaged.", "Install the player again."),
    "display_hangs": Words("The display does not answer: what is on the screen stands still.", _RESTARTS, Who.NOBODY),
    "order_late": Words("What is due does not come onto the screen.", _RESTARTS, Who.NOBODY),
    "order_refused": Words("The display could not show what was due.", _RESTARTS, Who.NOBODY),
    "frame_blank": Words("The screen is empty although something is due.", _RESTARTS, Who.NOBODY),
    "board_stuck": Words(
        "What is due cannot be worked out, so the board shows what it showed before.",
        _RESTARTS,
        Who.NOBODY,
    ),
    "event_failed": Words("The player could not use something that it was told.", _REPORT, Who.SERVICE),
    "events_fail": Words("The player cannot use what it is told.", _REPORT, Who.SERVICE),
}
"""Faults of the display and of the player itself, the ones that the fault ladder meets among them."""


def fault_text(fault: Rejection) -> Phrase:
    """The text of a fault of the display or of the player."""
    return phrase(DISPLAY[fault.code].what, name=quoted(fault.name or fault.subject))


def detail_of(part: Rejection) -> str:
    """The text of a rejected part: what was seen, or else the text of its fault."""
    return part.detail or (fault_text(part) if part.code in DISPLAY else "")


_UNSHOWABLE: Mapping[WhyNot, Phrase] = {
    WhyNot.REFUSED: phrase("the display cannot show it"),
    WhyNot.FILE_MISSING: phrase("a picture or film is not on the device"),
    WhyNot.SOLD_OUT: phrase("every menu on it is empty"),
    WhyNot.WITHOUT_VALUES: phrase("it tells values that are not there, or are too old"),
}


def unshowable_text(found: Unshowable) -> str:
    """Why a scene cannot be shown."""
    return found.detail if found.why is WhyNot.UNREADABLE else _UNSHOWABLE[found.why]
