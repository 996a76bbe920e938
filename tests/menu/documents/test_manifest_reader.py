"""The manifest's document: every field is read, and a fault costs only its own part."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from menu.documents import manifest as manifest_module
from menu.documents import manifest_reader as module
from menu.documents import scene as scene_module
from menu.documents import scene_reader as scene_document
from menu.documents import tolerant as fields
from menu.documents.box import Box
from menu.documents.manifest import (
    AssetFact,
    LinkSettings,
    Location,
    Manifest,
    Modifier,
    PlaylistVersion,
    Variant,
    VersionKey,
)
from menu.documents.manifest_reader import MAX_BODY, ManifestError, read_manifest
from menu.documents.scene import (
    Align,
    Background,
    ClockWidget,
    Fit,
    Focus,
    Gradient,
    ImageWidget,
    ItemWidget,
    MenuWidget,
    Scene,
    SoldOut,
    TextRole,
    TextWidget,
    Transition,
    TransitionKind,
    VerticalAlign,
)
from menu.documents.schedule import Daypart
from menu.documents.theme import Theme
from tests.menu.documents.sample_documents import CAKE, HERO, Document, encoded, read, whole
from tests.menu.rules.versions import daily, utc, window

LATER = "2099-11-20T17:00:00Z"

GOLDEN = Path(__file__).parents[2] / "data" / "manifest.json"
"""A manifest that the service's tests compare its own with."""


