"""Settings: flags override variables, all faults are reported at once, with suggestions for misspelt names."""

from pathlib import Path

import pytest

from service.core.identity_provider import IdentityProvider
from service.core.mail_server import MailServer
from service.settings import Settings, SettingsFaults, reachable_url, read_settings, unknown_flags


def test_defaults() -> None:
    assert read_settings({"data": "/srv/menu"}, {}) == Settings(
        data=Path("/srv/menu"), host="127.0.0.1", port=8080, public_url=None, clock_offset_file=None
    )


def test_a_flag_overrides_its_variable_and_an_empty_variable_is_unset() -> None:
    environment = {
        "MENU_SERVICE_DATA": "/srv/menu",
        "MENU_SERVICE_PORT": "9000",
        "MENU_SERVICE_HOST": "0.0.0.0",
        "MENU_SERVICE_PUBLIC_URL": "https://menu.example.com/",
        "MENU_SERVICE_CLOCK_OFFSET_FILE": "",
        "PATH": "/usr/bin",
    }

    assert read_settings({"port": "9001", "data": None}, environment) == Settings(
        data=Path("/srv/menu"), host="0.0.0.0", port=9001, public_url="https://menu.example.com"
    )


def test_all_faults_are_reported_at_once() -> None:
    settings = read_settings(
        {"port": "http", "public_url": "menu.example.com", "host": ""},
        {"MENU_SERVICE_PROT": "1", "MENU_SERVICE_ZZZ": "1"},
    )

    assert isinstance(settings, SettingsFaults)
    assert settings.faults == (
        "MENU_SERVICE_PROT is not a setting; did you mean MENU_SERVICE_PORT?",
        "MENU_SERVICE_ZZZ is not a setting",
        "--data or MENU_SERVICE_DATA is needed: the folder in which everything is kept",
        "the port is a number from 0 to 65535, not 'http'",
        "the public URL is such as https://menu.example.com, not 'menu.example.com'",
        "the host is empty; 127.0.0.1 is this machine only, 0.0.0.0 is every network",
    )


@pytest.mark.parametrize("port", ["-1", "65536", "٨٠", "8080.0", " 8080", ""])
def test_a_bad_port_is_refused(port: str) -> None:
    assert isinstance(read_settings({"data": "d", "port": port}, {}), SettingsFaults)


@pytest.mark.parametrize("url", ["ftp://x", "https://", "https://x/?a=1", "https://x/#a", "http://[", "x"])
def test_a_bad_public_url_is_refused(url: str) -> None:
    assert isinstance(read_settings({"data": "d", "public_url": url}, {}), SettingsFaults)


def test_a_public_url_with_a_path_is_refused_with_what_to_do() -> None:
    """Links of the desk and addresses of players would leave the path out."""
    refused = read_settings({"data": "d", "public_url": "https://example.com/menu/"}, {})
    assert isinstance(refused, SettingsFaults)
    assert "such as https://menu.example.com, and let the proxy pass all of it on" in str(refused.faults)
    assert not isinstance(read_settings({"data": "d", "public_url": "https://menu.example.com/"}, {}), SettingsFaults)


def test_the_password_of_the_database_is_not_shown() -> None:
    url = "postgresql+psycopg://menu:hunter2@db.example.com/menu"

    settings = read_settings({"data": "d"}, {"MENU_SERVICE_DATABASE": url})

    assert isinstance(settings, Settings)
    assert settings.database == url
    assert "hunter2" not in repr(settings)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://u:hunter2@h/d",
        "postgresql://u:hunter2@h/d",
        "postgresql+psycopg://u:hunter2@h",
        "postgresql+psycopg://u:hunter2@h:x/d",
    ],
)
def test_a_bad_database_url_is_refused(url: str) -> None:
    settings = read_settings({"data": "d", "database": url}, {})

    assert isinstance(settings, SettingsFaults)
    assert settings.faults == ("the database is such as postgresql+psycopg://menu@127.0.0.1/menu",)


def test_unknown_words_on_the_command_line_are_reported() -> None:
    assert unknown_flags([]) == []
    assert unknown_flags(["--prot", "80", "--public-ulr=x"]) == [
        "--prot is not a flag; did you mean --port?",
        "--public-ulr is not a flag; did you mean --public-url?",
    ]
    assert unknown_flags(["surplus"]) == ["'surplus' belongs to no flag"]


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8080"),
        ("menu.local", "http://menu.local:8080"),
        ("::1", "http://[::1]:8080"),
    ],
)
def test_the_reachable_address(host: str, url: str) -> None:
    assert reachable_url(host, 8080) == url


