"""Lets `python -m player` do what `menu-player` does."""

from __future__ import annotations

import sys

from player.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
