"""A league whose field changes at random and whose runs are killed is the same when its events are played again."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import msgspec
import pytest

from arena.core.errors import ArenaError
from arena.league.changes.entries import Add, Bench, Pause, Replace, Resume, Retire
from arena.league.changes.whole_league import Aim, Extend, Season
from arena.league.definition.stored import StoredDefinition
from arena.league.end_rules import Judge, Settled, begin
from arena.league.export_and_import import create_from_events, exported, read_events
from arena.league.running.match_planner import Planner
from arena.schedules.base import Open
from protocol.verdicts import Verdict
from results.records import GameRecord, MatchRecord
from results.records.roster import EXTENDED
from results.store import Store, open_store
from tests.support.leagues import simple, write_bot
from tests.support.ledgers import played
from tests.support.open_leagues import open_league, submitted
from tests.support.outside import beside, installed

DRAWS = "draw_probability = 0.1"
VERSIONS = 4
"""Of each bot."""


class Play:
    """Plays a league without bots, as `LeagueRun` does: games are made up, and appended in any order."""

    def __init__(self, store: Store, name: str, rng: Random) -> None:
        self.store, self.rng = store, rng
        self.league = store.leagues.get(name)
        self.slots = 0
        """How many games the machines of this run can play at the same time."""
        self.begin()

    def begin(self) -> None:
        """Start a run, as after a kill."""
        store, league = self.store, self.league
        stored = StoredDefinition(store, league)
        definition = stored.at(store.leagues.progress(league.uuid).matches_planned)
        entries = store.entries.all(league.uuid)
        rules = []
        if definition.file.stop.until == "settled":
            rules = [
                Settled(
                    definition.file.stop,
                    [entry.entry_no for entry in entries],
                    lambda: {entry.entry_no: entry.label for entry in store.entries.all(league.uuid)},
                    partial(store.leagues.events, league.uuid),
                    benched_play=not isinstance(definition.schedule, Open),
                )
            ]
        judge = Judge(store, league.uuid, rules)
        budget = begin(store, league, definition.file.stop)
        judge.add(budget)
        self.planner = Planner(
            store,
            league,
            stored,
            store.leagues.secret(league.uuid),
            judge,
            changed=lambda changed: budget.change(changed.file.stop),
            slots=lambda: self.slots,
        )

    def run(self, change: Callable[[], None] = lambda: None, killed: float = 0.05) -> None:
        """Play until the league is complete, or waits."""
        store, rng = self.store, self.rng
        while True:
            change()
            while self.planner.next_matches():
                if rng.random() < 0.5:
                    change()
            games = self.open_games()
            if not games:
                return
            store.append(rng.sample(games, rng.randint(1, min(len(games), 9))))
            if rng.random() < killed:
                self.begin()

    def open_games(self) -> list[GameRecord]:
        done = self.store.games.keys(self.league.uuid)
        matches = self.store.matches.open(self.league.uuid)
        return [
            made_up(match, rotation)
            for match in matches
            for rotation in range(match.games)
            if (match.match_no, rotation) not in done
        ]

    def outcome(self) -> tuple[object, ...]:
        """Return all that has to be the same again."""
        store, uuid = self.store, self.league.uuid
        matches = [msgspec.structs.replace(match, league="") for match in store.matches.all(uuid)]
        priors = [entry.prior for entry in store.entries.all(uuid)]
        return matches, priors, store.ratings.digest(uuid)


def made_up(match: MatchRecord, rotation: int) -> GameRecord:
    """Return a game in which some entries fault often."""
    seats = len(match.entries)
    faults = {}
    for seat in range(seats):
        entry = match.entries[(seat - rotation) % seats]
        if entry % 5 == 2 and (match.match_no + entry) % 3:
            faults[seat] = Verdict.PONDERING if entry % 2 else Verdict.TIMEOUT
    return played(match, rotation, faults=faults)


def changes(
    store: Store, rng: Random, often: float, enough: int, *, season_at: int = 0
) -> Callable[[], None]:
    """Return a function that now and then makes a few random changes, refused ones too."""
    bots = [
        f"tests/{bot}@{number}" for bot in ("bot-0", "bot-1", "late") for number in range(1, VERSIONS + 1)
    ]

    def entry() -> str:
        return rng.choice(store.entries.all("main")).label

    kinds: list[Callable[[], object]] = [
        lambda: Add("main", rng.choice(bots)).perform(store),
        lambda: Add("main", rng.choice(bots), args=(str(rng.randrange(9)),)).perform(store),
        lambda: Replace("main", entry(), rng.choice(bots)).perform(store),
        lambda: Replace("main", store.entries.all("main")[-1].label, rng.choice(bots)).perform(store),
        lambda: Retire("main", entry()).perform(store),
        lambda: Pause("main", entry()).perform(store),
        lambda: Resume("main", entry()).perform(store),
        lambda: Resume("main", entry()).perform(store),
        lambda: Bench("main", entry()).perform(store),
        lambda: Resume("main", entry()).perform(store),
        lambda: Extend("main", matches=3).perform(store),
        lambda: Extend("main", rounds=1).perform(store),
        lambda: Aim("main", rng.choice(("order", "top:2", f"bot:{entry()}"))).perform(store),
        lambda: Pause("main").perform(store),
        lambda: Resume("main").perform(store),
    ]
    made = 0

    def change() -> None:
        nonlocal made
        if made < enough and rng.random() < often:
            for _ in range(rng.randint(1, 3)):
                made += 1
                if season_at and store.leagues.progress("main").matches_planned > season_at:
                    kinds.append(lambda: Season("main", matches=3).perform(store))
                try:
                    with store.together():
                        rng.choice(kinds)()
                except ArenaError:
                    pass
        elif made >= enough and store.entries.roster("main").league_paused:
            Resume("main").perform(store)

    return change


@pytest.mark.slow
def test_the_rating_of_a_replacement_counts_at_once_in_a_run_that_goes_on_as_in_one_begun_anew(
    tmp_path: Path,
) -> None:
    outcomes = []
    for killed in (0.0, 1.0):
        store = open_league(tmp_path / str(killed), '[schedule]\nkind = "ladder"\nlag = 64\nenough = 30\n')
        submitted(store, "bot-0", simple(20))
        play = Play(store, "main", Random(1))

        def change(store: Store = store) -> None:
            if store.leagues.progress("main").matches_planned == 32 and len(store.entries.all("main")) == 4:
                Replace("main", "bot-0").perform(store)

        play.run(change, killed)
        outcomes.append(play.outcome())
    assert outcomes[0] == outcomes[1]


TABLES = {
    "standing": '[schedule]\nkind = "ladder"\nlag = 64\nenough = 12\n',
    "budget": '[schedule]\nkind = "ladder"\nlag = 3\n[stop]\nmatches = 90\n',
    "settled": '[schedule]\nkind = "ladder"\nlag = 8\n[stop]\nuntil = "settled"\narrivals = 0.5\nmatches = 300\n',
    "round-robin": '[schedule]\nkind = "round-robin"\nrounds = 3\n',
    "round-robin-settled": '[schedule]\nkind = "round-robin"\nrounds = 12\n[stop]\nuntil = "settled"\narrivals = 0.5\n',
    "gauntlet": '[schedule]\nkind = "gauntlet"\nchallengers = ["bot-0"]\nrounds = 3\n',
    "season": '[schedule]\nkind = "ladder"\nlag = 8\nenough = 30\n',
}


KILLED = (0.0, 0.1, 0.6)
"""How likely a run is killed after each few results."""


MIXED = {
    "ladder": '[schedule]\nkind = "ladder"\nlag = 8\nenough = 20\n',
    "budget": TABLES["budget"],
    "round-robin": TABLES["round-robin"],
}
"""For tables of 2 and 3 with bots of several authors, who never share a table of 3."""
AUTHORS = {"bot-2": "others", "bot-3": "third"}


def same_again(
    folder: Path, tables: str, seed: int, *, is_season: bool = False, seats: str = "2", rating: str = DRAWS
) -> None:
    rng = Random(seed)
    store = open_league(folder, tables, seats=seats, rating=rating)
    for bot in ("bot-0", "bot-1", "late"):
        for number in range(VERSIONS):
            submitted(store, bot, simple(20 + number))
    live = Play(store, "main", rng)
    live.run(changes(store, rng, 0.1, 40, season_at=60 if is_season else 0), KILLED[seed % 3])
    path = folder / "main.jsonl"
    path.write_bytes(b"".join(exported(store, live.league)))
    header, events = read_events(path)
    create_from_events(store, header, events, "again")
    again = Play(store, "again", Random(seed + 1))
    again.run(killed=KILLED[(seed + seed // 3) % 3])
    assert again.planner.is_complete()
    assert again.outcome() == live.outcome()


def test_random_events_give_the_same_ladder_again(tmp_path: Path) -> None:
    same_again(tmp_path, TABLES["standing"], 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 5))])
def test_a_lag_that_followed_what_was_in_flight_is_the_same_again(tmp_path: Path, seed: int) -> None:
    """Machines come and go, and runs are killed; the league that plays the events again has none of them."""
    store = open_league(tmp_path, '[schedule]\nkind = "ladder"\nenough = 60\n', rating=DRAWS)
    submitted(store, "late", simple(20))
    live = Play(store, "main", Random(seed))

    def machines() -> None:
        counted = store.leagues.progress("main").matches_counted
        live.slots = (4, 30, 100, 4)[counted // 30 % 4]
        if counted > 50 and len(store.entries.all("main")) == 4:
            Add("main", "tests/late").perform(store)

    live.run(machines, KILLED[seed % 3])
    events = store.leagues.events(live.league.uuid)
    lags = [event.data["set"]["schedule.lag"] for event in events if event.kind == EXTENDED]
    assert set(lags) >= {128, 512}
    assert lags != sorted(lags), "it shrinks again"
    path = tmp_path / "main.jsonl"
    path.write_bytes(b"".join(exported(store, live.league)))
    create_from_events(store, *read_events(path), "again")
    again = Play(store, "again", Random(seed + 1))
    again.slots = 7
    again.run(killed=0.1)
    assert again.planner.is_complete()
    assert again.outcome() == live.outcome()


@pytest.mark.slow
def test_few_slots_leave_the_lag_as_it_is(tmp_path: Path) -> None:
    outcomes = []
    for slots in (0, 1, 2, 4, 8):
        store = open_league(tmp_path / str(slots), '[schedule]\nkind = "ladder"\nenough = 20\n', rating=DRAWS)
        play = Play(store, "main", Random(slots))
        play.slots = slots
        play.run()
        outcomes.append(play.outcome())
    assert outcomes[1:] == outcomes[:-1]


@pytest.mark.slow
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("seed", range(2, 12))
def test_random_events_give_the_same_league_again(tmp_path: Path, kind: str, seed: int) -> None:
    same_again(tmp_path, TABLES[kind], seed, is_season=kind == "season")


@pytest.mark.slow
@pytest.mark.parametrize("kind", MIXED)
@pytest.mark.parametrize("seed", range(3))
def test_random_events_of_several_authors_at_tables_of_several_sizes(
    tmp_path: Path, kind: str, seed: int
) -> None:
    for number in range(4):
        name = f"bot-{number}"
        place = write_bot(tmp_path / "bots", name, simple(number), game="bread-basket")
        manifest = place / "bot.toml"
        author = AUTHORS.get(name, "tests")
        manifest.write_text(manifest.read_text().replace('author = "tests"', f'author = "{author}"'))
    same_again(tmp_path, MIXED[kind], seed, seats="[2, 3]")
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        authors = {
            entry.entry_no: entry.version.author for entry in store.entries.all("main") if entry.version
        }
        tables = [match.entries for match in store.matches.all("main")]
    assert {len(table) for table in tables} == {2, 3}
    for table in tables:  # once all bots that play are by one author, they may meet
        assert len(table) == 2 or len({authors[entry] for entry in table}) != 2


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["standing", "round-robin", "season"])
@pytest.mark.parametrize("seed", range(2))
def test_random_events_rated_by_another_system(tmp_path: Path, kind: str, seed: int) -> None:
    with installed(beside(tmp_path / "site", "elo")):
        rating = 'system = "elo"\nk = 24'
        same_again(tmp_path, TABLES[kind], seed, is_season=kind == "season", rating=rating)
