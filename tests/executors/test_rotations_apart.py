"""Before a game of a match begins, no process lives that has lived in its worker in another rotation of it."""

import os
import signal
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import cache

import psutil
import pytest
from msgspec import structs

from arena.core.ruleset import ruleset
from arena.core.ticket import match_seed
from arena.executors.base import Lost, Stop
from arena.executors.processes import ProcessExecutor
from arena.executors.worker import SerialExecutor
from arena.league.running.local_games import PreparedGames
from arena.league.running.ticket_queue import Tickets
from arena.league.running.work_units import Failure
from arena.registry import game
from arena.sandbox.confinement import UNCONFINED, Confinement
from arena.sandbox.survivors import find_marked
from results.records import GameRecord
from tests.executors.lives import lived_too_long, processes, watched
from tests.support.matches import ENTRIES, LEAVES_A_DAEMON, RULES, SEATS, is_worker, tickets, work
from tests.support.sandbox import CONFINED, PROCESS, WITHOUT_GROUP, columns, confinement_of, open_folder
from tests.support.tables import new_token
from tests.support.tickets import match_of

MATCHES = 12
Played = dict[tuple[int, int], str]
"""Fingerprints by match and rotation."""


def all_games(
    executor: ProcessExecutor | SerialExecutor,
    bots: PreparedGames,
    beside: Callable[[int], None] = lambda _games: None,
) -> Played:
    """Play all games of some matches as a league does; `beside` is called with how many are in."""
    rules = game(RULES)
    options = rules.resolve(ruleset(rules.info, None, {"hands": 1}), SEATS)
    planned = iter(
        [[match_of(n, tuple((n + seat) % ENTRIES for seat in range(SEATS))) for n in range(MATCHES)]]
    )
    source = Tickets(
        "league",
        lambda match: match_seed(b"s", match.deal),
        {SEATS: options},
        "cyclic",
        lambda: next(planned, []),
        lambda _match_no, _rotation: False,
    )
    games: Played = {}
    for chunk in executor.run(bots, source, Stop()):
        for result in chunk:
            if isinstance(result, GameRecord):
                games[result.match_no, result.rotation] = result.fingerprint
                assert [seat.verdict for seat in result.seats] == [None] * SEATS, result.seats
            else:
                assert isinstance(result, Lost), result.record if isinstance(result, Failure) else result
                assert source.play_again(result.ticket)
        beside(len(games))
    assert len(games) == MATCHES * SEATS
    return games


@cache
def by_one_worker() -> Played:
    """Return what the games have to be."""
    with open_folder() as place:
        return all_games(ProcessExecutor(1), work(place))


@pytest.mark.parametrize(
    ("executor", "column"),
    [
        pytest.param(executor, *marked.values, marks=[*marked.marks, *slow], id=f"{name}, {marked.values[0]}")
        for name, executor, slow in (
            ("two workers", ProcessExecutor(2), [pytest.mark.slow]),
            ("four workers", ProcessExecutor(4), [pytest.mark.slow]),
            ("serial", SerialExecutor(), [pytest.mark.slow]),
        )
        for marked in columns(PROCESS, CONFINED, WITHOUT_GROUP, slow=(CONFINED, WITHOUT_GROUP))
    ],
)
def test_whoever_played_another_rotation_is_dead_when_a_game_begins(
    executor: ProcessExecutor | SerialExecutor, column: str
) -> None:
    with open_folder() as place:
        confinement = confinement_of(column)
        bots = watched(confined(work(place, LEAVES_A_DAEMON), confinement), place / "lives")
        assert all_games(executor, bots) == by_one_worker()
        assert lived_too_long(place / "lives") == []
        assert len(processes(place / "lives")) > SEATS * ENTRIES, "and there were many to die"


@pytest.mark.slow
@pytest.mark.parametrize("column", columns(PROCESS, CONFINED))
def test_so_it_is_where_workers_are_killed(column: str) -> None:
    me = psutil.Process()
    before = {child.pid for child in me.children()}
    killed: list[int] = []

    def kill_one(games: int) -> None:
        if len(killed) < 4 and games > 6 * len(killed):
            workers = [child for child in me.children() if child.pid not in before and is_worker(child)]
            killed.append(workers[len(killed) % len(workers)].pid)
            os.kill(killed[-1], signal.SIGKILL)

    with open_folder() as place:
        bots = watched(confined(work(place, LEAVES_A_DAEMON), confinement_of(column)), place / "lives")
        assert all_games(ProcessExecutor(2), bots, kill_one) == by_one_worker()
        assert lived_too_long(place / "lives") == []
    assert len(killed) == 4


def confined(bots: PreparedGames, confinement: Confinement) -> PreparedGames:
    """Return the same work with its bots kept so."""
    return bots if confinement is UNCONFINED else structs.replace(bots, confinement=confinement)


@pytest.mark.parametrize("column", columns(PROCESS, CONFINED, slow=(CONFINED,)))
def test_at_another_rotation_nobody_is_kept_not_even_who_played_other_matches(column: str) -> None:
    """Somebody who lives through both could pass on what was told."""
    with open_folder() as place:
        first, second = tickets(2)[0], tickets(2)[3]
        assert (second.match_no, second.rotation) == (1, 1)
        bots = confined(work(place), confinement_of(column))
        token = new_token()
        with closing(bots.open("test", token, own_process=False)) as playing:
            playing.play(first)
            kept = set(find_marked(token))
            assert kept
            playing.play(replace(first, match_no=2))
            assert kept <= set(find_marked(token)), "the same rotation keeps them"
            playing.play(second)
            assert not kept & set(find_marked(token))


def test_matches_that_nobody_has_played_keep_the_processes_of_those_before() -> None:
    with open_folder() as place:
        first, last = tickets(2)[0], tickets(2)[3]
        token = new_token()
        with closing(work(place).open("test", token, own_process=False)) as playing:
            playing.play(last)
            kept = set(find_marked(token))
            playing.play(replace(first, match_no=2))
            assert kept <= set(find_marked(token))
            playing.play(replace(last, match_no=2))
            assert not kept & set(find_marked(token))


def test_a_game_that_is_played_again_finds_nobody_who_lived_the_first_time() -> None:
    with open_folder() as place:
        first = tickets(2)[0]
        token = new_token()
        with closing(work(place).open("test", token, own_process=False)) as playing:
            playing.play(first)
            kept = set(find_marked(token))
            playing.play(replace(first, attempt=2))
            assert not kept & set(find_marked(token))
