"""How fast games are played in a store, from the times at which the newest ones ended."""

from datetime import datetime
from itertools import pairwise
from statistics import median

from arena.league.definition.define import Definition
from results.store import Store

NEWEST_GAMES = 400
LEAST_GAMES = 20
PAUSE_S, PAUSE_TIMES = 10.0, 20.0
"""A gap is a pause if it is longer than 10 seconds and than 20 median gaps: nothing was played then."""


def games_per_s(store: Store, definition: Definition) -> float | None:
    """Return the pace of the newest league with the same rules; None if too few games are stored."""
    ours = definition.ruleset
    for league in reversed(store.leagues.all()):
        rules = league.ruleset
        if rules is None or (rules.game, rules.version, rules.options) != (ours.game, ours.version, ours.key):
            continue
        games = store.games.all(league.uuid, newest_first=True, limit=NEWEST_GAMES)
        ended = sorted(datetime.fromisoformat(game.finished_at) for game in games)
        gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(ended)]
        if len(ended) < LEAST_GAMES:
            continue
        pause_s = max(PAUSE_S, PAUSE_TIMES * median(gaps))
        played = [gap for gap in gaps if gap <= pause_s]
        if sum(played) > 0:
            return len(played) / sum(played)
    return None
