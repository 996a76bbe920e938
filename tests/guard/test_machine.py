"""The machine as the guard knows it."""

from __future__ import annotations

import os
import pwd
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from guard import machine
from guard.machine import Machine, settings_in
from guard.service import answers
from tests.support.authority import Authority

PUBLISHED = 1_700_000_000
"""When the files of a package were made, in seconds of Unix time."""


class Ready(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/readyz" else 404)
        self.send_header("Menu-Display", "1")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None: ...  # noqa: A002 -- the base class's name


@contextmanager
def served(server: HTTPServer) -> Iterator[int]:
    with server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            serving.join()


@pytest.fixture
def service() -> Iterator[str]:
    with served(HTTPServer(("127.0.0.1", 0), Ready)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    (tmp_path / "config.d").mkdir()
    return tmp_path


def test_the_service_is_asked_where_the_board_asks_it(settings: Path, service: str) -> None:
    (settings / "config.toml").write_text('service = "http://127.0.0.1:9"\nproxy = "http://127.0.0.1:9"\n')
    assert not Machine(settings=settings).reaches_service()
    # As the boot file has it.
    (settings / "config.d" / "boot.toml").write_text(f'service = "{service}"\nproxy = "none"\n')
    assert Machine(settings=settings).reaches_service()


def test_a_service_that_has_moved_does_not_answer(settings: Path, service: str) -> None:
    class Moved(Ready):
        def do_GET(self) -> None:
            self.send_response(308)
            self.send_header("Location", service + self.path)
            self.end_headers()

    with served(HTTPServer(("127.0.0.1", 0), Moved)) as port:
        (settings / "config.toml").write_text(f'service = "http://127.0.0.1:{port}"\n')
        assert not Machine(settings=settings).reaches_service()


def test_an_authority_whose_key_has_no_identifier_is_trusted(
    settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the board trusts it, also under Python 3.13, whose contexts are strict."""
    default = ssl.create_default_context

    def strict() -> ssl.SSLContext:
        context = default()
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        return context

    monkeypatch.setattr(ssl, "create_default_context", strict)
    authority, server = Authority(tmp_path), HTTPServer(("127.0.0.1", 0), Ready)
    server.socket = authority.server("127.0.0.1").wrap_socket(server.socket, server_side=True)
    with served(server) as port:
        config = f'service = "https://127.0.0.1:{port}"\nproxy = "none"\n'
        (settings / "config.toml").write_text(config)
        assert not Machine(settings=settings).reaches_service()
        (settings / "config.toml").write_text(f'{config}ca_file = "{authority.file}"\n')
        assert Machine(settings=settings).reaches_service()
        assert answers(f"https://127.0.0.1:{port}", "none", str(authority.file)), "by a context that is strict"


@pytest.mark.skipif(os.geteuid() != 0, reason="gives up root's rights")
def test_the_service_is_asked_without_the_rights_of_root(
    settings: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    askers = set[str]()

    class Asked(Ready):
        def do_GET(self) -> None:
            rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
            # Another program may use the same port with another address.
            ends = f":{self.client_address[1]:04X}", f":{self.server.server_address[1]:04X}"
            askers.update(row[7] for row in rows if row[1].endswith(ends[0]) and row[2].endswith(ends[1]))
            super().do_GET()

    # Where everybody can read it, and a Python that everybody can run.
    folder = Path(tempfile.mkdtemp())
    request.addfinalizer(lambda: shutil.rmtree(folder))
    folder.chmod(0o755)
    asking = Path(shutil.copy(machine.ASKING, folder))
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3")
    with served(HTTPServer(("127.0.0.1", 0), Asked)) as port:
        (settings / "config.toml").write_text(f'service = "http://127.0.0.1:{port}"\n')
        assert Machine(settings=settings, asking=asking, user="nobody").reaches_service()
    assert askers == {str(pwd.getpwnam("nobody").pw_uid)}


def test_a_board_without_settings_has_no_service(settings: Path) -> None:
    assert not Machine(settings=settings).reaches_service()


def test_settings_that_cannot_be_read_name_no_service(settings: Path, service: str) -> None:
    (settings / "config.toml").write_text(f'service = "{service}"\n')
    (settings / "config.d" / "boot.toml").write_bytes(b"\xff = 1")
    assert not Machine(settings=settings).reaches_service()


def test_later_files_override_earlier_ones(settings: Path) -> None:
    (settings / "config.d" / "10-shop.toml").write_text("overscan = 3\n")
    (settings / "config.d" / "20-screen.toml").write_text("overscan = 5\n")
    assert settings_in(settings) == {"overscan": 5}


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A root with a package that dpkg has installed, as far as packages go."""
    tree, root = tmp_path / "tree", tmp_path / "root"
    program = tree / "usr/lib/menu-player/player"
    program.mkdir(parents=True)
    (program / "version.py").write_text("VERSION = 1\n")
    (program / "main").symlink_to("version.py")
    (program / "main.sh").write_text("#!/bin/sh\n")
    (program / "main.sh").chmod(0o755)
    for each in program.iterdir():
        os.utime(each, (PUBLISHED, PUBLISHED), follow_symlinks=False)
    about = tree / "DEBIAN"
    about.mkdir()
    (about / "control").write_text(
        "Package: menu-player-core\nVersion: 1:8.1~a\nArchitecture: all\nMaintainer: A <a@example.com>\n"
        "Depends: python3\nDescription: a board\n of menus\n"
    )
    (about / "postinst").write_text("#!/bin/sh\nexit 0\n")
    (about / "postinst").chmod(0o755)
    sums = subprocess.run(
        ("md5sum", "usr/lib/menu-player/player/version.py"), cwd=tree, check=True, capture_output=True
    ).stdout
    (about / "md5sums").write_bytes(sums)
    file = tmp_path / "menu-player-core.deb"
    dpkg("dpkg-deb", "--root-owner-group", "--build", str(tree), str(file))
    admin = root / "var/lib/dpkg"
    (admin / "info").mkdir(parents=True)
    (admin / "updates").mkdir()
    (admin / "status").touch()
    force = ("--force-not-root", "--force-script-chrootless", "--force-depends", f"--log={tmp_path}/log")
    dpkg("dpkg", f"--root={root}", *force, "--install", str(file))
    monkeypatch.setitem(machine.ENVIRONMENT, "DPKG_ROOT", str(root))
    monkeypatch.setitem(machine.ENVIRONMENT, "DPKG_ADMINDIR", str(admin))
    return root


def dpkg(*command: str) -> str:
    done = subprocess.run(command, env=machine.ENVIRONMENT, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_package_is_built_from_what_is_installed(system: Path, tmp_path: Path) -> None:
    (system / "usr/lib/menu-player/player/__pycache__").mkdir()
    assert Machine(system).rebuild("menu-player-core", tmp_path / "built")
    (file,) = (tmp_path / "built").glob("*.deb")
    assert Machine().package_of(file) == ("menu-player-core", "1:8.1~a")
    for part, *names in (("--contents",), ("--field",), ("--info", "postinst"), ("--info", "md5sums")):
        built, first = (
            sorted(without_times_of_folders(dpkg("dpkg-deb", part, str(each), *names)))
            for each in (file, tmp_path / "menu-player-core.deb")
        )
        assert built == first, (part, *names)


def without_times_of_folders(listing: str) -> list[str]:
    """Lines of a listing; folders, which the installation writes to, without the time of their last change."""
    return [re.sub(r"^(d.*) \d{4}-\d\d-\d\d \d\d:\d\d ", r"\1 ", line) for line in listing.splitlines()]


def test_a_package_of_which_a_file_was_changed_is_not_built(system: Path, tmp_path: Path) -> None:
    (system / "usr/lib/menu-player/player/version.py").write_text("VERSION = 2\n")
    assert not Machine(system).rebuild("menu-player-core", tmp_path / "built")
    assert not list((tmp_path / "built").glob("*.deb"))


WRONG_KEY = (
    "E: Failed to fetch https://packages.example.com/./InRelease  Sub-process /usr/bin/sqv returned an error code (1), \
error message is: Missing key 2A74, which is needed to verify signature."
)
NOT_SIGNED = "E: The repository 'https://packages.example.com ./ Release' is not signed."
NO_WAY = (
    "E: Failed to fetch http://deb.debian.org/debian/dists/trixie/InRelease  Could not connect to signature.example.com"
)
SUMMARY = "E: Some index files failed to download. They have been ignored, or old ones used instead."


@pytest.mark.proves("update-other-key")
@pytest.mark.parametrize(
    ("said", "status", "goes_on", "named"),
    [
        ([], 0, True, 0),
        ([WRONG_KEY, SUMMARY], 100, True, 1),
        ([NOT_SIGNED], 100, True, 1),
        ([NOT_SIGNED.replace("not", "no longer")], 100, True, 1),
        ([NO_WAY, SUMMARY], 100, False, 0),
        ([WRONG_KEY, NO_WAY, SUMMARY], 100, False, 1),
        ([], 100, False, 0),
    ],
    ids=["well", "another key", "no signature", "no signature any more", "no network", "both", "killed"],
)
def test_a_repository_with_another_key_is_named_and_holds_back_no_fixes_of_debian(
    said: list[str],
    status: int,
    goes_on: bool,
    named: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The messages are those of apt 3.0."""
    (tmp_path / "said").write_text("".join(f"{line}\n" for line in said))
    apt = tmp_path / "apt-get"
    apt.write_text(f"#!/bin/sh\ncat {tmp_path}/said >&2\nexit {status}\n")
    apt.chmod(0o755)
    monkeypatch.setitem(machine.ENVIRONMENT, "PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    lists = Machine().fetch_lists()
    assert (lists.usable, lists.refused) == (goes_on, ("https://packages.example.com",) * named)
    lines = [
        each.getMessage() for each in caplog.records if "the key that this device was set up with" in each.getMessage()
    ]
    assert len(lines) == named
    assert all("packages.example.com" in line for line in lines)
