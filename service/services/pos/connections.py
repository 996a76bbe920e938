"""Connections to points of sale, and importing their feeds into the items.

A sync is one transaction: every valid row of the feed, or nothing. The point of sale decides name, category, price and,
where the feed has them, variants.
Its sold-out flag is applied only when it differs from the last sync, so the next sync does not lift an 86 set by hand.
Items that a feed no longer names stay as they are.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from sqlalchemy import SQLColumnExpression, case, func, select
from sqlalchemy.orm import Session

from service.core.clock import instant_text
from service.core.errors import Fault, ProblemError, invalid
from service.core.events import EventType
from service.core.ids import NewId
from service.core.prices import price_of
from service.schema.fields import instant_or_none
from service.schema.item import Variant
from service.schema.lists import Listing
from service.schema.pos import (
    FeedRow,
    PosConnectionCreate,
    PosConnectionPatch,
    PosConnectionResponse,
    SyncCounts,
    SyncResponse,
)
from service.schema.translation import MAX_LANGUAGES
from service.services.content.catalogue import catalogue_changed
from service.services.content.item_texts import set_translations
from service.services.content.items import (
    EXACT,
    MARKET,
    MAX_ITEMS,
    end_offer,
    updated_variants,
)
from service.services.content.offers import brought_up_to, charged, next_change
from service.services.pos.feed import FeedContent, FeedFailure, Source, feed_key, is_file_name, is_url
from service.services.shared.etags import ALWAYS, Condition
from service.services.shared.listing import listing
from service.services.shared.lookup import count, find_many, get, read_page
from service.services.shared.outbound import RefusedUrlError, check_url
from service.services.webhooks.outbox import emit
from service.storage.database import Database, Unit
from service.storage.paging import Cursors, PageRequest
from service.storage.tables.menus import ItemRow, PosConnectionRow, PosLinkRow
from service.storage.tables.workspaces import WorkspaceRow

MAX_CONNECTIONS = 20
"""Connections of a workspace."""
LEASE = timedelta(minutes=5)
"""The duration of a claim: if no result arrives by then, the feed is read again."""
MAX_CLAIMED = 12
"""Feeds that a process reads at a time."""
MAX_CLAIMED_OF_WORKSPACE = 4
"""The most of one workspace among them."""


@dataclass(frozen=True, slots=True)
class ClaimedSync:
    """A connection that this process has claimed, to read its feed now."""

    connection: str
    workspace: str
    source: Source
    until: datetime
    """When the claim expires. While the row still has this time, no other process has claimed or requested a sync."""


class PosService:
    """Lists, creates, changes and removes connections; claims due ones and imports their feeds."""

    def __init__(self, *, database: Database, cursors: Cursors, new_id: NewId, allow_private: bool) -> None:
        self._database = database
        self._cursors = cursors
        self._new_id = new_id
        self._allow_private = allow_private

    def list(self, workspace: str, request: PageRequest) -> Listing[PosConnectionResponse]:
        """One page of connections."""
        with self._database.read() as session:
            page = read_page(session, self._cursors, PosConnectionRow, workspace, request)
            return listing(page, lambda row: _view(session, row))

    def get(self, workspace: str, connection: str) -> PosConnectionResponse:
        """One connection and its last sync. Raises the 404 problem."""
        with self._database.read() as session:
            return _view(session, get(session, PosConnectionRow, workspace, connection, kind="connection"))

    def create(self, workspace: str, body: PosConnectionCreate) -> PosConnectionResponse:
        """A new connection, synced at once if it has a schedule. Raises 422, and 409 for too many or a used feed."""
        self._check_feed(body.feed)
        with self._database.write() as unit:
            if count(unit.session, PosConnectionRow, workspace) >= MAX_CONNECTIONS:
                raise ProblemError(
                    409,
                    "too_many_connections",
                    "The workspace is full",
                    f"A workspace has at most {MAX_CONNECTIONS} connections.",
                )
            _check_unused(unit.session, workspace, body.feed)
            row = PosConnectionRow(
                id=self._new_id("pos"),
                workspace_id=workspace,
                last_sync=None,
                created_at=unit.now,
                changed_at=unit.now,
                **body.everything(),
            )
            _reschedule(row, now=unit.now)
            unit.session.add(row)
            unit.session.flush()
            return _view(unit.session, row)

    def change(
        self, workspace: str, connection: str, body: PosConnectionPatch, expected: Condition = ALWAYS
    ) -> PosConnectionResponse:
        """Changes some fields. Raises the 404, 409, 412 and 422 problems."""
        given = body.given()
        if "feed" in given:
            self._check_feed(body.feed)
        with self._database.write() as unit:
            row = get(unit.session, PosConnectionRow, workspace, connection, kind="connection")
            expected.check(_view(unit.session, row))
            if given.get("feed", row.feed) != row.feed:
                _check_unused(unit.session, workspace, given["feed"], except_for=row.id)
            before = _schedule_of(unit.session, row)
            for name, value in given.items():
                setattr(row, name, value)
            row.changed_at = unit.now
            if _schedule_of(unit.session, row) != before:
                _reschedule(row, now=unit.now)
            return _view(unit.session, row)

    def remove(self, workspace: str, connection: str, expected: Condition = ALWAYS) -> None:
        """Removes a connection; imported items stay. Raises the 404 and 412 problems."""
        with self._database.write() as unit:
            row = get(unit.session, PosConnectionRow, workspace, connection, kind="connection")
            expected.check(_view(unit.session, row))
            unit.session.delete(row)

    def request_sync(self, workspace: str, connection: str) -> PosConnectionResponse:
        """Requests a sync as soon as possible. Raises 404, and 409 while the connection is disabled."""
        with self._database.write() as unit:
            row = get(unit.session, PosConnectionRow, workspace, connection, kind="connection")
            if not row.enabled:
                raise ProblemError(409, "disabled", "The connection is switched off", "Set `enabled` to true first.")
            row.due_at = unit.now
            return _view(unit.session, row)

    def claim_due(self, now: datetime, running: Mapping[str, int] = MappingProxyType({})) -> Sequence[ClaimedSync]:
        """Claims connections that are due, fairly beside the `running` syncs of each workspace.

        Opens no write transaction while none is due.
        """
        if sum(running.values()) >= MAX_CLAIMED:
            return ()
        with self._database.read() as session:
            upcoming = session.scalar(select(func.min(PosConnectionRow.due_at)))
        if upcoming is None or upcoming > now:
            return ()
        claimed: list[ClaimedSync] = []
        taken = Counter(running)
        with self._database.write() as unit:
            until = unit.now + LEASE
            while taken.total() < MAX_CLAIMED and (row := _next_due(unit, taken)) is not None:
                row.due_at = until
                taken[row.workspace_id] += 1
                claimed.append(ClaimedSync(row.id, row.workspace_id, _source(unit.session, row), until))
        return claimed

    def finish(self, claimed: ClaimedSync, feed: FeedContent | FeedFailure) -> None:
        """Imports the feed, and stores and emits the result."""
        with self._database.write() as unit:
            row = unit.session.scalar(select(PosConnectionRow).where(PosConnectionRow.id == claimed.connection))
            if (
                row is None
                or not row.enabled
                or _source(unit.session, row) != claimed.source
                or row.due_at != claimed.until
            ):
                # Removed, disabled, changed or claimed again meanwhile: the result is outdated.
                return
            _plan_next(row, now=unit.now)
            outcome = feed if isinstance(feed, FeedFailure) else self._import(unit, row, feed)
            data: dict[str, object] = {"connection": row.id, "name": row.name}
            if isinstance(outcome, FeedFailure):
                row.last_sync = _result(unit.now, reason=outcome.reason, detail=outcome.detail)
                data |= {"reason": outcome.reason, "detail": outcome.detail}
                emit(unit, row.workspace_id, EventType.POS_SYNC_FAILED, data)
            else:
                errors = feed.errors if isinstance(feed, FeedContent) else ()
                row.last_sync = _result(unit.now, counts=outcome, bad_rows=[asdict(one) for one in errors])
                data["counts"] = outcome.document()
                emit(unit, row.workspace_id, EventType.POS_SYNC_COMPLETED, data)

    def _check_feed(self, feed: str) -> None:
        """Raises the 422 problem for a feed that can never be read."""
        if is_url(feed):
            try:
                check_url(feed, allow_private=self._allow_private)
            except RefusedUrlError:
                detail = "A feed is fetched by https from a public address, without a user name in it."
                raise invalid([Fault("not_a_feed", detail, "/feed")]) from None
        elif not is_file_name(feed):
            detail = "A feed is an https URL, or the plain name of a file in the workspace's folder of feeds."
            raise invalid([Fault("not_a_feed", detail, "/feed")])

    def _import(self, unit: Unit, row: PosConnectionRow, feed: FeedContent) -> SyncCounts | FeedFailure:
        links = {
            link.external_id: link
            for link in unit.session.scalars(select(PosLinkRow).where(PosLinkRow.connection_id == row.id))
        }
        items = find_many(unit.session, ItemRow, row.workspace_id, (link.item_id for link in links.values()))
        new = [entry for entry in feed.rows if entry.id not in links]
        if count(unit.session, ItemRow, row.workspace_id) + len(new) > MAX_ITEMS:
            return FeedFailure("workspace_full", f"With {len(new)} new items there would be more than {MAX_ITEMS}.")
        updated = [
            items[link.item_id]
            for entry in feed.rows
            if (link := links.get(entry.id)) is not None
            and _update_item(items[link.item_id], link, entry, now=unit.now, new_id=self._new_id)
        ]
        changed = [*updated, *self._add(unit, row, new)]
        if changed:
            catalogue_changed(unit, row.workspace_id, changed)
        return SyncCounts(
            created=len(new),
            updated=len(updated),
            unchanged=len(feed.rows) - len(new) - len(updated),
            sold_out=sum(entry.sold_out is True for entry in feed.rows),
            failed=feed.error_count,
        )

    def _add(self, unit: Unit, row: PosConnectionRow, entries: Sequence[FeedRow]) -> Sequence[ItemRow]:
        made = [
            ItemRow(
                id=self._new_id("itm"),
                workspace_id=row.workspace_id,
                name=entry.name,
                category=entry.category,
                price=entry.price or Decimal(0),
                price_kind=entry.price_kind or EXACT,
                price_unit=entry.price_unit,
                modifiers=[],
                variants=updated_variants((), _variants(entry, {}), self._new_id),
                eighty_sixed=entry.sold_out is True,
                tags=[],
                allergens=[],
                translations={},
                named_in="",
                featured=False,
                sort_index=0,
                created_at=unit.now,
                changed_at=unit.now,
            )
            for entry in entries
        ]
        for item, entry in zip(made, entries, strict=True):
            _translate(item, entry)
        unit.session.add_all(made)
        # The items first: links refer to them by id alone, so the session does not order them.
        unit.session.flush()
        unit.session.add_all(
            PosLinkRow(
                connection_id=row.id,
                external_id=entry.id,
                item_id=item.id,
                sold_out=entry.sold_out,
                variants_sold_out=_sold_out_variants(entry),
            )
            for entry, item in zip(entries, made, strict=True)
        )
        return made


def _variants(entry: FeedRow, last: Mapping[str, Any]) -> list[Variant]:
    """The variants of the feed; a sold-out flag that is as it was `last` leaves the 86 alone."""
    return [
        Variant.model_validate(
            {
                "name": one.name,
                "price": one.price,
                "eightySixed": None if one.sold_out == last.get(one.name) else one.sold_out,
            }
        )
        for one in entry.variants or ()
    ]


def _sold_out_variants(entry: FeedRow) -> dict[str, bool]:
    return {one.name: one.sold_out for one in entry.variants or () if one.sold_out is not None}


def _update_item(item: ItemRow, link: PosLinkRow, entry: FeedRow, *, now: datetime, new_id: NewId) -> bool:
    """Updates the item from the feed; returns whether anything changed."""
    wanted: dict[str, Any] = {"name": entry.name, "category": entry.category} | _price_fields(item, entry)
    if entry.sold_out is not None and entry.sold_out != link.sold_out:
        link.sold_out = entry.sold_out
        wanted |= {"eighty_sixed": entry.sold_out, "eighty_sixed_until": None}
    if entry.variants is not None:
        kept = [brought_up_to(part, now) for part in item.variants]
        before = {part["name"]: part["units"] for part in kept}
        variants = [
            charged({**part, "units": before.get(part["name"], part["units"])}, price_of(part["units"]))
            for part in updated_variants(kept, _variants(entry, link.variants_sold_out), new_id)
        ]
        wanted |= {"variants": variants, "variants_change_at": next_change(variants)}
        link.variants_sold_out = _sold_out_variants(entry)
    changes = {name: value for name, value in wanted.items() if getattr(item, name) != value}
    for name, value in changes.items():
        setattr(item, name, value)
    translated = _translate(item, entry)
    if changes or translated:
        item.changed_at = now
    return bool(changes) or translated


def _translate(item: ItemRow, entry: FeedRow) -> bool:
    """Updates the item's names in other languages from the feed; returns whether any changed."""
    told = {**item.translations}
    for language, one in (entry.translations or {}).items():
        told[language] = {**told.get(language, {}), "name": one.name}
    if told == item.translations or len(told) > MAX_LANGUAGES:
        return False
    set_translations(item, told)
    return True


