"""Hashes passwords with argon2id (RFC 9106), and checks them."""

import threading

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHash, VerificationError

# OWASP's 19 MiB and 2 passes: RFC 9106's 64 MiB would be too much for a small server.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1, type=Type.ID)
_AT_ONCE = threading.BoundedSemaphore(2)
"""Hashes at a time: sign-ins that arrive together take neither all memory nor all processors."""
_NOBODY = "$argon2id$v=19$m=19456,t=2,p=1$bWVudS1zZXJ2aWNlLWRlc2s$m3V5Bvs6WbRUYQX0E0PY1AL4ee9oN1Yvbyb1lTKPbbo"
"""No password's hash: an unknown person takes as long as a wrong password."""


def hashed(password: str) -> str:
    """Returns the hash to store instead of the password."""
    with _AT_ONCE:
        return _HASHER.hash(password)


def is_password(stored: str | None, password: str) -> bool:
    """True if this is the password. Takes as long without a stored one."""
    with _AT_ONCE:
        try:
            _HASHER.verify(stored or _NOBODY, password)
        except (VerificationError, InvalidHash):
            return False
    return stored is not None
