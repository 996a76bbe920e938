"""The rows of one menu or grid, as its scene lists them."""

from __future__ import annotations

from menu.documents.manifest import Catalogue, Location
from menu.documents.scene import ItemWidget, ListWidget, Scene
from menu.documents.theme import Theme
from menu.text.languages import speech_of
from player.domain.playing.listings import item_row, listings
from player.domain.view import MenuListing, MenuRow


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
    return listings_of(scene, catalogue, location=location, languages=languages)[widget.id]


def listings_of(
    scene: Scene, catalogue: Catalogue, *, location: Location, languages: tuple[str, ...] = ()
) -> dict[str, MenuListing]:
    """The rows of a scene's menus and grids."""
    return listings(scene, speech_of(languages, catalogue, location, scene.theme))


def row_of(
    widget: ItemWidget,
    catalogue: Catalogue,
    *,
    location: Location,
    languages: tuple[str, ...] = (),
    theme: Theme | None = None,
) -> MenuRow | None:
    """The row of an item widget."""
    return item_row(widget, speech_of(languages, catalogue, location, theme))
