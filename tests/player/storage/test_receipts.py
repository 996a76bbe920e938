"""The log of receipts: nothing is lost but the last batch, nothing is told twice, and it stays small."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from player.storage import durable
from player.storage import receipts as module
from player.storage.durable import StorageError
from player.storage.receipts import MOST_BYTES, TIDY_BYTES, ReceiptLog

HOUSE = {"kind": "house", "from": "2026-11-20T12:00:00.000Z", "to": "2026-11-20T12:05:00.000Z"}


def pending(log: ReceiptLog) -> dict[int, dict[str, Any]]:
    return log.pending(1000).receipts


def test_sequence_numbers_go_on_after_a_restart_and_the_gap_is_named(tmp_path: Path) -> None:
    log = ReceiptLog(tmp_path)
    log.keep({1: HOUSE, 2: HOUSE})
    log.keep({2: HOUSE | {"to": "later"}, 3: HOUSE})
    name = log.pending(1).log
    found = pending(ReceiptLog(tmp_path))
    assert [(number, one["to"]) for number, one in found.items()] == [(1, HOUSE["to"]), (2, "later"), (3, HOUSE["to"])]

    log = ReceiptLog(tmp_path)  # Power was cut.
    log.keep({1: HOUSE}, mark="stopped")
    log = ReceiptLog(tmp_path)  # It was ended.
    log.keep({1: HOUSE})
    log.keep({1: HOUSE | {"to": "later"}, 2: HOUSE})
    log = ReceiptLog(tmp_path)
    log.keep({}, mark="clock")
    log = ReceiptLog(tmp_path)  # It did not know the time.
    log.keep({1: HOUSE})
    assert [(number, one.get("before")) for number, one in pending(log).items()] == [
        (1, None),
        (2, None),
        (3, None),
        (4, "cut"),
        (5, "stopped"),
        (6, None),
        (7, "clock"),
    ]
    assert log.pending(1).log == name


def test_the_reason_of_a_gap_stays_with_a_receipt_that_grows(tmp_path: Path) -> None:
    log = ReceiptLog(tmp_path)
    log.keep({1: HOUSE})
    log = ReceiptLog(tmp_path)
    log.keep({1: HOUSE})
    log.keep({1: HOUSE | {"to": "later"}})
    assert pending(log)[2] == {"sequence": 2, "before": "cut", **HOUSE, "to": "later"}


@pytest.mark.parametrize("cut", range(2, 60, 7))
def test_a_line_that_was_torn_by_a_power_cut_is_passed_over(tmp_path: Path, cut: int) -> None:
    log = ReceiptLog(tmp_path)
    log.keep({1: HOUSE})
    log.keep({2: HOUSE})
    path = tmp_path / "receipts"
    path.write_bytes(path.read_bytes()[:-cut])
    log = ReceiptLog(tmp_path)
    log.keep({1: HOUSE})
    assert list(pending(log)) == [1, 2]
    log = ReceiptLog(tmp_path)
    log.keep({1: HOUSE})
    assert [one.get("before") for one in pending(log).values()] == [None, "cut", "cut"]


def test_a_log_whose_beginning_is_lost_begins_another_one(tmp_path: Path) -> None:
    log = ReceiptLog(tmp_path)
    log.keep({1: HOUSE})
    name = log.pending(1).log
    path = tmp_path / "receipts"
    path.write_bytes(b"x" + path.read_bytes())
    log = ReceiptLog(tmp_path)
    log.keep({1: HOUSE})
    assert log.pending(1).log != name
    assert pending(log)[1]["before"] == "dropped"


def test_the_log_stays_small_and_tells_the_service_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "sync", lambda _: None)
    monkeypatch.setattr(module, "sync", lambda _: None)
    log = ReceiptLog(tmp_path)
    path = tmp_path / "receipts"
    for number in range(1, 4000):
        log.keep({number: HOUSE, number + 1: HOUSE})
        log.acknowledge(log.pending(1).log, number)
        assert path.stat().st_size <= TIDY_BYTES + 1000
    assert list(pending(log)) == [4000]
    # The service is away for very long.
    fat = HOUSE | {"steps": ["x" * 2000]}
    for number in range(4001, 6000):
        log.keep({number: fat})
        assert path.stat().st_size <= MOST_BYTES + 3000
    found = pending(log)
    first = min(found)
    assert first > 4001
    assert found[first]["before"] == "dropped"
    assert list(found) == list(range(first, 6000))


def test_a_disk_that_is_full_takes_no_half_of_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = ReceiptLog(tmp_path)
    log.keep({1: HOUSE})
    before = (tmp_path / "receipts").read_bytes()

    def full(file: Any, data: bytes) -> None:
        file.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(module, "write_all", full)
        with pytest.raises(StorageError, match="No space left"):
            log.keep({1: HOUSE, 2: HOUSE})
    assert (tmp_path / "receipts").read_bytes() == before
    log.keep({1: HOUSE, 2: HOUSE})
    assert list(pending(log)) == [1, 2]


def test_a_screen_that_was_unpaired_leaves_nothing(tmp_path: Path) -> None:
    log = ReceiptLog(tmp_path)
    log.keep({1: HOUSE})
    name = log.pending(1).log
    log.forget()
    assert pending(log) == {}
    log.keep({1: HOUSE})
    assert log.pending(1).log != name
    assert "before" not in pending(log)[1]
