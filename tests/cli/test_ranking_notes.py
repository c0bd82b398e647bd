"""The notes below the table of `arena rankings`: from rankings made by hand, every note that they get."""

from datetime import UTC, datetime
from typing import Any

import pytest

from arena.cli.display.rankings import FIT_WORDS, notes
from results.ratings.base import USUAL
from results.reports.fits import FitBy, FitSummary, FitUnit
from results.reports.history import Movement
from results.reports.leagues import LeagueSummary
from results.reports.ranking_table import Claims, RankingRow, Rankings, Strength, Undecided
from results.reports.states import ENTRY_STATES

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
PLACES = FIT_WORDS[FitBy.PLACES]
DRAWN = "strengths are drawn together as far as they are unsure, as the results decided who met whom"
NO_FIT = "--fit adds strengths fitted to all matches at once, with intervals"


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
PAIRS = (Undecided("x", "y", 340), Undecided("v", "w", 12_345), Undecided("w", "x", None))
CASES = {
    "nothing was played": (report(rated_matches=0), []),
    "no fit": (report(row("a")), [NO_FIT]),
    "no ratings": (report(row("a"), is_rated=False), []),
    "three bots need matches": (report(*WAITING[:3]), [NEEDS, NO_FIT]),
    "four bots need matches": (report(*WAITING[:4]), [f"{NEEDS}, and 1 more bot", NO_FIT]),
    "five bots need matches": (report(*WAITING), [f"{NEEDS}, and 2 more bots", NO_FIT]),
    "a match is unfinished": (
        report(waiting_games=1),
        ["1 of 39 games not rated yet: their match, or an earlier one, is unfinished", NO_FIT],
    ),
    "the rating system failed": (
        report(waiting_games=1, rating_stopped_at=7),
        [
            "ratings stop before match 7: the rating system failed; fix it, then run `arena db rebuild`",
            NO_FIT,
        ],
    ),
    "bots of one author met": (
        report(league={"games_unrated": 2}),
        ["2 games between bots of one author are not rated", NO_FIT],
    ),
    "entries left": (
        report(row("a", state="retired"), row("b", state="replaced"), row("c", is_new=True)),
        [
            f"retired: {ENTRY_STATES['retired']}",
            f"replaced: {ENTRY_STATES['replaced']}",
            "new: joined later, and its place is not as sure as the others' yet",
            NO_FIT,
        ],
    ),
    "entries are paused": (
        report(
            row("a", state="paused", state_why="crashed"),
            *(row(label, state="paused", state_why="games used up") for label in "bc"),
            row("d", state="benched", state_why="thought on others' time"),
        ),
        [
            "a is paused: crashed",
            "2 bots are paused: games used up",
            "d is benched: thought on others' time",
            NO_FIT,
        ],
    ),
    "many reasons": (
        report(*BENCHED),
        [
            *(f"{label} is benched: fault {label}" for label in "abc"),
            "… and 2 more bots paused or benched; --format json has the reasons",
            NO_FIT,
        ],
    ),
    "a ladder against shares": (
        report(row("a", share_percent=40.0), row("b", rank=2, share_percent=60.0), chosen=True),
        ["share % and wins are plain results; the order also counts whom each bot has met", NO_FIT],
    ),
    "a ladder by shares": (
        report(row("a", share_percent=60.0), row("b", rank=2, share_percent=40.0), chosen=True),
        [NO_FIT],
    ),
    "standings of its own": (
        report(own_standings="Swiss"),
        ["who has won by the rules of the Swiss: arena league placing spring", NO_FIT],
    ),
    "movement": (
        report(movement=Movement(datetime(2026, 11, 6, tzinfo=UTC), 20)),
        ["moved: places gained (▲) or lost (▼) since yesterday, before match 20", NO_FIT],
    ),
    "a circle": (
        report(circles=(("a", "b", "c"), ("x", "y"))),
        [
            NO_FIT,
            "a circle: a beats b, b beats c, c beats a; the order among them depends on who else plays "
            "(and 1 more circle): arena stats spring --view circles",
        ],
    ),
    "contradictions": (
        report(contradictions=(("a", "b"),)),
        [
            NO_FIT,
            "a beats b, which the fit places above it: their order depends on who else plays: "
            "arena stats spring --view circles",
        ],
    ),
    "a fit": (report(row("a", strength=strength(10.0)), fit=fit()), [PLACES]),
    "a fit without intervals": (
        report(row("a", strength=strength(None)), fit=fit()),
        [PLACES, "no intervals: each bot has played fewer than two matches"],
    ),
    "an old fit": (
        report(fit=fit(through=39), rated_matches=41),
        [PLACES, "the fit has the matches below number 39, of 41: --fit takes all"],
    ),
    "drawn together by places": (
        report(fit=fit(drawn_together=True)),
        [
            PLACES,
            f"{DRAWN}; in simulated leagues, 93 to 98 % of the intervals held, more if all bots are equal",
        ],
    ),
    "drawn together by scores": (
        report(fit=fit(FitBy.SCORES, drawn_together=True)),
        [
            FIT_WORDS[FitBy.SCORES],
            f"{DRAWN}; in simulated leagues, 95 to 98 % of the intervals held, more if all bots are equal",
        ],
    ),
    "drawn together by shares": (
        report(fit=fit(FitBy.SHARES, drawn_together=True)),
        [FIT_WORDS[FitBy.SHARES], DRAWN],
    ),
    "the order of the fit": (
        report(fit=fit(FitBy.SCORES, pairs=3, pairs_apart=1), by_fit=True),
        [
            FIT_WORDS[FitBy.SCORES],
            "the league is over and about scores, so the order is that of these strengths",
            "above: bots it is told apart from as the stronger, pair by pair / familywise; 1 of 3 pairs is told "
            "apart, 0 familywise",
        ],
    ),
    "the fit disputes ranks": (
        report(row("a"), row("b"), row("c", claims=claims("a", "b")), fit=fit()),
        [
            PLACES,
            "the methods disagree: a is ranked above c, the fit says below",
            "the methods disagree: b is ranked above c, the fit says below",
        ],
    ),
    "the fit disputes many ranks": (
        report(row("e", claims=claims(*"abcd")), fit=fit()),
        [
            PLACES,
            *(f"the methods disagree: {upper} is ranked above e, the fit says below" for upper in "abc"),
            "… and 1 more pair; --format json has all",
        ],
    ),
    "places": (
        report(row("a", claims=claims(place_best=1, place_worst=2)), fit=fit()),
        [
            PLACES,
            "places: from the best to the worst that it may have by the fit; with 95 %, all of these are right",
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
            "≈: not told apart from the bot above it, at 95 %, pair by pair",
            PLACES,
            "3 of 6 pairs are told apart, 0 familywise",
            "about 340 matches in all (now 39) would tell x from y, and more than 1,000,000 matches the closest, w and "
            "x, if they are as far apart as they look",
        ],
    ),
    "undecided of those shown": (
        report(*map(row, "vw"), fit=fit(pairs=6, drawn_together=True), undecided=PAIRS),
        [
            PLACES,
            f"{DRAWN}; in simulated leagues, 93 to 98 % of the intervals held, more if all bots are equal",
            "0 of 6 pairs are told apart, 0 familywise",
            "about 12,000 matches in all (now 39) would tell v from w, if they are as far apart as they look; rough, "
            "as strengths are drawn together",
        ],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_rankings_have_these_notes(case: str) -> None:
    rankings, expected = CASES[case]
    assert list(notes(rankings, "yesterday")) == expected