class TestAWholeDocument:
    def test_nothing_is_rejected(self) -> None:
        assert read(whole()).rejections == ()

    def test_nothing_of_the_service_s_document_is_rejected(self) -> None:
        found = read_manifest(GOLDEN.read_bytes())
        assert found.rejections == ()
        assert found.version is not None
        assert found.version.entries
        assert found.catalogue.items

    def test_the_manifest_s_own_fields_are_read(self) -> None:
        body = encoded(whole())
        found = read_manifest(body)
        assert found.etag == hashlib.sha256(body).hexdigest()
        assert read_manifest(body, etag="known").etag == "known"
        assert found.location == Location(
            id="loc_1", name="Corner Café", timezone="Europe/Berlin", currency="EUR", locale="de-DE"
        )
        assert found.settings == LinkSettings(wait_seconds=20, poll_seconds=15, heartbeat_seconds=25)

    def test_the_version_is_read(self) -> None:
        found = read(whole()).version
        assert found is not None
        assert (found.key, found.name) == (VersionKey(playlist_id="pl_1", version=3), "All day")
        assert found.published_at == utc("2026-11-20T08:00")
        assert [(entry.id, entry.scene_id, entry.duration_seconds) for entry in found.entries] == [
            ("ent_1", "scn_1", 15),
            ("ent_2", "scn_2", 86400),
        ]
        assert [entry.schedule for entry in found.entries] == [daily("06:00", "11:00"), None]
        assert found.assets[HERO] == AssetFact(size=48211, media_type="image/png")

    def test_a_scene_is_read_with_every_field(self) -> None:
        version = read(whole()).version
        assert version is not None
        scene = version.scenes["scn_1"]
        assert (scene.name, scene.width, scene.height) == ("Breakfast", 1920, 1080)
        assert scene.background == Background(
            gradient=Gradient(start="#101418", end="#80FFFFFF", angle=45),
            asset=HERO,
            fit=Fit.CONTAIN,
            scrim="#40000000",
        )
        assert scene.theme == Theme(font_family="Inter", accent_color="#FFAA00", scale=1.25, price_symbol=False)
        assert scene.transition == Transition(kind=TransitionKind.SLIDE, milliseconds=750)
        assert scene.schedules == (
            daily("22:00", "24:00", "mon", "sun"),
            window("2026-12-24T10:00", "2026-12-26T22:00", "America/New_York"),
        )
        assert scene.widgets == (
            MenuWidget(
                id="menu-1",
                box=Box(x=40, y=40.5, width=900, height=1000),
                opacity=0.9,
                theme=Theme(text_color="#FFFFFF"),
                title="Coffee",
                categories=("Coffee", "Tea"),
                item_ids=("itm_2",),
                columns=2,
                group_by_category=False,
                show_images=True,
                leader=True,
                sold_out=SoldOut.MARK,
                empty_text="Back soon",
                min_text_size=30,
                max_text_size=50,
            ),
            ImageWidget(
                id="image-1",
                box=Box(x=960, y=0, width=960, height=540),
                asset=HERO,
                fit=Fit.STRETCH,
                focus=Focus(x=0.25, y=1),
            ),
            TextWidget(
                id="text-1",
                box=Box(x=960, y=540, width=960, height=200),
                text="Good morning\nall",
                align=Align.CENTER,
                vertical_align=VerticalAlign.TOP,
                size=80,
                bold=True,
                role=TextRole.TITLE,
            ),
            ClockWidget(
                id="clock-1",
                box=Box(x=1600, y=980, width=300, height=80),
                pattern="EEEE HH:mm",
                timezone="Asia/Tokyo",
                align=Align.RIGHT,
                size=60,
            ),
        )

    def test_items_are_read_in_order_with_exact_prices(self) -> None:
        catalogue = read(whole()).catalogue
        assert (catalogue.revision, catalogue.revision_at) == (42, datetime(2026, 11, 20, 11, 58, 3, 120000, UTC))
        assert list(catalogue.items) == ["itm_1", "itm_2"]
        coffee, cake = catalogue.items.values()
        assert (str(coffee.price), str(cake.price)) == ("3.4", "4")
        assert isinstance(cake.price, Decimal)
        assert coffee.modifiers == (
            Modifier(name="Oat milk", price_delta=Decimal("0.5")),
            Modifier(name="Small", price_delta=Decimal("-0.4")),
        )
        assert coffee.variants == (
            Variant(name="S", price=Decimal("3.2")),
            Variant(name="L", price=Decimal("4.1"), eighty_sixed=True),
        )
        assert cake.variants == ()
        assert (cake.eighty_sixed, cake.description, cake.image, cake.tags, cake.allergens, cake.sort_index) == (
            True,
            "With cream",
            CAKE,
            ("new",),
            ("milk", "eggs"),
            7,
        )

    def test_the_items_of_other_versions_are_read_apart_from_the_catalogue(self) -> None:
        found = read(
            whole()
            | {
                "otherItems": [{"id": "itm_9", "name": "Stew", "price": 7, "image": f"sha256:{'c' * 64}"}],
                "otherVersions": {"pl_1": [1, 2], "pl_2": [7]},
            }
        )
        assert found.rejections == ()
        assert "itm_9" not in found.catalogue.items
        assert found.other_items["itm_9"].image == "c" * 64, "whether it is on the disk is for the board to say"
        told = {(key.playlist_id, key.version) for key in found.other_versions}
        assert told == {("pl_1", 1), ("pl_1", 2), ("pl_2", 7)}

    @pytest.mark.parametrize("versions", [7, {"pl_1": 3}, {"pl_1": ["3"]}, {"pl_1": [-1]}, {"pl_1": [1] * 2001}])
    def test_versions_that_cannot_be_read_are_none(self, versions: object) -> None:
        found = read(whole() | {"otherItems": "none", "otherVersions": versions})
        assert [part.code for part in found.rejections] == ["field_bad", "field_bad"]
        assert (found.other_items, found.other_versions) == ({}, frozenset())

    def test_a_bad_end_of_a_sold_out_item_costs_only_itself(self) -> None:
        def items(**fields: object) -> Document:
            item = {"id": "itm_9", "name": "Stew", "price": 7, "eightySixed": True}
            return whole() | {"items": [item | fields]}

        before = utc("2026-11-20T11:00")
        good = read(items(eightySixedUntil="2026-11-20T12:30:00+01:00")).catalogue.as_of(before)
        assert good.items["itm_9"].sold_out_until == good.back_at == utc("2026-11-20T11:30")
        for bad in (1, True, "", "soon", "2026-11-20", "2026-13-20T12:00:00Z", "9999-12-31T23:59:59Z", {"at": 1}):
            found = read(items(eightySixedUntil=bad))
            assert [(part.code, part.subject) for part in found.rejections] == [("field_bad", "itm_9")], bad
            assert found.catalogue.items["itm_9"].eighty_sixed
            assert found.catalogue.as_of(before).back_at is None
        available = read(items(eightySixed=False, eightySixedUntil="soon"))
        assert (available.rejections, available.catalogue.as_of(before).back_at) == ((), None), "of no consequence"

    def test_a_price_is_never_a_float(self) -> None:
        body = encoded(whole()).replace(b'"price":3.4', b'"price":3.4000000000000000001')
        assert read_manifest(body).catalogue.items["itm_1"].price == Decimal("3.4000000000000000001")

    def test_a_bare_scene_has_the_defaults(self) -> None:
        version = read(whole()).version
        assert version is not None
        assert version.scenes["scn_2"] == Scene(id="scn_2", name="Plain")

    def test_a_bare_menu_has_the_defaults(self) -> None:
        document = whole()
        document["scenes"][1]["widgets"] = [{"id": "m", "type": "menu", "x": 0, "y": 0, "width": 1920, "height": 1080}]
        version = read(document).version
        assert version is not None
        assert version.scenes["scn_2"].widgets == (MenuWidget(id="m", box=Box(x=0, y=0, width=1920, height=1080)),)

    def test_an_item_widget_is_read_with_every_field_and_a_bare_one_has_the_defaults(self) -> None:
        document, bare = whole(), {"type": "item", "x": 0, "y": 0, "width": 900, "height": 600, "itemId": "itm_1"}
        off = {f"show{what}": False for what in ("Price", "Description", "Image", "Tags", "Allergens")}
        document["scenes"][1]["widgets"] = [
            {"id": "bare", **bare},
            {"id": "full", **bare, "insteadItemId": "itm_2", **off},
        ]
        version = read(document).version
        assert version is not None
        box = Box(x=0, y=0, width=900, height=600)
        assert version.scenes["scn_2"].widgets == (
            ItemWidget(id="bare", box=box, item_id="itm_1"),
            ItemWidget(
                id="full",
                box=box,
                item_id="itm_1",
                instead_item_id="itm_2",
                show_price=False,
                show_descriptions=False,
                show_images=False,
                show_tags=False,
                show_allergens=False,
            ),
        )

    def test_unknown_fields_are_ignored(self) -> None:
        document = whole()
        for part in (document, document["playlist"], document["scenes"][0], document["items"][0], document["location"]):
            part["somethingNew"] = {"deep": [1, 2]}
        assert read(document).rejections == ()

    def test_without_a_playlist_there_is_no_version(self) -> None:
        assert read(whole() | {"playlist": None}).version is None

    @pytest.mark.parametrize(
        ("told", "unpublished", "rejected"),
        [
            (None, None, 0),
            ({"reason": "unassigned"}, "", 0),
            ({"reason": "unpublished", "name": "Draft"}, "Draft", 0),
            ({"reason": "unpublished"}, "?", 0),
            ({"reason": "a reason of a later service"}, None, 0),
            ({"reason": 7}, None, 1),
            ("nonsense", None, 1),
        ],
    )
    def test_why_there_is_no_playlist_is_read_if_the_service_tells(
        self, told: object, unpublished: str | None, rejected: int
    ) -> None:
        found = read(whole() | {"playlist": None, "withoutPlaylist": told})
        assert (found.version, found.unpublished, len(found.rejections)) == (None, unpublished, rejected)

    def test_a_playlist_without_entries_is_a_version_without_entries(self) -> None:
        document = whole()
        document["playlist"]["entries"] = []
        version = read(document).version
        assert version is not None
        assert version.entries == ()


Spoil = Callable[[Document], Any]


def put(*path: str | int, value: object) -> Spoil:
    def spoil(document: Document) -> None:
        part: Any = document
        for step in path[:-1]:
            part = part[step]
        part[path[-1]] = value

    return spoil


