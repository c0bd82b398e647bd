"""Enters single matches into the league `casual`."""

from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.open_store import reading
from arena.cli.runner import perform_or_leave_with

if TYPE_CHECKING:
    from arena.league.definition.staged_bots import Table
    from arena.league.match import MatchRules, Played
    from results.records import MatchRecord


def enter(store: Path, played: "Played", table: "Table", rules: "MatchRules") -> "MatchRecord | None":
    """Enter a match into the ledger, now or through the runner; return it, or None if it waits for the runner."""
    from arena.league.inbox.played_match import entering, number_of

    name = perform_or_leave_with(store, *entering(rules, table, played), create=True)
    if not name:
        return None
    with reading(store) as opened:
        return opened.matches.get("casual", number_of(name))
