"""The queue: who plays when, that nothing of it is lost, and what authors may ask for."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

import arena.league.inbox.job_commands as queued
from arena.config.settings import QueueTable, Settings
from arena.core.errors import UsageError
from arena.executors.worker import SerialExecutor
from arena.league.compare import ComparisonRun, begin
from arena.league.comparison_plans import Asked, ComparisonPlan
from arena.league.definition.bot_arguments import bots_named
from arena.league.inbox.job_commands import ChangeJob, Enqueue
from arena.league.job_queue import LEAGUES_S, MOST_JOBS_A_DAY, TURN_S, JobTurns, job_named, plan_of
from results.records import LeagueRecord
from results.records.roster import QUEUED, Job, jobs_of
from results.reports.queue import queue_rows
from results.store import Store, open_store
from tests.support.empty_stores import open_copied
from tests.support.leagues import (
    arena,
    arena_here,
    games_stored,
    in_this_process,
    kill_9,
    simple,
    start,
    wait_for_games,
    write_bot,
)
from tests.support.waiting import eventually

AUTHORS = {"ann": 2, "bob": 2}
QUESTION = {"game": "bread-basket", "options": ("hands=1",), "difference": 0.15, "seed": "5"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Yield a store with two versions of each author, `ann/ann-0` and so on."""
    with closing(open_copied(tmp_path / "arena.sqlite", create=True)) as opened:
        for author, bots in AUTHORS.items():
            for number in range(bots):
                write_bot(tmp_path, f"{author}-{number}", simple(number), author=author)
        names = [f"{author}-{number}" for author, bots in AUTHORS.items() for number in range(bots)]
        with bots_named(opened, names, tmp_path):
            pass
        yield opened


def add(store: Store, author: str = "ann", **asked: object) -> str:
    """Queue a comparison of an author's bots; return its name."""
    names = (f"{author}/{author}-0", f"{author}/{author}-1")
    given = {"budget_games": 400, **QUESTION, **asked}
    job: dict[str, object] = {"what": "compare", "bots": names}
    job |= {key: given.pop(key) for key in [*given] if key in Enqueue.__struct_fields__}
    queued = Enqueue(**job, asked=Asked(**given)).perform(store)  # type: ignore[arg-type]
    return queued.split(":")[0].removeprefix("queued ")


class Playing:
    """Plays turns of the queue, each of so many games."""

    def __init__(self, store: Store, games_a_turn: int = 1_000_000) -> None:
        self.store, self.games, self.now_s = store, games_a_turn, 0.0
        self.told: list[str] = []
        self.played: list[str] = []
        self.turns = JobTurns(
            store,
            lambda league, plan: ComparisonRun(store, league, plan, executor=SerialExecutor()),
            self.told.append,
            lambda: self.now_s,
        )

    def turn(self) -> bool:
        run = self.turns.next_run()
        if run is None:
            return False
        self.played.append(run.league.name)
        before = run.progress.games_before

        def shown(run: ComparisonRun) -> None:
            if run.progress.games_before + run.progress.games - before >= self.games:
                run.league_run.stop.after_game = True

        with in_this_process():
            run.run(shown)
        self.turns.ended(run)
        return True

    def all(self) -> list[str]:
        while self.turn():
            pass
        return self.played


def states(store: Store) -> dict[str, str]:
    return {row.job: row.state for row in queue_rows(store)}


def test_the_most_urgent_plays_first_then_authors_take_turns(store: Store) -> None:
    first, second = add(store), add(store, seed="6")
    other, urgent = add(store, "bob"), add(store, "bob", seed="7", priority=1)
    playing = Playing(store)
    assert playing.all() == [urgent, first, other, second]
    assert not playing.turn()
    assert set(states(store).values()) <= {"better", "worse", "no difference", "undecided"}
    assert playing.told[0].startswith(f"{urgent} is over: ")


def test_a_job_in_turns_ends_as_if_it_had_been_alone(store: Store) -> None:
    job, other = add(store), add(store, "bob")
    playing = Playing(store, games_a_turn=16)
    assert playing.all()[:4] == [job, other, job, other]
    league = store.leagues.get(job)
    plan = plan_of(store, league, jobs_of(store.leagues.events(league.uuid))[league.uuid])
    in_turns = ComparisonRun(store, league, plan, executor=SerialExecutor())
    events = store.leagues.events(league.uuid)
    store.leagues.delete(league.uuid)
    alone = ComparisonRun(store, begin(store, plan), plan, executor=SerialExecutor())
    with in_this_process():
        alone.run(lambda _: None)
    assert (in_turns.answer, in_turns.test.interval()) == (alone.answer, alone.test.interval())
    assert [event.kind for event in events].count(QUEUED) == 2


