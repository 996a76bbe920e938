"""Sections of the desk, in the order of the navigation."""

from dataclasses import dataclass

from service.core.permissions import Permission
from service.desk.words import Phrase, phrase
from service.services.access.access import Access


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its first page, its icon of the sprite, its name and the roles that see it."""

    path: str
    icon: str
    name: Phrase
    needs: Permission = Permission.READ
    holds: tuple[str, ...] = ()
    """Beginnings of further paths that are in it."""

    def is_at(self, path: str) -> bool:
        """Returns whether a page is in the section."""
        return path.startswith((self.path, *self.holds))


SECTIONS = (
    Section("/desk/screens", "monitor", phrase("Screens"), holds=("/desk/rollouts",)),
    Section("/desk/menu", "utensils", phrase("Menu"), holds=("/desk/planned",)),
    Section("/desk/boards", "layout", phrase("Boards"), holds=("/desk/pictures",)),
    Section("/desk/playlists", "list", phrase("Playlists"), holds=("/desk/overrides", "/desk/approvals")),
    Section("/desk/settings", "settings", phrase("Settings"), holds=("/desk/profile",)),
)


def sections_for(access: Access) -> list[Section]:
    return [one for one in SECTIONS if access.may(one.needs)]
