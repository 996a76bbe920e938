"""The database's history, one file a step; nothing imports this package but Alembic."""
