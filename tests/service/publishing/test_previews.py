"""Previews: rendered by the real player, limited, cached, and only of what a key may see."""

import asyncio
import importlib.metadata
import json
import os
import struct
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from player.version import VERSION
from service.core.permissions import Role
from service.services.publishing import previews
from service.services.publishing.player_process import find_player, release_of_player
from service.services.publishing.previews import (
    MAX_CACHED_BYTES,
    MAX_IMAGE_BYTES,
    MAX_RENDERERS,
    MAX_WAITING,
    MAX_WIDTH,
)
from tests.service.support.application import Cafe, Caller, Service, body_of, png, start, until
from tests.support.fonts import font_file


@pytest.fixture
def database_url() -> None:
    """SQLite only: a preview does not depend on the engine."""


def path_of(cafe: Cafe, query: str = "") -> str:
    return f"/v1/scenes/{cafe.scene}/preview.png{query}"


def pixels(answer: httpx.Response) -> tuple[int, int]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "image/png"
    width, height = struct.unpack(">II", answer.content[16:24])
    return width, height


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


class Stand:
    """A stand-in for the player that fails on demand."""

    def __init__(self, folder: Path, script: str) -> None:
        self.runs = folder / "runs"
        path = folder / "stand.py"
        path.write_text(
            f"import sys, time, os\nopen({str(self.runs)!r}, 'a').write('x')\nout = sys.argv[-1]\n{script}\n"
        )
        self.command = (sys.executable, str(path))

    @property
    def count(self) -> int:
        return len(self.runs.read_text()) if self.runs.exists() else 0


def stand_in(service: Service, folder: Path, script: str = "open(out, 'wb').write(b'picture')") -> Stand:
    stand = Stand(folder, script)
    service.services.previews._player = stand.command
    return stand


async def test_a_preview_is_rendered_by_the_player_and_cached(owner: Caller, cafe: Cafe) -> None:
    first = await owner.get(path_of(cafe, "?width=480"))
    assert pixels(first) == (480, 270)
    tag = first.headers["etag"]

    again = await owner.get(path_of(cafe, "?width=480"))
    assert (again.content, again.headers["etag"]) == (first.content, tag)
    known = await owner.get(path_of(cafe, "?width=480"), **{"If-None-Match": tag})
    assert (known.status_code, known.content) == (304, b"")

    # A sold-out item is gone from the image.
    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"eightySixed": True})
    after = await owner.get(path_of(cafe, "?width=480"), **{"If-None-Match": tag})
    assert pixels(after) == (480, 270)
    assert after.headers["etag"] != tag
    assert after.content != first.content


async def test_a_scene_all_of_whose_items_are_sold_out_has_an_image(owner: Caller, cafe: Cafe) -> None:
    for item in (cafe.coffee, cafe.cake):
        await owner.patch(f"/v1/content/items/{item}", {"eightySixed": True})
    assert pixels(await owner.get(path_of(cafe, "?width=480"))) == (480, 270)


@pytest.mark.long
async def test_a_preview_is_in_the_language_of_the_call(owner: Caller, cafe: Cafe) -> None:
    await owner.patch(f"/v1/content/items/{cafe.cake}", {"translations": {"ar": {"name": "كعكة"}}})
    plain, arabic = [(await owner.get(path_of(cafe, query))).content for query in ("", "?language=ar")]
    assert plain != arabic
    refused = await owner.get(path_of(cafe, "?language=nonsense!"))
    assert refused.status_code == 422


async def test_a_change_of_scene_item_width_or_location_gives_another_image(
    service: Service, owner: Caller, cafe: Cafe, tmp_path: Path
) -> None:
    stand = stand_in(service, tmp_path)
    tokyo = await owner.make(
        "/v1/locations", {"name": "Ginza", "timezone": "Asia/Tokyo", "currency": "JPY", "locale": "ja-JP"}
    )
    queries = ("", "?width=481", f"?location={tokyo['id']}", "?language=ar", "?language=en")
    tags = [(await owner.get(path_of(cafe, query))).headers["etag"] for query in queries]
    await owner.patch(f"/v1/scenes/{cafe.scene}", {"name": "Another"})
    tags.append((await owner.get(path_of(cafe))).headers["etag"])
    await owner.patch(f"/v1/content/items/{cafe.cake}", {"price": 5})
    tags.append((await owner.get(path_of(cafe))).headers["etag"])

    assert len(set(tags)) == len(tags) == stand.count
    await owner.get(path_of(cafe))
    assert stand.count == len(tags), "what is kept is not drawn again"


