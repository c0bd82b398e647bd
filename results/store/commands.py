"""Commands that were taken up from the inbox, so that none takes effect twice."""

from typing import Any

from sqlalchemy import select

from results.base.advice import Advice, unpacked
from results.records import CommandOutcome, CommandRecord
from results.store.database import Part
from results.store.tables import TABLES
from results.store.tables.rows import add_row

_command = TABLES["command"]

MOST_WORDS = 2_000
"""Longest text of an outcome, in characters."""


class Commands(Part):
    """Commands that were taken up."""

    def find(self, uuid: str) -> CommandRecord | None:
        """Return the record of a command; None if it has not been taken up."""
        with self._database.reading() as connection:
            row = connection.execute(select(_command).where(_command.c.uuid == uuid)).first()
            return None if row is None else _record(row)

    def newest(self, most: int) -> list[CommandRecord]:
        """Return the commands that were taken up last, the newest first."""
        with self._database.reading() as connection:
            rows = connection.execute(select(_command).order_by(_command.c.id.desc()).limit(most))
            return [_record(row) for row in rows]

    def add(
        self,
        uuid: str,
        kind: str,
        by: str,
        submitted_at: str,
        outcome: CommandOutcome,
        words: str,
        advice: object = "",
    ) -> CommandRecord:
        """Record that a command was taken up now; in one transaction with its effect (`Store.together`)."""
        with self._database.changing() as connection:
            row = add_row(
                connection,
                _command,
                uuid=uuid,
                kind=kind,
                submitted_by=by,
                submitted_at=submitted_at,
                taken_at=self._database.now(),
                outcome=outcome,
                words=words[:MOST_WORDS],
                hint=Advice(advice).packed(),
            )
            return _record(row)


def _record(row: Any) -> CommandRecord:
    return CommandRecord(
        row.uuid,
        row.kind,
        row.submitted_by,
        row.submitted_at,
        row.taken_at,
        row.outcome,
        row.words,
        unpacked(row.hint),
    )
