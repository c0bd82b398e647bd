"""A league of every ruleset at every number of players, by commands alone: no fault, every replay verifies."""

import json
from pathlib import Path

import pytest

from arena.submissions.manifest import bundled_bots, read_manifest
from tests.support.game_tables import every_table
from tests.support.leagues import arena, arena_here

RANDOM = "bots/any_game/random"
GAMES = 2
"""Of each league: matches of one game, with all its bots. That a match rotates is shown elsewhere."""


def own_bots(game: str) -> list[str]:
    """Return the bots of a game that need no compiler."""
    folder = bundled_bots() / game.replace("-", "_")
    manifests = {path.parent.name: read_manifest(path.parent) for path in sorted(folder.glob("*/bot.toml"))}
    return [f"bots/{folder.name}/{name}" for name, manifest in manifests.items() if not manifest.build]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "name", "seats", "options"),
    [pytest.param(*table, id="-".join(map(str, table[:3]))) for table in every_table()],
)
def test_a_league_runs_to_rankings(
    tmp_path: Path, game: str, name: str, seats: int, options: dict[str, object]
) -> None:
    own = own_bots(game)
    bots = [own[seats % len(own)], *[RANDOM] * (seats - 1)]  # tests/bots has each of them at each table
    lines = [
        f'name = "{name}"',
        f'game = "{game}"',
        f'ruleset = "{name}"',
        f"seats = {seats}",
        "options = { "
        + ", ".join(f"{option} = {json.dumps(value)}" for option, value in options.items())
        + " }",
        'rotations = "off"',
        "[schedule]",
        'kind = "round-robin"',
        f"rounds = {GAMES}",
        *(f'[[bots]]\npath = "{bot}"\nlabel = "bot{number}"' for number, bot in enumerate(bots)),
    ]
    (tmp_path / "league.toml").write_text("\n".join(lines) + "\n")
    assert arena_here("league", "create", "league.toml", cwd=tmp_path).returncode == 0
    arena("run", name, cwd=tmp_path)
    rows = json.loads(arena("rankings", "--format", "json", cwd=tmp_path).stdout)
    assert len(rows) == seats
    assert {row["games"] for row in rows} == {GAMES}
    assert sum(row["faults"] for row in rows) == 0, arena("faults", cwd=tmp_path).stdout
    assert f"{GAMES} of {GAMES} replays verify" in arena("replay", "verify", cwd=tmp_path).stdout
    assert arena("replay", "show", "0.0", "--boards", cwd=tmp_path).stdout
