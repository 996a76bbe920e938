"""Which images and videos are accepted, and the problems of the others."""

from __future__ import annotations

import struct
import subprocess
import zlib
from mimetypes import guess_type
from pathlib import Path

import pytest

from service.core.errors import ProblemError
from service.services.assets.checks import (
    MAX_IMAGE_PIXELS,
    PROBE_SECONDS,
    Container,
    container_of,
    ensure_playable,
    max_bytes,
    media_type_of,
)
from service.services.operations.sample import SAMPLE_FOLDER
from service.services.scenes.kit import KIT_FOLDER
from service.storage.asset_store import HEAD_BYTES
from tests.service.support.application import Caller, Service, png
from tests.support.films import FFMPEG, film, still
from tests.support.patience import PATIENCE_SECONDS

ASSETS = "/v1/assets"
SHIPPED = [
    path
    for folder in (KIT_FOLDER, SAMPLE_FOLDER)
    for path in sorted(folder.rglob("*"))
    if path.is_file() and path.suffix != ".json"
]


def refused(path: Path, container: Container, *, seconds: float = PROBE_SECONDS) -> tuple[str, str]:
    """The code and the detail of the problem."""
    with pytest.raises(ProblemError) as caught:
        ensure_playable(path, container, seconds=seconds)
    assert caught.value.status == 415
    return caught.value.code, caught.value.detail


def cut(whole: Path, folder: Path, share: float) -> Path:
    path = folder / "cut"
    content = whole.read_bytes()
    path.write_bytes(content[: round(len(content) * share)])
    return path


