"""`menu-service cards images`: copies of an image that differ in their boot partition only."""

import lzma
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.cli import card_images
from service.cli.card_images import CARD_IMAGE
from service.cli.main import EXIT_FAILURE, main

CARD, BAR = "Corner Café - Counter", "Corner Café - Bar"


@pytest.fixture
def cards(tmp_path: Path) -> Path:
    """The folder that `cards create` has made."""
    for name in (CARD, BAR):
        (tmp_path / "cards" / name).mkdir(parents=True)
        (tmp_path / "cards" / name / "menu-player.toml").write_text(f'service = "https://menu.example.com"  # {name}\n')
    return tmp_path / "cards"


def make_images(cards: Path, image: Path, *flags: str) -> int:
    return main(("cards", "images", str(cards), "--image", str(image), *flags), environment={})


def sparse_image(path: Path, *, label: str = "gpt", megabytes: int = 16) -> Path:
    """An image as those of boards: a boot partition with FAT, which Windows shows, and a root."""
    kinds = {"gpt": ("EBD0A0A2-B9E5-4433-87C0-68B6B72699C7", "L"), "dos": ("c", "83")}[label]
    with path.open("wb") as file:
        file.truncate(megabytes * 1024 * 1024)
    script = f"label: {label}\nstart=1MiB, size=4MiB, type={kinds[0]}\nstart=5MiB, size=8MiB, type={kinds[1]}\n"
    subprocess.run(["/usr/sbin/sfdisk", "--quiet", str(path)], input=script, text=True, check=True)
    tool = {**os.environ, "MTOOLS_SKIP_CHECK": "1"}
    at = f"{path}@@1M"
    subprocess.run(["mformat", "-i", at, "-T", "8192", "-v", "MENU-BOARD", "::"], check=True, env=tool)
    with path.open("r+b") as file:
        file.seek(5 * 1024 * 1024)
        file.write(b"root" * 1000)
    return path


def boot_partition(image: Path) -> bytes:
    return image.read_bytes()[1024 * 1024 : 5 * 1024 * 1024]


def outside(image: Path) -> bytes:
    whole = image.read_bytes()
    return whole[: 1024 * 1024] + whole[5 * 1024 * 1024 :]


def boot_file_in(image: Path) -> bytes:
    return subprocess.run(["mtype", "-i", f"{image}@@1M", "::menu-player.toml"], check=True, capture_output=True).stdout


@pytest.mark.first_case
@pytest.mark.parametrize("label", ["gpt", "dos"])
@pytest.mark.parametrize("is_packed", [False, True], ids=["img", "xz"])
def test_an_image_differs_in_the_boot_partition_only(
    cards: Path, tmp_path: Path, label: str, is_packed: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    image = given = sparse_image(tmp_path / "board.img", label=label)
    if is_packed:
        given = tmp_path / "board.img.xz"
        given.write_bytes(lzma.compress(image.read_bytes()))

    assert make_images(cards, given) == 0

    for card in (CARD, BAR):
        made = cards / card / CARD_IMAGE
        assert boot_file_in(made) == (cards / card / "menu-player.toml").read_bytes()
        assert outside(made) == outside(image)
        assert stat.S_IMODE(made.stat().st_mode) == 0o600
        assert made.stat().st_blocks * 512 < 2 * 1024 * 1024
        assert {one.name for one in made.parent.iterdir()} == {"menu-player.toml", CARD_IMAGE}
    assert "menu-service: images of 0.0 GB: 2, " in capsys.readouterr().err


def test_one_board_can_have_its_image_alone_and_anew(
    cards: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = sparse_image(tmp_path / "board.img")
    for _ in range(2):
        assert make_images(cards, image, "--only", "Bar") == 0
    assert {path.parent.name for path in cards.rglob("*.img")} == {BAR}
    capsys.readouterr()
    assert make_images(cards, image, "--only", "Kitchen") == EXIT_FAILURE
    assert capsys.readouterr().err == "menu-service: no board is called 'Kitchen'\n"


def cut_off(image: Path) -> Path:
    os.truncate(image, image.stat().st_size * 3 // 4)
    return image


def packed_and_cut_off(image: Path) -> Path:
    packed = lzma.compress(image.read_bytes())
    image.write_bytes(packed[: len(packed) * 9 // 10])
    return image


def without_fat(image: Path) -> Path:
    with image.open("r+b") as file:
        file.seek(1024 * 1024)
        file.write(bytes(512))
    return image


def without_partitions(image: Path) -> Path:
    image.write_bytes(b"menu" * 10_000)
    return image


def with_a_full_boot_partition(image: Path) -> Path:
    filler = image.with_name("filler")
    filler.write_bytes(b"x" * 4 * 1024 * 1024)
    for size in (3 * 1024 * 1024, 512 * 1024, 64 * 1024, 8 * 1024, 4096, 2048, 512):
        for number in range(9):
            os.truncate(filler, size)
            subprocess.run(["mcopy", "-i", f"{image}@@1M", str(filler), f"::{size}-{number}"], capture_output=True)
    return image


@pytest.mark.first_case
@pytest.mark.parametrize("label", ["gpt", "dos"])
@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (cut_off, "is cut off: its partitions do not end within it; get it again"),
        (packed_and_cut_off, "is cut off or damaged"),
        (without_fat, "has no boot partition that is FAT"),
        (without_partitions, "is no image of a disk: it has no partitions"),
        (with_a_full_boot_partition, "does not go onto the boot partition: "),
    ],
)
def test_an_image_that_cannot_be_used_is_named_and_nothing_is_left(
    cards: Path,
    tmp_path: Path,
    label: str,
    spoil: Callable[[Path], Path],
    says: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert make_images(cards, spoil(sparse_image(tmp_path / "board.img", label=label))) == EXIT_FAILURE
    assert says in capsys.readouterr().err
    assert {one.name for one in cards.rglob("*")} == {CARD, BAR, "menu-player.toml"}


@pytest.mark.parametrize("shares", [False, True], ids=["ext4", "btrfs"])
def test_a_disk_needs_room_for_all_images_unless_they_share_their_blocks(
    cards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shares: bool
) -> None:
    def run(*command: str) -> subprocess.CompletedProcess[bytes]:
        if "--reflink=always" in command:
            return subprocess.CompletedProcess(command, 0 if shares else 1)
        return as_ever(*command)

    as_ever = card_images._run
    monkeypatch.setattr(card_images, "_run", run)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=0))
    made = make_images(cards, sparse_image(tmp_path / "board.img"))
    said = capsys.readouterr().err
    if shares:
        assert made == 0
        assert "images of 0.0 GB: 2, which share their blocks" in said
    else:
        assert made == EXIT_FAILURE
        assert "0.0 GB are free. Make one at a time with --only NAME" in said
        assert not list(cards.rglob("*.img*"))


def test_what_images_need_is_told(
    cards: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    image = sparse_image(tmp_path / "board.img")

    def refused(folder: Path, given: Path) -> str:
        capsys.readouterr()
        assert make_images(folder, given) == EXIT_FAILURE
        return capsys.readouterr().err

    (tmp_path / "none").mkdir()
    assert "none holds no folder with a menu-player.toml" in refused(tmp_path / "none", image)
    assert refused(cards, tmp_path / "no.img") == f"menu-service: {tmp_path / 'no.img'}: No such file or directory\n"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "the program mcopy is missing: sudo apt install mtools" in refused(cards, image)
