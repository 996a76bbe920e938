"""The boot file: what is accepted, and what a person is told of each mistake."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from player.boot_file.document import (
    MAX_BOOT_FILE_BYTES,
    MAX_CERTIFICATES_BYTES,
    TAKEN_OVER,
    Address,
    BootFile,
    MistakesError,
    Taken,
    Wifi,
    read_boot_file,
    text_of,
    without_secrets,
)
from player.domain.pairing.boot_file import MAX_NOTED
from tests.support.authority import Authority

EXAMPLE = Path(__file__).parents[3] / "packaging/debian/menu-player.toml"

WHOLE = """\
# Menu board of the shop in Queen Street
service = "https://menus.example.com"
enrolment_token = "ment_4F7K9QX2TB6MWJ3C"
wifi_name = "Café 🍕"
wifi_password = "correct horse"   # ask Ana
wifi_country = "gb"
wifi_hidden = true
address = "192.168.1.20/24"
gateway = "192.168.1.1"
dns = ["192.168.1.1", "9.9.9.9"]
proxy = "http://shop:hunter22@10.0.0.1:3128"
rotate = 90
time_zone = "Europe/London"
page = "network"
page_pin = "271828"
"""

SECRETS = ("correct horse", "hunter22", "271828", "ment_4F7K9QX2TB6MWJ3C")


def read(text: str, folder: Path = Path("/nonexistent"), kept: Taken | None = None) -> BootFile:
    return read_boot_file(text, folder=folder, kept=kept or Taken())


def mistakes(text: str, folder: Path = Path("/nonexistent"), kept: Taken | None = None) -> tuple[str, ...]:
    with pytest.raises(MistakesError) as caught:
        read(text, folder, kept)
    return tuple(str(fault) for fault in caught.value.faults)


def test_everything_that_a_board_needs_may_stand_in_the_file() -> None:
    found = read(WHOLE)
    assert found.wifi == Wifi(name="Café 🍕", password="correct horse", country="GB", hidden=True)
    assert found.address == Address(
        address="192.168.1.20/24", gateway="192.168.1.1", name_servers=("192.168.1.1", "9.9.9.9")
    )
    assert found.time_zone == "Europe/London"
    assert found.settings == {
        "service": "https://menus.example.com",
        "enrolment_token": "ment_4F7K9QX2TB6MWJ3C",
        "proxy": "http://shop:hunter22@10.0.0.1:3128",
        "rotate": 90,
        "page": "network",
        "page_pin": "271828",
    }
    assert not any(secret in repr(found) for secret in SECRETS)


def test_the_file_that_we_ship_is_right_as_it_is_and_with_all_its_settings() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    assert read(text).settings == {"service": "https://menus.example.com"}
    whole = "".join(
        line.removeprefix("# ") if line.startswith("# ") and " = " in line else line
        for line in text.splitlines(keepends=True)
        if not line.startswith("# ca_file")
    )
    found = read(whole)
    assert found.wifi is not None
    assert found.address is not None
    assert found.time_zone is not None


@pytest.mark.parametrize("line", ["\n", "\r\n"])
@pytest.mark.parametrize("begin", [b"", b"\xef\xbb\xbf"])
def test_the_editor_of_windows_may_write_it(begin: bytes, line: str) -> None:
    raw = begin + WHOLE.replace("\n", line).encode()
    assert read(text_of(raw)) == read(WHOLE)


@pytest.mark.parametrize("quotes", ["“”", "„“", "‘’", "«»", "””"])
def test_curly_quotation_marks_are_named(tmp_path: Path, quotes: str) -> None:
    first, last = quotes
    with pytest.raises(MistakesError) as caught:
        read_boot_file(f"service = {first}https://menu.example.com{last}\n", folder=tmp_path, kept=Taken())
    [fault] = caught.value.faults
    assert str(fault).startswith(
        "menu-player.toml, line 1: service: the quotation marks are curly. Write straight ones"
    )


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (WHOLE.replace("🍕", "").encode("latin-1"), "menu-player.toml, line 4: not saved as UTF-8"),
        (WHOLE.encode("utf-16"), "menu-player.toml: not saved as UTF-8. Open the file in an editor, and save it with"),
        ('service = "https://a.example"\n'.encode("utf-16-le"), "menu-player.toml, line 1: not saved as UTF-8"),
        (b"#" * (MAX_BOOT_FILE_BYTES + 1), "menu-player.toml: larger than 65536 bytes"),
        (b"\x00\xff" * 100, "menu-player.toml, line 1: not saved as UTF-8"),
        (
            rb"{\rtf1\ansi service = " + b"x" * 99,
            "menu-player.toml: a document of a word processor, no plain text. Save",
        ),
        (
            b"PK\x03\x04" + bytes(99),
            "menu-player.toml: a document of a word processor, no plain text. Save it as plain",
        ),
    ],
)
def test_what_is_no_text_is_refused_with_what_to_do(raw: bytes, said: str) -> None:
    with pytest.raises(MistakesError) as caught:
        text_of(raw)
    assert [str(fault).startswith(said) for fault in caught.value.faults] == [True]


@pytest.mark.proves("boot-file-mistake")
@pytest.mark.goes_beyond("MAX_WIFI_NAME_BYTES")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('servcie = "https://a.example"', "line 1: servcie: unknown setting; did you mean service?"),
        ('\nSSID = "Shop"', "line 2: SSID: unknown setting; did you mean wifi_name?"),
        ('timezone = "UTC"', "line 1: timezone: unknown setting; did you mean time_zone?"),
        ("colour = 3", "line 1: colour: unknown setting"),
        ('state = "/tmp"', "line 1: state: unknown setting"),
        ('[wifi]\nname = "Shop"', "line 1: wifi: this file has no sections"),
        ("rotate = 45", "line 1: rotate: 45 is none of 0, 90, 180, 270"),
        ('rotate = "left"', "line 1: rotate: 'left' is none of 0, 90, 180, 270"),
        ("service = 3", "line 1: service: expected text, got 3"),
        ('service = "http://menus.example.com"', "line 1: service: 'http://menus.example.com' is not encrypted"),
        ('service = "http://menus.example.com"', 'Write:  service = "https://menus.example.com"'),
        ('service = "menus.example.com"', 'Write:  service = "https://menus.example.com"'),
        ('page = "everybody"', "line 1: page: 'everybody' is none of network, device, off"),
        ('enrolment_token = "short"', "line 1: enrolment_token: not an enrolment token: copy all of it"),
        ("page_pin = 111111", "line 1: page_pin: not a PIN"),
        ('proxy = "10.0.0.1"', "line 1: proxy: this is not the address of a proxy"),
        ('time_zone = "Berlin"', "there is no time zone 'Berlin'; did you mean Europe/Berlin?"),
        ('time_zone = "Europe"', "line 1: time_zone: there is no time zone 'Europe'"),
        ('time_zone = "../../etc/passwd"', "line 1: time_zone: there is no time zone"),
        ('ca_file = "ca.pem"', "line 1: ca_file: "),
        ('ca_file = "../shadow"', "line 1: ca_file: there is no file ../shadow beside menu-player.toml"),
        ('address = "192.168.1.20"', "write the length of the network after 192.168.1.20, usually /24"),
        ('address = "192.168.1.255/24"', "'192.168.1.255/24' cannot be the address of a device"),
        ('address = "192.168.1.300/24"', "is not an address like 192.168.1.20/24"),
        ('address = "192.168.1.20/24"', 'address: gateway is missing. Write:  gateway = "192.168.1.1"'),
        ('dns = "one, two"', "line 1: dns: 'one' is not an address like 192.168.1.1"),
        (
            'address = "192.168.1.20/24"\ngateway = "192.168.2.1"\ndns = "9.9.9.9"',
            "line 2: gateway: 192.168.2.1 is not in the network of 192.168.1.20/24",
        ),
        ('wifi_password = "long enough"', 'line 1: wifi_password: wifi_name is missing. Write:  wifi_name = "…"'),
        ('wifi_name = "Shop"', 'line 1: wifi_name: wifi_password is missing. Write:  wifi_password = "…"'),
        ('wifi_name = "Shop"\nwifi_password = ""', 'wifi_country is missing. Write:  wifi_country = "DE"'),
        ('wifi_name = "Shop"\nwifi_password = 12345678\nwifi_country = "DE"', "line 2: wifi_password: not a text in"),
        ('wifi_name = "Shop"\nwifi_password = "short"\nwifi_country = "DE"', "line 2: wifi_password: the password of"),
        ('wifi_name = "Shop"\nwifi_password = ""\nwifi_country = "UK"', "line 3: wifi_country: 'UK' is not the code"),
        ('wifi_name = "Shop"\nwifi_password = ""\nwifi_country = "DE"\nwifi_hidden = 1', "1 is neither true nor false"),
        (f'wifi_name = "{"ü" * 17}"\nwifi_password = ""\nwifi_country = "DE"', "the name of a Wi-Fi has 1 to 32"),
        ('wifi_name = "C:\\back"', "line 1: wifi_name: a backslash means"),
        ("service = https://menus.example.com", 'cannot be understood. Write:  service = "https://menus.example.com"'),
        ("service: https://menus.example.com;", 'cannot be understood. Write:  service = "https://menus.example.com"'),
        ("service = “https://menus.example.com”", 'plain text editor. Write:  service = "https://menus.example.com"'),
        ("wifi_password = hunter2222", 'line 1: wifi_password: this line cannot be understood. Write:  wifi_passw'),
        ("rotate 90\n", "line 1: rotate: this line cannot be understood"),
        ('page_pin = """\n271828"""\n', "line 1: page_pin: this line cannot be understood"),
        ("rotate = 90\nrotate = 0", "line 2: rotate: this setting is written twice"),
        (f'wifi_password = "{TAKEN_OVER}"\nwifi_name = "A"\nwifi_country = "DE"', "this board does not have it"),
    ],
)  # fmt: skip
def test_each_mistake_is_told_with_its_line_and_what_to_write(text: str, said: str) -> None:
    told = "\n".join(mistakes(text))
    assert said in told
    assert told.startswith("menu-player.toml")
    assert "hunter" not in told
    assert not re.search(r"[?.;:]\. ", told), "one mark at the end of a sentence"


@pytest.mark.parametrize(
    "password",
    ['with "inner" quotes', r"back\qslash", "Ana's word", """both ' and " in it""", r"""all \ ' " of it"""],
)
@pytest.mark.parametrize("quote", ['"', "'"])
def test_the_advice_for_a_password_with_quotation_marks_is_a_line_that_is_accepted(password: str, quote: str) -> None:
    wifi = 'wifi_name = "Shop"\nwifi_country = "DE"\n'
    line = f"wifi_password = {quote}{password}{quote}"
    try:
        tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        (told,) = mistakes(wifi + line)
        line = told.partition("Write:  ")[2].replace("…", password)
        assert "cannot be understood" in told
        assert password not in told
    found = read(wifi + line).wifi
    assert found is not None
    assert found.password == password


