"""Manages settings of categories: notes, pictures and colours of the headings of menus."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from menu.documents.manifest_reader import MAX_CATEGORIES
from service.core.errors import Fault, invalid, pointer_part
from service.schema.content.category import CategoriesPatch, CategoriesResponse
from service.services.assets.assets import image_faults
from service.services.content.catalogue import catalogue_changed
from service.services.content.words import words_row
from service.services.shared.etags import ALWAYS, Condition
from service.storage.database import Database
from service.storage.tables.menus import ItemRow, WordsRow


class CategoryService:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    def get(self, workspace: str) -> CategoriesResponse:
        with self._database.read() as session:
            return _view(categories_of(words_row(session, workspace)))

    def names(self, workspace: str) -> list[str]:
        """Returns the categories that items have, by name; at most MAX_CATEGORIES."""
        named = select(ItemRow.category).where(ItemRow.workspace_id == workspace).distinct()
        with self._database.read() as session:
            return list(session.scalars(named.order_by(ItemRow.category).limit(MAX_CATEGORIES)))

    def change(self, workspace: str, body: CategoriesPatch, expected: Condition = ALWAYS) -> CategoriesResponse:
        """Sets, replaces and removes settings; screens follow at once. Raises the 412 and 422 problems."""
        given = {
            name: one and {key: value for key, value in one.items() if value is not None}
            for name, one in body.document().get("categories", {}).items()
        }
        with self._database.write() as unit:
            row = words_row(unit.session, workspace)
            expected.check(_view(categories_of(row)))
            _check_images(unit.session, workspace, given)
            if row is None:
                row = WordsRow(workspace_id=workspace, words={}, categories={}, changed_at=unit.now)
                unit.session.add(row)
            changed = {**row.categories, **given}
            kept = {name: one for name, one in changed.items() if one}
            if len(kept) > MAX_CATEGORIES:
                detail = f"A workspace has settings of at most {MAX_CATEGORIES} categories."
                raise invalid([Fault("too_long", detail, "/categories")])
            if kept != row.categories:
                row.categories, row.changed_at = kept, unit.now
                catalogue_changed(unit, workspace)
            return _view(kept)


def categories_of(row: WordsRow | None) -> Mapping[str, Mapping[str, str]]:
    """Returns the settings of a workspace's categories, by name."""
    return {} if row is None else row.categories


def _check_images(session: Session, workspace: str, given: Mapping[str, Any]) -> None:
    faults = [
        fault
        for name, one in given.items()
        if one
        for fault in image_faults(session, workspace, one.get("image"), f"/categories/{pointer_part(name)}")
    ]
    if faults:
        raise invalid(faults)


def _view(categories: Mapping[str, Any]) -> CategoriesResponse:
    return CategoriesResponse.model_validate({"categories": categories})
