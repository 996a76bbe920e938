"""Limits the resources of a child process before its program runs.

Limits that the parent sets after the start come too late for what the child does until then, and `preexec_fn` is not
safe in a process with threads. So the child starts as a Python of its own that limits itself and becomes the program.
"""

import sys
from collections.abc import Sequence

_LAUNCHER = """
import os, resource, sys
memory, file_size, *command = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_AS, (int(memory), int(memory)))
resource.setrlimit(resource.RLIMIT_FSIZE, (int(file_size), int(file_size)))
os.execv(command[0], command)
"""


def limited(command: Sequence[str], *, memory_bytes: int, file_bytes: int) -> list[str]:
    """Wraps the command with limits of its address space and of each file it writes. Its first word is an absolute
    path."""
    return [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(memory_bytes), str(file_bytes), *command]
