"""Checks results of other machines: they are of the game that was asked for, and follow the rules."""

import zlib
from hashlib import sha256
from typing import Any

import msgspec

from arena import registry
from arena.core.errors import ArenaError
from arena.core.game import AnyGame
from arena.core.replay import check, deal_follows
from arena.core.ticket import Ticket
from arena.executors.base import Lost
from arena.league.running.game_work import Excused, Failure, Result
from results.records import GameRecord

MOST_BYTES = 2**28
"""Largest replay body that is unpacked."""


def trouble_in(game: str, ticket: Ticket, result: Result, *, by_rules: bool) -> str:
    """Return what is wrong with the result of a ticket; empty if nothing is.

    `by_rules`: also play the replay by the rules, and derive the deal from the ticket's seed.
    """
    if isinstance(result, Lost | Failure):
        return "" if result.ticket == ticket else "it is of another ticket"
    if isinstance(result, Excused):
        if result.ticket != ticket:
            return "it is of another ticket"
        result = result.game
    if result.key != ticket.key:
        return f"it is game {result.match_no}.{result.rotation}"
    if tuple(seat.entry_no for seat in result.seats) != ticket.entries:
        return "other entries sit at the table"
    return _trouble_in_replay(registry.game(game), ticket, result) if by_rules else ""


def _trouble_in_replay(game: AnyGame, ticket: Ticket, record: GameRecord) -> str:
    try:
        text = zlib.decompressobj().decompress(record.body, MOST_BYTES)
        body: dict[str, Any] = msgspec.json.decode(text, type=dict[str, Any])
        if sha256(text).hexdigest() != record.fingerprint:
            return "its replay has another fingerprint"
        check(game, body)
        for name, found in (
            ("scores", [seat.score for seat in record.seats]),
            ("ranks", [seat.rank for seat in record.seats]),
        ):
            if list(body[name]) != found:
                return f"its {name} are not those of its replay"
        if not deal_follows(game, ticket.ruleset, len(record.seats), body, ticket.match_seed):
            return "its deal does not follow from the seed"
    except (zlib.error, msgspec.MsgspecError, KeyError, TypeError) as error:
        return f"its replay can't be read: {error}"
    except ArenaError as error:
        return f"its replay breaks the rules: {error}"
    return ""
