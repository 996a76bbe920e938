"""Runs `menu-service`, as `python -m service` does, too."""

import gc
import sys


def main() -> int:
    """Run the command of the process; returns the exit status.

    What is imported stays: a search for garbage would find nothing in it, neither while it is made nor later.
    """
    gc.disable()
    try:
        from service.cli.main import main as run

        gc.freeze()
        gc.enable()
        return run()
    except ModuleNotFoundError as missing:
        library = (missing.name or "").partition(".")[0]
        if library in ("", "player", "service"):
            raise
        needed = "apt-get install menu-service, or pip install 'menu-player[service]'"
        sys.stderr.write(f"menu-service: {library} is not installed: {needed}\n")
        return 2  # As in `service.cli.main`, which cannot be imported without the service's libraries.


if __name__ == "__main__":
    sys.exit(main())
