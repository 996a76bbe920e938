"""Which tests `make check` runs for which changes."""

from __future__ import annotations

import pytest

from tests.changed import ALWAYS, MOST_FILES, SLOW, databases, dependent_tests, importers, is_test, nearest, select

GRAPH = {
    "player/a.py": {"player/b.py", "tests/player/test_a.py"},
    "player/b.py": {"player/c.py", "tests/player/test_b.py"},
    "player/c.py": {"tests/player/test_c.py"},
    "tests/support/d.py": {"tests/player/test_a.py"},
}


def test_tests_are_found_by_what_they_import_in_so_many_steps() -> None:
    assert dependent_tests("player/a.py", GRAPH, steps=1) == {"tests/player/test_a.py"}
    assert dependent_tests("player/a.py", GRAPH, steps=2) == {"tests/player/test_a.py", "tests/player/test_b.py"}
    assert dependent_tests("docs/a.md", GRAPH, steps=2) == set()


NEAREST = {
    "menu/text/price.py": "tests/menu/text/test_price.py",
    "player/settings.py": "tests/player/test_settings.py",
    "player/display/widgets/Menu.qml": "tests/player/display/widgets/test_menu.py",
    "service/services/content/items.py": "tests/service/content/test_items.py",
    "service/schema/content/item.py": "tests/service/storage/test_crash.py",
    "service/migrations/env.py": "tests/service/storage/test_migrations.py",
    "systemd/menu-player.service": "tests/packaging/test_units.py",
    "tests/support/films.py": "tests/e2e/test_deadly_video.py",
    "tests/menu/text/test_price.py": "tests/menu/text/test_price.py",
}


@pytest.mark.long
def test_this_repositorys_changes_run_their_tests() -> None:
    # One test: each process that takes a part of it would read all imports.
    graph = importers()
    for file, expected in NEAREST.items():
        assert expected in nearest(file, graph), file

    # One module: its tests, and those of its users.
    tests, whole = select(["player/device/health.py"], graph)
    assert whole
    assert {"tests/player/device/test_device.py", "tests/player/runtime/test_app.py"} <= set(tests)
    assert "tests/test_import_rules.py" in tests

    # What concerns everything: the nearest, and it is said.
    changed = "service/services/access/keys.py"
    tests, whole = select([changed, "tests/service/support/application.py"], graph)
    assert not whole
    assert "tests/service/access/test_keys.py" in tests
    assert len(select([changed], graph)[0]) <= MOST_FILES


def test_slow_tests_run_only_if_they_changed() -> None:
    slow = "tests/service/api/test_contract.py"
    graph = {"service/api/content/items.py": {slow, "tests/service/content/test_items.py"}}
    assert slow.startswith(SLOW)
    assert slow not in select(list(graph), graph)[0]
    assert slow in select([slow], graph)[0]


def test_a_file_that_was_deleted_has_no_tests() -> None:
    tests, whole = select(["tests/player/test_gone.py", "player/gone/gone.py"], {})

    assert (set(tests) <= set(ALWAYS), whole) == (True, True)
    assert not any(map(is_test, ("player/test_rig.py", "tests/support/test_data.json")))


def test_a_change_of_storage_runs_on_both_databases_and_any_other_on_one() -> None:
    assert databases(["service/storage/database.py", "docs/service.md"]) == ()
    assert databases(["service/services/content/items.py"]) == ("-k", "not postgres")
