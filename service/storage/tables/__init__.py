"""Database tables. A row is a record, without behaviour; `migrations` creates the same tables step by step."""

# Whoever reads one of them has them all: they refer to each other by name.
from service.storage.tables import alerts, menus, overrides, people, planned, screens, webhooks, workspaces

__all__ = ["alerts", "menus", "overrides", "people", "planned", "screens", "webhooks", "workspaces"]
