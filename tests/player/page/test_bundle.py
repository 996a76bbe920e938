"""The support bundle: what is in it, that it is small, and that no secret is."""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Mapping
from datetime import timedelta

import pytest
from msgspec.structs import replace

from menu.rules.timeline import OtherEntry, Reason, Unshowable, WhyNot
from player.domain.playing.timetable import Timetable, TimetableRow
from player.page import bundle
from player.page.bundle import MAX_BUNDLE_BYTES, Contents, file_name, write_bundle
from player.page.sections.facts import Facts
from player.page.sections.program import MAX_ROWS
from player.page.sections.sections import WHO
from player.recent_log import HIDDEN, LogLine
from tests.player.page.page_samples import DEVICE_ID, SAMPLES, connection, small
from tests.support.menus import NOON

JPEG = b"\x89PNG\r\n\x1a\n picture"


def contents(name: str = "small", facts: Facts | None = None, **fields: object) -> Contents:
    made: dict[str, object] = {
        "facts": facts or board(name),
        "settings": (("service", "https://menu.example"), ("announce", "True")),
        "packages": (("cage", "0.2.0-2"), ("python: zeroconf", "0.147.0")),
        "picture": JPEG,
    }
    return Contents(**{**made, **fields})


def board(name: str) -> Facts:
    facts = SAMPLES[name]()
    return replace(facts, log=facts.log or (line("starts"),))


def line(text: str) -> LogLine:
    return LogLine(NOON, "INFO", "player", text)


