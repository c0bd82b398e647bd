"""What `arena rankings` says around its table, from rankings made by hand: the winner, the news, and the notes."""

from datetime import UTC, datetime
from typing import Any

import pytest

from arena.cli.display.ranking_notes import FIT_METHODS, explained, legend, news, notes
from arena.cli.display.rankings import columns
from results.ratings.base import USUAL
from results.reports.fits import FitBy, FitSummary, FitUnit
from results.reports.history import Moved, Movement
from results.reports.league_states import ENTRY_STATES
from results.reports.leagues import LeagueSummary
from results.reports.ranking_columns import (
    Claims,
    FormatStanding,
    RankingRow,
    Rankings,
    Strength,
    Undecided,
    winner,
)

LEAGUE: dict[str, Any] = {
    "name": "spring",
    "game": "bread-basket",
    "ruleset": "tens",
    "games": 39,
    "state": "running",
    "is_settled": False,
    "is_sealed": True,
    "weakest_isolation": "none",
}
DEALS = "The deals follow from a secret that nobody knew. Weakest sandbox of its games: none, level 0 of 4."
NO_FIT = ["--fit adds strengths from all matches at once, with confidence intervals.", DEALS]
PLACES = FIT_METHODS[FitBy.PLACES]
SHRUNK = "Results chose who met whom, so uncertain strengths are shrunk towards the mean"


def row(label: str, **changes: Any) -> RankingRow:
    plain: dict[str, Any] = {"rank": 1, "mu": 25.0, "sigma": 1.0, "matches": 10, "games": 10, "wins": 5.0}
    plain |= {"share_percent": 50.0, "faults": 0, "strength": None, "claims": None}
    return RankingRow(label=label, **{**plain, "needs": 0, "retired": False, "version": None, **changes})


def claims(*disputes: str, **changes: Any) -> Claims:
    plain: dict[str, Any] = {"above": (), "above_familywise": (), "apart": None, "apart_familywise": None}
    plain |= {"place_best": None, "place_worst": None, "matches_to_tell": None, "disputes": disputes}
    return Claims(**{**plain, **changes})


def strength(half: float | None) -> Strength:
    ends = {"low": None, "high": None} if half is None else {"low": -half, "high": half}
    return Strength(value=0.0, unit=FitUnit.ELO, share_percent=50.0, rank=1, through=39, **ends)


def report(*rows: RankingRow, league: dict[str, Any] | None = None, **changes: Any) -> Rankings:
    plain: dict[str, Any] = {"scale": USUAL, "least_matches": 10, "rated_matches": 39}
    plain |= {"rating_stopped_at": None, "waiting_games": 0, "fit": None}
    about = LeagueSummary(**{**LEAGUE, **(league or {})})
    return Rankings(league=about, rows=rows, **{**plain, **changes})


def fit(by: FitBy = FitBy.PLACES, through: int = 39, **changes: Any) -> FitSummary:
    return FitSummary(by=by, through=through, **changes)


WAITING = [row(label, rank=None, needs=2) for label in "abcde"]
NEEDS = "–: no rank below 10 matches: a needs 2 more, b needs 2 more, c needs 2 more"
BENCHED = [row(label, state="benched", state_why=f"fault {label}") for label in "abcde"]
NEWS = {
    "nothing was played": (report(rated_matches=0), []),
    "three bots need matches": (report(*WAITING[:3]), [NEEDS]),
    "four bots need matches": (report(*WAITING[:4]), [f"{NEEDS}, and 1 more bot"]),
    "five bots need matches": (report(*WAITING), [f"{NEEDS}, and 2 more bots"]),
    "a match is unfinished": (
        report(waiting_games=1),
        ["1 of 39 games wait for their match, or an earlier one, to end"],
    ),
    "the rating system failed": (
        report(waiting_games=1, rating_stopped_at=7),
        ["ratings stop before match 7: the rating system failed; fix it, then run `arena db rebuild`"],
    ),
    "bots of one author met": (
        report(league={"games_unrated": 2}),
        ["2 games between bots of one author are not rated"],
    ),
    "entries are paused": (
        report(
            row("a", state="paused", state_why="crashed"),
            *(row(label, state="paused", state_why="games used up") for label in "bc"),
            row("d", state="benched", state_why="thought on others' time"),
        ),
        ["a is paused: crashed", "2 bots are paused: games used up", "d is benched: thought on others' time"],
    ),
    "many reasons": (
        report(*BENCHED),
        [
            *(f"{label} is benched: fault {label}" for label in "abc"),
            "… and 2 more bots paused or benched; --format json has the reasons",
        ],
    ),
    "a circle": (
        report(circles=(("a", "b", "c"), ("x", "y"))),
        [
            "a circle: a beats b, b beats c, c beats a; their order depends on who else plays "
            "(and 1 more circle): arena stats spring --view circles",
        ],
    ),
    "contradictions": (
        report(contradictions=(("a", "b"),)),
        ["a beats b, but the fit puts b first: arena stats spring --view circles"],
    ),
    "an old fit": (
        report(fit=fit(through=39), rated_matches=41),
        ["the fit has 39 of 41 matches; --fit takes all"],
    ),
}


