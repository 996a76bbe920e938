"""Form of a board: its widgets in their order with their fields, unsaved acts on them, and the change that it makes.

A form carries each widget whole (`base.ID`) beside its fields: a new widget, or one that another user has removed
meanwhile, is in no stored scene.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from menu.documents.scene import MAX_TRANSITION_MILLISECONDS
from service.core.errors import malformed
from service.core.json_text import JsonTextError, read_json, write_json
from service.desk.boards.form_fields import (
    Field,
    Known,
    background_fields,
    board_fields,
    gradient_fields,
    own_fields,
    place_fields,
    read_background,
    read_board,
    read_gradient,
    read_theme,
    read_widget,
    slide_fields,
    theme_fields,
    typed_fields,
    widget_fields,
    widget_of,
)
from service.desk.boards.offers import WIDGETS
from service.desk.boards.palette import free_id, kinds, new_widget
from service.desk.forms import Form
from service.desk.words import Phrase, phrase
from service.schema.content.scene import SceneResponse
from service.services.shared.etags import tag_of

Widget = Mapping[str, Any]

_TRANSITIONS: Mapping[str, Phrase] = {
    "cut": phrase("At once"),
    "fade": phrase("Fade"),
    "slide": phrase("Slide"),
    "wipe": phrase("Wipe"),
}
_GROUND = "#101418"
_STEP = 24
"""Canvas units by which a copy lies beside its original."""


@dataclass(frozen=True, slots=True)
class WidgetForm:
    widget: Widget
    title: str
    base: str
    shown: list[Field]
    places: list[Field]
    own: list[Field]
    slides: list[list[Field]]

    @property
    def fields(self) -> list[Field]:
        return [*self.shown, *self.places, *self.own, *(one for slide in self.slides for one in slide)]


def editor(scene: SceneResponse, typed: Form | None, known: Known) -> dict[str, Any]:
    """Builds the form of the scene, with the stored or the typed values."""
    background = scene.background
    kind = next(one for one in ("color", "gradient", "asset") if background.get(one) is not None)
    gradient: Mapping[str, Any] = background.get("gradient") or {"from": _GROUND, "to": "#2A3331"}
    plain = {"name": scene.name, "background": kind, "color": background.get("color") or _GROUND}
    plain |= {"scrim": background.get("scrim") or "", "transition": scene.transition["type"]}
    plain |= {"milliseconds": str(scene.transition.get("milliseconds", 500)), "kit": ""}
    plain |= {"ground": background.get("asset") or ""}
    widgets = widgets_of(scene, typed)
    return {
        "given": plain if typed is None else {name: typed.get(name, "") for name in plain},
        "board": board_fields(scene.document(), typed),
        "fitted": background_fields(background, typed),
        "gradient": gradient_fields(gradient, typed),
        "theme": theme_fields(scene.theme, typed, known),
        "widgets": [_widget_form(one, typed, known) for one in widgets],
        "order": _json([one["id"] for one in widgets]),
        "stored": _json([one["id"] for one in scene.widgets]),
        "kinds": kinds(known),
        "known": known,
        # A wipe is of old scenes, which keep it.
        "transitions": {
            name: label for name, label in _TRANSITIONS.items() if name != "wipe" or plain["transition"] == name
        },
        "longest_transition": MAX_TRANSITION_MILLISECONDS,
        "tag": tag_of(scene),
        "differs": {} if typed is None else _differing(scene, typed, known),
    }


def _widget_form(widget: Widget, typed: Form | None, known: Known) -> WidgetForm:
    if typed is not None and f"widgets.{widget['id']}.x" not in typed:
        # Somebody else has added it meanwhile.
        typed = None
    return WidgetForm(
        widget,
        _title(widget if typed is None else {**widget, "text": typed.get(f"widgets.{widget['id']}.text", "")}),
        _json(widget),
        widget_fields(widget, typed, known),
        place_fields(widget, typed),
        own_fields(widget, typed, known),
        slide_fields(widget, typed, known),
    )


def widgets_of(scene: SceneResponse, typed: Form | None) -> list[Widget]:
    """Returns the widgets in the order of the form, as stored, or as the form has kept those that are not; after them
    those that others have added meanwhile. Raises the 400 and 422 problems."""
    stored = {one["id"]: one for one in scene.widgets}
    order = None if typed is None else _names(typed, "order")
    if typed is None or order is None:
        return list(scene.widgets)
    found = [one for name in dict.fromkeys(order) if (one := stored.get(name) or _kept(typed, name)) is not None]
    seen = set(_names(typed, "stored") or stored)
    return [*found, *(one for name, one in stored.items() if name not in seen and name not in order)]


def _kept(form: Form, name: str) -> Widget | None:
    text = form.get(f"base.{name}")
    widget = None if text is None else widget_of(_read(text))
    return widget if widget is not None and widget["id"] == name else None


def _names(form: Form, field: str) -> list[str] | None:
    if field not in form:
        return None
    found = _read(form[field])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise malformed("The form cannot be read.")
    return found


def _read(text: str) -> Any:
    try:
        return read_json(text.encode())
    except JsonTextError:
        raise malformed("The form cannot be read.") from None


def _json(content: object) -> str:
    return write_json(content).decode()


def _differing(scene: SceneResponse, typed: Form, known: Known) -> dict[str, str]:
    """Returns the fields that differ from the typed ones, with their current values."""
    now = editor(scene, None, known)
    fields: list[Field] = [*now["theme"], *now["board"], *(field for one in now["widgets"] for field in one.fields)]
    values = {one.name: one.value for one in fields if one.kind not in ("categories", "check")} | now["given"]
    return {
        name: value
        for name, value in values.items()
        if name != "kit" and name in typed and typed[name] != value.replace("\n", "\r\n") and typed[name] != value
    }


def _title(widget: Widget) -> str:
    text = str(widget.get("text") or widget.get("title") or ", ".join(widget.get("categories") or ()) or widget["id"])
    return text if len(text) <= 40 else text[:39] + "…"


def patch_of(scene: SceneResponse, form: Form, known: Known, kit: Mapping[str, Any] | None) -> dict[str, Any]:
    """Returns the top-level fields that the form changes."""
    before = scene.document()
    background: dict[str, Any] = {key: value for key, value in scene.background.items() if key in ("asset", "fit")}
    if form.get("background") == "gradient":
        background = {"gradient": read_gradient(form, scene.background.get("gradient") or {})}
    elif form.get("background") == "color":
        background = {"color": form.get("color", "")}
    else:
        background = read_background(form, background)
        if form.get("ground"):
            background["asset"] = form["ground"]
    if form.get("scrim"):
        background["scrim"] = form["scrim"]
    milliseconds = form.get("milliseconds", "")
    after = {
        "name": form.get("name", ""),
        "background": background,
        "theme": read_theme(form, scene.theme, known),
        "transition": {
            "type": form.get("transition", ""),
            "milliseconds": int(milliseconds) if milliseconds.isdecimal() else milliseconds,
        },
        "widgets": [_widget(form, one, known) for one in widgets_of(scene, form)],
        **read_board(form, before),
        **(kit or {}),
    }
    return {name: value for name, value in after.items() if value != before[name]}


def _widget(form: Form, widget: Widget, known: Known) -> Mapping[str, Any]:
    is_in_form = widget["type"] in WIDGETS and f"widgets.{widget['id']}.x" in form
    return read_widget(form, widget, known) if is_in_form else widget


def acted(scene: SceneResponse, form: Form, act: str, known: Known, language: str) -> tuple[Form, str]:
    """Returns the form after an act on a widget, and the widget: `add:KIND`, or `copy`, `remove`, `front` and `back`
    with the widget's id. Raises the 400 problem for any other."""
    verb, _, name = act.partition(":")
    widgets = widgets_of(scene, form)
    order = [one["id"] for one in widgets]
    typed = dict(form)
    if verb == "add" and name in kinds(known):
        made = new_widget(
            name, (scene.width, scene.height), (*order, *(one["id"] for one in scene.widgets)), known, language
        )
        shown = _widget_form(made, None, known)
        typed |= {f"base.{made['id']}": shown.base, **typed_fields(shown.fields)}
        name, order = made["id"], [*order, made["id"]]
    elif name in order and verb in _MOVES:
        order = _MOVES[verb](order, name)
    elif name in order and verb == "copy":
        original = widgets[order.index(name)]
        made = {**original, "id": free_id(original["type"], (*order, *(one["id"] for one in scene.widgets)))}
        typed |= _copied(form, name, made)
        order.insert(order.index(name) + 1, made["id"])
        name = made["id"]
    else:
        raise malformed("The form cannot be read.")
    return typed | {"order": _json(order), "stored": form.get("stored", _json(order))}, name


def _copied(form: Form, name: str, made: Widget) -> dict[str, str]:
    before, after = f"widgets.{name}.", f"widgets.{made['id']}."
    typed = {after + key.removeprefix(before): value for key, value in form.items() if key.startswith(before)}
    for key in ("x", "y"):
        value = typed.get(after + key, "")
        if value.removeprefix("-").isdecimal():
            typed[after + key] = str(int(value) + _STEP)
    return typed | {f"base.{made['id']}": _json(made)}


def _without(order: list[str], name: str) -> list[str]:
    return [one for one in order if one != name]


_MOVES: Mapping[str, Callable[[list[str], str], list[str]]] = {
    "remove": _without,
    "front": lambda order, name: [*_without(order, name), name],
    "back": lambda order, name: [name, *_without(order, name)],
}
