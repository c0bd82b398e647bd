"""Notes tables in the site's file."""

import logging
from dataclasses import dataclass

from arena.web.seats.table import Table
from arena.web.site_file import commands
from arena.web.site_file.commands import NotedTable
from arena.web.site_file.file import SiteFile, SiteFileError

_log = logging.getLogger("arena.web")


@dataclass(frozen=True, slots=True)
class Notes:
    """A `Notebook`. Without the file, games are played all the same."""

    file: SiteFile

    def opened(self, table: Table) -> None:
        """Note a table before its process starts."""
        setup = table.setup
        noted = NotedTable(table.id, table.owner.key, setup.game, setup.command, table.started_at, None, "")
        try:
            with self.file.writing() as db:
                commands.table_opened(db, noted)
        except SiteFileError as error:
            _log.warning("table %s can't be noted: %s", table.id, error)

    def ended(self, table: Table) -> None:
        """Note how it ended."""
        try:
            with self.file.writing() as db:
                commands.table_ended(db, table.id, table.failed, self.file.now())
        except SiteFileError as error:
            _log.warning("table %s can't be noted: %s", table.id, error)

    def find(self, number: str) -> NotedTable | None:
        """Return a table of this server or an earlier one; None if it isn't known."""
        if not self.file.exists:
            return None
        with self.file.reading() as db:
            return commands.find_table(db, number)
