"""Checks the text of a league file in a process of its own, because that plays games: what `--dry-run` would say."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

import arena
from arena.config.league_file import LeagueFile
from arena.config.mistakes import in_file, parse_toml
from arena.core.errors import ArenaError, BadValue, UsageError
from arena.league.changes.change import Change
from arena.league.changes.field import Add, Replace
from arena.league.changes.versions import to_start
from arena.league.inbox.new_league import NewLeague
from arena.submissions.bundled import bundled_bot
from arena.web.http.page_threads import takes_long
from results.base.advice import REFUSAL_FILE, Advice, run, unpacked
from results.base.errors import LedgerError
from results.store import open_store

FILE_NAME = "league.toml"
"""What messages call the text."""
MOST_S = 120.0
"""How long a check may take."""
_REFUSAL = "refusal.json"
"""The file in which the command of a check says why it failed."""


@dataclass(frozen=True, slots=True)
class LeagueDraft:
    """The text of a league file, checked."""

    lines: tuple[str, ...]
    """What it would play and cost, and warnings."""
    change: NewLeague | None
    """What creates it; None if something is wrong."""
    problem: str = ""
    hint: object = ""


def read_draft(text: str) -> LeagueFile:
    """Return a league file that names only submitted bots and Arena's own: other paths are of the server's machine.

    Raises UsageError, which names key and line.
    """
    file = parse_toml(text, LeagueFile, FILE_NAME)
    for number, bot in enumerate(file.bots):
        for key in ("path", "glob"):
            if getattr(bot, key) is not None and not (key == "path" and bundled_bot(str(bot.path))):
                with in_file(FILE_NAME, text):
                    raise BadValue(
                        ("bots", str(number), key),
                        "folders of the server can't be named here",
                        'submit the bot first, then name it: version = "author/name" or track = "author/name"; '
                        'only bots that come with Arena have paths: path = "bots/any_game/random"',
                    )
    return file


def checked(store: Path, text: str) -> LeagueDraft:
    """Return what a league file would play; one is checked at a time. Raises ArenaError if the check itself fails."""
    takes_long("checking a league file")
    try:
        _refuse_unknown(store, read_draft(text), text)
    except (UsageError, LedgerError) as error:
        return LeagueDraft((), None, str(error), error.advice)
    try:
        out, said = _in_a_process(["league", "create", FILE_NAME, "--as-command"], store, text)
    except UsageError as error:
        return LeagueDraft((), None, str(error), error.advice)
    try:
        change = msgspec.json.decode(out, type=NewLeague)
    except msgspec.MsgspecError as error:
        raise ArenaError(f"the check gave no answer: {error}") from None
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return LeagueDraft(tuple(lines), change)


def refuse_not_starting(store: Path, change: Change) -> None:
    """Start the bot that a change lets join a league once, in a process of its own, unless its check did.

    Raises ArenaError, which says why, if it doesn't start.
    """
    if isinstance(change, Add):
        bot: str | None = change.bot
        args, entry = change.args, ""
        command = ["add", *(f"--arg={arg}" for arg in args), "--only-start", "--", change.league, change.bot]
    elif isinstance(change, Replace):
        bot, args, entry = change.bot, (), change.entry
        command = ["replace", "--only-start", "--", change.league, entry, *([bot] if bot else [])]
    else:
        return
    if not store.exists():
        return
    with open_store(store, readonly=True) as opened:
        if not to_start(opened, change.league, bot, args, entry):
            return
    takes_long("starting a bot")
    _in_a_process(["league", *command], store)


def _refuse_unknown(path: Path, file: LeagueFile, text: str) -> None:
    """Raise UsageError for a submitted bot that the store lacks: that comes before how many seats the bots fill."""
    if not path.exists():
        return
    named = [
        (at, "version" if bot.version else "track", bot.version or bot.track)
        for at, bot in enumerate(file.bots)
    ]
    with open_store(path, readonly=True) as store:
        found = store.versions.find_all(name for _, _, name in named if name)
    for number, key, name in named:
        if name and isinstance(error := found[name], LedgerError):
            with in_file(FILE_NAME, text):
                raise BadValue(("bots", str(number), key), str(error), error.advice)


def _in_a_process(arguments: Sequence[str], store: Path, text: str = "") -> tuple[bytes, str]:
    """Return the output and the messages of a command in a folder with this text as league file.

    Raises UsageError with what the command refuses, and ArenaError if it takes too long.
    """
    with TemporaryDirectory(prefix="arena-draft-") as folder:  # without bots, so `bots/…` are Arena's own
        (Path(folder) / FILE_NAME).write_text(text, encoding="utf-8")
        environment = {**os.environ, "PYTHONPATH": _python_path(), "NO_COLOR": "1"}
        process = subprocess.Popen(
            [sys.executable, "-m", "arena", *arguments],
            cwd=folder,
            env={**environment, "ARENA_STORE": str(store.absolute()), REFUSAL_FILE: _REFUSAL},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            out, said = process.communicate(timeout=MOST_S)
        except BaseException as error:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            raise ArenaError(
                f"the check took longer than {MOST_S:.0f} seconds",
                Advice("use ", run("league create")),
            ) from None
        if process.returncode:
            raise _refused(Path(folder) / _REFUSAL, process.returncode)
    return out, said.decode(errors="replace")


def _refused(file: Path, code: int) -> UsageError:
    """Return why a command has failed, as it wrote it to a file."""
    try:
        message, hint = msgspec.json.decode(file.read_bytes(), type=tuple[str, str])
    except (OSError, msgspec.MsgspecError):
        return UsageError(f"the check ended with code {code}")
    return UsageError("; ".join(message.split("\n")), unpacked(hint))


def _python_path() -> str:
    """Return where Python finds this package from any folder."""
    root = str(Path(arena.__file__ or "").absolute().parents[1]) if arena.__file__ else ""
    return os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
