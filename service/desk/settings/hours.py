"""Opening hours in a form: a row of fields for each period of the API."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from menu.documents.manifest import MAX_OPENING_HOURS
from service.core.errors import malformed
from service.desk.forms import Form, listed
from service.desk.schedules import DAYS, END_OF_DAY, MIDNIGHT

BLANK_ROWS = 2
"""Empty rows of the form, for more hours."""


@dataclass(frozen=True, slots=True)
class HoursRow:
    """A row of the form. Without days it applies every day."""

    days: Sequence[str] = DAYS
    start: str = ""
    end: str = ""
    except_: str = ""

    @property
    def is_blank(self) -> bool:
        return not self.start and not self.end


def hours_in(form: Form) -> list[dict[str, Any]]:
    """Parses the hours of a form for the API: from its rows, or from one field in JSON, as an undo sends them."""
    if "hours" in form:
        try:
            written = json.loads(form["hours"])
        except ValueError:
            raise malformed("The opening hours cannot be read.") from None
        return list(written) if isinstance(written, list) else []
    return [_document(row) for row in _rows(form) if not row.is_blank]


def form_rows(hours: Sequence[Mapping[str, Any]]) -> list[HoursRow]:
    """Returns the rows of the form for stored hours, and blank ones."""
    rows = [
        HoursRow(
            days=one.get("days") or DAYS,
            start=one["start"],
            # The fields of browsers for times end at 23:59.
            end=MIDNIGHT if one["end"] == END_OF_DAY else one["end"],
            except_=", ".join(one.get("except") or ()),
        )
        for one in hours
    ]
    return [*rows, *([HoursRow()] * min(BLANK_ROWS, MAX_OPENING_HOURS - len(rows)))]


def typed_rows(form: Form) -> list[HoursRow]:
    """Returns the rows of a form that is shown again."""
    return list(_rows(form)) or [HoursRow()]


def packed_hours(hours: Sequence[Mapping[str, Any]]) -> str:
    """Encodes stored hours as one field, for an undo."""
    return json.dumps(list(hours), separators=(",", ":"))


def _rows(form: Form) -> list[HoursRow]:
    return [
        HoursRow(
            days=[day for day in DAYS if f"hours.{number}.{day}" in form],
            start=form[f"hours.{number}.start"],
            end=form.get(f"hours.{number}.end", ""),
            except_=form.get(f"hours.{number}.except", ""),
        )
        for number in range(MAX_OPENING_HOURS)
        if f"hours.{number}.start" in form and f"hours.{number}.remove" not in form
    ]


def _document(row: HoursRow) -> dict[str, Any]:
    every_day = len(row.days) in (0, len(DAYS))
    return {
        "days": None if every_day else list(row.days),
        "except": listed(row.except_) or None,
        "start": row.start,
        "end": END_OF_DAY if row.end == MIDNIGHT else row.end,
    }