def test_a_turn_ends_only_if_another_job_waits(store: Store) -> None:
    add(store)
    playing = Playing(store)
    run = playing.turns.next_run()
    assert run is not None
    playing.now_s = TURN_S
    assert not playing.turns.turn_is_over(run, 0.0)
    add(store, "bob")
    assert playing.turns.turn_is_over(run, 0.0)
    assert not playing.turns.turn_is_over(run, 1.0)


def test_a_job_gives_way_to_leagues_after_a_while_and_to_nobody_at_once(store: Store) -> None:
    name = add(store)
    playing = Playing(store)
    run = playing.turns.next_run()
    assert run is not None
    for now_s, leagues_wait, gives_way in ((29.0, True, False), (30.0, True, True), (33.0, False, False)):
        playing.now_s = now_s
        assert playing.turns.gives_way(run, 0.0, partial(bool, leagues_wait)) == gives_way
    ChangeJob(name, "paused").perform(store)
    assert not playing.turns.gives_way(run, 0.0, lambda: False), "it looks once a second"
    playing.now_s += 1
    assert playing.turns.gives_way(run, 0.0, lambda: False)


def test_jobs_are_paused_resumed_removed_and_made_urgent(store: Store) -> None:
    first, second, third = add(store), add(store, "bob"), add(store, seed="6")
    ChangeJob(first, "paused").perform(store)
    ChangeJob(second, "removed").perform(store)
    assert states(store) == {first: "paused", third: "waits"}
    playing = Playing(store)
    assert playing.all() == [third]
    ChangeJob(first, "waits").perform(store)
    assert playing.all() == [third, first]
    assert store.leagues.get(second)
    for name, why in ((first, "is over"), (second, "no job compare-2 is in the queue")):
        with pytest.raises(UsageError, match=why):
            ChangeJob(name, "paused").perform(store)
    waiting = [add(store, seed=f"{number}") for number in (8, 9)]
    ChangeJob(waiting[1], priority=3).perform(store)
    assert [row.job for row in queue_rows(store)][:2] == [waiting[1], waiting[0]]


def test_a_removed_job_stops_with_the_games_being_played(store: Store) -> None:
    name = add(store)
    playing = Playing(store)
    run = playing.turns.next_run()
    assert run is not None
    assert playing.turns.still_waits(run)
    ChangeJob(name, "removed").perform(store)
    assert not playing.turns.still_waits(run)
    playing.turns.ended(run)
    assert states(store) == {}


def test_the_same_question_waits_once(store: Store) -> None:
    name = add(store)
    with pytest.raises(UsageError, match=f"{name} is in the queue already"):
        add(store)


def test_a_tune_of_what_the_bot_does_not_read_fails_and_says_why(store: Store, tmp_path: Path) -> None:
    place = write_bot(tmp_path, "deaf", simple(1), author="ann")
    with (place / "bot.toml").open("a") as file:
        file.write("\n[parameters]\nheld = { value = 1, low = 0, high = 9, integer = true }\n")
    with bots_named(store, ["deaf"], tmp_path) as named:
        bots = (named.versions[0].reference,)
    name = add(store, what="tune", bots=bots, budget_games=64, then_games=50, difference=0.5)
    playing = Playing(store, games_a_turn=64)
    assert "compare-1" not in playing.all()
    assert f"{name} failed: {bots[0]} plays the same whatever the value of held" in playing.told[0]
    (row,) = queue_rows(store)
    assert row.state == "failed"
    assert "plays the same" in (row.why or "")


def test_a_tune_is_followed_by_a_comparison_of_what_it_found(store: Store, tmp_path: Path) -> None:
    place = write_bot(tmp_path, "tuned", simple(1), author="ann")
    with (place / "bot.toml").open("a") as file:
        file.write("\n[parameters]\npick = { value = 1, low = 0, high = 9, integer = true }\n")
    with bots_named(store, ["tuned"], tmp_path) as named:
        bots = (named.versions[0].reference,)
    name = add(store, what="tune", bots=bots, budget_games=64, then_games=50, difference=0.5)
    playing = Playing(store, games_a_turn=24)
    playing.turn()
    league, job = job_named(store, name)
    assert plan_of(store, league, job).parameters["pick"].high == 9
    assert "compare-1" in playing.all()
    assert playing.told[0] == f"{name} is over; compare-1 compares what it found"
    assert states(store)[name] == "tuned"
    assert len(store.games.all(store.leagues.get(name).uuid)) == 64
    (after,) = (row for row in queue_rows(store) if row.job == "compare-1")
    assert (after.what, after.budget_games) == ("compare", 50)


