"""The arena's side of the pipes, spoken line by line by a test, against a real bot process."""

import json
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

PATIENCE_S = 20.0
"""How long a test waits for a bot before it fails; only a hung bot needs it."""

KIT = Path(__file__).parents[3] / "protocol" / "kit.py"

START: dict[str, Any] = {
    "type": "start",
    "game": "bread-basket",
    "ruleset": "tens",
    "options": {"chefs": "tens", "hands": 2},
    "seat": 1,
    "seats": 2,
    "bot_seed": 4711,
    "clock": {"ready_ms": 2000, "move_ms": 1000, "bank_ms": 10000, "margin_ms": 20},
    "limits": {"line_bytes": 65536, "depth": 16, "output_bytes": 16777216, "note_chars": 500},
    "private": {"secret": 7},
}
HELLO: dict[str, Any] = {"type": "hello", "protocols": [1]}
QUIT: dict[str, Any] = {"type": "quit"}
END: dict[str, Any] = {
    "type": "end",
    "ranks": [2, 1],
    "scores": [3, 9],
    "verdicts": [None, None],
    "events": [],
}


def ask(number: int, **fields: Any) -> dict[str, Any]:
    """Return an ask of that id with two legal moves, or with what is given instead."""
    message: dict[str, Any] = {"type": "ask", "id": number, "kind": "turn", "view": {}, "events": []}
    message["time"] = {"move_ms": 1000, "bank_ms": 10000}
    if "example" not in fields:
        message["legal"] = [{"type": "play", "card": "1"}, {"type": "play", "card": "9"}]
    return {**message, **fields}


class ScriptedArena:
    """One bot process and its pipes; a context manager that leaves nothing behind."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env={"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0", "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )

    def __enter__(self) -> "ScriptedArena":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.communicate()

    def say(self, *messages: dict[str, Any]) -> None:
        """Write messages."""
        assert self.process.stdin is not None
        for message in messages:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def hear(self) -> Any:
        """Return the bot's next line as JSON."""
        assert self.process.stdout is not None
        line = b""
        while not line.endswith(b"\n"):
            assert select.select([self.process.stdout], [], [], PATIENCE_S)[0], "the bot says nothing"
            piece = self.process.stdout.read(1)
            assert piece, f"the bot is gone after {line!r}; its log: {self.log()}"
            line += piece
        return json.loads(line)

    def exchange(self, message: dict[str, Any]) -> Any:
        """Write a message and return the bot's next line."""
        self.say(message)
        return self.hear()

    def begin(self, **fields: Any) -> None:
        """Shake hands and start a game."""
        assert self.exchange(HELLO) == {"type": "hello", "protocol": 1}
        assert self.exchange({**START, **fields}) == {"type": "ready"}

    def finish(self) -> tuple[int, str, str]:
        """Close the input; return the exit code, what else the bot wrote, and its log."""
        out, log = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, out.decode(), log.decode()

    def log(self) -> str:
        """Return what is in the bot's log once it has ended."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()


def kit_bot(folder: Path, program: str) -> ScriptedArena:
    """Start a bot of the kit with this program in an empty folder."""
    (folder / "bot.py").write_text(program)
    shutil.copy(KIT, folder / "arena_kit.py")
    return ScriptedArena([sys.executable, "bot.py"], folder)
