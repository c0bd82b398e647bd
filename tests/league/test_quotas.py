"""Bots and authors that have used up their budget of the day pause until the next one."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.config.league_file import QuotaTable
from arena.executors.processes import ProcessExecutor
from arena.league.changes.entries import Add, Pause, Resume, Retire
from arena.league.changes.whole_league import Clone, Season
from arena.league.export_and_import import create_from_events, exported, read_events
from arena.league.running.daily_quotas import Quotas, _Spending
from arena.league.running.run import LeagueRun
from arena.referee.referee import Referee
from arena.schedules import round_robin
from results.records import LeagueEvent
from results.records.query_rows import DayUse
from results.records.roster import BUDGET, PAUSED, RESUMED
from results.reports.leagues import event_rows
from results.reports.status_rows import budgets
from results.store import Store, open_store
from results.store.verification.verify import verify
from tests.support.leagues import games_stored, kill_9, simple, start
from tests.support.open_leagues import (
    LADDER,
    ROUNDS,
    digests,
    field_of,
    open_league,
    planned,
    play,
    submitted,
)

DAY, NEXT_DAY = "2026-03-01", "2026-03-02"
BURNS = simple(0).replace(
    "time.sleep(0.0)", "end = time.process_time() + 0.005\n        while time.process_time() < end: pass"
)
"""A bot that takes 5 ms of CPU time for each decision."""


class Clock:
    """A time of day that stands still until it is set."""

    def __init__(self) -> None:
        self.now = f"{DAY}T12:00:00.000Z"

    def __call__(self) -> str:
        return self.now

    def set(self, day: str, time: str = "00:00:00") -> None:
        self.now = f"{day}T{time}.000Z"


@contextmanager
def league(tmp_path: Path, quota: str, tables: str = LADDER, bots: int = 4) -> Iterator[tuple[Store, Clock]]:
    """Create a league whose store and referee follow one clock."""
    open_league(tmp_path, f"{tables}[quota]\n{quota}\n", bots=bots).close()
    clock = Clock()
    with patch("arena.league.running.local_games.Referee", partial(Referee, now=clock)):
        yield open_store(tmp_path / "arena.sqlite", now=clock), clock


def budget_events(store: Store, name: str = "main") -> list[LeagueEvent]:
    return [event for event in store.leagues.events(name) if event.data.get("by") == BUDGET]


def out(store: Store) -> set[int]:
    """Return the entries that are paused."""
    return set(store.entries.roster("main").paused)


def games_of(store: Store, name: str = "main") -> dict[int, int]:
    """Return the games of each entry."""
    return {row.entry_no: row.games for row in store.ratings.standings(name)}


def test_all_bots_play_their_games_of_the_day_and_go_on_with_the_next(tmp_path: Path) -> None:
    with league(tmp_path, "games_per_day = 6") as (store, clock):
        run = play(store)
        first = planned(store)
        assert out(store) == {0, 1, 2, 3}
        assert run.waits == "no bot may play today (4 have used up their quota); back at 00:00 UTC"
        assert store.matches.open("main") == []
        assert games_of(store) == dict.fromkeys(range(4), 6)
        event = budget_events(store)[0]
        assert event.kind == PAUSED
        assert event.data["until"] == NEXT_DAY
        assert event.data["why"] == f"games for {DAY} used up (6 a day); back at 00:00 UTC"
        row = event_rows(store, store.leagues.get("main"))[0]
        assert row.words.endswith(f"games for {DAY} used up (6 a day); back at 00:00 UTC, by budget")
        clock.set(DAY, "23:59:59")
        play(store)
        assert planned(store) == first, "the day isn't over"
        clock.set(NEXT_DAY)
        play(store)
        assert planned(store) > first
        back = [event for event in budget_events(store) if event.kind == RESUMED]
        assert {(event.data["entry"], event.at_match_no) for event in back} == {(e, first) for e in range(4)}
        assert len(out(store)) >= 3, (
            "the second day's games are played, too; one bot may be left without opponents"
        )
        assert all(event.data["until"] == "2026-03-03" for event in budget_events(store)[-2:])


@pytest.mark.slow
def test_a_league_with_an_end_waits_for_the_next_day_instead_of_ending(tmp_path: Path) -> None:
    tables = f"{LADDER}[stop]\nmatches = 60\n"
    with league(tmp_path, "games_per_day = 6", tables) as (store, clock):
        run = play(store)
        assert planned(store) < 60
        assert store.leagues.get("main").state == "stopped"
        assert run.waits == "no bot may play today (4 have used up their quota); back at 00:00 UTC"
        for day in range(2, 9):
            clock.set(f"2026-03-0{day}")
            play(store)
        assert planned(store) == 60
        assert store.leagues.get("main").state == "finished"


@contextmanager
def burning(tmp_path: Path) -> Iterator[Store]:
    """Play a league of 52 matches whose bot "burner" takes all its CPU seconds; the next day begins meanwhile."""
    with league(tmp_path, "cpu_s_per_day = 0.1", f"{LADDER}[stop]\nmatches = 52\n", bots=3) as (
        store,
        clock,
    ):
        submitted(store, "burner", BURNS)
        Add("main", "burner").perform(store)

        def take_up() -> None:
            if planned(store) >= 40:
                clock.set(NEXT_DAY)

        play(store, take_up=take_up)
        assert planned(store) == 52
        yield store


def replayed(store: Store, name: str) -> Store:
    """Create a league of that name from the events of the main one."""
    file = store.path.parent / "events.jsonl"
    file.write_bytes(b"".join(exported(store, store.leagues.get("main"))))
    create_from_events(store, *read_events(file), name)
    return store


def assert_replayed(store: Store, name: str) -> None:
    assert store.leagues.get(name).state == "finished"
    assert digests(store, name) == digests(store, "main")
    assert len(budget_events(store, name)) == len(budget_events(store)), "read, not decided"


@pytest.mark.slow
def test_a_bot_that_burns_cpu_time_pauses_alone(tmp_path: Path) -> None:
    with burning(tmp_path) as store:
        burner = store.entries.find("main", "burner").entry_no
        pauses = [event for event in budget_events(store) if event.kind == PAUSED]
        assert {event.data["entry"] for event in pauses} == {burner}
        assert pauses[0].data["why"] == f"CPU seconds for {DAY} used up (0.1 a day); back at 00:00 UTC"
        back = next(event for event in budget_events(store) if event.kind == RESUMED)
        assert "burner" not in field_of(store, "main", pauses[0].at_match_no, back.at_match_no)
        assert "burner" in field_of(store, "main", back.at_match_no)


@pytest.mark.slow
def test_a_replay_has_the_same_digest_with_any_number_of_workers(tmp_path: Path) -> None:
    with burning(tmp_path) as store:
        play(replayed(store, "again"), "again")
        assert_replayed(store, "again")
        for workers in (1, 2):
            name = f"again-{workers}"
            replayed(store, name)
            LeagueRun(store, store.leagues.get(name), executor=ProcessExecutor(workers)).run(lambda _: None)
            assert_replayed(store, name)


@pytest.mark.slow
def test_a_budget_of_an_author_pauses_all_bots_of_that_author(tmp_path: Path) -> None:
    with league(tmp_path, "author_games_per_day = 20") as (store, _):
        for name in ("theirs-1", "theirs-2"):
            submitted(store, name, simple(1))
            manifest = tmp_path / "new" / name / "bot.toml"
            manifest.write_text(manifest.read_text().replace('author = "tests"', 'author = "others"'))
            Add("main", submitted(store, name, simple(2)).reference).perform(store)
        play(store, until=64)
        first = budget_events(store)[0]
        together = {e.data["entry"] for e in budget_events(store) if e.at_match_no == first.at_match_no}
        assert together in ({0, 1, 2, 3}, {4, 5}, {0, 1, 2, 3, 4, 5})
        author = "tests" if 0 in together else "others"
        assert first.data["why"].startswith(f"games for {DAY} of all bots by {author} used up (20 a day); ")
        play(store)
        assert sum(games for entry, games in games_of(store).items() if entry < 4) <= 20 + 1
        assert sum(games for entry, games in games_of(store).items() if entry >= 4) <= 20 + 1


@pytest.mark.slow
def test_what_people_decide_is_left_alone(tmp_path: Path) -> None:
    with league(tmp_path, "games_per_day = 10") as (store, clock):
        Pause("main", "bot-0", why="its author asked").perform(store)
        play(store)
        assert out(store) == {0, 1, 2, 3}
        at = planned(store)
        said = Resume("main", "bot-1").perform(store)
        assert said == f"bot-1 resumes in main at match {at}; its budget doesn't apply until 00:00 UTC"
        assert Resume("main", "bot-2").perform(store).endswith("doesn't apply until 00:00 UTC")
        Pause("main", "bot-3").perform(store)
        play(store, until=at + 16)
        assert planned(store) > at, "bots that people let play have no budget for the rest of the day"
        assert out(store) == {0, 3}
        clock.set(NEXT_DAY)
        play(store, until=planned(store) + 1)
        assert out(store) >= {0, 3}, "a pause by a person lasts"
        play(store)
        assert out(store) == {0, 1, 2, 3}, "the budget of the next day holds again"
        roster = store.entries.roster("main")
        assert {e for e, pause in roster.paused.items() if pause.by == "organiser"} == {0, 3}


@pytest.mark.slow
def test_a_round_robin_pauses_bots_at_the_end_of_a_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(round_robin, "BLOCK_MATCHES", 8)
    with league(tmp_path, "games_per_day = 4", ROUNDS) as (store, clock):
        run = play(store)
        assert "back at 00:00 UTC" in run.waits
        assert planned(store) % 6 == 0
        assert planned(store) < 18
        assert all(event.at_match_no % 6 == 0 for event in budget_events(store))
        Pause("main", "bot-0").perform(store)  # the others are back on the next day, so the league can go on
        Resume("main", "bot-0").perform(store)
        assert set(games_of(store).values()) == {6}, "one round a day, as less isn't possible"
        for day in range(2, 5):
            clock.set(f"2026-03-0{day}")
            play(store)
        assert planned(store) == 18
        assert store.leagues.get("main").state == "finished"


@pytest.mark.slow
def test_a_gauntlet_waits_for_its_challenger(tmp_path: Path) -> None:
    gauntlet = '[schedule]\nkind = "gauntlet"\nrounds = 6\n'
    with league(tmp_path, "games_per_day = 12", gauntlet) as (store, clock):
        run = play(store)
        assert out(store) == {0}
        assert run.waits == "1 has used up its quota; back at 00:00 UTC"
        first = planned(store)
        assert first % 3 == 0
        clock.set(NEXT_DAY)
        play(store)
        assert planned(store) > first
        assert all("bot-0" in field_of(store, "main", number, number + 1) for number in range(planned(store)))


def test_the_final_of_a_season_has_all_bots(tmp_path: Path) -> None:
    with league(tmp_path, "games_per_day = 10") as (store, _):
        play(store)
        assert out(store) == {0, 1, 2, 3}
        at = planned(store)
        Clone("main", "copy").perform(store)
        assert len(store.entries.all("copy")) == 4, "a pause for the day is no reason to be left out"
        Season("main", matches=6).perform(store)
        play(store)
        assert store.leagues.get("main").state == "finished"
        assert field_of(store, "main", at) == {f"bot-{number}" for number in range(4)}
        assert out(store) == set()


def naive_use(store: Store, day: str) -> dict[int, DayUse]:
    use: dict[int, DayUse] = {}
    for game in store.games.all("main"):
        if game.finished_at[:10] == day:
            for seat in game.seats:
                known = use.get(seat.entry_no, DayUse())
                use[seat.entry_no] = DayUse(known.games + 1, known.cpu_ns + seat.cpu_ns)
    return use


@pytest.mark.slow
@pytest.mark.parametrize("near", [2, 4096])
def test_what_was_used_is_that_of_the_ledger_at_any_time(tmp_path: Path, near: int) -> None:
    with (
        patch("results.store.games.NEAR_MATCHES", near),
        league(tmp_path, "games_per_day = 1000") as (store, clock),
    ):
        watched = Quotas(store, store.leagues.get("main"))

        def take_up() -> None:
            if planned(store) >= 16:
                clock.set(NEXT_DAY)
            today = clock.now[:10]
            naive = naive_use(store, today)
            assert watched.used(today) == naive, "as it grows"
            assert Quotas(store, store.leagues.get("main")).used(today) == naive, (
                "read anew, as after a restart"
            )

        play(store, until=32, take_up=take_up)
        assert naive_use(store, DAY)
        assert naive_use(store, NEXT_DAY)


def test_a_decision_before_the_kill_is_not_made_again(tmp_path: Path) -> None:
    with league(tmp_path, "games_per_day = 6") as (store, _):
        with (
            patch(
                "arena.league.running.match_planner.Planner._sees", side_effect=_killed_after_decision(store)
            ),
            pytest.raises(KeyboardInterrupt),
        ):
            play(store)
        decided = store.leagues.events("main")
        assert [event.kind for event in decided] == [PAUSED] * len(decided)
        at = planned(store)
        play(store)
        events = store.leagues.events("main")
        assert events[: len(decided)] == decided
        assert len({event.data["entry"] for event in events}) == len(events), "each bot once"
        assert {event.at_match_no for event in decided} == {at}


def _killed_after_decision(store: Store) -> object:
    def sees() -> int:
        if store.leagues.events("main"):
            raise KeyboardInterrupt
        return 0

    return sees


def test_the_report_has_what_was_used_and_what_is_allowed(tmp_path: Path) -> None:
    quota = "games_per_day = 6\nauthor_cpu_s_per_day = 1000\nversions_per_day = 5\nactive_versions = 6"
    with league(tmp_path, quota) as (store, clock):
        main = store.leagues.get("main")
        play(store)
        submitted(store, "late", simple(9))
        Add("main", "late").perform(store)
        Retire("main", "bot-0").perform(store)
        found = list(budgets(store, main))
        use = naive_use(store, DAY)
        numbers = {entry.label: entry.entry_no for entry in store.entries.all(main.uuid)}
        bots = [row for row in found if not row.is_author]
        assert [row.who for row in bots] == ["bot-1", "bot-2", "bot-3", "late"]
        for row in bots:
            used = use.get(numbers[row.who], DayUse())
            assert (row.what, row.used, row.allowed) == ("games today", used.games, 6)
            assert row.resets_at == f"{NEXT_DAY}T00:00:00.000Z"
        by_cpu, by_versions = (row for row in found if row.is_author)
        assert {by_cpu.who, by_versions.who} == {"tests"}
        assert by_cpu.used == sum(used.cpu_ns for used in use.values()) / 1e9, "with who has retired"
        assert by_cpu.allowed == 1000
        assert (by_versions.what, by_versions.used, by_versions.allowed) == ("versions today", 1, 5)
        clock.set(NEXT_DAY)
        assert {row.used for row in budgets(store, main)} == {0}


def test_a_league_without_quotas_reports_none(tmp_path: Path) -> None:
    store = open_league(tmp_path)
    assert not list(budgets(store, store.leagues.get("main")))


@pytest.mark.slow
def test_kills_change_no_decision(tmp_path: Path) -> None:
    open_league(tmp_path, f"{LADDER}[quota]\ngames_per_day = 60\n").close()
    random, kills = Random(5), 0
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        while len(out(store)) < 3:  # the last one has nobody to play with
            running = start("run", "main", "--workers", "2", cwd=tmp_path)
            least = games_stored(tmp_path) + random.randrange(5, 30)
            while running.poll() is None and games_stored(tmp_path) < least and len(out(store)) < 3:
                time.sleep(0.02)
            kill_9(running)
            kills += 1
    assert kills >= 3
    with open_store(tmp_path / "arena.sqlite") as store:
        play(store)  # what was planned
        pauses = [event.data for event in budget_events(store) if event.kind == PAUSED]
        assert len({data["entry"] for data in pauses}) >= 3
        assert len({(data["entry"], data["until"]) for data in pauses}) == len(pauses), "each once a day"
        games = {row.entry_no: row.games for row in store.ratings.standings("main")}
        assert all(games[data["entry"]] >= 60 for data in pauses)
        play(replayed(store, "again"), "again")
        assert_replayed(store, "again")
        assert verify(store) == []


@pytest.mark.slow
def test_a_round_that_does_not_fit_any_more_is_not_begun(tmp_path: Path) -> None:
    with league(tmp_path, "games_per_day = 15", ROUNDS) as (store, _):
        play(store)
        assert set(games_of(store).values()) == {12}, "two of three rounds, each of six games for a bot"
        assert out(store) == {0, 1, 2, 3}


@given(
    limits=st.tuples(*[st.none() | st.integers(1, 12)] * 2).filter(any),
    games=st.integers(1, 4),
    tables=st.lists(
        st.lists(st.integers(0, 5), min_size=2, max_size=4, unique=True), min_size=1, max_size=40
    ),
)
def test_whatever_is_planned_nobody_plays_more_than_one_match_over(
    limits: tuple[int | None, int | None], games: int, tables: list[list[int]]
) -> None:
    own, of_author = limits
    table = QuotaTable(games_per_day=own, author_games_per_day=of_author)
    authors = {entry: f"author {entry // 2}" for entry in range(6)}
    spending = _Spending(table, authors, DAY)
    played: Counter[int] = Counter()
    refused = set()
    for seated in tables:
        if over := {entry for entry in seated if spending.why(entry)}:
            refused |= over
            continue
        spending.plan(seated, games)
        played.update(dict.fromkeys(seated, games))
    theirs: Counter[str] = Counter()
    for entry, count in played.items():
        theirs[authors[entry]] += count
        assert own is None or count < own + games
    assert of_author is None or all(count < of_author + 2 * games for count in theirs.values()), (
        "two at a table"
    )
    for entry in refused:
        is_spent = own is not None and played[entry] >= own
        assert is_spent or (of_author is not None and theirs[authors[entry]] >= of_author)


@pytest.mark.slow
@pytest.mark.parametrize("quota", ["games_per_day = 9", "author_games_per_day = 60"])
def test_real_leagues_with_several_workers_keep_to_it(tmp_path: Path, quota: str) -> None:
    """The lag follows the workers, so that many matches are planned before the first result is there."""
    tables = f'[schedule]\nkind = "ladder"\n[quota]\n{quota}\n'
    store = open_league(tmp_path, tables, bots=8, seats='2\nrotations = "mirror"')
    run = LeagueRun(store, store.leagues.get("main"), executor=ProcessExecutor(4))
    run.run(lambda _: None)
    assert run.waits.startswith("no bot may play today (")
    games, most = games_of(store), 9 if "author" not in quota else 60
    counts = [sum(games.values())] if "author" in quota else list(games.values())
    a_match = store.matches.get("main", 0).games * (2 if "author" in quota else 1)
    assert all(count < most + a_match for count in counts), games
    assert max(counts) >= most
    play(replayed(store, "again"), "again")
    assert digests(store, "again") == digests(store, "main")
