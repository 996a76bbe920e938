"""Renders the OpenAPI document as an HTML page without scripts."""

import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

_METHODS = ("get", "post", "put", "patch", "delete")

_CODE = re.compile(r"`([^`]+)`")

_STYLE = """
:root { --paper: #fbf9f5; --ink: #1d1b18; --quiet: #6b655c; --line: #e2dccf; --accent: #b4532a; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14120f; --ink: #f3eee6; --quiet: #a79e91; --line: #3a352e; --accent: #e0854f; }
}
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
h3 { margin: 1.75rem 0 .25rem; font: 600 1rem ui-monospace, monospace; overflow-wrap: anywhere; }
h3 b { color: var(--accent); }
p { margin: .25rem 0; }
table { border-collapse: collapse; margin: .5rem 0; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-top: 1px solid var(--line); }
code { font: .9375em ui-monospace, monospace; }
.quiet { color: var(--quiet); }
a { color: var(--accent); }
"""


def reference_page(document: Mapping[str, Any]) -> str:
    info = document["info"]
    body = "".join([*_operations(document), *_events(document), *_models(document)])
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(info['title'])}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(info['title'])}</h1><p>{_prose(info['description'])}</p>"
        f'<p class="quiet">Version {escape(info["version"])}. Machine-readable: '
        f'<a href="openapi.json">openapi.json</a>.</p>{body}</body></html>'
    )


def _operations(document: Mapping[str, Any]) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                operation = methods[method]
                groups.setdefault(operation["tags"][0], []).append(_operation(method, path, operation, document))
    for tag, operations in groups.items():
        yield f"<h2>{escape(tag)}</h2>{''.join(operations)}"


def _events(document: Mapping[str, Any]) -> Iterator[str]:
    yield "<h2>Events</h2>"
    for name, methods in document["webhooks"].items():
        content = methods["post"]["requestBody"]["content"]["application/json"]
        yield f"<h3><b>POST</b> {escape(name)}</h3><p>{_prose(methods['post']['description'])}</p>"
        yield f"<p>Body: {_type(content['schema'])}</p>"


def _operation(method: str, path: str, operation: Mapping[str, Any], document: Mapping[str, Any]) -> str:
    shared = document.get("components", {}).get("parameters", {})
    lines = [f"<h3><b>{method.upper()}</b> {escape(path)}</h3>", f"<p>{_prose(operation.get('description', ''))}</p>"]
    lines += [
        _parameter(shared[_name(parameter)] if "$ref" in parameter else parameter)
        for parameter in operation.get("parameters", ())
    ]
    for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
        lines.append(f"<p>Body: {_type(content.get('schema', {}))} <span class=quiet>{escape(media_type)}</span></p>")
    answers = []
    for status, answer in operation["responses"].items():
        schemas = [content.get("schema", {}) for content in answer.get("content", {}).values()]
        answers.append(" ".join([escape(status), *(_type(schema) for schema in schemas if schema)]))
    lines.append(f"<p class=quiet>Answers: {', '.join(answers)}</p>")
    return "".join(lines)


def _parameter(parameter: Mapping[str, Any]) -> str:
    """Renders a line about a parameter; path parameters need none."""
    if parameter["in"] == "path":
        return ""
    words = _prose(parameter.get("description", ""))
    return (
        f"<p><code>{escape(parameter['name'])}</code> <span class=quiet>{escape(parameter['in'])}. {words}</span></p>"
    )


def _models(document: Mapping[str, Any]) -> Iterator[str]:
    yield "<h2>Documents</h2>"
    for name, schema in sorted(document.get("components", {}).get("schemas", {}).items()):
        yield f'<h3 id="{escape(name)}">{_title(name)}</h3><p>{_prose(schema.get("description", ""))}</p>'
        required = schema.get("required", ())
        rows = [
            f"<tr><td><code>{escape(field)}</code></td><td>{_type(part)}</td>"
            f"<td class=quiet>{'needed' if field in required else ''}</td></tr>"
            for field, part in schema.get("properties", {}).items()
        ]
        yield f"<table>{''.join(rows)}</table>"


def _name(reference: Mapping[str, Any]) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _title(name: str) -> str:
    return escape(name.removesuffix("_").removesuffix("Response").replace("Listing_", "List of "))


def _prose(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", escape(text))


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = _name(schema)
        return f'<a href="#{escape(name)}">{_title(name)}</a>'
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return " or ".join(_type(part) for part in schema[union])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if "enum" in schema:
        return " | ".join(escape(str(value)) for value in schema["enum"])
    if "const" in schema:
        return escape(str(schema["const"]))
    return escape(str(schema.get("format") or schema.get("type", "any")))
