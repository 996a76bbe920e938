"""Findings from one kind of rejection: a part of the menu, of the device or of its settings that is not used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from menu.documents.manifest import Rejection
from menu.text.phrase import Phrase, phrase, phrases
from player.domain.finding import Finding, Severity, Who, Words, quoted
from player.domain.findings.finding import at_stake, explained, plain, plays_on, sentence, some
from player.domain.pairing.boot_file import BOOT_FILE_BAD, BOOT_FILE_NETWORK, BOOT_FILE_READABLE
from player.domain.state import PairingPhase, PlayerState

PAGE_PORT_TAKEN = "page_port_taken"
"""Code of the rejection that says why there is no page."""

CA_FILE_BAD = "ca_file_bad"
"""Code of the rejection that says why the file of a private authority cannot be used."""


class Told(Words, frozen=True, kw_only=True):
    """Finding of rejections with one code: their `names`, or else their details, unless `why` is given."""

    code: str = ""
    """Code of the finding, where it is another than that of the rejections."""
    severity: Severity | None = Severity.WARNING
    """None: whatever is at stake."""
    many: str = ""
    """The plural of the fault, where it is counted."""
    playing_on: Phrase | None = None
    """The text of the fault while a menu plays on."""
    why: Phrase | None = None
    names: bool = False


_INSTALL_FONTS = phrase(
    "Install the fonts on the device, as with: sudo apt install fonts-inter fonts-noto-core fonts-noto-cjk"
    " fonts-noto-color-emoji. Then restart the player."
)

TOLD: dict[str, Told] = {
    PAGE_PORT_TAKEN: Told(
        "Another program on the device has the port of this screen's page, so no phone can open it.",
        "Stop that program, and the page opens by itself. Or choose another port with diagnostics_port in the player's"
        " settings, and restart the player.",
    ),
    CA_FILE_BAD: Told(
        "The certificates in ca_file cannot be used, so the player goes on with those that it had.",
        "Put a whole file with certificates in PEM form there. It is read again by itself.",
    ),
    "setting_bad": Told(
        "A setting of this device cannot be used, so the player goes on without it.",
        "Correct the configuration file that is named, then restart the player.",
    ),
    BOOT_FILE_BAD: Told(
        "{where} cannot be used, so this screen goes on with its old settings.",
        "Correct this file on the boot partition, and start the device again.",
    ),
    BOOT_FILE_NETWORK: Told(
        "The Wi-Fi or address in {where} is not set up; everything else in this file is in effect.",
        "Connect a network cable and run: sudo apt install network-manager. Then start the device again.",
    ),
    BOOT_FILE_READABLE: Told(
        "The passwords in menu-player.toml can still be read by whoever has the card.",
        "Make the boot partition writable, as by the switch on the card, and start the device again.",
        why=phrase("The device has taken them over, but cannot delete them: the boot partition is write-protected."),
    ),
    "state_corrupt": Told(
        "Some of what the player had stored was damaged, as after a power cut. The board plays on.",
        "If this comes again without a power cut, the card wears out: replace it.",
        code="state_damaged",
        severity=Severity.NOTE,
    ),
    "playlist_empty": Told(
        "The playlist was published without a scene, so there is nothing to show.",
        "Put a scene into the playlist, and publish it again.",
        Who.OPERATOR,
        severity=None,
        playing_on=phrase("The playlist was published without a scene, so the version before it plays on."),
    ),
    "program_unshowable": Told(
        "No scene of the newest version can be shown, so there is nothing to show.",
        "Correct the scenes that are named here, and publish again.",
        Who.OPERATOR,
        code="version_unshowable",
        severity=None,
        playing_on=phrase("No scene of the newest version can be shown, so the version before it plays on."),
    ),
    "manifest_older": Told(
        "The service has sent an older menu than the one that shows, which stays.",
        "Tell whoever runs the service: its database may have been restored from a backup.",
        Who.SERVICE,
        code="older_menu",
    ),
    "other_service": Told(
        "This device was paired with another service than the one that is set now.",
        "Set the former address of the service, or pair the device with the new one.",
        severity=Severity.FAULT,
    ),
    "video_stalled": Told(
        "{count} film cannot be played on this device, so its still picture shows instead.",
        "Encode the film anew as H.264 (MP4) with at most 1920 × 1080 pixels and 30 pictures a second, upload"
        " it, put it in the place of the old one, and publish. Everything else plays on.",
        Who.OPERATOR,
        code="film_fails",
        names=True,
        many="{count} films cannot be played on this device, so their still pictures show instead.",
    ),
    "video_hdr": Told(
        "The colours of {count} film are wrong on the screen: it is HDR, as phones record.",
        "Export the film as SDR, or record it again with HDR video turned off in the camera. Upload it, put it in the"
        " place of the old one, and publish.",
        Who.OPERATOR,
        code="film_hdr",
        names=True,
        many="The colours of {count} films are wrong on the screen: they are HDR, as phones record.",
    ),
    "font_bad": Told(
        "A board's own font cannot be used on this device, so the usual one draws its texts.",
        "Upload the font again, as TTF or OTF, or choose another one for the board, and publish.",
        Who.OPERATOR,
        names=True,
    ),
    "no_font": Told(
        "No font is installed on this device, so all text on the screen is empty boxes.",
        _INSTALL_FONTS,
        severity=Severity.FAULT,
        why=phrase("The player found none when it drew."),
    ),
    "letters_missing": Told(
        "Some letters on the screen are empty boxes: no font of this device has them.",
        _INSTALL_FONTS,
        names=True,
    ),
    "span_whole": Told(
        "A board over several screens shows whole on this one, and small.",
        "Name the screens of the board in “spans” of the location, from the left to the right.",
        Who.OPERATOR,
        names=True,
    ),
    "span_shape": Told(
        "This screen is wider or narrower than its part of a board, so bars show at its edges.",
        "Set the same mode and rotation on all screens of the board, or make its scene for them.",
        Who.OPERATOR,
        severity=Severity.NOTE,
        names=True,
    ),
    "menu_continues": Told(
        "{count} menu has more pages than its scene has time for; the next showing goes on from there.",
        "To show all of it at once, give the scene more time, or spread the menu over two scenes.",
        Who.OPERATOR,
        severity=Severity.NOTE,
        names=True,
        many="{count} menus have more pages than their scenes have time for; the next showing goes on from there.",
    ),
    "contrast_low": Told(
        "The colours of {count} part of a scene could hardly be read; the board draws stronger ones.",
        "Nothing is missing on the board. To choose the colours yourself, change those that are named here.",
        Who.OPERATOR,
        severity=Severity.NOTE,
        names=True,
        many="The colours of {count} parts of scenes could hardly be read; the board draws stronger ones.",
    ),
    "translation_missing": Told(
        "Some names or words are not known in a language that a menu shows; they show as written, or in English.",
        "Nothing is missing on the board. Translate what is named here; the names of allergens come with new versions.",
        Who.OPERATOR,
        severity=Severity.NOTE,
        names=True,
    ),
    "value_missing": Told(
        "Some lines of texts are left out: the values that they tell are not there, or are too old.",
        "Look at the program that sends these values to the service: it may have stopped.",
        Who.OPERATOR,
        severity=Severity.NOTE,
        names=True,
    ),
}
"""By the code of the rejections."""


def rejected(*codes: str) -> Callable[[PlayerState], Iterator[Finding]]:
    """Returns the finder for rejections with these codes."""
    return partial(_of_codes, codes)


def named_parts(state: PlayerState, code: str) -> list[Rejection]:
    return [part for part in state.rejections if part.code == code]


def told(parts: list[Rejection]) -> str:
    """Lists parts by their names, each with its detail."""
    return explained((_name(part), part.detail) for part in parts)


def _of_codes(codes: tuple[str, ...], state: PlayerState) -> Iterator[Finding]:
    for code in codes:
        row, parts = TOLD[code], named_parts(state, code)
        if not parts or (code == "other_service" and state.pairing.phase is PairingPhase.PAIRED):
            continue
        what = phrase(row.what, where=parts[0].subject, count=len(parts))
        if row.many:
            what = phrases(row.what, row.many, count=len(parts))
        elif row.playing_on is not None and plays_on(state):
            what = row.playing_on
        details = told(parts) if row.names else sentence(some([plain(part.detail) for part in parts]))
        yield Finding(
            code=row.code or code,
            severity=at_stake(state) if row.severity is None else row.severity,
            what=what,
            why=details if row.why is None else row.why,
            do=phrase(row.do),
            who=row.who,
        )


_KINDS = {
    "scene_bad": phrase("scene {name}"),
    "item_bad": phrase("item {name}"),
    "modifier_bad": phrase("extra {name}"),
    "variant_bad": phrase("variant {name}"),
}


def _name(part: Rejection) -> str:
    kind = _KINDS.get(part.code, phrase("in {name}"))
    return phrase(kind, name=quoted(part.name)) if part.name else plain(part.subject)