def png_of(path: Path, width: int, height: int) -> Path:
    """A complete PNG with one bit per pixel that compresses to almost nothing: a decompression bomb if it is large."""
    pack = zlib.compressobj(9)
    row = bytes(1 + (width + 7) // 8)
    pixels = b"".join(pack.compress(row * 64) for _ in range(height // 64)) + pack.compress(row * (height % 64))
    chunks = [b"IHDR" + struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0), b"IDAT" + pixels + pack.flush(), b"IEND"]
    framed = (struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(framed))
    return path


@pytest.mark.parametrize(("codec", "media_type"), [("h264", "video/mp4"), ("vp9", "video/webm")])
async def test_a_video_is_accepted(owner: Caller, codec: str, media_type: str) -> None:
    content = film(codec).read_bytes()
    made = await owner.raw("POST", ASSETS, content, media_type)

    assert (made.status_code, made.json()["mediaType"], made.json()["size"]) == (201, media_type, len(content))
    assert (await owner.get(made.headers["Location"])).content == content


async def test_a_video_that_no_screen_plays_is_refused_with_its_codec_and_a_remedy(
    service: Service, owner: Caller
) -> None:
    response = await owner.raw("POST", ASSETS, film("mpeg4").read_bytes(), "video/mp4")

    problem = response.json()
    assert (response.status_code, problem["code"]) == (415, "video_unsupported")
    assert "mpeg4" in problem["detail"]
    assert "ffmpeg -i" in problem["detail"]
    assert not [path for path in (service.data / "assets").rglob("*") if path.is_file()], "nothing is kept of it"


@pytest.mark.first_case
@pytest.mark.parametrize("codec", ["h264", "hevc", "vp9", "av1"])
def test_codecs_that_screens_decode_are_accepted(codec: str) -> None:
    path = film(codec)
    ensure_playable(path, Container.MP4 if path.suffix == ".mp4" else Container.MATROSKA)


@pytest.mark.first_case
@pytest.mark.parametrize(
    ("codec", "more", "named"),
    [
        ("libx264", ("-pix_fmt", "yuv422p"), "yuv422p"),
        ("libx264", ("-pix_fmt", "yuv444p"), "yuv444p"),
        ("libx264", ("-pix_fmt", "yuv420p10le"), "at most 8 bits"),
        ("libx264", ("-r", "120"), "120 frames"),
        ("mjpeg", ("-pix_fmt", "yuvj420p"), "mjpeg"),
    ],
)
def test_codecs_that_no_screen_decodes_are_refused(codec: str, more: tuple[str, ...], named: str) -> None:
    code, detail = refused(film(codec, more=more), Container.MP4)

    assert code == "video_unsupported"
    assert named in detail


@pytest.mark.long
def test_the_pixels_of_a_video_are_limited() -> None:
    ensure_playable(film(size="4096x2304", seconds=0.1), Container.MP4)
    for size in ("4096x2306", "4098x180"):
        assert refused(film(size=size, seconds=0.1), Container.MP4)[0] == "video_unsupported"


@pytest.mark.long
def test_a_png_is_accepted_or_refused_wherever_a_byte_of_it_is_wrong(tmp_path: Path) -> None:
    """Data that no other library of FFmpeg's can unpack counts as damaged."""
    whole = png_of(tmp_path / "whole", 64, 64).read_bytes()
    accepted = set()
    problems = set()
    for at in range(8, len(whole), 5):
        path = tmp_path / "damaged"
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            ensure_playable(path, Container.PNG)
            accepted.add(at)
        except ProblemError as problem:
            problems.add((problem.status, problem.code))
    assert problems == {(415, "asset_undecodable")}
    pixels = whole.index(b"IDAT") + 4
    assert not accepted & set(range(pixels, pixels + 4)), "the beginning of the pixels"
    assert len(accepted) < (len(whole) - 8) // 10


def test_a_truncated_video_is_refused(tmp_path: Path) -> None:
    whole = film(seconds=4.0, more=("-movflags", "+faststart"))

    code, detail = refused(cut(whole, tmp_path, 0.5), Container.MP4)
    assert (code, "of 4.0 seconds" in detail) == ("asset_undecodable", True)
    assert refused(cut(whole, tmp_path, 0.01), Container.MP4)[0] == "asset_undecodable"


@pytest.mark.parametrize("late", ["picture", "end of the sound"])
def test_a_film_in_matroska_may_begin_late_or_end_before_its_sound(tmp_path: Path, late: str) -> None:
    plain, made = film(seconds=2.0), tmp_path / "film.mkv"
    delayed = ("-itsoffset", "5") if late == "picture" else ()
    sound = ("-f", "lavfi", "-i", "sine=duration=9", "-c:a", "flac") if late != "picture" else ()
    command = [*FFMPEG, *delayed, "-i", str(plain), *sound, "-c:v", "copy", str(made)]
    subprocess.run(command, check=True, timeout=PATIENCE_SECONDS)

    ensure_playable(made, Container.MATROSKA)
    half = cut(made, tmp_path, 0.5)
    assert refused(half, Container.MATROSKA)[0] == "asset_undecodable"


def test_sound_alone_is_no_video() -> None:
    assert refused(film(sound=True, more=("-vn",)), Container.MP4)[0] == "asset_undecodable"


@pytest.mark.first_case
@pytest.mark.parametrize("container", ["png", "jpg", "webp"])
def test_a_truncated_image_is_refused(tmp_path: Path, container: str) -> None:
    named = Container("jpeg" if container == "jpg" else container)
    ensure_playable(still(container), named)

    assert refused(cut(still(container), tmp_path, 0.9), named)[0] == "asset_undecodable"


@pytest.mark.long
def test_the_pixels_of_an_image_are_limited(tmp_path: Path) -> None:
    side = int(MAX_IMAGE_PIXELS**0.5)
    ensure_playable(png_of(tmp_path / "just", side, side), Container.PNG)

    code, detail = refused(png_of(tmp_path / "more", side, side + 1), Container.PNG)
    assert (code, f"{MAX_IMAGE_PIXELS:,} pixels" in detail) == ("asset_undecodable", True)
    assert refused(png_of(tmp_path / "bomb", 100_000, 6_400), Container.PNG)[0] == "asset_undecodable"


def test_an_image_that_takes_too_long_to_decode_is_refused() -> None:
    code, detail = refused(still("png"), Container.PNG, seconds=0.001)
    assert (code, "takes longer" in detail) == ("asset_undecodable", True)


def test_a_camera_may_append_to_a_jpeg(tmp_path: Path) -> None:
    path = tmp_path / "motion"
    path.write_bytes(still("jpg").read_bytes() + still("jpg").read_bytes() + bytes(range(256)) * 20)
    ensure_playable(path, Container.JPEG)


def test_an_animated_webp_is_refused() -> None:
    assert refused(still("webp", more=()), Container.WEBP)[0] == "asset_undecodable"


@pytest.mark.parametrize(
    "head",
    [b"#EXTM3U\nhttp://127.0.0.1/", b"<svg xmlns='http:", b"GIF89a", b"%PDF-1.7", b"II*\0"],
)
def test_only_named_formats_are_known(head: bytes) -> None:
    with pytest.raises(ProblemError):
        container_of(head[:16])


@pytest.mark.long
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_bundled_assets_would_be_accepted(path: Path) -> None:
    """Bundled assets are not checked when they are added to a workspace."""
    content = path.read_bytes()
    media_type = guess_type(path.name)[0] or ""

    container = container_of(content[:HEAD_BYTES])
    assert media_type_of(container, "") == media_type
    ensure_playable(path, container)

    assert len(content) <= max_bytes(media_type)


def test_an_image_is_accepted_in_an_odd_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The probe is a separate program that ignores Python's variables in the environment."""
    (tmp_path / "json.py").write_text("raise SystemExit(3)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    image = tmp_path / "dot"
    image.write_bytes(png())
    ensure_playable(image, Container.PNG)
