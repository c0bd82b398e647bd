"""Bots in C: their programs, compiled strictly, and Arena's test vectors for their rules."""

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arena import registry
from arena.core.ruleset import ruleset
from arena.core.vectors import vectors

STRICT = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic")


def compiled(folder: Path, place: Path, source: Path, *flags: str) -> Path:
    """Return a program that uses the headers of a bot's folder, compiled without a warning."""
    program = place / source.stem
    subprocess.run(["cc", *STRICT, *flags, f"-I{folder}", "-o", program, source, "-lm"], check=True)
    return program


def lines_of(
    name: str, rules: str, options: dict[str, object], seats: Iterable[int], games: Iterable[int]
) -> Iterable[dict[str, Any]]:
    """Yield test vectors of a game for these numbers of seats."""
    game = registry.game(name)
    for count in seats:
        resolved = game.resolve(ruleset(game.info, rules, options), count)
        for number in games:
            yield from vectors(game, resolved, count, "vectors", number)


def told(program: Path, lines: Iterable[dict[str, Any]]) -> tuple[int, str]:
    """Return the exit code of a program that reads these lines, and what it prints."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout
