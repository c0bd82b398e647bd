"""`arena submit` and `arena sign-in`: from a bot's folder to a store or a server."""

import io
import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from getpass import getpass
from pathlib import Path
from typing import IO, Annotated

import typer
from msgspec.structs import replace

from arena.checking.step_results import Failure
from arena.cli.base import options
from arena.cli.base.remote_server_arguments import server_at
from arena.cli.base.submitting import bot_file, submit_here
from arena.cli.display.message_text import say_failure, step_line
from arena.cli.terminal.messages import BOT_FAILED, USAGE, answer, say, say_error, warn
from arena.client import server_tokens as addresses
from arena.client.api_types import ENDED, Upload
from arena.client.remote_server import NoAnswer, Server
from arena.client.server_tokens import address_of
from arena.core.errors import BadFile, UsageError
from arena.submissions.archives import is_archive
from arena.submissions.archives.zip_format import zip_of
from arena.submissions.folder import MOST_LIMITS, read_files
from arena.submissions.manifest import bot_at_fault, check_has_manifest
from results.base.text import counted


def submit(
    bot: options.AnyBot,
    sandbox: options.Sandbox = "auto",
    store: options.Store = options.DEFAULT_STORE,
    enter: Annotated[list[str] | None, typer.Option("--enter", "--league", metavar="LEAGUE")] = None,
    to: Annotated[str | None, typer.Option(metavar="URL")] = None,
    wait: Annotated[bool, typer.Option("--wait")] = False,
    insecure: options.Insecure = False,
) -> None:
    """Check a bot in each of its games, and store it as a new version.

    It also enters the leagues whose files track it. A bot may have 1,000 files and 32 MiB, as submitted and as built,
    unless [submissions] in the settings file sets other limits; a bot with `build` in its bot.toml is built first,
    unless the same source was built before.

    With --to, the server does all of this: the command uploads the bot, and prints the address of the page that shows
    what becomes of it. Sign in first with `arena sign-in URL`.

    Options:
        enter: Let it play in this league, in place of the bot's older version; may be repeated.
        to: Submit to the server at this address, not to a store.
        wait: With --to: show the steps of the check there, until it is over.
    """
    if to is not None:
        with bot_file(store, bot) as path:
            _upload(path, bot, to, tuple(enter or ()), wait=wait, insecure=insecure)
        return
    if wait:
        raise typer.BadParameter("--wait needs --to URL", param_hint="--wait")
    submit_here(bot, store, sandbox, enter or ())


@contextmanager
def packed(path: Path) -> Iterator[tuple[str, IO[bytes], int]]:
    """Yield the name, content and size in bytes of an archive: of a folder, a new one with what `arena submit` takes.

    How large a bot may be is for the server to say. Raises BadFile if there is no bot at `path`, and as `read_files`.
    """
    if not is_archive(path):
        check_has_manifest(path)
        name = path.resolve().name or "bot"
        with bot_at_fault():
            content = zip_of(read_files(path, limits=MOST_LIMITS), name)
        yield f"{name}.zip", io.BytesIO(content), len(content)
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise BadFile(f"{path} cannot be read: {error.strerror}", "make it readable") from None
    with file:
        yield path.name, file, path.stat().st_size


LOOK_S = 1.0
PATIENCE_S = 120.0
"""For how long in a row the server may fail to answer while the command waits: it may be started again."""
_OF_LEAGUES = ("leagues", "entering")
"""Steps whose failure is no fault of the bot."""
_BEYOND_CHECKS = ("reading", *_OF_LEAGUES, "account", "server")
"""Steps that `arena check` doesn't have."""


def _upload(path: Path, named: str, to: str, leagues: tuple[str, ...], *, wait: bool, insecure: bool) -> None:
    """Upload a bot that was `named` so. `wait`: until it is accepted or refused; exits as `arena submit` does.

    Raises UsageError, BadFile, and as the methods of `Server`.
    """
    server = server_at(to, insecure=insecure, token_needed=True)
    _check_leagues(server, leagues)
    server.whoami()  # a wrong address is told before anything is sent
    with packed(path) as (name, content, size):
        say(f"uploading {name}, {size:,} bytes …")
        found = server.submit(content, size, name, leagues)
    page = server.page("uploads", found.id)
    if not wait:
        answer(f"uploaded; {_place(found) or found.state}; its page: {page}")
        return
    say(f"its page: {page}")
    _show(server, found, Path(named))


