"""Leadership of one of several processes, for jobs such as sweeping. A leader can learn late that it has lost it, so
its jobs must be harmless when two processes run them.
"""

from typing import Protocol


class Leadership(Protocol):
    """Tells whether this process leads."""

    def held(self) -> bool: ...

    def close(self) -> None: ...


class AlwaysLeader:
    """On SQLite: the only process leads."""

    def held(self) -> bool:
        """Always true."""
        return True

    def close(self) -> None:
        """Nothing to release."""
