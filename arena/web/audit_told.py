"""Tells lines of the audit log: a command in words, with what came of it, everything else as it is."""

import re
from dataclasses import dataclass

from arena.web.command_told import told
from arena.web.site_file import commands
from arena.web.site_file.audit import AuditLine
from arena.web.site_file.file import Transaction

_ASKED = re.compile(r"asked for: \S+ .*\(([0-9a-f-]{36})\)", re.DOTALL)
"""How `arena.web.deliveries` notes a command, with its id."""


@dataclass(frozen=True, slots=True)
class ToldLine:
    """A line of the log with what is known of the command in it."""

    line: AuditLine
    what: str
    about: str = ""
    command: commands.SiteCommand | None = None
    details: tuple[tuple[str, str], ...] = ()


def told_line(db: Transaction, line: AuditLine) -> ToldLine:
    """Return a line in words."""
    found = _ASKED.fullmatch(line.what)
    command = commands.find(db, found[1]) if found else None
    if command is None:
        return ToldLine(line, line.what)
    said = told(command)
    return ToldLine(line, said.what, said.about, command, said.details)
