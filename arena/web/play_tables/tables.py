"""All tables of a server: opens and notes them, within limits, listens to their processes, ends what lasts too long."""

import logging
import os
import secrets
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import structs

from arena.web.play_tables.process_messages import FromTable, Setup, Stored
from arena.web.play_tables.table import Owner, Table
from arena.web.site_file import pending_commands
from arena.web.site_file.pending_commands import NotedTable
from arena.web.site_file.site_database import SiteFile, SiteFileError, Transaction
from results.base.children import Child, Failed, Unreadable, module
from results.base.clock import utc_now
from results.base.isolation_levels import Wanted

_log = logging.getLogger("arena.web")
_LOOK_S = 1.0
_GRACE_S = 120.0
"""How long the bots may take to finish a game whose time is over."""
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


OF_MEMBERS = 8
"""Tables of all people with an account."""


@dataclass(frozen=True, slots=True)
class TableLimits:
    """What people may use of the machine."""

    at_once: int = OF_MEMBERS
    """Tables of everybody."""
    of_one: int = 2
    """Tables of one person."""
    of_guests: int = 0
    """Tables of all people without an account; 0: they can't play."""
    an_hour: int = 40
    """Tables that one person, or all guests together, may open in an hour."""
    idle_s: float = 600.0
    """Without any sign of the person's browser for so long, the seat forfeits."""
    total_s: float = 4 * 3600.0
    """Then the seat forfeits."""
    memory_bytes: int = 1_073_741_824
    """Of a table's process, without its bots, which have limits of their own."""
    kept_s: float = 3600.0
    """How long a table that is over can be looked at."""
    sandbox: Wanted | None = None
    """How the bots are confined; None: those that come with Arena as well as this machine can, others not without a
    sandbox."""


class TooManyTables(Exception):
    """No table is free; the message tells the person."""


@dataclass(slots=True)
class _Process:
    """The process of a table."""

    child: Child[FromTable]
    stopped_s: float | None = None
    """When it was told to stop."""
    why: str = ""
    """Why it was told to."""