def widget(**fields: object) -> Spoil:
    """Changes these fields of the text widget of the first scene."""
    return lambda document: document["scenes"][0]["widgets"][2].update(fields)


def menu(**fields: object) -> Spoil:
    return lambda document: document["scenes"][0]["widgets"][0].update(fields)


def item(**fields: object) -> Spoil:
    return lambda document: document["items"][0].update(fields)


def without(*path: str | int) -> Spoil:
    def spoil(document: Document) -> None:
        part: Any = document
        for step in path[:-1]:
            part = part[step]
        del part[path[-1]]

    return spoil


ENTRY, SCENE = ("playlist", "entries", 0), ("scenes", 0)
ATTACHED = (*ENTRY, "schedule")

ZONE = {"asset": f"sha256:{HERO}", "durationSeconds": 3}
REJECTED = [
    # the fault, its code, its subject
    (widget(type="item"), "widget_bad", "scn_1/text-1"),
    (widget(type="item", itemId="itm_1", showTags="yes"), "field_bad", "scn_1/text-1"),
    (widget(type="item", itemId="itm_1", showAllergens=1), "field_bad", "scn_1/text-1"),
    (widget(type="ticker", text=None), "widget_bad", "scn_1/text-1"),
    (widget(type="ticker", speed=-1), "field_bad", "scn_1/text-1"),
    (widget(type="ticker", speed=1e9), "field_bad", "scn_1/text-1"),
    (widget(type="countdown", text=None), "widget_bad", "scn_1/text-1"),
    (widget(type="countdown", text=None, endsAt="2026-12-31T23:00"), "widget_bad", "scn_1/text-1"),
    (widget(type="countdown", text=None, endsAt="2026-12-31T23:00:00Z", end="19:00"), "widget_bad", "scn_1/text-1"),
    (widget(type="countdown", text=None, start="24:00", end="19:00"), "widget_bad", "scn_1/text-1"),
    (widget(type="countdown", text=None, end="19:00", days=["noon"]), "widget_bad", "scn_1/text-1"),
    (widget(type="countdown", text=None, end="19:00", timezone="Mars"), "timezone_unknown", "scn_1/text-1"),
    (widget(type="countdown", end="19:00"), "field_bad", "scn_1/text-1"),
    (widget(type="countdown", text=None, end="19:00", endText=5), "field_bad", "scn_1/text-1"),
    (widget(type="slideshow"), "widget_bad", "scn_1/text-1"),
    (widget(type="slideshow", slides=[]), "widget_bad", "scn_1/text-1"),
    (widget(type="slideshow", slides=[ZONE, 5]), "slide_bad", "scn_1/text-1/slides[1]"),
    (widget(type="slideshow", slides=[ZONE], fadeMilliseconds=-1), "field_bad", "scn_1/text-1"),
    (widget(type="slideshow", slides=[{**ZONE, "fit": "stretch"}]), "field_bad", "scn_1/text-1/slides[0]"),
    (widget(type="grid", categories="Soup"), "widget_bad", "scn_1/text-1"),
    (widget(type="grid", itemIds=[5]), "widget_bad", "scn_1/text-1"),
    (widget(type="grid", tagIcons=1), "field_bad", "scn_1/text-1"),
    (widget(type="menu", tagIcons="yes"), "field_bad", "scn_1/text-1"),
    (widget(type="grid", soldOut="burn"), "field_bad", "scn_1/text-1"),
    (widget(type="grid", showImages="yes"), "field_bad", "scn_1/text-1"),
    (widget(type="qr"), "widget_bad", "scn_1/text-1"),
    (widget(type="qr", data=""), "widget_bad", "scn_1/text-1"),
    (widget(type="qr", data="x" * 1001), "widget_bad", "scn_1/text-1"),
    (widget(type="shape", shape="star", color="#FFFFFF"), "widget_bad", "scn_1/text-1"),
    (widget(type="shape", shape="line", color="white"), "color_bad", "scn_1/text-1"),
    (widget(type="shape", shape="line", color="#FFFFFF", radius=-1), "field_bad", "scn_1/text-1"),
    (widget(type="hologram"), "widget_unknown", "scn_1/text-1"),
    (widget(type=7), "widget_bad", "scn_1/text-1"),
    (widget(id=None), "widget_bad", "scn_1/widgets[2]"),
    (widget(id="menu-1"), "duplicate_id", "scn_1/menu-1"),
    (widget(text=None), "widget_bad", "scn_1/text-1"),
    (widget(text="x" * 5001), "widget_bad", "scn_1/text-1"),
    (widget(x="left"), "widget_bad", "scn_1/text-1"),
    (widget(x=1e300), "widget_bad", "scn_1/text-1"),
    (widget(width=0), "widget_bad", "scn_1/text-1"),
    (widget(height=-5), "widget_bad", "scn_1/text-1"),
    (widget(width=True), "widget_bad", "scn_1/text-1"),
    (widget(x=1920), "widget_outside", "scn_1/text-1"),
    (widget(y=-200), "widget_outside", "scn_1/text-1"),
    (widget(align="middle"), "field_bad", "scn_1/text-1"),
    (widget(size="big"), "field_bad", "scn_1/text-1"),
    (widget(opacity=2), "field_bad", "scn_1/text-1"),
    (widget(theme={"textColor": "red"}), "color_bad", "scn_1/text-1"),
    (widget(theme={"scale": 4.1}), "field_bad", "scn_1/text-1"),
    (widget(theme="dark"), "field_bad", "scn_1/text-1"),
    (menu(categories="Coffee"), "widget_bad", "scn_1/menu-1"),
    (menu(itemIds=[1]), "widget_bad", "scn_1/menu-1"),
    (menu(columns=9), "field_bad", "scn_1/menu-1"),
    (menu(showImages="yes"), "field_bad", "scn_1/menu-1"),
    (put(*SCENE, "widgets", 0, value=[]), "widget_bad", "scn_1/widgets[0]"),
    (put(*SCENE, "widgets", 1, "asset", value="sha256:" + "0" * 64), "asset_undeclared", "scn_1/image-1"),
    (put(*SCENE, "widgets", 1, "asset", value="../../etc/passwd"), "asset_bad", "scn_1/image-1"),
    (put(*SCENE, "widgets", 1, "asset", value=f"sha256:{HERO.upper()}"), "asset_bad", "scn_1/image-1"),
    (put(*SCENE, "widgets", 3, "timezone", value="Mars/Base"), "timezone_unknown", "scn_1/clock-1"),
    (put(*SCENE, "widgets", 3, "pattern", value="H" * 101), "field_bad", "scn_1/clock-1"),
    (put(*SCENE, "background", "asset", value="sha256:" + "0" * 64), "asset_undeclared", "scn_1"),
    (put(*SCENE, "background", "color", value="#12345"), "color_bad", "scn_1"),
    (put(*SCENE, "background", "gradient", "from", value="blue"), "color_bad", "scn_1"),
    (put(*SCENE, "transition", "type", value="explode"), "field_bad", "scn_1"),
    (put(*SCENE, "transition", "milliseconds", value=5001), "field_bad", "scn_1"),
    (put(*SCENE, "width", value=15), "scene_bad", "scn_1"),
    (put(*SCENE, "height", value=8193), "scene_bad", "scn_1"),
    (put(*SCENE, "widgets", value={}), "scene_bad", "scn_1"),
    (put(*SCENE, "name", value=5), "field_bad", "scn_1"),
    (put(*SCENE, value="scene"), "scene_bad", "scenes[0]"),
    (put(*SCENE, "id", value=""), "scene_bad", "scenes[0]"),
    (put("scenes", 1, "id", value="scn_1"), "duplicate_id", "scn_1"),
    (put(*SCENE, "schedules", value="always"), "schedule_bad", "scn_1"),
    (put(*SCENE, "schedules", 0, "days", value=["mon", "monday"]), "schedule_bad", "scn_1/schedules[0]"),
    (put(*SCENE, "schedules", 0, "start", value="24:00"), "schedule_bad", "scn_1/schedules[0]"),
    (put(*SCENE, "schedules", 0, "end", value="24:01"), "schedule_bad", "scn_1/schedules[0]"),
    (put(*SCENE, "schedules", 0, "timezone", value="Mars/Base"), "timezone_unknown", "scn_1/schedules[0]"),
    (put(*SCENE, "schedules", 1, "endsAt", value="2026-12-24T10:00"), "schedule_bad", "scn_1/schedules[1]"),
    (put(*SCENE, "schedules", 1, "startsAt", value="2026-12-24T10:00Z"), "schedule_bad", "scn_1/schedules[1]"),
    (put(*SCENE, "schedules", 1, "startsAt", value="2026-02-30T10:00"), "schedule_bad", "scn_1/schedules[1]"),
    (put(*SCENE, "schedules", 1, "type", value="moonphase"), "schedule_bad", "scn_1/schedules[1]"),
    (put(*ATTACHED, "start", value="6:00"), "schedule_bad", "ent_1"),
    (put(*ATTACHED, "timezone", value="Mars/Base"), "timezone_unknown", "ent_1"),
    (put(*ATTACHED, value="mornings"), "schedule_bad", "ent_1"),
    (put(*ENTRY, "sceneId", value="scn_9"), "entry_bad", "ent_1"),
    (put(*ENTRY, "durationSeconds", value=0), "entry_bad", "ent_1"),
    (put(*ENTRY, "durationSeconds", value=86401), "entry_bad", "ent_1"),
    (put(*ENTRY, "durationSeconds", value=1.5), "entry_bad", "ent_1"),
    (put(*ENTRY, "id", value="ent_2"), "duplicate_id", "ent_2"),
    (put(*ENTRY, value=None), "entry_bad", "entries[0]"),
    (item(price=-1), "item_bad", "itm_1"),
    (item(price="3.40"), "item_bad", "itm_1"),
    (item(price="NaN"), "item_bad", "itm_1"),
    (item(price=None), "item_bad", "itm_1"),
    (item(price=True), "item_bad", "itm_1"),
    (item(price=100_000_000), "item_bad", "itm_1"),
    (item(name=""), "item_bad", "itm_1"),
    (item(name="x" * 201), "item_bad", "itm_1"),
    (item(id="itm_2"), "duplicate_id", "itm_2"),
    (item(eightySixed="no"), "item_bad", "itm_1"),
    (item(image="sha256:" + "0" * 64), "asset_undeclared", "itm_1"),
    (item(tags=["x"] * 21), "field_bad", "itm_1"),
    (item(sortIndex="first"), "field_bad", "itm_1"),
    (item(featured="yes"), "field_bad", "itm_1"),
    (item(description=["a"]), "field_bad", "itm_1"),
    (item(modifiers=[{"name": "Oat", "priceDelta": "0.5"}]), "modifier_bad", "itm_1/modifiers[0]"),
    (item(modifiers=[{"priceDelta": 1}]), "modifier_bad", "itm_1/modifiers[0]"),
    (item(variants=[{"name": "S"}]), "variant_bad", "itm_1/variants[0]"),
    (item(variants=[{"name": "S", "price": -1}]), "variant_bad", "itm_1/variants[0]"),
    (item(variants=[{"name": "S", "price": 1, "eightySixed": "no"}]), "variant_bad", "itm_1/variants[0]"),
    (item(variants="S"), "field_bad", "itm_1"),
    (item(parts="burger"), "field_bad", "itm_1"),
    (item(parts=[{"quantity": 1}]), "part_bad", "itm_1/parts[0]"),
    (item(parts=[{"quantity": 0, "anyOf": [{"itemId": "itm_2"}]}]), "part_bad", "itm_1/parts[0]"),
    (item(parts=[{"quantity": 1, "anyOf": [{"itemId": "itm_2"}] * 21}]), "part_bad", "itm_1/parts[0]"),
    (item(energy=-1), "field_bad", "itm_1"),
    (item(priceKind="least"), "item_bad", "itm_1"),
    (item(priceKind="market"), "item_bad", "itm_1"),
    (item(priceUnit="dozen"), "item_bad", "itm_1"),
    (item(priceUnit="kg", variants=[{"name": "S", "price": 1}]), "item_bad", "itm_1"),
    (item(translations=[]), "field_bad", "itm_1"),
    (item(translations={"en": "Tea"}), "translation_bad", "itm_1/translations/en"),
    (item(translations={"not a tag": {"name": "Tea"}}), "translation_bad", "itm_1/translations/not a tag"),
    (item(translations={"en": {"name": 3}}), "field_bad", "itm_1/translations/en"),
    (put("words", value="Tea"), "field_bad", "manifest"),
    (put("words", value={"Tea": {"!": "Tee"}}), "translation_bad", "words/Tea"),
    (put("words", value={"Tea": {"de": 3}}), "translation_bad", "words/Tea"),
    (put("categories", value=["Burgers"]), "field_bad", "manifest"),
    (put("categories", value={"Burgers": "Served with fries"}), "category_bad", "categories/Burgers"),
    (put("categories", value={"Burgers": {"color": "green"}}), "color_bad", "categories/Burgers"),
    (put("categories", value={"Burgers": {"image": f"sha256:{'0' * 64}"}}), "asset_undeclared", "categories/Burgers"),
    (put(*SCENE, "theme", value={"letterSpacing": 0.6}), "field_bad", "scn_1"),
    (put(*SCENE, "theme", value={"headingStyle": "fancy"}), "field_bad", "scn_1"),
    (put(*SCENE, "theme", value={"headingSize": 3.5}), "field_bad", "scn_1"),
    (put(*SCENE, "widgets", 0, "division", value="halves"), "field_bad", "scn_1/menu-1"),
    (put("values", value=["21"]), "field_bad", "manifest"),
    (put("values", value={"soup": "Lentil"}), "value_bad", "values/soup"),
    (put("values", value={"soup": {"value": "Lentil"}}), "value_bad", "values/soup"),
    (put("values", value={"soup": {"value": "Lentil", "expiresAt": "soon"}}), "value_bad", "values/soup"),
    (put("values", value={"soup": {"value": "a\nb", "expiresAt": LATER}}), "value_bad", "values/soup"),
    (put("values", value={"soup": {"value": "", "expiresAt": LATER}}), "value_bad", "values/soup"),
    (put("values", value={"soup": {"value": True, "expiresAt": LATER}}), "value_bad", "values/soup"),
    (put("values", value={"soup": {"value": 2e9, "expiresAt": LATER}}), "value_bad", "values/soup"),
    (put(*SCENE, "languages", value=["de", "!"]), "field_bad", "scn_1"),
    (put(*SCENE, "languages", value="de"), "field_bad", "scn_1"),
    (put(*SCENE, "languageMode", value="both"), "field_bad", "scn_1"),
    (put(*SCENE, "mirrorBoxes", value="yes"), "field_bad", "scn_1"),
    (item(regularPrice="much"), "field_bad", "itm_1"),
    (item(regularPrice=3), "field_bad", "itm_1"),
    (item(regularPrice=9, offerEndsAt="soon"), "field_bad", "itm_1"),
    (
        item(regularPrice=9, offerStartsAt="2026-11-21T08:00:00Z", offerEndsAt="2026-11-20T08:00:00Z"),
        "field_bad",
        "itm_1",
    ),
    (item(variants=[{"name": "S", "price": 3, "regularPrice": 3}]), "field_bad", "itm_1/variants[0]"),
    (item(variants=[{"name": "S", "price": 3, "regularPrice": 4, "offerEndsAt": 5}]), "field_bad", "itm_1/variants[0]"),
    (item(energy=100, energyTo=90), "field_bad", "itm_1"),
    (item(variants=[{"name": "S", "price": 1, "energy": "much"}]), "field_bad", "itm_1/variants[0]"),
    (put("items", 0, value=3), "item_bad", "items[0]"),
    (put("assets", "0" * 63, value={"size": 1, "mediaType": "image/png"}), "asset_bad", f"assets/{'0' * 63}"),
    (put("assets", "0" * 64, value={"size": 0, "mediaType": "image/png"}), "asset_bad", f"assets/{'0' * 64}"),
    (put("assets", "0" * 64, value=5), "asset_bad", f"assets/{'0' * 64}"),
    (put("location", "timezone", value="Mars/Base"), "timezone_unknown", "location"),
    (put("location", "currency", value="euro"), "currency_bad", "location"),
    (put("location", "secondCurrency", value="BGN"), "field_bad", "location"),
    (put("location", "secondCurrency", value={"currency": "lev", "rate": 2}), "currency_bad", "location"),
    (put("location", "secondCurrency", value={"currency": "BGN"}), "field_bad", "location"),
    (put("location", "secondCurrency", value={"currency": "BGN", "rate": 0}), "field_bad", "location"),
    (put("location", "secondCurrency", value={"currency": "BGN", "rate": -2}), "field_bad", "location"),
    (put("location", "secondCurrency", value={"currency": "EUR", "rate": 2}), "field_bad", "location"),
    (put("location", "spans", value=[{"screens": "scr_1"}]), "span_bad", "location/spans[0]"),
    (put("location", "spans", value=[{"screens": ["a"] * 4}]), "span_bad", "location/spans[0]"),
    (put(*SCENE, "span", value={"panels": 4}), "field_bad", "scn_1"),
    (put(*SCENE, "span", value={"panels": 2, "gap": -1}), "field_bad", "scn_1"),
    (put("location", "rotation", value=45), "field_bad", "location"),
    (put("location", "rotation", value="90"), "field_bad", "location"),
    (put("location", "rotation", value=False), "field_bad", "location"),
    (put("location", "locale", value="../de"), "locale_bad", "location"),
    (put("settings", "pollSeconds", value="often"), "field_bad", "manifest"),
    (put("settings", value=[]), "field_bad", "manifest"),
]