@pytest.mark.parametrize("case", NEWS)
def test_news(case: str) -> None:
    rankings, expected = NEWS[case]
    assert list(news(rankings)) == expected


LEGENDS = {
    "no sign": (report(row("a")), []),
    "tied": (
        report(row("a", claims=claims(apart=False))),
        ["≈ statistically tied with the bot above (95 %)"],
    ),
    "moved": (
        report(
            row("a", moved=Moved(rank_before=1)), movement=Movement(datetime(2026, 11, 6, tzinfo=UTC), 20)
        ),
        ["moved: places gained (▲) or lost (▼) since yesterday, before match 20"],
    ),
    "nothing to compare with": (
        report(row("a", moved=Moved()), movement=Movement(datetime(2026, 11, 6, tzinfo=UTC), 0)),
        ["no movement to show: no bot had a rank by yesterday; pass a later --movement"],
    ),
    "gone": (
        report(row("a", state="retired"), row("b", state="replaced"), row("c", is_new=True)),
        [
            f"retired: {ENTRY_STATES['retired']}",
            f"replaced: {ENTRY_STATES['replaced']}",
            "new: joined later, and has played less than the others",
        ],
    ),
}


@pytest.mark.parametrize("case", LEGENDS)
def test_legends(case: str) -> None:
    rankings, expected = LEGENDS[case]
    assert legend(rankings, "yesterday") == expected


PAIRS = (Undecided("x", "y", 340), Undecided("v", "w", 12_345), Undecided("w", "x", None))
NOTES = {
    "no fit": (report(row("a")), NO_FIT),
    "no ratings": (report(row("a"), is_rated=False), [DEALS]),
    "a seed": (
        report(league={"is_sealed": False, "weakest_isolation": None}, rated_matches=0),
        ["The deals follow from a seed that its organiser may have known."],
    ),
    "a ladder against shares": (
        report(row("a", share_percent=40.0), row("b", rank=2, share_percent=60.0), chosen=True),
        ["Share and wins are plain results; the order also depends on whom each bot has met.", *NO_FIT],
    ),
    "a ladder by shares": (
        report(row("a", share_percent=60.0), row("b", rank=2, share_percent=40.0), chosen=True),
        NO_FIT,
    ),
    "standings of its own": (
        report(own_standings="Swiss"),
        ["The order is that of the Swiss; the ratings beside it come from the same matches.", *NO_FIT],
    ),
    "a round robin": (
        report(by_share=True),
        ["Everybody meets everybody equally often here, so the order is that of the share.", *NO_FIT],
    ),
    "a fit": (report(row("a", strength=strength(10.0)), fit=fit()), [PLACES, DEALS]),
    "a fit without intervals": (
        report(row("a", matches=1, strength=strength(None)), fit=fit()),
        [PLACES, "There are no intervals, as each bot has played fewer than two matches.", DEALS],
    ),
    "a fit of partners who never parted": (
        report(row("a", matches=9, strength=strength(None)), fit=fit()),
        [
            PLACES,
            "There are no intervals, as each bot has played fewer than two deals, or only with the same partners.",
            DEALS,
        ],
    ),
    "shrunk by places": (
        report(fit=fit(drawn_together=True)),
        [
            PLACES,
            f"{SHRUNK}; in simulated leagues, 93 to 98 % of the intervals were right, more if all bots are equal.",
            DEALS,
        ],
    ),
    "shrunk by shares": (
        report(fit=fit(FitBy.SHARES, drawn_together=True)),
        [FIT_METHODS[FitBy.SHARES], f"{SHRUNK}.", DEALS],
    ),
    "the order of the fit": (
        report(fit=fit(FitBy.SCORES, pairs=3, pairs_apart=1), by_fit=True),
        [
            "The league is over and about scores, so the order is that of the strengths in points.",
            FIT_METHODS[FitBy.SCORES],
            "1 of 3 pairs differs significantly, but none when all pairs are tested together.",
            DEALS,
        ],
    ),
    "bots that change": (
        report(row("a", claims=claims(drift=35.0)), row("b", claims=claims(drift=-20.0)), fit=fit()),
        [
            PLACES,
            *(
                f"{label} was {way} in the second half of its matches than in the first: "
                "its strength is the mean of a bot that changes."
                for label, way in (("a", "stronger"), ("b", "weaker"))
            ),
            DEALS,
        ],
    ),
    "the fit disputes many ranks": (
        report(row("e", claims=claims(*"abcd")), fit=fit()),
        [
            PLACES,
            *(f"The methods disagree: {upper} is ranked above e, but the fit says below." for upper in "abc"),
            "They disagree about 1 more pair; --format json has all.",
            DEALS,
        ],
    ),
    "undecided": (
        report(
            *map(row, "vwx"),
            row("y", claims=claims(apart=False)),
            fit=fit(pairs=6, pairs_apart=3),
            undecided=PAIRS,
        ),
        [
            PLACES,
            "3 of 6 pairs differ significantly, but none when all pairs are tested together.",
            "Separating x and y takes about 340 matches (39 played), w and x more than 1,000,000 matches, if they "
            "differ by as much as it looks.",
            DEALS,
        ],
    ),
    "undecided of those shown": (
        report(*map(row, "vw"), fit=fit(pairs=6, drawn_together=True), undecided=PAIRS),
        [
            PLACES,
            f"{SHRUNK}; in simulated leagues, 93 to 98 % of the intervals were right, more if all bots are equal.",
            "No pair of bots differs significantly.",
            "Separating v and w takes about 12,000 matches (39 played), if they differ by as much as it looks. This "
            "is rough, as results choose who meets whom.",
            DEALS,
        ],
    ),
}


