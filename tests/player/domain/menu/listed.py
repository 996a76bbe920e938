"""The rows of one menu or grid, as its scene lists them."""

from __future__ import annotations

from player.domain.documents.manifest import Catalogue, Location
from player.domain.documents.scene import ListWidget, Scene, Theme
from player.domain.menu.listings import listings
from player.domain.view import MenuListing


def listing(
    widget: ListWidget,
    catalogue: Catalogue,
    *,
    location: Location,
    languages: tuple[str, ...] = (),
    theme: Theme | None = None,
) -> MenuListing:
    """The rows in a scene that has nothing else."""
    scene = Scene(id="scn", name="Scene", theme=theme or Theme(), widgets=(widget,))
    return listings(scene, catalogue, location=location, languages=languages)[widget.id]
