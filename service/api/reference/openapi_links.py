"""Adds links to the API document: the calls that a response leads to, for tools that chain calls."""

from collections.abc import Iterator, Mapping
from typing import Any

Document = dict[str, Any]
Operations = Mapping[str, tuple[str, str]]
"""Method and path by operation id."""

_FROM_BODY: Mapping[tuple[str, str, str], Document | list[Document]] = {
    ("authorize_device", "200", "pair_screen"): {"code": "$response.body#/user_code"},
    ("authorize_device", "200", "fetch_token"): {
        "client_id": "menu-player",
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
        "device_code": "$response.body#/device_code",
    },
    ("create_playlist", "201", "pair_screen"): {"playlist": "$response.body#/id"},
    ("create_location", "201", "pair_screen"): {"location": "$response.body#/id"},
    ("create_location", "201", "create_key"): {"locations": ["$response.body#/id"]},
    ("create_scene", "201", "append_scene"): {"sceneId": "$response.body#/id"},
    ("create_item", "201", "change_items"): [{"id": "$response.body#/id"}],
    ("invite_member", "201", "preview_invite"): {"token": "$response.body#/token"},
    ("invite_member", "201", "accept_invite"): {"token": "$response.body#/token"},
}
"""Fields of an answer that go into the body of the linked call."""

_ELSEWHERE: Mapping[tuple[str, str, str], tuple[str, ...]] = {
    ("pair_screen", "201", "screen"): ("get_screen", "change_screen", "delete_screen", "command_screen"),
    ("attach_schedule", "201", "schedule"): ("get_schedule", "change_schedule", "delete_schedule"),
    ("list_schedules", "200", "schedule"): ("get_schedule", "change_schedule"),
    ("publish_playlist", "202", "approval"): ("get_approval", "approve", "reject"),
    ("accept_invite", "201", "member"): ("change_member", "remove_member"),
    ("list_assets", "200", "asset"): ("get_player_asset",),
    ("upload_asset", "201", "asset"): ("get_player_asset",),
}
"""Linked calls whose path is not below the path of the first call."""


def add_links(document: Document) -> None:
    """Adds the links of every response."""
    operations = {
        operation["operationId"]: (method, path)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    for source, status, target, link in _links(operations):
        method, path = operations[source]
        answer = document["paths"][path][method]["responses"].get(status)
        if answer is not None:
            answer.setdefault("links", {})[target] = {"operationId": target, **link}


def _links(operations: Operations) -> Iterator[tuple[str, str, str, Document]]:
    for source, (method, path) in operations.items():
        if method not in ("get", "post"):
            continue
        for target, (_, below) in operations.items():
            name = _one_below(path, below)
            if name is None:
                continue
            outer = {outer: f"$request.path.{outer}" for outer in _names(path)}
            if method == "post":
                for status in ("200", "201", "202"):
                    yield source, status, target, {"parameters": {**outer, name: "$response.body#/id"}}
            else:
                # A version has no id beside its number.
                field = "version" if name == "version" else "id"
                yield source, "200", target, {"parameters": {**outer, name: f"$response.body#/data/0/{field}"}}
    for (source, status, name), targets in _ELSEWHERE.items():
        identifier = "$response.body#/data/0/id" if source.startswith("list_") else "$response.body#/id"
        for target in targets:
            yield source, status, target, {"parameters": {name: identifier}}
    for (source, status, target), body in _FROM_BODY.items():
        yield source, status, target, {"requestBody": body}


def _one_below(path: str, below: str) -> str | None:
    """Returns the path parameter that `below` adds to `path`, if it adds exactly one."""
    rest = below.removeprefix(path)
    if rest == below or not rest.startswith("/{"):
        return None
    name, _, more = rest.removeprefix("/{").partition("}")
    return None if "{" in more else name


def _names(path: str) -> list[str]:
    return [part.partition("}")[0] for part in path.split("{")[1:]]
