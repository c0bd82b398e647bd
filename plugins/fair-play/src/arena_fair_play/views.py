"""The views of `arena stats` that this package adds, which the page "Seats and luck" of the site shows as well."""

from collections.abc import Iterable, Sequence
from functools import partial

from arena_fair_play.reports import (
    AuthorRow,
    CoalitionRow,
    author_flags,
    author_rows,
    coalition_rows,
    flags,
    why_not_compared,
)
from results.reports.statistics_views import OnPage, View


def _nobody_without(rows: Sequence[CoalitionRow]) -> str:
    """Return that there is nothing to compare if no bot ever played without any of those that it met."""
    always = not any(row.games_without for row in rows)
    return "nothing to compare: every bot met the same others in all of its games" if always else ""


def _on_coalitions(rows: Sequence[CoalitionRow]) -> Iterable[str]:
    """Yield what is flagged, and what the columns mean."""
    flagged = list(flags(rows))
    yield from flagged
    if flagged:
        yield "a flag is no proof: in 1 of 20 leagues of honest bots, some pair is flagged"
    elif any(row.gain is not None for row in rows):
        yield "no pair flagged: nothing beyond chance"
    if not rows:
        return
    yield "share %, score: means of the games with the other bot; without: of all others"
    lacking = sum(row.gain is None for row in rows)
    if lacking:
        which = "no gain yet" if lacking == len(rows) else "gain –"
        yield f"{which}: it takes 8 matches together, and 8 of each bot without the other"
        if rows[0].by == "shares":
            yield "by places, it also takes games that either of the two could win"
    if lacking == len(rows):
        return
    unit = "points a game" if rows[0].by == "scores" else "points of share"
    yield f"gain: {unit} beyond what strengths, seats and neighbours explain"
    yield "±: half of its 95 % interval; 2.0±1.5 is 0.5 to 3.5"
    yield "honest %: how often honest bots have a pair this unusual; 3 is 3 leagues in 100"


def _on_authors(rows: Sequence[AuthorRow]) -> Iterable[str]:
    """Yield what is flagged, an example, and what the columns mean."""
    flagged = list(author_flags(rows))
    yield from flagged
    if why := why_not_compared(rows):
        yield why
    elif flagged:
        yield "a flag is no proof: first look at the games, with arena replay list --bot BOT"
    else:
        yield "no bot flagged: nothing beyond chance"
    yield "matches: with another bot of its author; rated: those that count in ratings"
    known = [row for row in rows if row.difference is not None and row.expected_percent is not None]
    if not known:
        return
    one = known[0]
    took, expected = (one.difference or 0.0) + (one.expected_percent or 0.0), one.expected_percent or 0.0
    yield (
        f"for example, {one.bot} took {took:.1f} % of the share there; results at tables of different authors predict "
        f"{expected:.1f} %, so the difference is {took - expected:+.1f}"
    )
    yield "±: half of the 95 % interval; others %: share at tables of different authors"
    if len(known) < len(rows):
        yield "difference –: needs 8 such matches, and 8 of each bot with other authors"
    yield "honest %: how often honest bots have one this unusual; 3 is 3 leagues in 100"


def _on_page(flagged: Sequence[str], what: str) -> list[str]:
    """Return the sentences above a table of the page."""
    if not flagged:
        return [f"No {what} flagged: nothing beyond chance"]
    return [*flagged, f"A flag is no proof: in 1 of 20 leagues of honest bots, some {what} is flagged"]


COALITIONS = View(
    "with and without each other bot at the table, the most unusual pairs first",
    CoalitionRow,
    coalition_rows,
    None,
    "nothing to compare: no match is in the rankings yet, or the game has partners, who share all results",
    most=20,
    notes=_on_coalitions,
    instead=_nobody_without,
    file="coalitions",
    on_site=partial(coalition_rows, only_cached=True),
    on_page=OnPage(
        "With and without each other",
        "How each bot does with another one at the table, the most unusual pairs first. Gain: beyond what strengths, "
        "seats and neighbours explain, in points a game or, in leagues by places, points of share; 2.0±1.5 says "
        "between 0.5 and 3.5, with 95 % confidence. Honest: how often a league of honest bots has a pair this "
        "unusual; 3 % is 3 leagues of 100.",
        "bot other games_with share_with_percent share_without_percent gain chance_percent flag",
        lambda rows: _on_page(list(flags(rows)), "pair"),
        most=20,
    ),
)

AUTHORS = View(
    "with another bot of its author at the table, the most unusual bots first",
    AuthorRow,
    author_rows,
    None,
    why_not_compared(()),
    most=20,
    notes=_on_authors,
    file="authors",
    on_site=partial(author_rows, only_cached=True),
    on_page=OnPage(
        "Against bots of the same author",
        "How each bot does at tables with another bot of its author, the most unusual first. Expected: the share that "
        "results at other tables predict. Difference: in points of share; 2.0±1.5 says between 0.5 and 3.5, with 95 % "
        "confidence. Honest: how often a league of honest bots has a bot this unusual; 3 % is 3 leagues of 100.",
        "bot author matches matches_rated share_percent expected_percent difference chance_percent flag",
        lambda rows: _on_page(list(author_flags(rows)), "bot"),
        is_shown=lambda row: row.matches,
    ),
)
