"""`menu-service` as a process: its commands, its output, and its stop."""

import asyncio
import json
import os
import socket
import stat
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import httpx
import pytest

from service.cli.main import EXIT_FAILURE, EXIT_USAGE, main
from service.run.listener import listen
from service.run.systemd import notify
from tests.service.support.application import Caller, Device, open_cafe, pair_device
from tests.service.support.processes import STOP_SECONDS, Server, command, make_key, run, serving
from tests.support.patience import PATIENCE_SECONDS
from tests.support.programs import eventually, free_port


@asynccontextmanager
async def board(server: Server, key: str) -> AsyncIterator[tuple[Caller, Device]]:
    """An owner and a paired device, over the network."""
    async with httpx.AsyncClient(base_url=server.address, timeout=PATIENCE_SECONDS) as client:
        owner = Caller(client, key)
        device = Device(client)
        codes = await pair_device(device, owner, await open_cafe(owner))
        assert codes.answer["verification_uri"] == f"{server.address}/pair"
        yield owner, device


async def test_it_serves_and_stops_with_held_polls(tmp_path: Path) -> None:
    data = tmp_path / "deep" / "data"
    key = run("keys", "create", "--data", str(data), "--role", "owner")
    assert key.returncode == 0
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    with serving(data) as server:
        assert server.messages.recv(100) == b"READY=1"
        async with board(server, key.stdout.strip()) as (owner, device):
            etag = (await device.manifest()).headers["ETag"]
            calls = [asyncio.ensure_future(device.held(etag)) for _ in range(3)]
            [item, _] = (await owner.get("/v1/content/items")).json()["data"]
            await owner.patch(f"/v1/content/items/{item['id']}", {"eightySixed": True})
            for call in calls:
                answer = await call
                assert answer.json()["items"][0]["eightySixed"] is True
                etag = answer.headers["ETag"]
            calls = [asyncio.ensure_future(device.held(etag)) for _ in range(3)]
            # Once these are answered, the polls have arrived and are held.
            for _ in calls:
                await owner.get("/v1/screens")

            status = await asyncio.to_thread(server.stop)

            assert status == 0
            assert server.messages.recv(100) == b"STOPPING=1"
            for call in calls:
                assert (await call).status_code == 304


@pytest.mark.long
async def test_answered_changes_survive_a_kill(tmp_path: Path) -> None:
    data = tmp_path / "data"
    key = make_key(data)
    with serving(data) as server:
        async with board(server, key) as (owner, device):
            before = await device.manifest()
            item = await owner.make("/v1/content/items", {"name": "Tea", "category": "Drinks", "price": 2})
            token = device.token
            server.process.kill()
            server.process.wait(PATIENCE_SECONDS)

    with serving(data) as server:
        async with httpx.AsyncClient(base_url=server.address, timeout=PATIENCE_SECONDS) as client:
            assert (await Caller(client, key).get(f"/v1/content/items/{item['id']}")).json() == item
            device = Device(client)
            device.token = token
            after = (await device.manifest()).json()
            assert after["revision"] == before.json()["revision"] + 1
            assert [one["name"] for one in after["items"]] == ["Flat white", "Carrot cake", "Tea"]


@pytest.mark.long
def test_it_goes_on_where_nobody_reads_its_output(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    port = free_port()
    process = subprocess.Popen(
        command("serve", "--data", str(tmp_path / "data"), "--port", str(port)), stdout=writer, stderr=writer
    )

    def refused() -> bool:
        assert process.poll() is None, "it has ended"
        try:
            return httpx.get(f"http://127.0.0.1:{port}/v1/screens").status_code == 401
        except httpx.TransportError:
            return False

    try:
        eventually(refused, what="it answers, and writes a line into the log")
        process.terminate()
        assert process.wait(STOP_SECONDS) == 0
    finally:
        process.kill()
        process.wait()
        os.close(writer)


@pytest.mark.long
async def test_the_clock_of_a_running_service_can_be_shifted(tmp_path: Path) -> None:
    data, offset = tmp_path / "data", tmp_path / "offset"
    key = make_key(data)
    with serving(data, "--clock-offset-file", str(offset)) as server:
        async with board(server, key) as (owner, device):
            await device.heartbeat()
            path = f"/v1/screens/{device.screen}"
            assert (await owner.get(path)).json()["status"] == "online"
            offset.write_text("121")
            assert (await owner.get(path)).json()["status"] == "offline"
            await device.heartbeat()
            assert (await owner.get(path)).json()["status"] == "online"


def test_the_sample_is_loaded_from_the_command_line(tmp_path: Path) -> None:
    first = run("demo-data", "--data", str(tmp_path / "data"))
    second = run("demo-data", MENU_SERVICE_DATA=str(tmp_path / "data"))

    assert (first.returncode, second.returncode) == (0, 0)
    assert "there already" not in first.stderr
    assert "there already" in second.stderr
    ids = json.loads(first.stdout)
    assert set(ids["playlists"]) == {"landscape", "portrait"}
    assert json.loads(second.stdout) == ids | {"created": False}


def test_only_the_key_is_printed(tmp_path: Path) -> None:
    made = run("keys", "create", "--data", str(tmp_path), "--role", "Viewer", "--name", "till")

    [key] = made.stdout.splitlines()
    assert (made.returncode, made.stderr) == (0, "")
    assert key.startswith("mk_")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["serve"], ["--data or MENU_SERVICE_DATA is needed"]),
        (["serve", "--prot", "80", "--port", "x"], ["did you mean --port?", "--data or", "the port is a number"]),
        (["keys", "create", "--data", "d", "--role", "Boss"], ["Owner, Admin, Publisher, Editor, Viewer"]),
    ],
)
def test_all_usage_errors_are_reported(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    words: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(arguments, {}) == EXIT_USAGE

    output = capsys.readouterr()
    assert output.out == ""
    for word in words:
        assert word in output.err
    assert list(tmp_path.iterdir()) == []


def test_an_unusable_folder_is_a_plain_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")

    assert main(["keys", "create", "--data", str(tmp_path / "file" / "data"), "--role", "Owner"], {}) == EXIT_FAILURE

    assert str(tmp_path / "file") in capsys.readouterr().err


def test_a_port_in_use_is_a_plain_message(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        refused = run("serve", "--data", str(tmp_path), "--port", port)

    assert refused.returncode == EXIT_FAILURE
    assert "Traceback" not in refused.stderr
    assert "in use" in refused.stderr


async def test_responses_are_sent_without_waiting_for_acknowledgements() -> None:
    delays = []

    async def look(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted = writer.get_extra_info("socket")
        delays.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    listener = listen("127.0.0.1", 0)
    async with await asyncio.start_server(look, sock=listener):
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        await reader.read()
        writer.close()
        await writer.wait_closed()

    assert delays == [1]


def test_without_systemd_nothing_is_sent(tmp_path: Path) -> None:
    notify("READY=1", environment={})
    notify("READY=1", environment={"NOTIFY_SOCKET": str(tmp_path / "nobody")})
    notify("READY=1", environment={"NOTIFY_SOCKET": "relative"})


def test_systemd_is_notified_through_an_abstract_socket() -> None:
    with closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as channel:
        channel.bind(f"\0menu-service-test-{os.getpid()}")
        channel.settimeout(PATIENCE_SECONDS)
        notify("READY=1", environment={"NOTIFY_SOCKET": f"@menu-service-test-{os.getpid()}"})
        assert channel.recv(100) == b"READY=1"
