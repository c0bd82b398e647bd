"""Enters single matches into the league `casual`."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.leaving import perform_or_leave_with
from arena.cli.open_store import reading

if TYPE_CHECKING:
    from arena.league.inbox.played_match import MatchPlayer
    from arena.league.match import MatchRules, Played
    from results.records import MatchRecord


def enter(
    store: Path, played: "Played", players: "Sequence[MatchPlayer]", rules: "MatchRules"
) -> "MatchRecord | None":
    """Enter a match into the ledger, now or through the runner; return it, or None if it waits for the runner."""
    from msgspec import msgpack

    from arena.league.inbox.played_match import MatchRecords, PlayedMatch
    from results.records import RulesetRecord

    chosen = rules.ruleset
    change = partial(
        PlayedMatch,
        tuple(players),
        played.seats,
        RulesetRecord(chosen.game, chosen.version, chosen.name, chosen.key),
        len(played.games),
    )
    content = msgpack.encode(MatchRecords(played.games, played.attempts, played.deal))
    words = perform_or_leave_with(store, change, content, create=True)
    if not words:
        return None
    with reading(store) as opened:
        return opened.matches.get("casual", int(words.rpartition("/")[2]))