def test_a_wildcard_address_becomes_the_host_name() -> None:
    assert "0.0.0.0" not in reachable_url("0.0.0.0", 8080)
    assert "[::]" not in reachable_url("::", 8080)


def test_the_metrics_token_is_read_from_its_file_and_not_shown(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("token-of-enough-characters\n")

    settings = read_settings({"data": "d"}, {"MENU_SERVICE_METRICS_TOKEN_FILE": str(file)})

    assert isinstance(settings, Settings)
    assert settings.metrics_token == "token-of-enough-characters"
    assert "enough" not in repr(settings)


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "16 to 200"),
        (b"x" * 15, "16"),
        (b"x" * 201, "200"),
        (b"a b" * 9, "spaces"),
        (b"\xe9" * 20, "ASCII"),
        (None, "No such file"),
    ],
)
def test_a_bad_metrics_token_is_refused(tmp_path: Path, content: bytes | None, word: str) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)

    faults = read_settings({"data": "d", "metrics_token_file": str(file)}, {})

    assert isinstance(faults, SettingsFaults)
    [fault] = faults.faults
    assert (word in fault, str(file) in fault) == (True, True)


def test_a_mail_server_is_read_from_its_url(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("hunter2\n")
    sender = {"data": "d", "mail_from": "Menu boards <boards@example.com>"}
    given = sender | {"smtp": "smtps://kim%40example.com@mail.example.com", "smtp_password_file": str(file)}
    settings = read_settings(given, {})
    assert isinstance(settings, Settings)
    server = settings.mail_server
    assert server == MailServer(
        "mail.example.com", 465, sender["mail_from"], user="kim@example.com", password="hunter2", tls=True
    )
    assert "hunter2" not in repr(settings)
    settings = read_settings(sender | {"smtp": "smtp://localhost:2525"}, {})
    assert isinstance(settings, Settings)
    assert settings.mail_server == MailServer("localhost", 2525, sender["mail_from"])
    assert settings.mail_server.is_local


@pytest.mark.parametrize(
    "more",
    [
        {"smtp": "mail.example.com"},
        {"smtp": "https://mail.example.com"},
        {"smtp": "smtp://kim:hunter2@mail.example.com"},
        {"smtp": "smtp://mail.example.com:99999"},
        {"smtp": "smtp://mail.example.com", "mail_from": "boards"},
        {"smtp": "smtp://kim@mail.example.com"},
        {"smtp": "smtp://kim@mail.example.com", "smtp_password_file": "/none"},
        {"mail_from": "boards@example.com"},
    ],
)
def test_a_bad_mail_server_is_refused_without_repeating_a_password(more: dict[str, str]) -> None:
    settings = read_settings({"data": "d", "mail_from": "boards@example.com"} | more, {})
    assert isinstance(settings, SettingsFaults)
    assert "hunter2" not in str(settings)


def test_an_identity_provider_is_read_with_its_secret_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("hunter2\n")
    given = {"data": "d", "oidc_issuer": "https://login.example.com/chain/", "oidc_client_id": "boards"}
    given |= {"oidc_client_secret_file": str(file)}
    settings = read_settings(given, {})
    assert isinstance(settings, Settings)
    # The issuer is compared with what tokens say, so it stays as it was written.
    provider = IdentityProvider("https://login.example.com/chain/", "boards", "hunter2", "login.example.com")
    assert settings.identity_provider == provider
    assert "hunter2" not in repr(settings)
    named = read_settings(given, {"MENU_SERVICE_OIDC_NAME": "Example"})
    assert isinstance(named, Settings)
    assert named.identity_provider is not None
    assert named.identity_provider.name == "Example"


@pytest.mark.parametrize(
    "given",
    [
        {"oidc_issuer": "login.example.com"},
        {"oidc_issuer": "http://login.example.com"},
        {"oidc_issuer": "https://kim:hunter2@login.example.com"},
        {"oidc_issuer": "https://login.example.com/?x"},
        {"oidc_issuer": "https://login.example.com", "oidc_client_secret_file": "/none"},
        {"oidc_issuer": "https://login.example.com", "oidc_client_id": "boards"},
        {"oidc_issuer": "https://login.example.com", "oidc_client_id": "boards", "oidc_client_secret_file": "/none"},
        {"oidc_client_id": "boards"},
        {"oidc_name": "Example"},
    ],
)
def test_half_an_identity_provider_and_one_without_tls_are_refused(given: dict[str, str]) -> None:
    assert isinstance(read_settings({"data": "d"} | given, {}), SettingsFaults)
