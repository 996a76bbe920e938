"""Runs an operator's commands as the user whose data they change."""

import os
from pathlib import Path


def become_owner(folder: Path) -> None:
    """Where root works on somebody else's folder, go on as its owner, so that nothing is left in it that the service
    cannot read. A folder that does not exist yet, or is root's, changes nothing. Raises OSError."""
    if os.geteuid() != 0:
        return
    try:
        owner = folder.stat()
    except FileNotFoundError:
        return
    if owner.st_uid == 0:
        return
    os.setgroups([])
    os.setgid(owner.st_gid)
    os.setuid(owner.st_uid)
