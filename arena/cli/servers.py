"""Servers that commands ask with --at and --to."""

import io
import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import typer

from arena.cli.display.message_text import say_failure, step_line
from arena.cli.messages import BOT_FAILED, USAGE, answer, say, say_error
from arena.core.errors import BadFile
from arena.submissions.archives import is_archive
from arena.submissions.archives.zip import zip_of
from arena.submissions.folder import MOST_LIMITS, read_files
from arena.submissions.manifest import bot_at_fault, check_has_manifest
from results.base.text import counted

if TYPE_CHECKING:
    from arena.checking.steps import Failure
    from arena.client.answers import Upload
    from arena.client.server import Server


def server_at(url: str, *, insecure: bool, token_needed: bool = False) -> "Server":
    """Return the server at an address, with this user's token for it. Raises UsageError.

    `token_needed`: whether to refuse if there is none.
    """
    from arena.client.address import VARIABLE, address_of, token_for
    from arena.client.server import Server
    from arena.core.errors import UsageError

    address = address_of(url, insecure=insecure)
    token = token_for(address)
    if token is None and token_needed:
        raise UsageError(
            f"you are not signed in to {address}", f"sign in with: arena sign-in {address}; or set {VARIABLE}"
        )
    return Server(address, token)


def game_at(text: str) -> tuple[str, str]:
    """Return the league and the number of a game on a server, such as `demo/12.0`. Raises UsageError."""
    from arena.core.errors import UsageError

    league, _, number = text.rpartition("/")
    match_no, dot, rotation = number.partition(".")
    if not league or not match_no.isdigit() or (dot and not rotation.isdigit()):
        raise UsageError(
            f"{text!r} is not a game on a server", "write LEAGUE/MATCH.ROTATION, such as demo/12.0"
        )
    return league, f"{match_no}.{rotation or 0}"


def league_at(server: "Server", name: str | None) -> str:
    """Return the league that is meant: `name`, or the only one of the server. Raises UsageError, NoAnswer."""
    from arena.core.errors import UsageError

    if name is not None:
        return name
    names = [league.name for league in server.leagues() if league.game is not None]
    if len(names) == 1:
        return names[0]
    known = ", ".join(names[:20]) if names else "none"
    raise UsageError(f"which league of {server.address}?", f"name it; available: {known}")


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


def upload(path: Path, named: str, to: str, leagues: tuple[str, ...], *, wait: bool, insecure: bool) -> None:
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


def _check_leagues(server: "Server", names: tuple[str, ...]) -> None:
    """Raise UsageError for a league that the server doesn't have."""
    from arena.core.errors import UsageError

    if not names:
        return
    there = [league for league in server.leagues() if league.game is not None]
    for name in names:
        if name not in {league.name for league in there}:
            open_ones = [league.name for league in there if league.state != "finished"]
            raise UsageError(
                f"{server.address} has no league {name!r}",
                f"leagues that go on: {', '.join(open_ones[:20]) or 'none'}",
            )


def _place(found: "Upload") -> str:
    if found.place is None:
        return ""
    return "it is next" if not found.place else f"{counted(found.place, 'upload')} before it"


def _show(server: "Server", found: "Upload", path: Path) -> None:
    """Print the steps of the check as they come, until it is over. `path`: of the bot, as it was given."""
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
    reason = found.refusal.step
    failure = _as_given(found.refusal.failure, found.archive, path)
    say_failure(failure, f"{found.bot or path} did not pass: {reason}")
    again = shlex.join(["arena", "check", str(path)])
    helps = "" if reason in _BEYOND_CHECKS else f"; for all steps of the check: {again}"
    say(f"the bot was not submitted{helps}")
    raise typer.Exit(USAGE if reason in _OF_LEAGUES else BOT_FAILED)


def _as_given(failure: "Failure", archive: str, path: Path) -> "Failure":
    """Return a failure that names the folder that was given instead of the archive made of it."""
    from msgspec.structs import replace

    if not path.is_dir():
        return failure
    cause, cure, place = (
        text.replace(archive, str(path)) for text in (failure.cause, failure.cure, failure.place)
    )
    return replace(failure, cause=cause, cure=cure, place=place)


def _next(server: "Server", number: str) -> "Upload":
    """Return the upload as it is now; while the server is being restarted, ask again. Raises NoAnswer."""
    from arena.client.server import NoAnswer

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
                    f"your bot has been uploaded, and the server goes on with it; its page: {page}",
                ) from None
            if not told:
                told = True
                say("the server doesn't answer; asking again …")
            time.sleep(LOOK_S)
