"""Roles and their permissions; imports no other part of the service."""

from enum import StrEnum


class Permission(StrEnum):
    """Permission that a call needs, worded to follow "may not"."""

    READ = "read"
    EDIT = "change content"
    PUBLISH = "publish playlists"
    SCREENS = "pair, change or remove screens"
    KEYS = "manage keys"
    WEBHOOKS = "manage webhooks"
    ALERTS = "manage alerts"
    POS = "manage points of sale"
    TEAM = "manage the team"
    SIGN_IN = "decide how members sign in"
    AUDIT = "read what others have done"
    BILLING = "change the subscription"


class Role(StrEnum):
    """The role of a key, the highest first."""

    OWNER = "Owner"
    ADMIN = "Admin"
    PUBLISHER = "Publisher"
    EDITOR = "Editor"
    VIEWER = "Viewer"


_VIEWER = frozenset({Permission.READ})
_EDITOR = _VIEWER | {Permission.EDIT}
_PUBLISHER = _EDITOR | {Permission.PUBLISH, Permission.SCREENS}
_ADMIN = _PUBLISHER | {
    *(Permission.KEYS, Permission.WEBHOOKS, Permission.ALERTS, Permission.POS, Permission.TEAM, Permission.AUDIT)
}
_OWNER = _ADMIN | {Permission.SIGN_IN, Permission.BILLING}

PERMISSIONS: dict[Role, frozenset[Permission]] = {
    Role.VIEWER: _VIEWER,
    Role.EDITOR: _EDITOR,
    Role.PUBLISHER: _PUBLISHER,
    Role.ADMIN: _ADMIN,
    Role.OWNER: _OWNER,
}


NARROWABLE = frozenset({Permission.READ, Permission.EDIT, Permission.PUBLISH, Permission.SCREENS, Permission.KEYS})
"""Permissions that a key narrowed to locations can have. The others concern the whole workspace."""


def outranks(one: Role, other: Role) -> bool:
    ranks = list(Role)
    return ranks.index(one) < ranks.index(other)
