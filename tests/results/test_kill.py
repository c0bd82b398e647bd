"""Killed at any moment, the ledger holds what it said it holds, and no game twice."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from results.store import Store, open_store
from results.store.verification.verify import verify
from tests.support.ledgers import all_games, new_league, new_store, plan

ROOT = Path(__file__).resolve().parents[2]
TABLES = [(n % 4, (n + 1) % 4, (n + 2) % 4) for n in range(200)]


def league_of_200_matches(folder: Path) -> Store:
    store = new_store(folder)
    plan(store, new_league(store), *TABLES, games=3)
    return store


def writer(
    path: Path, seed: int, pause_s: float = 0.0, segment_games: int = 1_000_000
) -> subprocess.Popen[str]:
    """Start a process that appends what the league lacks, with a pause after each chunk."""
    program = str(ROOT / "tests/results/killed_writer.py")
    return subprocess.Popen(
        [sys.executable, program, str(path), str(seed), str(pause_s), str(segment_games)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def killed_after(process: subprocess.Popen[str], chunks: int, delay_s: float = 0) -> tuple[set[str], bool]:
    """Kill a writer some time after so many chunks; return the games it said were stored, and whether it was done."""
    assert process.stdout is not None
    words = [word for _ in range(chunks) for word in process.stdout.readline().split()]
    time.sleep(delay_s)
    process.send_signal(signal.SIGKILL)
    words += process.stdout.read().split()
    process.wait()
    return {word for word in words if word != "done"}, "done" in words


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kills", "segment_games"), [pytest.param(1, 1_000_000, marks=pytest.mark.gate), (6, 1_000_000), (8, 20)]
)
def test_killed_again_and_again(tmp_path: Path, kills: int, segment_games: int) -> None:
    store = league_of_200_matches(tmp_path)
    rng = Random(5)
    acknowledged: set[str] = set()
    interrupted = 0
    for round_no in range(kills):
        process = writer(store.path, round_no, segment_games=segment_games)
        said, done = killed_after(process, rng.randrange(1, 15), rng.random() * 0.01)
        interrupted += not done
        assert not said & acknowledged, "a game was entered twice"
        acknowledged |= said
        with open_store(store.path, readonly=True) as reader:
            there = {f"{match_no}.{rotation}" for match_no, rotation in reader.games.keys("spring")}
            assert acknowledged <= there
            assert reader.leagues.progress("spring").games_done == len(there)
            assert verify(reader) == []
            assert all(game.has_replay for game in reader.games.all("spring"))
        acknowledged = there
    assert interrupted >= kills / 2, "the writer was too fast to be killed"
    last = writer(store.path, 99, segment_games=segment_games)
    output, _ = last.communicate(timeout=60)
    assert output.endswith("done\n")
    uninterrupted = new_store(tmp_path, "whole.sqlite")
    uninterrupted.append(all_games(plan(uninterrupted, new_league(uninterrupted), *TABLES, games=3)))
    assert store.games.fingerprint("spring") == uninterrupted.games.fingerprint("spring")
    assert store.ratings.digest("spring") == uninterrupted.ratings.digest("spring")
    assert store.ratings.standings("spring") == uninterrupted.ratings.standings("spring")
    assert verify(store) == []
    for game in uninterrupted.games.all("spring"):
        key = ("spring", game.match_no, game.rotation)
        assert store.replays.get(*key) == uninterrupted.replays.get(*key)
    assert bool(store.segments.all()) == (segment_games < 600)


@pytest.mark.slow
def test_readers_see_whole_chunks_while_a_writer_runs(tmp_path: Path) -> None:
    store = league_of_200_matches(tmp_path)
    path = store.path
    store.close()
    process = writer(path, 3, pause_s=0.01)  # so that there is time to look, on a busy machine too
    seen: list[int] = []
    with open_store(path, readonly=True) as reader:
        deadline = time.monotonic() + 60
        while not seen or (seen[-1] < 600 and time.monotonic() < deadline):
            progress = reader.leagues.progress("spring")
            seen.append(progress.games_done)
            standings = reader.ratings.standings("spring")
            played = sum(row.matches for row in standings)
            assert played % 3 == 0, "half a match was counted"
            assert reader.leagues.progress("spring").matches_counted >= played // 3
            for row in standings:
                assert row.games == 3 * row.matches
    assert process.wait(timeout=60) == 0
    assert process.stdout is not None
    process.stdout.close()
    assert seen == sorted(seen)
    assert len(set(seen)) > 3, "the reader never looked while the writer was at work"


@pytest.mark.slow
def test_a_store_left_by_a_kill_is_read_without_being_changed(tmp_path: Path) -> None:
    store = league_of_200_matches(tmp_path)
    path = store.path
    store.close()
    said, _ = killed_after(writer(path, 4), 5)
    assert path.with_name("arena.sqlite-wal").exists(), "what was stored last lies in the log"
    before = path.read_bytes()
    with open_store(path, readonly=True) as reader:
        assert reader.leagues.progress("spring").games_done >= len(said) > 0
    assert path.read_bytes() == before


@pytest.mark.slow
def test_many_programs_add_matches_and_versions_at_once(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    league = new_league(store)
    program = (
        "import sys; from results.store import open_store; from results.records import VersionSpec\n"
        "with open_store(sys.argv[1]) as store:\n"
        "    for n in range(10):\n"
        "        store.matches.plan_next('spring', (0, 1), 1, why=sys.argv[2])\n"
        "        store.versions.add_all([VersionSpec('ann', 'crumb', sys.argv[2] * 60 + f'{n:04d}', {}, {})])\n"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(store.path), letter],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for letter in "abc"
    ]
    assert [process.wait(timeout=60) for process in processes] == [0, 0, 0]
    assert [match.match_no for match in store.matches.all(league.uuid)] == list(range(30))
    assert [version.number for version in store.versions.all()] == list(range(1, 31))
