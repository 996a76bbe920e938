"""Contents of manifests: the same as a plain reference says, over generated workspaces and changes; and a change that
concerns a board is never taken for one that does not."""

import random
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from httpx import Response

from service.core.changes import Change, ContentChanged
from service.services.content.catalogue import MAX_NAMED_ITEMS
from service.services.devices.held_polls import Concern, concern_of
from service.services.publishing import composition
from service.services.publishing.composition import ManifestKey
from service.services.publishing.manifests import Manifest
from service.storage.tables.menus import RevisionRow
from service.storage.tables.workspaces import LocationRow
from tests.service.support.application import MENU, Caller, Service, VirtualClock, body_of, png
from tests.service.support.plain_manifests import plain_content

CATEGORIES = [f"Category {number}" for number in range(6)]
LANGUAGES = ["de", "fr", "en", "zh-Hant"]
LOCALES = ["de-DE", "en-GB", "ja-JP"]
KINDS = [
    *("sold out", "price", "category", "bulk", "new", "removed", "parts", "variant", "words", "place", "values"),
    *("publish", "rename", "clock", "playlist removed", "local", "members", "precedence", "group removed"),
]


class Chain:
    """A generated workspace: shops, playlists with several versions, and items of every kind."""

    def __init__(self, service: Service, owner: Caller, clock: VirtualClock, seed: int) -> None:
        self.service, self.owner, self.clock = service, owner, clock
        self.random = random.Random(seed)
        self.items: list[str] = []
        self.combos: list[str] = []
        self.variants: dict[str, str] = {}
        self.locations: list[str] = []
        self.playlists: list[str] = []
        self.images: list[str] = []
        self.groups: list[str] = []
        self.workspace = ""

    async def fill(self) -> None:
        for number, locale in enumerate(LOCALES):
            body = {"name": f"Shop {number}", "timezone": "UTC", "currency": "EUR", "locale": locale}
            self.locations.append((await self.owner.make("/v1/locations", body))["id"])
        for _ in range(2):
            await self.add_group()
        for shade in (20, 90, 200):
            sent = await self.owner.raw("POST", "/v1/assets", png(shade), "image/png")
            self.images.append(sent.json()["id"])
        for _ in range(25):
            await self.add_item()
        for _ in range(4):
            await self.add_combo()
        for number in range(4):
            self.playlists.append((await self.owner.make("/v1/playlists", {"name": f"Menu {number}"}))["id"])
        for playlist in self.playlists[:3]:
            await self.publish(playlist)
        with self.service.services.database.read() as session:
            self.workspace = session.query(LocationRow.workspace_id).limit(1).scalar()

    @property
    def boards(self) -> list[ManifestKey]:
        playlists = [*self.playlists, None]
        return [ManifestKey(self.workspace, playlist, place) for place in self.locations for playlist in playlists]

    def item_body(self) -> dict[str, Any]:
        chance = self.random
        price = Decimal(chance.randrange(200, 2000)) / 100
        body: dict[str, Any] = {
            "name": f"Dish {chance.randrange(1000)}",
            "category": chance.choice(CATEGORIES),
            "price": price,
            "sortIndex": chance.randrange(5),
            "featured": chance.random() < 0.3,
        }
        optional: dict[str, Any] = {
            "description": "With bread, \u201cfresh\u201d & 新鮮",
            "modifiers": [{"name": "Cheese", "priceDelta": Decimal("0.50")}],
            "tags": ["vegan"],
            "allergens": ["gluten"],
            "energy": 320,
            "image": chance.choice(self.images),
            "imageFit": "contain",
            "imageFocus": {"x": 0, "y": Decimal("0.25")},
            "translations": {name: {"name": f"{name} {price}"} for name in chance.sample(LANGUAGES, 2)},
        }
        body |= {name: value for name, value in optional.items() if chance.random() < 0.5}
        match chance.randrange(5):
            case 0:
                body["variants"] = [{"name": name, "price": price + at} for at, name in enumerate(("Small", "Large"))]
            case 1:
                body |= {"regularPrice": price + 3, "offerStartsAt": self.later(), "offerEndsAt": self.later(500)}
            case 2:
                body = {name: value for name, value in body.items() if name != "price"} | {"priceKind": "market"}
            case 3:
                body["priceUnit"] = "100g"
            case _:
                pass
        return body

    def later(self, after: int = 0) -> str:
        at = self.clock.now() + timedelta(seconds=after + self.random.randrange(1, 400))
        return at.strftime("%Y-%m-%dT%H:%M:%SZ")

    async def add_item(self) -> None:
        made = await self.owner.make("/v1/content/items", self.item_body())
        self.items.append(made["id"])
        if made["variants"]:
            self.variants[made["id"]] = made["variants"][0]["id"]

    def parts(self) -> list[dict[str, Any]]:
        chosen = self.random.sample(self.items, 3)
        choices = [
            {"itemId": item, **({"variantId": self.variants[item]} if item in self.variants else {})} for item in chosen
        ]
        return [{"name": "Main", "quantity": 1, "anyOf": choices[:2]}, {"quantity": 2, "anyOf": choices[2:]}]

    async def add_combo(self) -> None:
        body = {"name": "Combo", "category": self.random.choice(CATEGORIES), "price": Decimal("12.90")}
        self.combos.append((await self.owner.make("/v1/content/items", body | {"parts": self.parts()}))["id"])

    async def add_group(self) -> None:
        members = self.random.sample(self.locations, 2)
        body = {"name": "Group", "precedence": self.random.randrange(3), "locations": members}
        self.groups.append((await self.owner.make("/v1/groups", body))["id"])

    async def change_at_a_place(self) -> Response:
        """What some items have at a location or in a group."""
        chance = self.random
        kind, place = chance.choice(
            [("locations", one) for one in self.locations] + [("groups", one) for one in self.groups]
        )
        entries = [self.local_body(item) for item in chance.sample([*self.items, *self.combos], 8)]
        return await self.owner.send("POST", f"/v1/{kind}/{place}/items/bulk", entries, Prefer="handling=lenient")

    def local_body(self, item: str) -> dict[str, Any]:
        """What an item has at a place; some of it may be refused."""
        chance = self.random
        price = Decimal(chance.randrange(200, 2000)) / 100
        body: dict[str, Any] = {"id": item}
        optional: dict[str, Any] = {
            "price": chance.choice([price, None]),
            "regularPrice": chance.choice([price + 1, None]),
            "eightySixed": chance.choice([True, False, None]),
            "hidden": chance.choice([True, False, None]),
            "modifiers": chance.choice([[{"name": "Cheese", "priceDelta": price}], None]),
        }
        body |= {name: value for name, value in optional.items() if chance.random() < 0.3}
        if body.get("eightySixed") and chance.random() < 0.5:
            body["eightySixedUntil"] = self.later()
        if item in self.variants and chance.random() < 0.5:
            sold_out = chance.choice([True, None])
            body["variants"] = [{"id": self.variants[item], "price": price, "eightySixed": sold_out}]
        return body

    async def publish(self, playlist: str) -> None:
        """The next version of a playlist, with one scene of what chance says."""
        chance = self.random
        for entry in body_of(await self.owner.get(f"/v1/playlists/{playlist}"))["scenes"]:
            await self.owner.delete(f"/v1/playlists/{playlist}/scenes/{entry['id']}")
        match chance.randrange(6):
            case 0:
                shown: dict[str, Any] = {}
            case 1:
                shown = {"itemIds": chance.sample([*self.items, *self.combos], 3)}
            case _:
                shown = {"categories": chance.sample(CATEGORIES, 2)}
        languages = {"languages": chance.sample(LANGUAGES, 2)} if chance.random() < 0.4 else {}
        scene = await self.owner.make("/v1/scenes", {"name": "Menu", "widgets": [MENU | shown | languages]})
        await self.owner.make(f"/v1/playlists/{playlist}/scenes", {"sceneId": scene["id"], "durationSeconds": 5})
        assert (await self.owner.post(f"/v1/playlists/{playlist}/publish")).is_success

    async def change(self, kind: str) -> None:
        """One change of this kind."""
        chance, owner = self.random, self.owner
        item = chance.choice(self.items)
        path = f"/v1/content/items/{item}"
        match kind:
            case "sold out":
                answer = await owner.patch(path, {"eightySixed": chance.random() < 0.7})
            case "price":
                exact = {"priceKind": "exact", "regularPrice": None, "price": Decimal(chance.randrange(100, 900)) / 100}
                answer = await owner.patch(path, exact)
            case "category":
                answer = await owner.patch(
                    f"/v1/content/items/{chance.choice([item, *self.combos])}", {"category": chance.choice(CATEGORIES)}
                )
            case "bulk":
                some = chance.sample(self.items, chance.choice([2, MAX_NAMED_ITEMS + 1]))
                answer = await owner.post("/v1/content/items/bulk", [{"id": one, "eightySixed": True} for one in some])
            case "removed":
                self.items.remove(item)
                self.variants.pop(item, None)
                answer = await owner.delete(path)
            case "parts":
                answer = await owner.patch(f"/v1/content/items/{chance.choice(self.combos)}", {"parts": self.parts()})
            case "variant":
                item, variant = chance.choice(sorted(self.variants.items()))
                answer = await owner.patch(f"/v1/content/items/{item}/variants/{variant}", {"eightySixed": True})
            case "words":
                words = {chance.choice(CATEGORIES): {"de": f"Wort {chance.randrange(99)}", "en": "word"}}
                answer = await owner.patch("/v1/content/words", {"words": words})
            case "place":
                name = {"name": f"Shop {chance.randrange(99)}"}
                answer = await owner.patch(f"/v1/locations/{chance.choice(self.locations)}", name)
            case "values":
                values = {"queue": {"value": chance.randrange(99), "expiresAt": self.later()}}
                answer = await owner.patch(f"/v1/locations/{chance.choice(self.locations)}/values", {"values": values})
            case "rename":
                answer = await owner.patch(f"/v1/playlists/{self.playlists[-1]}", {"name": f"Menu {chance.random()}"})
            case "playlist removed":
                answer = await owner.delete(f"/v1/playlists/{self.playlists.pop(0)}")
                self.playlists.append((await owner.make("/v1/playlists", {"name": "Next menu"}))["id"])
            case "local":
                answer = await self.change_at_a_place()
                assert body_of(answer)["changed"] > 0
            case "members":
                members = {"locations": chance.sample(self.locations, chance.randrange(3))}
                answer = await owner.patch(f"/v1/groups/{chance.choice(self.groups)}", members)
            case "precedence":
                precedence = {"precedence": chance.randrange(3)}
                answer = await owner.patch(f"/v1/groups/{chance.choice(self.groups)}", precedence)
            case "group removed":
                answer = await owner.delete(f"/v1/groups/{self.groups.pop(0)}")
                await self.add_group()
            case "new":
                return await self.add_item()
            case "publish":
                return await self.publish(chance.choice(self.playlists))
            case _:
                await self.clock.advance(60)
                return await self.service.pass_seconds(2)
        assert answer.is_success, (kind, answer.text)
        return None


