"""A short run of the contract checks with schemathesis (`make contract` runs longer)."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.contract import CHAINS, check_chain, check_contract, open_service, pair
from tests.support.programs import Service

SAME_EACH_TIME = ("--generation-deterministic", "--no-shrink")
"""Findings are not shrunk, which takes long."""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """One for each test: what others have left in it would decide which links are followed."""
    started = open_service(tmp_path)
    yield started
    started.kill()
    assert "Traceback" not in started.log.read_text()


def answered(service: Service) -> Counter[tuple[str, str]]:
    """Counts the successes of each call, by method and route."""
    with urlopen(f"{service.address}/metrics") as answer:
        families = text_string_to_metric_families(answer.read().decode())
    counts: Counter[tuple[str, str]] = Counter()
    for family in families:
        for sample in family.samples:
            if sample.name == "menu_requests_total" and sample.labels["status"].startswith("2"):
                counts[sample.labels["method"], sample.labels["route"]] += int(sample.value)
    return counts


@pytest.mark.long
@pytest.mark.parametrize("tags", [("--include-tag", "Players"), pytest.param((), marks=pytest.mark.long)])
def test_every_call_matches_the_document(service: Service, tags: tuple[str, ...]) -> None:
    done = check_contract(service, pair(service), "--phases", "fuzzing", "--max-examples", "1", *tags, *SAME_EACH_TIME)

    assert done.returncode == 0, done.stdout


@pytest.mark.long
def test_edge_cases_and_unknown_methods_match_the_document(service: Service) -> None:
    tags = ("--include-tag", "Players", "--include-tag", "Subscription")
    done = check_contract(service, pair(service), "--phases", "coverage", *tags, *SAME_EACH_TIME)

    assert done.returncode == 0, done.stdout


@pytest.mark.long
@pytest.mark.parametrize("tags", CHAINS, ids=lambda tags: tags[0])
def test_linked_calls_match_the_document(service: Service, tags: tuple[str, ...]) -> None:
    before = answered(service)
    done = check_chain(service, pair(service), tags, "--max-examples", "6", *SAME_EACH_TIME)

    assert done.returncode == 0, done.stdout
    reached = {route for _, route in answered(service) - before if "{" in route}
    assert reached, "no link was followed"
