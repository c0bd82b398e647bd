"""Finds out whether this machine can confine bots, and says what follows from it if it can't.

The trial runs in a process of its own: `python -m arena.web.upkeep.confinement_watch STORE`.
"""

import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from arena.core.errors import ArenaError
from arena.league.running.league_isolation import confine
from arena.sandbox.probe import REQUIRED
from results.base.children import module, run
from results.base.isolation_levels import Wanted

AGAIN_S = 60.0
"""How often to try again while the machine can't confine bots, or while that isn't known."""
TRIAL_S = 120.0
_CONFINED, _UNCONFINED, _UNKNOWN = 0, 6, 1
"""Exit codes of the trial."""


class ConfinementWatch:
    """Tries once, and again as long as the machine can't confine bots, in a thread."""

    def __init__(
        self,
        store: Path,
        wanted: Wanted | None,
        tell: Callable[[str], None],
        *,
        runs_leagues: bool = True,
        trial: Sequence[str] = tuple(module("arena.web.upkeep.confinement_watch")),
    ) -> None:
        """`wanted`: of `--sandbox`, None if it isn't given; `tell` gets a line for people."""
        self._command = [*trial, str(store.absolute())]
        self._tell = tell
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="confinement", daemon=True)
        self._wanted = wanted
        self._runs_leagues = runs_leagues
        self.trouble = ""
        """What runs unconfined, or doesn't run, for organisers; empty if bots are confined."""
        self._is_confined = False

    @property
    def upload_trouble(self) -> str:
        """Why bots of uploads aren't started, for everybody; empty if they are, or if nobody knows yet."""
        needs_it = self._wanted not in ("auto", "off")
        return "this server can't confine bots now" if needs_it and self.trouble else ""

    def may_start_uploads(self) -> bool:
        """Return whether bots of uploads may be started."""
        return self._is_confined or self._wanted in ("auto", "off")

    @property
    def refuses_others(self) -> bool:
        """Whether only bots that come with Arena may play at tables."""
        return bool(self.trouble) and self._wanted is None

    def begin(self) -> None:
        """Go on trying until bots can be confined; without a sandbox on purpose, only say so."""
        if self._wanted == "off":
            self._say(
                "bots run with your permissions, because of --sandbox off; run only bots that you trust"
            )
        else:
            self._thread.start()

    def close(self) -> None:
        """Stop trying."""
        self._over.set()

    def _watch(self) -> None:
        while not self._over.is_set():
            code = self.try_out()
            if code == _CONFINED:
                self._is_confined = True
                if self.trouble:
                    self.trouble = ""
                    self._tell("this machine can confine bots again")
                return
            if code == _UNCONFINED and not self.trouble:
                self._say(self._words())
            self._over.wait(AGAIN_S)

    def try_out(self) -> int:
        """Return the exit code of a trial."""
        with suppress(OSError, TimeoutError):
            return run(self._command, TRIAL_S).returncode
        return _UNKNOWN

    def _say(self, words: str) -> None:
        self.trouble = words
        self._tell(words)

    def _words(self) -> str:
        what = "this machine can't confine bots (`arena doctor` says why)"
        if self._wanted == "require":
            return f"{what}, so none is started, because of --sandbox require"
        if self._wanted == "auto":
            return f"{what}, so all run with your permissions, because of --sandbox auto"
        leagues = (
            'leagues with sandbox = "auto" run them with your permissions unless you add --sandbox require; '
            if self._runs_leagues
            else ""
        )
        return f"{what}: {leagues}uploads are refused; on the page Play, only bots that come with Arena play"


def main(store: str) -> int:
    """Return the exit code of a trial."""
    try:
        report = confine(Path(store), "auto")[1]
    except ArenaError:
        return _UNKNOWN
    return _CONFINED if report.level >= REQUIRED else _UNCONFINED


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
