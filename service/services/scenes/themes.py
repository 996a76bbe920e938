"""Themes of the design kit: applies one to a template's scene, by its name or in the colours of a brand."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from service.core.errors import Fault, invalid
from service.schema.content.template import Brand, ThemeResponse

LEAST_CONTRAST = 4.5
"""WCAG 2.2, 1.4.3 (AA); what players draw at least."""
BAND_SHARE, PANEL_SHARE = 0.06, 0.1
"""The share of the text's colour in bands and panels of a brand."""
LOGO_SHARE, LOGO_GAP, LEAST_LOGO = 0.3, 24, 100
"""The share of a headline's width that a logo takes at its end; the distance between them, and the least height of its
place, in canvas units."""
_PRICES = ("priceSymbol", "priceWord", "priceCents", "scale")
"""Fields of a theme that belong to a template, whatever the theme is."""
_CLEAR = "#00000000"
LOGO = "logo"
"""Id of the widget of a logo."""


@dataclass(frozen=True, slots=True)
class KitTheme:
    """A theme: its colours beside those of `theme` are of bands behind texts, and of panels."""

    key: str
    name: str
    description: str
    background: Mapping[str, Any]
    band: str
    panel: str
    theme: Mapping[str, Any]
    headline: float = 1.0
    """The share of a template's size that headlines have: letters of some faces are wide."""

    @property
    def view(self) -> ThemeResponse:
        return ThemeResponse.model_validate(
            {
                "theme": self.key,
                "name": self.name,
                "description": self.description,
                "background": self.background,
                "values": self.theme,
            }
        )


PLAIN = KitTheme(key="", name="", description="", background={}, band="", panel="", theme={"headingStyle": "ruled"})
"""The theme of a brand where the call names none."""


def branded(base: KitTheme, brand: Brand) -> KitTheme:
    """Applies a brand's colours to the theme: the first is the background, the second that of headings and prices.
    Raises the 422 problem if these cannot be read on each other."""
    ground, accent = (_opaque(color) for color in brand.colors)
    text, other = sorted(("#FFFFFF", "#111111"), key=lambda tried: contrast(tried, ground), reverse=True)
    if not _reads(accent, ground):
        tried = (_mixed(accent, end, step / 20) for step in range(21) for end in ("#FFFFFF", "#000000"))
        near = next(one for one in tried if _reads(one, ground))
        detail = (
            f"{accent} on {ground} has a contrast of {contrast(accent, ground):.1f}:1; headings and prices need"
            f" {LEAST_CONTRAST}:1 (WCAG 2.2, AA). The nearest colour that has it is {near}."
        )
        raise invalid([Fault("low_contrast", detail, pointer="/brand/colors/1")])
    band, panel = (
        next(
            one
            for one in (_mixed(ground, text, share), _mixed(ground, other, share), ground)
            if _reads(accent, one) and _reads(text, one)
        )
        for share in (BAND_SHARE, PANEL_SHARE)
    )
    theme = {**base.theme, "textColor": text, "accentColor": accent, "featuredColor": panel}
    return replace(base, background={"color": ground}, band=band, panel=panel, theme=theme)


def themed(scene: dict[str, Any], look: KitTheme) -> dict[str, Any]:
    """Applies a theme to a template's scene; widgets on a video keep their colours, which suit that."""
    own = scene["theme"]
    theme = {**{key: value for key, value in own.items() if key in _PRICES}, **look.theme}
    if own.get("panelColor", _CLEAR) != _CLEAR:
        theme["panelColor"] = look.panel
    films = [widget for widget in scene["widgets"] if widget["type"] == "video"]
    widgets = [
        _themed_widget(widget, look, own, on_film=any(_overlap(widget, film) for film in films))
        for widget in scene["widgets"]
    ]
    return {**scene, "theme": theme, "background": look.background, "widgets": widgets}


def _themed_widget(widget: dict[str, Any], look: KitTheme, own: Mapping[str, Any], *, on_film: bool) -> dict[str, Any]:
    accent = look.theme["accentColor"]
    match widget:
        case {"type": "item"}:
            return {**widget, "theme": {"panelColor": look.panel}}
        case {"type": "shape"} if on_film:
            return widget
        case {"type": "text" | "ticker" | "qr" | "clock" | "countdown"} if on_film:
            return {**widget, "theme": {key: own[key] for key in ("textColor", "accentColor")}}
        case {"type": "shape", "color": color} if len(color) == len("#AARRGGBB"):
            return {**widget, "color": f"#{color[1:3]}{accent[1:]}"}
        case {"type": "shape", "color": color}:
            return {**widget, "color": accent if color == own["accentColor"] else look.band}
        case {"type": "text", "role": "title", "size": size}:
            return {**widget, "size": round(size * look.headline)}
        case {"theme": {"textColor": _}}:
            return {**widget, "theme": {"textColor": accent}}
        case _:
            return widget


def _overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(
        one[at] < other[at] + other[long] and other[at] < one[at] + one[long]
        for at, long in (("x", "width"), ("y", "height"))
    )


def with_logo(scene: dict[str, Any], logo: str) -> dict[str, Any]:
    """Adds a logo at the end of the headline, which is narrowed by it. Raises the 422 problem if there is no text."""
    texts = [widget for widget in scene["widgets"] if widget["type"] == "text"]
    if not texts:
        detail = "The logo stands at the end of the headline, and this scene has no text."
        raise invalid([Fault("no_place", detail, pointer="/brand/logo")])
    head = next((text for text in texts if text.get("role") == "title"), texts[0])
    height = max(LEAST_LOGO, head["height"])
    width = min(LOGO_SHARE * head["width"], 2.2 * height)
    narrower = {key: value for key, value in head.items() if key != "size"} | {
        "width": head["width"] - width - LOGO_GAP
    }
    picture = {
        "id": LOGO,
        "type": "image",
        "asset": logo,
        "fit": "contain",
        "x": head["x"] + head["width"] - width,
        "y": head["y"] + (head["height"] - height) / 2,
        "width": width,
        "height": height,
    }
    widgets = [narrower if widget is head else widget for widget in scene["widgets"]]
    return {**scene, "widgets": [*widgets, picture]}


def _reads(color: str, ground: str) -> bool:
    return contrast(color, ground) >= LEAST_CONTRAST


def contrast(one: str, other: str) -> float:
    """Returns the contrast ratio of two opaque colours, from 1 to 21."""
    dark, light = sorted(_luminance(color) for color in (one, other))
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in _parts(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _mixed(start: str, end: str, share: float) -> str:
    mixed = (a + (b - a) * share for a, b in zip(_parts(start), _parts(end), strict=True))
    return "#" + "".join(f"{round(255 * part):02X}" for part in mixed)


def _opaque(color: str) -> str:
    return "#" + color[-6:].upper()


def _parts(color: str) -> list[float]:
    return [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
