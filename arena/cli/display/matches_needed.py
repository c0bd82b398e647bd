"""What commands say beforehand of how many matches tell two bots apart."""

from arena.cli.display.long_work import about
from arena.cli.terminal.consoles import error_console
from arena.cli.terminal.messages import hint, print_line, say, warn
from arena.league.definition.checked_definition import Definition
from arena.league.forecast.luck import ComparisonForecast, KnownLuck
from arena.league.forecast.power_analysis import LeagueForecast
from arena.schedules.base import Schedule
from results.analysis.sequential_test import Question
from results.base.text import counted, rounded_to
from results.reports.comparison_rows import ComparisonRow

WHY_NOT_KNOWN = "random players always tie, or their games take too long to play enough of them"
"""Why even random players don't tell the luck of some rules."""


def gap_words(gap: float, *, by_scores: bool) -> str:
    """Return a gap, in shares from 0 to 1 or in points per game, with its unit.

    >>> gap_words(0.02, by_scores=False), gap_words(0.01, by_scores=False), gap_words(0.53, by_scores=True)
    ('2 points of share', '1 point of share', '0.53 points per game')
    """
    points = gap if by_scores else 100 * gap
    number = f"{points:.2g}" if points < 10 else f"{points:.0f}"
    return f"{number} point{'s' * (number != '1')} {'per game' if by_scores else 'of share'}"


def luck_words(luck: KnownLuck) -> str:
    """Return in words where the luck of matches is known from."""
    matches = counted(luck.spread.matches, "match", "matches")
    return {
        "comparisons": f"{matches} of earlier comparisons of these bots in this store",
        "store": f"{matches} of {counted(luck.leagues, 'league')} with these rules in this store",
        "game": f"{matches} of reference bots",
        "random players": f"{matches} of random players, as nothing else is known of these rules at this table size",
    }[luck.source]


def how_rough(luck: KnownLuck, *, by_scores: bool = False) -> str | None:
    """Return in words how far a forecast with this luck may be off beyond what is usual; None if it isn't.

    `benchmarks/random_luck.py` measures the factors.
    """
    if luck.source != "random players":
        return None
    factors = "0.8 to 3.5" if by_scores else "1 to 2.4"
    return (
        f"rough: in Arena's own games, random players need {factors} times as many matches as reference bots"
    )


def where_results_choose(schedule: Schedule, *, by_scores: bool) -> str | None:
    """Return in words how far a forecast is off where results decide who meets whom; None if they don't.

    `benchmarks/ladder_forecast.py` measures the factors.
    """
    if not schedule.traits.chooses:
        return None
    times = "2 or 3" if by_scores else "2 to 7"
    measured = (
        ""
        if schedule.traits.chooses_each
        else f"; other schedules than ladders, such as {schedule.name}, weren't measured"
    )
    return (
        "rough estimate: assumes that all bots meet equally often. Simulated ladders needed about as many matches if "
        f"strengths were far apart, and {times} times as many if they were close{measured}"
    )


def say_league_forecast(definition: Definition, forecast: LeagueForecast | None) -> None:
    """Print what a league will tell."""
    if forecast is None:
        say(
            "how many matches it takes to separate two bots is known once there are two"
            if len(definition.field.entries) < 2
            else f"how many matches it takes to separate two bots isn't known: {WHY_NOT_KNOWN}"
        )
        return
    by_scores = definition.file.ranking.by == "scores"
    for seats, luck in forecast.luck.items():
        deviation = gap_words(luck.spread.score if by_scores else luck.spread.share, by_scores=by_scores)
        say(
            f"luck at tables of {seats}: in one match of {counted(luck.spread.games, 'game')}, two equal bots easily "
            f"differ by {deviation} (standard deviation, from {luck_words(luck)})"
        )
        if rough := how_rough(luck, by_scores=by_scores):
            say(rough)
    if forecast.unknown:
        sizes = " and ".join(map(str, forecast.unknown))
        say(f"the luck at tables of {sizes} isn't known: {WHY_NOT_KNOWN}")
    wanted = gap_words(forecast.wanted_gap, by_scores=by_scores)
    matches = forecast.wanted_matches
    if matches is not None:
        games = matches * definition.games_of(min(forecast.luck))
        pace = forecast.games_per_s
        time = "" if pace is None else f", {about(games / pace)}"
        say(
            f"to separate two bots that differ by {wanted}, the league needs about "
            f"{counted(rounded_to(3, matches), 'match', 'matches')} ({counted(rounded_to(3, games), 'game')}){time}; "
            f"for {gap_words(forecast.wanted_gap / 2, by_scores=by_scores)}, four times as many (95 % confidence)"
        )
    if chosen := where_results_choose(definition.schedule, by_scores=by_scores):
        say(chosen)
    _say_planned(forecast, by_scores=by_scores)