def exists(document: Any, pointer: str) -> bool:
    """Whether a JSON pointer names something in the document."""
    for step in pointer.split("/")[1:]:
        if isinstance(document, list):
            document = document[int(step)]
        elif step in document:
            document = document[step]
        else:
            return False
    return True


@pytest.mark.goes_beyond("MAX_SCALE", "MAX_SPEED", "MAX_VALUE", "MAX_LETTER_SPACING", "MAX_HEADING_SIZE")
@pytest.mark.parametrize(("spoil", "code", "subject"), REJECTED)
def test_a_bad_part_costs_only_itself(spoil: Spoil, code: str, subject: str) -> None:
    document = whole()
    spoil(document)
    found = read(document)
    assert [(rejection.code, rejection.subject) for rejection in found.rejections][:1] == [(code, subject)]
    assert found.rejections[0].detail
    assert exists(document, found.rejections[0].pointer)
    assert found.version is not None
    assert found.version.entries
    assert "itm_2" in found.catalogue.items


class TestAfterAFault:
    """The rest is as if the bad part were absent, or had its default."""

    def spoilt(self, spoil: Spoil) -> Manifest:
        document = whole()
        spoil(document)
        return read(document)

    def scene(self, spoil: Spoil) -> Scene:
        version = self.spoilt(spoil).version
        assert version is not None
        return version.scenes["scn_1"]

    def test_the_other_widgets_of_a_scene_are_drawn(self) -> None:
        scene = self.scene(widget(type="hologram"))
        assert [widget.id for widget in scene.widgets] == ["menu-1", "image-1", "clock-1"]
        assert scene.unreadable is None

    def test_a_scene_without_a_readable_widget_is_unreadable(self) -> None:
        scene = self.scene(put(*SCENE, "widgets", value=[{"id": "t", "type": "ticker"}]))
        assert scene.unreadable == "none of its widgets can be drawn"

    def test_the_entry_of_an_unreadable_scene_stays_so_that_the_loop_keeps_its_length(self) -> None:
        version = self.spoilt(put(*SCENE, "width", value=0)).version
        assert version is not None
        assert [entry.id for entry in version.entries] == ["ent_1", "ent_2"]
        assert version.scenes["scn_1"].unreadable is not None
        assert version.scenes["scn_1"].schedules

    def test_the_default_replaces_a_bad_colour(self) -> None:
        scene = self.scene(put(*SCENE, "background", value={"color": "red", "scrim": "#40000000"}))
        assert scene.background == Background(scrim="#40000000")

    def test_one_bad_schedule_leaves_the_others(self) -> None:
        scene = self.scene(put(*SCENE, "schedules", 0, "start", value="late"))
        assert len(scene.schedules) == 1
        assert scene.never is None

    def test_a_scene_without_a_readable_schedule_never_shows(self) -> None:
        scene = self.scene(put(*SCENE, "schedules", value=[{"type": "daypart", "start": "late", "end": "06:00"}]))
        assert scene.never is not None

    def test_an_entry_with_an_unreadable_schedule_never_shows(self) -> None:
        version = self.spoilt(put(*ATTACHED, "end", value="late")).version
        assert version is not None
        assert version.entries[0].schedule is None
        assert version.entries[0].never is not None

    def test_a_schedule_without_days_and_zone_means_every_day_at_the_location(self) -> None:
        version = self.spoilt(put(*ATTACHED, value={"type": "daypart", "start": "06:00", "end": "11:00"})).version
        assert version is not None
        assert version.entries[0].schedule == Daypart(start=360, end=660)

    def test_utc_replaces_an_unknown_zone_of_the_location(self) -> None:
        assert self.spoilt(put("location", "timezone", value="Mars/Base")).location.timezone == "UTC"

    def test_a_bad_modifier_leaves_the_item_and_its_other_modifiers(self) -> None:
        found = self.spoilt(put("items", 0, "modifiers", 0, "priceDelta", value="free"))
        assert [modifier.name for modifier in found.catalogue.items["itm_1"].modifiers] == ["Small"]

    def test_an_undeclared_image_of_an_item_is_left_out(self) -> None:
        assert self.spoilt(item(image="sha256:" + "0" * 64)).catalogue.items["itm_1"].image is None

    def test_an_inverted_range_of_text_sizes_is_one_size(self) -> None:
        menu_widget = self.scene(menu(minTextSize=40, maxTextSize=30)).widgets[0]
        assert isinstance(menu_widget, MenuWidget)
        assert (menu_widget.min_text_size, menu_widget.max_text_size) == (40, 40)

    @pytest.mark.parametrize(
        ("canvas", "given", "sizes"),
        [
            ((1920, 1080), {}, (28, 64)),
            ((3840, 2160), {}, (56, 128)),
            ((1080, 1920), {}, (28, 64)),
            ((3840, 2160), {"minTextSize": 40}, (40, 128)),
            ((3840, 2160), {"maxTextSize": 40}, (40, 40)),
            ((1920, 1080), {"minTextSize": 70}, (70, 70)),
            ((3840, 2160), {"minTextSize": 28, "maxTextSize": 64}, (28, 64)),
        ],
    )
    def test_text_sizes_of_a_list_are_in_proportion_to_the_canvas_unless_they_are_given(
        self, canvas: tuple[int, int], given: dict[str, int], sizes: tuple[int, int]
    ) -> None:
        def spoil(document: Document) -> None:
            scene = document["scenes"][0]
            scene["width"], scene["height"] = canvas
            for name in ("minTextSize", "maxTextSize"):
                scene["widgets"][0].pop(name)
            scene["widgets"][0].update(given)

        listed = self.scene(spoil).widgets[0]
        assert isinstance(listed, MenuWidget)
        assert (listed.min_text_size, listed.max_text_size) == sizes

    def test_a_negative_zero_is_zero(self) -> None:
        found = read_manifest(encoded(whole()).replace(b'"price":3.4', b'"price":-0.0'))
        assert str(found.catalogue.items["itm_1"].price) == "0"

    def test_control_characters_are_dropped_but_line_feeds_stay(self) -> None:
        assert self.spoilt(item(name="Flat\x00\x1b white\u0085")).catalogue.items["itm_1"].name == "Flat white"

    @pytest.mark.parametrize(("wait", "poll", "beat"), [(-5, 1, 0), (1000, 1000, 1000), (10**30, -(10**30), 15)])
    def test_settings_stay_within_their_bounds(self, wait: int, poll: int, beat: int) -> None:
        asked = {"waitSeconds": wait, "pollSeconds": poll, "heartbeatSeconds": beat}
        found = self.spoilt(put("settings", value=asked)).settings
        assert 0 <= found.wait_seconds <= 60
        assert 5 <= found.poll_seconds <= 60
        assert 10 <= found.heartbeat_seconds <= 60


