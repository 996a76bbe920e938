"""Every query of the service that reads several rows, with its bound: none may grow with a table unnoticed.

A new one fails here. Give it a limit, a condition that an index serves, or a reason why all rows are needed.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from menu.documents.manifest_reader import MAX_ITEMS, MAX_OVERRIDES
from service.schema.devices.receipt import MAX_REPORTED_RECEIPTS
from service.schema.places.group import MAX_GROUP_LOCATIONS
from service.schema.publishing.planned_change import MAX_PLANNED_VALUES
from service.services.access.audit import MAX_ACTORS
from service.services.access.keys import MAX_KEYS
from service.services.access.sessions import MAX_SESSIONS
from service.services.access.team import MAX_TEAM
from service.services.alerts.mails import AT_ONCE
from service.services.alerts.troubles import MAX_TROUBLES
from service.services.alerts.watch import MAX_ALERTS
from service.services.content.groups import MAX_GROUPS
from service.services.devices.cards import MAX_CARDS
from service.services.devices.commands import MAX_COMMANDS, MAX_KEPT
from service.services.devices.enrolments import MAX_ENROLMENT_TOKENS
from service.services.devices.held_polls import MAX_COMPOSED_AT_ONCE
from service.services.devices.rollouts import MAX_ROLLOUTS
from service.services.pos.connections import MAX_CONNECTIONS
from service.services.pos.feed import MAX_FEED_ROWS
from service.services.publishing.planned_changes import MAX_PLANNED_CHANGES
from service.services.publishing.playlists import MAX_STORED_VERSIONS
from service.services.webhooks.webhooks import MAX_WEBHOOKS
from service.storage.tables.base import Base

ROOT = Path(__file__).parents[2]
SERVICES = "service/services"
BATCH = "the ids of one batch"
PAGE = "the rows of one page"
PLANNED = f"{MAX_PLANNED_VALUES} values of each of {MAX_PLANNED_CHANGES} planned changes of a workspace"
AHEAD = "what was written while the clock was ahead"
ALL_SCREENS = "every screen: the only reader of all reports, outside of the write lock"

BOUNDS: dict[str, str] = {
    f"{SERVICES}/imports/imports.py:settings": "one workspace",
    f"{SERVICES}/imports/imports.py:carry_out": "one workspace",
    f"{SERVICES}/publishing/playlists.py:_begin_on_screens": "the screens of a workspace that wait for one playlist",
    f"{SERVICES}/access/keys.py:all": f"{MAX_KEYS} keys of a workspace",
    f"{SERVICES}/access/audit.py:actors #1": f"{MAX_ACTORS} people and keys: a limit in the statement",
    f"{SERVICES}/access/audit.py:actors #2": f"an entry of each of {MAX_ACTORS} people and keys",
    f"{SERVICES}/access/audit.py:prune": "all workspaces, in the leader",
    f"{SERVICES}/access/entries.py:_found": "one pending sign-in",
    f"{SERVICES}/access/people.py:change": "one person",
    f"{SERVICES}/access/people.py:choose_password": "one member",
    f"{SERVICES}/access/people.py:change_password #1": "one person",
    f"{SERVICES}/access/people.py:change_password #2": "one person",
    f"{SERVICES}/access/people.py:follow": "one member",
    f"{SERVICES}/access/second_factors.py:change_rules": "one workspace",
    f"{SERVICES}/access/second_factors.py:is_required": "one workspace",
    f"{SERVICES}/access/second_factors.py:offer": "one person",
    f"{SERVICES}/access/second_factors.py:turn_off": "one person",
    f"{SERVICES}/access/sessions.py:end": "one session",
    f"{SERVICES}/access/sessions.py:_found": "one session",
    f"{SERVICES}/access/sessions.py:accesses": BATCH,
    f"{SERVICES}/access/sessions.py:_touch": "an update, which reads no row",
    f"{SERVICES}/access/sessions.py:list": f"{MAX_SESSIONS} sessions of a person",
    f"{SERVICES}/access/team.py:invite": f"{MAX_TEAM} people of a workspace",
    f"{SERVICES}/access/team.py:key_of": "one key",
    f"{SERVICES}/access/team.py:sessions": f"{MAX_SESSIONS} sessions of a person",
    f"{SERVICES}/access/team.py:_with_factor": f"{MAX_TEAM} members of a workspace",
    f"{SERVICES}/access/team.py:_preview": "one workspace",
    f"{SERVICES}/access/workspaces.py:all": "all workspaces, for the operator's command line",
    f"{SERVICES}/alerts/mails.py:due": f"{AT_ONCE} mails: a limit in the statement",
    f"{SERVICES}/alerts/mails.py:sent": "one alert",
    f"{SERVICES}/alerts/watch.py:look": f"{MAX_ALERTS} alerts of each workspace",
    f"{SERVICES}/alerts/watch.py:_known": f"{MAX_TROUBLES} troubles of each kind, that one alert has noticed",
    f"{SERVICES}/assets/assets.py:find_assets": BATCH,
    f"{SERVICES}/assets/uploads.py:_check_room": "one sum",
    f"{SERVICES}/assets/uses.py:found": "a limit in the statement",
    f"{SERVICES}/assets/uses.py:seen_by": f"{MAX_OVERRIDES} overrides of a workspace",
    f"{SERVICES}/content/combos.py:_check_is_no_part": "the combos with one item among their parts",
    f"{SERVICES}/content/place.py:locations_of": f"{MAX_GROUP_LOCATIONS} locations of each group of one page",
    f"{SERVICES}/content/place.py:places_of": f"{MAX_GROUPS} groups of each location of a batch",
    f"{SERVICES}/scenes/font_warnings.py:font_warnings": f"{MAX_ITEMS} items, of a scene that names fonts",
    f"{SERVICES}/scenes/font_warnings.py:_languages #1": "the locales of a workspace, each once",
    f"{SERVICES}/scenes/font_warnings.py:_languages #2": "the locales of a workspace, each once",
    f"{SERVICES}/scenes/drafts.py:digest_drafts #1": "the entries of one playlist, or of those with one scene",
    f"{SERVICES}/scenes/drafts.py:digest_drafts #2": BATCH,
    f"{SERVICES}/scenes/drafts.py:digest_drafts_with": "the playlists with one scene, by an index",
    f"{SERVICES}/content/item_order.py:names": f"two columns of {MAX_ITEMS} items: a category may have all",
    f"{SERVICES}/content/item_order.py:_placed": f"four columns of {MAX_ITEMS} items, of which the order is one",
    f"{SERVICES}/content/items.py:names": f"two columns of {MAX_ITEMS} items: forms of boards offer them",
    f"{SERVICES}/places/due_values.py:end_due": "the items that are due now, by an index on each instant",
    f"{SERVICES}/places/due_values.py:_end_local_86s": "the 86s at places that are due now, by an index",
    f"{SERVICES}/places/due_values.py:_end_local_offers": "the places of an item whose offer ends now",
    f"{SERVICES}/places/local_items.py:__init__": "the items of one page, call or batch of boards",
    f"{SERVICES}/scenes/pages.py:pages_of": f"{MAX_ITEMS} items: a scene may list all",
    f"{SERVICES}/content/place.py:zones_at": "two columns of a workspace's locations",
    f"{SERVICES}/places/planned_values.py:__init__ #1": PLANNED,
    f"{SERVICES}/places/planned_values.py:__init__ #2": f"the locations of {MAX_COMPOSED_AT_ONCE} boards",
    f"{SERVICES}/places/planned_values.py:_with_ends": "one location",
    f"{SERVICES}/content/eighty_six.py:settle": "two columns of the locations that an 86 with a rule reaches",
    f"{SERVICES}/content/superseded.py:supersede": PLANNED,
    f"{SERVICES}/scenes/scenes.py:schedules_of": "the scenes of one page or playlist",
    f"{SERVICES}/content/skus.py:items_by_sku": BATCH,
    f"{SERVICES}/scenes/filling.py:menu_of": f"six columns of {MAX_ITEMS} items: a template chooses among all",
    f"{SERVICES}/devices/cards.py:missing": "unused tokens of a workspace, for the operator's command line",
    f"{SERVICES}/devices/cards.py:_named": f"what the {MAX_CARDS} lines of one list name",
    f"{SERVICES}/devices/cards.py:_meet_existing #1": f"{MAX_ENROLMENT_TOKENS} open tokens of a workspace",
    f"{SERVICES}/devices/cards.py:_meet_existing #2": "names of the screens at the locations of one list",
    f"{SERVICES}/devices/commands.py:load": "ids of screens with a pending command, at the start and after an outage",
    f"{SERVICES}/devices/commands.py:finish": f"{MAX_KEPT} commands of one screen",
    f"{SERVICES}/devices/commands.py:_take": f"{MAX_COMMANDS} pending commands of one screen",
    f"{SERVICES}/devices/directory.py:load": "all paired screens, at the start and after an outage: polls cost no SQL",
    f"{SERVICES}/content/groups.py:_leave": BATCH,
    f"{SERVICES}/devices/presence.py:sweep #1": "the screens that have fallen silent since the last sweep",
    f"{SERVICES}/devices/presence.py:sweep #2": BATCH,
    f"{SERVICES}/devices/presence.py:_write #1": BATCH,
    f"{SERVICES}/devices/presence.py:_write #2": BATCH,
    f"{SERVICES}/devices/reach.py:of_item": "one workspace",
    f"{SERVICES}/devices/reach.py:_screens": "the screens whose playlists have one item",
    f"{SERVICES}/devices/reach.py:_revisions": "the manifests at the locations of those screens",
    f"{SERVICES}/devices/presence.py:_notice_runs_elsewhere": BATCH,
    f"{SERVICES}/devices/receipts.py:keep": f"{MAX_REPORTED_RECEIPTS} receipts of one report",
    f"{SERVICES}/devices/receipts.py:_portions": "a limit in the statement",
    f"{SERVICES}/devices/rollouts.py:load": f"{MAX_ROLLOUTS} rollouts of each workspace: heartbeats cost no SQL",
    f"{SERVICES}/devices/rollouts.py:stop_failing #1": f"{MAX_ROLLOUTS} rollouts of each workspace",
    f"{SERVICES}/devices/rollouts.py:stop_failing #2": BATCH,
    f"{SERVICES}/devices/rollouts.py:rollouts_of": f"{MAX_ROLLOUTS} rollouts of a workspace",
    f"{SERVICES}/devices/rollouts.py:screens_of": ALL_SCREENS,
    f"{SERVICES}/operations/backup.py:_named_assets": "one digest of each asset, streamed by the command line",
    f"{SERVICES}/operations/revived.py:_revived #1": "one command of the operator, before the service starts",
    f"{SERVICES}/operations/revived.py:_revived #2": "the same",
    f"{SERVICES}/operations/revived.py:end_sessions": "the names of tables",
    f"{SERVICES}/operations/clock_correction.py:_correct_86s #1": AHEAD,
    f"{SERVICES}/operations/clock_correction.py:_correct_86s #2": AHEAD,
    f"{SERVICES}/operations/clock_correction.py:_correct_overrides": AHEAD,
    f"{SERVICES}/operations/clock_correction.py:_correct_versions": AHEAD,
    f"{SERVICES}/operations/clock_correction.py:_renew_revisions": "an update, which reads no row",
    f"{SERVICES}/operations/clock_correction.py:_correct_syncs": f"{MAX_CONNECTIONS} connections of each workspace",
    f"{SERVICES}/operations/gauges.py:findings": "grouped in SQL, one row for each set of codes",
    f"{SERVICES}/pos/namesakes.py:_read": f"the items of {MAX_FEED_ROWS} names of a feed",
    f"{SERVICES}/pos/namesakes.py:of": "a limit in the statement",
    f"{SERVICES}/pos/namesakes.py:log_all": "a count of each of all workspaces' connections, once at the start",
    f"{SERVICES}/pos/connections.py:_check_unused": f"{MAX_CONNECTIONS} connections of a workspace",
    f"{SERVICES}/devices/screen_uploads.py:received_at": BATCH,
    f"{SERVICES}/publishing/boards.py:playlists_with": "ids of the playlists that screens play",
    f"{SERVICES}/publishing/boards.py:_counted": "the playlists that screens play, when an item leaves some",
    f"{SERVICES}/publishing/boards.py:_selecting": BATCH,
    f"{SERVICES}/imports/undo.py:_with_values": BATCH,
    f"{SERVICES}/pos/plans.py:__post_init__": f"{MAX_ITEMS} items of earlier syncs, and {MAX_FEED_ROWS} rows",
    f"{SERVICES}/pos/writes.py:footing_of #1": f"the instants of {MAX_ITEMS} items",
    f"{SERVICES}/pos/writes.py:footing_of #2": f"the instants of what {MAX_ITEMS} items have at a location",
    f"{SERVICES}/pos/pictures.py:_links": f"{MAX_ITEMS} items of earlier syncs, and {MAX_FEED_ROWS} rows",
    f"{SERVICES}/publishing/composition.py:ensure_publishable": "the different locales of a workspace's locations",
    f"{SERVICES}/publishing/composition.py:__init__ #1": f"the locations of {MAX_COMPOSED_AT_ONCE} boards",
    f"{SERVICES}/publishing/composition.py:__init__ #2": f"{MAX_STORED_VERSIONS} versions of each of their playlists",
    f"{SERVICES}/publishing/live_overrides.py:live_overrides": f"{MAX_OVERRIDES} overrides of a workspace",
    f"{SERVICES}/publishing/live_overrides.py:announce": ALL_SCREENS,
    f"{SERVICES}/publishing/live_overrides.py:_screens": f"those at the locations of {MAX_COMPOSED_AT_ONCE} boards",
    f"{SERVICES}/publishing/manifests.py:_revisions": f"the locations of {MAX_COMPOSED_AT_ONCE} boards",
    f"{SERVICES}/publishing/menu_items.py:selected_items": "the categories and items that scenes select, by an index",
    f"{SERVICES}/publishing/overrides.py:_shown_to": "the screens at the locations of a narrowed key",
    f"{SERVICES}/publishing/planned_changes.py:_planned_then": f"{MAX_PLANNED_CHANGES} planned changes of a workspace",
    f"{SERVICES}/publishing/planned_changes.py:_take_back #1": f"{MAX_OVERRIDES} overrides of a workspace",
    f"{SERVICES}/publishing/planned_changes.py:_take_back #2": f"{MAX_PLANNED_VALUES} values of one planned change",
    f"{SERVICES}/publishing/planned_changes.py:prune": "planned changes that were done long ago, since the last time",
    f"{SERVICES}/imports/imports.py:__init__": f"{MAX_ITEMS} items of a workspace, for one import",
    f"{SERVICES}/imports/imports.py:export": f"{MAX_ITEMS} items of a workspace",
    f"{SERVICES}/places/planned_effects.py:_open_plans": f"{MAX_PLANNED_CHANGES} planned changes of each workspace",
    f"{SERVICES}/places/planned_effects.py:_store": f"{MAX_PLANNED_VALUES} values of one planned change",
    f"{SERVICES}/places/planned_effects.py:_waiting": f"{MAX_PLANNED_VALUES} values of each planned change",
    f"{SERVICES}/publishing/overrides.py:prune": "overrides that ended 30 days ago, since the last time",
    f"{SERVICES}/publishing/playlists.py:release": "the version that is too old by the new one",
    f"{SERVICES}/publishing/playlists.py:entries_of": "the entries of one playlist",
    f"{SERVICES}/publishing/versions.py:snapshot": "the scenes of one playlist",
    f"{SERVICES}/shared/attempt_limits.py:check_attempts": "failed attempts of one caller, until the limit",
    f"{SERVICES}/shared/lookup.py:find_many": BATCH,
    f"{SERVICES}/webhooks/deliveries.py:prune": "a limit in the statement",
    f"{SERVICES}/webhooks/deliveries.py:_upcoming": f"{MAX_WEBHOOKS} endpoints of each workspace, two instants of each",
    f"{SERVICES}/webhooks/outbox.py:emit_all": f"{MAX_WEBHOOKS} endpoints of a workspace",
    f"{SERVICES}/webhooks/sealed_secrets.py:seal_stored #1": f"{MAX_WEBHOOKS} endpoints of each workspace, at a start",
    f"{SERVICES}/webhooks/sealed_secrets.py:seal_stored #2": f"{MAX_WEBHOOKS} endpoints of each workspace, at a start",
    f"{SERVICES}/webhooks/webhooks.py:_events_of": PAGE,
    f"{SERVICES}/webhooks/webhooks.py:_attempts_of": PAGE,
    "service/cli/transfer.py:_move_assets": "one digest of each asset, by the command line",
    "service/storage/copying.py:_copy": "streamed: migrate-to copies all",
    "service/storage/history.py:changes_after": "the changes by one import, and those since of the items of one batch",
    "service/storage/history.py:_leaving": "what the database deletes with the rows of a unit of work, in batches",
    "service/storage/history.py:_rows #1": "the items of a workspace, for one picture",
    "service/storage/history.py:_rows #2": "the changes of 400 days, for one picture",
}

READS = {"scalars", "execute", "query", "stream_scalars"}


def reads() -> Iterator[str]:
    """The module and function of each read of several rows in the service's source."""
    for path in sorted((ROOT / "service").rglob("*.py")):
        if "migrations" in path.parts:
            continue
        found = Counter[str]()
        places = list(_reads_in(ast.parse(path.read_text(encoding="utf-8")), ""))
        for function in places:
            found[function] += 1
            number = f" #{found[function]}" if places.count(function) > 1 else ""
            yield f"{path.relative_to(ROOT)}:{function}{number}"


