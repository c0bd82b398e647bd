"""How long a comparison will take until its answer, before it begins and while it goes on."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median

from arena.league.definition.define import Definition
from arena.league.forecast.luck import KnownLuck, known_luck
from results.analysis.comparison import Question, SequentialTest
from results.analysis.comparison_length import ComparisonLength, comparison_length
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


OWN_MATCHES = 30
"""From this many matches on, a comparison's own results tell its luck."""


@dataclass(frozen=True, slots=True)
class ComparisonForecast:
    """How many matches a comparison takes until its answer."""

    luck: KnownLuck
    at_difference: ComparisonLength
    """If the true difference is the X of the question."""
    of_equals: ComparisonLength
    """If it is 0."""
    games_per_s: float | None
    """The pace of the newest games with these rules; None: not known."""


def forecast_comparison(
    definition: Definition, question: Question, store: Store, bots: Sequence[str]
) -> ComparisonForecast | None:
    """Return the forecast of a comparison; None if nothing is known of the luck.

    `bots`: those that are compared, as `author/bot`. Raises PluginFailed if the game fails.
    """
    luck = known_luck(definition, len(definition.field.entries), store, bots)
    if luck is None:
        return None
    at_difference, of_equals = (
        comparison_length(question, luck.spread.share, difference)
        for difference in (question.difference, 0.0)
    )
    return ComparisonForecast(luck, at_difference, of_equals, games_per_s(store, definition))


def still_to_play(test: SequentialTest) -> ComparisonLength | None:
    """Return how many more matches a comparison without an answer takes; None if it has too few to tell."""
    estimate, deviation = test.estimate, test.deviation
    if estimate is None or deviation is None or test.matches < OWN_MATCHES:
        return None
    return comparison_length(
        test.question, max(deviation, 1e-6), None, matches=test.matches, estimate=estimate
    )