@pytest.mark.parametrize("price", [b"1e400", b"1e99999999999999999999", b"-1e-400", b"99999999.01"])
def test_a_price_out_of_bounds_costs_one_item(price: bytes) -> None:
    found = read_manifest(encoded(whole()).replace(b'"price":3.4', b'"price":' + price))
    assert list(found.catalogue.items) == ["itm_2"]
    assert [rejection.code for rejection in found.rejections] == ["item_bad"]


NOTHING = [
    (b"", "not_json"),
    (b"<html><body>Log in to the hotel's network</body></html>", "not_json"),
    (b"\xff\xfe\x00", "not_json"),
    (b"[" * 100_000, "not_json"),
    (b'{"format": NaN}', "not_json"),
    (b"[]", "manifest_bad"),
    (b"null", "manifest_bad"),
    (b"{}", "manifest_bad"),
    (encoded(whole() | {"format": 2}), "format_unknown"),
    (encoded(whole() | {"format": "1"}), "manifest_bad"),
    (encoded(whole() | {"location": None}), "manifest_bad"),
    (encoded(whole() | {"location": {"id": "loc_1", "name": "No zone"}}), "manifest_bad"),
    (encoded(whole() | {"playlist": []}), "manifest_bad"),
    (
        encoded(whole() | {"playlist": {"id": "pl_1", "version": 1, "publishedAt": "2026-11-20T08:00:00Z"}}),
        "manifest_bad",
    ),
    (encoded(whole() | {"scenes": {}}), "manifest_bad"),
    (encoded(whole() | {"items": None}), "manifest_bad"),
    (encoded(whole() | {"assets": []}), "manifest_bad"),
    (encoded(whole() | {"revision": -1}), "manifest_bad"),
    (encoded(whole() | {"revision": 2**53 + 1}), "manifest_bad"),
    (encoded(whole() | {"revisionAt": "yesterday"}), "manifest_bad"),
    (encoded(whole() | {"revisionAt": "2026-11-20T08:00:00"}), "manifest_bad"),
    (encoded(whole() | {"revisionAt": "9999-12-31T23:59:59-10:00"}), "manifest_bad"),
    (b" " * (MAX_BODY + 1), "too_large"),
]


