"""Joins the sheets of a till's workbook: Clover has the categories and the modifiers of its items on sheets of their
own, which name the items."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from service.services.imports.headings import plain
from service.services.imports.workbooks import Sheet

_GROUP, _MODIFIER, _GROUPS = "modifiergroupname", "modifier", "modifiergroups"
_CATEGORY = "categoryname"


def joined(sheets: Sequence[Sheet]) -> list[Sheet]:
    """Merges sheets that only add to the items of another one into that one, as columns."""
    groups: dict[str, str] = {}
    categories: dict[str, str] = {}
    others: list[Sheet] = []
    for sheet in sheets:
        headings = [plain(cell) for cell in sheet.rows[0]] if sheet.rows else []
        if {_GROUP, _MODIFIER, "price"} <= set(headings):
            groups |= _modifiers(sheet, headings)
        elif headings[:1] == [_CATEGORY]:
            categories |= _categories(sheet)
        else:
            others.append(sheet)
    return [_with(sheet, groups, categories) for sheet in others] if others else list(sheets)


def _modifiers(sheet: Sheet, headings: Sequence[str]) -> dict[str, str]:
    """Returns the modifiers of each group, as a cell of a menu has them; a row without a group belongs to the one
    above."""
    group, modifier, price = (headings.index(name) for name in (_GROUP, _MODIFIER, "price"))
    found: dict[str, list[str]] = {}
    name = ""
    for row in sheet.rows[1:]:
        cells = [*row, *[""] * len(headings)]
        name = cells[group] or name
        if name and cells[modifier]:
            found.setdefault(name, []).append(f"{cells[modifier]} = {cells[price] or 0}")
    return {name: " | ".join(parts) for name, parts in found.items()}


def _categories(sheet: Sheet) -> dict[str, str]:
    """Returns the category of each item: a column has a category at its head, and its items below."""
    heads = sheet.rows[0]
    return {
        cell: heads[at]
        for row in reversed(sheet.rows[1:])
        for at, cell in enumerate(row)
        if 0 < at < len(heads) and cell and heads[at]
    }


def _with(sheet: Sheet, groups: Mapping[str, str], categories: Mapping[str, str]) -> Sheet:
    """Adds the modifiers and the categories to the sheet if it is that of items."""
    headings = [plain(cell) for cell in sheet.rows[0]]
    if "name" not in headings or not (groups or categories):
        return sheet
    name = headings.index("name")
    place = headings.index(_GROUPS) if _GROUPS in headings else None
    adds = bool(categories) and "category" not in headings
    rows = [[*sheet.rows[0], *(["Category"] if adds else [])]]
    for row in sheet.rows[1:]:
        cells = [*row, *[""] * (len(headings) - len(row))] if row else []
        if cells and place is not None:
            # A group that no sheet describes has no modifier.
            cells[place] = " | ".join(groups[one] for one in map(str.strip, cells[place].split(",")) if one in groups)
        rows.append([*cells, *([categories.get(cells[name], "")] if adds else [])] if cells else [])
    return replace(sheet, rows=rows)
