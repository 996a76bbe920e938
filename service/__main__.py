"""Runs `menu-service`, as `python -m service` does, too."""

import gc
import sys


def main() -> int:
    """Run the command of the process; returns the exit status.

    What is imported stays: a search for garbage would find nothing in it, neither while it is made nor later.
    """
    gc.disable()
    from service.cli.main import main as run

    gc.freeze()
    gc.enable()
    return run()


if __name__ == "__main__":
    sys.exit(main())
