"""Manages workspaces, which the operator creates; `default` is created on first use."""

from collections.abc import Sequence

from sqlalchemy import select

from service.core.clock import instant_text
from service.core.errors import ProblemError
from service.core.ids import DEFAULT_WORKSPACE, NewId
from service.schema.workspace.workspace import WorkspaceCreate, WorkspaceResponse
from service.storage.database import Database, Unit
from service.storage.tables.workspaces import WorkspaceRow


class WorkspaceService:
    def __init__(self, *, database: Database, new_id: NewId) -> None:
        self._database = database
        self._new_id = new_id

    def all(self) -> Sequence[WorkspaceResponse]:
        """Returns every workspace of the installation, oldest first."""
        with self._database.read() as session:
            rows = session.scalars(select(WorkspaceRow).order_by(WorkspaceRow.created_at, WorkspaceRow.id))
            return [
                WorkspaceResponse(id=row.id, name=row.name, created_at=instant_text(row.created_at)) for row in rows
            ]

    def create(self, body: WorkspaceCreate) -> WorkspaceResponse:
        """Returns a new workspace. Raises 409 when the name is taken."""
        with self._database.write() as unit:
            if _find(unit, body.name) is not None:
                raise ProblemError(
                    409, "workspace_exists", "There is one already", f"There is a workspace {body.name!r} already."
                )
            row = _add(unit, body.name, self._new_id)
            return WorkspaceResponse(id=row.id, name=row.name, created_at=instant_text(row.created_at))

    def named(self, name: str) -> str:
        """Returns the id of the workspace with this name. Raises the 404 problem."""
        with self._database.write() as unit:
            if name == DEFAULT_WORKSPACE:
                return default_workspace(unit, self._new_id)
            row = _find(unit, name)
            if row is None:
                raise ProblemError(404, "not_found", "No such workspace", f"There is no workspace {name!r}.")
            return row.id


def default_workspace(unit: Unit, new_id: NewId) -> str:
    """Returns the id of the default workspace, made on first use."""
    row = _find(unit, DEFAULT_WORKSPACE) or _add(unit, DEFAULT_WORKSPACE, new_id)
    return row.id


def _find(unit: Unit, name: str) -> WorkspaceRow | None:
    return unit.session.scalar(select(WorkspaceRow).where(WorkspaceRow.name == name))


def _add(unit: Unit, name: str, new_id: NewId) -> WorkspaceRow:
    row = WorkspaceRow(id=new_id("ws"), name=name, created_at=unit.now, catalogue_changed_at=unit.now)
    unit.session.add(row)
    unit.session.flush()
    return row
