"""Acts of users and keys."""

from typing import Literal

from service.core.audit_acts import AuditAct
from service.schema.base import ResponseModel
from service.schema.fields import InstantText


class AuditActor(ResponseModel):
    """A person of the team, or a key; its id, and its name of then."""

    id: str
    name: str
    kind: Literal["person", "key"]


class AuditSubject(ResponseModel):
    """The first thing that an act was on; its name of then, null for what has none."""

    kind: str
    id: str
    name: str | None


class AuditEntry(ResponseModel):
    """An act. `subjects` is the number of things that it was on, `fields` the names of those that have changed."""

    at: InstantText
    actor: AuditActor
    act: AuditAct
    subject: AuditSubject
    subjects: int
    fields: list[str]
