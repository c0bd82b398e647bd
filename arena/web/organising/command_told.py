"""What somebody asked for on the site, in words: what, about which league and bot, and the details."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena.league.inbox.delivery import CHANGES, KINDS
from arena.web.site_file import commands
from arena.web.site_file.audit import AuditLine
from arena.web.site_file.commands import SiteCommand
from arena.web.site_file.file import Transaction

MOST_DETAILS = 200
MOST_CHARS = 300


@dataclass(frozen=True, slots=True)
class CommandTold:
    """A command, for people."""

    what: str
    """Such as `pause a bot`."""
    about: str
    """The league, bot or account that it is about; may be empty."""
    league: str
    """The league to go on to, once the command is done: the new one if it made one. Empty if there is none."""
    details: tuple[tuple[str, str], ...]
    """What else was asked for: key and value."""


def told(command: SiteCommand) -> CommandTold:
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
    return CommandTold(what, about, goes_on, details)


@dataclass(frozen=True, slots=True)
class ToldLine:
    """A line of the audit log with what is known of the command in it."""

    line: AuditLine
    what: str
    about: str = ""
    command: SiteCommand | None = None
    details: tuple[tuple[str, str], ...] = ()


def told_line(db: Transaction, line: AuditLine) -> ToldLine:
    """Return a line of the audit log: a command in words, with what came of it, everything else as it is."""
    command = commands.find(db, line.command) if line.command else None
    if command is None:
        return ToldLine(line, line.what)
    said = told(command)
    return ToldLine(line, said.what, said.about, command, said.details)


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
