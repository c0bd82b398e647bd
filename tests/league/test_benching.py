"""Who keeps thinking on others' time is benched after three games, and stays so."""

from pathlib import Path

from arena.league.running.benching import BENCHED, MOST_GAMES, Bench
from protocol.verdicts import Verdict
from results.records import LeagueRecord
from results.store import Store
from tests.results.ledgers import new_league, new_store, plan, played

PONDERS = {1: Verdict.PONDERING}


def begun(place: Path, matches: int = 6) -> tuple[Store, LeagueRecord, list[object]]:
    store = new_store(place)
    league = new_league(store)
    return store, league, list(plan(store, league, *[(0, 1)] * matches))


def enter(store: Store, bench: Bench, match: object, faults: dict[int, Verdict]) -> int | None:
    """Enter a game into the ledger as a run does; return who is benched for it."""
    game = played(match, faults=faults)  # type: ignore[arg-type]
    store.append([game])
    return bench.count(game)


def test_three_games_and_out_by_an_event_with_the_match_it_happened_in(tmp_path: Path) -> None:
    store, league, matches = begun(tmp_path)
    bench = Bench(store, league.uuid)
    told = [enter(store, bench, match, PONDERS) for match in matches]
    assert told == [None, None, 1, None, None, None], "told once"
    assert bench.entries == {1}
    (event,) = store.leagues.events(league.uuid)
    assert (event.kind, event.at_match_no) == (BENCHED, 2)
    assert event.data == {"entry_no": 1, "why": f"thought on others' time in {MOST_GAMES} games"}


def test_other_faults_and_other_entries_are_not_counted(tmp_path: Path) -> None:
    store, league, matches = begun(tmp_path)
    bench = Bench(store, league.uuid)
    faults = [PONDERS, {1: Verdict.TIMEOUT}, {0: Verdict.PONDERING}, PONDERS, {1: Verdict.CRASH}, {}]
    assert [enter(store, bench, *pair) for pair in zip(matches, faults, strict=True)] == [None] * 6
    assert bench.entries == set()
    assert store.leagues.events(league.uuid) == []


def test_a_run_that_goes_on_counts_on(tmp_path: Path) -> None:
    store, league, matches = begun(tmp_path)
    for match in matches[:2]:
        enter(store, Bench(store, league.uuid), match, PONDERS)
    resumed = Bench(store, league.uuid)
    assert resumed.entries == set()
    assert enter(store, resumed, matches[2], PONDERS) == 1
    again = Bench(store, league.uuid)
    assert again.entries == {1}
    assert enter(store, again, matches[3], PONDERS) is None, "benched once"
    assert len(store.leagues.events(league.uuid)) == 1


def test_one_that_a_killed_run_had_no_time_to_bench_is_benched_at_its_next_fault(tmp_path: Path) -> None:
    store, league, matches = begun(tmp_path)
    for match in matches[:3]:
        store.append([played(match, faults=PONDERS)])  # type: ignore[arg-type]
    resumed = Bench(store, league.uuid)
    assert enter(store, resumed, matches[3], PONDERS) == 1
