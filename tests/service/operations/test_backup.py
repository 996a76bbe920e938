"""Backups: consistent while the service writes, checked by the restore, which overwrites nothing."""

import hashlib
import io
import stat
import tarfile
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from service.cli.main import EXIT_FAILURE, main
from service.core.permissions import Role
from service.services.operations.backup import DATABASE_NAME, BackupError, back_up, restore
from service.services.publishing.epochs import epoch_of
from service.storage.tables.webhooks import EndpointRow
from service.storage.tables.workspaces import FactRow
from tests.service.support.application import Caller, Device, VirtualClock, body_of, open_cafe, pair, png, running
from tests.service.support.desk import person


async def test_a_backup_restores_everything(tmp_path: Path, clock: VirtualClock) -> None:
    async with running(tmp_path / "data", clock=clock) as service:
        secret = service.services.keys.create(role=Role.OWNER, name="")
        owner = Caller(service.client, secret)
        cafe = await open_cafe(owner)
        asset = (await owner.raw("POST", "/v1/assets", png(), "image/png")).json()["id"]
        await owner.patch(f"/v1/content/items/{cafe.cake}", {"image": asset})
        device = await pair(service, owner, cafe)
        hook = await owner.make("/v1/public/webhooks", {"url": "https://a.example/", "events": ["screen.online"]})
        before = await device.manifest()
        saved = back_up(service.data, tmp_path / "backup")

    restored = restore(tmp_path / "backup", tmp_path / "again")

    assert (saved.assets, saved.missing) == (restored.assets, restored.missing) == (1, ())
    assert stat.S_IMODE((tmp_path / "backup").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "again").stat().st_mode) == 0o700
    async with running(tmp_path / "again", clock=clock) as service:
        again = Device(service.client)
        again.token = device.token
        first, second = body_of(before), body_of(await again.manifest())
        assert first.pop("epoch") != second.pop("epoch"), "boards must not take it for an answer that came late"
        assert first == second
        assert (await again.asset(asset)).content == png()
        with service.services.database.read() as session:
            sealed = session.scalars(select(EndpointRow.secret)).one()
        assert service.services.webhook_secrets.open(hook["id"], sealed) == hook["secret"]
        assert (await Caller(service.client, secret).get("/v1/screens")).status_code == 200


