"""The command `desk-link`: a link that works once, for the operator of the installation."""

import sys
from collections.abc import Mapping
from typing import Any

from service.cli.operator import UsageError, opened_services, read_values, refuse_other_folder, workspace_named
from service.core.permissions import Role
from service.desk.people.sign_in import ENTER
from service.schema.workspace.person import NewMember
from service.settings import Settings


def print_desk_link(settings: Settings, given: Mapping[str, Any]) -> None:
    """Print a link that signs a person in, or sets up the first owner. Raises UsageError and ProblemError."""
    email = given["email"]
    body = None
    if email is not None:
        role = {known.lower(): known for known in Role}.get(given["role"].lower())
        if role is None:
            raise UsageError(f"the role: This must be one of {', '.join(Role)}.")
        body = read_values(NewMember, {"name": given["name"] or email, "email": email, "role": role})
    refuse_other_folder(settings)
    with opened_services(settings) as services:
        address = services.public_url
        if body is None:
            token = services.people.set_up_token()
        else:
            workspace, lost = workspace_named(services, given["workspace"]), given["without_second_factor"]
            token = services.people.sign_in_token(workspace, body, without_second_factor=lost)
    if token is None:
        raise UsageError("the desk has an owner already: name the person to sign in with --email")
    sys.stdout.write(f"{address}{ENTER}?token={token}\n")
