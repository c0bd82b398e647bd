"""Leagues of games without winners: one player and a score, from create to the rankings."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import mean, median
from typing import Any

import pytest

from tests.support.outside import ROOT, arena, arena_json, beside, environment, write_bot

pytestmark = pytest.mark.xdist_group("tiles")

RANDOM = ROOT / "bots" / "any_game" / "random"
HANABI = ROOT / "examples" / "hanabi" / "bots" / "greedy"
GREEDY = ROOT / "examples" / "tiles" / "bots" / "greedy"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the game looks installed."""
    return beside(tmp_path_factory.mktemp("tiles") / "site", "tiles", "hanabi")


def league(folder: Path, *lines: str, bots: tuple[Path, ...] = (GREEDY, RANDOM), rounds: int = 8) -> Path:
    """Write a league file on small boards."""
    folder.mkdir(exist_ok=True)
    file = folder / "league.toml"
    top = [line for line in lines if not line.startswith("[")]
    tables = [line for line in lines if line.startswith("[")]
    file.write_text(
        "\n".join(
            [
                'name = "main"',
                'game = "tiles"',
                'ruleset = "small"',
                'seed = "of these tests"',
                'sandbox = "off"',
                *top,
                *(tables or ['[schedule]\nkind = "round-robin"', f"rounds = {rounds}"]),
                *(f'[[bots]]\npath = "{bot}"' for bot in bots),
            ]
        )
    )
    return file


def played(folder: Path, site: Path, *lines: str, workers: int = 2, **more: Any) -> Path:
    """Create and play a league; return its folder."""
    arena("league", "create", league(folder, *lines, **more), cwd=folder, installed=site)
    arena("run", "main", "--workers", str(workers), cwd=folder, installed=site)
    return folder


def scores_of(folder: Path, site: Path) -> dict[str, list[int]]:
    """Return the scores of each bot, by match."""
    found: dict[str, list[int]] = {}
    games = arena_json("replay", "list", "main", "--limit", "1000", cwd=folder, installed=site)
    for game in sorted(games, key=lambda one: float(one["game"])):
        label, score = game["seats"].split()
        found.setdefault(label, []).append(int(score))
    return found


def test_rankings_are_of_scores_and_nothing_is_a_rating(site: Path, tmp_path: Path) -> None:
    folder = played(tmp_path / "league", site)
    scores = scores_of(folder, site)
    rows = arena_json("rankings", "main", cwd=folder, installed=site)
    assert [row["label"] for row in rows] == ["greedy", "random"]
    for row in rows:
        own = scores[row["label"]]
        assert len(own) == 8
        assert (row["score_mean"], row["score_median"], row["score_best"]) == (
            mean(own),
            median(own),
            max(own),
        )
        assert not {"mu", "sigma", "wins", "share"} & row.keys()
    text = arena("rankings", "main", "--explain", cwd=folder, installed=site).stdout
    assert "greedy wins" in text
    assert not {"μ", "rating", "share %"} & set(text.split())
    behind = mean(a - b for a, b in zip(scores["greedy"], scores["random"], strict=True))
    (last,) = arena_json("rankings", "main", "--fit", cwd=folder, installed=site)[1:]
    assert last["score_behind"] == pytest.approx(behind, abs=0.01)
    assert last["score_behind_low"] > 0, "greedy and random differ significantly"
    refused = arena("matrix", "main", cwd=folder, installed=site, check=False)
    assert "nobody finishes above another" in refused.stderr
    assert "mean score" in arena("history", "main", cwd=folder, installed=site).stdout
    verified = arena("db", "verify", cwd=folder, installed=site)
    assert "everything matches" in verified.stdout + verified.stderr


@pytest.mark.slow
def test_the_table_is_the_same_for_any_number_of_workers_and_after_a_kill(site: Path, tmp_path: Path) -> None:
    one, two = (played(tmp_path / f"of-{count}", site, workers=count) for count in (1, 3))
    tables = [
        arena("rankings", "main", "--format", "csv", cwd=of, installed=site).stdout for of in (one, two)
    ]
    killed = tmp_path / "killed"

    arena("league", "create", league(killed), cwd=killed, installed=site)
    run = subprocess.Popen(
        [sys.executable, "-m", "arena", "run", "main", "--workers", "2"],
        cwd=killed,
        env=environment(site),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    done = 0
    while run.poll() is None and done < 4:
        time.sleep(0.05)
        (row,) = arena_json("league", "show", cwd=killed, installed=site)
        done = row["games"]
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    arena("run", "main", cwd=killed, installed=site)
    tables.append(arena("rankings", "main", "--format", "csv", cwd=killed, installed=site).stdout)
    assert len(set(tables)) == 1


@pytest.mark.slow
def test_a_bot_that_crashes_gets_the_lowest_score(site: Path, tmp_path: Path) -> None:
    crasher = write_bot(
        tmp_path / "crasher",
        "from arena_kit import run\n"
        "def choose(ask, game):\n"
        "    if ask['view']['score'] > 20: raise SystemExit(1)\n"
        "    return ask['legal'][0]\n"
        "run(choose)\n",
        game="tiles",
    )
    folder = played(tmp_path / "league", site, bots=(RANDOM, crasher), rounds=3)
    rows = arena_json("rankings", "main", cwd=folder, installed=site)
    last = next(row for row in rows if row["label"] == "crasher")
    assert (last["score_mean"], last["score_best"], last["faults"]) == (0, 0, 3)
    assert rows[0]["label"] == "random"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (('deals = "own"',), "on deals of their own these differ by luck"),
        (('[schedule]\nkind = "swiss"\nrounds = 2',), "the schedule 'swiss' doesn't see to that"),
        (("[schedule]\nrounds = 2\ntables = 1",), "a sample of tables doesn't see to that"),
        (("[stop]\nmatches = 5",), "a league that ends within a round"),
        (('[rating]\nsystem = "trueskill"',), "there is nothing to rate"),
        (("seats = 2",), "is for 1 player, not 2"),
        (("final_rounds = 9",), "final_rounds is 9, more than the 8 rounds of the league"),
    ],
)
def test_what_does_not_fit_is_refused(site: Path, tmp_path: Path, lines: tuple[str, ...], said: str) -> None:
    folder = tmp_path / "league"
    refused = arena(
        "league", "create", league(folder, *lines), "--dry-run", cwd=tmp_path, installed=site, check=False
    )
    assert refused.returncode != 0
    assert said in " ".join(refused.stderr.split()), refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.slow
