"""The page as a whole, and its parts by name for what watches it; pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from player.domain.findings.diagnosis import diagnose
from player.domain.words.phrase import Phrase, is_right_to_left, language_of, phrase
from player.domain.words.short_id import short_id
from player.domain.words.wording import FALLBACK_LOCALE
from player.page.sections import program, sections
from player.page.sections.actions import BY_NAME, RESTART, TEST, Action, actions, button
from player.page.sections.facts import Facts
from player.page.sections.markup import Content, Html, join, name_of, tag, written
from player.page.sections.now import headline, now
from player.page.sections.parts import quiet

RESTART_SECONDS = 15
"""After which a browser without script opens the page again."""

OWN_NAMES = {"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français", "ar": "العربية"}
"""The page's languages, each by its own name."""

SECTIONS: Mapping[str, tuple[Phrase, Callable[[Facts], Html]]] = {
    "screen": (phrase("Screen"), sections.screen),
    "connection": (phrase("Connection"), sections.connection),
    "clock": (phrase("Clock"), sections.clock),
    "files": (phrase("Files"), sections.files),
    "timetable": (phrase("Timetable"), program.timetable),
    "menu": (phrase("Menu"), program.menu),
    "device": (phrase("Device"), sections.device),
    "log": (phrase("Log"), sections.log),
}
"""Those that are made from the facts alone, after what shows now and what is wrong: title and content by id."""


def parts(facts: Facts) -> dict[str, Html]:
    """What changes while somebody looks: the content of each section, by its id. Actions do not change."""
    findings = diagnose(facts.state)
    made = {
        "headline": headline(findings),
        "now": now(facts),
        "findings": sections.findings(facts, findings),
        **{key: make(facts) for key, (_, make) in SECTIONS.items() if key not in facts.unknown},
        "details": sections.details(facts),
    }
    return made | {key: quiet(why) for key, why in facts.unknown.items()}


def page(facts: Facts, made: Mapping[str, Html] | None = None, *, done: str = "", locale: str = FALLBACK_LOCALE) -> str:
    """The whole page in the language of a locale, with its parts as they were `made`. `done` names the action that was
    just asked for."""
    made = parts(facts) if made is None else made
    state = facts.state
    place = state.location.name if state.location else ""
    name = state.pairing.screen_name or place or "Menu Player"
    titles = {
        "now": phrase("Now"),
        "findings": phrase("Findings"),
        **{key: title for key, (title, _) in SECTIONS.items()},
        **({"actions": phrase("Actions")} if facts.csrf and (facts.actions or facts.has_bundle) else {}),
        "details": phrase("Details"),
    }
    body = [_section(key, title, made.get(key), _tools(key, facts, BY_NAME.get(done))) for key, title in titles.items()]
    return document(
        name,
        tag(
            "header",
            tag(
                "div",
                tag("h1", name_of(name)),
                tag(
                    "p",
                    join(name_of(place), " · ") if place and place != name else None,
                    tag("code", short_id(state.device.device_id)) if state.device.device_id else None,
                    cls="quiet",
                ),
            ),
            tag(
                "div",
                tag(
                    "p",
                    cls="live",
                    id="live",
                    hidden=True,
                    data_live=phrase("Live"),
                    data_silent=phrase("No news from the screen"),
                    data_again=phrase("Connecting again"),
                    data_lost=phrase("Not live"),
                ),
                languages(locale),
                _sign_out(facts.csrf) if facts.signed_in and facts.csrf else None,
                cls="aside",
            ),
            cls="top",
        ),
        tag("div", made["headline"], data_part="headline", role="status"),
        tag("noscript", tag("p", tag("a", phrase("Reload to see what has changed."), href=""), cls="notice")),
        tag(
            "nav",
            tag("ul", *(tag("li", tag("a", title, href=f"#{key}")) for key, title in titles.items())),
            aria_label=phrase("Sections"),
        ),
        tag("main", *body, id="main"),
        live=True,
        locale=locale,
    )


def document(title: str, *content: Content, live: bool = False, locale: str) -> str:
    """A page of this player: its head, styles and, if it is live, its script."""
    language = language_of(locale)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="robots", content="noindex"),
        tag("title", title, " · Menu Player" if title != "Menu Player" else None),
        tag("link", rel="icon", href="/static/icon.svg", type="image/svg+xml"),
        tag("link", rel="stylesheet", href="/static/page.css"),
        tag("script", src="/static/page.js", defer=True) if live else None,
    )
    body = tag("body", tag("a", phrase("Skip to the content"), href="#main", cls="skip"), *content)
    html = tag("html", head, body, lang=language, dir="rtl" if is_right_to_left(locale) else "ltr")
    return f"<!doctype html>\n{written(html, locale)}\n"


def languages(locale: str) -> Html:
    """The quiet choice of another language, which the browser is told to keep."""
    present = language_of(locale)
    links = (
        tag("a", name, href=f"?language={language}", lang=language, hreflang=language)
        for language, name in OWN_NAMES.items()
        if language != present
    )
    return tag(
        "details",
        tag("summary", tag("span", phrase("Language: "), cls="unseen"), tag("span", OWN_NAMES[present], lang=present)),
        tag("ul", *(tag("li", link) for link in links)),
        cls="languages",
    )


def restarting(locale: str) -> str:
    """What a browser shows while the player restarts: it opens the page again, by itself."""
    return document(
        phrase("Restarting"),
        tag(
            "main",
            tag("h1", phrase("The player restarts")),
            tag("p", RESTART.done, role="status"),
            tag("p", tag("a", phrase("Open the page again"), href="/")),
            id="main",
            cls="alone",
            data_wait=True,
        ),
        tag("noscript", tag("meta", http_equiv="refresh", content=f"{RESTART_SECONDS}; url=/")),
        live=True,
        locale=locale,
    )


def _section(key: str, title: Phrase, content: Html | None, tools: Html) -> Html:
    return tag(
        "section",
        tag("h2", title, id=f"{key}-title"),
        tools,
        tag("div", content, data_part=key) if content is not None else None,
        id=key,
        aria_labelledby=f"{key}-title",
        tabindex=-1,
    )


def _tools(key: str, facts: Facts, done: Action | None) -> Html:
    """What stands in a section and does not change with it, so that nobody loses what they typed or pressed."""
    tools: list[Content] = []
    if key == "connection" and facts.csrf and TEST.name in facts.actions:
        tools.append(button(TEST, facts.csrf))
    if done is not None and done.where == key:
        tools.append(tag("p", done.done, cls="notice", role="status"))
    match key:
        case "log":
            tools.append(_log_filter())
        case "actions":
            tools.append(actions(facts))
        case _:
            pass
    return join(*tools)


def _sign_out(csrf: str) -> Html:
    return tag(
        "form",
        tag("input", type="hidden", name="csrf", value=csrf),
        tag("button", phrase("Sign out"), type="submit", cls="plain"),
        method="post",
        action="sign-out",
    )


def _log_filter() -> Html:
    return tag(
        "div",
        tag(
            "label",
            phrase("Find"),
            " ",
            tag("input", type="search", id="log-words", autocomplete="off", spellcheck="false"),
        ),
        tag(
            "label",
            tag("input", type="checkbox", id="log-bad"),
            " ",
            phrase("only warnings and errors"),
        ),
        cls="filter",
        id="log-filter",
        hidden=True,
    )
