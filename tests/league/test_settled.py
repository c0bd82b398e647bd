"""A league that ends when it is settled: where it ends depends on results alone."""

from pathlib import Path

import pytest

from arena.config.league_file import BotTable, LeagueFile, StopTable
from arena.core.errors import UsageError
from arena.league.changes.entries import Add, Replace, Retire
from arena.league.definition.stop_and_quota import check_stop, why_no_arrivals
from arena.league.end_rules import LAG, POINT_MATCHES, EndRule, Settled
from arena.schedules.base import Field, Finished
from results.base.scoring import UNIT
from results.records import EntrySpec, LeagueEvent
from results.records.roster import ADDED, BENCHED, ENDED, PAUSED, REPLACED, RESUMED, RETIRED
from results.store import open_store
from tests.support.leagues import (
    arena,
    arena_here,
    assert_nobody_left,
    digest,
    games_stored,
    kill_9,
    simple,
    start,
    wait_for_games,
    write_bot,
)
from tests.support.ledgers import NOW
from tests.support.open_leagues import digests, field_of, open_league, play, submitted

NEVER_MOVES = simple(0).replace('answer = {"type": "move"', 'sys.exit()  # {"type": "move"')


def won(match_no: int, winner: int, loser: int) -> Finished:
    return Finished(match_no, 0, (loser, winner), (0, 2 * UNIT), 2)


def drawn(match_no: int, *entries: int) -> Finished:
    return Finished(match_no, 0, entries, (UNIT,) * len(entries), 2)


def judged(rule: EndRule, results: list[Finished]) -> str:
    for match in results:
        rule.take(match)
    return rule.why


def test_points_lie_at_fixed_numbers() -> None:
    rule = Settled(StopTable(until="settled"), (0, 1), dict)
    points = {0: 0, POINT_MATCHES + LAG - 1: 0, POINT_MATCHES + LAG: 16, LAG + 31: 16, LAG + 32: 32}
    assert {planned: rule.sees(planned) for planned in points} == points


def test_points_lie_further_back_in_a_league_that_is_planned_further_ahead() -> None:
    rule = Settled(StopTable(until="settled", ahead=200), (0, 1), dict)
    points = {0: 0, LAG + 16: 0, 215: 0, 216: 16, 231: 16, 232: 32}
    assert {planned: rule.sees(planned) for planned in points} == points


def test_who_is_ordered_is_known_as_far_ahead_as_is_planned() -> None:
    events = [event(ADDED, 16 + 100 - 1, entries=[2])]
    for ahead, entries in ((100, {0, 1, 2}), (99, {0, 1})):
        table = StopTable(until="settled", ahead=ahead, arrivals=0.5)
        rule = Settled(table, (0, 1), dict, lambda first: events[first:])
        assert rule._field_after(16) == entries


def test_the_order_is_told_by_label() -> None:
    rule = Settled(StopTable(until="settled"), (0, 1, 2), lambda: {0: "ann", 1: "ben", 2: "cem"})
    assert judged(rule, [won(k, 2, 0) for k in range(16)]) == ""
    assert judged(rule, [Finished(16, 0, (0, 1), None, 2)] * 16) == "", "void matches say nothing"
    assert judged(rule, [won(k, 0, 1) for k in range(32, 48)]) == (
        "the whole order is settled at an error rate of 0.05: cem, ann, ben"
    )


def test_the_top_and_those_that_are_level_are_told() -> None:
    rule = Settled(
        StopTable(until="settled", top=2, indifference=0.2, error_rate=0.01),
        (0, 1, 2),
        lambda: {0: "ann", 1: "ben"},
    )
    results = [won(k, winner, 2) for k in range(20) for winner in (0, 1)]
    assert judged(rule, results) == ""
    assert judged(rule, [drawn(k, 0, 1) for k in range(200)]) == (
        "the top 2 are settled at an error rate of 0.01: ann, ben; "
        "statistically tied, within 0.2 of mean share: ann and ben"
    )


# A field that changes


OPEN = StopTable(until="settled", arrivals=0.5)
NAMES = {0: "ann", 1: "ben", 2: "cem"}


def event(kind: str, at_match_no: int, **data: object) -> LeagueEvent:
    return LeagueEvent("uuid", 0, at_match_no, kind, dict(data), NOW)


def rule_with(
    events: list[LeagueEvent], table: StopTable = OPEN, entries: tuple[int, ...] = (0, 1)
) -> Settled:
    return Settled(table, entries, lambda: NAMES, lambda first: events[first:], benched_play=False)


def test_an_entry_that_joins_has_to_be_placed_before_the_league_ends() -> None:
    events: list[LeagueEvent] = []
    rule = rule_with(events)
    assert judged(rule, [won(k, 1, 0) for k in range(15)]) == ""
    events.append(event(ADDED, 16 + LAG - 1, entries=[2]))  # the last match that is planned by then
    assert judged(rule, [won(k, 1, 0) for k in range(15, 32)]) == ""
    assert judged(rule, [won(k, winner, loser) for k in range(16) for winner, loser in ((2, 1), (1, 0))]) == (
        "the whole order is settled at an error rate of 0.05: cem, ben, ann"
    )


