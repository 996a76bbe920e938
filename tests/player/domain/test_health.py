"""Each symptom has its finding, with a reason and something to do."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from player.domain import health as h
from player.domain.clock import Trust
from player.domain.events import Health, Trouble
from player.domain.health import Severity, Symptoms, findings
from player.domain.manifest import Rejection
from player.domain.pairing import Refusal

HEALTHY = Symptoms(
    service="https://menus.example.com",
    health=Health(
        temperature_celsius=51.2, disk_free_bytes=24 * 10**9, memory_available_bytes=512 * 10**6, throttled=False
    ),
)
LONG = h.UNREACHABLE_AFTER_SECONDS


def test_a_healthy_player_has_no_findings() -> None:
    assert findings(HEALTHY) == ()
    assert findings(Symptoms()) == ()


@pytest.mark.parametrize("trouble", Trouble)
def test_every_trouble_with_the_service_has_a_finding(trouble: Trouble) -> None:
    (finding,) = findings(replace(HEALTHY, trouble=trouble, trouble_detail="it said so", failing_seconds=LONG))
    assert finding.code == f"service_{trouble.value}"
    assert finding.why == "it said so"
    assert "https://menus.example.com" in finding.what
    assert finding.do.endswith(".")
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize("trouble", Trouble)
def test_a_short_outage_is_no_finding_but_a_lasting_trouble_is(trouble: Trouble) -> None:
    passing = trouble in (Trouble.UNREACHABLE, Trouble.TIMEOUT, Trouble.FAULT)
    assert (findings(replace(HEALTHY, trouble=trouble, failing_seconds=LONG - 1)) == ()) is passing


def test_an_outage_before_pairing_is_a_fault() -> None:
    (finding,) = findings(replace(HEALTHY, paired=False, trouble=Trouble.UNREACHABLE, failing_seconds=LONG))
    assert finding.severity is Severity.FAULT


SYMPTOMS: list[tuple[Symptoms, str, str]] = [
    (replace(HEALTHY, clock=Trust.UNKNOWN), "clock_unknown", "NTP"),
    (replace(HEALTHY, paired=False, pairing_lost=True), "pair_again", "lost its pairing"),
    (replace(HEALTHY, paired=False, refusal=Refusal.UNKNOWN), "pair_again", "older backup"),
    (replace(HEALTHY, paired=False, refusal=Refusal.REVOKED), "pair_again", "7 days"),
    (replace(HEALTHY, no_playlist=True), "no_playlist", "Assign a playlist"),
    (replace(HEALTHY, nothing_scheduled=True), "nothing_scheduled", "widen a schedule"),
    (
        replace(HEALTHY, missing={"ab" * 32: "it answers 404"}),
        "assets_lacking",
        "1 image or video is not on the device",
    ),
    (
        replace(HEALTHY, rejections=(Rejection(code="widget_unknown", subject="scn_1/t", detail="no ticker"),)),
        "parts_rejected",
        "scn_1/t: no ticker",
    ),
    (replace(HEALTHY, health=Health(disk_free_bytes=h.DISK_LOW_BYTES - 1)), "disk_low", "511 MiB are free"),
    (replace(HEALTHY, health=Health(memory_available_bytes=h.MEMORY_LOW_BYTES - 1)), "memory_low", "63 MiB"),
    (replace(HEALTHY, health=Health(temperature_celsius=h.HOT_CELSIUS)), "hot", "80 °C"),
    (replace(HEALTHY, health=Health(throttled=True)), "throttled", "power supply"),
]


@pytest.mark.parametrize(("symptoms", "code", "says"), SYMPTOMS, ids=[code for _, code, _ in SYMPTOMS])
def test_each_symptom_has_a_finding(symptoms: Symptoms, code: str, says: str) -> None:
    (finding,) = findings(symptoms)
    assert finding.code == code
    assert says in f"{finding.what} {finding.why} {finding.do}"


@pytest.mark.parametrize(
    "health",
    [
        Health(disk_free_bytes=h.DISK_LOW_BYTES),
        Health(memory_available_bytes=h.MEMORY_LOW_BYTES),
        Health(temperature_celsius=h.HOT_CELSIUS - 0.1),
    ],
)
def test_a_machine_at_the_bound_has_no_findings(health: Health) -> None:
    assert findings(replace(HEALTHY, health=health)) == ()


def test_a_gap_in_the_schedule_that_ends_is_a_note() -> None:
    (finding,) = findings(replace(HEALTHY, nothing_scheduled=True, next_at=datetime(2026, 11, 21, 6, 30, tzinfo=UTC)))
    assert finding.severity is Severity.NOTE
    assert "until 2026-11-21 06:30 UTC" in finding.what


def test_the_worst_comes_first() -> None:
    found = findings(
        replace(
            HEALTHY,
            no_playlist=True,
            nothing_scheduled=True,
            next_at=datetime(2026, 11, 21, tzinfo=UTC),
            clock=Trust.UNKNOWN,
        )
    )
    assert [finding.severity for finding in found] == [Severity.FAULT, Severity.WARNING, Severity.NOTE]


def test_a_long_list_is_shortened() -> None:
    many = tuple(Rejection(code="item_price", subject=f"itm_{number}", detail="no price") for number in range(1000))
    (finding,) = findings(replace(HEALTHY, rejections=many))
    assert "1000 parts" in finding.what
    assert "and 995 more" in finding.why
    assert len(finding.why) < 300
