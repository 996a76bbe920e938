"""The commands `keys` and `workspaces`, for the operator of the installation."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from service.core.clock import SystemClock
from service.core.errors import ProblemError
from service.core.json_text import write_json
from service.core.permissions import Role
from service.schema.faults import faults_of
from service.schema.workspace.key import KeyCreate
from service.schema.workspace.workspace import WorkspaceCreate
from service.services.access.access import KEY_PREFIX
from service.services.registry import Services
from service.settings import Settings

OPERATOR_COMMANDS = ("keys", "workspaces")

M = TypeVar("M", bound=BaseModel)


class UsageError(Exception):
    """Raised if the values of the command line are invalid. Its arguments are the messages."""


def run_operator_command(command: str, settings: Settings, given: Mapping[str, Any]) -> None:
    """Run one of the commands. Raises UsageError, and ProblemError with a detail for the operator."""
    action = given["action"]
    if (command, action) == ("keys", "create"):
        # Roles are not case-sensitive here.
        role = {known.lower(): known.value for known in Role}.get(given["role"].lower(), given["role"])
        key = read_values(KeyCreate, {"name": given["name"], "role": role, "locations": given["location"]})
        with opened_services(settings) as services:
            _create_key(services, given["workspace"], key)
    elif (command, action) == ("workspaces", "create"):
        workspace = read_values(WorkspaceCreate, {"name": given["name"]})
        with opened_services(settings) as services:
            print_json(services.workspaces.create(workspace))
    elif action == "revoke":
        refuse_other_folder(settings)
        with opened_services(settings) as services:
            _revoke_key(services, given["key"])
    else:
        refuse_other_folder(settings)
        with opened_services(settings) as services:
            _list(services, command)


def refuse_other_folder(settings: Settings) -> None:
    """Raises UsageError for a folder without a service: a mistyped one must not look like one without keys."""
    if settings.database is None and not settings.database_file.exists():
        raise UsageError(f"{settings.data}: no service keeps its data there")


def messages_of(problem: ProblemError) -> tuple[str, ...]:
    """Messages for the operator: the faults of the problem, or else its detail."""
    return tuple(fault.detail for fault in problem.faults) or (problem.detail,)


@contextmanager
def opened_services(settings: Settings) -> Iterator[Services]:
    """Opens the services on the database of the settings, inside of the `with` block."""
    services = Services(settings, clock=SystemClock())
    try:
        yield services
    finally:
        services.database.close()


def workspace_named(services: Services, name: str) -> str:
    """Returns the id of the workspace. Raises the 404 problem, which names the existing ones."""
    try:
        return services.workspaces.named(name)
    except ProblemError as problem:
        known = ", ".join(repr(one.name) for one in services.workspaces.all()) or "none yet"
        raise _with_hint(problem, f"There are: {known}. `menu-service workspaces create` creates one.") from None


def _create_key(services: Services, name: str, body: KeyCreate) -> None:
    workspace = workspace_named(services, name)
    try:
        key = services.key_manager.issue(workspace, body)
    except ProblemError as problem:
        raise (_with_hint(problem, "GET /v1/locations lists the locations.") if problem.faults else problem) from None
    sys.stdout.write(key.key + "\n")


def _list(services: Services, command: str) -> None:
    for workspace in services.workspaces.all():
        if command == "workspaces":
            print_json(workspace)
        else:
            for key in services.key_manager.all(workspace.id):
                print_json({"workspace": workspace.name, **key.document()})


def _revoke_key(services: Services, key: str) -> None:
    hint = "`menu-service keys list` shows the ids."
    if key.startswith(KEY_PREFIX):
        # The message does not repeat the key: others may see the terminal.
        raise ProblemError(404, "not_found", "No such key", f"This is the key itself; its id is needed. {hint}")
    try:
        services.key_manager.revoke_any(key)
    except ProblemError as problem:
        raise _with_hint(problem, hint) from None


def read_values(model: type[M], given: Mapping[str, Any]) -> M:
    """Parses the values of the command line as a document. Raises UsageError."""
    try:
        return model.model_validate(given)
    except ValidationError as fault:
        errors = ({**error, "loc": ("body", *error["loc"])} for error in fault.errors())
        messages = (f"the {(one.pointer or '')[1:]}: {one.detail}" for one in faults_of(errors, given))
        raise UsageError(*messages) from None


def _with_hint(problem: ProblemError, hint: str) -> ProblemError:
    return ProblemError(problem.status, problem.code, problem.title, " ".join((*messages_of(problem), hint)))


def print_json(document: object) -> None:
    """Print the document on one line."""
    sys.stdout.write(write_json(document).decode() + "\n")
