"""Photos and films of phones: taken by their content, upright in small pictures, HEIC and AVIF as JPEG."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from service.core.errors import ProblemError
from service.schema.content.asset import ThumbnailSize
from service.services.assets import photos
from service.services.assets.checks import draw_thumbnails
from service.services.assets.photos import as_jpeg
from tests.service.support.application import Caller, Service
from tests.support.films import FFMPEG, film
from tests.support.oriented import CORNERS, ORIENTATIONS, exif, oriented, upright, with_exif, written
from tests.support.patience import PATIENCE_SECONDS

ASSETS = "/v1/assets"
FORMS = {"jpg": "image/jpeg", "png": "image/png", "webp": "image/webp"}
SIDEWAYS = {0: "null", 90: "transpose=cclock", 180: "hflip,vflip", 270: "transpose=clock"}


def is_upright(content: bytes) -> bool:
    image = QImage.fromData(content)
    assert image.height() > image.width()
    points = [(image.width() * x // 4, image.height() * y // 4) for y in (1, 3) for x in (1, 3)]
    return all(nearly(image.pixelColor(*point), color) for point, color in zip(points, CORNERS, strict=True))


def nearly(seen: QColor, wanted: str) -> bool:
    color = QColor(wanted)
    pairs = ((seen.red(), color.red()), (seen.green(), color.green()), (seen.blue(), color.blue()))
    return all(abs(one - other) < 40 for one, other in pairs)


def run(*command: str) -> None:
    subprocess.run(command, check=True, timeout=PATIENCE_SECONDS, capture_output=True)


@pytest.mark.first_case
@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("form", FORMS)
def test_a_small_picture_of_a_photo_is_upright(tmp_path: Path, form: str, orientation: int) -> None:
    path = tmp_path / "photo"
    path.write_bytes(oriented(form, orientation, 300, 400))

    drawn = draw_thumbnails(path, FORMS[form])

    assert drawn is not None
    assert all(is_upright(content) for content in drawn.values())
    # By which a browser would turn it once more.
    assert not any(note in content for content in drawn.values() for note in (b"eXIf", b"Exif"))
    assert QImage.fromData(drawn[ThumbnailSize.SMALL]).height() == 160


@pytest.mark.first_case
@pytest.mark.parametrize("degrees", SIDEWAYS)
def test_a_small_picture_of_a_film_is_upright(tmp_path: Path, degrees: int) -> None:
    upright(120, 160).save(str(tmp_path / "picture.png"))
    still = ("-loop", "1", "-framerate", "25", "-t", "1", "-i", str(tmp_path / "picture.png"))
    encode = ("-c:v", "libx264", "-qp", "10", "-pix_fmt", "yuv420p")
    run(*FFMPEG, *still, "-vf", SIDEWAYS[degrees], *encode, str(tmp_path / "plain.mp4"))
    note = ("-metadata:s:v:0", f"rotate={(360 - degrees) % 360}")
    run(*FFMPEG, "-i", str(tmp_path / "plain.mp4"), "-c", "copy", *note, str(tmp_path / "film.mp4"))

    drawn = draw_thumbnails(tmp_path / "film.mp4", "video/mp4")

    assert drawn is not None
    assert all(is_upright(content) for content in drawn.values())


@pytest.mark.parametrize("note", [exif(0), exif(9), b"", exif(6)[:13], b"XX" + exif(6), exif(6)[:4] + b"\xff" * 20])
@pytest.mark.parametrize("form", ["jpg", "webp"])
def test_a_malformed_note_turns_no_small_picture(tmp_path: Path, form: str, note: bytes) -> None:
    path = tmp_path / "photo"
    path.write_bytes(with_exif(written(form, upright(120, 160)), note))

    drawn = draw_thumbnails(path, FORMS[form])

    assert drawn is not None
    assert is_upright(drawn[ThumbnailSize.SMALL])


async def test_a_small_picture_that_was_drawn_on_its_side_is_drawn_anew(service: Service, owner: Caller) -> None:
    """By a version that turned none."""
    made = await owner.raw("POST", ASSETS, oriented("jpg", 6), "image/jpeg")
    digest = made.json()["id"].removeprefix("sha256:")
    kept = service.data / "assets" / "thumbnails" / f"{digest}-320"
    kept.write_bytes(b"\xff\xd8 on its side")

    response = await owner.get(f"{ASSETS}/sha256:{digest}/thumbnail?size=320")

    assert is_upright(response.content)


@pytest.mark.parametrize(
    ("claimed", "form", "found"),
    [
        ("image/jpeg", "webp", "image/webp"),
        ("image/heic", "jpg", "image/jpeg"),
        ("image/png", "jpg", "image/jpeg"),
        ("video/mp4", "png", "image/png"),
    ],
)
async def test_a_picture_is_taken_by_its_content(owner: Caller, claimed: str, form: str, found: str) -> None:
    content = oriented(form, 1)
    made = await owner.raw("POST", ASSETS, content, claimed)

    assert (made.status_code, made.json()["mediaType"]) == (201, found)
    assert (await owner.get(made.headers["Location"])).content == content


async def test_a_picture_that_is_sent_as_a_film_is_no_larger_than_a_picture(owner: Caller) -> None:
    response = await owner.raw("POST", ASSETS, oriented("png", 1) + bytes(25 * 1024 * 1024), "video/mp4")

    assert (response.status_code, response.json()["code"]) == (413, "too_large")


def heif(folder: Path, form: str) -> bytes:
    """A photo of CORNERS in HEIC or AVIF, which is to be turned as its boxes say."""
    upright(300, 400).save(str(folder / "picture.png"))
    run(
        "heif-enc",
        *(("-A",) if form == "avif" else ()),
        "-q",
        "95",
        "-o",
        str(folder / "photo"),
        str(folder / "picture.png"),
    )
    return (folder / "photo").read_bytes()


@pytest.mark.parametrize(("form", "media_type"), [("heic", "image/heic"), ("avif", "image/avif")])
async def test_a_photo_in_heic_or_avif_becomes_jpeg(owner: Caller, tmp_path: Path, form: str, media_type: str) -> None:
    content = heif(tmp_path, form)
    made = await owner.raw("POST", ASSETS, content, media_type)

    assert (made.status_code, made.json()["mediaType"]) == (201, "image/jpeg"), made.text
    stored = (await owner.get(made.headers["Location"])).content
    assert stored.startswith(b"\xff\xd8")
    assert is_upright(stored)
    again = await owner.raw("POST", ASSETS, content, media_type)
    assert (again.status_code, again.json()["id"]) == (200, made.json()["id"]), "the same photo is the same asset"


def box(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">L", 8 + len(content)) + kind + content


def on_its_side(photo: bytes, *, quarters: int) -> bytes:
    """The HEIC file with a box that turns its picture against the clock, as phones write it: `irot` among the
    properties, and one more association of the first item. What follows moves by as many bytes."""
    at = photo.index(b"ipco") - 4
    size = int.from_bytes(photo[at : at + 4], "big")
    properties = photo[at + 8 : at + size]
    count, here = 0, 0
    while here < len(properties):
        count, here = count + 1, here + int.from_bytes(properties[here : here + 4], "big")
    turned = box(b"ipco", properties + box(b"irot", bytes([quarters])))
    ipma = photo.index(b"ipma") - 4
    old = photo[ipma + 8 : ipma + int.from_bytes(photo[ipma : ipma + 4], "big")]
    # Version and flags, entries, item, associations.
    assert old[:8] == bytes(4) + struct.pack(">L", 1), "one item, with associations of one byte"
    links = box(b"ipma", old[:10] + bytes([old[10] + 1]) + old[11:] + bytes([0x80 | (count + 1)]))
    new = bytearray(photo[:at] + turned + photo[at + size : ipma] + links + photo[ipma + 8 + len(old) :])
    added = len(new) - len(photo)
    for kind in (b"iprp", b"meta"):
        place = photo.index(kind) - 4
        new[place : place + 4] = struct.pack(">L", int.from_bytes(photo[place : place + 4], "big") + added)
    iloc = new.index(b"iloc") + 4
    assert new[iloc : iloc + 6] == bytes(4) + b"\x44\x40", "offsets, lengths and bases of four bytes"
    here = iloc + 8
    for _ in range(int.from_bytes(new[iloc + 6 : iloc + 8], "big")):
        extents = int.from_bytes(new[here + 8 : here + 10], "big")
        here += 10
        for _ in range(extents):
            new[here : here + 4] = struct.pack(">L", int.from_bytes(new[here : here + 4], "big") + added)
            here += 8
    return bytes(new)


async def test_a_photo_of_a_phone_that_was_held_upright_is_upright(owner: Caller, tmp_path: Path) -> None:
    """Phones say it twice, in a box and in EXIF; it is turned once."""
    (tmp_path / "picture.jpg").write_bytes(oriented("jpg", 6, 300, 400))
    run("heif-enc", "-q", "95", "-o", str(tmp_path / "photo"), str(tmp_path / "picture.jpg"))
    content = on_its_side((tmp_path / "photo").read_bytes(), quarters=3)

    made = await owner.raw("POST", ASSETS, content, "image/heic")

    stored = (await owner.get(made.headers["Location"])).content
    assert is_upright(stored)
    assert b"Exif" not in stored
    assert is_upright((await owner.get(made.headers["Location"] + "/thumbnail?size=160")).content)


async def test_a_damaged_photo_is_refused(owner: Caller, tmp_path: Path) -> None:
    content = heif(tmp_path, "heic")
    for damaged in (content[: len(content) // 2], content[:60], content[:200] + bytes(len(content) - 200)):
        response = await owner.raw("POST", ASSETS, damaged, "image/heic")
        assert (response.status_code, response.json()["code"]) == (415, "asset_undecodable")
        assert "Export it as JPEG" in response.json()["detail"]


async def test_without_the_program_the_problem_says_what_to_install(
    owner: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = heif(tmp_path, "heic")
    monkeypatch.setenv("PATH", str(tmp_path))
    response = await owner.raw("POST", ASSETS, content, "image/heic")

    assert (response.status_code, response.json()["code"]) == (415, "photo_not_readable_here")
    assert "apt install libheif-examples" in response.json()["detail"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("MEMORY_BYTES", 1024 * 1024), ("PHOTO_SECONDS", 0.0001), ("MAX_IMAGE_BYTES", 1024)],
)
def test_a_photo_that_takes_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: float
) -> None:
    heif(tmp_path, "heic")
    monkeypatch.setattr(photos, name, value)
    with pytest.raises(ProblemError) as caught, as_jpeg(tmp_path / "photo"):
        pass
    assert caught.value.code == "asset_undecodable"


@pytest.mark.parametrize(("transfer", "name"), [("smpte2084", "PQ"), ("arib-std-b67", "HLG")])
@pytest.mark.parametrize("codec", ["hevc", "h264"])
async def test_an_hdr_film_is_refused_with_what_to_export(owner: Caller, codec: str, transfer: str, name: str) -> None:
    colors = ("-color_primaries", "bt2020", "-color_trc", transfer, "-colorspace", "bt2020nc")
    response = await owner.raw("POST", ASSETS, film(codec, more=colors).read_bytes(), "video/mp4")

    problem = response.json()
    assert (response.status_code, problem["code"]) == (415, "video_hdr")
    assert f"HDR ({name})" in problem["detail"]
    assert "Export it as SDR" in problem["detail"]


async def test_a_film_in_the_usual_colors_is_accepted(owner: Caller) -> None:
    colors = ("-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709")
    assert (await owner.raw("POST", ASSETS, film(more=colors).read_bytes(), "video/mp4")).status_code == 201
