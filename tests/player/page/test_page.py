"""The technician's page as HTML: what it says of a board, in which words, and that names are text."""

from __future__ import annotations

import re
from datetime import timedelta
from html.parser import HTMLParser

import pytest
from msgspec.structs import replace

from player.domain import events as ev
from player.domain.state import PairingFacts
from player.domain.time.clock import ClockState, Trust
from player.page.parts import PageParts
from player.page.sections.facts import Facts
from player.page.sections.program import MAX_ROWS
from player.page.sections.render import Parts, page, parts
from player.recent_log import LogLine
from tests.player.page.page_samples import EVIL, SAMPLES, Sample, part, with_state
from tests.support.menus import NOON, item, menu_scene

JARGON = re.compile(
    r"held poll|revision|latency|errno|manifest|heartbeat|token|etag|epoch|anchor|payload|json|scn_|ent_|itm_|scr_|pl_"
    r"|\b[0-9a-f]{12,}\b|_",
    re.IGNORECASE,
)


class Reader(HTMLParser):
    """The text of a page outside its section of details, and all names of elements and attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.headings: list[str] = []
        self._path: list[str] = []
        self._section = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "section":
            self._section = dict(attrs)["id"] or ""
        if tag not in ("meta", "link", "img", "input"):
            self._path.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._path.pop() == tag, "every element is closed, in order"

    def handle_data(self, data: str) -> None:
        if self._path and self._path[-1] == "h2":
            self.headings.append(data)
        if self._section != "details":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def read(facts: Facts) -> Reader:
    return Reader(page(facts))


def text_of(facts: Facts, name: str) -> str:
    return Reader(parts(facts)[name]).text


@pytest.mark.parametrize("name", SAMPLES)
def test_the_page_has_every_section_and_one_heading(name: str) -> None:
    facts = SAMPLES[name]()
    found = read(facts)
    assert set(found.headings) == {
        "Now", "Findings", "Connection", "Screen", "Timetable", "Menu", "Clock", "Files", "Device", "Log", "Details",
        *(["Actions"] if facts.csrf else []),
    }  # fmt: skip
    assert [tag for tag, _ in found.elements].count("h1") == 1
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", SAMPLES)
def test_there_is_no_jargon_outside_the_details(name: str) -> None:
    found = JARGON.search(read(SAMPLES[name]()).text.replace(EVIL, "").replace("WDJ-BMJ", ""))
    assert found is None, found


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_is_inline_and_nothing_comes_from_another_host(name: str) -> None:
    for element, attributes in read(SAMPLES[name]()).elements:
        assert "style" not in attributes
        assert not [key for key in attributes if key.startswith("on")]
        assert element not in ("style", "iframe", "object")
        for key in ("src", "href", "action"):
            address = attributes.get(key) or ""
            assert "//" not in address
            assert not address.startswith(("data:", "javascript:"))


def test_markup_in_names_is_text() -> None:
    made = page(SAMPLES["large"]())
    assert "<img src=x" not in made
    assert EVIL in read(SAMPLES["large"]()).text


def test_a_board_without_a_fault_says_so() -> None:
    facts = SAMPLES["small"]()
    assert "Nothing is wrong." in text_of(facts, "headline")
    assert "Coffee is showing." in text_of(facts, "now")
    assert "Next Lunch" in text_of(facts, "now")


def test_a_finding_sets_apart_what_is_wrong_why_and_what_to_do() -> None:
    text = text_of(SAMPLES["large"](), "findings")
    assert "The name server (DNS) says that there is no menu.example." in text
    for words in ("Why 192.168.178.1 answers that", "Do this Check that the address", "Who You, here"):
        assert words in text
    assert "And 2 more." in text_of(SAMPLES["large"](), "headline")


def test_the_steps_of_the_connection_and_the_first_that_fails() -> None:
    works = text_of(SAMPLES["small"](), "connection")
    assert "Name of the service : works menu.example is 203.0.113.8 22 ms" in works
    fails = text_of(SAMPLES["large"](), "connection")
    assert "Name of the service : fails" in fails
    assert "Connection to the service : not tested" in fails
    assert "5.0 s" in fails


def test_the_timetable_says_when_each_scene_shows_and_why_not_now() -> None:
    text = text_of(SAMPLES["small"](), "timetable")
    assert "Breakfast Not now 06:00–11:00, 10 seconds each time" in text
    assert "It shows again tomorrow at 06:00 ." in text
    assert "Coffee Showing now All day" in text
    assert "Lunch In turn 11:30–14:30" in text


def test_times_are_the_locations_and_its_longest_day_has_25_hours() -> None:
    # The clocks in Dublin go back at 01:00 UTC on 25 October 2026.
    sample = Sample(start=timedelta(days=-26))
    sample.receive(
        scenes=[menu_scene("Night", "Coffee", schedules=[part("00:00", "03:00")]), menu_scene("Day", "Coffee")],
        items=[item("Espresso", 2.2)],
        timezone="Europe/Dublin",
        revision_at=NOON - timedelta(days=30),
        published_at=NOON - timedelta(days=30),
    )
    facts = sample.facts()
    assert facts.timetable is not None
    assert facts.timetable.end - facts.timetable.start == timedelta(hours=25)
    night = facts.timetable.rows[0].spans
    assert [high - low for low, high in night] == [timedelta(hours=4)]
    assert "00:00–03:00" in text_of(facts, "timetable")
    assert "Europe/Dublin" in text_of(facts, "clock")


def test_the_items_and_where_they_are() -> None:
    text = text_of(SAMPLES["small"](), "menu")
    assert "3 items, 1 on the screen now, 1 sold out." in text
    assert "Espresso €2.20 On the screen" in text
    assert "Flat white €3.80 Sold out" in text
    assert "Soup of the day €6.50 Not in this scene" in text


def test_files_that_are_missing_are_named_with_what_they_are_for() -> None:
    assert "1 file is on the device" in text_of(SAMPLES["small"](), "files")
    text = text_of(SAMPLES["large"](), "files")
    assert "1 of 2 files are on the device" in text
    assert "Fetched to 40 %, 3 MB of 7 MB." in text


def test_a_screen_that_waits_for_pairing_shows_its_code_and_no_secret() -> None:
    made = page(SAMPLES["unpaired"]())
    assert "WDJ-BMJ" in made
    assert "The screen shows a code." in made
    assert "secret" not in made


def test_a_screen_that_has_no_code_yet_is_not_said_to_show_one() -> None:
    facts = SAMPLES["unpaired"]()
    text = read(with_state(facts, pairing=PairingFacts())).text
    assert "The screen shows no code yet" in text
    assert "shows a code" not in text


@pytest.mark.parametrize(
    ("trust", "words"),
    [(Trust.TRUSTED, "is synchronised"), (Trust.CORRECTED, "corrects it"), (Trust.UNKNOWN, "is not known")],
)
def test_the_clock_says_how_far_it_can_be_trusted(trust: Trust, words: str) -> None:
    facts = SAMPLES["small"]()
    clock = ClockState(trust=trust, offset=timedelta(minutes=61))
    text = text_of(with_state(facts, clock=clock), "clock")
    assert words in text
    assert "1 hour 1 minute forward" in text


def test_a_clock_that_is_days_off_is_told_by_its_day() -> None:
    facts = SAMPLES["small"]()
    off = timedelta(days=20000)
    text = text_of(with_state(facts, clock=ClockState(trust=Trust.CORRECTED, offset=off)), "clock")
    assert f"from {facts.state.at - off:%A} " in text
    text += text_of(with_state(facts, clock_differs=off), "clock")
    assert "the menu service says " in text
    assert "20000" not in text


def test_long_lists_end_with_a_count() -> None:
    sample = Sample()
    items = [{**item(f"Dish {number}"), "id": f"itm_{number}"} for number in range(MAX_ROWS + 40)]
    sample.receive(scenes=[menu_scene("Coffee", "Coffee")], items=items)
    facts = sample.facts()
    assert "And 40 that are not listed here." in text_of(facts, "menu")
    assert text_of(facts, "menu").count("Dish") == MAX_ROWS


def test_actions_that_disturb_guests_are_confirmed_and_all_carry_the_token() -> None:
    found = read(SAMPLES["small"]())
    forms = [attributes["action"] for tag, attributes in found.elements if tag == "form"]
    assert {"actions/identify", "actions/restart", "actions/test"} <= set(forms)
    hidden = [attributes for tag, attributes in found.elements if attributes.get("name") == "csrf"]
    assert len(hidden) == len(forms)
    assert "The screen is dark for a few seconds; guests see it." in found.text
    assert ("a", "bundle.zip") in [(tag, attributes.get("href")) for tag, attributes in found.elements]
    assert not [tag for tag, _ in read(SAMPLES["unpaired"]()).elements if tag == "form"]


def test_the_newest_line_of_the_log_comes_first() -> None:
    text = text_of(SAMPLES["small"](), "log")
    assert text.index("answers again") < text.index("does not answer") < text.index("starts")
    assert "11:51:00 Warning the menu service does not answer" in text


def test_a_house_card_says_why_and_until_when() -> None:
    sample = Sample(start=timedelta(hours=8))
    scenes = [menu_scene("Lunch", "Coffee", schedules=[part("11:30", "14:30")])]
    sample.receive(scenes=scenes, items=[item("Espresso")])
    text = text_of(sample.facts(), "now")
    assert "No scene is scheduled for this time." in text
    assert "Next scene tomorrow at 11:30" in text


def test_before_the_first_contact_the_page_says_what_it_knows() -> None:
    sample = Sample()
    text = read(sample.facts()).text
    assert "waits for its first menu" in text
    assert "has not been tested" in text
    sample.tell(ev.HealthRead(health=ev.Health(temperature_celsius=84.0)))
    assert "84 °C too hot" in text_of(sample.facts(), "device")


def test_what_only_programs_can_use_is_left_out_of_sentences_of_other_parts() -> None:
    facts = SAMPLES["small"]()
    digest = "5e83a70d478d826bc2005ee228013da1b71f61193b286d6ae0acdbfe6bacda0e"
    log = (LogLine(NOON, "ERROR", "player", f"sha256:{digest}: [Errno 28] No space left on device"),)
    facts = replace(facts, log=log)
    assert "Error …: No space left on device" in text_of(facts, "log")


def test_power_disk_and_a_clock_that_differs_are_told() -> None:
    sample = Sample()
    sample.tell(ev.HealthRead(health=ev.Health(disk_read_only=True, under_voltage=True)))
    text = text_of(sample.facts(), "device")
    assert "Power too weak" in text
    assert "the disk can only be read" in text
    facts = SAMPLES["small"]()
    facts = with_state(facts, clock_differs=timedelta(minutes=-61))
    assert "Device’s own 1 hour 1 minute ahead of the menu service’s" in text_of(facts, "clock")
    assert "http://192.168.178.34:8085/" in text_of(facts, "device")


def test_while_somebody_looks_a_section_is_written_again_only_when_something_changes() -> None:
    sample = Sample()
    sample.receive(scenes=[menu_scene("Coffee", "Coffee")], items=[item("Espresso")])
    snapshot = sample.conductor.state
    page_parts = PageParts()

    def look() -> Parts:
        return page_parts(replace(sample.facts(), state=snapshot.as_of(sample.clock.monotonic())), "en")

    first = look()
    sample.clock.pass_(1)
    second = look()
    assert all(second[name] is first[name] for name in first if name != "clock")
    assert "12:00:01" in second["clock"]
    sample.clock.pass_(60)
    assert "1 minute ago" in look()["connection"]
    sample.receive(scenes=[menu_scene("Coffee", "Coffee")], items=[item("Mocha")], revision=2)
    snapshot = sample.conductor.state
    assert "Mocha" in look()["menu"]


def test_readers_of_many_languages_share_a_rendering_of_each_until_something_changes() -> None:
    facts = SAMPLES["small"]()
    page_parts = PageParts()
    first = {language: page_parts(facts, language) for language in ("de", "ar")}
    assert "Alles in Ordnung." in first["de"]["headline"]
    for _ in range(100):
        for language, parts_then in first.items():
            assert page_parts(facts, language)["menu"] is parts_then["menu"]