def unpacked(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def texts(content: bytes) -> Mapping[str, str]:
    return {name: raw.decode() for name, raw in unpacked(content).items() if not name.endswith(("png", "jpg"))}


@pytest.mark.parametrize("name", SAMPLES)
def test_every_board_has_a_bundle_that_says_what_is_in_it(name: str) -> None:
    found = unpacked(write_bundle(contents(name)))

    assert set(found) == {
        "README.txt", "findings.txt", "connection.txt", "timetable.txt", "device.txt", "log.txt", "settings.txt",
        "versions.txt", "state.json", "glass.jpg",
    }  # fmt: skip
    readme = found["README.txt"].decode()
    assert all(member in readme for member in found if member != "README.txt")
    assert found["glass.jpg"] == JPEG
    assert json.loads(found["state.json"])["device"]["id"] == DEVICE_ID


def test_it_reads_as_a_report() -> None:
    found = texts(write_bundle(contents()))

    assert "Short id:  7F3A9C" in found["README.txt"]
    assert "Screen:    Counter left" in found["README.txt"]
    assert found["findings.txt"] == "✓ Nothing is wrong.\n"
    assert "\n- ✓ Name of the service : works menu.example is 203.0.113.8 22 ms\n" in found["connection.txt"]
    assert "\n- Breakfast Not now\n06:00–11:00, 10 seconds each time\nIt is scheduled" in found["timetable.txt"]
    assert "\n- Coffee Showing now\nAll day, 10 seconds each time\n" in found["timetable.txt"]
    assert "the menu service does not answer" in found["log.txt"]
    assert "service: https://menu.example" in found["settings.txt"]
    assert "\nModel: Raspberry Pi 4" in f"\n{found['device.txt']}"
    assert "zeroconf: 0.147.0" in found["versions.txt"]
    assert file_name(contents()) == f"menu-player-7F3A9C-{NOON:%Y%m%d-%H}" + file_name(contents())[-6:]


def test_a_finding_is_said_with_why_and_what_to_do() -> None:
    told = texts(write_bundle(contents("large")))["findings.txt"]

    assert told.startswith(
        "- ! Warning: The name server (DNS) says that there is no menu.example.\nWhy: 192.168.178.1 answers"
    )
    assert "\nDo this: Check that the address" in told
    assert set(re.findall(r"Who: (.*)", told)) <= set(WHO.values())
    assert "Who: " in told


TOKEN, DEVICE_CODE, USER_CODE = "tok/en+with=odd letters", "dev-code-5f", "QXJKWZ"
PASSWORD = "p@ss wörd/7"
SECRETS = (TOKEN, DEVICE_CODE, USER_CODE, "QXJ-KWZ", f"shop:{PASSWORD}", PASSWORD)
SPELLINGS = (
    *SECRETS,
    "tok%2Fen%2Bwith%3Dodd%20letters",
    "p%40ss%20w%C3%B6rd%2F7",
    "c2hvcDpwQHNzIHfDtnJkLzc=",
    "p@ss w\\u00f6rd/7",
)


def test_no_secret_is_in_it_wherever_it_stands_and_however_it_is_written() -> None:
    """Planted into every part: none may be found in the zip, nor in what it unpacks to."""
    facts = small()
    planted = " and ".join(SPELLINGS)
    state = facts.state
    step = replace(connection().steps[0], evidence=planted)
    day = facts.timetable
    assert day is not None
    state = replace(
        state,
        connection=replace(connection(), steps=(step,)),
        device=replace(state.device, service=f"https://menu.example/{TOKEN}"),
        pairing=replace(state.pairing, screen_name=f"Counter {planted}"),
        showing=replace(
            state.showing,
            others=(OtherEntry(entry_id="e", scene_name=planted, reason=Reason.WAITING, detail=planted, next_at=None),),
        ),
    )
    log = (
        line(planted),
        line("Authorization: Bearer 3q2-7wAAb0c9-unknown-to-the-player"),
        line("Proxy-Authorization: Basic dW5rbm93bjp1bmtub3du"),
        line("http://other:elsewhere-9@proxy.example:3128"),
    )
    bundled = write_bundle(
        contents(
            facts=replace(
                facts,
                state=state,
                timetable=replace(
                    day,
                    rows=(
                        replace(day.rows[0], scene_name=planted, unshowable=Unshowable(WhyNot.UNREADABLE, planted)),
                        *day.rows,
                    ),
                ),
                log=log,
                machine=replace(facts.machine, model=planted),
            ),
            settings=(("proxy", f"http://shop:{PASSWORD}@proxy.example:3128"), ("ca_file", "/etc/ca.pem")),
            packages=((planted, planted),),
            missing=(planted,),
            secrets=SECRETS,
        )
    )

    everything = bundled + b"\n".join([name.encode() + raw for name, raw in unpacked(bundled).items()])
    unknown = ("3q2-7wAAb0c9-unknown-to-the-player", "dW5rbm93bjp1bmtub3du", "elsewhere-9")
    left = [secret for secret in (*SPELLINGS, *unknown) if secret.encode() in everything]
    assert left == []
    assert HIDDEN.encode() in everything
    for name in ("findings.txt", "state.json", "log.txt"):
        assert name in unpacked(bundled)
    json.loads(unpacked(bundled)["state.json"])


def test_a_code_that_shows_is_in_no_part() -> None:
    waiting = next(name for name in SAMPLES if SAMPLES[name]().state.pairing.code is not None)
    code = SAMPLES[waiting]().state.pairing.code
    assert code is not None
    found = unpacked(write_bundle(contents(waiting, picture=None, secrets=(code.device_code, code.user_code))))

    for raw in found.values():
        assert code.user_code.encode() not in raw
        assert code.device_code.encode() not in raw
    assert json.loads(found["state.json"])["pairing"]["code"] == HIDDEN


@pytest.mark.long
def test_each_part_has_a_bound_and_says_that_it_was_cut() -> None:
    facts = small()
    noise = os.urandom(64 * 1024).hex()
    rows = tuple(
        TimetableRow(entry_id=f"e{number}", scene_name=noise[:200], duration_seconds=10, spans=())
        for number in range(2000)
    )
    others = tuple(
        OtherEntry(
            entry_id=f"e{number}", scene_name=noise[:500], reason=Reason.WAITING, detail=noise[:500], next_at=None
        )
        for number in range(2200)
    )
    state = replace(facts.state, showing=replace(facts.state.showing, others=others))
    bundled = write_bundle(
        contents(
            facts=replace(
                facts,
                state=state,
                timetable=Timetable(start=NOON, end=NOON + timedelta(days=1), rows=rows),
                log=tuple(line(f"{number} {noise[:1000]}") for number in range(1500)),
            ),
            settings=[("a", noise)] * 10,
            packages=[(f"package-{number}", noise[:50]) for number in range(5000)],
            picture=os.urandom(3 * 1024**2),
        )
    )
    found = unpacked(bundled)

    assert len(bundled) <= MAX_BUNDLE_BYTES
    assert len(found["state.json"]) <= bundle.MAX_STATE_BYTES
    assert len(found["log.txt"]) <= bundle.MAX_LOG_BYTES
    assert found["log.txt"].endswith(b"\n")
    assert b": 1499 " in found["log.txt"], "the newest lines stay"
    cut = found["README.txt"].decode()
    for name in ("state.json", "log.txt", "settings.txt", "versions.txt"):
        assert f"{name} is cut" in cut
    assert all(len(found[name]) <= bundle.MAX_TEXT_BYTES for name in ("timetable.txt", "settings.txt", "versions.txt"))
    assert f"And {2000 - MAX_ROWS} more.".encode() in found["timetable.txt"]
