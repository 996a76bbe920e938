"""Observability: liveness, readiness, metrics and logs."""

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text

from service.core import logs
from service.core.permissions import Role
from service.services.operations.gauges import StoredGauges
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, pair, running, start

TOKEN = "token-of-enough-characters"


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """Everything that the service writes to its log."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.JsonLines())
    # The client's log is not the service's.
    handler.addFilter(lambda record: not record.name.startswith("http"))
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def near(service: Service) -> httpx.AsyncClient:
    """A caller on the same machine."""
    transport = httpx.ASGITransport(app=service.asgi, client=("127.0.0.1", 1))
    return httpx.AsyncClient(transport=transport, base_url="http://service.test")


async def gauges(service: Service) -> dict[tuple[str, tuple[str, ...]], float]:
    async with near(service) as client:
        answer = await client.get("/metrics")
    assert answer.status_code == 200
    return {
        (sample.name, tuple(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def test_it_is_alive_and_ready(service: Service) -> None:
    assert (await service.client.get("/healthz")).json() == {"status": "ok"}
    assert (await service.client.get("/readyz")).json() == {"status": "ready"}


async def test_without_its_tables_it_is_not_ready(service: Service) -> None:
    def set_version(version: str) -> str:
        """Set the version of the tables; the former one."""
        with service.services.database.write() as unit:
            former: str = unit.session.scalars(text("SELECT version_num FROM alembic_version")).one()
            unit.session.execute(text("UPDATE alembic_version SET version_num = :version"), {"version": version})
        return former

    former = set_version("0001")
    answer = await service.client.get("/readyz")
    set_version(former)

    assert answer.headers["Content-Type"] == "application/problem+json"
    assert (answer.status_code, answer.json()["code"]) == (503, "other_tables")
    assert "Run one version everywhere" in answer.json()["detail"]
    assert (await service.client.get("/healthz")).status_code == 200


async def test_a_stopping_service_is_not_ready(service: Service) -> None:
    service.held_polls.close()

    answer = await service.client.get("/readyz")
    assert (answer.status_code, answer.json()["code"]) == (503, "stopping")


async def test_requests_are_counted_by_template_and_never_by_id(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    await owner.get(f"/v1/content/items/{cafe.coffee}")
    await owner.get(f"/v1/content/items/{cafe.cake}")
    await owner.get("/v1/content/items/nothing")
    await service.client.request("BREW", "/nowhere")
    held = start(device.held((await device.manifest()).headers["ETag"]))
    await service.holding()

    counted = await gauges(service)

    template = "/v1/content/items/{item}"
    assert counted["menu_requests_total", ("GET", template, "200")] == 2
    assert counted["menu_requests_total", ("GET", template, "404")] == 1
    assert counted["menu_requests_total", ("other", "none", "404")] == 1
    assert counted["menu_request_seconds_count", ("GET", template)] == 3
    assert counted["menu_held_requests", ()] == 1
    assert counted["menu_deliveries_pending", ()] == 0
    assert "menu_screens_online" in {name for name, _ in counted}
    assert not [labels for _, labels in counted if cafe.coffee in "".join(labels)]
    service.held_polls.close()
    await held


async def test_online_screens_are_counted_by_what_they_find(
    service: Service, owner: Caller, cafe: Cafe, clock: VirtualClock
) -> None:
    devices = [await pair(service, owner, cafe, device_id=f"{n:032x}") for n in range(4)]

    async def report(device: Device, *codes: str, sequence: int = 1) -> None:
        found = [{"code": code, "severity": "warning", "what": "It is."} for code in codes]
        await device.heartbeat(findings=found, sequence=sequence)

    async def counted() -> dict[str, float]:
        await asyncio.to_thread(service.services.presence.flush)
        return {labels[0]: n for (name, labels), n in (await gauges(service)).items() if name == "menu_screen_findings"}

    assert await counted() == {}
    await report(devices[0], "hot", "hot", "disk_low")
    await report(devices[1], "hot")
    await report(devices[2], 'no"label\n', "scr_1 <b>", "x" * 41)
    await report(devices[3])
    assert await counted() == {"hot": 2, "disk_low": 1}

    clock.set(clock.now() + timedelta(seconds=1))
    await report(devices[1], sequence=2)
    assert await counted() == {"hot": 1, "disk_low": 1}, "it is over"

    clock.set(clock.now() + timedelta(seconds=1))
    await report(devices[3], "hot", "throttled", sequence=2)
    await asyncio.to_thread(service.services.presence.flush)
    stored = StoredGauges(database=service.services.database)
    assert stored.findings(most=1) == {"hot": 2, "other": 2}, "a bounded number by name"


async def test_metrics_are_only_for_the_same_machine(service: Service) -> None:
    answer = await service.client.get("/metrics")

    assert (answer.status_code, answer.json()["code"]) == (404, "no_such_path")


async def test_with_a_token_other_machines_can_read_metrics(tmp_path: Path, clock: VirtualClock) -> None:
    async with running(tmp_path / "data", clock=clock, metrics_token=TOKEN) as service:
        stranger = service.client
        good = await stranger.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        owner = await service.caller(Role.OWNER).get("/metrics")
        refused = [
            await stranger.get("/metrics", headers=[(b"Authorization", value)])
            for value in (b"", b"Bearer", f"Bearer {TOKEN}x".encode(), f"Basic {TOKEN}".encode(), b"Bearer \xe9")
        ]
        gauges_here = await gauges(service)

    assert (good.status_code, "menu_requests_total" in good.text) == (200, True)
    assert owner.status_code == 401
    for answer in refused:
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert gauges_here[("menu_leading", ())] == 1


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "é", '"', "a\tb"])
async def test_an_invalid_request_id_is_replaced(service: Service, given: str) -> None:
    answer = await service.client.get("/healthz", headers=[(b"X-Request-Id", given.encode("latin-1"))])

    assert answer.headers["X-Request-Id"] not in ("", given)
    assert len(answer.headers["X-Request-Id"]) == 16


async def test_a_request_is_found_in_the_log_by_its_id(service: Service, owner: Caller, written: io.StringIO) -> None:
    answer = await owner.get("/v1/content/items/nothing?cursor=hush", **{"X-Request-Id": "till-7.1"})

    assert answer.headers["X-Request-Id"] == "till-7.1"
    [line] = [line for line in lines(written) if line["message"] == "answered"]
    assert line["request"] == "till-7.1"
    assert (line["method"], line["path"], line["status"]) == ("GET", "/v1/content/items/nothing", 404)
    assert "hush" not in written.getvalue()


async def test_no_secret_is_logged(service: Service, cafe: Cafe, written: io.StringIO) -> None:
    key = service.services.keys.create(role=Role.OWNER, name="")
    owner = Caller(service.client, key)
    device = service.device()
    codes = await device.ask_codes()
    await owner.make(
        "/v1/screens/pair", {"code": codes.user_code, "playlist": cafe.playlist, "location": cafe.location}
    )
    await device.take_token(codes)
    await device.heartbeat()
    await owner.raw("POST", "/v1/content/items", f'{{"{key}": '.encode())
    await service.client.get(f"/v1/screens?key={key}", headers={"Authorization": f"Bearer {key}x"})

    told = written.getvalue()

    assert "/v1/player/heartbeat" in told
    for secret in (key, device.token, codes.device_code, codes.user_code):
        assert secret not in told


async def test_a_fault_is_logged_with_its_request(service: Service, owner: Caller, written: io.StringIO) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError

    service.services.items.__class__.get, kept = fail, service.services.items.__class__.get
    try:
        answer = await owner.get("/v1/content/items/some", **{"X-Request-Id": "r1"})
    finally:
        service.services.items.__class__.get = kept

    assert (answer.status_code, answer.headers["X-Request-Id"]) == (500, "r1")
    assert [line["request"] for line in lines(written) if line["level"] == "error"] == ["r1"]


def test_a_log_line_is_one_json_object() -> None:
    record = logging.LogRecord("menu", logging.INFO, "", 0, "two\nlines %s", ("“é”",), None)

    [line] = logs.JsonLines().format(record).splitlines()

    assert json.loads(line)["message"] == "two\nlines “é”"
