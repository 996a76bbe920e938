"""The history notes what the ORM changes: nothing may change its tables behind it."""

import re
from pathlib import Path

import service as service_package
from service.storage import history


def test_no_statement_changes_many_rows_of_a_table_with_a_history() -> None:
    names = "|".join(kind.__name__ for kind in history._KINDS)
    behind = re.compile(rf"\b(?:update|delete|insert)\(\s*(?:{names})\b")
    found = [
        f"{path.name}: {match.group()}"
        for path in Path(service_package.__file__).parent.rglob("*.py")
        for match in behind.finditer(path.read_text())
    ]
    assert not found, "select the rows and change or delete each: the history is written by the session"
