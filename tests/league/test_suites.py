"""Suites: the deals of a file, the same wherever they are played, never rated, and refused in one sentence."""

from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from arena.cli.base.comparison import how_to_continue
from arena.config.deal_suites import Suite, hash_of, read_suite, suite_text
from arena.executors.worker import SerialExecutor
from arena.league.compare import ComparisonRun, begin
from arena.league.comparison_plans import Asked, plan_comparison, plan_race
from arena.league.deal_audit import audit
from arena.league.definition.bot_arguments import bots_named
from arena.league.running.run import LeagueRun
from arena.league.service import Service
from arena.league.single_match import deal_of_seed
from arena.league.stored_games import deal_of, find
from results.store import open_store
from tests.support.empty_stores import open_copied
from tests.support.leagues import arena_here, create_here, in_this_process, play_here, simple, write_bot
from tests.support.open_leagues import assert_hidden

SEEDS = tuple(f"{number:064x}" for number in range(10))
LEAGUE = """\
name = "main"
game = "bread-basket"
seats = 2
deals = "suite:ten"
options = { hands = 1 }
[schedule]
rounds = 10
[[bots]]
glob = "pick*"
"""
PLAIN = ("--option", "hands=1", "--workers", "1", "--sandbox", "off")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a suite of ten deals, and two bots of one author."""
    suite = Suite("ten", "bread-basket", hash_of("bread-basket", SEEDS), SEEDS)
    (tmp_path / "ten.suite.toml").write_text(suite_text(suite))
    (tmp_path / "league.toml").write_text(LEAGUE)
    for number in range(3):
        write_bot(tmp_path, f"pick{number}", simple(number), game="bread-basket")
    return tmp_path


def test_a_round_of_a_league_plays_the_deal_of_its_number_and_nothing_is_rated(folder: Path) -> None:
    (folder / "league.toml").write_text(LEAGUE.replace("rounds = 10", "rounds = 3"))
    create_here(folder / "league.toml")
    (folder / "ten.suite.toml").unlink()  # the league keeps what it plays
    assert play_here(folder, "main")
    with open_store(folder / "arena.sqlite") as store:
        league = store.leagues.get("main")
        assert not league.rated
        matches = store.matches.all("main")
        assert len(matches) == 3 * 3
        for match in matches:
            found = deal_of(store, find(store, league, match.match_no, 0))
            assert found is not None
            assert found.seed.hex() == SEEDS[match.round_no]
        assert list(audit(store, league)) == []
    shown = arena_here("rankings", "main", "--format", "csv", cwd=folder)
    assert shown.stdout.count("tests/pick") == 3


def test_a_suites_league_runs_beside_others_and_shows_no_deal_before_its_last_table_is_over(
    folder: Path,
) -> None:
    """An author reads games, logs and seeds whenever a few more are over, also while the other league plays."""
    (folder / "league.toml").write_text(LEAGUE.replace("rounds = 10", "rounds = 2"))
    (folder / "ladder.toml").write_text(
        LEAGUE.replace('"main"', '"ladder"')
        .replace('deals = "suite:ten"', "")
        .replace("rounds = 10", 'kind = "ladder"')
    )
    for file in ("league.toml", "ladder.toml"):
        create_here(folder / file)
    with open_store(folder / "arena.sqlite") as store:
        main = store.leagues.get("main")
        told: list[str] = []
        served = Service(
            store,
            lambda league: LeagueRun(store, league, executor=SerialExecutor()),
            lambda: None,
            told.append,
        )
        turns: list[str] = []
        hidden_meanwhile: list[int] = []

        def read(run: LeagueRun, _: object) -> None:
            hidden = store.matches.hidden("main")
            finished = {game.match_no for game in store.games.all("main")}
            assert_hidden(store, main, finished & hidden)
            for match_no in finished - hidden:
                assert find(store, main, match_no, 0).record.match_no == match_no
            if run.league.name == "ladder":
                hidden_meanwhile.append(len(finished & hidden))
            run.stop.after_game |= run.progress.games >= 4

        while len({match.match_no for match in store.matches.all("main")} - store.matches.hidden("main")) < 6:
            run = served.next_run()
            assert run is not None
            turns.append(run.league.name)
            with in_this_process():
                served.ended(run, complete=run.run(partial(read, run)))
            assert len(turns) < 20
        assert set(turns[:2]) == {"main", "ladder"}, "they take turns"
        assert max(hidden_meanwhile) > 0, "a deal was open while the other league played"
        assert not store.matches.hidden("main")
        assert not store.leagues.get("main").rated
        assert store.leagues.get("ladder").rated
        assert {deal_of(store, find(store, main, no, 0)).seed.hex() for no in range(3)} == {SEEDS[0]}  # type: ignore[union-attr]
        ladder = store.leagues.get("ladder")
        dealt = {deal_of(store, find(store, ladder, no, 0)).seed.hex() for no in range(5)}  # type: ignore[union-attr]
        assert not dealt & set(SEEDS), "no deal of the suite is rated"


def test_a_comparison_plays_these_deals_once_and_has_its_answer_from_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    suite = read_suite("suite:ten", folder)
    runs = []
    with closing(open_copied(folder / "arena.sqlite", create=True)) as store:
        with bots_named(store, ["pick0", "pick1"], folder) as named:
            plan = plan_comparison(
                named.versions,
                Asked(
                    difference=0.001,
                    budget_games=1000,
                    game="bread-basket",
                    options=("hands=1",),
                    suite=suite,
                ),
            )
        assert plan.budget_games == 20
        for _ in range(2):
            with in_this_process():
                runs.append(ComparisonRun(store, begin(store, plan), plan, executor=SerialExecutor()))
                runs[-1].run(lambda _: None)
        assert runs[0].league.uuid == runs[1].league.uuid
        assert [run.test.matches for run in runs] == [10, 10]
        league = store.leagues.get("compare-1")
        assert not league.rated
        deal = deal_of(store, find(store, league, 2, 0))
        assert deal is not None
        assert deal == deal_of_seed("suite:ten/3", "bread-basket")


def test_a_race_ends_with_the_suite(folder: Path) -> None:
    with closing(open_copied(folder / "arena.sqlite", create=True)) as store:
        with bots_named(store, ["pick0", "pick1", "pick2"], folder) as named:
            plan = plan_race(
                named.versions,
                [()] * 3,
                Asked(
                    difference=0.001,
                    budget_games=1000,
                    game="bread-basket",
                    options=("hands=1",),
                    suite=read_suite("suite:ten", folder),
                ),
            )
        run = ComparisonRun(store, begin(store, plan), plan, executor=SerialExecutor())
        with in_this_process():
            assert run.run(lambda _: None) is None
        assert {match.round_no for match in store.matches.all("race-1")} == set(range(10))
        assert run.race.deals == 10
        assert "the suite ten has no more deals" in how_to_continue(run)


def test_a_command_makes_a_suite_that_can_be_used(tmp_path: Path) -> None:
    for _ in range(2):
        made = arena_here("suite", "smoke", "--game", "bread-basket", "--deals", "8", cwd=tmp_path)
    assert made.returncode == 2
    assert "already exists" in made.stderr
    for number in range(2):
        write_bot(tmp_path, f"pick{number}", simple(number))
    (tmp_path / "league.toml").write_text(LEAGUE.replace("ten", "smoke").replace("rounds = 10", "rounds = 8"))
    assert arena_here("league", "create", "league.toml", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("change", "said", "remedy"),
    [
        (
            lambda text: text.replace(SEEDS[3], "f" * 64),
            "the seeds of the suite ten were changed",
            "get the file",
        ),
        (lambda text: text.replace(SEEDS[3], "xyz"), "seed 4 of the suite ten isn't 64 hex", "get the file"),
        (
            lambda text: text.replace("bread-basket", "sandwich"),
            "has deals of sandwich, not of",
            "arena suite",
        ),
        (
            lambda _: suite_text(Suite("ten", "bread-basket", hash_of("bread-basket", ()), ())),
            "has no deals",
            "make",
        ),
        (lambda _: LEAGUE, "ten.suite.toml:3: unknown key 'seats'", "make one"),
        (lambda _: "\x00", "ten.suite.toml", ""),
        (lambda text: text.replace("]", "", 1), "ten.suite.toml", ""),
    ],
)
def test_what_is_wrong_with_a_suite_is_said(folder: Path, change: object, said: str, remedy: str) -> None:
    path = folder / "ten.suite.toml"
    path.write_text(change(path.read_text()))  # type: ignore[operator]
    for command in (
        ("league", "create", "league.toml"),
        ("compare", "./pick0", "./pick1", "--deals", "suite:ten", *PLAIN),
        ("match", "./pick0", "./pick1", "--seed", "suite:ten/1", "--sandbox", "off"),
    ):
        done = arena_here(*command, cwd=folder)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in " ".join(done.stderr.split())
        assert remedy in " ".join(done.stderr.split())
        assert len(done.stderr.splitlines()) <= 2 * 2
    assert not (folder / "arena.sqlite").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LEAGUE.replace("rounds = 10", "rounds = 11"), "one for each round"),
        (LEAGUE.replace("suite:ten", "suite:../ten"), "can't be the name of a suite"),
        (LEAGUE.replace("suite:ten", "suite:two"), "there is no suite two"),
        (LEAGUE.replace("rounds = 10", 'kind = "ladder"'), "has no rounds"),
    ],
)
def test_what_a_league_can_not_play(folder: Path, text: str, said: str) -> None:
    (folder / "league.toml").write_text(text)
    done = arena_here("league", "create", "league.toml", cwd=folder)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
