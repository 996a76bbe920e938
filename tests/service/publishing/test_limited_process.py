"""A child has its limits before its program runs, however late its parent looks after it."""

import resource
import subprocess
import sys
from pathlib import Path

from service.services.publishing.limited_process import limited

PROGRAM = """
import resource, sys
print(resource.getrlimit(resource.RLIMIT_AS), resource.getrlimit(resource.RLIMIT_FSIZE), sys.argv[1:])
"""


def test_a_program_starts_with_its_limits_and_its_arguments() -> None:
    command = limited([sys.executable, "-c", PROGRAM, "one", "two words"], memory_bytes=2**31, file_bytes=2**20)

    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout == f"{(2**31, 2**31)} {(2**20, 2**20)} {['one', 'two words']}\n"
    assert resource.getrlimit(resource.RLIMIT_FSIZE) != (2**20, 2**20)


def test_a_program_that_is_not_there_is_a_failure_in_words(tmp_path: Path) -> None:
    command = limited([str(tmp_path / "none")], memory_bytes=2**31, file_bytes=2**20)

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert "No such file" in done.stderr
