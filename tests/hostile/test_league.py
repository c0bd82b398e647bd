"""Eight good bots and eight hostile ones in one league, to its end."""

from pathlib import Path

import pytest

from tests.hostile.canaries import canaries
from tests.hostile.league import GOOD, HOSTILE, play
from tests.support.sandbox import needs_bwrap

GAMES_A_ROUND = 240
GOOD_GAMES_A_ROUND = 56


@pytest.mark.slow
@pytest.mark.timeout(3_300)
@needs_bwrap
@pytest.mark.parametrize(("rounds", "freezes"), [(3, False), (1, True)], ids=["not frozen", "as it is run"])
def test_the_hostile_end_at_the_bottom_with_true_reasons_and_cost_nobody_else(
    rounds: int, freezes: bool, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with canaries(outside) as canary:
        report = play(tmp_path, canary, rounds, workers=2, freezes=freezes)
    told = "\n".join(report.lines())
    assert report.games == rounds * GAMES_A_ROUND, told
    assert not set(report.verdicts) & set(GOOD), told
    assert report.same_games == report.good_games == rounds * GOOD_GAMES_A_ROUND, told
    assert report.reached == [], told
    for label in HOSTILE:
        assert set(report.verdicts.get(label, {})) <= {label}, "what it did and nothing else\n" + told
    at_fault = {label for label in HOSTILE if not report.clean[label] or label in report.benched}
    # Frozen between its turns, a bot that would think on others' time does nobody harm, and is at no fault.
    assert at_fault == set(HOSTILE) or (freezes and at_fault == set(HOSTILE) - {"pondering"}), told
    assert set(report.places[-len(at_fault) :]) == at_fault, told
    # One that never starts is out, too, and one that the league benched forfeits without a start.
    assert set(report.benched) == {"startup", "pondering"} & at_fault, told
