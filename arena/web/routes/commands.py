"""The page of one command: what became of it."""

from fastapi import FastAPI, HTTPException, Request, Response

from arena.web.access import member_of
from arena.web.html.page import Crumb, Page
from arena.web.live_pages import answer
from arena.web.organising.command_told import told
from arena.web.site import site_of
from arena.web.site_file import commands

POLLS_S = 2


def add_to(app: FastAPI) -> None:
    """Add the routes."""

    @app.api_route("/account/commands/{uuid}", methods=["GET", "HEAD"], include_in_schema=False)
    def page(request: Request, uuid: str) -> Response:
        who = member_of(request)
        with site_of(request).file.reading() as db:
            command = commands.find(db, uuid)
        if command is None or (command.account != who.account and not who.organises):
            raise HTTPException(404, "You have asked for nothing with this number.")
        said = told(command)
        return answer(
            request,
            Page(
                ("account", "commands", uuid),
                f"{said.what.capitalize()}: {command.state}",
                "command.html",
                {"command": command, "told": said},
                crumbs=(Crumb(who.account, ("account",)),),
                polls_s=POLLS_S if command.state == "waiting" else 0,
            ),
        )