def _say_planned(forecast: LeagueForecast, *, by_scores: bool) -> None:
    """Print what the planned matches tell, as a warning if they are far too few."""
    if forecast.planned_matches is None or forecast.told_gap is None:
        say("how many matches the league will play isn't known in advance")
        return
    matches = counted(forecast.planned_matches, "match", "matches")
    if forecast.told_gap < forecast.most_gap:
        gap = gap_words(forecast.told_gap, by_scores=by_scores)
        told = f"the planned {matches} can separate only bots that differ by {gap}"
    elif by_scores:
        least = gap_words(forecast.most_gap, by_scores=True)
        told = f"the planned {matches} can separate only bots that differ by more than {least}"
    else:  # no shares differ by more than a whole one
        told = f"the planned {matches} can't separate any two bots"
    if not forecast.is_far_too_short:
        say(told)
        return
    warn(told)
    if keys := " and ".join(forecast.made_longer_by):
        hint(f"raise {keys} for more matches")


def say_forecast(
    question: Question,
    matches: int,
    games_a_match: int,
    forecast: ComparisonForecast | None,
    option: str = "--budget",
) -> None:
    """Print how many matches a comparison with a budget of so many will take; `option` is the one for its budget."""
    out = error_console()
    budget = f"at most {_both(matches, games_a_match)}"
    if forecast is None:
        print_line(out, f"how long this takes isn't known: {WHY_NOT_KNOWN}; {budget}")
        return
    expected, pace = forecast.at_difference, forecast.games_per_s
    time = "" if pace is None else f", {about(expected.mean * games_a_match / pace)}"
    print_line(
        out,
        f"takes about {_both(expected.mean, games_a_match)}{time} if the mean shares differ by "
        f"{question.difference:g}, and fewer if they differ by more",
    )
    most, equal = rounded_to(3, expected.most), rounded_to(3, forecast.of_equals.mean)
    luck = f"(estimated from {luck_words(forecast.luck)})"
    print_line(
        out,
        f"90 % of such comparisons end within {counted(most, 'match', 'matches')}; half the difference takes longest, "
        f"equal bots about {equal:,}, near-identical versions fewer {luck}",
    )
    if rough := how_rough(forecast.luck):
        print_line(out, rough)
    if expected.most <= matches:
        return
    warn(f"the budget allows {budget}, which may be too few")
    hint(f"enough for 90 % of such comparisons: {option} {most * games_a_match}")


PART_OF_COMPARISONS, PART_AT_LARGER_TABLES = 0.46, 0.59
"""A race's games as a part of those of as many comparisons, if all variants are equal to the base or one is better by
X; at larger tables, divided by the variants at each. `benchmarks/race.py` measures them at two and four seats."""


def games_of_race(
    variants: int, seats: int, games_a_match: int, forecast: ComparisonForecast
) -> tuple[int, int]:
    """Return about how many games a race takes if all are as good as the base, and if one is better by X."""
    part = games_a_match * (PART_OF_COMPARISONS if seats == 2 else PART_AT_LARGER_TABLES / (seats - 1))
    equal, better = part * forecast.of_equals.mean, part * forecast.at_difference.mean
    return rounded_to(2, equal * variants), rounded_to(2, equal * (variants - 1) + better)


def say_race_forecast(
    variants: int, seats: int, games_a_match: int, budget_games: int, forecast: ComparisonForecast | None
) -> None:
    """Print how many games a race will take."""
    if forecast is None:
        print_line(error_console(), f"how long this takes isn't known: {WHY_NOT_KNOWN}")
        return
    games = games_of_race(variants, seats, games_a_match, forecast)
    print_line(
        error_console(),
        f"takes about {counted(games[0], 'game')} if all are as good as the base, about {games[1]:,} if one is better "
        f"by X (estimated from {luck_words(forecast.luck)})",
    )
    if max(games) > budget_games:
        warn(f"the budget allows at most {counted(budget_games, 'game')}, which may be too few")
        hint(f"pass --budget {max(games)}, or a larger --difference, which takes fewer games")


def say_undecided(row: ComparisonRow) -> None:
    """Print what a comparison without an answer has excluded."""
    leads = []
    if row.high < 0.9995:
        leads.append(f"{row.new} leads {row.old} by at most {row.high:.3f}")
    if row.low > -0.9995:
        leads.append(f"{row.old} leads {row.new} by at most {-row.low:.3f}")
    if leads:
        sure = f"with {100 * (1 - row.error_rate):g} % confidence"
        print_line(error_console(), f"{sure}, {', and '.join(leads)}")


def _both(matches: float, games_a_match: int) -> str:
    """Return a number of matches and games in words."""
    count = rounded_to(3, matches)
    return f"{counted(count, 'match', 'matches')} ({counted(count * games_a_match, 'game')})"