def _price_fields(item: ItemRow, entry: FeedRow) -> dict[str, Any]:
    """The price of the feed, and what it says and is for where the feed tells that."""
    if item.variants if entry.variants is None else entry.variants:
        fields: dict[str, Any] = {"price_kind": EXACT, "price_unit": None}
    else:
        told = {"price_kind": entry.price_kind, "price_unit": entry.price_unit}
        fields = {name: value for name, value in told.items() if value is not None}
    if fields.get("price_kind", item.price_kind) == MARKET:
        # What a till charges today for what the board shows at the market price is not the board's.
        end_offer(item)
        return fields | {"price": Decimal(0)}
    if entry.price is None:
        return fields
    # A till knows no offers: its price is the regular one, until it is no higher than the offer.
    on_offer = item.regular_price is not None and entry.price > item.price
    if not on_offer and item.regular_price is not None:
        end_offer(item)
    return fields | {"regular_price" if on_offer else "price": entry.price}


def _reschedule(row: PosConnectionRow, *, now: datetime) -> None:
    """Makes a new or changed schedule due now."""
    row.due_at = now if row.enabled and row.every_minutes is not None else None


def _schedule_of(session: Session, row: PosConnectionRow) -> tuple[object, ...]:
    """The fields that decide when and what is read. Unless they change, a requested or running sync stays valid."""
    return row.enabled, row.every_minutes, _source(session, row)


