"""Tickets: their key, and the seeds that follow from one."""

import hmac
from dataclasses import replace
from hashlib import sha256

from arena.core.chance import Stream
from arena.core.ruleset import Ruleset
from arena.core.ticket import Ticket, match_seed

SECRET = bytes(range(32))
TICKET = Ticket("league", 7, 2, (4, 5, 6), Ruleset("whist", 1, "plain", {}), match_seed(SECRET, 7))


def test_the_key_is_league_match_and_rotation() -> None:
    assert TICKET.key == ("league", 7, 2)
    assert replace(TICKET, attempt=3).key == TICKET.key


def test_the_seed_of_a_match_is_an_hmac_that_anyone_can_derive() -> None:
    assert match_seed(SECRET, 7) == hmac.new(SECRET, b"match/7", sha256).digest()
    seeds = {match_seed(SECRET, match_no) for match_no in range(1000)}
    assert len(seeds) == 1000
    assert all(len(seed) == 32 for seed in seeds)
    assert match_seed(bytes(32), 7) != match_seed(SECRET, 7)


def test_a_bots_seed_is_exact_in_every_language() -> None:
    seeds = [replace(TICKET, rotation=rotation).bot_seed(seat) for rotation in range(50) for seat in range(6)]
    assert all(0 <= seed < 2**53 for seed in seeds)
    assert len(set(seeds)) == len(seeds)
    assert max(seeds) > 2**52
    stream = Stream(TICKET.match_seed, "rotation/2/bot/1")
    first, second = stream.word(), stream.word()
    assert TICKET.bot_seed(1) == first * 2**21 + second // 2**11


def test_a_bots_seed_is_the_same_when_a_game_is_played_again() -> None:
    assert replace(TICKET, attempt=2).bot_seed(0) == TICKET.bot_seed(0)


def test_the_streams_of_a_game_are_apart_from_those_of_the_deal_and_of_other_rotations() -> None:
    words = {
        Stream(TICKET.match_seed, "house").word(),
        TICKET.stream("house").word(),
        TICKET.stream("example").word(),
        replace(TICKET, rotation=1).stream("house").word(),
    }
    assert len(words) == 4
    assert TICKET.stream("house").word() == TICKET.stream("house").word()


def test_a_ticket_in_a_log_does_not_tell_its_seed() -> None:
    assert "match_no=7" in repr(TICKET)
    assert "seed" not in repr(TICKET)
