"""Manages the words that items and scenes share, with their translations: categories, variants, options, tags and
texts."""

from sqlalchemy.orm import Session

from menu.documents.manifest_reader import MAX_WORDS
from service.core.errors import Fault, invalid
from service.schema.content.translation import WordsPatch, WordsResponse
from service.services.content.catalogue import catalogue_changed
from service.services.shared.etags import ALWAYS, Condition
from service.storage.database import Database
from service.storage.tables.menus import WordsRow


class WordService:
    def __init__(self, *, database: Database) -> None:
        self._database = database

    def get(self, workspace: str) -> WordsResponse:
        with self._database.read() as session:
            return _view(words_row(session, workspace))

    def change(self, workspace: str, body: WordsPatch, expected: Condition = ALWAYS) -> WordsResponse:
        """Adds, replaces and removes words; screens follow at once. Raises the 412 and 422 problems."""
        with self._database.write() as unit:
            row = words_row(unit.session, workspace)
            expected.check(_view(row))
            if row is None:
                row = WordsRow(workspace_id=workspace, words={}, categories={}, changed_at=unit.now)
                unit.session.add(row)
            changed = {**row.words, **body.given().get("words", {})}
            words = {word: translations for word, translations in changed.items() if translations is not None}
            if len(words) > MAX_WORDS:
                raise invalid([Fault("too_long", f"A workspace has at most {MAX_WORDS} words.", "/words")])
            if words != row.words:
                row.words, row.changed_at = words, unit.now
                catalogue_changed(unit, workspace)
            return _view(row)


def words_row(session: Session, workspace: str) -> WordsRow | None:
    """Returns the words of a workspace; None before there are any."""
    return session.get(WordsRow, workspace)


def _view(row: WordsRow | None) -> WordsResponse:
    return WordsResponse(words={} if row is None else row.words)
