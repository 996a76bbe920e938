"""Runs an operator's commands as the user whose data they change."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def become_owner(folder: Path) -> None:
    """Where root works on somebody else's folder, go on as its owner, so that nothing is left in it that the service
    cannot read. A folder that does not exist yet, or is root's, changes nothing. Raises OSError."""
    owner = _other_owner(folder)
    if owner is not None:
        os.setgroups([])
        os.setgid(owner.st_gid)
        os.setuid(owner.st_uid)


@contextmanager
def as_owner(folder: Path) -> Iterator[None]:
    """Do the same inside the `with` block only, for commands whose other files may be where only root may reach."""
    owner = _other_owner(folder)
    if owner is None:
        yield
        return
    with _as(owner.st_uid, owner.st_gid):
        yield


@contextmanager
def as_caller() -> Iterator[None]:
    """Be the user who gave the command again, inside of `as_owner`."""
    with _as(os.getuid(), os.getgid()):
        yield


def _other_owner(folder: Path) -> os.stat_result | None:
    if os.geteuid() != 0:
        return None
    try:
        owner = folder.stat()
    except FileNotFoundError:
        return None
    return None if owner.st_uid == 0 else owner


@contextmanager
def _as(user: int, group: int) -> Iterator[None]:
    before = os.geteuid(), os.getegid()
    _become(user, group)
    try:
        yield
    finally:
        _become(*before)


def _become(user: int, group: int) -> None:
    if (user, group) != (os.geteuid(), os.getegid()):
        # Only root may become another.
        os.seteuid(os.getuid())
        os.setegid(group)
        os.seteuid(user)
