"""Fields of documents in forms: kind and bounds are the schema's; values are parsed back to the schema's types."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from pydantic import BaseModel

from menu.documents.references import font_fields
from menu.documents.scene import MAX_PANELS, MAX_SLIDES, MIN_PANELS
from service.api.http.bodies import model_of
from service.desk.boards.offers import (
    BACKGROUND,
    BOARD,
    CHOICES,
    DAYS,
    FOCUS,
    GRADIENT,
    PANELS,
    PLACE,
    SLIDE,
    SPAN,
    THEME,
    WIDGETS,
    Offer,
)
from service.desk.documents import Bounds, Kind, bounds_of, text_of
from service.desk.forms import Form, listed
from service.desk.words import Phrase, as_it_is, phrase
from service.schema.content import scene as models

_BOARD = "board"
"""Begins the names of fields of the scene itself."""
_LONGEST_NUMBER = 20
"""Digits of a number, more than any bound has."""
_SLIDE_SECONDS = 10
"""Seconds of a new slide."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a form. Bounds are those of the schema, empty where it has none."""

    name: str
    label: Phrase
    kind: Kind
    value: str
    least: str = ""
    most: str = ""
    length: str = ""
    choices: Mapping[str, Phrase] | None = None
    chosen: frozenset[str] = frozenset()
    """The chosen ones of categories."""
    required: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """Names that fields offer. Items and assets are by id, `ids` by the names that users type."""

    categories: Sequence[str] = ()
    items: Mapping[str, str] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    images: Mapping[str, Phrase] = field(default_factory=dict)
    films: Mapping[str, Phrase] = field(default_factory=dict)
    fonts: Mapping[str, str] = field(default_factory=dict)

    def font(self, text: str) -> str:
        """Returns the asset of the font that a text names, or the text itself, the name of an installed family."""
        written = text.strip()
        return next((one for one, name in self.fonts.items() if name.casefold() == written.casefold()), written)

    def item(self, text: str) -> str:
        """Returns the id of the item that a text names, or the text itself, which no item has as its id."""
        return self.ids.get(text.strip().casefold(), text.strip())


_OF_BOARD = ("span", *(key for key, _ in BOARD))
_ITEM_KEYS, _ASSET_KEYS = ("itemId", "insteadItemId"), ("asset", "poster")
_FONT_KEYS = font_fields()
_ONE_LINE = ("languages", "timezone", "endsAt", "start", "end")
"""Texts of one line, whatever their length."""


def board_fields(scene: Mapping[str, Any], typed: Form | None) -> list[Field]:
    """Returns the fields of a scene's languages, its canvas, and the panels that draw it."""
    span = scene["span"] or {}
    [panels, gap] = _fields(models.SPAN, f"{_BOARD}.span", SPAN, span, typed, may_lack=True)
    several = {str(count): as_it_is(str(count)) for count in range(MIN_PANELS, MAX_PANELS + 1)}
    panels = replace(panels, kind="choice", choices={"": phrase("One"), **several})
    return [*_fields(models.SceneCreate, _BOARD, BOARD, scene, typed, may_lack=True), panels, gap]


def read_board(form: Form, scene: Mapping[str, Any]) -> dict[str, Any]:
    """Applies the form to these fields."""
    if f"{_BOARD}.width" not in form:
        return {}
    found = _read(models.SceneCreate, _BOARD, BOARD, form, {key: scene[key] for key, _ in BOARD})
    span = _read(models.SPAN, f"{_BOARD}.span", SPAN, form, scene["span"] or {})
    return {**found, "languages": found.get("languages", []), "span": span if PANELS[0] in span else None}


def background_fields(background: Mapping[str, Any], typed: Form | None) -> list[Field]:
    """Returns the fields for the fit of a background image."""
    return list(_fields(models.BACKGROUND, "background", BACKGROUND, background, typed))


def read_background(form: Form, background: Mapping[str, Any]) -> dict[str, Any]:
    """Applies the form's image fields to the background."""
    return _read(models.BACKGROUND, "background", BACKGROUND, form, background)