@dataclass(slots=True)
class Tables:
    """The tables. Safe to use from several threads."""

    store: Path
    file: SiteFile
    """Tables are noted there, where a restarted server finds them."""
    limits: TableLimits = field(default_factory=TableLimits)
    program: Sequence[str] = field(default_factory=lambda: module("arena.web.play_tables.table_process"))
    """What a table's process runs."""
    _tables: dict[str, Table] = field(default_factory=dict)
    _processes: dict[str, _Process] = field(default_factory=dict)
    _starts: dict[str, deque[float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _keeper: threading.Thread | None = None
    _closing: threading.Event = field(default_factory=threading.Event)

    def open(self, owner: Owner, setup: Setup, form: str = "") -> Table:
        """Open a table and start its process; if this form of the owner has opened one that plays so, return that.

        Raises TooManyTables.
        """
        limits, path = self.limits, str(self.store.absolute())
        sandbox = limits.sandbox or ("auto" if setup.all_with_arena else "require")
        setup = structs.replace(setup, store=path, total_s=limits.total_s, sandbox=sandbox)
        with self._lock:
            for table in self._tables.values():
                is_same = (table.setup.game, table.setup.bots) == (setup.game, setup.bots) and table.is_live
                if form and table.form == form and table.owner.key == owner.key and is_same:
                    return table
            self._check(owner)
            table = Table(secrets.token_urlsafe(12), owner, setup, utc_now(), form)
            self._tables[table.id] = table
            if self._keeper is None:
                self._keeper = threading.Thread(target=self._keep, name="tables", daemon=True)
                self._keeper.start()
        try:
            self._note(
                lambda db: pending_commands.table_opened(
                    db, NotedTable(table.id, owner.key, setup.game, setup.command, table.started_at, None, "")
                )
            )
            self._start(table)
        except BaseException:
            table.gone("The table could not be opened.")
            with self._lock:
                del self._tables[table.id]
            raise
        return table

    def find(self, number: str) -> Table | None:
        """Return a table by its id; None if it is unknown, or forgotten."""
        return self._tables.get(number)

    def noted(self, number: str) -> NotedTable | None:
        """Return what is noted of a table of this server or an earlier one; None if it isn't known."""
        if not self.file.exists:
            return None
        with self.file.reading() as db:
            return pending_commands.find_table(db, number)

    def all(self) -> Collection[Table]:
        """Return all tables, the newest first."""
        with self._lock:
            return list(reversed(self._tables.values()))

    def close(self) -> None:
        """Give all games up, without storing them, and wait for the processes."""
        self._closing.set()
        for table in self.all():
            self._stop(table, "The server was stopped.")
        until_s = time.monotonic() + 5
        for process in list(self._processes.values()):
            process.child.end(max(0.1, until_s - time.monotonic()))

    def _check(self, owner: Owner) -> None:
        """Raise TooManyTables unless this person may open one more."""
        limits, now_s = self.limits, time.monotonic()
        if owner.is_guest and not limits.of_guests:
            raise TooManyTables("Sign in to play.")
        live = [table for table in self._tables.values() if table.is_live]
        if sum(table.owner.key == owner.key for table in live) >= limits.of_one:
            raise TooManyTables(
                f"You are at {limits.of_one} tables already, listed above. Finish a game or resign."
            )
        if len(live) >= limits.at_once or (
            owner.is_guest and sum(table.owner.is_guest for table in live) >= limits.of_guests
        ):
            raise TooManyTables(
                "All tables are taken. A table is free again when its game is over, or "
                f"{limits.idle_s / 60:g} minutes after its player has closed the page. Try again then."
            )
        starts = self._starts.setdefault("guests" if owner.is_guest else owner.key, deque())
        while starts and now_s - starts[0] > 3600:
            starts.popleft()
        if len(starts) >= limits.an_hour:
            raise TooManyTables(f"You can start at most {limits.an_hour} games an hour. Try again later.")
        starts.append(now_s)

    def _start(self, table: Table) -> None:
        child: Child[FromTable] = Child(self.program, FromTable, stderr=subprocess.DEVNULL)
        self._processes[table.id] = process = _Process(child)
        with table.lock:
            table.pipe = child
            child.send(table.setup)
        threading.Thread(target=self._listen, args=(table, process), daemon=True).start()

    def _listen(self, table: Table, process: _Process) -> None:
        child = process.child
        try:
            while (message := child.receive()) is not None:
                if isinstance(message, Failed) and message.trace:
                    _log.error("table %s: %s\n%s", table.id, message.why, message.trace)
                table.heard(message)
                if isinstance(message, Stored):
                    self._note_end(table)
        except Unreadable as error:
            _log.error("table %s: %s", table.id, error)
            child.kill()
        code = child.process.wait()
        self._processes.pop(table.id, None)
        table.gone(process.why or f"The table's process has ended (exit code {code}).")
        child.close_reading()
        self._note_end(table)

    def _note_end(self, table: Table) -> None:
        if not self._closing.is_set():
            now = self.file.now()
            self._note(lambda db: pending_commands.table_ended(db, table.id, table.failed, now))

    def _note(self, note: Callable[[Transaction], None]) -> None:
        """Write to the site's file, if it can be written to."""
        try:
            with self.file.writing() as db:
                note(db)
        except SiteFileError as error:
            _log.warning("a table can't be noted: %s", error)

    def _stop(self, table: Table, why: str) -> None:
        process = self._processes.get(table.id)
        if process is not None and process.stopped_s is None:
            process.stopped_s, process.why = time.monotonic(), why
            table.stop()

    def _keep(self) -> None:
        """Look after the tables until the server stops."""
        while not self._closing.wait(_LOOK_S):
            for table in self.all():
                self._look_after(table)

    def _look_after(self, table: Table) -> None:
        limits, now_s = self.limits, time.monotonic()
        if table.ended_s is not None:
            if now_s - table.ended_s > limits.kept_s:
                with self._lock:
                    self._tables.pop(table.id, None)
            return
        process = self._processes.get(table.id)
        if process is None:
            return
        if process.stopped_s is not None:
            if now_s - process.stopped_s > 10:
                process.child.kill()
        elif now_s - table.begun_s > limits.total_s + _GRACE_S:
            self._stop(table, "The game took too long.")
        elif _memory_bytes(process.child.process.pid) > limits.memory_bytes:
            self._stop(table, "The table needed too much memory.")
        elif now_s - table.seen_s > limits.idle_s:
            table.leave("left the table")


def _memory_bytes(pid: int) -> int:
    """Return the memory of a process; 0 if that is unknown here."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE_BYTES
    return 0
