"""What the card says of a hindrance, in the language of the device and in English."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from player.display.window.card import Note, Notice
from player.standstill.hindrance import Hindrance, Then


def notice(hindrance: Hindrance, *, address: str, pin: str = "", environment: Mapping[str, str]) -> Notice:
    """What the card says. In English alone where the translations cannot be read."""
    said: Callable[[str], str]
    try:
        from player.domain.words.phrase import in_language, language_of_terminal, phrase
        from player.domain.words.wording import cldr_locale
    except ImportError:
        then, caption, runs_left, said = hindrance.then.value, CAPTION, False, str
    else:
        then = {
            Then.ITSELF: phrase("The board starts by itself as soon as this is mended."),
            Then.BOOT: phrase("Correct this file on the boot partition, and start the device again."),
            Then.EITHER: phrase("After a change of a file on the device, the board starts by itself."),
        }[hindrance.then]
        caption = phrase("The same on a phone or computer in this network:")
        locale = hindrance.language or language_of_terminal(environment)
        runs_left = cldr_locale(locale).text_direction == "rtl"

        def said(text: str) -> str:
            return in_language(text, locale)

    def english(text: str) -> str:
        return str(text) if said(text) != text else ""

    return Notice(
        title=said(hindrance.title),
        notes=tuple(
            Note(where=said(fault.where), what=said(fault.what), english=english(fault.what), line=fault.line)
            for fault in hindrance.faults
        ),
        then=said(then),
        english_title=english(hindrance.title),
        english_then=english(then),
        address=address,
        caption=said(caption) if address else "",
        code=address,
        pin=pin,
        right_to_left=runs_left and bool(english(then)),
    )


CAPTION = "The same on a phone or computer in this network:"
