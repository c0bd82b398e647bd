"""What is said around the rankings: who has won, news, signs, what columns mean and how sure the order is."""

from collections.abc import Iterator, Sequence

from arena.cli.display.tables import in_words
from results.base.isolation_levels import of_levels
from results.base.text import counted, rounded_to
from results.reports.columns import Column
from results.reports.fits import MOST_TO_TELL, FitBy, FitSummary, FitUnit
from results.reports.league_states import COMING_BACK, ENTRY_STATES
from results.reports.ranking_columns import (
    TIE_BREAKS,
    RankingRow,
    Rankings,
    Strength,
    Undecided,
    is_against_shares,
)

SHRUNK = {
    FitBy.PLACES: "; in simulated leagues, 93 to 98 % of the intervals were right, more if all bots are equal",
    FitBy.SCORES: "; in simulated leagues, 95 to 98 % of the intervals were right, more if all bots are equal",
    FitBy.SHARES: "",
}
"""What was measured of the intervals of strengths that are shrunk towards the mean.

`benchmarks/places_fit.py` and `benchmarks/score_fit.py` measure it; nothing was measured by shares.
"""


MOST_NAMED = 3
"""Bots, or pairs of bots, named in a note below the table; the other formats have all of them."""


def state(row: RankingRow) -> str:
    """Return what an entry is besides active, in a word."""
    return row.state if row.state != "active" else "new" if row.is_new else ""


def have_moved(rows: Sequence[RankingRow]) -> bool:
    """Return whether any entry had a rank at the moment that movement is since."""
    return any(row.moved and row.moved.rank_before is not None for row in rows)


def explained(column: Column, row: RankingRow, rankings: Rankings) -> str:
    """Return what a column means, with the figures of a row; empty for those that need no words."""
    who, text = row.label, column.text(row)
    match column.key:
        case "sigma" if row.mu is not None and row.sigma is not None:
            least, most = row.mu - 2 * row.sigma, row.mu + 2 * row.sigma
            return (
                f"uncertainty of μ: with 95 % confidence, the rating of {who} is within two σ, "
                f"from {least:.{rankings.scale.decimals}f} to {most:.{rankings.scale.decimals}f}"
            )
        case "strength" if row.strength is not None:
            return _explained_fit(row.strength, row, text)
        case "points" if row.standing and row.standing.note:
            return f"rounds that it has won, byes included ({who}: {text})"
        case "points":
            return (
                "the mean share of opponents it finished above, added up over the rounds: 1 for a round in which it "
                f"won every game, or for a bye ({who}: {text})"
            )
        case "rank" if rankings.own_standings:
            return f"place by the rules of the {rankings.own_standings}; bots that are equal share one ({who}: {text})"
        case name if row.standing and name in row.standing.tie_breaks:
            number = ("first", "second", "third", "next")[min(list(row.standing.tie_breaks).index(name), 3)]
            return f"{number} tie-break: {TIE_BREAKS.get(name, name)} ({who}: {text})"
    return in_words(column, row, who)


def _explained_fit(found: Strength, row: RankingRow, text: str) -> str:
    """Return what the strength of a row means."""
    error = "" if found.half is None else "; ± is half of its 95 % confidence interval"
    if found.unit is FitUnit.ELO:
        of_100 = round(100 / (1 + 10 ** (-found.value / 400)))
        return (
            f"Elo points above an average bot, from all games at once: with {found.value:+.0f}, {row.label} finishes "
            f"above one in {of_100} of 100 games that don't end level{error}"
        )
    if found.unit is FitUnit.POINTS and row.scores is not None:
        return f"points a game above an average bot on the same deals ({row.label}: {text}){error}"
    unit = "points per game" if found.unit is FitUnit.POINTS else "percentage points of share"
    return f"{unit} above an average bot, from all games at once ({row.label}: {text}){error}"


def what_counts(rankings: Rankings, conditions: Sequence[str]) -> str:
    """Return how many of the matches are counted, and which; empty if all are."""
    count = rankings.recount
    if count is None or not conditions:
        return ""
    return f"{count.matches:,} of {count.of:,} {'match' if count.of == 1 else 'matches'}: {', '.join(conditions)}"