@pytest.mark.parametrize("case", NOTES)
def test_notes(case: str) -> None:
    rankings, expected = NOTES[case]
    assert list(notes(rankings)) == expected


OVER = {"state": "finished"}
TIED = claims(apart=False)
WINNERS = {
    "running": (report(row("a"), row("b", rank=2)), ""),
    "one": (report(row("a"), row("b", rank=2), league=OVER), "a wins"),
    "a tie": (report(row("a"), row("b"), row("c", rank=3), league=OVER), "a and b share first place"),
    "all alike": (report(row("a"), row("b"), league=OVER), ""),
    "not surely": (
        report(row("a"), *(row(label, rank=2, claims=TIED) for label in "bcd"), league=OVER),
        "a is first, statistically tied with b and 2 more",
    ),
    "not the last": (
        report(
            row("a", claims=claims(above=("d",))),
            *(row(label, rank=2, claims=TIED) for label in "bcd"),
            league=OVER,
        ),
        "a is first, statistically tied with b and c",
    ),
    "nobody": (report(league=OVER), ""),
}


@pytest.mark.parametrize("case", WINNERS)
def test_the_winner(case: str) -> None:
    rankings, expected = WINNERS[case]
    assert "".join(winner(rankings)) == expected


def told(first: RankingRow, **changes: Any) -> dict[str, str]:
    rankings = report(first, **changes)
    shown = columns(rankings.scale, rankings.rows, by_share=rankings.by_share)
    return {column.key: explained(column, first, rankings) for column in shown}


def test_columns_are_explained_with_the_figures_of_the_first_row() -> None:
    first = row("ann", strength=strength(60.0), claims=claims(place_best=1, place_worst=3))
    words = told(first)
    assert words["mu"].endswith("(ann: 25.00)")
    assert words["sigma"].endswith("the rating of ann is within two σ, from 23.00 to 27.00")
    assert "with +0, ann finishes above one in 50 of 100 games" in words["strength"]
    assert "(ann: 1–3)" in words["places"]
    assert words["wins"].endswith("(ann: 5.0)")
    assert not words["label"]


def test_standings_of_a_format_come_first_and_are_explained() -> None:
    stands = FormatStanding(points=3.5, byes=1, tie_breaks={"Buchholz": 9.5}, note="")
    words = told(row("ann", standing=stands), own_standings="Swiss")
    assert list(words)[:5] == ["rank", "label", "points", "Buchholz", "byes"]
    assert words["points"].endswith("or for a bye (ann: 3.50)")
    assert "(ann: 9.50)" in words["Buchholz"]
    assert list(told(row("ann"), by_share=True))[2:4] == ["share_percent", "wins"]