def _reads_in(node: ast.AST, function: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        inner = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else function
        if isinstance(child, ast.Call) and _reads_rows(child):
            yield inner
        yield from _reads_in(child, inner)


def _reads_rows(call: ast.Call) -> bool:
    """Whether the call may read rows without a limit of its own; parameters of its own are those of a write."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in READS or len(call.args) != 1:
        return False
    statement = ast.unparse(call.args[0])
    if isinstance(call.args[0], ast.Constant | ast.JoinedStr):
        return " FROM " in statement and "DELETE" not in statement
    writes = statement.startswith(("delete(", "update(", "text(")) or ".insert()" in statement
    return not writes and ".limit(" not in statement


def test_each_read_of_several_rows_has_its_bound() -> None:
    found = set(reads())
    assert found - BOUNDS.keys() == set(), "say in BOUNDS what bounds these reads, or give them a limit"
    assert BOUNDS.keys() - found == set(), "these reads are gone"


def test_a_read_of_a_whole_table_is_found() -> None:
    source = "def every(session):\n    return list(session.scalars(select(ItemRow)))"
    assert list(_reads_in(ast.parse(source), "")) == ["every"]
    assert list(_reads_in(ast.parse(source.replace("ItemRow)", "ItemRow).limit(9)")), "")) == []


def test_rows_are_never_loaded_by_an_attribute() -> None:
    """A relationship would read a table where no statement is written."""
    assert [mapper.class_.__name__ for mapper in Base.registry.mappers if mapper.relationships] == []
