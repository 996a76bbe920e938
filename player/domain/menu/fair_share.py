"""Shares a bound among several that want parts of it; pure."""

from __future__ import annotations

from collections.abc import Sequence


def fair_share(wanted: Sequence[int], total: int) -> int:
    """The most that each may have so that all together have at most `total`; what one does not want is left to the
    others. At least 1, however many there are."""
    left = total
    for number, least in enumerate(sorted(wanted)):
        share = left // (len(wanted) - number)
        if least > share:
            return max(1, share)
        left -= least
    return total
