"""Records what a program does to a folder on disk, and makes every disk that a power cut could leave of it.

A file's data is safe once the file was synced, a name once its folder was. Whatever is not safe may be lost, by itself
or with all the rest, in any order: that is more than any file system of a board does.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import FileIO
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from player.storage import durable

Tree = dict[str, bytes | None]
"""Content by path within the folder; None for a directory."""

_CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.mknod"}
"""Events of `sys.addaudithook` that change what is on disk."""


@dataclass(frozen=True)
class Inode:
    """A file, whatever its names."""

    number: int


@dataclass(frozen=True)
class Create:
    path: str
    inode: Inode


@dataclass(frozen=True)
class Write:
    inode: Inode
    offset: int
    data: bytes


@dataclass(frozen=True)
class Cut:
    """Cut, or extended with zeros."""

    inode: Inode
    size: int


@dataclass(frozen=True)
class Rename:
    path: str
    to: str


@dataclass(frozen=True)
class Unlink:
    path: str


@dataclass(frozen=True)
class Mkdir:
    path: str


@dataclass(frozen=True)
class Rmdir:
    path: str


@dataclass(frozen=True)
class SyncFile:
    inode: Inode


@dataclass(frozen=True)
class SyncFolder:
    path: str


Data = Write | Cut
Name = Create | Rename | Unlink | Mkdir | Rmdir
Step = Data | Name | SyncFile | SyncFolder


@dataclass
class Recording:
    """The steps so far; `unseen` names the changes that went past the recorder."""

    root: Path
    steps: list[Step] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    _inodes: dict[int, Inode] = field(default_factory=dict)
    _expected: list[str] = field(default_factory=list)

    def under(self, path: object) -> str | None:
        """The path within the folder, None outside; the folder itself is `.`."""
        if not isinstance(path, str | os.PathLike):
            return None
        whole = Path(path).absolute()
        return str(whole.relative_to(self.root)) if whole.is_relative_to(self.root) else None

    def inode(self, descriptor: int) -> Inode | None:
        return self._inodes.get(os.fstat(descriptor).st_ino)

    def created(self, path: str, descriptor: int) -> None:
        inode = Inode(len(self._inodes) + len(self.steps))
        self._inodes[os.fstat(descriptor).st_ino] = inode
        self.steps.append(Create(path, inode))

    def check(self) -> None:
        """Fails if anything on the disk is not as recorded."""
        assert self.unseen == [], "the storage changes the disk in a way that is not recorded here"
        assert replay(self.steps, self.steps) == tree_of(self.root), "something was written past the recorder"


@contextmanager
def recording(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Recording]:
    """Record what happens under an empty folder until the block is left."""
    seen = Recording(root=root)
    real_open, real_fsync, real_allocate = os.open, os.fsync, os.posix_fallocate

    def open_(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        name = seen.under(path)
        if name is None:
            return real_open(path, flags, mode, dir_fd=dir_fd)
        assert dir_fd is None, "not recorded"
        existed = os.path.lexists(path)
        with _expected(seen, "open"):
            descriptor = real_open(path, flags, mode)
        if not existed:
            seen.created(name, descriptor)
        elif flags & os.O_TRUNC and (inode := seen.inode(descriptor)):
            seen.steps.append(Cut(inode, 0))
        return descriptor

    def fsync(descriptor: int) -> None:
        real_fsync(descriptor)
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            name = seen.under(Path(f"/proc/self/fd/{descriptor}").readlink())
            if name is not None:
                seen.steps.append(SyncFolder(name))
        elif inode := seen.inode(descriptor):
            seen.steps.append(SyncFile(inode))

    def posix_fallocate(descriptor: int, offset: int, length: int) -> None:
        real_allocate(descriptor, offset, length)
        if inode := seen.inode(descriptor):
            seen.steps.append(Cut(inode, os.fstat(descriptor).st_size))

    def naming(call: str, event: str, step: Callable[..., Step]) -> None:
        real = getattr(os, call)

        def done(*paths: Any, **more: Any) -> None:
            names = [seen.under(path) for path in paths[: 2 if event == "os.rename" else 1]]
            if any(name is None for name in names):
                real(*paths, **more)
                return
            assert more.get("dir_fd") is None, "not recorded"
            with _expected(seen, event):
                real(*paths, **more)
            seen.steps.append(step(*names))

        patch.setattr(os, call, done)

    class RecordedFile(FileIO):
        def write(self, data: Any) -> int:
            inode = seen.inode(self.fileno())
            appends = os.O_APPEND & _flags(self.fileno())
            at = os.fstat(self.fileno()).st_size if appends else self.tell()
            written = super().write(data)
            if inode is not None:
                seen.steps.append(Write(inode, at, bytes(data)[:written]))
            return written

        def truncate(self, size: int | None = None) -> int:
            cut = super().truncate(size)
            if inode := seen.inode(self.fileno()):
                seen.steps.append(Cut(inode, cut))
            return cut

    _recorders.append(seen)
    _watch_all()
    try:
        with monkeypatch.context() as patch:
            patch.setattr(os, "open", open_)
            patch.setattr(os, "fsync", fsync)
            patch.setattr(os, "posix_fallocate", posix_fallocate)
            patch.setattr(durable, "FileIO", RecordedFile)
            naming("replace", "os.rename", Rename)
            naming("rename", "os.rename", Rename)
            naming("unlink", "os.remove", Unlink)
            naming("remove", "os.remove", Unlink)
            naming("mkdir", "os.mkdir", Mkdir)
            naming("rmdir", "os.rmdir", Rmdir)
            yield seen
    finally:
        _recorders.remove(seen)


_recorders: list[Recording] = []
_watching: list[bool] = []


def _watch_all() -> None:
    """Hear of every change that Python makes to files; a hook can never be taken away again."""
    if not _watching:
        _watching.append(True)
        sys.addaudithook(_heard)


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    # As Python ends, names of modules become None, and files are still closed.
    for recorder in _recorders or ():
        writes = event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        if (writes or event in _CHANGES) and event not in recorder._expected:
            for path in arguments[:2]:
                if (name := recorder.under(path)) is not None:
                    recorder.unseen.append(f"{event} {name}")


@contextmanager
def _expected(seen: Recording, event: str) -> Iterator[None]:
    seen._expected.append(event)
    try:
        yield
    finally:
        seen._expected.remove(event)


def _flags(descriptor: int) -> int:
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_GETFL)


def tree_of(root: Path) -> Tree:
    """Lists the files under a folder."""
    return {
        str(path.relative_to(root)): path.read_bytes() if path.is_file() else None for path in sorted(root.rglob("*"))
    }


def build(tree: Tree, root: Path) -> None:
    """Make a folder of a tree."""
    root.mkdir()
    for name, content in sorted(tree.items()):
        if content is None:
            (root / name).mkdir(exist_ok=True)
        else:
            (root / name).write_bytes(content)


def replay(
    steps: list[Step], kept: Collection[Step], *, data: Callable[[Write], bytes] = lambda write: write.data
) -> Tree:
    """The disk after those of the steps that are kept; `data` may spoil what a write leaves."""
    kept = set(map(id, kept))
    names: dict[str, Inode | None] = {}
    content: dict[Inode, bytearray] = {}
    for step in steps:
        if id(step) not in kept:
            continue
        match step:
            case Create(path, inode):
                names[path] = inode
            case Write(inode, offset, _):
                held, new = content.setdefault(inode, bytearray()), data(step)
                held.extend(bytes(max(0, offset - len(held))))
                held[offset : offset + len(new)] = new
            case Cut(inode, size):
                held = content.setdefault(inode, bytearray())
                held[size:] = bytes(max(0, size - len(held)))
            case Rename(path, to) if path in names:
                names[to] = names.pop(path)
            case Unlink(path) | Rmdir(path):
                names.pop(path, None)
            case Mkdir(path):
                names[path] = None
    return {
        name: None if inode is None else bytes(content.get(inode, b""))
        for name, inode in sorted(names.items())
        if all(str(parent) in names for parent in Path(name).parents if str(parent) != ".")
    }


def unsafe_of(steps: list[Step]) -> list[Step]:
    """The changes among the steps that a power cut now may lose."""
    unsafe: list[Step] = []
    synced_files: set[Inode] = set()
    synced_folders: set[str] = set()
    for step in reversed(steps):
        match step:
            case SyncFile(inode):
                synced_files.add(inode)
            case SyncFolder(path):
                synced_folders.add(path)
            case Write(inode) | Cut(inode):
                if inode not in synced_files:
                    unsafe.append(step)
            case Rename(path, to):
                if not {str(Path(path).parent), str(Path(to).parent)} <= synced_folders:
                    unsafe.append(step)
            case _:
                if str(Path(step.path).parent) not in synced_folders:
                    unsafe.append(step)
    return unsafe[::-1]


def disks_after(steps: list[Step], *, most_lost: int = 1) -> Iterator[Tree]:
    """Every disk that a power cut after these steps may leave: what is not safe is kept or lost whole, lost but for one
    step or kept but for `most_lost`; data is torn, absent or zero although the file's name is there."""
    unsafe = unsafe_of(steps)
    lost_by_id = set(map(id, unsafe))
    safe = [step for step in steps if id(step) not in lost_by_id]

    def left(kept: Collection[Step], **how: Any) -> Tree:
        return replay(steps, [*safe, *kept], **how)

    yield left(unsafe)
    yield left(())
    for only in unsafe:
        yield left([only])
    for count in range(1, min(most_lost, len(unsafe)) + 1):
        for lost in combinations(unsafe, count):
            yield left([step for step in unsafe if step not in lost])
    written = {step.inode for step in unsafe if isinstance(step, Write)}
    yield left([step for step in unsafe if not isinstance(step, Write | Cut)])
    for inode in written:
        for spoil in (_torn, _zeros):
            yield left(unsafe, data=lambda step, inode=inode, spoil=spoil: _spoilt(step, inode, lost_by_id, spoil))


def _spoilt(step: Write, inode: Inode, unsafe: set[int], spoil: Callable[[bytes], bytes]) -> bytes:
    return spoil(step.data) if step.inode == inode and id(step) in unsafe else step.data


def _torn(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _zeros(data: bytes) -> bytes:
    return bytes(len(data))