def theme_fields(theme: Mapping[str, Any], typed: Form | None, known: Known) -> list[Field]:
    return list(_fields(models.THEME, "theme", THEME, theme, typed, known))


def read_theme(form: Form, theme: Mapping[str, Any], known: Known) -> dict[str, Any]:
    return _read(models.THEME, "theme", THEME, form, theme, known)


def gradient_fields(gradient: Mapping[str, Any], typed: Form | None) -> list[Field]:
    return list(_fields(models.GRADIENT, "gradient", GRADIENT, gradient, typed))


def read_gradient(form: Form, gradient: Mapping[str, Any]) -> dict[str, Any]:
    return _read(models.GRADIENT, "gradient", GRADIENT, form, gradient)


def widget_fields(widget: Mapping[str, Any], typed: Form | None, known: Known) -> list[Field]:
    """Returns the fields of a widget that forms offer."""
    return list(_fields(models.WIDGETS[widget["type"]], _at(widget), WIDGETS[widget["type"]], widget, typed, known))


def place_fields(widget: Mapping[str, Any], typed: Form | None) -> list[Field]:
    """Returns the fields of a widget's geometry and opacity."""
    found = list(_fields(models.WIDGETS[widget["type"]], _at(widget), PLACE, widget, typed))
    if widget["type"] == "image":
        found += _fields(models.FOCUS, f"{_at(widget)}.focus", FOCUS, widget.get("focus") or {}, typed, may_lack=True)
    return found


def own_fields(widget: Mapping[str, Any], typed: Form | None, known: Known) -> list[Field]:
    """Returns the fields of a widget's own theme."""
    return list(_fields(models.THEME, f"{_at(widget)}.theme", THEME, widget.get("theme") or {}, typed, known))


def slide_fields(widget: Mapping[str, Any], typed: Form | None, known: Known) -> list[list[Field]]:
    """Returns the fields of a slideshow's slides, each with its place in the order, and an empty one to add."""
    if widget["type"] != "slideshow":
        return []
    slides = list(widget.get("slides") or ())
    count = len(slides) if typed is None else len(_slide_numbers(typed, widget))
    found = []
    for number in range(min(count + 1, MAX_SLIDES)):
        slide: Mapping[str, Any] = slides[number] if number < len(slides) else {"durationSeconds": _SLIDE_SECONDS}
        at, is_new = _slide_at(widget, number), f"{_slide_at(widget, number)}.asset" not in (typed or {})
        fields = list(_fields(models.SLIDE, at, SLIDE, slide, None if is_new else typed, known, may_lack=True))
        place = str(number + 1) if typed is None or is_new else typed.get(f"{at}.place", "")
        fields += _fields(
            models.FOCUS, f"{at}.focus", FOCUS, slide.get("focus") or {}, None if is_new else typed, may_lack=True
        )
        found.append([Field(f"{at}.place", phrase("Place"), "number", place, least="1", most=str(MAX_SLIDES)), *fields])
    return found


def _slide_at(widget: Mapping[str, Any], number: int) -> str:
    return f"{_at(widget)}.slides.{number}"


def _slide_numbers(form: Form, widget: Mapping[str, Any]) -> list[int]:
    return [number for number in range(MAX_SLIDES) if form.get(f"{_slide_at(widget, number)}.asset")]


def _read_slides(form: Form, widget: Mapping[str, Any], known: Known) -> list[dict[str, Any]]:
    """Returns the slides in the order of their places; omits those without an image."""
    if f"{_slide_at(widget, 0)}.asset" not in form:
        return list(widget.get("slides") or ())
    stored = list(widget.get("slides") or ())
    found = []
    for number in _slide_numbers(form, widget):
        at = _slide_at(widget, number)
        before = stored[number] if number < len(stored) else {}
        slide, focus = _read(models.SLIDE, at, SLIDE, form, before, known), before.get("focus")
        read = _read(models.FOCUS, f"{at}.focus", FOCUS, form, focus or {})
        # The point of another picture says nothing of this one.
        is_of_this = slide.get("asset") == before.get("asset") or read != focus
        _put(slide, "focus", (read if is_of_this else None) or None, None)
        place = form.get(f"{at}.place", "")
        found.append((int(place) if place.isdecimal() else number + 1, slide))
    return [slide for _, slide in sorted(found, key=lambda one: one[0])]