def test_a_race_is_one_with_arguments_and_ends_with_its_answer(store: Store) -> None:
    bots = ("ann/ann-0", "bob/bob-1", "ann/ann-0")
    name = add(store, what="race", bots=bots, args=((), (), ("--depth=2",)))
    league, job = job_named(store, name)
    plan = plan_of(store, league, job)
    assert plan.is_race
    assert [bot.args for bot in plan.file.bots] == [(), (), ("--depth=2",)]
    Playing(store).all()
    assert states(store)[name] in ("best", "none better", "undecided")


def test_a_job_that_can_not_be_played_is_paused_and_says_why(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, other = add(store), add(store, "bob")

    def changed(store: Store, league: LeagueRecord, job: Job) -> ComparisonPlan:
        if league.name == name:
            raise UsageError("its rules are another version's")
        return plan_of(store, league, job)

    monkeypatch.setattr("arena.league.job_queue.plan_of", changed)
    playing = Playing(store)
    assert playing.all() == [other]
    (row,) = (row for row in queue_rows(store) if row.job == name)
    assert (row.state, row.why) == ("paused", "its rules are another version's")
    assert playing.told[0] == f"{name} is paused: its rules are another version's"


def test_authors_ask_for_comparisons_of_their_own_bots_within_a_quota(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queued, "read_settings", lambda: Settings(queue=QueueTable(1_000)))
    with pytest.raises(UsageError, match="bob/bob-0@1 isn't a bot of ann"):
        add(store, "bob", by="ann")
    assert not store.leagues.all()
    name = add(store, by="ann", budget_games=600)
    ChangeJob(name, "removed").perform(store)
    with pytest.raises(UsageError, match="ann may ask for 400 more games today, not 600"):
        add(store, by="ann", seed="6", budget_games=600)
    add(store, by="ann", seed="6")
    add(store, "bob", by="bob", budget_games=1_000)
    add(store, seed="7", budget_games=5_000)  # an organiser
    monkeypatch.setattr(queued, "read_settings", lambda: Settings(queue=QueueTable(1_000_000)))
    for number in range(MOST_JOBS_A_DAY - 2):
        add(store, by="ann", seed=f"more {number}", budget_games=20)
    with pytest.raises(UsageError, match=f"ann has asked for {MOST_JOBS_A_DAY} comparisons today"):
        add(store, by="ann", seed="one more", budget_games=20)


def test_the_queue_tells_for_how_long_it_may_play(store: Store) -> None:
    assert arena_here("queue", cwd=store.path.parent).stdout == ""
    first, second = add(store), add(store, "bob")
    assert [row.most_minutes for row in queue_rows(store)] == [None, None]
    playing = Playing(store, games_a_turn=32)
    playing.turn()
    rows = {row.job: row for row in queue_rows(store)}
    minutes = rows[first].most_minutes
    assert minutes is not None
    assert minutes == rows[second].most_minutes
    ChangeJob(first, priority=1).perform(store)
    urgent = {row.job: row for row in queue_rows(store)}[first].most_minutes
    assert urgent is not None
    assert 0 < urgent < minutes


def test_the_queue_has_its_turn_while_leagues_always_play(store: Store) -> None:
    playing = Playing(store)
    assert not playing.turns.is_due()
    playing.now_s = 2 * LEAGUES_S
    assert not playing.turns.is_due(), "nothing waits"
    add(store)
    assert not playing.turns.is_due(), "it was looked at just now"
    playing.now_s = 3 * LEAGUES_S
    assert playing.turns.is_due()
    assert playing.turns.next_run() is not None
    assert not playing.turns.is_due()


def test_pausing_twice_and_jobs_that_do_not_exist(store: Store) -> None:
    job = add(store)
    assert ChangeJob(job, "paused").perform(store) == f"{job}: paused, priority 0"
    events = len(store.leagues.events(store.leagues.get(job).uuid))
    assert ChangeJob(job, "paused").perform(store) == f"{job}: paused already, priority 0"
    assert len(store.leagues.events(store.leagues.get(job).uuid)) == events
    with pytest.raises(UsageError, match="no job compare-99 is in the queue"):
        ChangeJob("compare-99", "paused").perform(store)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("compare", "--deals", "suite:x", "--seed", "1"), "--deals names the deals, so --seed has nothing"),
        (("compare", "--arg", "x=1"), "--arg is an option of race, not of compare"),
        (("tune", "--deals", "suite:x"), "--deals is an option of compare and race, not of tune"),
        (("race", "-p", "x"), "--parameter is an option of tune, not of race"),
        (("compare", "--seats", "4"), "--seats is an option of race and tune, not of compare"),
    ],
)
def test_options_of_another_kind_of_job_are_refused(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = arena_here("queue", "add", words[0], "a", "b", *words[1:], cwd=tmp_path)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


def test_a_name_means_the_version_before_folders_are_submitted(tmp_path: Path) -> None:
    bot = write_bot(tmp_path, "pick", simple(0), game="bread-basket")
    assert arena_here("submit", "pick", "--sandbox", "off", cwd=tmp_path).returncode == 0
    (bot / "bot.py").write_text((bot / "bot.py").read_text() + "# changed")
    done = arena_here("queue", "add", "compare", "tests/pick", "./pick", "--budget", "20", cwd=tmp_path)
    assert "compare of tests/pick@1, tests/pick@2, at most 20 games" in done.stdout, done.stderr


@pytest.mark.slow
def test_a_killed_queue_goes_on_and_leagues_come_first(tmp_path: Path) -> None:
    for number in range(2):
        write_bot(tmp_path, f"pick{number}", simple(number, 2), game="bread-basket")
    short = ("--option", "hands=1", "--game", "bread-basket", "--budget", "200", "-x", "0.001")
    done = arena("queue", "add", "compare", "./pick0", "./pick1", *short, cwd=tmp_path)
    assert "queued compare-1: compare of tests/pick0@1, tests/pick1@1, at most 200 games" in done.stdout
    (tmp_path / "league.toml").write_text(
        'name = "main"\ngame = "bread-basket"\noptions = { hands = 1 }\n'
        '[schedule]\nrounds = 4\n[[bots]]\nglob = "pick*"\n'
    )
    arena("league", "create", "league.toml", cwd=tmp_path)
    runner = start("run", "--workers", "1", cwd=tmp_path)
    wait_for_games(tmp_path, 40, runner)
    kill_9(runner)
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        assert store.leagues.get("main").state == "finished", "it came before the queue"
        # A worker that sees the end of its runner has its locks until then.
        assert eventually(lambda: states(store) == {"compare-1": "waits"})
        before = games_stored(tmp_path)
    runner = start("run", "--workers", "1", cwd=tmp_path)
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        assert eventually(lambda: states(store)["compare-1"] not in ("waits", "plays"), within_s=120)
        kill_9(runner)
        (row,) = queue_rows(store)
        assert row.state not in ("waits", "plays", "paused")
        assert before < 16 + row.games <= 16 + 200


SHORT_TURNS = """
import arena.league.job_queue
arena.league.job_queue.LEAGUES_S = 2.0
arena.league.job_queue.AMONG_LEAGUES_S = 5.0
from arena.cli import main
main()
"""


@pytest.mark.slow
def test_a_ladder_that_never_rests_leaves_the_queue_its_turns(tmp_path: Path) -> None:
    for number in range(3):
        write_bot(tmp_path, f"pick{number}", simple(number, 2), game="bread-basket")
    (tmp_path / "league.toml").write_text(
        'name = "main"\ngame = "bread-basket"\noptions = { hands = 1 }\nsame_author = true\n'
        '[schedule]\nkind = "ladder"\n[[bots]]\nglob = "pick*"\n'
    )
    arena("league", "create", "league.toml", cwd=tmp_path)
    short = ("--option", "hands=1", "--game", "bread-basket", "--budget", "30", "-x", "0.001")
    arena("queue", "add", "compare", "./pick0", "./pick1", *short, cwd=tmp_path)
    with subprocess.Popen(
        [sys.executable, "-c", SHORT_TURNS, "run", "--workers", "1"], cwd=tmp_path
    ) as runner:
        try:
            with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
                assert eventually(lambda: states(store)["compare-1"] not in ("waits", "plays"), 120)
                played = store.leagues.progress(store.leagues.get("main").uuid).matches_counted
                assert eventually(
                    lambda: store.leagues.progress(store.leagues.get("main").uuid).matches_counted > played,
                    60,
                ), "the ladder plays on"
        finally:
            runner.terminate()