async def test_another_release_of_the_player_renders_again(
    service: Service, owner: Caller, cafe: Cafe, tmp_path: Path
) -> None:
    stand = stand_in(service, tmp_path)
    tag = (await owner.get(path_of(cafe))).headers["etag"]
    service.services.previews._release = "a later one"

    answer = await owner.get(path_of(cafe), **{"If-None-Match": tag})

    assert answer.status_code == 200
    assert answer.headers["etag"] != tag
    assert stand.count == 2
    assert release_of_player() == VERSION


def test_another_player_from_a_package_is_another_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Debian's packages are no distributions to Python."""

    def none(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    program = tmp_path / "menu-player"
    program.touch(0o755)
    monkeypatch.setattr(importlib.metadata, "version", none)
    monkeypatch.setenv("PATH", str(tmp_path))
    os.utime(program, (1, 1))
    before = release_of_player()
    os.utime(program, (2, 2))
    assert "" != before != release_of_player()


@pytest.mark.parametrize("timed", [{"type": "clock"}, {"type": "countdown", "end": "24:00"}])
async def test_only_the_time_makes_an_image_expire(
    service: Service, owner: Caller, cafe: Cafe, tmp_path: Path, timed: dict[str, str]
) -> None:
    stand_in(service, tmp_path)
    clock = {"id": "c", "x": 0, "y": 0, "width": 100, "height": 100, **timed}
    with_time = await owner.make("/v1/scenes", {"name": "T", "widgets": [clock]})
    before = [
        (await owner.get(f"/v1/scenes/{scene}/preview.png")).headers["etag"] for scene in (cafe.scene, with_time["id"])
    ]
    await service.clock.advance(60)
    after = [
        (await owner.get(f"/v1/scenes/{scene}/preview.png")).headers["etag"] for scene in (cafe.scene, with_time["id"])
    ]

    assert before[0] == after[0]
    assert before[1] != after[1]


async def test_the_child_gets_the_scene_and_its_images_but_no_secrets(
    service: Service, owner: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MENU_SERVICE_BILLING_SECRET", "s3cret")
    seen = tmp_path / "seen"
    stand_in(
        service,
        tmp_path,
        f"open({str(seen)!r}, 'w').write(repr(dict(os.environ)) + repr(sorted(os.listdir('assets'))))\n"
        "open(out, 'wb').write(open('assets/' + os.listdir('assets')[0], 'rb').read())",
    )
    image = (await owner.raw("POST", "/v1/assets", png(), "image/png")).json()["id"]
    widget = {"id": "i", "type": "image", "asset": image, "x": 0, "y": 0, "width": 100, "height": 100}
    scene = await owner.make("/v1/scenes", {"name": "T", "widgets": [widget]})

    answer = await owner.get(f"/v1/scenes/{scene['id']}/preview.png")

    assert answer.content == png()
    assert "s3cret" not in seen.read_text()


BROKEN: list[tuple[str, str]] = [
    ("sys.exit(1)", "preview_failed"),
    ("pass", "preview_failed"),
    ("open(out, 'wb').truncate(17 * 1024 * 1024)", "preview_failed"),
    ("x = bytearray(5 * 1024**3)", "preview_failed"),
    ("os.kill(os.getpid(), 11)", "preview_failed"),
]


@pytest.mark.first_case
@pytest.mark.parametrize(("script", "problem"), BROKEN)
async def test_a_failing_player_is_a_503(
    service: Service, owner: Caller, cafe: Cafe, tmp_path: Path, script: str, problem: str
) -> None:
    stand_in(service, tmp_path, script)
    answer = await owner.get(path_of(cafe))
    assert code(answer) == (503, problem)
    assert answer.headers["retry-after"]


@pytest.mark.parametrize("stream", ["open(out, 'wb', 0)", "open(2, 'wb', 0)"], ids=["picture", "words"])
async def test_the_output_of_a_player_is_limited(
    service: Service, owner: Caller, cafe: Cafe, tmp_path: Path, stream: str
) -> None:
    written = tmp_path / "written"
    stand_in(
        service,
        tmp_path,
        f"file = {stream}\n"
        "try:\n"
        "    for _ in range(64): file.write(bytes(1024 * 1024))\n"
        "finally:\n"
        f"    open({str(written)!r}, 'w').write(str(os.fstat(file.fileno()).st_size))",
    )

    assert code(await owner.get(path_of(cafe))) == (503, "preview_failed")
    assert int(written.read_text()) == MAX_IMAGE_BYTES


async def test_the_log_has_the_last_output_of_a_failed_player(
    service: Service, owner: Caller, cafe: Cafe, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stand_in(service, tmp_path, "sys.exit('x' * 100_000 + ' there is no font')")
    await owner.get(path_of(cafe))

    [record] = [record for record in caplog.records if record.name == previews.__name__]
    assert record.getMessage().endswith("x there is no font")
    assert len(record.getMessage()) < 5_000


async def test_a_hanging_player_is_killed_with_its_children(
    service: Service, owner: Caller, cafe: Cafe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previews, "RENDER_SECONDS", 2.0)
    pid = tmp_path / "pid"
    stand_in(service, tmp_path, f"open({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)")

    assert code(await owner.get(path_of(cafe))) == (503, "preview_failed")
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


async def test_concurrent_and_waiting_renders_are_limited(
    service: Service, owner: Caller, cafe: Cafe, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    stand = stand_in(
        service, tmp_path, f"while not os.path.exists({str(go)!r}): time.sleep(0.01)\nopen(out, 'wb').write(b'p')"
    )
    most = MAX_RENDERERS + MAX_WAITING
    calls = [start(owner.get(path_of(cafe, f"?width={100 + number}"))) for number in range(most)]
    await until(lambda: service.services.previews._slots.taken == most and stand.count == MAX_RENDERERS)

    refused = await owner.get(path_of(cafe, "?width=300"))
    assert code(refused) == (503, "preview_busy")
    assert int(refused.headers["retry-after"]) > 0
    assert stand.count == MAX_RENDERERS

    go.touch()
    assert {answer.status_code for answer in await asyncio.gather(*calls)} == {200}
    assert pixels_kept(service) <= MAX_CACHED_BYTES


def pixels_kept(service: Service) -> int:
    return sum(map(len, service.services.previews._cache.values()))


async def test_calls_for_the_same_image_render_it_at_most_once_per_renderer(
    service: Service, owner: Caller, cafe: Cafe, tmp_path: Path
) -> None:
    stand = stand_in(service, tmp_path)
    answers = await asyncio.gather(*(owner.get(path_of(cafe)) for _ in range(6)))
    assert {answer.status_code for answer in answers} == {200}
    assert stand.count <= MAX_RENDERERS


async def test_the_cache_is_limited(
    service: Service, owner: Caller, cafe: Cafe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previews, "MAX_CACHED_BYTES", 20)
    stand = stand_in(service, tmp_path, "open(out, 'wb').write(b'p' * 8)")
    for width in (100, 101, 102, 102, 100):
        await owner.get(path_of(cafe, f"?width={width}"))
    assert pixels_kept(service) <= 20
    assert stand.count == 4


async def test_without_a_player_the_service_says_so(service: Service, owner: Caller, cafe: Cafe) -> None:
    service.services.previews._player = None
    assert code(await owner.get(path_of(cafe))) == (501, "preview_unavailable")
    assert find_player() is not None


REFUSED: list[tuple[str, int]] = [
    (f"?width={MAX_WIDTH + 1}", 422),
    ("?width=63", 422),
    ("?width=wide", 422),
    ("?location=loc_none", 404),
]


async def test_width_and_visibility_are_checked(service: Service, owner: Caller, cafe: Cafe, tmp_path: Path) -> None:
    stand = stand_in(service, tmp_path)
    for query, status in REFUSED:
        assert (await owner.get(path_of(cafe, query))).status_code == status, query
    assert (await owner.get("/v1/scenes/scn_none/preview.png")).status_code == 404
    assert (await service.stranger().get(path_of(cafe))).status_code == 404
    assert (await service.client.get(path_of(cafe))).status_code == 401
    assert stand.count == 0

    elsewhere = await owner.make(
        "/v1/locations", {"name": "Ginza", "timezone": "Asia/Tokyo", "currency": "JPY", "locale": "ja-JP"}
    )
    narrowed: Any = await owner.make(
        "/v1/keys", {"name": "Ginza", "role": Role.VIEWER.value, "locations": [elsewhere["id"]]}
    )
    key = Caller(service.client, narrowed["key"])
    assert (await key.get(path_of(cafe, f"?location={cafe.location}"))).status_code == 404
    own = await key.get(path_of(cafe))
    assert own.status_code == 200
    # The prices of its own location, although another one is older.
    assert own.headers["etag"] == (await owner.get(path_of(cafe, f"?location={elsewhere['id']}"))).headers["etag"]


@pytest.mark.long
async def test_a_text_with_values_is_drawn_anew_when_they_change(service: Service, owner: Caller, cafe: Cafe) -> None:
    box = {"x": 0, "y": 0, "width": 900, "height": 100}
    widget = {"id": "w", "type": "text", **box, "text": "{{temperature}} °C"}
    assert (await owner.patch(f"/v1/scenes/{cafe.scene}", {"widgets": [widget]})).status_code == 200
    images = []
    for value in (None, 21, 21, 22):
        told = None if value is None else {"value": value, "expiresAt": "2099-11-20T17:00:00Z"}
        at = f"/v1/locations/{cafe.location}/values"
        assert (await owner.patch(at, {"values": {"temperature": told}})).status_code == 200
        images.append((await owner.get(path_of(cafe, f"?width=480&location={cafe.location}"))).content)
    nothing, first, again, other = images
    assert first == again
    assert len({nothing, first, other}) == 3


async def test_a_screen_of_another_shape_is_drawn_with_bars(owner: Caller, cafe: Cafe) -> None:
    assert pixels(await owner.get(path_of(cafe, "?width=180&height=320"))) == (180, 320)
    assert code(await owner.get(path_of(cafe, "?height=5000"))) == (422, "invalid")


@pytest.mark.long
async def test_a_scene_is_drawn_with_a_change_that_is_not_made(owner: Caller, cafe: Cafe) -> None:
    drawn = await owner.get(path_of(cafe, "?width=180"))
    text = {"id": "t", "type": "text", "text": "Soup", "x": 0, "y": 0, "width": 900, "height": 300}
    changed = await owner.post(path_of(cafe, "?width=180"), {"widgets": [text]})
    assert pixels(changed) == (180, 101)
    assert changed.headers["etag"] != drawn.headers["etag"]
    assert (await owner.get(path_of(cafe, "?width=180"))).headers["etag"] == drawn.headers["etag"]
    outside = await owner.post(path_of(cafe), {"widgets": [{**text, "x": 9000}]})
    assert (outside.status_code, outside.json()["errors"][0]["code"]) == (422, "outside_canvas")
    assert (await owner.post("/v1/scenes/scn_none/preview.png", {})).status_code == 404


@pytest.mark.long
async def test_a_scene_is_tried_with_another_number_of_items(
    service: Service, owner: Caller, cafe: Cafe, tmp_path: Path
) -> None:
    seen = tmp_path / "seen"
    copy = f"open({str(seen)!r}, 'wb').write(open('items.json', 'rb').read())"
    stand_in(service, tmp_path, f"{copy}\nopen(out, 'wb').write(b'picture')")
    for count in (1, 60):
        assert (await owner.get(path_of(cafe, f"?items={count}"))).status_code == 200
        items = json.loads(seen.read_bytes())["items"]
        assert len({one["id"] for one in items}) == count
    assert code(await owner.get(path_of(cafe, "?items=201"))) == (422, "invalid")
    assert code(await owner.get(path_of(cafe, "?items=0"))) == (422, "invalid")


@pytest.mark.long
async def test_a_template_is_drawn_with_the_current_items_and_creates_nothing(
    service: Service, owner: Caller, cafe: Cafe
) -> None:
    before = len((await owner.get("/v1/scenes")).json()["data"])
    path = "/v1/scenes/templates/burgers/preview.png?width=180"
    drawn = await owner.get(path)
    assert pixels(drawn) == (180, 101)
    assert pixels(await owner.get(path + "&orientation=portrait&theme=night")) == (180, 320)
    await owner.patch(f"/v1/content/items/{cafe.coffee}", {"name": "Filter coffee"})
    assert (await owner.get(path)).headers["etag"] != drawn.headers["etag"]
    assert (await owner.get("/v1/scenes/templates/none/preview.png")).status_code == 404
    assert (await owner.get(path + "&theme=none")).status_code == 422
    assert len((await owner.get("/v1/scenes")).json()["data"]) == before


async def test_a_scene_is_drawn_with_the_fonts_that_were_uploaded(owner: Caller) -> None:
    font = body_of(await owner.raw("POST", "/v1/assets", font_file(), "font/ttf"))["id"]
    text = {"id": "t", "type": "text", "text": "IIII", "x": 0, "y": 0, "width": 1920, "height": 1080}
    drawn = {}
    for family in (font, "Inter"):
        made = await owner.make("/v1/scenes", {"name": "S", "widgets": [text], "theme": {"fontFamily": family}})
        drawn[family] = await owner.get(f"/v1/scenes/{made['id']}/preview.png?width=480")
    assert {pixels(answer) for answer in drawn.values()} == {(480, 270)}
    assert drawn[font].content != drawn["Inter"].content
