"""View model of a widget whose list has pages: which one shows, when they turn, and what is reported of them; and what
menus and grids describe alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from PySide6.QtCore import QObject, Signal

from player.display.layout import row as row_layout
from player.display.layout.foot import FootGeometry
from player.display.layout.icon_legend import describe_icon_legend
from player.display.layout.page_turns import PageTurner, Place, ResumePages
from player.display.layout.text_fit import fit_text
from player.display.qt.qml_property import qml_property
from player.display.typography.theme import MeasuredFont, ResolvedTheme, hairline
from player.display.widgets.geometry import geometry
from player.domain.documents.scene import ListWidget, Scene
from player.domain.menu.energy import is_declared_large
from player.domain.view import Locality, MenuListing

SOLD_OUT_STRENGTH = 0.42
MOST_NAMED = 3
"""Items that a report names."""

Report = Callable[[str, str], None]
Withdraw = Callable[..., None]
"""Report a fault of the widget: a stable code, and a sentence for people."""


class ListContext(msgspec.Struct, frozen=True):
    """What a list has from its scene; `z` is its place in the drawing order, `localities` are the languages in which it
    is read, one or two."""

    scene: Scene
    z: int
    theme: ResolvedTheme
    localities: Sequence[Locality]
    resume_pages: ResumePages
    report: Report
    withdraw: Withdraw
    monotonic: Callable[[], float]


class PagedList(QObject):
    """The pages of one widget; a list that has one page never turns it."""

    _widget: ListWidget

    layoutChanged = Signal()
    pageChanged = Signal()
    pageTurned = Signal(int)
    """From which page; from -1 where its rows are no longer there."""

    def __init__(self, widget: ListWidget, context: ListContext, *, parent: QObject) -> None:
        super().__init__(parent)
        theme, locality = context.theme, context.localities[0]
        self._widget, self._theme = widget, theme
        self._locality, self._localities = locality, context.localities
        # Each language goes through its pages by itself.
        self._key = f"{context.scene.id}/{widget.id}/{locality.locale}"
        self._resume_pages = context.resume_pages
        self._report, self._withdraw = context.report, context.withdraw
        self._monotonic = context.monotonic
        self._turner = PageTurner()
        self._turner.place = self._resume_pages.place(self._key)
        self._all_pages = 1
        self._on_glass = False
        self._listing = MenuListing(sections=())
        self._duration = 0.0
        self._glides = False
        self._were_there: frozenset[str] = frozenset()
        self._layout: dict[str, object] = {}
        self._facts: dict[str, object] = {
            **geometry(widget, context.z),
            "rightToLeft": locality.right_to_left,
            "panel": theme.panel,
            "text": theme.text,
            "secondary": theme.secondary,
            "accent": theme.accent,
            "rule": hairline(theme),
            "soldOutStrength": SOLD_OUT_STRENGTH,
        }

    def set_on_glass(self, shown: bool) -> None:  # noqa: FBT001 -- a switch
        """Start or stop turning pages; the next showing begins with the page after the last one read."""
        if shown is self._on_glass:
            return
        self._on_glass = shown
        if not shown:
            self._resume_pages.save(self._key, self._turner.end(self._monotonic()))
            return
        self.prepare()
        self._turner.begin(self._monotonic())
        self._report_if_too_long()

    def prepare(self) -> None:
        """It is not on the glass: go to the page with which its next showing begins."""
        place = self._resume_pages.place(self._key)
        if place != self._turner.place:
            self._go_to(place)

    def tick(self, monotonic: float) -> None:
        """Turn the page if it is time; `monotonic` is in seconds."""
        before = self._turner.place
        if self._turner.turn(monotonic):
            self._go_to(self._turner.place)
            self.pageTurned.emit(before.page if before.first == self._turner.place.first else -1)
        elif self._on_glass:
            # Not with the turn: the items of the next page have seconds to be made in.
            self._build_pages()

    def _go_to(self, place: Place) -> None:
        """Show this page."""
        raise NotImplementedError

    def _build_pages(self) -> None:
        """Give QML the rows of the page that shows, and of the next one."""
        raise NotImplementedError

    def _report_if_too_long(self) -> None:
        """Report what is left out, and pages for which a showing has no time."""
        raise NotImplementedError

    def _page_text(self) -> str:
        """The number of the page, as a guest reads it."""
        raise NotImplementedError

    def _report_pages(self, *, left_out: str, about: bool = False) -> None:
        timing = self._turner.timing
        if left_out:
            self._report("menu_too_long", left_out)
            self._withdraw("menu_continues")
        elif not timing.complete:
            self._report(
                "menu_continues",
                f"{'about ' if about else ''}{self._all_pages} pages, of which one showing has time for {timing.pages};"
                " the next one goes on from there",
            )
            self._withdraw("menu_too_long")
        else:
            self._withdraw("menu_too_long", "menu_continues")

    def _report_cut(self, code: str, names: Sequence[str], *, legend: bool, advice: str) -> None:
        """Report the items that are not whole, by name, or that all are."""
        if not (names or legend):
            self._withdraw(code)
            return
        parts = [f"all of “{name}”" for name in names[:MOST_NAMED]]
        parts += [f"all of {len(names) - MOST_NAMED} more items"] if len(names) > MOST_NAMED else []
        parts += ["the explanation of its icons, allergens or energies"] if legend else []
        self._report(code, f"it has no room for {', '.join(parts)}, {advice}")

    def _describe_foot(self, foot: FootGeometry, font: MeasuredFont) -> dict[str, object]:
        return {
            "footY": foot.y,
            "icons": describe_icon_legend(foot.icons),
            "note": foot.note,
            "noteFont": font.at_size(foot.note_size),
            "noteLine": row_layout.DETAIL_LINE * foot.note_size,
            "noteBaseline": foot.note_baseline,
            "largeEnergy": is_declared_large(self._locality.law),
            "legend": foot.legend,
            "legendBaseline": foot.legend_baseline,
        }

    def _describe_empty(self, font: MeasuredFont, padding: float = 0.0) -> dict[str, object]:
        """What stands in place of a list without items."""
        box, text = self._widget.box, self._widget.empty_text
        if not (self._listing.empty and text):
            return {"empty": ""}
        fitted = fit_text(
            text,
            measurer=font,
            width=box.width - 2 * padding,
            height=box.height - 2 * padding,
            most=self._widget.max_text_size * self._theme.scale,
        )
        return {"empty": "\n".join(fitted.lines), "emptyFont": font.at_size(fitted.size)}

    facts = qml_property("QVariantMap", lambda self: self._facts)
    """What never changes: geometry and colours."""
    layout = qml_property("QVariantMap", lambda self: self._layout, notify=layoutChanged)
    """What changes with the listing: fonts and measurements."""
    page = qml_property(int, lambda self: self._turner.place.page, notify=pageChanged)
    """Counted from 0 in what is laid out."""
    pages = qml_property(int, lambda self: self._all_pages, notify=pageChanged)
    pageText = qml_property(str, lambda self: self._page_text(), notify=pageChanged)
