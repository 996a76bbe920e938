"""Workspaces, as the installation's operator makes and sees them."""

from service.schema.base import Input, View
from service.schema.fields import InstantText, Name


class WorkspaceCreate(Input):
    """A new workspace."""

    name: Name


class WorkspaceView(View):
    """A workspace."""

    id: str
    name: str
    created_at: InstantText
