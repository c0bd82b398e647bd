"""Simple bots without processes of their own: they make the same moves in this process, faster."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from arena.players.base import Reply
from arena.players.house import ScriptedPlayer
from arena.players.pool import BotPool
from arena.sandbox.folders import remove_tree
from protocol.messages import Ask
from tests.league.running import SIMPLE

WALL_NS, CPU_NS = 1_000_000, 100_000
"""How long a scripted bot is said to take over each move."""


class ScriptedBots(BotPool):
    """Fills seats by what simple bots would do, with the pauses left out; starts the programs of all others."""

    starts_processes = False

    def take(self, entry_no: int, match: tuple[str, int], seat: int) -> Any:
        """Return a player of an entry for one game."""
        pick = _pick(self._programs[entry_no].folder / "bot.py")
        if pick is None:
            self.starts_processes = True
            return super().take(entry_no, match, seat)

        def answer(ask: Ask) -> Reply:
            move = ask.legal[pick % len(ask.legal)] if isinstance(ask.legal, list) else ask.example
            return Reply(move, None, WALL_NS, CPU_NS)

        return ScriptedPlayer(answer)

    def close(self) -> None:
        """End what was started."""
        if self.starts_processes:
            super().close()
        else:
            self._slots.close()
            remove_tree(self._place)


@cache
def _pick(source: Path) -> int | None:
    """Return the number of the legal move that a simple bot takes; None for any other bot."""
    found = re.fullmatch(SIMPLE, source.read_text()) if source.is_file() else None
    return None if found is None else int(found[1])
