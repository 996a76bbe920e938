"""The pure part of the player: the rules of a menu board, without clock, disk, network or Qt."""

import sys

# msgspec looks for typing_extensions, where Debian's Python has all that it takes from it: 5 ms of a start. None is
# Python's word for a module that is not there (its reference, 5.3.1).
if "typing_extensions" not in sys.modules:
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    try:
        import msgspec  # noqa: F401 -- imported for its effect
    finally:
        del sys.modules["typing_extensions"]