def _next_due(unit: Unit, taken: Mapping[str, int]) -> PosConnectionRow | None:
    """The due connection whose workspace has the fewest `taken`; files before URLs, as they never keep waiting."""
    due = select(PosConnectionRow).where(PosConnectionRow.due_at <= unit.now)
    order: list[SQLColumnExpression[Any]] = [PosConnectionRow.feed.contains("://"), PosConnectionRow.due_at]
    if taken:
        full = [workspace for workspace, count in taken.items() if count >= MAX_CLAIMED_OF_WORKSPACE]
        due = due.where(PosConnectionRow.workspace_id.not_in(full))
        order.insert(0, case(dict(taken), value=PosConnectionRow.workspace_id, else_=0))
    return unit.session.scalar(due.order_by(*order).limit(1))


def _check_unused(session: Session, workspace: str, feed: str, *, except_for: str = "") -> None:
    """Raises the 409 problem if another connection reads this feed: its items would be made a second time."""
    others = session.scalars(
        select(PosConnectionRow).where(PosConnectionRow.workspace_id == workspace, PosConnectionRow.id != except_for)
    )
    for other in others:
        if feed_key(other.feed) == feed_key(feed):
            detail = f"The connection {other.id} ({other.name}) reads this feed. Change or sync that one."
            raise ProblemError(409, "feed_connected", "The feed is connected already", detail)


