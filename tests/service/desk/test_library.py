"""Pictures and films at the desk: uploaded part by part, named, and removed where nothing uses them."""

import hashlib
import re
from urllib.parse import quote

import pytest

from service.core.permissions import Role
from service.services.assets import checks
from tests.service.assets.test_uploads import IMAGE, MIN_PART_BYTES, NAME, PART
from tests.service.support.application import Cafe, Caller, Service, png
from tests.service.support.desk import ORIGIN, Person, person, text_of
from tests.support.films import film

PICTURES = "/desk/pictures"


async def send(one: Person, upload: str, offset: int, content: bytes, **more: str) -> tuple[int, str]:
    headers = {"Origin": ORIGIN, "HX-Request": "true", "X-CSRF-Token": one.csrf}
    headers |= {"Content-Type": PART, "Upload-Offset": str(offset), **more}
    answer = await one.client.post(f"{PICTURES}/uploads/{upload}", content=content, headers=headers)
    return answer.status_code, answer.text


async def test_a_picture_comes_in_parts_and_is_named_used_and_removed(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    async with person(service, Role.EDITOR) as one:
        await one.open(PICTURES)
        begun = await one.submit(f"{PICTURES}/uploads", {"mediaType": "image/png", "size": str(len(IMAGE))})
        upload = begun.json()["id"]
        assert (await send(one, upload, 0, IMAGE[:MIN_PART_BYTES]))[0] == 200
        assert (await send(one, upload, 7, IMAGE[MIN_PART_BYTES:]))[0] == 409
        told = (await one.client.get(f"{PICTURES}/uploads/{upload}")).json()
        status, _ = await send(one, upload, told["offset"], IMAGE[MIN_PART_BYTES:])
        assert status == 200
        page = f"{PICTURES}/{NAME}"
        assert f'href="{page}"' in (await one.open(PICTURES)).text
        assert (await one.client.get(f"{page}/thumbnail")).headers["content-type"].startswith("image/")
        await one.submit(page, {"alt": "A window in the rain"})
        shown = text_of(await one.open(page))
        assert "It is called A window in the rain now." in shown
        assert "Nowhere." in shown
        await owner.patch(f"/v1/content/items/{cafe.coffee}", {"image": NAME})
        assert "Nowhere." not in text_of(await one.open(page))
        assert (await one.submit(f"{page}/remove")).status_code == 409
        await owner.patch(f"/v1/content/items/{cafe.coffee}", {"image": None})
        await one.submit(f"{page}/remove")
        assert "A window in the rain is removed." in text_of(await one.open(PICTURES))


async def test_a_small_picture_is_uploaded_without_scripts(service: Service, cafe: Cafe) -> None:
    async with person(service, Role.EDITOR) as one:
        await one.open(PICTURES)
        files = {"file": ("cup.png", png(7), "image/png")}
        sent = await one.client.post(PICTURES, data={"csrf": one.csrf}, files=files, headers={"Origin": ORIGIN})
        assert sent.headers["location"] == f"{PICTURES}/sha256:{hashlib.sha256(png(7)).hexdigest()}"
        files = {"file": ("cup.gif", b"GIF89a", "image/gif")}
        refused = await one.client.post(PICTURES, data={"csrf": one.csrf}, files=files, headers={"Origin": ORIGIN})
        assert refused.status_code == 415
        assert "Only PNG, JPEG, WebP, HEIC and AVIF pictures" in text_of(refused)
        assert 'value="cup"' in (await one.open(sent.headers["location"])).text, "it has its file's name"


@pytest.mark.parametrize(
    ("file_name", "name"),
    [
        ("IMG_1234.HEIC", "IMG_1234"),
        ("Käse%20%26%20Brot.jpg", "Käse & Brot"),
        ("C:%5CBilder%5Ctorte.v2.png", "torte.v2"),
        ("menu", "menu"),
        ("%0A.png", None),
        ("%E2%80%AE.png", None),
        ("a" * 700, "a" * 500),
    ],
)
async def test_an_upload_keeps_the_name_of_its_file(service: Service, owner: Caller, file_name: str, name: str) -> None:
    async with person(service, Role.EDITOR) as one:
        await one.open(PICTURES)
        begun = await one.submit(f"{PICTURES}/uploads", {"mediaType": "image/png", "size": str(len(png(7)))})
        sent = await send(one, begun.json()["id"], 0, png(7), **{"X-File-Name": quote(file_name, safe="%")})
    assert sent[0] == 200
    [asset] = (await owner.get("/v1/assets")).json()["data"]
    assert asset["alt"] == name


async def test_who_only_reads_sees_pictures_and_no_way_to_change_them(service: Service, owner: Caller) -> None:
    await owner.raw("POST", "/v1/assets", IMAGE, "image/png")
    async with person(service, Role.VIEWER) as one:
        for path in (PICTURES, f"{PICTURES}/{NAME}"):
            assert not re.search(rf'action="{PICTURES}', (await one.open(path)).text)
        assert (await one.submit(f"{PICTURES}/uploads", {"mediaType": "image/png", "size": "9"})).status_code == 403
        assert (await send(one, "upl_x", 0, b"x"))[0] == 403


async def test_a_film_in_hdr_that_was_stored_before_is_told(
    service: Service, owner: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a version that accepted it."""
    colors = ("-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc")
    with monkeypatch.context() as before:
        before.setattr(checks, "_HDR", {})
        hdr = await owner.raw("POST", "/v1/assets", film(more=colors).read_bytes(), "video/mp4")
    usual = await owner.raw("POST", "/v1/assets", film().read_bytes(), "video/mp4")

    async with person(service, Role.VIEWER) as one:
        for _ in range(2):
            assert "This film is HDR" in text_of(await one.open(f"{PICTURES}/{hdr.json()['id']}"))
        assert "This film is HDR" not in text_of(await one.open(f"{PICTURES}/{usual.json()['id']}"))
