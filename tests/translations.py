"""The sentences that the device and the desk say to people, found in the code, and their translations: those of the
device in menu/locale, those of the desk in service/locale.

`python -m tests.translations` writes the sentences of today into every file; what is new has no translation then.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po
from jinja2 import Environment
from jinja2.ext import extract_from_ast

from menu.text.phrase import LANGUAGES

ROOT = Path(__file__).parent.parent
PROGRAMS = {"player": ("menu", "player"), "service": ("service/desk",)}
"""Where each program says its sentences."""
LOCALE = {"player": ROOT / "menu" / "locale", "service": ROOT / "service" / "locale"}
WIDTH = 120
IDLE_HEADERS = (
    '"Project-Id',
    '"Report-Msgid',
    '"POT-Creation',
    '"PO-Revision',
    '"Last-Translator',
    '"Language-Team',
    '"Generated-By',
)
"""Lines of a file's header that say nothing, or change with each writing."""

Sentence = str | tuple[str, str]
"""A sentence, or its singular and plural."""


@cache
def sentences(program: str = "player") -> dict[Sentence, str]:
    """Every sentence in the code and the templates of a program, and the file in which it is first said."""
    found: dict[Sentence, str] = {}
    files = [path for folder in PROGRAMS[program] for path in sorted((ROOT / folder).rglob("*"))]
    for path in (one for one in files if one.suffix == ".py"):
        for sentence in _said(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(sentence, str(path.relative_to(ROOT)))
    for path in (one for one in files if one.suffix == ".html"):
        for sentence in _said_in_template(path.read_text(encoding="utf-8")):
            found.setdefault(sentence, str(path.relative_to(ROOT)))
    return found


def _said_in_template(source: str) -> Iterator[Sentence]:
    tree = Environment(extensions=["jinja2.ext.i18n"]).parse(source)
    for _, function, texts in extract_from_ast(tree, ("_", "ngettext"), babel_style=False):
        assert isinstance(texts, tuple)
        said = tuple(text for text in texts if text is not None)
        assert len(said) == (2 if function == "ngettext" else 1), said
        yield (said[0], said[1]) if function == "ngettext" else said[0]


def _said(tree: ast.Module) -> Iterator[Sentence]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        texts = [text for each in node.args for text in _texts(each)]
        match node.func.id:
            case "finding" | "fault" | "note":
                yield from (text for each in node.args[1:] for text in _texts(each) if text)
            case "phrase":
                yield from texts[:1]
            case "phrases" if len(texts) == 2:
                yield texts[0], texts[1]
            case "Words" | "Row" | "Told":
                many = [text for keyword in node.keywords if keyword.arg == "many" for text in _texts(keyword.value)]
                yield from ((texts[0], many[0]), *texts[1:]) if many else texts


def _texts(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp():
            yield from (*_texts(node.body), *_texts(node.orelse))


@cache
def translations(language: str, program: str = "player") -> Catalog:
    """The file of a language."""
    return read_po(BytesIO((LOCALE[program] / f"{language}.po").read_bytes()), locale=language)


def main() -> None:
    """Bring the files up to date."""
    for program in PROGRAMS:
        for language in LANGUAGES:
            _bring_up_to_date(program, language)


def _bring_up_to_date(program: str, language: str) -> None:
    speaker = {"player": "device", "service": "desk"}[program]
    LOCALE[program].mkdir(exist_ok=True)
    file = LOCALE[program] / f"{language}.po"
    before = translations(language, program) if file.exists() else Catalog(locale=language)
    after = Catalog(
        locale=language,
        project="Menu Player",
        header_comment=f"# What the {speaker} says to people. `python -m tests.translations` adds what is new.",
        fuzzy=False,
    )
    # Versions of Babel differ in the plurals of a language: the file's own count.
    after.mime_headers = [header for header in before.mime_headers if header[0] == "Plural-Forms"]
    for sentence, where in sentences(program).items():
        known = before.get(sentence)
        after.add(sentence, known.string if known else None, locations=[(where, None)])
    output = BytesIO()
    write_po(output, after, width=WIDTH, omit_header=False, include_lineno=False)
    lines = output.getvalue().decode().splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(IDLE_HEADERS)]
    file.write_text("".join(kept), encoding="utf-8")
    missing = sum(not message.string or not all(message.string) for message in after if message.id)
    print(f"{program}/{file.name}: {missing} without a translation")  # noqa: T201


if __name__ == "__main__":
    main()
