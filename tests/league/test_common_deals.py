"""Deals that all tables of a round share: who plays them, in which order, and what nobody may learn of them."""

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from arena.core.errors import UsageError
from arena.core.ticket import Ticket
from arena.executors.worker import SerialExecutor
from arena.league.changes.entries import Add
from arena.league.deal_audit import audit
from arena.league.running.run import LeagueRun
from arena.league.stored_games import deal_of, find
from results.records import MatchRecord
from results.records.roster import arrivals
from results.store import Store
from tests.support.leagues import CRASHES_ON_A_HAND_IT_KNOWS, write_bot
from tests.support.open_leagues import ROUNDS, assert_hidden, open_league, play, submitted
from tests.support.tickets import match_of, take_all, tickets_of

COMMON = 'deals = "common"\n'
GAUNTLET = '[schedule]\nkind = "gauntlet"\nrounds = 3\n'
AUTHORS = ("ann", "bob", "cid", "dot")


def league_of(folder: Path, schedule: str = ROUNDS, **changes: object) -> Store:
    """Return the store of a league on common deals; keys of the whole file go before its tables."""
    return open_league(folder, schedule, **{"before": COMMON, "authors": AUTHORS, **changes})  # type: ignore[arg-type]


def matches_of(store: Store) -> list[MatchRecord]:
    return store.matches.all("main")


@pytest.mark.parametrize(("schedule", "tables"), [(ROUNDS, 6), (GAUNTLET, 3)])
def test_all_tables_of_a_round_play_one_deal_and_no_other_round_does(
    tmp_path: Path, schedule: str, tables: int
) -> None:
    with league_of(tmp_path, schedule) as store:
        play(store)
        rounds = [{match.deal_no for match in matches_of(store) if match.round_no == no} for no in range(3)]
        assert rounds == [{0}, {tables}, {2 * tables}]
        league = store.leagues.get("main")
        seeds = {deal_of(store, find(store, league, number, 0)).seed for number in range(tables)}  # type: ignore[union-attr]
        assert len(seeds) == 1
        assert list(audit(store, league)) == []


def test_each_bot_plays_a_deal_in_every_seat_against_everybody(tmp_path: Path) -> None:
    with league_of(tmp_path) as store:
        play(store)
        seats = Counter(
            (game.match_no // 6, seat.seat, seat.entry_no)
            for game in store.games.all("main")
            for seat in game.seats
        )
        assert set(seats.values()) == {3}


def test_two_bots_of_an_author_never_play_one_deal_unless_the_league_says_so(tmp_path: Path) -> None:
    authors = ("ann", "ann", "bob", "bob")
    with league_of(tmp_path / "apart", authors=authors) as store:
        play(store)
        players: defaultdict[int, set[int]] = defaultdict(set)
        for match in matches_of(store):
            players[match.deal].update(match.entries)
        assert len(matches_of(store)) == 3 * 4
        assert not any({0, 1} <= entries or {2, 3} <= entries for entries in players.values())
    with league_of(tmp_path / "allowed", authors=authors, before=f"{COMMON}same_author = true\n") as store:
        play(store)
        assert {match.deal for match in matches_of(store)} == {0, 6, 12}


def test_who_joins_plays_no_deal_begun_before(tmp_path: Path) -> None:
    with league_of(tmp_path) as store:
        play(store, until=1)
        version = submitted(store, "late", (tmp_path / "bots/bot-1/bot.py").read_text(), author="eve")
        Add("main", version.reference).perform(store)
        play(store)
        its = [match for match in matches_of(store) if 4 in match.entries]
        joined = arrivals(store.leagues.events("main"))[4]
        assert len(its) >= 4
        assert min(match.deal for match in its) >= joined
        assert max(match.deal for match in matches_of(store) if match.match_no < joined) < joined


def test_a_deal_is_hidden_until_its_last_table_is_over(tmp_path: Path) -> None:
    """An author who reads games, logs, faults and seeds while the round is played."""
    with league_of(tmp_path, bots=4) as store:
        league = store.leagues.get("main")
        run = LeagueRun(store, league, executor=SerialExecutor())
        seen: list[tuple[int, set[int]]] = []

        def shown(_: object) -> None:
            done = {game.match_no for game in store.games.all("main")}
            hidden = store.matches.hidden("main")
            assert_hidden(store, league, done & hidden)
            seen.append((len(done), done & hidden))

        run.run(shown)
        assert any(len(hidden) > 2 for _, hidden in seen), "finished tables of an open deal were looked at"
        assert not store.matches.hidden("main")
        assert find(store, league, 0, 0).record.match_no == 0


def test_a_bot_that_remembers_hands_meets_none_again(tmp_path: Path) -> None:
    """It lives on from deal to deal, and crashes when it is shown a hand that it has held."""
    for number in range(3):
        source = CRASHES_ON_A_HAND_IT_KNOWS
        write_bot(tmp_path / "bots", f"bot-{number}", source, game="bread-basket", author=AUTHORS[number])
    with league_of(tmp_path, '[schedule]\nkind = "round-robin"\nrounds = 4\n', bots=3) as store:
        run = LeagueRun(store, store.leagues.get("main"), executor=SerialExecutor())
        assert run.run(lambda _: None)
        assert len(store.games.all("main")) == 4 * 3 * 2
        assert store.games.faults("main") == []


def on_deals(*deals: tuple[int, int]) -> list[MatchRecord]:
    """Return matches of two, so many on each deal: (first match, number)."""
    return [
        MatchRecord("league", number, 0, (number % 3, 3 + number % 2), 2, deal_no=first)
        for first, count in deals
        for number in range(first, first + count)
    ]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_one_worker_plays_all_games_on_a_deal_one_after_the_other(workers: int) -> None:
    """However many tables share it, also more than a batch has."""
    blocks = [on_deals((0, 3), (3, 3), (6, 40)), on_deals((46, 3), (49, 3))]
    tickets = tickets_of(blocks)
    taken: list[list[Ticket]] = [[] for _ in range(workers)]
    was = -1
    while was < (was := sum(map(len, taken))):
        for worker_no in range(workers):
            taken[worker_no] += tickets.take(3, worker_no)
    assert sum(map(len, taken)) == 2 * 52
    turns = defaultdict(list)
    for worker_no, games in enumerate(taken):
        for ticket in games:
            turns[ticket.deal].append((worker_no, ticket.turn))
    for (_, first), order in turns.items():
        assert len({worker_no for worker_no, _ in order}) == 1
        assert [turn for _, turn in order] == list(range(len(order))), first
    seeds = {(ticket.deal, ticket.match_seed) for games in taken for ticket in games}
    assert len(seeds) == len(turns) == len({seed for _, seed in seeds})


def test_a_match_of_its_own_deal_is_played_as_before() -> None:
    taken = take_all(tickets_of([[match_of(number, (0, 1, 2)) for number in range(9)]]))
    assert all(ticket.turn == ticket.rotation and ticket.deal[1] == ticket.match_no for ticket in taken)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ('[schedule]\nkind = "swiss"\nrounds = 2\n', "has no rounds whose tables could play the same deal"),
        (f'rotations = "off"\n{ROUNDS}', "nothing is gained"),
    ],
)
def test_what_common_deals_need(tmp_path: Path, keys: str, said: str) -> None:
    before, _, schedule = keys.rpartition("[schedule]")
    with pytest.raises(UsageError, match=said):
        league_of(tmp_path, f"[schedule]{schedule}", before=COMMON + before)
