"""Calls of players, which go past the framework: their failures are answered as everybody's are."""

import logging
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from service.core.logs import FIELDS
from service.services.publishing.manifests import ManifestService
from tests.service.operations.test_metrics import near
from tests.service.support.application import Caller, Device, Service

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

MANIFEST = "/v1/player/manifest"
FAULTS = [
    (OperationalError("", None, Exception()), 503, "database_unavailable"),
    (RuntimeError("a defect"), 500, "internal_error"),
]


@pytest.mark.parametrize(("fault", "status", "code"), FAULTS)
async def test_a_fault_is_a_problem_with_an_id_and_a_log_line(
    service: Service,
    device: Device,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: Exception,
    status: int,
    code: str,
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise fault

    monkeypatch.setattr(ManifestService, "compose_many", fail)
    with caplog.at_level(logging.INFO):
        answer = await device.manifest(**{"X-Request-Id": "asked"})

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert [answer.headers[name] for name in ("X-Request-Id", "Menu-Display", "X-Content-Type-Options")] == [
        *("asked", "1", "nosniff")
    ]
    lines = [getattr(record, FIELDS, {}) for record in caplog.records if record.name == "service.api.http.request_log"]
    assert [(line["route"], line["status"]) for line in lines] == [(MANIFEST, status)]


async def test_a_path_of_players_refuses_other_methods_and_no_token(service: Service, owner: Caller) -> None:
    refused = await owner.send("DELETE", MANIFEST)
    assert (refused.status_code, refused.headers["Allow"]) == (405, "GET, HEAD")
    nobody = await service.client.get(MANIFEST)
    assert (nobody.status_code, nobody.json()["code"]) == (401, "unauthenticated")
    unknown = await service.client.get(MANIFEST, headers={"Authorization": "Bearer nobody"})
    assert (unknown.status_code, unknown.json()["code"]) == (401, "token_unknown")


async def test_head_of_the_manifest_is_its_head(device: Device, service: Service) -> None:
    headers = {"Authorization": f"Bearer {device.token}", "Accept-Encoding": "identity"}
    get, head = [await service.client.request(method, MANIFEST, headers=headers) for method in ("GET", "HEAD")]
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == get.headers["Content-Length"] == str(len(get.content))
    assert head.headers["ETag"] == get.headers["ETag"]


async def test_calls_of_players_are_counted_by_their_route(service: Service, device: Device) -> None:
    await device.manifest()
    await device.heartbeat()
    async with near(service) as client:
        metrics = (await client.get("/metrics")).text
    assert f'menu_requests_total{{method="GET",route="{MANIFEST}",status="200"}} 1.0' in metrics
    assert 'menu_requests_total{method="POST",route="/v1/player/heartbeat",status="200"} 1.0' in metrics
    assert f'menu_request_seconds_count{{method="GET",route="{MANIFEST}"}} 1.0' in metrics
