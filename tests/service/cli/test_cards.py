"""`menu-service cards`: a list becomes boot files, each with a token of its own, and images; nothing by halves."""

import json
import re
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from player.boot_file.document import BootFile, Taken, read_boot_file, text_of
from service.cli.main import EXIT_FAILURE, EXIT_USAGE, main
from service.services.devices.cards import MAX_CARDS
from tests.service.support.application import Cafe, Caller, Device, Service, body_of

SERVICE = "https://menu.example.com"
HEADER = "location,name,playlist,network\n"
CARD = "Corner Café - Counter"

NETWORKS = """
["Guest Wi-Fi"]
wifi_name = "Café 🍕"
wifi_password = 'back\\slash "quoted"'
wifi_country = "DE"

[Office]
address = "192.168.1.20/24"
gateway = "192.168.1.1"
dns = ["192.168.1.1", "9.9.9.9"]
"""


@pytest.fixture(autouse=True)
def _now(service: Service) -> None:
    """The command has the machine's clock."""
    service.clock.set(datetime.now(UTC))


class Operator:
    """Runs `cards` beside the running service."""

    def __init__(self, service: Service, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys
        self._where = ("--data", str(service.data), *(("--database", service.database) if service.database else ()))
        self.said = ""

    def create(self, text: str | bytes, *flags: str, to: str = "cards", networks: str | None = NETWORKS) -> int:
        (self.folder / "boards.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
        more: tuple[str, ...] = ()
        if networks is not None:
            (self.folder / "networks.toml").write_text(networks)
            more = ("--networks", str(self.folder / "networks.toml"))
        given = (str(self.folder / "boards.csv"), "--to", str(self.folder / to), "--public-url", SERVICE)
        return self._run("create", *given, *self._where, *more, *flags)

    def missing(self) -> list[tuple[str, str, int]]:
        assert self._run("missing", *self._where) == 0
        found = [json.loads(line) for line in self.out.splitlines()]
        return [(one["location"], one["name"], one["missing"]) for one in found]

    def _run(self, *words: str) -> int:
        status = main(("cards", *words), environment={})
        self.out, self.said = self._capsys.readouterr()
        return status

    def file(self, card: str = CARD, folder: str = "cards") -> Path:
        return self.folder / folder / card / "menu-player.toml"

    def boot_file(self, card: str = CARD, folder: str = "cards") -> BootFile:
        """The file as the player reads it."""
        return read_boot_file(text_of(self.file(card, folder).read_bytes()), folder=self.folder, kept=Taken())

    def token(self, card: str = CARD, folder: str = "cards") -> str:
        return str(self.boot_file(card, folder).settings["enrolment_token"])

    def left(self) -> set[str]:
        """The names in the folder, but for the data and the command's own input."""
        return {one.name for one in self.folder.iterdir()} - {"data", "boards.csv", "networks.toml"}


@pytest.fixture
def operator(service: Service, cafe: Cafe, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Operator:
    del cafe
    return Operator(service, tmp_path, capsys)


async def enrol(service: Service, token: str, number: int = 1) -> str:
    """What the service says to a device that comes with the token."""
    device = Device(service.client, device_id=f"{number:032x}")
    codes = await device.ask_codes(enrolment_token=token)
    if codes.answer["enrolment"] == "accepted":
        await device.take_token(codes)
    return str(codes.answer["enrolment"])


async def screens(owner: Caller) -> list[tuple[str, bool]]:
    return [(one["name"], one["waiting"]) for one in body_of(await owner.get("/v1/screens"))["data"]]


async def test_each_board_of_a_list_is_a_screen_of_its_name_with_its_card(
    service: Service, owner: Caller, operator: Operator
) -> None:
    text = f"{HEADER}Corner Café,Counter,All day,Guest Wi-Fi\nCorner Café,Bar,All day,\n"
    assert operator.create(text) == 0
    assert operator.missing() == [("Corner Café", "Bar", 1), ("Corner Café", "Counter", 1)]

    counter, bar = operator.boot_file(), operator.boot_file("Corner Café - Bar")
    assert counter.settings["service"] == SERVICE
    assert counter.wifi is not None
    assert (counter.wifi.name, counter.wifi.password) == ("Café 🍕", 'back\\slash "quoted"')
    assert (bar.wifi, bar.address) == (None, None)

    assert await enrol(service, operator.token("Corner Café - Bar")) == "accepted"
    assert await screens(owner) == [("Bar", False)]
    assert operator.missing() == [("Corner Café", "Counter", 1)]
    assert await enrol(service, operator.token("Corner Café - Bar"), 2) == "used_up"


async def test_boards_of_a_list_wait_for_the_operator_if_asked(
    service: Service, owner: Caller, operator: Operator
) -> None:
    assert operator.create(f"{HEADER}Corner Café,Counter,All day,\n", "--confirm") == 0
    assert await enrol(service, operator.token()) == "accepted"
    assert await screens(owner) == [("Counter", True)]


def test_the_cards_are_for_their_owner_only(operator: Operator) -> None:
    assert operator.create(f"{HEADER}Corner Café,Counter,All day,\n") == 0
    modes = {stat.S_IMODE(one.stat().st_mode) for one in (operator.folder / "cards", operator.file().parent)}
    assert (modes, stat.S_IMODE(operator.file().stat().st_mode)) == ({0o700}, 0o600)
    assert "delete the folder" in operator.said


async def test_every_fault_is_told_with_its_line_and_nothing_is_made(
    service: Service, owner: Caller, operator: Operator
) -> None:
    place = {"timezone": "UTC", "currency": "EUR", "locale": "en"}
    twins = [(await owner.make("/v1/locations", {"name": "Pier", **place}))["id"] for _ in range(2)]
    lines = (
        "Corner Café,Counter,All day,",
        "Corner Café,COUNTER,All day,",
        "Cornr Café,Bar,Brunch,",
        "Corner Café,,All day,",
        'Corner Café,"Bar,All day,',
        "Corner Café,Bar,All day,Basement",
        "Pier,Bar,All day,",
        "Corner Café,Bar,right,All day,",
        f"Corner Café,{'x' * 201},All day,",
        f"{twins[0]},Bar,All day,",
        "",
        ",Door,,",
    )
    assert operator.create(HEADER + "\n".join(lines), "--until", "2026-01-01") == EXIT_USAGE

    found = re.findall(r"boards\.csv(?:, line (\d+))?: (.*)", operator.said)
    assert found == [
        ("", "the day 2026-01-01 is over; name a later one with --until"),
        ("3", "there is a board 'COUNTER' at 'Corner Café' in line 2 already"),
        ("4", "there is no location 'Cornr Café'; write its name as the service has it, or its id"),
        ("4", "there is no playlist 'Brunch'; write its name as the service has it, or its id"),
        ("5", "the name is empty"),
        ("6", "the quotation marks of this line do not match"),
        ("7", "there is no network 'Basement' in the file of --networks"),
        ("8", f"several locations are called 'Pier'; write the id: {', '.join(sorted(twins))}"),
        ("9", "5 columns, and the first line has 4; put a name with a , in quotes"),
        ("10", "the name: At most 200 characters are allowed here."),
        ("13", "the location is empty"),
        ("13", "the playlist is empty"),
    ]
    assert operator.left() == set()
    assert operator.missing() == []
    assert await enrol(service, "nothing") == "unknown"


def test_a_list_with_too_many_boards_is_refused(operator: Operator) -> None:
    assert operator.create(HEADER + "x,y,z,\n" * (MAX_CARDS + 1)) == EXIT_USAGE
    assert f"line {MAX_CARDS + 2}: a list has at most {MAX_CARDS} boards; divide it" in operator.said
    assert operator.create(HEADER) == EXIT_USAGE
    assert operator.said.endswith("boards.csv: there is no board in it\n")
    assert operator.left() == set()


def test_five_hundred_cards_are_made_at_once(operator: Operator) -> None:
    boards = "".join(f"Corner Café,Board {number},All day,\n" for number in range(MAX_CARDS))
    assert operator.create(HEADER + boards) == 0
    tokens = {path.read_text() for path in (operator.folder / "cards").rglob("menu-player.toml")}
    assert len(tokens) == MAX_CARDS
    assert operator.create(f"{HEADER}Corner Café,One more,All day,\n", to="more") == 0
    others = boards.replace("Board", "Other")
    assert operator.create(HEADER + others, to="others") == EXIT_FAILURE
    assert "at most 1000 that can still make screens" in operator.said
    assert operator.left() == {"cards", "more"}


async def test_a_second_run_makes_no_second_tokens_unless_it_is_asked_to(service: Service, operator: Operator) -> None:
    first = f"{HEADER}Corner Café,Counter,All day,\nCorner Café,Bar,All day,\n"
    assert operator.create(first) == 0
    assert await enrol(service, operator.token("Corner Café - Bar")) == "accepted"

    assert operator.create(first, to="again") == EXIT_USAGE
    assert "line 2: the board 'Counter' at 'Corner Café' has an unused token" in operator.said
    assert "line 3: the board 'Bar' at 'Corner Café' is a screen already" in operator.said
    assert operator.left() == {"cards"}

    assert operator.create(f"{first}Corner Café,Door,All day,\n", "--existing", "skip", to="new") == 0
    assert {one.name for one in (operator.folder / "new").iterdir()} == {"Corner Café - Door"}

    assert operator.create(first, "--existing", "replace", to="anew") == 0
    assert await enrol(service, operator.token(), 2) == "unknown"
    assert await enrol(service, operator.token(folder="anew"), 2) == "accepted"
    assert operator.missing() == [("Corner Café", "Bar", 1), ("Corner Café", "Door", 1)]


def test_a_folder_that_is_there_is_left_alone(operator: Operator) -> None:
    (operator.folder / "cards").mkdir()
    assert operator.create(f"{HEADER}Corner Café,Counter,All day,\n") == EXIT_USAGE
    assert "cards is there already; name a new folder" in operator.said
    assert operator.create(f"{HEADER}Corner Café,Counter,All day,\n", to="none/cards") == EXIT_USAGE
    assert operator.missing() == []


def test_cards_that_cannot_be_written_leave_no_token(operator: Operator, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "cards")

    monkeypatch.setattr("service.cli.cards._write", full)
    assert operator.create(f"{HEADER}Corner Café,Counter,All day,\n") == EXIT_FAILURE
    assert operator.said == "menu-service: cards: No space left on device\n"
    assert (operator.left(), operator.missing()) == (set(), [])


def test_names_that_no_folder_can_have_are_written_otherwise(operator: Operator) -> None:
    names = ("A/B", "A:B", "..", "x" * 200)
    assert operator.create(HEADER + "".join(f"Corner Café,{name},All day,\n" for name in names)) == 0
    made = sorted(path.name for path in (operator.folder / "cards").iterdir())
    assert made[:3] == ["Corner Café -", "Corner Café - A_B", "Corner Café - A_B (3)"]
    assert len(made[3].encode()) <= 120


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--until", "tomorrow"), "--until is a day such as 2027-01-31, not 'tomorrow'"),
        (
            ("--until", str((datetime.now(UTC) + timedelta(days=370)).date())),
            "is more than 365 days away; name an earlier one",
        ),
        (("--public-url", "http://menu.example.com"), "boards call by https://, and --public-url is http://menu"),
        (("--workspace", "nowhere"), "There is no workspace 'nowhere'. There are: 'default'."),
    ],
)
def test_wrong_flags_are_told(operator: Operator, flags: tuple[str, ...], says: str) -> None:
    assert operator.create(f"{HEADER}Corner Café,Counter,All day,\n", *flags) in (EXIT_USAGE, EXIT_FAILURE)
    assert says in operator.said
    assert operator.left() == set()


def test_a_file_of_networks_that_cannot_be_read_is_named(operator: Operator) -> None:
    assert (
        operator.create(f"{HEADER}Corner Café,Counter,All day,\n", networks='[Shop]\nwifi_name = "Shop') == EXIT_USAGE
    )
    assert "networks.toml: not TOML in UTF-8: Unterminated" in operator.said or "not TOML" in operator.said
