"""The last picture and log of a screen: sent by its player, replaced by the next, gone with the screen."""

from datetime import timedelta

import pytest
from sqlalchemy import func, select

from service.core.permissions import Role
from service.services.devices.screen_uploads import MAX_LOG_BYTES, MAX_SCREENSHOT_BYTES
from service.storage.tables.screens import ScreenUploadRow
from tests.service.support.application import Cafe, Caller, Device, Service, VirtualClock, pair, png


def stored(service: Service) -> int:
    with service.services.database.read() as session:
        return session.scalar(select(func.count()).select_from(ScreenUploadRow)) or 0


async def test_the_last_picture_replaces_the_one_before(
    service: Service, owner: Caller, device: Device, clock: VirtualClock
) -> None:
    path = f"/v1/screens/{device.screen}/screenshot"
    missing = await owner.get(path)
    assert (missing.status_code, missing.json()["code"]) == (404, "not_sent")

    assert (await device.send("screenshot", png(1))).json() == {"receivedAt": "2026-11-20T12:00:00.000Z"}
    clock.set(clock.now() + timedelta(hours=1))
    await device.send("screenshot", png(2))

    found = await owner.get(path)
    assert (found.status_code, found.content) == (200, png(2))
    assert found.headers["Content-Type"] == "image/png"
    assert found.headers["Last-Modified"] == "Fri, 20 Nov 2026 13:00:00 GMT"
    assert found.headers["X-Content-Type-Options"] == "nosniff"
    assert stored(service) == 1


async def test_the_last_log_is_shown_as_text(owner: Caller, device: Device) -> None:
    await device.send("logs", "WARNING die Küche <b>\n".encode())

    found = await owner.get(f"/v1/screens/{device.screen}/logs")

    assert (found.status_code, found.text) == (200, "WARNING die Küche <b>\n")
    assert found.headers["Content-Type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize(
    ("path", "content", "status"),
    [
        ("screenshot", b"<html>", 415),
        ("screenshot", b"", 415),
        ("screenshot", png().ljust(MAX_SCREENSHOT_BYTES + 1), 413),
        ("logs", b"x" * (MAX_LOG_BYTES + 1), 413),
    ],
)
async def test_what_is_no_picture_or_too_large_is_refused(
    service: Service, device: Device, path: str, content: bytes, status: int
) -> None:
    assert (await device.send(path, content)).status_code == status
    assert stored(service) == 0


async def test_who_sees_the_screen_sees_its_uploads(service: Service, owner: Caller, device: Device) -> None:
    await device.send("logs", b"INFO all is well\n")
    path = f"/v1/screens/{device.screen}/logs"
    assert (await service.caller(Role.VIEWER).get(path)).status_code == 200
    assert (await service.stranger().get(path)).status_code == 404
    assert (await service.device().send("logs", b"")).status_code == 401


async def test_uploads_are_gone_with_the_screen_and_with_its_pairing(
    service: Service, owner: Caller, cafe: Cafe, device: Device
) -> None:
    await device.send("logs", b"of before")
    again = await pair(service, owner, cafe)
    assert again.screen == device.screen
    assert stored(service) == 0

    await again.send("screenshot", png())
    assert stored(service) == 1
    await owner.delete(f"/v1/screens/{again.screen}")
    assert stored(service) == 0