def _plan_next(row: PosConnectionRow, *, now: datetime) -> None:
    row.due_at = None if row.every_minutes is None else now + timedelta(minutes=row.every_minutes)


def _source(session: Session, row: PosConnectionRow) -> Source:
    # The folder of feeds was everybody's once: of the files in it, not in a folder of it, the first workspace has them.
    first = select(WorkspaceRow.id).order_by(WorkspaceRow.created_at, WorkspaceRow.id).limit(1)
    folder = "" if session.scalar(first) == row.workspace_id else row.workspace_id
    return Source(feed=row.feed, format="json" if row.format == "json" else "csv", folder=folder)


def _result(
    now: datetime,
    *,
    counts: SyncCounts | None = None,
    reason: str | None = None,
    detail: str | None = None,
    bad_rows: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """The result of a sync, as it is stored and shown."""
    return {
        "status": "completed" if reason is None else "failed",
        "at": instant_text(now),
        "counts": None if counts is None else counts.document(),
        "reason": reason,
        "detail": detail,
        "badRows": list(bad_rows),
    }


def _view(session: Session, row: PosConnectionRow) -> PosConnectionResponse:
    source = _source(session, row)
    return PosConnectionResponse(
        id=row.id,
        name=row.name,
        feed=row.feed,
        file=source.file,
        format=source.format,
        every_minutes=row.every_minutes,
        enabled=row.enabled,
        next_sync_at=instant_or_none(row.due_at),
        last_sync=None if row.last_sync is None else SyncResponse.model_validate(row.last_sync),
        created_at=instant_text(row.created_at),
    )
