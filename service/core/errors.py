"""Problems of requests (RFC 9457), independent of the web framework.

A problem carries its status, stable code, title and detail. Code raises it, and `api.problems` writes the response.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType

TYPE_PREFIX = "urn:menu-display:problem:"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in a request, at a pointer into the body (RFC 6901) or in a query parameter."""

    code: str
    detail: str
    pointer: str | None = None
    parameter: str | None = None
    readings: tuple[Decimal, ...] = ()
    """The amounts that an ambiguous one may be."""


def pointer_part(key: str) -> str:
    """Escapes a key as a part of an RFC 6901 pointer."""
    return key.replace("~", "~0").replace("/", "~1")


class ProblemError(Exception):
    """Raised to refuse a request. Nothing was changed."""

    # Not a frozen dataclass: Python writes the traceback into the exception.
    def __init__(
        self,
        status: int,
        code: str,
        title: str,
        detail: str,
        faults: tuple[Fault, ...] = (),
        *,
        headers: Mapping[str, str] = MappingProxyType({}),
        token_digest: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.faults = faults
        self.headers = headers
        self.token_digest = token_digest


def invalid(faults: Iterable[Fault]) -> ProblemError:
    """Returns the 422 problem of an invalid request; lists every fault."""
    listed = tuple(faults)
    several = "is one thing" if len(listed) == 1 else f"are {len(listed)} things"
    return ProblemError(422, "invalid", "The request is not valid", f"There {several} to change.", listed)


def malformed(detail: str) -> ProblemError:
    """Returns the 400 problem: the body is not JSON."""
    return ProblemError(400, "malformed_json", "The body is not JSON that the service can read", detail)


def unauthenticated(detail: str) -> ProblemError:
    """Returns the 401 problem, with the challenge of RFC 6750."""
    return ProblemError(401, "unauthenticated", "A valid key is needed", detail, headers={"WWW-Authenticate": "Bearer"})


def token_revoked(digest: str) -> ProblemError:
    """Returns the 401 problem for a token that a screen used and lost. The digest proves that the service itself means
    this token."""
    return ProblemError(
        401,
        "token_revoked",
        "This token is no longer a screen's",
        "The screen was removed or paired again.",
        headers={"WWW-Authenticate": "Bearer"},
        token_digest=digest,
    )


def token_unknown() -> ProblemError:
    """Returns the 401 problem for a token that this service never issued, as far as it has records."""
    return ProblemError(
        401,
        "token_unknown",
        "This token is not a screen's",
        "This service has not issued it. Pair the device again.",
        headers={"WWW-Authenticate": "Bearer"},
    )


def forbidden(role: str, permission: str) -> ProblemError:
    """Returns the 403 problem: the role of the key does not allow this."""
    return ProblemError(
        403, "forbidden", "The role of this key may not do this", f"A key with the role {role} may not {permission}."
    )


def narrowed(what: str) -> ProblemError:
    """Returns the 403 problem: the key is restricted to locations, and the call concerns the whole workspace."""
    return ProblemError(
        403, "forbidden", "This key is narrowed to locations", f"A key that is narrowed to locations may not {what}."
    )


def reaches_elsewhere() -> ProblemError:
    """Returns the 403 problem: the key is restricted to locations, and the call would change the menus of others at
    once."""
    return ProblemError(
        403,
        "reaches_elsewhere",
        "This would change the menus of other locations",
        "A key that is narrowed to locations changes items where it may: by /v1/locations/{location}/items/{item}.",
    )


def not_found(kind: str, identifier: str) -> ProblemError:
    """Returns the 404 problem: the workspace has no such resource."""
    return ProblemError(404, "not_found", f"No such {kind}", f"This workspace has no {kind} {identifier!r}.")


def in_use(kind: str, by: str) -> ProblemError:
    """Returns the 409 problem: the resource cannot be deleted while it is used."""
    return ProblemError(409, "in_use", f"The {kind} is in use", f"Remove it from {by} first.")


def too_large(limit: int) -> ProblemError:
    """Returns the 413 problem, with the limit in bytes."""
    return ProblemError(413, "too_large", "The body is too large", f"At most {limit} bytes are accepted here.")


def unsupported_media_type(accepted: str) -> ProblemError:
    """Returns the 415 problem, with the accepted content types."""
    return ProblemError(415, "unsupported_media_type", "The content type is not accepted here", f"Send {accepted}.")


def storage_full() -> ProblemError:
    """Returns the 507 problem: the disk of the service is full."""
    return ProblemError(
        507,
        "storage_full",
        "The disk of the service is full",
        "Nothing was changed. Make room on it, and try again; boards go on with what they have.",
    )


def too_many_requests(detail: str, retry_after: int) -> ProblemError:
    """Returns the 429 problem, with the seconds to wait before a retry."""
    return ProblemError(
        429, "too_many_requests", "Too many requests", detail, headers={"Retry-After": str(retry_after)}
    )
