"""Has the commands of accounts carried out, each exactly once, and describes them for people.

A command is written to the site's file before anything else happens, with the id of the form it came from. From there
it is delivered again and again until the ledger, which takes each id once, has an answer.
"""

import logging
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from arena.core.errors import ArenaError
from arena.league.changes.base import Change
from arena.league.inbox.dispatch import CHANGES, KINDS, WAIT_S, CommandRefused, deliver_once
from arena.league.inbox.files import Command
from arena.web.site_file import audit, pending_commands
from arena.web.site_file.audit import AuditLine
from arena.web.site_file.pending_commands import SiteCommand
from arena.web.site_file.site_database import SiteFile, Transaction

AGAIN_S = 1.0
"""How often to deliver what has no answer yet."""
_log = logging.getLogger(__name__)


class FormReused(Exception):
    """A form was sent a second time with other contents."""


class Deliveries:
    """The commands of a site. May be used from several threads."""

    def __init__(self, store: Path, file: SiteFile) -> None:
        """`store`: the path of the store."""
        self._store = store
        self._file = file
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._told = ""

    def give(self, account: str, uuid: str, change: Change, address: str = "") -> SiteCommand:
        """Write a command down and deliver it; return it with its answer, if there is one within two seconds.

        `uuid`: of the form. A second call with the same id has no effect. Raises FormReused if it asks for something
        else, and SiteFileError; then nothing was written down.
        """
        data = msgspec.json.decode(msgspec.json.encode(change))
        now = self._file.now()
        with self._file.writing() as db:
            if pending_commands.add(db, uuid, account, change.kind, data, now):
                what = f"asked for: {change.kind} {_summary(data)} ({uuid})"
                audit.note(db, now, account, what, address, uuid)
            found = pending_commands.find(db, uuid)
        if found is None or (found.account, found.kind, found.data) != (account, change.kind, data):
            raise FormReused
        return self.delivered(found)

    def delivered(self, command: SiteCommand, wait_s: float = WAIT_S) -> SiteCommand:
        """Deliver a command unless it has an answer; return it as it is afterwards. Raises SiteFileError."""
        if command.state != "waiting":
            return command
        given = Command(command.uuid, command.kind, command.data, command.account, command.created_at)
        state: pending_commands.State = "done"
        advice: object = ""
        try:
            words = deliver_once(self._store, given, wait_s=wait_s)
        except CommandRefused as refused:
            state, words, advice = "refused", str(refused), refused.advice
        except (ArenaError, OSError) as error:  # of the machine: it is tried again
            self._tell(f"commands wait: {error}")
            return command
        if not words:
            return command
        with self._file.writing() as db:
            pending_commands.answered(db, command.uuid, state, words, self._file.now(), advice)
            return pending_commands.find(db, command.uuid) or command

    def deliver_waiting(self) -> int:
        """Deliver all commands without an answer, the oldest first; return how many still have none."""
        if not self._file.exists:
            return 0
        with self._file.reading() as db:
            waiting = pending_commands.waiting(db)
        return sum(self.delivered(command, 0.0).state == "waiting" for command in waiting)

    def begin(self) -> None:
        """Deliver what a server before this one has left, and go on delivering in a thread."""
        self._thread = threading.Thread(target=self._go_on, name="deliveries", daemon=True)
        self._thread.start()

    def _go_on(self) -> None:
        while True:
            try:
                self.deliver_waiting()
            except Exception as error:  # noqa: BLE001 - whatever it is, the next attempt may succeed
                self._tell(f"commands wait: {error}")
            if self._over.wait(AGAIN_S):
                return

    def _tell(self, words: str) -> None:
        """Log a line, unless it was the last one too."""
        if words != self._told:
            self._told = words
            _log.warning("%s", words)

    def close(self) -> None:
        """Stop delivering; the next server goes on."""
        self._over.set()
        if self._thread is not None:
            self._thread.join(timeout=5.0)


def _summary(data: object) -> str:
    """Return the details of a command as the audit log has them."""
    text = msgspec.json.encode(data).decode()
    return text if len(text) <= 300 else f"{text[:300]}…"


MOST_DETAILS = 200
MOST_CHARS = 300


@dataclass(frozen=True, slots=True)
class CommandWords:
    """A command, for people."""

    what: str
    """Such as `pause a bot`."""
    about: str
    """The league, bot or account that it is about; may be empty."""
    league: str
    """The league to go on to, once the command is done: the new one if it made one. Empty if there is none."""
    details: tuple[tuple[str, str], ...]
    """What else was asked for: key and value."""


def describe(command: SiteCommand) -> CommandWords:
    """Return a command in words."""
    data, kind = command.data, command.kind
    file = data.get("file")
    made = file.get("name") if isinstance(file, Mapping) else None
    league = _text(data.get("league") or made)
    bot = _text(data.get("entry") or data.get("bot") or data.get("name") if kind != "rename" else None)
    about = ": ".join(filter(None, (league, bot if kind != "clone" else "")))
    goes_on = league
    if command.state == "done" and kind in ("clone", "rename"):
        goes_on = _text(data.get("name"))
    elif kind == "delete" or (kind == "create" and command.state != "done"):
        goes_on = ""
    what = KINDS[kind].words if kind in KINDS else kind
    if kind in CHANGES and not data.get("entry"):
        what = CHANGES[kind].words_of_league or what
    details = tuple(pair for _, pair in zip(range(MOST_DETAILS), _details(data), strict=False))
    return CommandWords(what, about, goes_on, details)


@dataclass(frozen=True, slots=True)
class LineWords:
    """A line of the audit log with what is known of the command in it."""

    line: AuditLine
    what: str
    about: str = ""
    command: SiteCommand | None = None
    details: tuple[tuple[str, str], ...] = ()


def describe_line(db: Transaction, line: AuditLine) -> LineWords:
    """Return a line of the audit log: a command in words, with what came of it, everything else as it is."""
    command = pending_commands.find(db, line.command) if line.command else None
    if command is None:
        return LineWords(line, line.what)
    said = describe(command)
    return LineWords(line, said.what, said.about, command, said.details)


def _text(value: object) -> str:
    return value[:MOST_CHARS] if isinstance(value, str) else ""


def _details(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield the keys of the data, such as `file.clock.move_ms`, with their values. Empty ones are left out."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _details(inner, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list) and any(isinstance(one, (Mapping, list)) for one in value):
        for number, inner in enumerate(value):
            yield from _details(inner, f"{key}.{number}")
    elif value not in (None, "", []):
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        text = text.lower() if isinstance(value, bool) else text
        yield key, text[:MOST_CHARS] + ("…" if len(text) > MOST_CHARS else "")
