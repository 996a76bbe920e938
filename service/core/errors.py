"""What can be wrong with a request, and how each looks to the caller; knows nothing of the web framework.

A problem carries its own face (RFC 9457): status, stable code, title, detail. Code that finds one raises it, and
`api.problems` writes it down.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

TYPE_PREFIX = "urn:menu-display:problem:"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing to change: a place in the body (RFC 6901 pointer) or a query parameter, and what is wrong there."""

    code: str
    detail: str
    pointer: str | None = None
    parameter: str | None = None


class ProblemError(Exception):
    """A request that cannot be served. Nothing was changed."""

    # Not a frozen dataclass: whoever passes an exception on writes its traceback into it.
    def __init__(
        self,
        status: int,
        code: str,
        title: str,
        detail: str,
        faults: tuple[Fault, ...] = (),
        *,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.faults = faults
        self.headers = headers


def invalid(faults: Iterable[Fault]) -> ProblemError:
    """422: the request was understood and some of it is not allowed; every fault is listed."""
    listed = tuple(faults)
    several = "is one thing" if len(listed) == 1 else f"are {len(listed)} things"
    return ProblemError(422, "invalid", "The request is not valid", f"There {several} to change.", listed)


def malformed(detail: str) -> ProblemError:
    """400: the body is not what its content type says."""
    return ProblemError(400, "malformed_json", "The body is not JSON that the service can read", detail)


def unauthenticated(detail: str) -> ProblemError:
    """401, with the challenge that RFC 6750 asks for."""
    return ProblemError(401, "unauthenticated", "A valid key is needed", detail, headers={"WWW-Authenticate": "Bearer"})


def forbidden(role: str, permission: str) -> ProblemError:
    """403: the key is known and its role may not do this."""
    return ProblemError(
        403, "forbidden", "The role of this key may not do this", f"A key with the role {role} may not {permission}."
    )


def narrowed(what: str) -> ProblemError:
    """403: the key is narrowed to locations, and this is about the whole workspace."""
    return ProblemError(
        403, "forbidden", "This key is narrowed to locations", f"A key that is narrowed to locations may not {what}."
    )


def not_found(kind: str, identifier: str) -> ProblemError:
    """404: there is no such thing in this workspace."""
    return ProblemError(404, "not_found", f"No such {kind}", f"This workspace has no {kind} {identifier!r}.")


def in_use(kind: str, by: str) -> ProblemError:
    """409: something else still needs what was to be deleted."""
    return ProblemError(409, "in_use", f"The {kind} is in use", f"Remove it from {by} first.")


def too_large(limit: int) -> ProblemError:
    """413, with the limit in bytes."""
    return ProblemError(413, "too_large", "The body is too large", f"At most {limit} bytes are accepted here.")


def unsupported_media_type(accepted: str) -> ProblemError:
    """415, with what would have been accepted."""
    return ProblemError(415, "unsupported_media_type", "The content type is not accepted here", f"Send {accepted}.")


def too_many_requests(detail: str, retry_after: int) -> ProblemError:
    """429, with the seconds after which it is worth another try."""
    return ProblemError(
        429, "too_many_requests", "Too many requests", detail, headers={"Retry-After": str(retry_after)}
    )