def test_settings_of_former_players_are_no_mistake() -> None:
    assert read('service = "https://menus.example.com"\ndownload_limit = 2000\n').settings == {
        "service": "https://menus.example.com"
    }


def test_all_mistakes_are_told_at_once_in_the_order_of_their_lines() -> None:
    text = 'overscan = 40\nservise = "https://a.example"\nrotate = 45\ntime_zone = "Mars"\n'
    assert [told.split(":")[0] for told in mistakes(text)] == [f"menu-player.toml, line {line}" for line in range(1, 5)]
    text = 'rotate = 45\nservise = https://a.example\nwifi_name = Shop\nwifi_password = "fine enough"\nanother'
    told = mistakes(text)
    assert [each.split(":")[0] for each in told] == [f"menu-player.toml, line {line}" for line in (1, 2, 3, 5)]
    assert 'Write:  service = "https://menus.example.com"' in told[1]


def test_a_file_of_nothing_but_mistakes_is_told_in_part() -> None:
    assert len(mistakes("nonsense\n" * 5_000)) == MAX_NOTED


def test_certificates_lie_beside_the_file(tmp_path: Path) -> None:
    Authority(tmp_path)
    assert read('ca_file = "authority.pem"', tmp_path).certificates == tmp_path / "authority.pem"
    (tmp_path / "large.pem").write_bytes(b"#" * (MAX_CERTIFICATES_BYTES + 1))
    assert "large.pem: larger than 1048576 bytes" in "\n".join(mistakes('ca_file = "large.pem"', tmp_path))
    (tmp_path / "authority.pem").write_bytes(b"-----BEGIN")
    assert "has no certificates in PEM form" in "\n".join(mistakes('ca_file = "authority.pem"', tmp_path))
    assert "there is no file gone.pem" in "\n".join(mistakes('ca_file = "gone.pem"', tmp_path))