@pytest.mark.parametrize(("body", "code"), NOTHING, ids=lambda value: value[:30] if isinstance(value, bytes) else None)
def test_an_unusable_body_is_an_error_with_a_code(body: bytes, code: str) -> None:
    with pytest.raises(ManifestError) as caught:
        read_manifest(body)
    assert caught.value.code == code
    assert caught.value.detail


def test_a_body_of_the_largest_size_is_read() -> None:
    body = encoded(whole())
    assert read_manifest(body + b" " * (MAX_BODY - len(body))).rejections == ()


def many(count: int, **fields: object) -> list[dict[str, object]]:
    return [{"id": f"x{n}", **fields} for n in range(count)]


def version_of(found: Manifest) -> PlaylistVersion:
    assert found.version is not None
    return found.version


def items_of(found: Manifest) -> int:
    return len(found.catalogue.items)


BOX = {"x": 0, "y": 0, "width": 10, "height": 10}
SCHEDULE = {"type": "daypart", "start": "06:00", "end": "07:00"}

BOUNDS: list[tuple[tuple[str | int, ...], list[Any], str, int, Callable[[Manifest], int]]] = [
    (
        ("playlist", "entries"),
        many(module.MAX_ENTRIES + 1, sceneId="scn_2", durationSeconds=1),
        "entries",
        module.MAX_ENTRIES,
        lambda m: len(version_of(m).entries),
    ),
    (("scenes",), many(module.MAX_SCENES + 1), "scenes", module.MAX_SCENES, lambda m: len(version_of(m).scenes)),
    (("items",), many(module.MAX_ITEMS + 1, name="n", price=1), "items", module.MAX_ITEMS, items_of),
    (
        ("scenes", 1, "widgets"),
        many(scene_document.MAX_WIDGETS + 1, type="text", text="t", **BOX),
        "scn_2/widgets",
        scene_document.MAX_WIDGETS,
        lambda m: len(version_of(m).scenes["scn_2"].widgets),
    ),
    (
        ("scenes", 1, "schedules"),
        [SCHEDULE] * (scene_document.MAX_SCHEDULES + 1),
        "scn_2/schedules",
        scene_document.MAX_SCHEDULES,
        lambda m: len(version_of(m).scenes["scn_2"].schedules),
    ),
    (
        ("items", 0, "modifiers"),
        [{"name": "n", "priceDelta": 0}] * (manifest_module.MAX_MODIFIERS + 1),
        "itm_1/modifiers",
        manifest_module.MAX_MODIFIERS,
        lambda m: len(m.catalogue.items["itm_1"].modifiers),
    ),
    (
        ("items", 0, "variants"),
        [{"name": str(number), "price": 1} for number in range(manifest_module.MAX_VARIANTS + 1)],
        "itm_1/variants",
        manifest_module.MAX_VARIANTS,
        lambda m: len(m.catalogue.items["itm_1"].variants),
    ),
    (
        ("items", 0, "parts"),
        [{"quantity": 1, "anyOf": []}] * (manifest_module.MAX_PARTS + 1),
        "itm_1/parts",
        manifest_module.MAX_PARTS,
        lambda m: len(m.catalogue.items["itm_1"].parts),
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "value", "subject", "limit", "count"), BOUNDS, ids=lambda v: v if isinstance(v, str) else None
)
def test_a_list_is_read_up_to_its_bound(
    path: tuple[str | int, ...], value: list[Any], subject: str, limit: int, count: Callable[[Manifest], int]
) -> None:
    document = whole()
    put(*path, value=value)(document)
    found = read(document)
    assert ("too_many", subject) in [(rejection.code, rejection.subject) for rejection in found.rejections]
    assert count(found) == limit
    put(*path, value=value[:limit])(document)
    assert "too_many" not in [rejection.code for rejection in read(document).rejections]


