"""Hooks of schemathesis: sample values for formats, device tokens, and a check of response headers."""

import itertools
import os
from collections.abc import Iterator
from typing import Any

import schemathesis
from hypothesis import strategies as st

_ADDRESSES = ("https://hooks.example.invalid/menu", "https://hooks.example.invalid/")
_COMMON_HEADERS = frozenset(
    {"connection", "content-encoding", "content-length", "content-type", "date", "transfer-encoding"}
)
_PAIRED = f"Bearer {os.environ['CONTRACT_TOKEN']}"

for _name, _values in {
    "uri": _ADDRESSES,
    "iana-timezone": ("Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Chatham"),
    "iso-4217": ("EUR", "USD", "JPY", "KWD"),
    "cldr-locale": ("de-DE", "en-US", "ar-EG", "zh-Hant-TW"),
    "local-date-time": ("2026-12-01T00:00", "2026-12-24T18:00:00", "2027-01-01T00:00:00.5"),
    "email": ("kim@example.com", "sam@example.com", "o'neil+menu@example.co.uk"),
}.items():
    schemathesis.openapi.format(_name, st.sampled_from(_values))


schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")


class _Tokens:
    """Alternates between the token from the start and the newest token that the calls have produced."""

    def __init__(self) -> None:
        self._newest = _PAIRED
        self._alternate: Iterator[bool] = itertools.cycle((True, False))

    def take(self, token: str) -> None:
        self._newest = f"Bearer {token}"

    def give(self) -> str:
        return self._newest if next(self._alternate) else _PAIRED


_tokens = _Tokens()


@schemathesis.hook
def before_call(_context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    """Use the newest device token in every other call."""
    headers = case.headers
    if headers is not None and headers.get("Authorization") == _PAIRED:
        headers["Authorization"] = _tokens.give()


@schemathesis.hook
def after_call(_context: Any, case: Any, response: Any) -> None:
    """Remember the token of a newly paired screen."""
    if case.operation.definition.raw["operationId"] == "fetch_token" and response.status_code == 200:
        _tokens.take(response.json()["access_token"])


@schemathesis.check
def declared_headers(_context: Any, response: Any, case: Any) -> None:
    """The document declares every header of a response."""
    declared = case.operation.responses.find_by_status_code(response.status_code)
    if declared is None:
        return
    known = {name.lower() for name, _ in declared.headers.items()}
    undeclared = set(response.headers) - known - _COMMON_HEADERS
    assert not undeclared, f"{response.status_code} has undeclared headers: {', '.join(sorted(undeclared))}"
