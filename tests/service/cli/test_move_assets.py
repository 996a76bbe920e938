"""`move-assets` copies the assets of the folder into a bucket, and goes on where it stopped."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.cli.main import EXIT_FAILURE, main
from service.core.permissions import Role
from service.services.operations.backup import back_up
from service.settings import Settings, SettingsFaults, read_settings
from service.storage.asset_files import AssetFiles
from tests.service.support.application import Caller, VirtualClock, png, running
from tests.support.buckets import ObjectStore, object_store


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    with object_store(monkeypatch) as started:
        yield started


@pytest.mark.long
async def test_assets_move_from_the_folder_into_a_bucket_and_the_service_serves_them(
    store: ObjectStore, tmp_path: Path, clock: VirtualClock, capsys: pytest.CaptureFixture[str]
) -> None:
    data, pictures = tmp_path / "data", [png(shade) for shade in range(5)]
    async with running(data, clock=clock) as service:
        secret = service.services.keys.create(role=Role.OWNER, name="")
        for one in pictures:
            assert (await Caller(service.client, secret).raw("POST", "/v1/assets", one, "image/png")).status_code == 201
    digests = [hashlib.sha256(one).hexdigest() for one in pictures]
    files = AssetFiles(folder=data / "assets")
    files.path(digests[3]).write_bytes(b"damaged")
    files.path(digests[4]).unlink()
    # An earlier run was ended here.
    store.put(f"cafe/files/{digests[0]}", pictures[0])

    for copied in (2, 0):
        assert main(["move-assets", "--data", str(data), "--assets", store.url], {}) == 0
        told = capsys.readouterr().err
        assert f"copied {copied} assets into s3://menu-assets/cafe/; {3 - copied} were there" in told
        assert all(f"the asset {one} is missing or damaged" in told for one in digests[3:])
    assert store.keys == sorted(f"cafe/files/{one}" for one in digests[:3])
    assert all(files.path(one).exists() for one in digests[:3]), "the folder stays as it is"

    saved = back_up(data, tmp_path / "backup", with_assets=False)
    assert (saved.assets, saved.missing) == (0, ())
    async with running(data, clock=clock, bucket=store.bucket()) as service:
        for one, digest in zip(pictures[:3], digests, strict=False):
            files.path(digest).unlink()
            assert (await Caller(service.client, secret).get(f"/v1/assets/sha256:{digest}")).content == one


@pytest.mark.long
def test_what_keeps_assets_from_moving_is_told(
    store: ObjectStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data").mkdir()
    flags = ["move-assets", "--data", str(tmp_path / "data")]
    assert main(flags, {}) == EXIT_FAILURE
    assert "--assets or MENU_SERVICE_ASSETS is needed" in capsys.readouterr().err
    assert main([*flags, "--assets", store.url], {}) == EXIT_FAILURE
    assert "holds no database" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("url", "prefix", "links"),
    [
        ("s3://menu-assets", "", True),
        ("s3://menu-assets/", "", True),
        ("s3://menu-assets/a/b/?region=eu-central-1", "a/b/", True),
        ("s3://menu-assets/a?endpoint=https%3A%2F%2Fs3.example.com&links=no", "a/", False),
    ],
)
def test_a_bucket_is_set_by_its_address(url: str, prefix: str, links: bool) -> None:
    settings = read_settings({"data": "/d", "assets": url}, {})
    assert isinstance(settings, Settings)
    assert settings.bucket is not None
    assert (settings.bucket.name, settings.bucket.prefix, settings.bucket.links) == ("menu-assets", prefix, links)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/var/assets",
        "s3://",
        "s3://A",
        "s3://user:password@menu-assets",
        "https://menu-assets/a",
        "s3://menu-assets?secret=x",
        "s3://menu-assets?endpoint=ftp://x",
        "s3://menu-assets?endpoint=https://user:password@x",
        "s3://menu-assets?endpoint=https://x:99999999",
        "s3://menu-assets?links=maybe",
        "s3://menu-assets?region=",
        "s3://menu-assets#x",
    ],
)
def test_an_address_that_is_no_bucket_is_refused_and_not_repeated(url: str) -> None:
    found = read_settings({"data": "/d", "assets": url}, {})
    assert isinstance(found, SettingsFaults)
    assert "s3://menu-assets/prefix" in found.faults[0]
    assert "password" not in found.faults[0]