def _check_leagues(server: Server, names: tuple[str, ...]) -> None:
    """Raise UsageError for a league that the server doesn't have."""
    if not names:
        return
    there = [league for league in server.leagues() if league.game is not None]
    for name in names:
        if name not in {league.name for league in there}:
            open_ones = [league.name for league in there if league.state != "finished"]
            raise UsageError(
                f"{server.address} has no league {name!r}",
                f"open leagues: {', '.join(open_ones[:20]) or 'none'}",
            )


def _place(found: Upload) -> str:
    if found.place is None:
        return ""
    return "it is next" if not found.place else f"{counted(found.place, 'upload')} before it"


def _show(server: Server, found: Upload, path: Path) -> None:
    """Print the steps of the check as they come, until it is over. `path`: of the bot, as it was given."""
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
        say_error(found.words or "the upload was interrupted", "submit it again")
        raise typer.Exit(USAGE)
    reason = found.refusal.step
    failure = _as_given(found.refusal.failure, found.archive, path)
    say_failure(failure, f"{found.bot or path} did not pass: {reason}")
    again = shlex.join(["arena", "check", str(path)])
    helps = "" if reason in _BEYOND_CHECKS else f"; for all steps of the check: {again}"
    say(f"the bot was not submitted{helps}")
    raise typer.Exit(USAGE if reason in _OF_LEAGUES else BOT_FAILED)


def _as_given(failure: Failure, archive: str, path: Path) -> Failure:
    """Return a failure that names the folder that was given instead of the archive made of it."""
    if not path.is_dir():
        return failure
    cause, cure, place = (
        text.replace(archive, str(path)) for text in (failure.cause, failure.cure, failure.place)
    )
    return replace(failure, cause=cause, cure=cure, place=place)


def _next(server: Server, number: str) -> Upload:
    """Return the upload as it is now; while the server is being restarted, ask again. Raises NoAnswer."""
    until_s = time.monotonic() + PATIENCE_S
    told = False
    while True:
        try:
            return server.upload(number)
        except NoAnswer as error:
            if time.monotonic() >= until_s:
                page = server.page("uploads", number)
                raise NoAnswer(
                    str(error),
                    f"your bot has been uploaded, and the server continues with it; its page: {page}",
                ) from None
            if not told:
                told = True
                say("the server doesn't answer; asking again …")
            time.sleep(LOOK_S)


def sign_in(
    url: Annotated[str, typer.Argument(metavar="URL")],
    forget: Annotated[bool, typer.Option("--forget")] = False,
    insecure: options.Insecure = False,
) -> None:
    """Store your token for a server, for `submit --to` and `log --at`.

    An organiser of the site gives you the token. You type or paste it when asked; it is not shown. It is kept
    in a file that only you can read. The environment variable `ARENA_TOKEN` takes precedence over that file.

    Options:
        url: The address of the server's home page.
        forget: Delete the token for this server instead.
    """
    address = address_of(url, insecure=insecure or forget)
    if forget:
        answer(
            f"forgot the token for {address}"
            if addresses.forget(address)
            else f"there was no token for {address}"
        )
        return
    if not address.is_private:
        warn(f"{address} is not encrypted: anyone on the network can read your token")
    is_typed = sys.stdin.isatty()  # then without echo
    token = addresses.checked(getpass(f"token for {address}: ") if is_typed else sys.stdin.readline(4_096))
    who = Server(address, token).whoami()
    if not who.account:
        raise UsageError(
            f"this token isn't valid at {address}, or has expired",
            "check that you pasted all of it, or ask an organiser of the site for a new token",
        )
    path = addresses.keep(address, token)
    answer(f"signed in to {address} as {who.account}")
    say(f"the token is kept in {path}")
    if os.environ.get(addresses.VARIABLE):
        warn(f"{addresses.VARIABLE} is set, so commands use that token instead")
