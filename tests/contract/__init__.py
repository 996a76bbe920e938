"""Checks the running service against its API document with schemathesis, over HTTP."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.parse
from pathlib import Path

from tests.support.loaded import run_loaded
from tests.support.patience import PATIENCE_SECONDS
from tests.support.programs import Service, call

HERE = Path(__file__).parent
NO_LIMITS = "reads=0,writes=0,bulk=0,pairing=0"
DEVICE_ID = "0123456789abcdef0123456789abcdef"
CHAINS = (
    ("Screens", "Players", "Assets", "Locations", "Playlists"),
    ("Playlists", "Scenes", "Schedules", "Approvals"),
    ("Locations", "Groups", "Items at a place"),
    ("Content items", "Webhooks", "Points of sale", "Keys", "Team", "Subscription"),
)
"""Groups of tags whose calls are chained: with all calls at once, few chains would become long."""
GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"


def open_service(folder: Path) -> Service:
    """A service process with the sample café and without rate limits."""
    service = Service(folder)
    service.environment |= {"MENU_SERVICE_RATE_LIMITS": NO_LIMITS, "MENU_SERVICE_BILLING_SECRET": "shared with nobody"}
    run_loaded("service", "demo-data", "--data", str(service.data), timeout=PATIENCE_SECONDS).check_returncode()
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


def check_chain(
    service: Service, token: str, tags: tuple[str, ...], *flags: str, output: int | None = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    """Let the tool follow the links between the calls of some tags."""
    chosen = [part for tag in tags for part in ("--include-tag", tag)]
    return check_contract(service, token, "--phases", "stateful", *chosen, *flags, output=output)


def check_contract(
    service: Service, token: str, *flags: str, output: int | None = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    """Let the tool call every operation. Its exit code is 0 if it found nothing.

    With `output=None` it reports on standard output while it runs.
    """
    # The service makes the document at the first request for it, and the tool waits for 10 s, whatever it is told.
    call("GET", f"{service.address}/openapi.json")
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