def read_widget(form: Form, widget: Mapping[str, Any], known: Known) -> dict[str, Any]:
    offers = (*WIDGETS[widget["type"]], *PLACE)
    found = _read(models.WIDGETS[widget["type"]], _at(widget), offers, form, widget, known)
    nested: dict[str, tuple[type[BaseModel], tuple[Offer, ...]]] = {
        "theme": (models.THEME, THEME),
        **({"focus": (models.FOCUS, FOCUS)} if widget["type"] == "image" else {}),
    }
    for key, (model, inner) in nested.items():
        read = _read(model, f"{_at(widget)}.{key}", inner, form, widget.get(key) or {}, known)
        if read or key in found:
            _put(found, key, read or None, None)
    if widget["type"] == "slideshow":
        found["slides"] = _read_slides(form, widget, known)
    return found


def typed_fields(fields: Iterable[Field]) -> dict[str, str]:
    """Returns the values that a browser sends for untouched fields."""
    found: dict[str, str] = {}
    for one in fields:
        if one.kind == "categories":
            found |= {f"{one.name}.{name}": "1" for name in one.chosen}
        elif one.kind != "check" or one.value:
            found[one.name] = one.value
    return found


def widget_of(document: Any) -> dict[str, Any] | None:
    """Parses a widget as a form has kept it; None for anything else. Raises the 422 problem for one out of bounds."""
    if not isinstance(document, dict) or document.get("type") not in models.WIDGETS:
        return None
    return model_of(models.WIDGETS[document["type"]], document).model_dump(by_alias=True, exclude_unset=True)


def _at(widget: Mapping[str, Any]) -> str:
    return f"widgets.{widget['id']}"


def name_at(pointer: str | None, widgets: Sequence[Mapping[str, Any]]) -> str:
    """Returns the name of the field at a pointer into the scene."""
    parts = (pointer or "").strip("/").split("/")
    if parts[0] == "widgets" and len(parts) > 1 and parts[1].isdigit() and int(parts[1]) < len(widgets):
        inner = parts[2:] if parts[2:3] in (["slides"], ["theme"], ["focus"]) else parts[2:3] or ["x"]
        return ".".join((_at(widgets[int(parts[1])]), *inner))
    if parts[0] in _OF_BOARD:
        return ".".join((_BOARD, *(parts[:1] if parts[0] != "span" else [*parts, PANELS[0]][:2])))
    if parts[:2] == ["background", "gradient"]:
        return ".".join(parts[1:])
    return ".".join(parts)


def _fields(
    model: type[BaseModel],
    prefix: str,
    offers: Iterable[Offer],
    values: Mapping[str, Any],
    typed: Form | None,
    known: Known = Known(),
    *,
    may_lack: bool = False,
) -> Iterator[Field]:
    schema = bounds_of(model)
    for key, label in offers:
        name, bounds = f"{prefix}.{key}", schema[key]
        stored = values.get(key, bounds.default)
        if key in ("categories", "days"):
            yield _ticks(name, label, values.get(key) or [], typed, DAYS if key == "days" else known.categories)
            continue
        kind: Kind = bounds.kind
        value = _shown(key, stored, known) if typed is None else typed.get(name, "")
        if kind == "check" and typed is None:
            value = "1" if stored else ""
        choices = {one: CHOICES.get(one) or as_it_is(one) for one in bounds.choices} if bounds.choices else None
        if key in _ASSET_KEYS:
            kind, choices = "asset", _assets(model, key, value, known)
        elif key in _FONT_KEYS:
            kind = "font"
        elif key in _ONE_LINE:
            kind = "line"
        elif key in _ITEM_KEYS or key == "itemIds":
            kind = "items" if key == "itemIds" else "item"
        yield Field(
            name,
            label,
            kind,
            value,
            least=bounds.least,
            most=bounds.most,
            length=bounds.length,
            choices=choices,
            required=not (may_lack or bounds.optional) and kind not in ("check", "choice", "lines", "asset"),
        )


