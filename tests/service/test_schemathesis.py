"""The service against its own API document, by a public tool: no faults, and no answers that it does not declare."""

from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, status_code_conformance

from service.clock import SystemClock
from service.factory import build_services, create_app
from service.permissions import Role
from service.settings import Settings

EXAMPLES = 3
"""Calls of each operation. The shrinking of a finding is left to whoever has one."""
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance]


def test_no_call_is_answered_as_the_document_does_not_say(tmp_path: Path) -> None:
    chosen, clock = Settings(data=tmp_path), SystemClock()
    services = build_services(chosen, clock=clock)
    services.sample.load()
    key = services.keys.create(role=Role.OWNER, name="outsider")
    app = create_app(chosen, clock=clock, services=services)
    schema = schemathesis.openapi.from_asgi("/openapi.json", app)
    called = 0
    for found in schema.get_all_operations():
        operation: Any = found.ok()
        if operation.path.startswith("/v1/player/"):
            continue

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def call(case: Any) -> None:
            nonlocal called
            called += 1
            case.call_and_validate(headers={"Authorization": f"Bearer {key}"}, checks=CHECKS)

        call()
    services.database.close()
    assert called > 100
