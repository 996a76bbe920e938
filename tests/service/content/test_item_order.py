"""The order of items on the boards: as it is asked for, with few changes, and the same among other categories."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.services.content.item_order import GAP, Placed, numbered
from tests.service.support.application import Caller, Service, body_of

ORDER = "/v1/content/items/order"


async def listed(owner: Caller) -> list[str]:
    """The names of all items, as boards list them."""
    items = body_of(await owner.get("/v1/content/items?limit=100"))["data"]
    return [item["name"] for item in sorted(items, key=lambda item: item["sortIndex"])]


async def make(owner: Caller, *names: str) -> dict[str, str]:
    """Items, each in the category of its first letter."""
    made = {}
    for name in names:
        item = await owner.make("/v1/content/items", {"name": name, "category": name[0], "price": 3})
        made[name] = item["id"]
    return made


async def order(owner: Caller, category: str, *items: str) -> Any:
    response = await owner.post(ORDER, {"category": category, "items": list(items)})
    assert response.status_code == 200, response.text
    return body_of(response)["data"]


async def test_items_are_put_in_an_order_and_those_of_other_categories_stay(owner: Caller) -> None:
    made = await make(owner, "a1", "b1", "a2", "a3", "b2")
    answer = await order(owner, "a", made["a3"], made["a1"], made["a2"])
    assert [item["name"] for item in answer] == ["a3", "a1", "a2"]
    assert await listed(owner) == ["a3", "b1", "a1", "a2", "b2"]
    newest = body_of(await owner.get("/v1/audit?limit=100"))["data"][-1]
    assert (newest["act"], newest["subject"]["kind"]) == ("changed", "item")


async def test_a_second_move_changes_one_item(owner: Caller) -> None:
    made = await make(owner, "a1", "a2", "a3", "a4")
    await order(owner, "a", *(made[name] for name in ("a1", "a3", "a2", "a4")))
    before = {item["name"]: item["sortIndex"] for item in body_of(await owner.get("/v1/content/items"))["data"]}
    await order(owner, "a", *(made[name] for name in ("a1", "a4", "a3", "a2")))
    after = {item["name"]: item["sortIndex"] for item in body_of(await owner.get("/v1/content/items"))["data"]}
    assert [name for name in after if after[name] != before[name]] == ["a4"]
    assert await listed(owner) == ["a1", "a4", "a3", "a2"]


@pytest.mark.parametrize("order_of", [(0, 2, 1), (2, 0, 1), (1, 2, 0)])
async def test_a_new_item_is_the_last_after_any_order(owner: Caller, order_of: tuple[int, ...]) -> None:
    made = list((await make(owner, "a1", "a2", "a3")).values())
    for _ in range(2):
        made = [made[place] for place in order_of]
        await order(owner, "a", *made)
    await make(owner, "a4", "b1")
    assert (await listed(owner))[3:] == ["a4", "b1"]


async def test_the_same_order_changes_nothing(owner: Caller, service: Service) -> None:
    made = await make(owner, "a1", "a2")
    tags = [(await owner.get(f"/v1/content/items/{item}")).headers["ETag"] for item in made.values()]
    await order(owner, "a", *made.values())
    assert [(await owner.get(f"/v1/content/items/{item}")).headers["ETag"] for item in made.values()] == tags


@pytest.mark.parametrize(
    ("items", "code", "pointer"),
    [
        (["a1"], "incomplete", "/items"),
        (["a1", "a1"], "incomplete", "/items"),
        (["a1", "a2", "a2"], "incomplete", "/items"),
        (["a1", "b1", "a2"], "not_in_category", "/items/1"),
        ([], "too_short", "/items"),
    ],
)
async def test_an_order_names_each_item_of_the_category_once(
    owner: Caller, items: list[str], code: str, pointer: str
) -> None:
    made = await make(owner, "a1", "a2", "b1")
    response = await owner.post(ORDER, {"category": "a", "items": [made[name] for name in items]})
    assert response.status_code == 422
    assert [(one["code"], one["pointer"]) for one in response.json()["errors"]] == [(code, pointer)]
    assert await listed(owner) == ["a1", "a2", "b1"]


@given(st.permutations(range(12)), st.lists(st.integers(-3, 3), min_size=12, max_size=12))
def test_every_order_is_what_the_numbers_say(order: list[int], indexes: list[int]) -> None:
    items = [Placed(indexes[number], number, str(number), "") for number in order]
    changed = numbered(items)
    now = [one._replace(sort_index=changed.get(one.id, one.sort_index)) for one in items]
    assert sorted(now) == now
    if max(indexes) <= 0:
        assert max(changed.values(), default=0) <= 0, "new items have 0, and stand at the end"


def test_what_is_in_order_keeps_its_numbers() -> None:
    items = [Placed(GAP * (place - 5), place, str(place), "") for place in range(5)]
    assert numbered(items) == {}
    assert set(numbered([items[4], *items[:4]])) == {"4"}
    assert set(numbered([*items[1:], items[0]])) == {"0"}
    assert numbered([]) == {}
