"""Sentences to read to the shop on the phone, by the code of a finding or by who can mend it: for somebody who stands
before the screen and knows no technician's words. A finding's own sentences are a technician's, in English
(docs/adr/0199)."""

from collections.abc import Iterable, Mapping
from typing import Any

from service.desk.words import Phrase, phrase

OFFLINE = phrase(
    "Please look at the screen. Is its light on? Pull the plug of the small box behind it, wait ten seconds, "
    "and put it in again."
)
_RIGHT = phrase("Everything is as it should be. You need not do anything.")
_OURS = phrase("You need not do anything: we see to this from here.")
_MENDS = phrase(
    "The screen mends this by itself. If it looks wrong in five minutes, pull the plug of the small box behind it, "
    "wait ten seconds, and put it in again."
)
_PLUG = phrase("Please pull the plug of the small box behind the screen, wait ten seconds, and put it in again.")
_CARD = phrase(
    "The memory card of the small box behind the screen is worn out. Please leave the box switched on until somebody "
    "brings a new one."
)
_CABLE = phrase(
    "Please push the network cable in until it clicks, at the small box behind the screen and at the network box. The "
    "small lamps beside it should light up. If they do not, try another cable."
)
_WIFI = phrase("Please see whether the Wi-Fi of the shop is on. Was its password changed lately?")
_ROUTER = phrase(
    "Do other devices in the shop have internet? If they do not, pull the plug of the network box, wait ten seconds, "
    "and put it in again. Three minutes later the screen should be back."
)
_NETWORK = phrase(
    "Something in the network of the shop keeps the screen from its menu. Please tell me who looks after the network, "
    "and how to reach them."
)
_CODE = phrase("The screen shows a code of six characters. Please read it to me, one by one.")
_POWER = phrase(
    "Please use the power supply that came with the small box behind the screen, and no socket of the screen itself. "
    "Then switch the box off and on again."
)
_AIR = phrase(
    "The small box behind the screen is too hot. Please give it air: take away what covers it, and keep it out of the "
    "sun."
)

_GROUPS: Iterable[tuple[Phrase, str]] = (
    (
        phrase(
            "Please switch the screen on, choose the input that the small box is plugged into, and check the cable at "
            "both ends."
        ),
        "no_screen",
    ),
    (
        phrase(
            "Please try another cable and another input of the screen. Then pull the plug of the small box behind it, "
            "wait ten seconds, and put it in again."
        ),
        "display_small",
    ),
    (
        phrase("Please look whether the screen has a timer or a saving mode of its own, and switch that off."),
        "panel_disobeys",
    ),
    (
        phrase("Please plug the network cable, or the Wi-Fi adapter, into the small box behind the screen."),
        "connection_no_adapter",
    ),
    (
        phrase("Please move the small box behind the screen and the network box closer together, if you can."),
        "connection_wifi_weak",
    ),
    (phrase("Please compare the time on the screen with that of your phone: are they the same?"), "clock_differs"),
    (
        phrase("A second box says that it is this screen. Was another one put up? Please tell me where it is."),
        "two_devices",
    ),
    (_POWER, "under_voltage throttled"),
    (_AIR, "hot"),
    (_PLUG, "change_not_shown memory_low part_failed"),
    (_MENDS, "frames_stopped safe_card no_menu_yet files_missing"),
    (_CARD, "disk_failing disk_read_only state_in_memory disk_slow"),
    (_CABLE, "connection_no_cable connection_unstable"),
    (_WIFI, "connection_link_off connection_wifi_not_joined"),
    (
        _ROUTER,
        (
            "connection_no_address connection_no_route connection_no_name_server connection_name_server_silent "
            "connection_name_server_fails connection_silent connection_slow connection_no_connection"
        ),
    ),
    (_NETWORK, "connection_name_unknown connection_not_the_service connection_moved"),
    (_CODE, "screen_refused pairing_lost copied_card not_paired enrolment_refused"),
    (_RIGHT, "off_by_schedule override_shows version_waits zone_differs menu_continues contrast_low"),
    (
        _OURS,
        (
            "panel_unmanaged frames_late display_broken disk_full disk_low disk_refused no_room state_damaged "
            "connection_wrong_path other_service no_font letters_missing restarted page_port_taken ca_file_bad "
            "setting_bad boot_file_bad boot_file_network boot_file_readable"
        ),
    ),
)
READ_OUT: Mapping[str, Phrase] = {code: said for said, codes in _GROUPS for code in codes.split()}
"""The sentence for each finding for which that of its `who` is not the right one."""
BY_WHO = {"network": _NETWORK, "operator": _OURS, "service": _OURS, "nobody": _MENDS}
"""The sentence for other findings, by who can mend them."""


def read_out(finding: Mapping[str, Any]) -> Phrase | None:
    """Returns the sentence for the shop; None for a finding of a newer player in which the shop has a part."""
    return READ_OUT.get(finding["code"]) or BY_WHO.get(finding.get("who", ""))
