"""Deletes the enrolment token from this machine once its board is paired. systemd/menu-player-token.service runs it, as
root, when the player asks for it."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # Run as a file, by a Python that looks for nothing but its own library.
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import msgspec
from msgspec.structs import replace

from player.boot_file.document import ENROLMENT, without_tokens
from player.boot_file.run import TAKEN, overwrite, read_taken
from player.domain.pairing.boot_file import IS_ENROLLED

REQUEST = Path("run/menu-player") / IS_ENROLLED
FOLDER = Path("etc/menu-player")


def delete_used_token(root: Path) -> None:
    """Deletes it where the boot file's reader has left it, and with its line from the settings. Raises OSError."""
    (root / REQUEST).unlink(missing_ok=True)
    taken = read_taken(root / TAKEN)
    if ENROLMENT in taken.secrets:
        # First of all: the player asks for as long as a token stands in its settings.
        kept = {key: secret for key, secret in taken.secrets.items() if key != ENROLMENT}
        overwrite(root / TAKEN, msgspec.json.encode(replace(taken, secrets=kept)))
    for file in (root / FOLDER / "config.toml", *(root / FOLDER).glob("config.d/*.toml")):
        # With the person's line ends, and what is no text.
        text = file.read_bytes().decode(errors="surrogateescape") if file.is_file() else ""
        if (left := without_tokens(text)) != text:
            overwrite(file.resolve(), left.encode(errors="surrogateescape"))


if __name__ == "__main__":
    delete_used_token(Path("/"))