def test_secrets_are_replaced_and_the_rest_stays_as_it_was_written() -> None:
    text = WHOLE.replace("\n", "\r\n") + '# the old one:  wifi_password = "correct horse"\r\n'
    wiped = without_secrets(text)
    assert not any(secret in wiped for secret in SECRETS)
    before, after = text.splitlines(keepends=True), wiped.splitlines(keepends=True)
    changed = [number for number, (one, other) in enumerate(zip(before, after, strict=True), 1) if one != other]
    assert changed == [3, 5, 11, 15, 16]
    assert tomllib.loads(wiped)["wifi_password"] == TAKEN_OVER
    assert without_secrets(wiped) == wiped


@pytest.mark.parametrize(
    "text",
    ['"wifi_password" = "correct horse"\n', "wifi_password='correct horse'"],
)
def test_secrets_are_replaced_however_they_are_written(text: str) -> None:
    text = f'wifi_name = "Shop" # of the shop\n{text}'
    wiped = without_secrets(text)
    assert "correct" not in wiped
    assert tomllib.loads(wiped) == {"wifi_name": "Shop", "wifi_password": TAKEN_OVER}


def test_what_was_taken_over_holds_until_something_new_is_written() -> None:
    secrets = {"wifi_password": "correct horse", "page_pin": "271828"}
    kept = Taken(wifi_name="Café 🍕", secrets=secrets | {"proxy": "http://a:b@c:1", "enrolment_token": "e" * 20})
    found = read(without_secrets(WHOLE), kept=kept)
    assert found.wifi is not None
    assert (found.wifi.password, found.settings["page_pin"]) == ("correct horse", "271828")
    other = without_secrets(WHOLE).replace("Café", "Bar")
    assert "this board does not have it; write it here again" in "\n".join(mistakes(other, kept=kept))


def test_a_proxy_without_a_password_is_no_secret() -> None:
    text = 'proxy = "http://10.0.0.1:3128"\n'
    assert without_secrets(text) == text


def test_a_boot_file_of_0_5_0_is_read_as_before() -> None:
    """The file that 0.5.0 shipped, with every setting in use but `ca_file`."""
    text = (Path(__file__).parents[2] / "data/menu-player-0.5.0.toml").read_text(encoding="utf-8")
    found = read(text)
    proxy, token = "http://user:password@10.0.0.1:3128", "ment_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"

    assert dict(found.settings) == {
        "service": "https://menus.example.com",
        "enrolment_token": token,
        "language": "de",
        "proxy": proxy,
        "rotate": 90,
        "page": "network",
        "page_pin": "271828",
    }
    assert found.wifi == Wifi(name="Shop", password="the password", country="DE", hidden=True)
    assert found.address == Address(
        address="192.168.1.20/24", gateway="192.168.1.1", name_servers=("192.168.1.1", "9.9.9.9")
    )
    assert found.time_zone == "Europe/Berlin"
    assert found.secrets == {
        "wifi_password": "the password",
        "proxy": proxy,
        "page_pin": "271828",
        "enrolment_token": token,
    }
