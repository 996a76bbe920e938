"""Items that become others at an instant, by the board's own clock."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from menu.documents import manifest_reader
from menu.documents.manifest import MAX_PLANNED_ITEMS, Catalogue
from menu.documents.manifest_reader import MAX_PLANNED
from tests.menu.documents.sample_documents import Document, read, whole

AT = datetime(2027, 1, 1, 4, tzinfo=UTC)
LATER = AT + timedelta(hours=1)


def text(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def item(name: str, **fields: Any) -> Document:
    found = next((dict(one) for one in whole()["items"] if one["id"] == name), {"id": name, "name": "Tea"})
    return {**found, **fields}


def planned(*entries: Document) -> Document:
    return {**whole(), "planned": list(entries)}


def prices(catalogue: Catalogue) -> dict[str, Decimal]:
    return {key: one.price for key, one in catalogue.items.items()}


def test_items_are_others_from_an_instant_on_and_again_before_it_when_the_clock_is_set_back() -> None:
    cake = item("itm_2", price=5)
    cake.pop("image")
    document = planned(
        {"at": text(LATER), "items": [item("itm_2", price=6)]},
        {"at": text(AT), "items": [cake, item("itm_0", price=2, position=1)], "hidden": ["itm_1"]},
    )
    found = read(document)
    assert found.rejections == ()
    before = found.catalogue.as_of(AT - timedelta(seconds=1))
    assert prices(before) == {"itm_1": Decimal("3.4"), "itm_2": Decimal(4)}
    assert before.back_at == AT
    then = before.as_of(AT)
    assert list(prices(then).items()) == [("itm_0", Decimal(2)), ("itm_2", Decimal(5))]
    assert then.items["itm_2"].image == before.items["itm_2"].image, "its picture stays"
    assert then.back_at == LATER
    assert prices(then.as_of(LATER))["itm_2"] == Decimal(6)
    assert prices(then.as_of(AT - timedelta(seconds=2))) == prices(before)
    assert prices(found.catalogue.as_of(LATER, certain=False))["itm_2"] == Decimal(6), "it has come for certain"


def test_an_item_that_comes_then_stands_at_its_position() -> None:
    document = planned({"at": text(AT), "items": [item("itm_0", price=2, position=1), item("itm_9", price=9)]})
    assert list(read(document).catalogue.as_of(AT).items) == ["itm_1", "itm_0", "itm_2", "itm_9"]


def test_a_version_that_goes_on_has_what_is_planned() -> None:
    found = read(planned({"at": text(AT), "items": [item("itm_1", price=9)]}))
    catalogue = found.catalogue.as_of(AT - timedelta(days=1))
    other = found.catalogue_for(found.version, catalogue.items)
    assert prices(other.as_of(AT))["itm_1"] == Decimal(9)
    assert prices(found.with_facts_of(found).catalogue.as_of(AT))["itm_1"] == Decimal(9)


@pytest.mark.goes_beyond("MAX_PLANNED_ITEMS")
def test_what_cannot_be_read_costs_its_part() -> None:
    def codes(*entries: Document) -> list[str]:
        return [one.code for one in read(planned(*entries)).rejections]

    good = {"at": text(AT), "items": [item("itm_1", price=9)]}
    assert codes(good) == []
    assert codes(good, {**good, "at": "soon"}) == ["planned_bad"]
    assert codes({"at": text(AT)}) == ["planned_bad"]
    assert codes({**good, "hidden": "itm_1"}) == ["planned_bad"]
    assert codes({**good, "hidden": ["itm_1"] * (MAX_PLANNED_ITEMS + 1)}) == ["planned_bad"]
    assert codes({**good, "items": [item("itm_1", price="9")]}) == ["item_bad"]
    assert len(read(planned(*[good] * (MAX_PLANNED + 1))).catalogue.planned) == manifest_reader.MAX_PLANNED == 20
    document = {**whole(), "planned": "none"}
    assert [one.code for one in read(document).rejections] == ["field_bad"]
