"""Enters a single match that has just been played into the league `casual`."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec import msgpack

from arena.league.definition.single_table import Table, TablePlayer
from arena.league.inbox.delivery import Delivery, leave_with, perform_or_leave_with
from arena.league.inbox.played_match import MatchPlayer, MatchRecords, PlayedMatch
from arena.league.match import MatchRules, Played
from results.records import RulesetRecord


def enter_match(path: Path, rules: MatchRules, table: Table, played: Played) -> Delivery:
    """Enter a match into the ledger of the store at `path`, now or through its runner; creates the store if needed.

    The files of its bots are kept next to the store by now: see `staged_bots.keep_files`. The words of the delivery
    end with the match, such as `casual/12`. Raises as `delivery.perform_or_leave`.
    """
    return perform_or_leave_with(path, _change(rules, table, played), _records(played), create=True)


def leave_match(path: Path, rules: MatchRules, table: Table, played: Played, uuid: str) -> str:
    """Enter a match into the ledger of an existing store, exactly once, by a process that may be killed at any time.

    `uuid` is the id of the command. Returns and raises as `delivery.leave_with`.
    """
    return leave_with(path, _change(rules, table, played), _records(played), uuid)


def _change(rules: MatchRules, table: Table, played: Played) -> Callable[[str], PlayedMatch]:
    """Return what makes the change from the id to which the records are attached."""
    chosen = rules.ruleset
    return partial(
        PlayedMatch,
        tuple(map(_entered, table.players)),
        played.seats,
        RulesetRecord(chosen.game, chosen.version, chosen.name, chosen.key),
        len(played.games),
    )


def _records(played: Played) -> bytes:
    return msgpack.encode(MatchRecords(played.games, played.attempts, played.deal))


def _entered(player: TablePlayer) -> MatchPlayer:
    if player.bot is None:
        return MatchPlayer(player.label)
    version = player.bot.version
    return MatchPlayer(player.label, version.sha256, player.bot.build, player.args)
