"""Renders templates: pages of `templates/pages` and parts of `templates/parts`, by name. The only user of Jinja2."""

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from service.core.permissions import Permission
from service.desk.formats import FORMATS
from service.desk.schedules import DAYS
from service.desk.static_files import static_url
from service.desk.words import LANGUAGES, RIGHT_TO_LEFT, Phrase, phrase, phrases, translated


@cache
def _environment() -> Environment:
    @pass_context
    def written(context: Context, value: object) -> object:
        """Formats a value in a template: nothing for None, and phrases in the user's language."""
        if isinstance(value, Phrase):
            return translated(value, context["language"])
        return "" if value is None else value

    @pass_context
    def said(context: Context, template: str, /, **values: object) -> Markup:
        return translated(phrase(template, **values), context["language"])

    @pass_context
    def said_many(context: Context, one: str, many: str, /, *, count: int, **values: object) -> Markup:
        return translated(phrases(one, many, count=count, **values), context["language"])

    made = Environment(
        loader=PackageLoader("service.desk"),
        autoescape=True,
        auto_reload=False,
        finalize=written,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {
        "_": said,
        "ngettext": said_many,
        "static": static_url,
        "LANGUAGES": LANGUAGES,
        "DAYS": DAYS,
        "Permission": Permission,
    }
    made.filters |= {name: pass_context(_localised(format_)) for name, format_ in FORMATS.items()}
    return made


def _localised(format_: Any) -> Any:
    def apply(context: Context, value: Any, *arguments: Any, **named: Any) -> Any:
        return format_(value, *arguments, language=context["language"], **named)

    return apply


def render(template: str, language: str, **values: Any) -> str:
    """Renders a template, such as `pages/screens`, in a language."""
    fixed = {"language": language, "direction": "rtl" if language in RIGHT_TO_LEFT else "ltr"}
    return _environment().get_template(f"{template}.html").render(fixed | values)
