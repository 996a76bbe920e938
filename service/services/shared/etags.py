"""Entity tags of resources, and If-Match preconditions (RFC 9110, sections 8.8 and 13).

A tag is a digest of the fields that callers can change. Where a resource also shows state that changes by itself, a
digest of that follows after a dot. If-None-Match compares the whole tag; If-Match only the first part, because a
heartbeat is no conflict.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from service.core.errors import Fault, ProblemError
from service.core.json_text import write_json
from service.schema.base import ResponseModel

PRECONDITION_FAILED = "precondition_failed"

CHANGED = "It does not have an entity tag that If-Match names. Read it again and decide anew."


def tag_of(view: ResponseModel) -> str:
    """Returns the entity tag of a resource, without its quotes."""
    document = view.document()
    passing = {name: document.pop(name) for name in view.volatile}
    tag = _digest(document)
    return f"{tag}.{_digest(passing)}" if passing else tag


@dataclass(frozen=True, slots=True)
class Condition:
    """An If-Match condition: the resource has to have one of these tags. None is no condition."""

    tags: tuple[str, ...] | None = None

    def check(self, view: ResponseModel) -> None:
        """Raises the 412 problem when the resource has none of the tags."""
        if not self.holds(view):
            raise changed_meanwhile()

    def check_tag(self, tag: str) -> None:
        """Like `check`, for a computed tag."""
        if not self._has(tag):
            raise changed_meanwhile()

    def holds(self, view: ResponseModel) -> bool:
        return self.tags is None or self._has(tag_of(view))

    def _has(self, tag: str) -> bool:
        return self.tags is None or _lasting(tag) in map(_lasting, self.tags)


def changed_meanwhile(faults: Iterable[Fault] = ()) -> ProblemError:
    """Returns the 412 problem: the resource has none of the tags in If-Match."""
    return ProblemError(412, PRECONDITION_FAILED, "The resource has changed", CHANGED, tuple(faults))


ALWAYS = Condition()


def _lasting(tag: str) -> str:
    return tag.partition(".")[0]


def _digest(document: object) -> str:
    return hashlib.sha256(write_json(document)).hexdigest()[:32]