def test_events_are_read_once() -> None:
    events = [event(ADDED, 8, entries=[2])]
    read: list[LeagueEvent] = []

    def newer(first: int) -> list[LeagueEvent]:
        read.extend(events[first:])
        return events[first:]

    rule = Settled(OPEN, (0, 1), lambda: NAMES, newer)
    judged(rule, [won(k, k % 2, 1 - k % 2) for k in range(64)])
    events.append(event(RETIRED, 100, entry=2))
    judged(rule, [won(k, k % 2, 1 - k % 2) for k in range(64, 128)])
    assert read == events


def test_an_entry_that_joins_after_the_last_planned_match_comes_too_late() -> None:
    events = [event(ADDED, 16 + LAG, entries=[2])]
    assert judged(rule_with(events), [won(k, 1, 0) for k in range(16)]).endswith(": ben, ann")


def test_entries_known_from_the_start_and_found_by_events_make_no_difference() -> None:
    events = [event(ADDED, 8, entries=[2])]
    results = [won(k, winner, loser) for k in range(40) for winner, loser in ((2, 1), (1, 0))]
    found = [judged(rule_with(events, entries=entries), results) for entries in ((0, 1), (0, 1, 2))]
    assert found[0] == found[1] != ""


@pytest.mark.parametrize(
    "left",
    [
        event(RETIRED, 5, entry=2),
        event(PAUSED, 5, entry=2, by="organiser", why="asked for"),
        event(BENCHED, 5, entry_no=2, why="thought on others' time in 3 games"),
        event(REPLACED, 5, entry=3, predecessor=2),
    ],
    ids=lambda left: left.kind,
)
def test_entries_that_leave_are_no_longer_part_of_the_order(left: LeagueEvent) -> None:
    results = [won(k, 1, 0) for k in range(32)]
    assert judged(rule_with([], entries=(0, 1, 2)), results) == ""
    why = judged(rule_with([left], entries=(0, 1, 2)), results)
    assert why.endswith(": ben, ann") or (left.kind == REPLACED and why == "")


def test_a_paused_entry_comes_back_into_the_order_with_its_results() -> None:
    events = [
        event(PAUSED, 20, entry=2, by="organiser", why="asked for"),
        event(RESUMED, 32 + LAG - 1, entry=2),
    ]
    rule = rule_with(events, entries=(0, 1, 2))
    assert judged(rule, [won(k, 1, 2) for k in range(20)]) == ""
    assert judged(rule, [won(k, 2, 0) for k in range(20)]).endswith(": ben, cem, ann")


def test_benched_entries_stay_part_of_the_order_where_they_are_still_paired() -> None:
    events = [event(BENCHED, 5, entry_no=2, why="thought on others' time in 3 games")]
    rule = Settled(StopTable(until="settled"), (0, 1, 2), lambda: NAMES, lambda first: events[first:])
    assert judged(rule, [won(k, 1, 0) for k in range(32)]) == ""


def test_without_a_reserve_an_arrival_leaves_the_order_open_for_ever() -> None:
    rule = rule_with([event(ADDED, 8, entries=[2])], StopTable(until="settled"))
    assert (
        judged(rule, [won(k, winner, loser) for k in range(200) for winner, loser in ((2, 1), (1, 0))]) == ""
    )


def file_with(stop: StopTable) -> LeagueFile:
    return LeagueFile("spring", "bread-basket", (BotTable(path="bot"),), stop=stop)


def test_why_nobody_may_join_a_league_that_spends_its_error_rate_at_the_start() -> None:
    assert "stop.arrivals is 0" in why_no_arrivals(file_with(StopTable(until="settled")))
    assert why_no_arrivals(file_with(StopTable(until="settled", arrivals=0.1))) == ""
    assert why_no_arrivals(file_with(StopTable(matches=100))) == ""


SETTLED = '[schedule]\nkind = "ladder"\nlag = 8\n[stop]\nuntil = "settled"\nmatches = 160\n'


def test_nobody_joins_a_league_whose_error_rate_is_spent(tmp_path: Path) -> None:
    store = open_league(tmp_path, SETTLED)
    submitted(store, "late", simple(9))
    submitted(store, "bot-1", simple(9))
    refused = r"no bot can join main: .* \(stop\.arrivals is 0\)"
    with pytest.raises(UsageError, match=refused):
        Add("main", "late").perform(store)
    with pytest.raises(UsageError, match=refused):
        Replace("main", "bot-1").perform(store)
    assert [entry.label for entry in store.entries.all("main")] == [f"bot-{n}" for n in range(4)]
    Retire("main", "bot-3").perform(store)