def test_languages_and_words_are_read_up_to_their_bounds() -> None:
    document = whole()
    tags = [f"e{letter}" for letter in "abcdefghi"]
    document["items"][0]["translations"] = {tag: {"name": tag} for tag in tags}
    document["words"] = {str(number): dict.fromkeys(tags, "x") for number in range(module.MAX_WORDS + 1)}
    found = read(document)
    subjects = {rejection.subject for rejection in found.rejections if rejection.code == "too_many"}
    assert subjects == {"itm_1/translations", "words"}
    assert len(found.catalogue.items["itm_1"].translations) == module.MAX_LANGUAGES
    assert len(found.catalogue.words) == module.MAX_WORDS
    assert {len(told) for told in found.catalogue.words.values()} == {module.MAX_LANGUAGES}


def test_values_are_read_exactly_and_up_to_their_bound() -> None:
    document = whole()
    document["values"] = {
        f"v{number}": {"value": 0.1 * number, "expiresAt": LATER} for number in range(module.MAX_VALUES + 1)
    }
    document["values"]["v0"]["value"] = "Lentil"
    found = read(document)
    assert [one.subject for one in found.rejections if one.code == "too_many"] == ["values"]
    assert len(found.catalogue.values) == module.MAX_VALUES
    assert found.catalogue.values["v0"].value == "Lentil"
    assert found.catalogue.values["v1"].value == Decimal("0.1")
    assert found.catalogue.values["v1"].expires_at == datetime(2099, 11, 20, 17, tzinfo=UTC)