def _shown(key: str, stored: Any, known: Known) -> str:
    if key in _ITEM_KEYS:
        return known.items.get(stored, text_of(stored))
    if key in _FONT_KEYS:
        return known.fonts.get(stored, text_of(stored))
    if key == "itemIds":
        return "\n".join(known.items.get(one, one) for one in stored or ())
    if key == "languages":
        return ", ".join(stored or ())
    return text_of(stored)


def _assets(model: type[BaseModel], key: str, value: str, known: Known) -> dict[str, Phrase]:
    """Returns the images and videos that fit, and the current one, even if it is gone."""
    if model is models.SLIDE:
        offered = {**known.images, **known.films}
    else:
        offered = dict(known.films if model is models.WIDGETS["video"] and key == "asset" else known.images)
    none = {"": phrase("None")} if model is models.SLIDE or key == "poster" or not value else {}
    return {**none, **offered, **({value: as_it_is(value[:16])} if value and value not in offered else {})}


def _ticks(
    name: str, label: Phrase, stored: Sequence[str], typed: Form | None, offered: Sequence[str] | Mapping[str, Phrase]
) -> Field:
    known = list(dict.fromkeys((*offered, *stored)))
    chosen = stored if typed is None else [one for one in known if f"{name}.{one}" in typed]
    labels = offered if isinstance(offered, Mapping) else {}
    choices = {one: labels.get(one) or as_it_is(one) for one in known}
    return Field(name, label, "categories", "", choices=choices, chosen=frozenset(chosen))


def _read(
    model: type[BaseModel],
    prefix: str,
    offers: Iterable[Offer],
    form: Form,
    values: Mapping[str, Any],
    known: Known = Known(),
) -> dict[str, Any]:
    """Fields that the form left as they were, or emptied, stay or become absent where the schema lets them."""
    schema, found = bounds_of(model), dict(values)
    for key, _ in offers:
        name, bounds = f"{prefix}.{key}", schema[key]
        if key in ("categories", "days"):
            offered = list(dict.fromkeys((*(DAYS if key == "days" else known.categories), *(values.get(key) or ()))))
            # In the order in which they were stored, then in that of the menu.
            was = [one for one in values.get(key) or () if f"{name}.{one}" in form]
            chosen = [*was, *(one for one in offered if f"{name}.{one}" in form and one not in was)]
            found.pop(key, None)
            if chosen:
                found[key] = chosen
        elif bounds.kind == "check":
            _put(found, key, name in form, bounds.default)
        elif name in form and form[name] == _shown(key, values.get(key, bounds.default), known):
            continue
        elif name in form and key == "itemIds":
            _put(found, key, [known.item(line) for line in form[name].splitlines() if line.strip()] or None, None)
        elif name in form and key == "languages":
            _put(found, key, listed(form[name]) or None, None)
        elif name in form and key in _FONT_KEYS:
            _put(found, key, known.font(form[name]) or None, None)
        elif name in form and key in _ITEM_KEYS:
            _put(found, key, known.item(form[name]) or None, None)
        elif name in form:
            _put(found, key, _value(form[name], bounds), bounds.default)
    return found


def _put(found: dict[str, Any], key: str, value: Any, default: Any) -> None:
    if key not in found and value == default:
        return
    if value is None:
        found.pop(key, None)
    else:
        found[key] = value


def _value(text: str, bounds: Bounds) -> Any:
    if bounds.kind == "choice" and text in ("true", "false"):
        return text == "true"
    if text == "" and (bounds.optional or bounds.kind == "number"):
        return bounds.default
    if bounds.kind == "number" or (bounds.kind == "choice" and text.isdecimal()):
        try:
            number = Decimal(text.replace(",", "."))
        except InvalidOperation:
            return text
        if not number.is_finite() or abs(number.adjusted()) > _LONGEST_NUMBER:
            return text  # `1e3000000` as a whole number takes minutes.
        return int(number) if number == number.to_integral_value() else number
    return text.replace("\r\n", "\n")