def news(rankings: Rankings) -> Iterator[str]:
    """Yield what a reader of the table has to know, the most important first."""
    rows, rated = rankings.rows, rankings.rated_matches
    if rankings.rating_stopped_at is not None:
        yield (
            f"ratings stop before match {rankings.rating_stopped_at}: the rating system failed; "
            "fix it, then run `arena db rebuild`"
        )
    elif rankings.lacks_standings:
        yield "the standings can't be counted without the league's game or schedule; this is the order of the ratings"
    elif unrated := rankings.waiting_games:
        yield f"{unrated} of {counted(rankings.league.games, 'game')} wait for their match, or an earlier one, to end"
    if left_out := rankings.league.left_out:
        yield left_out
    yield from _news_of_the_field(rows)
    if rankings.fit and rankings.fit.through < rated:
        yield f"the fit has {rankings.fit.through} of {counted(rated, 'match', 'matches')}; --fit takes all"
    yield from _news_of_circles(rankings)
    waiting = [f"{row.label} needs {row.needs} more" for row in rows if row.needs]
    if waiting and rated and not rankings.own_standings:
        least = counted(rankings.least_matches, "match", "matches")
        unnamed = len(waiting) - MOST_NAMED
        more = f", and {counted(unnamed, 'more bot')}" if unnamed > 0 else ""
        yield f"–: no rank below {least}: {', '.join(waiting[:MOST_NAMED])}{more}"


def _news_of_the_field(rows: Sequence[RankingRow]) -> Iterator[str]:
    """Yield who is not playing, and why."""
    waiting: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.state in COMING_BACK:
            waiting.setdefault((row.state, row.state_why), []).append(row.label)
    for (state_of_all, why), labels in list(waiting.items())[:MOST_NAMED]:
        who = f"{labels[0]} is" if len(labels) == 1 else f"{counted(len(labels), 'bot')} are"
        yield f"{who} {state_of_all}: {why}"
    if unnamed := sum(map(len, list(waiting.values())[MOST_NAMED:])):
        yield f"… and {counted(unnamed, 'more bot')} paused or benched; --format json has the reasons"


def _news_of_circles(rankings: Rankings) -> Iterator[str]:
    """Yield that bots beat each other in a circle, so that no order is the right one, or others than the fit says."""
    command = f"arena stats {rankings.league.name} --view circles"
    if rankings.circles:
        first = rankings.circles[0]
        steps = ", ".join(
            f"{one} beats {other}" for one, other in zip(first, (*first[1:], first[0]), strict=True)
        )
        unnamed = len(rankings.circles) - 1
        more = f" (and {counted(unnamed, 'more circle')})" if unnamed else ""
        yield f"a circle: {steps}; their order depends on who else plays{more}: {command}"
    elif rankings.contradictions:
        (one, other), *others = rankings.contradictions
        more = f" (and {counted(len(others), 'more pair')})" if others else ""
        yield f"{one} beats {other}, but the fit puts {other} first{more}: {command}"


def legend(rankings: Rankings, since: str = "") -> list[str]:
    """Return what the signs in the table mean."""
    found = []
    if rankings.movement is not None:
        found.append(
            f"moved: places gained (▲) or lost (▼) since {since}, before match {rankings.movement.match_no}"
            if have_moved(rankings.rows)
            else f"no movement to show: no bot had a rank by {since}; pass a later --movement"
        )
    if any(row.is_undecided for row in rankings.rows):
        found.append("≈ statistically tied with the bot above (95 %)")
    states = {state(row) for row in rankings.rows}
    found += [f"{gone}: {ENTRY_STATES[gone]}" for gone in ("retired", "replaced") if gone in states]
    if "new" in states:
        found.append("new: joined later, and has played less than the others")
    return found


def notes(rankings: Rankings) -> Iterator[str]:
    """Yield what `--explain` says of the whole table: what decides the order, and how sure it is."""
    league, fit = rankings.league, rankings.fit
    if rankings.own_standings:
        yield f"The order is that of the {rankings.own_standings}; the ratings beside it come from the same matches."
    elif rankings.by_share:
        yield "Everybody meets everybody equally often here, so the order is that of the share."
    elif rankings.counts_scores:
        yield (
            "Scores of tables on the same deals are compared, as nobody wins or loses against others at a table. The "
            + ("order is that of the strengths" if rankings.by_fit else "order is that of the mean scores")
            + "; a bot's strength is how many points a game it adds, other things being equal."
        )
    elif rankings.by_fit:
        yield "The league is over and about scores, so the order is that of the strengths in points."
    elif rankings.chosen and rankings.is_rated and is_against_shares(rankings.rows):
        yield "Share and wins are plain results; the order also depends on whom each bot has met."
    if fit is None:
        if rankings.rated_matches and rankings.is_rated:
            yield "--fit adds strengths from all matches at once, with confidence intervals."
    else:
        yield from _notes_on_the_fit(rankings, fit)
    sealed = "a secret that nobody knew" if league.is_sealed else "a seed that its organiser may have known"
    yield f"The deals follow from {sealed}." + (
        f" Weakest sandbox of its games: {of_levels(league.weakest_isolation)}."
        if league.weakest_isolation
        else ""
    )


