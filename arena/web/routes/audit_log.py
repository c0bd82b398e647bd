"""The audit log, for organisers: who asked for what, and what came of it."""

import re
from dataclasses import dataclass

from fastapi import FastAPI, Request, Response

from arena.web.access import organiser_of
from arena.web.command_told import told
from arena.web.live_pages import answer
from arena.web.page import Page
from arena.web.routes.organiser import ORGANISE
from arena.web.site import site_of
from arena.web.site_file import audit, commands
from arena.web.site_file.audit import AuditLine
from arena.web.site_file.file import Transaction

MOST_LINES = 100
_ASKED = re.compile(r"asked for: \S+ .*\(([0-9a-f-]{36})\)", re.DOTALL)
"""How `arena.web.deliveries` notes a command, with its id."""


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A line of the log with what is known of the command in it."""

    line: AuditLine
    what: str
    about: str = ""
    command: commands.SiteCommand | None = None
    details: tuple[tuple[str, str], ...] = ()


def add_to(app: FastAPI) -> None:
    """Add the route."""

    @app.api_route("/organiser/audit", methods=["GET", "HEAD"], include_in_schema=False)
    def log(request: Request, before: int | None = None) -> Response:
        organiser_of(request)
        with site_of(request).file.reading() as db:
            lines = audit.newest(db, MOST_LINES, before)
            rows = [_row(db, line) for line in lines]
        more = lines[-1].id if len(lines) == MOST_LINES else None
        values = {"rows": rows, "more": more}
        return answer(request, Page(("organiser", "audit"), "Audit log", "audit.html", values, (ORGANISE,)))


def _row(db: Transaction, line: AuditLine) -> AuditRow:
    found = _ASKED.fullmatch(line.what)
    command = commands.find(db, found[1]) if found else None
    if command is None:
        return AuditRow(line, line.what)
    said = told(command)
    return AuditRow(line, said.what, said.about, command, said.details)
