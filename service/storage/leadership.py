"""Elects one of several processes as leader, for jobs such as sweeping. A leader can learn late that it has lost
leadership, so its jobs must be harmless when two processes run them."""

from typing import Protocol


class Leadership(Protocol):
    """Reports whether this process leads."""

    def held(self) -> bool: ...

    def close(self) -> None: ...


class AlwaysLeader:
    """On SQLite: the only process leads."""

    def held(self) -> bool:
        return True

    def close(self) -> None: ...
