"""Settings: where they come from, which wins, and what a person is told when they are wrong."""

from pathlib import Path

import pytest

from player.cli import build_parser
from player.domain.machine import WindowMode
from player.domain.pairing.pairing import Credentials
from player.domain.panel.panel import PowerRule
from player.settings import (
    MAX_CONFIG_BYTES,
    MAX_CONFIG_FILES,
    SETTINGS,
    Settings,
    SettingsError,
    read_settings,
)
from player.storage.credentials import paired_with
from player.storage.store import StateStore
from tests import settings_table
from tests.support.obstacles import OBSTACLES, obstruct


def settings(tmp_path: Path, config: str = "", /, environment: dict[str, str] | None = None, **flags: str) -> Settings:
    path = tmp_path / "config.toml"
    path.write_text(config)
    return read_settings({"config": str(path), **flags}, environment or {})


def faults(tmp_path: Path, config: str = "", /, environment: dict[str, str] | None = None, **flags: str) -> str:
    with pytest.raises(SettingsError) as caught:
        settings(tmp_path, config, environment=environment, **flags)
    return "\n".join(caught.value.faults)


def test_the_language_is_one_that_the_device_speaks(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'service = "{HTTPS}"\nlanguage = "de-AT"\n')
    flags = {"config": str(config)}
    assert read_settings(flags, {}).language == "de"
    assert read_settings(flags, {"MENU_PLAYER_LANGUAGE": "ar"}).language == "ar"
    with pytest.raises(SettingsError, match="'xx' is none of ar, de, en, es, fr"):
        read_settings(flags, {"MENU_PLAYER_LANGUAGE": "xx"})


def test_the_service_is_all_that_must_be_said(tmp_path: Path) -> None:
    assert settings(tmp_path, service="https://menu.example.com/") == Settings(service="https://menu.example.com")


@pytest.mark.parametrize("place", ["flag", "variable", "file"])
def test_the_address_of_the_desk_means_its_service(tmp_path: Path, place: str) -> None:
    address = "https://menu.example.com/desk/"
    match place:
        case "flag":
            found = settings(tmp_path, service=address)
        case "variable":
            found = settings(tmp_path, environment={"MENU_PLAYER_SERVICE": address})
        case _:
            found = settings(tmp_path, f'service = "{address}"\n')
    assert found.service == "https://menu.example.com"


def test_a_flag_beats_a_variable_and_a_variable_beats_the_file(tmp_path: Path) -> None:
    config = 'service = "https://file.example"\nstate = "/file"\nsize = "800x600"\n'
    found = settings(
        tmp_path,
        config,
        environment={"MENU_PLAYER_STATE": "/variable", "MENU_PLAYER_SIZE": "640x480"},
        size="1080x1920",
    )
    assert (found.service, found.state, found.size) == ("https://file.example", Path("/variable"), (1080, 1920))


def test_files_beside_the_configuration_override_it_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "config.d").mkdir()
    (tmp_path / "config.d/10-shop.toml").write_text("rotate = 90\noverscan = 1\n")
    (tmp_path / "config.d/20-wall.toml").write_text("rotate = 180\n")
    (tmp_path / "config.d/notes.txt").write_text("not for a player")
    for number in range(30, 30 + MAX_CONFIG_FILES):
        (tmp_path / f"config.d/{number}.toml").write_text(f"rotate = {270 if number == 49 else 180}\n")
    found = settings(tmp_path, f'service = "{HTTPS}"\nrotate = 0\noverscan = 5\n')
    assert (found.service, found.rotate, found.overscan) == (HTTPS, 180, 1.0), "those above the bound are not read"
    (tmp_path / "config.d/10-shop.toml").write_text("\noverscan = 40\n")
    assert "config.d/10-shop.toml, line 2: overscan: 40 is not" in faults(tmp_path, f'service = "{HTTPS}"\n')
    (tmp_path / "config.d/10-shop.toml").write_text("overscan =\n")
    assert "10-shop.toml, line 1: not TOML" in faults(tmp_path, f'service = "{HTTPS}"\n')


