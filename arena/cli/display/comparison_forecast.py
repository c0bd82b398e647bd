"""How long a comparison takes, in words: before it begins, and when it ends without an answer."""

from typing import TYPE_CHECKING

from arena.cli.display.forecast import WHY_NOT_KNOWN, about, how_rough, luck_words
from arena.cli.messages import hint, say, warn
from results.counting import counted, rounded_to

if TYPE_CHECKING:
    from arena.league.forecast.comparison import ComparisonForecast
    from results.analysis.comparison import Question
    from results.reports.comparison import ComparisonRow


def say_forecast(
    question: "Question", matches: int, games_a_match: int, forecast: "ComparisonForecast | None"
) -> None:
    """Print how many matches a comparison with a budget of so many will take."""
    budget = f"this comparison stops at {_both(matches, games_a_match)}"
    if forecast is None:
        say(f"how long this takes isn't known: {WHY_NOT_KNOWN}; {budget}")
        return
    luck, expected = forecast.luck, forecast.at_difference
    pace = forecast.games_per_s
    time = (
        f", about {about(expected.mean * games_a_match / pace)} at {pace:.3g} games/s"
        if pace is not None
        else ""
    )
    say(
        f"luck: the result of a match varies by {luck.spread.share:.2f} "
        f"(standard deviation; {luck_words(luck)})"
    )
    if rough := how_rough(luck):
        say(rough)
    say(
        f"to tell apart bots whose mean shares differ by {question.difference:g} takes about "
        f"{_both(expected.mean, games_a_match)}{time}; nine times in ten at most "
        f"{counted(rounded_to(3, expected.most), 'match', 'matches')}; "
        f"equal bots take about {rounded_to(3, forecast.of_equals.mean):,}, and versions that play alike fewer"
    )
    if expected.most <= matches:
        say(budget)
        return
    warn(f"{budget}, which may be too few")
    hint(f"for an answer nine times in ten: --budget {rounded_to(3, expected.most) * games_a_match}")


def say_undecided(row: "ComparisonRow", games_a_match: int) -> None:
    """Print what a comparison without an answer has excluded, and how many more matches an answer may take."""
    if row.estimate is None:
        return
    excluded = []
    if row.high < 1:
        excluded.append(_lead(row.new, row.old, row.high))
    if row.low > -1:
        excluded.append(_lead(row.old, row.new, -row.low))
    if excluded:
        say(f"excluded at {100 * (1 - row.error_rate):g} %: {', and '.join(excluded)}")
    if row.more_matches is not None:
        more = rounded_to(3, row.more_matches)
        say(
            f"an answer may take about {_both(more, games_a_match)} more: "
            f"--budget {row.games + more * games_a_match}"
        )


def _lead(ahead: str, behind: str, least: float) -> str:
    """Return in words that one is ahead of the other by so much in mean share, or more."""
    return f"that {ahead} is ahead of {behind} by {least:.3f} or more"


def _both(matches: float, games_a_match: int) -> str:
    """Return a number of matches and games in words."""
    count = rounded_to(3, matches)
    return f"{counted(count, 'match', 'matches')} ({counted(count * games_a_match, 'game')})"
