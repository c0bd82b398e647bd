"""Which claims contradict a fit."""

from results.analysis.betting_test import Meetings
from results.analysis.fit_results import Fit, Strength
from results.reports.circles import contradicting
from results.reports.fits import CachedFit, FitBy


def test_only_what_the_fit_denies_familywise_is_a_contradiction() -> None:
    strengths = (
        Strength(0, -1.0, -2.0, 0.0, (), ()),
        Strength(1, 1.0, 0.0, 2.0, (0, 2), (0,)),
        Strength(2, 0.0, -1.0, 1.0, None, None),
    )
    fit = CachedFit(form=1, through=9, ratings="", by=FitBy.SCORES, fit=Fit(strengths))
    denied, unsure, agreed, unknown = (
        Meetings(one, other, 20, 20, 0) for one, other in ((0, 1), (2, 1), (1, 0), (7, 2))
    )
    assert contradicting((denied, unsure, agreed, unknown), fit) == (denied,)
    assert contradicting((denied,), None) == ()