def test_every_setting_may_stand_in_the_file(tmp_path: Path) -> None:
    config = """
        service = "http://192.0.2.7:8080"
        state = "/data"
        mode = "windowed"
        size = "1280x720"
        snapshot = "/tmp/glass.png"
        rotate = 270
        overscan = 2.5
        display_mode = "1920x1080@60"
        display_power = "always"
        diagnostics_port = 9000
        announce = false
        allow_plain_http = true
        proxy = "http://shop:secret@proxy.example:3128/"
        download_limit = 2000
        download_spread = 600
        clock_offset_file = "/tmp/offset"
    """
    assert settings(tmp_path, config) == Settings(
        service="http://192.0.2.7:8080",
        state=Path("/data"),
        mode=WindowMode.WINDOWED,
        size=(1280, 720),
        snapshot=Path("/tmp/glass.png"),
        rotate=270,
        overscan=2.5,
        display_mode="1920x1080@60",
        display_power=PowerRule.ALWAYS,
        diagnostics_port=9000,
        announce=False,
        allow_plain_http=True,
        proxy="http://shop:secret@proxy.example:3128",
        clock_offset_file=Path("/tmp/offset"),
    )


@pytest.mark.goes_beyond("MAX_PORT")
def test_all_faults_are_named_at_once_each_with_its_place(tmp_path: Path) -> None:
    said = faults(
        tmp_path,
        'servcie = "https://a.example"\nsize = "huge"\n',
        environment={"MENU_PLAYER_DIAGNOSTICS_PORT": "70000", "MENU_PLAYER_COLOUR": "red"},
        mode="sideways",
    )
    for expected in (
        "servcie: unknown setting; did you mean service?",
        "size: 'huge' is not a size like 1920x1080",
        "MENU_PLAYER_DIAGNOSTICS_PORT: 70000 is not a port",
        "MENU_PLAYER_COLOUR: unknown setting",
        "--sideways: 'sideways' is none of fullscreen, windowed, offscreen",
        "The address of the menu service is not set. Give --service URL",
    ):
        assert expected in said


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("menu.example.com", "is not a web address"),
        ("ftp://menu.example.com", "is not a web address"),
        ("https://menu.example.com:notaport", "Port"),
        ("https://user:secret@menu.example.com", "must not hold a user or a password"),
        ("https://menu.example.com/?a=1", "leave out what follows"),
        ("http://menu.example.com", "is not encrypted"),
        ("http://192.168.1.5:8080", "is not encrypted"),
        ("", "expected text"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_with_its_reason(tmp_path: Path, address: str, reason: str) -> None:
    said = faults(tmp_path, service=address)
    assert reason in said
    assert "secret" not in said


@pytest.mark.parametrize("address", ["http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080"])
def test_plain_http_to_this_machine_needs_no_leave(tmp_path: Path, address: str) -> None:
    assert settings(tmp_path, service=address).service == address


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ("service = ", "not TOML"),
        ("# " + "x" * MAX_CONFIG_BYTES, "larger than"),
        ("diagnostics_port = true", "True is not a port"),
        ('allow_plain_http = "perhaps"', "neither true nor false"),
        ("service = 7", "expected text, got 7"),
        ("rotate = 45", "45 is none of 0, 90, 180, 270"),
        ("rotate = false", "False is none of"),
        ('display_mode = "1080p"', "'1080p' is not a mode like 1920x1080 or 1920x1080@60"),
        ('display_power = "off"', "'off' is none of hours, always"),
        ("overscan = 10.5", "10.5 is not a percentage from 0 to 10"),
        ("overscan = -1", "-1 is not a percentage"),
        ('overscan = "nan"', "'nan' is not a percentage"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_reason(tmp_path: Path, config: str, reason: str) -> None:
    assert reason in faults(tmp_path, config)


@pytest.mark.proves("configuration-file-paired")
@pytest.mark.parametrize(
    ("config", "fault"),
    [
        ("service = ", "not TOML"),
        ("rotate = 45", "45 is none of 0, 90, 180, 270"),
        ('servcie = "https://a.example"', "unknown setting"),
        ('service = "menu"', "is not a web address"),
        ("", "The address of the menu service is not set"),
    ],
)
def test_a_file_that_goes_bad_ends_no_device_that_is_paired(tmp_path: Path, config: str, fault: str) -> None:
    (tmp_path / "config.toml").write_text(config)
    for known in ("https://menu.example.com", "http://192.168.1.5:8080"):
        paired = {tmp_path / "state": known}
        flags = {"config": str(tmp_path / "config.toml"), "size": "800x600", "state": str(tmp_path / "state")}
        found = read_settings(flags, {}, paired_with=paired.get)
        assert (found.service, found.size, found.rotate) == (known, (800, 600), None)
        assert found.allow_plain_http is (known.startswith("http:"))
        assert any(fault in each for each in found.faults)


def test_a_flag_that_is_wrong_ends_a_paired_device_too(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not a port"):
        read_settings({"diagnostics_port": "70000"}, {}, paired_with=lambda _: "https://menu.example.com")


def test_a_paired_device_is_not_asked_for_the_service_beside_what_is_wrong() -> None:
    with pytest.raises(SettingsError) as caught:
        read_settings({"diagnostics_port": "70000"}, {}, paired_with=lambda _: "https://menu.example.com")
    assert len(caught.value.faults) == 1
    assert not caught.value.lacks_service


def test_a_named_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no such file"):
        read_settings({"config": str(tmp_path / "none.toml"), "service": "https://a.example"}, {})


@pytest.mark.parametrize("obstacle", [name for name in OBSTACLES if name != "a dangling link"])
def test_what_stands_in_the_files_place_is_refused_at_once(tmp_path: Path, obstacle: str) -> None:
    obstruct(tmp_path / "config.toml", obstacle)
    with pytest.raises(SettingsError, match="cannot be read"):
        read_settings({"config": str(tmp_path / "config.toml"), "service": "https://a.example"}, {})


def test_the_file_of_a_token_tells_the_service_and_is_left_as_it_is(tmp_path: Path) -> None:
    with StateStore.open(tmp_path / "state", memory=[]) as store:
        assert paired_with(tmp_path / "state") is None
        store.credentials.keep_credentials(Credentials(service="https://a.example", token="t", screen_id="scr_1"))
    (tmp_path / "state" / "credentials").write_bytes(b"torn")
    assert paired_with(tmp_path / "state") == "https://a.example"
    assert (tmp_path / "state" / "credentials").read_bytes() == b"torn"
    obstruct(tmp_path / "state" / "credentials-copy", "a pipe")
    assert paired_with(tmp_path / "state") is None


HTTPS, HTTP = "https://menu.example.com", "http://127.0.0.1:8080"


@pytest.mark.parametrize(
    ("environment", "service", "proxy"),
    [
        ({}, HTTPS, None),
        ({"HTTPS_PROXY": "http://proxy:3128"}, HTTPS, "http://proxy:3128"),
        ({"https_proxy": "proxy:3128", "HTTPS_PROXY": "http://other:1"}, HTTPS, "http://proxy:3128"),
        ({"HTTP_PROXY": "http://proxy:3128"}, HTTPS, None),
        ({"ALL_PROXY": "http://proxy:3128"}, HTTPS, "http://proxy:3128"),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "other.com, .example.com"}, HTTPS, None),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "menu.example.com:443"}, HTTPS, "http://proxy:3128"),
        ({"HTTPS_PROXY": "http://proxy:3128", "no_proxy": "*"}, HTTPS, None),
        ({"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "ample.com"}, HTTPS, "http://proxy:3128"),
        ({"HTTP_PROXY": "http://proxy:3128"}, HTTP, None),
        ({"HTTPS_PROXY": "", "https_proxy": ""}, HTTPS, None),
        ({"HTTPS_PROXY": "http://proxy:3128", "MENU_PLAYER_PROXY": "http://mine:8080"}, HTTPS, "http://mine:8080"),
        ({"HTTPS_PROXY": "http://proxy:3128", "MENU_PLAYER_PROXY": "none"}, HTTPS, None),
    ],
)
def test_the_proxy_is_the_setting_s_or_the_environment_s(
    tmp_path: Path, environment: dict[str, str], service: str, proxy: str | None
) -> None:
    assert settings(tmp_path, environment=environment, service=service).proxy == proxy


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("socks5://proxy:1080", "this is not the address of a proxy"),
        ("http://shop:secret@proxy", "write http://host:port"),
        ("http://shop:secret@proxy:notaport", "not the address of a proxy"),
        ("http://proxy:3128/path?secret", "not the address of a proxy"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_named_without_its_password(tmp_path: Path, wrong: str, reason: str) -> None:
    for where, environment in (("--proxy", {}), ("HTTPS_PROXY", {"HTTPS_PROXY": wrong})):
        flags = {"proxy": wrong} if where == "--proxy" else {}
        said = faults(tmp_path, environment=environment, service=HTTPS, **flags)
        assert said.startswith(f"{where}: ")
        assert reason in said
        assert "secret" not in said


def test_the_proxy_s_password_is_in_no_log(tmp_path: Path) -> None:
    found = settings(tmp_path, service=HTTPS, proxy="http://shop:secret@proxy:3128")
    assert "secret" not in repr(found)


def test_a_file_without_certificates_is_named_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing")
    assert "has no certificates in PEM form" in faults(tmp_path, service=HTTPS, ca_file=str(tmp_path / "empty.pem"))
    assert "No such file" in faults(tmp_path, service=HTTPS, ca_file=str(tmp_path / "none.pem"))
    (tmp_path / "folder").mkdir()
    assert "ca_file" in faults(tmp_path, f'ca_file = "{tmp_path}/folder"', service=HTTPS)
    certificate = Path(__file__).parents[1] / "support" / "certificates" / "loopback.pem"
    assert settings(tmp_path, service=HTTPS, ca_file=str(certificate)).ca_file == certificate


@pytest.mark.parametrize(("written", "page"), [("network", "network"), ("Device", "device"), ("off", "off")])
def test_from_where_the_page_can_be_opened(written: str, page: str) -> None:
    assert read_settings({"service": HTTPS, "page": written}, {}).page == page


def test_a_pin_of_the_operator_is_no_guess_and_in_no_message(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'service = "{HTTPS}"\npage_pin = "271828"\n')
    found = read_settings({"config": str(config)}, {})
    assert found.page_pin == "271828"
    assert "271828" not in str(found)
    for bad in ("12345", "111111", "121212", "letter", "1234567890123"):
        with pytest.raises(SettingsError) as refused:
            read_settings({"service": HTTPS}, {"MENU_PLAYER_PAGE_PIN": bad})
        assert bad not in str(refused.value)
    with pytest.raises(SettingsError, match="network, device, off"):
        read_settings({"service": HTTPS, "page": "everybody"}, {})


def test_the_table_has_every_setting_and_docs_install_has_the_table() -> None:
    assert {*SETTINGS} == {*Settings.__struct_fields__} - {"faults", "boot_file"}
    assert settings_table.parts()[1] == settings_table.table(), "run python -m tests.settings_table"


def test_every_example_is_read(tmp_path: Path) -> None:
    config = "".join(f"{name} = {each.example}\n" for name, each in SETTINGS.items() if each.example)
    assert settings(tmp_path, config).overscan == 2.5
    shipped = (Path(__file__).parents[2] / "packaging/debian/config.toml").read_text()
    whole = "".join(
        line.removeprefix("# ") if " = " in line and "ca_file" not in line else line
        for line in shipped.splitlines(keepends=True)
    )
    found = settings(tmp_path, whole)
    assert (found.service, found.rotate, found.page) == ("https://menu.example.com", 90, "device")


def test_settings_of_former_players_are_passed_over(tmp_path: Path) -> None:
    flags = vars(build_parser().parse_args(["run", "--service", HTTPS, "--download-limit", "2000"]))
    environment = {"MENU_PLAYER_DOWNLOAD_SPREAD": "600"}
    assert read_settings(flags, environment).service == HTTPS
    assert settings(tmp_path, "download_spread = 600\n", service=HTTPS).service == HTTPS


def test_a_flag_says_yes_or_no(tmp_path: Path) -> None:
    parser = build_parser()
    for given, announces in (("--announce", True), ("--no-announce", False)):
        flags = vars(parser.parse_args(["run", "--service", HTTPS, given]))
        assert read_settings(flags, {"MENU_PLAYER_ANNOUNCE": str(not announces)}).announce is announces