def told(manifest: Manifest) -> bytes:
    """The body without its head."""
    return b"{" + manifest.body[manifest.body.index(b'"location":') :]


@pytest.mark.long
async def test_what_does_not_fit_is_left_out_as_in_the_plain_reference(
    service: Service, owner: Caller, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = Chain(service, owner, clock, 1)
    await chain.fill()
    await chain.publish(chain.playlists[0])
    board = ManifestKey(chain.workspace, chain.playlists[0], chain.locations[0])
    values = {"values": {"queue": {"value": "long " * 30, "expiresAt": chain.later()}}}
    await owner.patch(f"/v1/locations/{board.location}/values", values)
    whole = len(service.services.manifests.compose(board, now=clock.now()).body)
    for limit in range(whole + 2000, 2000, -400):
        monkeypatch.setattr(composition, "MAX_MANIFEST_BYTES", limit)
        with service.services.database.read() as session:
            plain = plain_content(session, board, now=clock.now())
        outcome = service.services.manifests.compose_many([board], now=clock.now())[board]
        if isinstance(outcome, Manifest):
            assert told(outcome) == plain, limit
        else:
            assert len(plain) > limit - 300


@pytest.mark.long
@pytest.mark.parametrize(("seed", "times"), [(0, 1), pytest.param(1, 3, marks=pytest.mark.long)])
async def test_contents_are_those_of_the_plain_reference(
    service: Service, owner: Caller, clock: VirtualClock, seed: int, times: int
) -> None:
    chain = Chain(service, owner, clock, seed)
    await chain.fill()
    changes: list[Change] = []
    service.services.hub.subscribe(changes.append)
    before: dict[ManifestKey, Manifest] = {}
    kinds = KINDS * times + ["local"] * 4
    for kind in chain.random.sample(kinds, len(kinds)):
        changes.clear()
        await chain.change(kind)
        now = clock.now()
        with service.services.database.read() as session:
            plain = {board: plain_content(session, board, now=now) for board in chain.boards}
            had = {tuple(row) for row in session.query(RevisionRow.location_id, RevisionRow.playlist_id)}
        for board, old in before.items():
            concerns = [
                concern_of(change, board, old.sources) for change in changes if isinstance(change, ContentChanged)
            ]
            if board in plain and plain[board] != told(old):
                assert min(concerns, default=Concern.NONE) is not Concern.NONE, (kind, board)
        outcomes = service.services.manifests.compose_many(chain.boards, now=now)
        for board, manifest in outcomes.items():
            assert isinstance(manifest, Manifest)
            assert told(manifest) == plain[board], (kind, board)
            known = before.get(board)
            if known is not None:
                assert manifest.revision == known.revision + (told(known) != plain[board]), (kind, board)
        # A board's first manifest changes those of its location, and says so.
        fresh = {board.location for board in chain.boards if (board.location, board.playlist or "") not in had}
        before = {
            board: manifest
            for board, manifest in outcomes.items()
            if isinstance(manifest, Manifest) and board.location not in fresh
        }
        assert fresh <= {change.location for change in changes if isinstance(change, ContentChanged)}
