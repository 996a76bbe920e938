"""The running service, held against its own API document by a public tool: schemathesis calls it over HTTP."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.parse
from pathlib import Path

from tests.support.programs import Service, call

HERE = Path(__file__).parent
NO_LIMITS = "reads=0,writes=0,bulk=0,pairing=0"
DEVICE_ID = "0123456789abcdef0123456789abcdef"
CHAINS = (
    ("Screens", "Players", "Assets", "Locations", "Playlists"),
    ("Playlists", "Scenes", "Schedules", "Approvals"),
    ("Content items", "Webhooks", "Points of sale", "Keys", "Team", "Subscription"),
)
"""Tags whose calls are chained together: among all calls at once, few chains would become long."""
GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"


def open_service(folder: Path) -> Service:
    """A service as a process, with the sample café, that counts no calls."""
    service = Service(folder)
    service.environment |= {"MENU_SERVICE_RATE_LIMITS": NO_LIMITS, "MENU_SERVICE_BILLING_SECRET": "shared with nobody"}
    loading = [sys.executable, "-m", "service", "demo-data", "--data", str(service.data)]
    subprocess.run(loading, check=True, capture_output=True)
    service.start()
    return service


def pair(service: Service) -> str:
    """The token of a screen that plays the sample."""
    codes = _send_form(service, "device_authorization", client_id="menu-player", device_id=DEVICE_ID)
    playlist, location = (service.get(path)["data"][0]["id"] for path in ("/playlists", "/locations"))
    service.post("/screens/pair", {"code": codes["user_code"], "playlist": playlist, "location": location})
    device_code = codes["device_code"]
    granted = _send_form(service, "token", client_id="menu-player", grant_type=GRANT_TYPE, device_code=device_code)
    return granted["access_token"]


def chain(
    service: Service, token: str, tags: tuple[str, ...], *flags: str, output: int | None = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    """Let the tool follow the document's links among the calls of some tags."""
    chosen = [part for tag in tags for part in ("--include-tag", tag)]
    return hold(service, token, "--phases", "stateful", *chosen, *flags, output=output)


def hold(
    service: Service, token: str, *flags: str, output: int | None = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    """Let the tool call every operation, and say what it found. Its exit code is 0 when that is nothing.

    With an `output` of None it says so on standard output as it goes.
    """
    secrets = {"CONTRACT_KEY": service.key, "CONTRACT_TOKEN": token}
    return subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "--config-file", str(HERE / "schemathesis.toml")),
            *("run", f"{service.address}/openapi.json", "--no-color", *flags),
        ],
        env={**os.environ, **secrets, "PYTHONPATH": str(HERE.parent.parent)},
        stdout=output,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def _send_form(service: Service, path: str, **fields: str) -> dict[str, str]:
    answer: dict[str, str] = call(
        "POST",
        f"{service.address}/v1/player/{path}",
        content=urllib.parse.urlencode(fields).encode(),
        content_type="application/x-www-form-urlencoded",
    )
    return answer
