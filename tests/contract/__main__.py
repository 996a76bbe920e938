"""A long run of the contract checks with random data: `make contract`, or `python -m tests.contract --rounds 3`."""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.contract import CHAINS, check_chain, check_contract, open_service, pair
from tests.support.programs import Service

SINGLY = ("--phases", "examples,coverage,fuzzing", "--max-examples", "30", "--no-shrink")
CHAINED = ("--max-examples", "40", "--no-shrink")


def rounds(service: Service, count: int) -> Iterator[bool]:
    """Whether each part of each round passed. Findings go to standard output."""
    for _ in range(count):
        # A new token for each: a chain deletes screens, and with them their tokens.
        yield check_contract(service, pair(service), *SINGLY, output=None).returncode == 0
        for tags in CHAINS:
            yield check_chain(service, pair(service), tags, *CHAINED, output=None).returncode == 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.contract", description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=1, metavar="N", help="the number of rounds, each with other data (1)"
    )
    wanted = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        service = open_service(Path(folder))
        try:
            good = all([*rounds(service, wanted)])
        finally:
            service.kill()
        faults = service.log.read_text().count("Traceback")
    sys.stdout.write(f"{faults} faults in the service's log\n")
    sys.exit(not good or faults > 0)
