"""Lists of boards are read as spreadsheets write them; networks are taken if boards take them."""

from pathlib import Path

import pytest

from player.boot_file.document import MistakesError, Taken, read_boot_file
from service.cli.card_list import MAX_LIST_BYTES, read_list, read_networks
from service.services.devices.cards import CardFault, CardLine

HEADER = "location,name,playlist,network"


@pytest.mark.parametrize(
    "raw",
    [
        "\ufefflocation;name;playlist;network\r\nCafé;Counter;All day;Office\r\n;;;\r\n",
        "Name, Location ,PLAYLIST,network\nCounter, Café ,All day,Office",
        'location;name;playlist;network\n"Café";"Counter";"All day";"Office"\n',
        "location,name,playlist,network\rCafé,Counter,All day,Office\r",
    ],
    ids=["as Excel in Europe", "other order", "quoted", "as an old Mac"],
)
def test_lists_are_read_as_spreadsheets_write_them(raw: str) -> None:
    boards, faults = read_list(raw.encode(), {"Office"})
    assert not faults
    assert boards == [CardLine(2, "Café", "Counter", "All day", "Office")]


def test_a_list_needs_no_networks() -> None:
    boards, faults = read_list(b"location,name,playlist\na,b,c\n", ())
    assert (boards, faults) == ([CardLine(2, "a", "b", "c")], [])


@pytest.mark.parametrize(
    ("raw", "line", "says"),
    [
        (b"", 1, "the first line names the columns: location, name, playlist, network; location is missing"),
        (b"location,name,playlist\n", 0, "there is no board in it"),
        (b"location,name,playlist,netwrk\n", 1, "network; 'netwrk' is none"),
        (b"location,name,name,playlist\n", 1, "network; name is there twice"),
        (b'location,"name,playlist\na,b,c', 1, "the quotation marks of this line do not match"),
        (b"location,name,playlist\nx,caf\xe9,y\n", 2, "not saved as UTF-8; in Excel choose the file type"),
        ("location,name,playlist\n".encode("utf-16"), 1, "not saved as UTF-8"),
        (b"location,name,playlist\na,\x00,c\n", 2, "this line holds a control character"),
        (b" " * (MAX_LIST_BYTES + 1), 0, f"larger than {MAX_LIST_BYTES} bytes"),
    ],
    ids=["empty", "no board", "unknown column", "twice", "header", "Latin-1", "UTF-16", "NUL", "bytes"],
)
def test_a_file_that_is_no_list_is_told_so(raw: bytes, line: int, says: str) -> None:
    boards, faults = read_list(raw, ())
    assert not boards
    assert [fault for fault in faults if fault.line == line and says in fault.text], faults


def test_each_fault_of_a_list_has_its_line() -> None:
    raw = f'{HEADER}\na,"b,c,\n\na,b,c,d\na,b,c,d,e\na,"b"x,c,\n'.encode()
    boards, faults = read_list(raw, ())
    assert [board.line for board in boards] == [4]
    assert faults == [
        CardFault(2, "the quotation marks of this line do not match"),
        CardFault(4, "there is no network 'd' in the file of --networks"),
        CardFault(5, "5 columns, and the first line has 4; put a name with a , in quotes"),
        CardFault(6, "the quotation marks of this line do not match"),
    ]


BAD_NETWORKS = (
    'wifi_name = "Shop"',
    'wifi_name = "Shop"\nwifi_password = "short"\nwifi_country = "DE"',
    'wifi_name = "Shop"\nwifi_password = "long enough"\nwifi_country = "UK"',
    'wifi_name = "Shop"\nwifi_password = "bell\\u0007bell"\nwifi_country = "DE"',
    'wifi_name = ""\nwifi_password = "long enough"\nwifi_country = "DE"',
    f'wifi_name = "{"x" * 33}"\nwifi_password = "long enough"\nwifi_country = "DE"',
    "wifi_hidden = true",
    'address = "10.0.0.5/24"',
    'address = "10.0.0.5"\ngateway = "10.0.0.1"\ndns = ["9.9.9.9"]',
    'address = "10.0.0.5/24"\ngateway = "10.0.1.1"\ndns = ["9.9.9.9"]',
    'address = "10.0.0.255/24"\ngateway = "10.0.0.1"\ndns = ["9.9.9.9"]',
    'address = "10.0.0.5/24"\ngateway = "10.0.0.1"\ndns = []',
    'address = "10.0.0.5/24"\ngateway = "10.0.0.1"\ndns = ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"]',
    'wifi_nam = "Shop"',
)


@pytest.mark.parametrize("settings", BAD_NETWORKS)
def test_a_network_that_a_board_would_refuse_is_refused(settings: str, tmp_path: Path) -> None:
    with pytest.raises(MistakesError):
        read_boot_file(settings, folder=tmp_path, kept=Taken())
    with pytest.raises(ValueError, match=r"^\[Shop\]") as refused:
        read_networks(f"[Shop]\n{settings}\n".encode())
    assert "short" not in str(refused.value)


@pytest.mark.parametrize(
    "settings",
    [
        'wifi_name = "Shop"\nwifi_password = ""\nwifi_country = "GB"\nwifi_hidden = true',
        f'wifi_name = "{"x" * 32}"\nwifi_password = "{"0" * 64}"\nwifi_country = "DE"',
        'wifi_name = "Shop"\nwifi_password = "12345678"\nwifi_country = "DE"',
        'address = "10.0.0.5/24"\ngateway = "10.0.0.1"\ndns = ["9.9.9.9"]',
        "",
    ],
)
def test_a_network_that_is_taken_is_one_that_a_board_takes(settings: str, tmp_path: Path) -> None:
    lines = read_networks(f"[Shop]\n{settings}\n".encode())["Shop"]
    read_boot_file(lines, folder=tmp_path, kept=Taken())
    assert lines.count("\n") == (settings.count("\n") + 1 if settings else 0)
