"""Renders the page, and its parts by name, with the templates of `player/page/templates`; needs jinja2 only.

A sentence in a template is `_("…")`, with values as `_("{count} more", count=…)`; it is translated as it is written.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from menu.text.phrase import (
    Phrase,
    Spoken,
    SpokenDay,
    filled,
    in_language,
    is_right_to_left,
    language_of,
    phrase,
    phrases,
)
from menu.text.wording import FALLBACK_LOCALE
from player.domain.findings.disk import DISK_LOW_BYTES
from player.domain.findings.machine import HOT_CELSIUS, MEMORY_LOW_BYTES
from player.domain.playing.holdings import Need
from player.domain.recovery.fault_texts import detail_of
from player.domain.state import Kind
from player.page.sections import actions, now, program, sections, words
from player.page.sections.actions import BY_NAME
from player.page.sections.facts import Facts
from player.page.sections.words import Marked, Times

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.runtime import Context

TITLES: Mapping[str, Phrase] = {
    "now": phrase("Now"),
    "findings": phrase("Findings"),
    "screen": phrase("Screen"),
    "connection": phrase("Connection"),
    "clock": phrase("Clock"),
    "files": phrase("Files"),
    "timetable": phrase("Timetable"),
    "menu": phrase("Menu"),
    "device": phrase("Device"),
    "log": phrase("Log"),
    "actions": phrase("Actions"),
    "details": phrase("Details"),
}
"""Titles of the sections by id."""

PARTS = ("headline", *(name for name in TITLES if name != "actions"))
"""Parts of the page that change while it is open."""

Parts = Mapping[str, str]


class _Markup(str):
    """Text that is escaped already."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


@cache
def _environment() -> Environment:
    # 2 MiB that no board needs until somebody opens its page.
    from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context

    @pass_context
    def written(context: Context, value: object) -> object:
        """Converts a value as the template writes it: nothing for None, and what is translated in the reader's
        language."""
        if isinstance(value, Phrase | Spoken):
            return _Markup(_markup(value, context["locale"]))
        return "" if value is None else value

    @pass_context
    def attribute(context: Context, value: str) -> str:
        """Converts a phrase to text without elements."""
        return in_language(value, context["locale"])

    made = Environment(
        loader=PackageLoader("player.page"),
        autoescape=True,
        auto_reload=False,
        extensions=["jinja2.ext.i18n"],
        finalize=written,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.install_gettext_callables(phrase, phrases)  # type: ignore[attr-defined]
    made.filters["attribute"] = attribute
    for module in (actions, now, program, sections, words):
        made.globals |= {name: value for name, value in vars(module).items() if not name.startswith("_")}
    made.globals |= {
        "DISK_LOW_BYTES": DISK_LOW_BYTES,
        "HOT_CELSIUS": HOT_CELSIUS,
        "MEMORY_LOW_BYTES": MEMORY_LOW_BYTES,
        "Kind": Kind,
        "Need": Need,
        "SpokenDay": SpokenDay,
        "detail_of": detail_of,
    }
    return made


def _markup(value: object, locale: str, *, isolates: bool = False) -> str:
    """Converts a value in the language of a locale; a name or an address keeps its own order in a sentence that runs
    the other direction."""
    if isinstance(value, Marked):
        instant = f' datetime="{value.instant}"' if value.instant else ""
        return f"<{value.element}{instant}>{_markup(value.content, locale)}</{value.element}>"
    if isinstance(value, Spoken):
        return escape(value.in_locale(locale))
    if isinstance(value, Phrase):
        runs_left = is_right_to_left(locale)
        return filled(value, locale, escape, lambda each: _markup(each, locale, isolates=runs_left))
    text = escape(str(value))
    return f"<bdi>{text}</bdi>" if isolates and isinstance(value, str) else text


@cache
def compile_templates() -> None:
    """Compile all templates, which takes a moment: call it on a thread of its own before the first look."""
    for name in _environment().list_templates():
        _environment().get_template(name)


def render(template: str, locale: str, **values: Any) -> str:
    direction = "rtl" if is_right_to_left(locale) else "ltr"
    fixed = {"locale": locale, "language": language_of(locale), "direction": direction}
    return _environment().get_template(f"{template}.html").render(fixed | values)


def parts(facts: Facts, locale: str = FALLBACK_LOCALE, names: Collection[str] = PARTS) -> Parts:
    """Returns the parts of the page that change while it is open, by name."""
    state = facts.state
    values = {
        "facts": facts,
        "state": state,
        "findings": state.findings,
        "times": Times(state.at, state.location),
        "runs": state.standstill is None,
    }
    return {
        name: render("sections/unknown", locale, why=facts.unknown[name])
        if name in facts.unknown
        else render(f"sections/{name}", locale, **values)
        for name in names
    }


def page(facts: Facts, made: Parts | None = None, *, done: str = "", locale: str = FALLBACK_LOCALE) -> str:
    """Renders the whole page in the language of a locale, with its parts as they were `made`. `done` names the action
    that was just requested."""
    state = facts.state
    place = state.location.name if state.location else ""
    return render(
        "page",
        locale,
        title=state.pairing.screen_name or place or "Menu Player",
        place=place,
        short_id=state.device.short_id,
        titles={key: title for key, title in TITLES.items() if facts.csrf or key != "actions"},
        parts=parts(facts, locale) if made is None else made,
        done=BY_NAME.get(done),
        csrf=facts.csrf,
        signed_in=facts.signed_in,
        actions=facts.actions if facts.csrf else (),
    )
