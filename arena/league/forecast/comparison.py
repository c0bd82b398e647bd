"""How long a comparison will take until its answer, before it begins and while it goes on."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.league.definition.define import Definition
from arena.league.forecast.luck import KnownLuck, known_luck
from arena.league.forecast.pace import games_per_s
from results.analysis.comparison import Question, SequentialTest
from results.analysis.comparison_length import ComparisonLength, comparison_length
from results.store import Store

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
