"""Formats a number of bytes for people."""


def size_text(size: int) -> str:
    """Formats a number of bytes for people: `4.2 MB`."""
    for unit, least in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= least:
            return f"{size / least:.1f} {unit}".replace(".0 ", " ")
    return f"{size} bytes"
