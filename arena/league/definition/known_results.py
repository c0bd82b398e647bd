"""How many results a schedule knew when it planned a match."""

import msgspec

from arena.schedules.base import Field
from arena.schedules.ladder import Ladder
from results.records import LeagueRecord


def known_results(league: LeagueRecord, match_no: int) -> int | None:
    """Return the number below which a ladder knew the results of all matches when it planned a match.

    None for other schedules, some of which plan several matches at once, from the results before the first of them.
    """
    table = league.config.get("schedule")
    if not isinstance(table, dict) or table.get("kind") != Ladder.name:
        return None
    options = {key: value for key, value in table.items() if key != "kind"}
    try:
        settings = msgspec.convert(options, Ladder.settings)
    except msgspec.ValidationError:
        return None
    return Ladder().sees(Field((), ()), settings, match_no)
