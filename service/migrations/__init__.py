"""Migrations of the database, one file a step. Only Alembic imports them."""
