"""What is told of a league by the commands of `arena`, without times, as hashes: one for each report."""

import hashlib
import json
from pathlib import Path
from typing import Any

from tests.support.leagues import arena_here

Facts = dict[str, str]

REPORTS: dict[str, tuple[str, ...]] = {
    "rankings": ("rankings",),
    "matrix by matches": ("matrix",),
    "matrix by games": ("matrix", "--by", "games"),
    "history": ("history",),
    "seats": ("stats", "--view", "seats"),
    "tables": ("stats", "--view", "tables"),
    "fault statistics": ("stats", "--view", "faults"),
    "luck": ("stats", "--view", "luck"),
    "faults": ("faults", "--log"),
    "status": ("league", "show"),
}
"""Commands whose output holds no time."""


def facts_of(folder: Path, league: str) -> Facts:
    """Return what the store in a folder says of a league: two digests in full, of reports and games a hash."""
    found = json.loads(said(folder, "db", "digest", league))
    for name, command in REPORTS.items():
        found[name] = short(said(folder, *command, league, "--format", "json"))
    found["games"] = short(json.dumps(games_of(folder, league), sort_keys=True))
    return {str(key): str(value) for key, value in found.items()}


def games_of(folder: Path, league: str) -> list[dict[str, Any]]:
    """Return every game of a league, who sat where and came to what, but for when it ended."""
    games = json.loads(said(folder, "replay", "list", league, "--limit", "100000", "--format", "json"))
    return [{key: game[key] for key in game if key != "finished_at"} for game in games]


def said(folder: Path, *command: str) -> str:
    """Return what a command prints; it has to succeed."""
    done = arena_here(*command, cwd=folder)
    assert done.returncode == 0, f"arena {' '.join(command)}: {done.stderr}"
    return done.stdout


def short(text: str) -> str:
    """Return the beginning of a text's SHA-256, which is enough to find a difference by."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Written:
    """A JSON file of what was written down once, by name; `update` writes what is found instead of comparing."""

    def __init__(self, path: Path, *, update: bool) -> None:
        self._path = path
        self._update = update

    def holds(self, name: str, found: Facts) -> None:
        """Compare facts with those of this name, or write them; fails with those that differ."""
        if self._update:
            written = self._read()
            written[name] = found
            self._path.write_text(json.dumps(written, indent=1, sort_keys=True) + "\n")
        self.same(name, found)

    def same(self, name: str, found: Facts) -> None:
        """Compare facts with those of this name, which another test writes."""
        written = self._read()
        assert name in written, f"nothing is written down for {name!r}: --update does that, once"
        assert found == written[name]

    def _read(self) -> dict[str, Facts]:
        found: dict[str, Facts] = json.loads(self._path.read_text()) if self._path.exists() else {}
        return found