def test_a_scene_has_more_languages_in_turn_than_together() -> None:
    document = whole()
    scene = document["scenes"][0]
    scene["languages"] = ["de", "en", "fr", "es", "it", "pt", "nl", "pl"]
    assert len(version_of(read(document)).scenes["scn_1"].languages) == scene_module.MAX_LANGUAGES
    scene["languageMode"] = "together"
    assert version_of(read(document)).scenes["scn_1"].languages == ("de", "en", "fr")
    assert scene_module.MAX_TOGETHER == 3


def test_assets_are_read_up_to_their_bound() -> None:
    document = whole()
    document["assets"] |= {f"{n:064x}": {"size": 1} for n in range(module.MAX_ASSETS)}
    version = read(document).version
    assert version is not None
    assert len(version.assets) == module.MAX_ASSETS


def test_rejections_are_listed_up_to_a_bound_and_the_rest_is_counted() -> None:
    document = whole()
    document["items"] += [{"id": f"bad{n}", "name": "n" * 300} for n in range(fields.MAX_REJECTIONS + 5)]
    rejections = read(document).rejections
    assert len(rejections) == fields.MAX_REJECTIONS + 1
    assert (rejections[-1].code, rejections[-1].detail) == ("rejections_cut", "5 more faults are not listed")


def test_a_rejection_is_short_whatever_the_fault() -> None:
    document = whole()
    document["assets"] |= {"y" * 100_000: 1}
    (rejection,) = read(document).rejections
    assert len(rejection.subject) <= fields.MAX_DETAIL
    document = whole()
    document["scenes"][0]["schedules"][0]["days"] = ["mon", "💣" * 3]
    (rejection,) = read(document).rejections
    assert len(rejection.detail) <= 2 * fields.MAX_DETAIL


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**25), 10**25)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(["daypart", "menu", "scn_1", "06:00", "24:00", f"sha256:{HERO}", "#101418", "location", "UTC"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)


def paths(part: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner: list[tuple[str | int, Any]] = []
    if isinstance(part, dict):
        inner = list(part.items())
    elif isinstance(part, list):
        inner = list(enumerate(part))
    own = [path] if path else []
    return own + [found for key, value in inner for found in paths(value, (*path, key))]


PATHS = paths(whole())


def read_or_refused(body: bytes) -> Manifest | None:
    try:
        return read_manifest(body)
    except ManifestError:
        return None


@given(body=st.binary(max_size=300))
def test_random_bytes_raise_nothing_but_manifest_error(body: bytes) -> None:
    read_or_refused(body)


@given(document=st.dictionaries(st.sampled_from(sorted(whole())), json_values))
def test_random_json_raises_nothing_but_manifest_error(document: dict[str, object]) -> None:
    read_or_refused(encoded(document))


@given(spoilt=st.lists(st.tuples(st.sampled_from(PATHS), json_values), min_size=1, max_size=3))
def test_a_mutated_document_is_read_or_refused(spoilt: list[tuple[tuple[str | int, ...], object]]) -> None:
    document = whole()
    for path, value in spoilt:
        try:
            put(*path, value=value)(document)
        except (KeyError, IndexError, TypeError):
            continue
    found = read_or_refused(encoded(document))
    if found is not None and found.version is not None:
        assert all(entry.scene_id in found.version.scenes for entry in found.version.entries)
        assert all(1 <= entry.duration_seconds <= 86_400 for entry in found.version.entries)
        assert all(item.price.is_finite() and item.price >= 0 for item in found.catalogue.items.values())
        msgspec.json.encode([rejection.detail for rejection in found.rejections])


@given(at=st.integers(0, len(encoded(whole())) - 1), junk=st.binary(max_size=3))
def test_a_document_with_a_few_bytes_changed_is_read_or_refused(at: int, junk: bytes) -> None:
    body = encoded(whole())
    read_or_refused(body[:at] + junk + body[at + 1 :])
