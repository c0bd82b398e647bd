"""How long a league will be, from its schedule and its `[stop]` table."""

from arena.league.definition.define import Definition


def most_games(definition: Definition) -> int | None:
    """Return the largest number of games a league can have, from its schedule and budget; None if unknown."""
    table = definition.file.stop
    known = [definition.total_games, table.games]
    if table.matches is not None:
        most = max(definition.games_of(seats) for seats in definition.field.seats)
        known.append(table.matches * most)
    return min((games for games in known if games is not None), default=None)


def how_long(definition: Definition) -> str:
    """Return in words how long a league will run, from its schedule and its `[stop]` table."""
    parts, table = [], definition.file.stop
    matches, games = definition.total_matches, definition.total_games
    if matches is not None:
        parts.append(f"{many(matches, 'match', 'matches')}, {many(games or 0, 'game', 'games')}")
    if table.until == "settled":
        what = "its order is settled" if table.top is None else f"its top {table.top} are settled"
        parts.append(f"until {what} at an error rate of {table.error_rate:g}")
    budget = [
        f"at most {words}"
        for given, words in (
            (table.matches, many(table.matches or 0, "match", "matches")),
            (table.games, many(table.games or 0, "game", "games")),
            (table.minutes, f"{table.minutes or 0:g} minutes plus the matches planned by then"),
        )
        if given is not None
    ]
    return ", ".join([*parts, *budget]) or (
        "until stopped" if definition.endless else "as many matches as it takes"
    )


def many(count: int, one: str, several: str) -> str:
    """Return a count with its noun.

    >>> many(1, "match", "matches")
    '1 match'
    """
    return f"{count} {one if count == 1 else several}"
