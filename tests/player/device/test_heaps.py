"""Memory that was freed goes back to the system, also where smaller blocks that stay lie between."""

from __future__ import annotations

import subprocess
import sys

import pytest

FREED = """
import sys
if sys.argv[1] == "bounded":
    from player.device.heaps import bound_heaps
    bound_heaps()

def resident():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmRSS"))

bytearray(b"x") * 32_000_000  # A film's frame, after which glibc keeps room for another one.
before = resident()
pieces = [(bytearray(b"x") * 200_000, bytearray(b"x") * 2_000) for _ in range(200)]
staying = [small for _, small in pieces]
del pieces
print(resident() - before)
"""


@pytest.mark.parametrize(("how", "kept"), [("bounded", range(4_000)), ("plain", range(30_000, 60_000))])
def test_what_a_film_has_freed_goes_back_to_the_system(how: str, kept: range) -> None:
    done = subprocess.run([sys.executable, "-c", FREED, how], capture_output=True, text=True, check=True, timeout=60)
    assert int(done.stdout) in kept
