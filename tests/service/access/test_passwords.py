"""What a guess of a stolen password costs."""

import subprocess
import sys

from service.services.access.passwords import _NOBODY

HASH = "from service.services.access.passwords import hashed; print(hashed('a password'))"


def test_a_guess_costs_what_owasp_asks_for_and_as_much_for_a_person_who_is_unknown() -> None:
    # In a program of its own: here a hash costs little.
    done = subprocess.run([sys.executable, "-c", HASH], capture_output=True, text=True, check=True)
    cost = "$argon2id$v=19$m=19456,t=2,p=1$"
    assert done.stdout.startswith(cost)
    assert _NOBODY.startswith(cost)
