"""Base of the view models of widgets: their interface to a scene, and their boxes for QML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import asdict
from PySide6.QtCore import QObject, Signal

from menu.documents.scene import Align, Widget
from menu.text.languages import lack_of
from menu.text.menu_words import is_spoken
from menu.text.wording import Locality
from player.display.layout.runs import Run
from player.display.media.asset_images import AssetImages
from player.display.media.resources import Resources
from player.display.qt.typed import qml_property
from player.display.typography.theme import MeasuredFont, ResolvedTheme
from player.domain.view import MenuRow, SceneView


def geometry(widget: Widget) -> dict[str, object]:
    """Widget's box in canvas units, and its opacity."""
    return {"id": widget.id, **asdict(widget.box), "opacity": widget.opacity}


def mirrored(align: Align, locality: Locality) -> str:
    if not locality.right_to_left or align is Align.CENTER:
        return str(align)
    return str(Align.RIGHT if align is Align.LEFT else Align.LEFT)


class WidgetContext(Struct, frozen=True, kw_only=True):
    """A scene's data and callbacks for a new widget. Only films and slideshows keep `settle` and `expect`, until they
    are released: these refer back to the scene, and Python cannot free such a cycle through Qt's objects."""

    resources: Resources
    view: SceneView
    theme: ResolvedTheme
    localities: Sequence[Locality]
    """The languages of the widget, the first and at most two beside it."""
    assets: AssetImages
    pixels_per_unit: float
    settle: Callable[[str], None]
    """A part of the scene can be drawn, or will not be."""
    expect: Callable[[str], None]
    """The scene waits for a part."""
    parent: QObject


class Shares(Struct, frozen=True, kw_only=True):
    """Most letters of each menu, of each item's description and of each text, so that a scene is laid out soon."""

    menu: int
    description: int
    text: int


class WidgetViewModel(QObject):
    """A widget as QML sees it: `file` draws its `facts`."""

    changed = Signal()

    file_name: ClassVar[str]
    """In qml/widgets."""
    most: ClassVar[int | None] = None
    """Widgets of this kind that a scene has; further ones are left out, and reported as `<kind>_too_many`."""
    kind: ClassVar[str] = ""
    """The name of the kind in reports, and of its item in QML."""
    inks: ClassVar[Sequence[str]] = ()
    """The colours of its theme in which it has text: they have to be readable."""
    in_panel: ClassVar[bool] = False
    """Whether its text stands on the panel of its theme."""
    is_drawn_for_pixels: ClassVar[bool] = False
    """Whether another resolution needs a new one."""
    is_patient: ClassVar[bool] = False
    """Whether it reports by itself that it takes too long."""
    wants_ticks = False
    """Whether the next second may change anything."""
    holds_film = False
    """Whether it has a video, or is one."""

    def __init__(self, widget: Widget, context: WidgetContext) -> None:
        super().__init__(context.parent)
        self.part = widget.id
        """Its part of the scene."""
        self._assets, self._localities = context.assets, context.localities
        self._facts: Mapping[str, object] = {}

    @classmethod
    def text_colors(cls, widget: Widget) -> Sequence[str]:
        del widget
        return cls.inks

    @classmethod
    def is_large(cls, widget: Widget, canvas: tuple[float, float], scale: float) -> bool:
        """Whether all of its text is large, for which less contrast is enough."""
        del widget, canvas, scale
        return False

    @property
    def parts(self) -> Sequence[str]:
        """Parts of the scene that have to be there before it enters."""
        return ()

    def update(self, view: SceneView, shares: Shares) -> None: ...

    @classmethod
    def share_size(cls, models: Sequence[WidgetViewModel]) -> None:
        """Gives the widgets of this kind in a scene their common size, once all have been updated."""

    def enter_phase(self, *, seen: bool, on_glass: bool, plays: bool) -> None:
        """Sets whether the scene is visible, whether it is on top, and whether films play."""

    def tick(self) -> None:
        """Called each second."""

    def built(self) -> None:
        """Called when QML has created the scene's items."""

    def freeze_films(self) -> None:
        """Closes its decoders, and leaves the last frames on the display."""

    def release(self) -> None:
        """Closes its decoders: the scene has left."""

    def _show(self, facts: Mapping[str, object]) -> None:
        """Makes QML draw these facts from now on."""
        if facts != self._facts:
            self._facts = facts
            self.changed.emit()

    def _report_if(self, fault: str, code: str, detail: str) -> None:
        """Reports a fault of this part, or withdraws it where there is no detail."""
        if detail:
            self._assets.report(fault, code, detail)
        else:
            self._assets.withdraw(fault, code)

    def _report_word_cut(self, names: Iterable[tuple[str, Run]], font: MeasuredFont) -> None:
        """Reports an item in whose name, drawn so, a word breaks without a hyphen, if there is one."""
        broken = ((name, run) for name, run in names if "\n" in run.text)
        name = next((name for name, run in broken if font.cuts_word(name, run.width / run.size)), "")
        cut = f"a word of “{name}” is wider than its line: write it with a blank or a hyphen"
        self._report_if(f"{self.part}/words", "word_cut", cut if name else "")

    def _report_names(self, rows: Sequence[MenuRow]) -> None:
        """Report items without a name, and tags and allergens without a word, in a language that the widget shows."""
        for locality in self._localities:
            language = locality.locale
            names = [row.written for row in rows if language in row.untranslated]
            words = dict.fromkeys(word for row in rows for word in row.unsaid)
            if words and is_spoken(language):
                words = {}
            # By language, since the next showing may have another one, and would take the report back.
            part = f"{self.part}/languages/{language}"
            self._report_if(part, "translation_missing", lack_of(names, [*words], language))

    file = qml_property(str, lambda self: self.file_name)
    facts = qml_property("QVariantMap", lambda self: dict(self._facts), notify=changed)
    """Geometry, colours, and what else its file draws."""
