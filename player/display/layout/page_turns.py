"""Owns when the pages of a menu turn, and where a menu goes on at its next showing; pure, imports no Qt."""

from __future__ import annotations

from msgspec import Struct

USUAL_PAGE_SECONDS = 8.0
"""A page stays this long or longer, less than twice as long, where the time is enough for all pages."""
LEAST_PAGE_SECONDS = 5.0
"""In less a page can't be read."""
END_SECONDS = 1.5
"""The turn that falls on a showing's end waits this long, so that no page flashes up as its scene leaves."""
SLACK_SECONDS = 1.0
"""A page that was cut short by no more than this counts as seen: time passes here in steps of a second."""
MOST_BOOKMARKS = 1_000


class Pace(Struct, frozen=True, kw_only=True):
    """How long each page stays, in seconds; how many stay that long in one showing; whether these are all of them."""

    seconds: float
    pages: int
    complete: bool


def pace(pages: int, duration: float) -> Pace:
    """The pace of so many pages in a showing of `duration` seconds: every page equally long and equally often."""
    rounds = max(1, int(duration / (pages * USUAL_PAGE_SECONDS)))
    seconds = duration / (pages * rounds)
    if seconds >= LEAST_PAGE_SECONDS:
        return Pace(seconds=seconds, pages=pages * rounds, complete=True)
    some = max(1, int(duration / LEAST_PAGE_SECONDS))
    return Pace(seconds=duration / some, pages=some, complete=some >= pages)


class PageTurner:
    """The page that shows, counted from 0; every `now` is monotonic, in seconds."""

    def __init__(self, duration: float) -> None:
        self.page = 0
        self._duration = duration
        self._pages = 1
        self._since: float | None = None
        self._turned = 0

    @property
    def pace(self) -> Pace:
        """How the pages turn now."""
        return pace(self._pages, self._duration)

    def begin(self, now: float, *, page: int) -> None:
        """A showing begins, with this page if there is one so far on."""
        self.page = page if page < self._pages else 0
        self._since, self._turned = now, 0

    def change(self, pages: int, duration: float) -> None:
        """The list has another number of pages, or its entry another duration."""
        self._pages, self._duration = pages, duration
        if self.page >= pages:
            self.page = 0

    def turn(self, now: float) -> bool:
        """Turn to the next page if it is time."""
        if self._since is None or self._pages == 1:
            return False
        pace = self.pace
        last = (self._turned + 1) % pace.pages == 0
        if now - self._since < pace.seconds + (END_SECONDS if last else 0.0):
            return False
        # Counted from when it was due: lateness does not add up. A clock that stood still is no reason to hurry.
        due = self._since + pace.seconds
        self._since = due if now - due < SLACK_SECONDS + END_SECONDS else now
        self._turned += 1
        self.page = (self.page + 1) % self._pages
        return True

    def end(self, now: float) -> int:
        """The showing ends: the page with which the next one begins."""
        if self._since is None or self._pages == 1:
            return 0
        seen = now - self._since >= min(self.pace.seconds, LEAST_PAGE_SECONDS) - SLACK_SECONDS
        self._since = None
        shown = self._turned + (1 if seen else 0)
        return 0 if shown >= self._pages else (self.page + (1 if seen else 0)) % self._pages


class Bookmarks:
    """The pages with which menus go on, by `scene id/widget id`; the oldest are forgotten."""

    def __init__(self) -> None:
        self._pages: dict[str, int] = {}

    def page(self, menu: str) -> int:
        """Where the menu goes on; 0 where nothing is known."""
        return self._pages.get(menu, 0)

    def keep(self, menu: str, page: int) -> None:
        """Remember where it goes on."""
        self._pages.pop(menu, None)
        if page:
            self._pages[menu] = page
        if len(self._pages) > MOST_BOOKMARKS:
            del self._pages[next(iter(self._pages))]
