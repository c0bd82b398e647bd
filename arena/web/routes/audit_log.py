"""The audit log, for organisers: who asked for what, and what came of it."""

from fastapi import FastAPI, Request, Response

from arena.web.access import organiser_of
from arena.web.html.page import Page
from arena.web.live_pages import answer
from arena.web.organising.command_told import told_line
from arena.web.routes.organiser import ORGANISE
from arena.web.site import site_of
from arena.web.site_file import audit

MOST_LINES = 100


def add_to(app: FastAPI) -> None:
    """Add the route."""

    @app.api_route("/organiser/audit", methods=["GET", "HEAD"], include_in_schema=False)
    def log(request: Request, before: int | None = None) -> Response:
        organiser_of(request)
        with site_of(request).file.reading() as db:
            lines = audit.newest(db, MOST_LINES, before)
            rows = [told_line(db, line) for line in lines]
        more = lines[-1].id if len(lines) == MOST_LINES else None
        values = {"rows": rows, "more": more}
        return answer(request, Page(("organiser", "audit"), "Audit log", "audit.html", values, (ORGANISE,)))
