"""Uploads a bot to a server, and shows what becomes of it."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from arena.cli.display.check_steps import say_failure, step_line
from arena.cli.exit_codes import BOT_FAILED, USAGE
from arena.cli.messages import answer, counted, say, say_error
from arena.cli.servers import server_at

if TYPE_CHECKING:
    from arena.client.answers import Upload
    from arena.client.server import Server

LOOK_S = 1.0
_MOST_FAILURES = 10
"""How often in a row the server may fail to answer while the command waits."""
_OF_THE_FILES = ("reading", "leagues", "entering")
"""Steps whose failure is a mistake in the submission, not in how the bot plays."""


def upload(path: Path, to: str, leagues: tuple[str, ...], *, wait: bool, insecure: bool) -> None:
    """Upload a bot. `wait`: until it is accepted or refused; exits as `arena submit` does in a store.

    Raises UsageError, BadFile, and as the methods of `Server`.
    """
    from arena.client.packing import packed

    server = server_at(to, insecure=insecure, token_needed=True)
    with packed(path) as (name, content, size):
        say(f"uploading {name}, {size:,} bytes …")
        found = server.submit(content, size, name, leagues)
    page = server.page("uploads", found.id)
    if not wait:
        answer(f"uploaded; {_place(found) or found.state}; its page: {page}")
        return
    say(f"its page: {page}")
    _show(server, found)


def _place(found: "Upload") -> str:
    if found.place is None:
        return ""
    return "it is next" if not found.place else f"{counted(found.place, 'upload')} before it"


def _show(server: "Server", found: "Upload") -> None:
    """Print the steps of the check as they come, until it is over."""
    from arena.client.answers import ENDED

    shown, before = 0, ""
    while True:
        for step in found.steps[shown:]:
            answer(step_line(step))
        shown = max(shown if len(found.steps) >= shown else 0, len(found.steps))
        now = " · ".join(filter(None, (found.state, _place(found), found.said)))
        if found.state in ENDED:
            break
        if now != before:
            say(now)
            before = now
        time.sleep(LOOK_S)
        found = _next(server, found.id)
    if found.state == "accepted":
        answer(found.words or f"accepted as {found.version}")
        return
    if found.refusal is None:
        say_error(found.words or "the upload was broken off", "submit it again")
        raise typer.Exit(USAGE)
    say_failure(found.refusal.failure, f"{found.bot or found.archive} did not pass: {found.refusal.step}")
    say("the bot was not submitted; for all steps of the check: arena check")
    raise typer.Exit(USAGE if found.refusal.step in _OF_THE_FILES else BOT_FAILED)


def _next(server: "Server", number: str) -> "Upload":
    """Return the upload as it is now; while the server is being restarted, ask again. Raises NoAnswer."""
    from arena.client.connection import NoAnswer

    for failures in range(_MOST_FAILURES):
        try:
            return server.upload(number)
        except NoAnswer:
            if failures == _MOST_FAILURES - 1:
                raise
            time.sleep(LOOK_S)
    raise AssertionError("the last failure is raised")
