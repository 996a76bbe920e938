"""QR codes on pages."""

import segno
from markupsafe import Markup

QUIET_ZONE = 4
"""Modules of light around the code (ISO/IEC 18004)."""


def qr_code(text: str) -> Markup:
    """Returns the code as an SVG element, black on white in every scheme: not every app reads the reverse."""
    made = segno.make(text, error="m", micro=False)
    drawn = made.svg_inline(omitsize=True, border=QUIET_ZONE, dark="#000", light="#fff", svgclass="qr", lineclass=None)
    return Markup(drawn)  # noqa: S704  (drawn by the library, of squares alone)
