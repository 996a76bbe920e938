"""Decides when the pages of a menu turn, and with which page its next showing begins; pure, imports no Qt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

USUAL_PAGE_SECONDS = 8.0
"""A page shows for this long or longer, up to twice as long, where the time is enough for all pages."""
LEAST_PAGE_SECONDS = 5.0
"""In less time a page cannot be read."""
END_SECONDS = 1.5
"""Delay of the turn that falls on a showing's end, so that no page flashes up as its scene leaves."""
SLACK_SECONDS = 1.0
"""A page that was cut short by no more than this counts as seen: ticks come once a second."""
MOST_RESUME_PAGES = 1_000
MOST_ROWS_BUILT = 150
"""Rows for which QML has items, as far as the page that shows and the next one have no more."""


class PageTiming(Struct, frozen=True, kw_only=True):
    """Seconds that each page shows; how many pages one showing has time for; whether these are all of them."""

    seconds: float
    pages: int
    complete: bool


def page_timing(pages: int, duration: float) -> PageTiming:
    """The timing of `pages` pages in a showing of `duration` seconds: every page equally long and equally often."""
    rounds = max(1, int(duration / (pages * USUAL_PAGE_SECONDS)))
    seconds = duration / (pages * rounds)
    if seconds >= LEAST_PAGE_SECONDS:
        return PageTiming(seconds=seconds, pages=pages * rounds, complete=True)
    some = max(1, int(duration / LEAST_PAGE_SECONDS))
    return PageTiming(seconds=duration / some, pages=some, complete=some >= pages)


class PagePosition(Struct, frozen=True, kw_only=True):
    """A page of a menu: the first row of its portion, the page's number in that portion from 0, and how many pages of
    the list are before the portion."""

    first: int = 0
    page: int = 0
    pages_before: int = 0


def pages_to_build(rows: Sequence[int], page: int) -> frozenset[int]:
    """The pages that exist on the glass while `page` shows: it, the next one, and further ones as long as all have at
    most MOST_ROWS_BUILT rows. `rows` counts those of each page."""
    built, count = [page], rows[page] if rows else 0
    for ahead in range(1, len(rows)):
        following = (page + ahead) % len(rows)
        count += rows[following]
        if ahead > 1 and count > MOST_ROWS_BUILT:
            break
        built.append(following)
    return frozenset(built)


class PageTurner:
    """The page that shows; every `now` is monotonic, in seconds."""

    def __init__(self) -> None:
        self.place = PagePosition()
        self._duration = 0.0
        self._pages = 1
        self._all_pages = 1
        self._next_portion: int | None = None
        self._since: float | None = None
        self._turns = 0

    @property
    def timing(self) -> PageTiming:
        """The timing of the pages now."""
        return page_timing(self._all_pages, self._duration)

    def begin(self, now: float) -> None:
        """A showing begins with this page."""
        self._since, self._turns = now, 0

    def change(
        self,
        duration: float,
        *,
        pages: int,
        all_pages: int | None = None,
        portion: int = 0,
        next_portion: int | None = None,
    ) -> None:
        """The list has another number of pages, or its entry another duration. Of a list in portions, `pages` are those
        of the one that begins with row `portion`, `all_pages` about how many the list has, and `next_portion` is the
        first row of the next one."""
        self._pages, self._duration = pages, duration
        self._all_pages, self._next_portion = all_pages or pages, next_portion
        self.place = PagePosition(
            first=portion,
            page=self.place.page if self.place.page < pages else 0,
            pages_before=self.place.pages_before if portion else 0,
        )

    def turn(self, now: float) -> bool:
        """Turn to the next page if it is time."""
        if self._since is None or self._all_pages == 1:
            return False
        timing = self.timing
        last = (self._turns + 1) % timing.pages == 0
        if now - self._since < timing.seconds + (END_SECONDS if last else 0.0):
            return False
        # Counted from when it was due, so that lateness does not add up; after a longer halt, from now.
        due = self._since + timing.seconds
        self._since = due if now - due < SLACK_SECONDS + END_SECONDS else now
        self._turns += 1
        self.place = self._after()
        return True

    def end(self, now: float) -> PagePosition:
        """The showing ends: the page with which the next one begins."""
        if self._since is None or self._all_pages == 1:
            return PagePosition()
        seen = now - self._since >= min(self.timing.seconds, LEAST_PAGE_SECONDS) - SLACK_SECONDS
        self._since = None
        in_portions = self._next_portion is not None or self.place.first > 0
        if not in_portions and self._turns + (1 if seen else 0) >= self._pages:
            return PagePosition()
        return self._after() if seen else self.place

    def _after(self) -> PagePosition:
        if self.place.page + 1 < self._pages:
            return replace(self.place, page=self.place.page + 1)
        if self._next_portion is None:
            return PagePosition()
        return PagePosition(first=self._next_portion, pages_before=self.place.pages_before + self._pages)


class ResumePages:
    """The page with which each menu's next showing begins, by `scene id/widget id`; the oldest are forgotten."""

    def __init__(self) -> None:
        self._places: dict[str, PagePosition] = {}

    def place(self, menu: str) -> PagePosition:
        """The page to begin with; the first for an unknown menu."""
        return self._places.get(menu, PagePosition())

    def save(self, menu: str, place: PagePosition) -> None:
        """Remember the page."""
        self._places.pop(menu, None)
        if place != PagePosition():
            self._places[menu] = place
        if len(self._places) > MOST_RESUME_PAGES:
            del self._places[next(iter(self._places))]