def joined_and_left(folder: Path, *stops: int) -> tuple[object, ...]:
    """Play a league that a bot joins and one leaves, with a run for each of the stops; return how it ended."""
    folder.mkdir()
    store = open_league(folder, f"{SETTLED}arrivals = 0.5\ntop = 1\n")
    submitted(store, "late", NEVER_MOVES)
    store.entries.add("main", [EntrySpec("late", store.versions.find("late").id)], 40)
    store.entries.retire("main", 3, 56)
    for stop in stops:
        play(store, until=stop)
    play(store)
    ends = [(e.at_match_no, e.data) for e in store.leagues.events("main") if e.kind == ENDED]
    assert store.leagues.get("main").state == "finished"
    assert "late" in field_of(store, "main", 40)
    assert "bot-3" not in field_of(store, "main", 56)
    return ends, digests(store, "main")


@pytest.mark.slow
def test_a_league_that_bots_join_and_leave_ends_the_same_with_any_interruptions(tmp_path: Path) -> None:
    assert joined_and_left(tmp_path / "whole") == joined_and_left(tmp_path / "parts", 20, 45, 70, 100)


def test_a_reserve_without_settling_is_refused() -> None:
    with pytest.raises(UsageError, match=r"stop\.arrivals: has no effect"):
        check_stop(StopTable(arrivals=0.5), Field((0, 1, 2, 3), (2,)), endless=False)


# Real leagues


def create(folder: Path, mark: str) -> None:
    """Create a ladder of two, of which one never moves."""
    folder.mkdir()
    write_bot(folder, "plays", simple(0, pause_ms=2), mark)
    write_bot(folder, "fails", NEVER_MOVES, mark)
    (folder / "league.toml").write_text(
        'name = "test"\ngame = "bread-basket"\nseats = 2\nseed = 7\nrotations = "off"\noptions = { hands = 1 }\n'
        'schedule = { kind = "ladder" }\nstop = { until = "settled", matches = 500 }\n'
        'bots = [{ path = "fails" }, { path = "plays" }]\n'
    )
    arena_here("league", "create", "league.toml", cwd=folder)


def over(folder: Path) -> tuple[dict[str, str], list[object]]:
    """Return the hashes of a league that ended, and how it ended."""
    with open_store(folder / "arena.sqlite", readonly=True) as store:
        league = store.leagues.get()
        assert league.state == "finished"
        ends = [e for e in store.leagues.events(league.uuid) if e.kind == ENDED]
        assert len(ends) == 1
        return digest(folder), [ends[0].at_match_no, ends[0].data["why"]]


def run_with_kills(folder: Path, workers: int, kills: int) -> str:
    create(folder, str(folder.parent))
    for kill in range(kills):
        process = start("run", "test", "--workers", str(workers), cwd=folder)
        wait_for_games(folder, 45 * (kill + 1) // (kills + 2), process)
        assert process.poll() is None, "the league was over before it could be killed"
        kill_9(process)
    return arena("run", "test", "--workers", str(workers), cwd=folder).stderr


@pytest.mark.slow
def test_a_settled_league_ends_at_a_fixed_match_and_says_so(tmp_path: Path) -> None:
    create(tmp_path / "whole", str(tmp_path))
    told = arena_here(
        "run", "test", "--executor", "serial", "--sandbox", "off", cwd=tmp_path / "whole"
    ).stderr
    assert "test is over: the whole order is settled at an error rate of 0.05: plays, fails" in told
    assert "plays, fails" in arena_here("league", "show", "test", cwd=tmp_path / "whole").stderr
    assert "48 games · finished, settled\n" in arena_here("rankings", cwd=tmp_path / "whole").stdout
    whole = over(tmp_path / "whole")
    # Nine matches in a row are enough; they are looked at after 16, and what was planned by then is played.
    assert whole[1][0] == POINT_MATCHES + LAG
    assert games_stored(tmp_path / "whole") == POINT_MATCHES + LAG


@pytest.mark.slow
def test_a_settled_league_ends_at_the_same_match_for_any_workers_and_interruptions(tmp_path: Path) -> None:
    run_with_kills(tmp_path / "whole", workers=1, kills=0)
    run_with_kills(tmp_path / "killed", workers=2, kills=1)
    assert over(tmp_path / "killed") == over(tmp_path / "whole")
    assert_nobody_left(str(tmp_path))


def test_what_may_end_a_league_is_told_before_it_is_over(tmp_path: Path) -> None:
    create(tmp_path / "new", "mark")
    assert arena_here("league", "show", "test", cwd=tmp_path / "new").stderr == (
        "test is not finished: until its order is settled at an error rate of 0.05, at most 500 matches\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 4])
def test_many_kills(tmp_path: Path, workers: int) -> None:
    run_with_kills(tmp_path / "whole", workers=2, kills=0)
    run_with_kills(tmp_path / "killed", workers=workers, kills=4)
    assert over(tmp_path / "killed") == over(tmp_path / "whole")
    assert_nobody_left(str(tmp_path))
