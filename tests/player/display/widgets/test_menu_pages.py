"""Menus longer than their widget: pages turn within the scene's time, and continue at the next showing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from menu.documents.box import Box
from menu.documents.scene import Span
from menu.text.wording import Locality
from player.display.layout.page_turns import (
    END_SECONDS,
    LEAST_PAGE_SECONDS,
    MOST_RESUME_PAGES,
    ResumePages,
    page_timing,
)
from player.domain.view import MenuListing, SceneView
from tests.player.display.conftest import Glass
from tests.player.display.scenes import GERMAN, NOON, listing, menu, one_menu, row, scene, showing

SMALL = Box(x=0, y=0, width=800, height=500)
MANY = [row(f"Dish number {number}") for number in range(60)]
OTHER = showing(scene(menu(), scene_id="scn_2"), {"menu": listing(("", MANY[:1]))}, entry="ent_2")


def long_menu(rows: MenuListing | None = None, *, seconds: int, locality: Locality = GERMAN) -> SceneView:
    return one_menu(
        rows or listing(("All", MANY)),
        seconds=seconds,
        locality=locality,
        box=SMALL,
        min_text_size=40,
        max_text_size=40,
    )


def page_mark(glass: Glass) -> str:
    [mark] = glass.texts("pageMark")
    return mark


def pages_of(glass: Glass) -> int:
    return int(page_mark(glass).partition("/")[2])


def watch(glass: Glass, seconds: float) -> dict[str, float]:
    """Let time pass; returns for how many seconds each page showed, by its page mark."""
    seen: dict[str, float] = {}
    for _ in range(round(seconds)):
        mark = page_mark(glass)
        seen[mark] = seen.get(mark, 0) + 1
        glass.pass_seconds(1)
    return seen


@given(st.integers(2, 300), st.integers(1, 86_400))
def test_every_page_has_time_to_be_read(pages: int, duration: int) -> None:
    found = page_timing(pages, duration)

    assert found.seconds >= min(LEAST_PAGE_SECONDS, duration)
    assert found.seconds * found.pages == pytest.approx(duration)
    if found.complete:
        assert found.pages >= pages
        assert found.pages % pages == 0 or duration < pages * LEAST_PAGE_SECONDS
        assert found.seconds < 16.0
    else:
        assert found.pages < pages


def test_all_pages_show_within_the_scene_s_time_and_equally_long(glass: Glass) -> None:
    glass.show(long_menu(seconds=100))
    pages = pages_of(glass)

    seen = watch(glass, 100)

    assert pages > 3
    assert list(seen) == [f"{page}/{pages}" for page in range(1, pages + 1)]
    assert max(seen.values()) - min(seen.values()) <= 2
    assert glass.undrawable == []


def test_the_rows_of_all_pages_together_are_the_list_in_order(glass: Glass) -> None:
    glass.show(long_menu(seconds=100))
    names: list[str] = []
    for page in range(pages_of(glass)):
        glass.until(lambda page=page: page_mark(glass).startswith(f"{page + 1}/"))
        names += glass.texts("name")
        for _ in range(100 // pages_of(glass) + 1):
            if page_mark(glass).startswith(f"{page + 1}/"):
                glass.pass_seconds(1)

    assert names == [one.name for one in MANY]


def test_a_section_that_continues_on_the_next_page_repeats_its_heading(glass: Glass) -> None:
    glass.show(long_menu(listing(("Coffee", MANY[:20]), ("Tea", MANY[20:])), seconds=100))
    headings = []
    for _ in range(100):
        if (here := glass.texts("headingText")) not in headings:
            headings.append(here)
        glass.pass_seconds(1)

    assert all(headings)
    assert {heading for here in headings for heading in here} == {"COFFEE", "TEA"}


def test_a_scene_too_short_for_all_pages_continues_at_its_next_showing_and_is_reported(glass: Glass) -> None:
    seen: list[str] = []
    glass.show(long_menu(seconds=12))
    pages = pages_of(glass)
    for _ in range(-(-pages // 2)):
        glass.show(long_menu(seconds=12))
        seen += watch(glass, 12)
        glass.show(OTHER)

    assert seen[:pages] == [f"{page}/{pages}" for page in range(1, pages + 1)]
    assert {(one.subject, one.code) for one in glass.undrawable} == {("scn_1/menu", "menu_continues")}
    assert f"{pages} pages" in glass.undrawable[0].detail


def test_a_menu_that_fits_again_is_not_reported_any_more(glass: Glass) -> None:
    glass.show(long_menu(seconds=12))
    watch(glass, 24)
    assert {one.code for one in glass.undrawable} == {"menu_continues"}
    assert all("menu_continues" not in one.codes for one in glass.drawn), "each showing goes on with its pages"
    glass.show(long_menu(listing(("Coffee", MANY[:3])), seconds=12))
    assert (glass.drawn[-1].subject, glass.drawn[-1].codes) == ("scn_1/menu", {"menu_continues"})
    glass.show(long_menu(seconds=12))
    assert [one.code for one in glass.undrawable] == ["menu_continues"] * 2


def test_after_a_showing_of_all_pages_the_next_begins_with_the_first(glass: Glass) -> None:
    glass.show(long_menu(seconds=100))
    watch(glass, 100)
    glass.show(OTHER)

    glass.show(long_menu(seconds=100))

    assert page_mark(glass).startswith("1/")


def test_no_page_flashes_up_as_the_showing_ends(glass: Glass) -> None:
    glass.show(long_menu(seconds=100))
    pages = pages_of(glass)
    watch(glass, 100)
    assert page_mark(glass) == f"{pages}/{pages}"

    watch(glass, END_SECONDS + 1)

    assert page_mark(glass) == f"1/{pages}", "alone in its loop, it goes round"


def test_the_first_page_replaces_one_that_no_longer_exists(glass: Glass) -> None:
    glass.show(long_menu(seconds=100))
    watch(glass, 30)
    assert not page_mark(glass).startswith("1/")

    glass.show(long_menu(listing(("", MANY[:3])), seconds=100))

    assert glass.find("pageMark") == []
    assert glass.texts("name") == [one.name for one in MANY[:3]]


def test_the_page_is_numbered_in_the_location_s_digits(glass: Glass) -> None:
    glass.show(long_menu(seconds=100, locality=Locality(timezone="Africa/Cairo", locale="ar-EG", right_to_left=True)))

    assert page_mark(glass).startswith("١/")


def test_resume_pages_are_bounded() -> None:
    resume_pages = ResumePages()
    for number in range(MOST_RESUME_PAGES + 5):
        resume_pages.save(f"scn/{number}", 3)

    kept = [number for number in range(MOST_RESUME_PAGES + 5) if resume_pages.page(f"scn/{number}") == 3]
    assert kept == list(range(5, MOST_RESUME_PAGES + 5))


def test_a_page_fades_in_while_the_one_before_it_fades_out(glass: Glass) -> None:
    # Longer than the second between two ticks, as on a machine that is busy.
    glass.page_turns = 1500
    glass.show(long_menu(seconds=100))
    first = set(glass.texts("name"))
    [menu_item], before = glass.find("menu"), glass.find("row")
    seen: list[tuple[float, float]] = []

    while page_mark(glass).startswith("1/"):
        glass.pass_seconds(1)
    after = [item for item in glass.find("row") if item not in before]
    assert first < set(glass.texts("name")), "both pages show"
    assert before[0].opacity() > 0.9
    menu_item.fadeInChanged.connect(lambda: seen.append((before[0].opacity(), after[0].opacity())))
    glass.until(lambda: menu_item.property("fadeIn") == 1)
    glass.until(lambda: first.isdisjoint(glass.texts("name")))

    assert len(seen) > 2
    assert all(old + new == pytest.approx(1, abs=0.15) for old, new in seen), "nothing blinks"
    assert after[0].opacity() == 1


@pytest.mark.long
@pytest.mark.parametrize("seconds", [100, 12])
def test_pages_over_two_panels_turn_together_however_late_one_of_them_starts(
    make_glass: Callable[..., Glass], seconds: int
) -> None:
    view = long_menu(seconds=seconds)
    view = replace(view, scene=replace(view.scene, span=Span(panels=2)), counted_from=NOON)
    early = make_glass()
    early.show(view)
    assert page_mark(early).startswith("1/")
    for late_by in (3 * seconds + 5, 5 * seconds - 1):
        early.pass_seconds(late_by)
        late = make_glass(wall=early.wall, monotonic=7.0)
        late.show(replace(view, started_at=early.wall - timedelta(seconds=early_since(early, seconds))))
        shown = set()
        for _ in range(2 * seconds):
            marks = page_mark(early), page_mark(late)
            assert marks[0] == marks[1]
            shown.add(marks[0])
            early.pass_seconds(1)
            late.pass_seconds(1)
        assert len(shown) > 2


def early_since(glass: Glass, seconds: int) -> float:
    """Seconds since the present showing began; each lasts so long, the first began at noon."""
    return (glass.wall - NOON).total_seconds() % seconds


def test_a_showing_over_two_panels_begins_with_the_page_that_is_due(glass: Glass) -> None:
    view = long_menu(seconds=100)
    view = replace(view, scene=replace(view.scene, span=Span(panels=2)), counted_from=NOON)
    glass.show(view)
    glass.pass_seconds(99)
    glass.pass_seconds(1.2)
    assert page_mark(glass) != "1/", "as its scene leaves, the first page does not flash up"
    last = page_mark(glass)
    assert last == f"{pages_of(glass)}/{pages_of(glass)}"
    glass.show(OTHER)
    again = replace(view, started_at=glass.wall, counted_from=glass.wall - timedelta(seconds=100))
    glass.show(again)
    assert page_mark(glass).startswith("1/")
