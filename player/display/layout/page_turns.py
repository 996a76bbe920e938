"""Decides when the pages of a menu turn, and with which page its next showing begins; pure, imports no Qt."""

from __future__ import annotations

from msgspec import Struct

LEAST_PAGE_SECONDS = 5.0
"""In less time a page cannot be read."""
END_SECONDS = 1.5
"""Delay of the turn that falls on a showing's end, so that no page flashes up as its scene leaves."""
SLACK_SECONDS = 1.0
"""A page that was cut short by no more than this counts as seen: ticks come once a second."""
MOST_RESUME_PAGES = 1_000
INSTANT = 0.001
"""Seconds: a page is due so shortly before its share of the duration, which is no whole number, has passed."""


class PageTiming(Struct, frozen=True, kw_only=True):
    """Seconds that each page shows, the number of pages for which one showing has time, and whether these are all."""

    seconds: float
    pages: int
    complete: bool


def page_timing(pages: int, duration: float) -> PageTiming:
    """Returns the timing of `pages` pages in a showing of `duration` seconds: every page equally long and equally
    often."""
    rounds = max(1, int(duration / (pages * 8.0)))  # A page shows for 8 to 16 s where the time is enough for all.
    seconds = duration / (pages * rounds)
    if seconds >= LEAST_PAGE_SECONDS:
        return PageTiming(seconds=seconds, pages=pages * rounds, complete=True)
    some = max(1, int(duration / LEAST_PAGE_SECONDS))
    return PageTiming(seconds=duration / some, pages=some, complete=some >= pages)


class PageTurner:
    """Page that is shown, counted from 0; every `now` is monotonic, in seconds."""

    def __init__(self, page: int) -> None:
        self.page, self.pages = page, 1
        self._duration = 0.0
        self._since: float | None = None
        self._turns = 0

    @property
    def timing(self) -> PageTiming:
        return page_timing(self.pages, self._duration)

    def begin(self, now: float) -> None:
        self._since, self._turns = now, 0

    def change(self, duration: float, pages: int) -> None:
        self.pages, self._duration = pages, duration
        self.page = self.page if self.page < pages else 0

    def turn(self, now: float) -> bool:
        """Turn to the next page if it is time."""
        if self._since is None or self.pages == 1:
            return False
        timing = self.timing
        last = (self._turns + 1) % timing.pages == 0
        if now - self._since < timing.seconds + (END_SECONDS if last else 0.0):
            return False
        # Counted from when it was due, so that lateness does not add up; after a longer halt, from now.
        due = self._since + timing.seconds
        self._since = due if now - due < SLACK_SECONDS + END_SECONDS else now
        self._turns += 1
        self.page = self.next_page
        return True

    def page_at(self, counted: float) -> int:
        """Returns the page that is due after so many seconds of showings."""
        return int((counted + INSTANT) // self.timing.seconds) % self.pages

    def follow(self, counted: float) -> bool:
        """Turns to the page that is due then; not in the first moments of a showing, which may be the last ones of the
        one before."""
        due = self.page_at(counted)
        if due == self.page or self.pages == 1 or counted % self._duration < END_SECONDS:
            return False
        self.page = due
        return True

    def end(self, now: float) -> int:
        """Ends the showing and returns the page with which the next one begins."""
        if self._since is None or self.pages == 1:
            return 0
        seen = now - self._since >= min(self.timing.seconds, LEAST_PAGE_SECONDS) - SLACK_SECONDS
        self._since = None
        if self._turns + seen >= self.pages:
            return 0
        return self.next_page if seen else self.page

    @property
    def next_page(self) -> int:
        return (self.page + 1) % self.pages


class ResumePages:
    """Page with which each menu's next showing begins, by `scene id/widget id`; the oldest are forgotten."""

    def __init__(self) -> None:
        self._pages: dict[str, int] = {}

    def page(self, menu: str) -> int:
        """Returns the page to begin with; the first for an unknown menu."""
        return self._pages.get(menu, 0)

    def save(self, menu: str, page: int) -> None:
        self._pages.pop(menu, None)
        if page:
            self._pages[menu] = page
        if len(self._pages) > MOST_RESUME_PAGES:
            del self._pages[next(iter(self._pages))]
