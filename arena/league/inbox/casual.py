"""Enters a single match that has just been played into the league `casual`."""

from functools import partial
from pathlib import Path

from msgspec import msgpack

from arena.league.definition.single_table import Table, TablePlayer
from arena.league.inbox.delivery import Delivery, perform_or_leave_with
from arena.league.inbox.played_match import MatchPlayer, MatchRecords, PlayedMatch
from arena.league.match import MatchRules, Played
from results.records import RulesetRecord


def enter_match(path: Path, rules: MatchRules, table: Table, played: Played) -> Delivery:
    """Enter a match into the ledger of the store at `path`, now or through its runner; creates the store if needed.

    The files of its bots are kept next to the store by now: see `staged_bots.keep_files`. The words of the delivery
    end with the match, such as `casual/12`. Raises as `delivery.perform_or_leave`.
    """
    chosen = rules.ruleset
    change = partial(
        PlayedMatch,
        tuple(map(_entered, table.players)),
        played.seats,
        RulesetRecord(chosen.game, chosen.version, chosen.name, chosen.key),
        len(played.games),
    )
    content = msgpack.encode(MatchRecords(played.games, played.attempts, played.deal))
    return perform_or_leave_with(path, change, content, create=True)


def _entered(player: TablePlayer) -> MatchPlayer:
    if player.bot is None:
        return MatchPlayer(player.label)
    version = player.bot.version
    return MatchPlayer(player.label, version.sha256, version.hash_scheme, player.bot.build, player.args)
