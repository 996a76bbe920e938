"""Findings about parts that were rejected: settings, fonts, films, values and other single kinds."""

from __future__ import annotations

from player.domain import events as ev
from player.domain.findings.diagnosis import diagnose
from player.domain.link.connection import Step
from player.domain.link.fault import Fault
from player.domain.state import (
    HouseReason,
    PlayerState,
)
from tests.player.domain.findings.states import (
    NEW,
    UNPAIRED,
    Case,
    check,
    house,
    parametrized,
    playing,
    probed,
    rejected,
)

CASES: list[Case] = [
    ("an empty playlist", rejected("playlist_empty", "version 4 has no scenes"), "playlist_empty", "plays on"),
    ("an empty playlist and nothing before it",
     house(HouseReason.PLAYLIST_EMPTY, state=rejected("playlist_empty", "version 1 has no scenes", state=NEW)),
     "playlist_empty", "nothing to show"),
    ("no font, not paired", rejected("no_font", "no font is installed", subject="card/letters", state=UNPAIRED),
     "no_font", "boxes"),
    ("letters that no font has", rejected("letters_missing", "no font has 日", subject="scn_1/letters", name="Lunch"),
     "letters_missing", "n “Lunch”: no font has 日"),
    ("a film that is not decoded", rejected("video_stalled", "the film “film” is coded as AV1, 320 × 180: none of it"
     " could be decoded here", subject="scn_1/film", name="Lunch"), "film_fails", "n “Lunch”: the film “film”"),
    ("a font that cannot be used", rejected("font_bad", "its file is damaged", subject="scn_1/theme/fontFamily",
                                            name="Lunch"), "font_bad", "n “Lunch”: its file is damaged"),
    ("a film in HDR", rejected("video_hdr", "the film “film” is HDR (HLG)", subject="scn_1/film", name="Lunch"),
     "film_hdr", "n “Lunch”: the film “film”"),
    ("a board over several screens, and this one not in a span",
     rejected("span_whole", "screens that draw it together: 2", subject="scn_1/span", name="Wall"),
     "span_whole", "n “Wall”: screens that draw it together"),
    ("a screen of another shape than its part of a board",
     rejected("span_shape", "1920 × 1080, 1280 × 1024", subject="scn_1/span", name="Wall"),
     "span_shape", "n “Wall”: 1920 × 1080"),
    ("a menu of many pages",
     rejected("menu_continues", "9 pages, of which one showing has time for 3", subject="scn_1/w", name="Lunch"),
     "menu_continues", "n “Lunch”: 9 pages"),
    ("colours that could hardly be read",
     rejected("contrast_low", "names and texts in #222222 on #111111", subject="scn_1/w", name="Lunch"),
     "contrast_low", "n “Lunch”: names and texts in #222222"),
    ("items without a name in a language",
     rejected("translation_missing", "“Soup”: no name in English (en)", subject="scn_1/w/languages/en", name="Lunch"),
     "translation_missing", "n “Lunch”: “Soup”: no name in English"),
    ("values that are not there",
     rejected("value_missing", "no current value of “soup”", subject="scn_1/w", name="Lunch"),
     "value_missing", "n “Lunch”: no current value of “soup”"),
    ("an older menu", rejected("manifest_older", "If it sends nothing newer", subject="manifest"),
     "older_menu", "restored"),
    ("another service", rejected("other_service", "they are for http://a", subject="credentials", state=UNPAIRED),
     "other_service", "http://a"),
    ("another service, which shows another certificate",
     rejected("other_service", "they are for http://a", subject="credentials",
              state=probed(Step.TLS, Fault.CERTIFICATE_WRONG_NAME, state=UNPAIRED)),
     "other_service", "http://a"),
    ("a bad setting", rejected("setting_bad", "config.toml: rotate: 'x' is none of 0", subject="settings"),
     "setting_bad", "rotate"),
    ("a boot file with a mistake",
     rejected("boot_file_bad", "menu-player.toml, line 4: rotate: 45 is none of 0", subject="menu-player.toml, line 4"),
     "boot_file_bad", "rotate"),
    ("a boot file whose network cannot be set up",
     rejected("boot_file_network", "menu-player.toml: wifi_name: network-manager, which sets up the network, is not"
              " installed", subject="menu-player.toml"),
     "boot_file_network", "network-manager"),
    ("secrets on a boot partition that is write-protected",
     rejected("boot_file_readable", "", subject="menu-player.toml"),
     "boot_file_readable", "write-protected"),
    ("a page without a port", rejected("page_port_taken", "another program has port 8085", subject="page"),
     "page_port_taken", "port 8085"),
    ("an authority's file that is not whole", rejected("ca_file_bad", "/etc/ca.pem: no whole certificates in PEM form"),
     "ca_file_bad", "ca.pem"),
    ("damage on the disk", rejected("state_corrupt", "a checksum is wrong; nothing is lost", subject="clock"),
     "state_damaged", "power cut"),
]  # fmt: skip


@parametrized(CASES)
def test_the_fault_is_the_first_finding(state: PlayerState, code: str, says: str) -> None:
    check(state, code, says)


def test_a_page_whose_port_is_taken_is_found() -> None:
    board = playing()
    board.tell(ev.PartFailed(subject="page", code="page_port_taken", detail="another program has port 8085"))
    (finding,) = diagnose(board.state)
    assert finding.code == "page_port_taken"
    assert "port 8085" in finding.why
