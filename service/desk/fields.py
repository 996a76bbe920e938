"""Fields of documents in forms: kind and bounds are the schema's; values are read back as it has them."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any, Literal, get_args

from pydantic import BaseModel

from service.desk.forms import Form
from service.desk.words import Phrase, as_it_is, phrase
from service.schema.scene import Gradient
from service.schema.widgets import AnyWidget, Theme

Kind = Literal["line", "lines", "number", "choice", "check", "color", "categories"]
_LONG = 200
"""Texts that may be longer get a box of several lines."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field as a form shows it. Bounds are those of the schema, empty where it has none."""

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


Offer = tuple[str, Phrase]
"""The JSON name of a field and its label."""

_PLACE: tuple[Offer, ...] = (
    ("x", phrase("From the left")),
    ("y", phrase("From the top")),
    ("width", phrase("Width")),
    ("height", phrase("Height")),
)
_SHOWS: tuple[Offer, ...] = (
    ("showDescriptions", phrase("Descriptions")),
    ("showImages", phrase("Pictures")),
    ("showTags", phrase("Tags")),
    ("showAllergens", phrase("Allergens")),
    ("showEnergy", phrase("Energy")),
)
_LIST: tuple[Offer, ...] = (
    ("columns", phrase("Columns")),
    *_SHOWS,
    ("soldOut", phrase("What is sold out")),
    ("minTextSize", phrase("Smallest text")),
    ("maxTextSize", phrase("Largest text")),
)
_TEXT: tuple[Offer, ...] = (("text", phrase("Text")),)
_ALIGN: tuple[Offer, ...] = (("align", phrase("Alignment")), ("size", phrase("Size of the text")))
_COLOR: tuple[Offer, ...] = (("color", phrase("Colour")),)
THEME: tuple[Offer, ...] = (
    ("textColor", phrase("Colour of texts")),
    ("accentColor", phrase("Colour of headings and prices")),
    ("panelColor", phrase("Colour of panels")),
    ("headingStyle", phrase("Headings")),
    ("priceCents", phrase("Cents")),
    ("scale", phrase("Scale of the text")),
)
GRADIENT: tuple[Offer, ...] = (("from", phrase("From")), ("to", phrase("To")), ("angle", phrase("Angle")))
WIDGETS: Mapping[str, tuple[Offer, ...]] = {
    "menu": (
        ("title", phrase("Title")),
        ("categories", phrase("Categories")),
        *_LIST,
        ("groupByCategory", phrase("Headings of categories")),
    ),
    "grid": (("categories", phrase("Categories")), *_LIST),
    "item": (
        ("showPrice", phrase("Price")),
        ("showDescription", phrase("Description")),
        ("showImage", phrase("Picture")),
        ("showTags", phrase("Tags")),
    ),
    "image": (("fit", phrase("Fit")),),
    "video": (("fit", phrase("Fit")),),
    "slideshow": (("fadeMilliseconds", phrase("Milliseconds of a fade")),),
    "text": (*_TEXT, *_ALIGN, ("weight", phrase("Weight")), ("role", phrase("Style"))),
    "ticker": (*_TEXT, ("speed", phrase("Speed"))),
    "clock": (("pattern", phrase("Pattern")), *_ALIGN),
    "countdown": (*_TEXT, ("endText", phrase("Text after the end")), *_ALIGN),
    "qr": (("data", phrase("Address or text of the code")), ("caption", phrase("Line below it"))),
    "shape": (*_COLOR, ("borderColor", phrase("Colour of the border"))),
}
"""The fields of each widget that a form offers; its place comes after them."""

_CHOICES: Mapping[str, Phrase] = {
    "": phrase("As it comes"),
    "auto": phrase("By itself"),
    "left": phrase("Left"),
    "center": phrase("Middle"),
    "right": phrase("Right"),
    "hide": phrase("Is not shown"),
    "mark": phrase("Is struck through"),
    "normal": phrase("Normal"),
    "bold": phrase("Bold"),
    "body": phrase("Text"),
    "title": phrase("Title"),
    "accent": phrase("In the colour of headings"),
    "cover": phrase("Fills its place, cut"),
    "contain": phrase("Whole, with bars"),
    "stretch": phrase("Stretched"),
    "plain": phrase("Plain"),
    "underlined": phrase("Underlined"),
    "ruled": phrase("With a rule"),
    "boxed": phrase("In a box"),
    "always": phrase("Always"),
    "ifAny": phrase("Where there are any"),
    "raised": phrase("Small and raised"),
}

_MODELS: Mapping[str, type[BaseModel]] = {
    get_args(model.model_fields["type"].annotation)[0]: model for model in get_args(get_args(AnyWidget)[0])
}


def theme_fields(theme: Mapping[str, Any], typed: Form | None) -> list[Field]:
    """The theme of a scene."""
    return list(_fields(Theme, "theme", THEME, theme, typed, []))


def read_theme(form: Form, theme: Mapping[str, Any]) -> dict[str, Any]:
    """The theme with what the form says."""
    return _read(Theme, "theme", THEME, form, theme, [])


def gradient_fields(gradient: Mapping[str, Any], typed: Form | None) -> list[Field]:
    """A gradient of the background."""
    return list(_fields(Gradient, "gradient", GRADIENT, gradient, typed, []))


def read_gradient(form: Form, gradient: Mapping[str, Any]) -> dict[str, Any]:
    """The gradient with what the form says."""
    return _read(Gradient, "gradient", GRADIENT, form, gradient, [])


def widget_fields(widget: Mapping[str, Any], typed: Form | None, categories: Sequence[str]) -> list[Field]:
    """The fields of a widget that forms offer."""
    return list(_fields(_MODELS[widget["type"]], _at(widget), WIDGETS[widget["type"]], widget, typed, categories))


