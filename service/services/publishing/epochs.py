"""The epoch of an installation: players believe that revisions never go back within one (docs/adr/0089).

A random id, made with the database. It moves with a copy of the database that takes its place, and ends when an older
state of the database comes back.
"""

from sqlalchemy.orm import Session

from service.core.ids import NewId
from service.storage.database import Database
from service.storage.tables import EPOCH_NAME, FactRow


def begin_epoch(database: Database, *, new_id: NewId, anew: bool = False) -> str:
    """The epoch, made if there is none, or `anew`."""
    with database.write() as unit:
        row = unit.session.get(FactRow, EPOCH_NAME)
        if row is None:
            row = FactRow(name=EPOCH_NAME, value=new_id("epoch"))
            unit.session.add(row)
        elif anew:
            row.value = new_id("epoch")
        return row.value


def epoch_of(session: Session) -> str:
    """The epoch of the installation."""
    return session.get_one(FactRow, EPOCH_NAME).value
