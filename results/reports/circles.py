"""Where no order is the right one: circles of bots that surely beat each other."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from msgspec import Struct, field

from results.analysis.betting_test import Meetings, circles, claims
from results.records import LeagueRecord
from results.reports.columns import Column, ReportRow
from results.reports.fits import CachedFit, cached_fit, fit_by_of
from results.store import Store


class ClaimRow(ReportRow, frozen=True, kw_only=True):
    """A bot that surely beats another: as one step of a circle, or though the fit surely places it below.

    Columns:
        circle: Number of the circle; empty: the fit ranks the beaten bot higher
        opponent: The bot that it beats significantly (95 %, all pairs together)
        played: Matches of the two
        above: Matches in which it finished above
        tied: Matches in which they tied
        below: Matches in which it finished below
        share_percent: How often it finished above, a tie counting half: 3 above, 2 tied and 3 below are 50
    """

    circle: Annotated[int | None, Column(priority=1)]
    bot: Annotated[str, Column(priority=0)]
    opponent: Annotated[str, Column("beats", priority=0)]
    played: Annotated[int, Column("matches", priority=4)]
    above: Annotated[int, Column(priority=5)]
    tied: Annotated[int, Column(priority=6)]
    below: Annotated[int, Column(priority=5)]
    share_percent: Annotated[float, Column(decimals=1, priority=2)] = field(name="share")


class Circles(Struct, frozen=True):
    """The claims of a league and their circles."""

    claims: tuple[Meetings, ...]
    circles: tuple[tuple[int, ...], ...]
    """Numbers of entries, each of which beats the next, and the last the first."""


def circles_of(store: Store, league: LeagueRecord) -> Circles:
    """Return all claims about the pairs of a league, and their circles."""
    meetings = (
        Meetings(one.entry_no, one.opponent_no, one.matches, one.matches_above, one.matches_tied)
        for one in store.totals.head_to_head(league.uuid)
        if one.entry_no < one.opponent_no
    )
    return circles_among(meetings, store.entries.count(league.uuid))


def contradicting(found: Sequence[Meetings], fit: CachedFit | None) -> tuple[Meetings, ...]:
    """Return the claims of which a fit says the opposite, for all pairs together at 95 %."""
    strengths = fit.strengths if fit else {}
    return tuple(
        claim
        for claim in found
        if claim.opponent_no in strengths
        and claim.entry_no in (strengths[claim.opponent_no].above_familywise or ())
    )


def circles_among(meetings: Iterable[Meetings], entries: int) -> Circles:
    """Return the same for some meetings of pairs; `entries`: number of entries of the league."""
    found = claims(meetings, entries)
    return Circles(found, circles(found))


def circle_rows(store: Store, league: LeagueRecord, entry_no: int | None = None) -> list[ClaimRow]:
    """Return the steps of all circles (with an entry), the shorter first, then the claims that contradict the fit."""
    found = circles_of(store, league)
    labels = store.entries.labels(league.uuid)
    of_pair = {(claim.entry_no, claim.opponent_no): claim for claim in found.claims}
    rows = [
        _row(of_pair[step], labels, number)
        for number, circle in enumerate(found.circles, 1)
        if entry_no in (None, *circle)
        for step in zip(circle, (*circle[1:], circle[0]), strict=True)
    ]
    fit = cached_fit(store, league.uuid, fit_by_of(league))
    return rows + [
        _row(claim, labels, None)
        for claim in contradicting(found.claims, fit)
        if entry_no in (None, claim.entry_no, claim.opponent_no)
    ]


def _row(claim: Meetings, labels: Mapping[int, str], circle: int | None) -> ClaimRow:
    return ClaimRow(
        circle=circle,
        bot=labels[claim.entry_no],
        opponent=labels[claim.opponent_no],
        played=claim.matches,
        above=claim.above,
        tied=claim.tied,
        below=claim.matches - claim.above - claim.tied,
        share_percent=100 * (claim.above + claim.tied / 2) / claim.matches,
    )