def place_fields(widget: Mapping[str, Any], typed: Form | None) -> list[Field]:
    """Where a widget lies."""
    return list(_fields(_MODELS[widget["type"]], _at(widget), _PLACE, widget, typed, []))


def read_widget(form: Form, widget: Mapping[str, Any], categories: Sequence[str]) -> dict[str, Any]:
    """The widget with what the form says."""
    offers = (*WIDGETS[widget["type"]], *_PLACE)
    return _read(_MODELS[widget["type"]], _at(widget), offers, form, widget, categories)


def _at(widget: Mapping[str, Any]) -> str:
    return f"widgets.{widget['id']}"


def name_at(pointer: str | None, widgets: Sequence[Mapping[str, Any]]) -> str:
    """The name of the field at a pointer into the scene."""
    parts = (pointer or "").strip("/").split("/")
    if parts[0] == "widgets" and len(parts) > 2 and parts[1].isdigit() and int(parts[1]) < len(widgets):
        return f"{_at(widgets[int(parts[1])])}.{parts[2]}"
    if parts[:2] == ["background", "gradient"]:
        return ".".join(parts[1:])
    return ".".join(parts)


def _fields(
    model: type[BaseModel],
    prefix: str,
    offers: Iterable[Offer],
    values: Mapping[str, Any],
    typed: Form | None,
    categories: Sequence[str],
) -> Iterator[Field]:
    schema = _schema(model)
    for key, label in offers:
        name, bounds = f"{prefix}.{key}", schema[key]
        stored = values.get(key, bounds.default)
        if key == "categories":
            yield _categories(name, label, values.get(key) or [], typed, categories)
            continue
        value = _text(stored) if typed is None else typed.get(name, "")
        choices = {one: _CHOICES.get(one) or as_it_is(one) for one in bounds.choices} if bounds.choices else None
        yield Field(
            name,
            label,
            bounds.kind,
            value,
            least=bounds.least,
            most=bounds.most,
            length=bounds.length,
            choices=choices,
            required=not bounds.optional and bounds.kind not in ("check", "choice", "lines"),
        )


def _categories(
    name: str, label: Phrase, stored: Sequence[str], typed: Form | None, categories: Sequence[str]
) -> Field:
    known = list(dict.fromkeys((*categories, *stored)))
    chosen = stored if typed is None else [one for one in known if f"{name}.{one}" in typed]
    return Field(name, label, "categories", "", choices={one: as_it_is(one) for one in known}, chosen=frozenset(chosen))


def _read(
    model: type[BaseModel],
    prefix: str,
    offers: Iterable[Offer],
    form: Form,
    values: Mapping[str, Any],
    categories: Sequence[str],
) -> dict[str, Any]:
    """Fields that the form left as they were, or emptied, stay or become absent where the schema lets them."""
    schema, found = _schema(model), dict(values)
    for key, _ in offers:
        name, bounds = f"{prefix}.{key}", schema[key]
        if key == "categories":
            known = list(dict.fromkeys((*categories, *(values.get(key) or ()))))
            # In the order in which they were stored, then in that of the menu.
            was = [one for one in values.get(key) or () if f"{name}.{one}" in form]
            chosen = [*was, *(one for one in known if f"{name}.{one}" in form and one not in was)]
            found.pop(key, None)
            if chosen:
                found[key] = chosen
        elif bounds.kind == "check":
            _put(found, key, name in form, bounds.default)
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


def _value(text: str, bounds: "_Bounds") -> Any:
    if text == "" and (bounds.optional or bounds.kind == "number"):
        return bounds.default
    if bounds.kind == "number" or (bounds.kind == "choice" and text.isdecimal()):
        try:
            number = Decimal(text.replace(",", "."))
        except InvalidOperation:
            return text
        return int(number) if number == number.to_integral_value() else number
    return text.replace("\r\n", "\n")


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else ""
    if isinstance(value, float | Decimal):
        return f"{value:f}".rstrip("0").rstrip(".") if "." in f"{value:f}" else f"{value:f}"
    return str(value)


@dataclass(frozen=True, slots=True)
class _Bounds:
    kind: Kind
    optional: bool
    default: Any = None
    least: str = ""
    most: str = ""
    length: str = ""
    choices: tuple[str, ...] = ()


@cache
def _schema(model: type[BaseModel]) -> Mapping[str, _Bounds]:
    return {name: _bounds(given) for name, given in model.model_json_schema()["properties"].items()}


def _bounds(given: Mapping[str, Any]) -> _Bounds:
    parts: list[Mapping[str, Any]] = [given]
    for part in parts:
        parts.extend(part.get("anyOf", ()))
    optional = any(part.get("type") == "null" for part in parts)
    default = given.get("default")

    def first(*names: str) -> str:
        return next((_text(part[name]) for part in parts for name in names if name in part), "")

    kinds = {part.get("type") for part in parts}
    values = [value for part in parts for value in part.get("enum", ())]
    if any(part.get("const") == "auto" for part in parts):
        # A number of columns, or as many as fit.
        values = ["auto", *(str(number) for number in range(int(first("minimum")), int(first("maximum")) + 1))]
    least, most, length = first("minimum", "ge"), first("maximum", "le"), first("maxLength")
    if values:
        return _Bounds("choice", optional, default, choices=(*([""] if optional else []), *values))
    if "boolean" in kinds:
        return _Bounds("check", optional, default)
    if kinds & {"integer", "number"}:
        return _Bounds("number", optional, default, least, most)
    if re.search(r"\[0-9A-Fa-f\]\{6\}", first("pattern")):
        return _Bounds("color", optional, default)
    return _Bounds("lines" if int(length or _LONG) >= _LONG else "line", optional, default, length=length)