def test_versions_are_compared_on_the_same_deals(site: Path, tmp_path: Path) -> None:
    """Random against greedy: the test counts who has the higher score, and says by how many points."""
    for bot in (GREEDY, RANDOM):
        shutil.copytree(bot, tmp_path / bot.name)
    game = ("--game", "tiles", "--ruleset", "small", "--sandbox", "off", "--seed", "x")
    done = arena("compare", "random", "greedy", *game, cwd=tmp_path, installed=site, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "better: greedy is better than random" in done.stdout
    assert "scores, new − old: +" in done.stdout
    done = arena("race", "random", "greedy", *game, cwd=tmp_path, installed=site, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "each plays the deals alone" in done.stderr
    refused = arena("compare", "random", "greedy", "greedy", *game, cwd=tmp_path, installed=site, check=False)
    assert "is for 1 player, not 3" in refused.stderr
    refused = arena(
        "compare", "random", "greedy", "--game", "hanabi", cwd=tmp_path, installed=site, check=False
    )
    assert refused.returncode == 2


def partners(folder: Path, *bots: Path, rounds: int = 4) -> Path:
    """Write a league of Hanabi with three colours."""
    folder.mkdir(exist_ok=True)
    file = folder / "league.toml"
    head = (
        'name = "main"\ngame = "hanabi"\nruleset = "kind"\nseats = 2\nsame_author = true\nsandbox = "off"\n'
    )
    tables = f'seed = "together"\n[options]\ncolors = 3\n[schedule]\nrounds = {rounds}\n'
    listed = "".join(f'[[bots]]\npath = "{bot}"\nlabel = "{bot.name}-{no}"\n' for no, bot in enumerate(bots))
    file.write_text(head + tables + listed)
    return file


@pytest.mark.slow
def test_partners_are_told_from_each_other_by_what_their_tables_score(site: Path, tmp_path: Path) -> None:
    folder = tmp_path / "league"
    arena("league", "create", partners(folder, HANABI, RANDOM, RANDOM), cwd=tmp_path, installed=site)
    arena("run", "main", cwd=tmp_path, installed=site)
    rows = arena_json("rankings", "main", "--fit", cwd=tmp_path, installed=site)
    assert rows[0]["label"] == "greedy-0"
    assert rows[0]["fit_low"] > max(row["fit_high"] for row in rows[1:])
    assert {row["games"] for row in rows} == {4 * 2 * 2}, "with each partner, in both seats, on each deal"
    assert not {"mu", "wins", "share"} & rows[0].keys()


def test_one_table_says_nothing_of_its_bots(site: Path, tmp_path: Path) -> None:
    file = partners(tmp_path / "league", HANABI, RANDOM)
    refused = arena("league", "create", file, cwd=tmp_path, installed=site, check=False)
    assert "2 bots make a single table of 2, and its score says nothing about one of them" in " ".join(
        refused.stderr.split()
    )
    assert "so that there are 3 or more" in " ".join(refused.stderr.split())


def test_single_games_are_played_and_shown(site: Path, tmp_path: Path) -> None:
    shutil.copytree(GREEDY, tmp_path / "greedy")
    match = ("match", "greedy", "--game", "tiles", "--ruleset", "small", "--sandbox", "off")
    arena(*match, cwd=tmp_path, installed=site)
    shown = arena("replay", "show", "casual/0.0", cwd=tmp_path, installed=site).stdout
    assert "1 player\n" in shown
    assert "The tiles slide" in shown
    why = arena("why", "casual/0.0", cwd=tmp_path, installed=site).stdout
    assert "nobody lost, as it is for one player" in why
    refused = arena(*match, str(RANDOM), cwd=tmp_path, installed=site, check=False)
    assert "is for 1 player, not 2" in refused.stderr
    assert refused.returncode == 2
