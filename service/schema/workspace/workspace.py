"""Workspaces, for the operator of the installation."""

from service.schema.base import Input, ResponseModel
from service.schema.fields import InstantText, Name


class WorkspaceCreate(Input):
    """A new workspace."""

    name: Name


class WorkspaceResponse(ResponseModel):
    """A workspace."""

    id: str
    name: str
    created_at: InstantText