async def test_another_start_is_the_same_epoch_until_the_database_is_said_to_be_restored(
    tmp_path: Path, clock: VirtualClock, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = []
    for marked in (False, False, True):
        if marked:
            assert main(["mark-restored", "--data", str(tmp_path / "data")], {}) == 0
        async with running(tmp_path / "data", clock=clock) as service:
            with service.services.database.read() as session:
                seen.append(epoch_of(session))
    assert seen[0] == seen[1] != seen[2]
    assert main(["mark-restored", "--data", str(tmp_path / "none")], {}) == EXIT_FAILURE
    assert "holds no database" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


async def test_a_backup_during_writes_is_consistent(tmp_path: Path, clock: VirtualClock) -> None:
    async with running(tmp_path / "data", clock=clock) as service:
        database = service.services.database
        stop = threading.Event()
        begun = threading.Event()

        def write() -> None:
            number = 0
            while not stop.is_set():
                number += 1
                with database.write() as unit:
                    # Both or neither: an inconsistent copy would have one without the other.
                    unit.session.add_all(
                        [FactRow(name=f"left {number}", value=""), FactRow(name=f"right {number}", value="")]
                    )
                begun.set()

        writer = threading.Thread(target=write)
        writer.start()
        begun.wait()
        for number in range(3):
            back_up(service.data, tmp_path / f"backup {number}")
        stop.set()
        writer.join()

    for number in range(3):
        restore(tmp_path / f"backup {number}", tmp_path / f"again {number}")
        async with running(tmp_path / f"again {number}", clock=clock) as service:
            with service.services.database.read() as session:
                names = [row.name.split() for row in session.query(FactRow) if row.name.startswith(("left", "right"))]
        left = {second for first, second in names if first == "left"}
        assert left
        assert left == {second for first, second in names if first == "right"}


def saved(tmp_path: Path) -> Path:
    assert main(["demo-data", "--data", str(tmp_path / "data")], {}) == 0
    back_up(tmp_path / "data", tmp_path / "backup")
    return tmp_path / "backup"


@pytest.mark.long
def test_a_restore_overwrites_nothing(tmp_path: Path) -> None:
    backup = saved(tmp_path)
    before = (tmp_path / "data" / DATABASE_NAME).read_bytes()

    with pytest.raises(BackupError, match="not empty"):
        restore(backup, tmp_path / "data")

    assert (tmp_path / "data" / DATABASE_NAME).read_bytes() == before


@pytest.mark.long
def test_a_damaged_backup_is_refused_and_leaves_nothing_behind(tmp_path: Path) -> None:
    backup = saved(tmp_path)
    whole = backup.read_bytes()
    image = next((tmp_path / "data" / "assets" / "files").glob("*/*")).read_bytes()
    place = whole.index(image)
    damaged = {
        "other bytes": whole[:place] + b"x" + whole[place + 1 :],
        "not a backup": whole[: len(whole) // 2],
        "a backup": b"no archive",
        "is damaged": whole.replace(b"SQLite format 3", b"Squite format 3"),
    }
    for words, content in damaged.items():
        backup.write_bytes(content)
        with pytest.raises(BackupError, match=words):
            restore(backup, tmp_path / "again")

    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "data"]


@pytest.mark.long
def test_any_flipped_bit_of_the_content_is_found_before_anything_is_restored(tmp_path: Path) -> None:
    backup = saved(tmp_path)
    whole = backup.read_bytes()
    dish = whole.index(b"Cappuccino")
    with tarfile.open(backup) as archive:
        members = archive.getmembers()
    for place in (dish, *(member.offset_data + member.size // 2 for member in members)):
        backup.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(BackupError, match="damaged"):
            restore(backup, tmp_path / "again")
    with tarfile.open(backup, "w") as archive, tarfile.open(fileobj=io.BytesIO(whole)) as source:
        for member in members[:-1]:
            archive.addfile(member, source.extractfile(member))
    with pytest.raises(BackupError, match="damaged"):
        restore(backup, tmp_path / "again")
    assert not (tmp_path / "again").exists()


@pytest.mark.long
def test_a_backup_of_an_earlier_version_is_restored_and_said_to_be_unchecked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    backup = saved(tmp_path)
    with tarfile.open(backup) as source, tarfile.open(tmp_path / "old", "w") as archive:
        for member in source.getmembers()[1:]:
            archive.addfile(member, source.extractfile(member))
    capsys.readouterr()
    assert main(["restore", "--data", str(tmp_path / "again"), "--from", str(tmp_path / "old")], {}) == 0
    assert "no checksum" in capsys.readouterr().err
    assert main(["restore", "--data", str(tmp_path / "whole"), "--from", str(backup)], {}) == 0
    assert "no checksum" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil", "assets/files/ab/abc", "service.sqlite3-wal"])
def test_unknown_members_are_not_unpacked(tmp_path: Path, name: str) -> None:
    with tarfile.open(tmp_path / "backup", "w") as archive:
        archive.addfile(tarfile.TarInfo(name), io.BytesIO())

    with pytest.raises(BackupError, match="not a backup"):
        restore(tmp_path / "backup", tmp_path / "deep" / "again")

    assert list((tmp_path / "deep").iterdir()) == []


@pytest.mark.long
def test_a_missing_asset_is_named(tmp_path: Path) -> None:
    saved(tmp_path)
    image = next((tmp_path / "data" / "assets" / "files").glob("*/*"))
    digest = hashlib.sha256(image.read_bytes()).hexdigest()
    image.unlink()

    assert back_up(tmp_path / "data", tmp_path / "backup").missing == (digest,)
    assert restore(tmp_path / "backup", tmp_path / "again").missing == (digest,)


@pytest.mark.long
def test_the_commands_report_their_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, backup, again = (str(tmp_path / name) for name in ("data", "backup", "again"))
    assert main(["backup", "--data", data, "--to", backup], {}) == EXIT_FAILURE
    assert "holds no database" in capsys.readouterr().err
    main(["demo-data", "--data", data], {})
    capsys.readouterr()

    assert main(["backup", "--data", data, "--to", backup], {}) == 0
    assert main(["restore", "--data", again, "--from", backup], {}) == 0
    assert main(["restore", "--data", again, "--from", backup], {}) == EXIT_FAILURE

    told = capsys.readouterr().err.splitlines()
    assert [line.split()[1] for line in told] == ["saved", "restored", "everybody", "keys", again]


async def test_a_restore_ends_sign_ins_and_names_what_comes_back(
    tmp_path: Path, clock: VirtualClock, capsys: pytest.CaptureFixture[str]
) -> None:
    data, backup = tmp_path / "data", tmp_path / "backup"
    async with running(data, clock=clock) as service:
        owner = service.caller(Role.OWNER)
        cafe = await open_cafe(owner)
        device = await pair(service, owner, cafe)
        await device.manifest()
        kept = await owner.make("/v1/keys", {"name": "Kept", "role": "Viewer"})
        gone = await owner.make("/v1/keys", {"name": "Till", "role": "Editor"})
        async with person(service, Role.EDITOR) as desk:
            assert (await desk.open("/desk/menu")).status_code == 200
            session = desk.session
            back_up(data, backup)
            who = service.services.sessions.of(session or "")
            assert who is not None
            await owner.delete(f"/v1/keys/{gone['id']}")
            await owner.delete(f"/v1/team/members/{who.access.key}")
            await owner.delete(f"/v1/screens/{device.screen}")
    command = ["restore", "--from", str(backup), "--data"]

    assert main([*command, str(tmp_path / "named"), "--former", str(data)], {}) == 0
    told = capsys.readouterr().err
    for name in (f"the key Till ({gone['id']})", "the member kim@example.com", "the token of the screen"):
        assert f"menu-service: {name}" in told
    assert ("Kept" in told, "everybody signs in to the desk again" in told) == (False, True)
    assert main([*command, str(tmp_path / "revoked"), "--former", str(data), "--revoke"], {}) == 0
    assert "is ended again" in capsys.readouterr().err
    assert main([*command, str(tmp_path / "blind")], {}) == 0
    assert "look through both" in capsys.readouterr().err

    for folder, status in (("named", 200), ("blind", 200), ("revoked", 401)):
        async with running(tmp_path / folder, clock=clock) as service:
            assert service.services.sessions.of(session or "") is None
            again = device.calling(service.client)
            answers = [
                await Caller(service.client, gone["key"]).get("/v1/content/items"),
                await again.manifest(),
            ]
            assert [answer.status_code for answer in answers] == [status] * 2, folder
            assert (await Caller(service.client, kept["key"]).get("/v1/content/items")).status_code == 200
            async with person(service, Role.OWNER, "olga@example.com") as desk:
                for page, name in (("keys", "Till"), ("team", "kim@example.com")):
                    shown = (await desk.open(f"/desk/settings/{page}")).text
                    assert "The service was restored from a backup" in shown
                    assert (name in shown, shown.count("Back by the restore")) == {
                        "named": (True, 1),
                        "blind": (True, 0),
                        "revoked": (False, 0),
                    }[folder]
            members = body_of(await Caller(service.client, owner.secret).get("/v1/team/members"))["data"]
            emails = ["kim@example.com", "olga@example.com"][status == 401 :]
            assert [one["email"] for one in members] == emails


def test_a_comparison_needs_a_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo-data", "--data", str(tmp_path / "data")], {}) == 0
    back_up(tmp_path / "data", tmp_path / "backup")
    command = ["restore", "--from", str(tmp_path / "backup"), "--data", str(tmp_path / "again")]
    for more, words in (
        (["--revoke"], "--revoke needs --former"),
        (["--former", str(tmp_path / "none")], "holds no database to compare with"),
    ):
        assert main([*command, *more], {}) == EXIT_FAILURE
        assert words in capsys.readouterr().err
        assert not (tmp_path / "again").exists()


async def test_sign_ins_end_where_the_database_is_said_or_seen_to_be_restored(
    tmp_path: Path, clock: VirtualClock
) -> None:
    async with running(tmp_path / "data", clock=clock) as service, person(service, Role.EDITOR) as desk:
        assert service.services.sessions.of(desk.session or "") is not None
        service.services.epochs.begin_anew()
        assert service.services.sessions.of(desk.session or "") is None
    async with running(tmp_path / "data", clock=clock) as service, person(service, Role.EDITOR) as desk:
        with service.services.database.read() as read:
            epoch = epoch_of(read)
        service.services.epochs.contradicted(epoch, screen="scr_1")
        assert service.services.sessions.of(desk.session or "") is None
        assert service.services.epochs.restored() is not None
        service.clock.step(timedelta(days=15))
        assert service.services.epochs.restored() is None
