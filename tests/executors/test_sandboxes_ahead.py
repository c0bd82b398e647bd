"""Sandboxes that are made ahead: no code of a bot runs in them before its game, and they are used and ended."""

import time
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import structs

from arena.league.running.local_games import GamePlaying, PreparedGames
from arena.sandbox.survivors import find_marked
from results.records import GameRecord
from tests.support.matches import ENTRIES, SEATS, tickets, work
from tests.support.sandbox import CONFINED, PROCESS, WITHOUT_GROUP, columns, confinement_of, open_folder
from tests.support.tables import new_token
from tests.support.waiting import eventually


def opened(place: Path, column: str, token: str) -> GamePlaying:
    bots: PreparedGames = structs.replace(work(place), confinement=confinement_of(column))
    return bots.open("test", token, own_process=False)


def programs(token: str) -> dict[int, str]:
    """Return the command lines of all processes of bots."""
    found = {}
    for pid in find_marked(token):
        with suppress(OSError):
            found[pid] = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found


def waiting(token: str) -> set[int]:
    """Return the processes that wait until they are to become a bot's program."""
    return {
        pid for pid, command in programs(token).items() if "read -r _" in command and "bwrap" not in command
    }


def all_wait(token: str, count: int) -> bool:
    """Wait until so many processes wait, and none is a passing child of a shell that prepares its sandbox."""

    def the_same_twice() -> bool:
        found = waiting(token)
        time.sleep(0.05)
        return len(found) == count and waiting(token) == found

    return eventually(the_same_twice)


def playing_now(token: str) -> set[int]:
    """Return the processes of bots' programs."""
    return {pid for pid, command in programs(token).items() if "bot.py" in command} - {
        pid for pid, command in programs(token).items() if "read -r _" in command or "bwrap" in command
    }


@pytest.mark.slow
@pytest.mark.parametrize("column", columns(CONFINED))
def test_no_code_of_a_bot_runs_in_a_sandbox_that_is_made_ahead(column: str) -> None:
    with open_folder() as place:
        token = new_token()
        with closing(opened(place, column, token)) as playing:
            playing.expect(tickets(2))
            assert all_wait(token, ENTRIES)
            time.sleep(0.2)
            assert not playing_now(token)
        assert not find_marked(token), "and nothing is left of them"


@pytest.mark.parametrize("column", columns(CONFINED))
def test_games_use_what_was_made_ahead(column: str) -> None:
    with open_folder() as place:
        token = new_token()
        with closing(opened(place, column, token)) as playing:
            first, *_ = tickets(1)
            playing.expect([first])
            assert all_wait(token, SEATS)
            ahead = waiting(token)
            record = playing.play(first)
            assert isinstance(record, GameRecord)
            assert [seat.verdict for seat in record.seats] == [None] * SEATS
            assert (playing_now(token), waiting(token)) == (ahead, set())


@pytest.mark.parametrize("column", columns(CONFINED))
def test_who_is_kept_is_not_made_again_unless_the_rotation_rises(column: str) -> None:
    with open_folder() as place:
        token = new_token()
        with closing(opened(place, column, token)) as playing:
            games = tickets(1)
            playing.play(games[0])
            kept = playing_now(token)
            playing.expect([replace(games[0], match_no=5)])
            assert (playing_now(token), waiting(token)) == (kept, set())
            playing.expect([replace(games[0], match_no=5), games[1]])
            assert all_wait(token, SEATS)
            ahead = waiting(token)
            playing.play(games[1])
            assert playing_now(token) == ahead


@pytest.mark.parametrize("column", columns(CONFINED))
def test_a_game_that_never_began_leaves_nothing_to_the_next(column: str) -> None:
    with open_folder() as place:
        token = new_token()
        with closing(opened(place, column, token)) as playing:
            game, *_ = tickets(1)
            playing._pool.take(
                max(game.entries) + 1, ("league", 99), 0
            )  # and then the machine refused another
            playing.play(game)
            assert (len(playing_now(token)), waiting(token)) == (SEATS, set())
        assert not find_marked(token)


@pytest.mark.parametrize("column", columns(PROCESS, WITHOUT_GROUP))
def test_nothing_is_made_ahead_where_programs_would_begin_at_once(column: str) -> None:
    with open_folder() as place:
        token = new_token()
        with closing(opened(place, column, token)) as playing:
            playing.expect(tickets(2))
            assert not find_marked(token)