def _notes_on_the_fit(rankings: Rankings, fit: FitSummary) -> Iterator[str]:
    """Yield how the strengths were found, and which ranks they dispute."""
    yield FIT_METHODS[fit.by]
    if fit.drawn_together:
        yield (
            f"Results chose who met whom, so uncertain strengths are shrunk towards the mean{SHRUNK[fit.by]}."
        )
    if fit.pairs:
        which = (
            f"{fit.pairs_apart:,} of {counted(fit.pairs, 'pair')}" if fit.pairs_apart else "No pair of bots"
        )
        differ = "differs" if fit.pairs_apart < 2 else "differ"
        yield f"{which} {differ} significantly{_all_together(fit.pairs_apart, fit.pairs_apart_familywise)}."
        yield from _notes_on_undecided(rankings, fit)
    strengths = [row.strength for row in rankings.rows if row.strength]
    if fit.by is FitBy.PLACES and strengths and all(one.half is None for one in strengths):
        has_two = any(row.matches > 1 for row in rankings.rows)
        why = "fewer than two deals, or only with the same partners" if has_two else "fewer than two matches"
        yield f"There are no intervals, as each bot has played {why}."
    changed = [row for row in rankings.rows if row.claims and row.claims.drift]
    for row in changed[:MOST_NAMED]:
        way = "stronger" if row.claims and row.claims.drift and row.claims.drift > 0 else "weaker"
        yield (
            f"{row.label} was {way} in the second half of its matches than in the first: "
            "its strength is the mean of a bot that changes."
        )
    if (unnamed := len(changed) - MOST_NAMED) > 0:
        yield f"{counted(unnamed, 'more bot')} changed; --format json has all."
    disputes = [
        (row.label, other)
        for row in rankings.rows
        if row.claims and not rankings.own_standings
        for other in row.claims.disputes
    ]
    for lower, upper in disputes[:MOST_NAMED]:
        yield f"The methods disagree: {upper} is ranked above {lower}, but the fit says below."
    if (unnamed := len(disputes) - MOST_NAMED) > 0:
        yield f"They disagree about {counted(unnamed, 'more pair')}; --format json has all."


def _all_together(apart: int, familywise: int) -> str:
    """Return how many of the pairs that differ do so when all pairs are tested together; empty if none differ."""
    if not apart:
        return ""
    if not familywise:
        return ", but none when all pairs are tested together"
    found = (
        "" if apart == 1 else f"all {apart:,} of them " if familywise == apart else f"{familywise:,} of them "
    )
    return f", {found}even when all pairs are tested together"


FIT_METHODS = {
    FitBy.PLACES: "The fit is Bradley–Terry with Davidson's ties, over all matches at once.",
    FitBy.SCORES: "The fit is least squares of points by match, over all matches at once.",
    FitBy.SHARES: "The fit is least squares of shares by match, over all matches at once.",
}


def _notes_on_undecided(rankings: Rankings, fit: FitSummary) -> Iterator[str]:
    """Yield how many matches would separate neighbours that are tied: the pair separated soonest, and the closest."""
    shown = {row.label for row in rankings.rows}
    pairs = [pair for pair in rankings.undecided if {pair.upper, pair.lower} <= shown]
    if not pairs:
        return
    soonest, closest = pairs[0], pairs[-1]
    told = f"Separating {soonest.upper} and {soonest.lower} takes {_matches_in_all(soonest)} ({fit.through:,} played)"
    if closest is not soonest:
        told += f", {closest.upper} and {closest.lower} {_matches_in_all(closest)}"
    rough = " This is rough, as results choose who meets whom." if fit.drawn_together else ""
    yield f"{told}, if they differ by as much as it looks.{rough}"


def _matches_in_all(pair: Undecided) -> str:
    if pair.matches is None:
        return f"more than {MOST_TO_TELL:,} matches"
    return f"about {counted(rounded_to(2, pair.matches), 'match', 'matches')}"
