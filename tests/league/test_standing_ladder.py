"""A standing ladder under `arena run`, through arrivals, broken and hostile bots, and two kills of the runner."""

from pathlib import Path

import pytest

from benchmarks.standing_ladder import StandingLadder
from tests.support.sandbox import needs_bwrap


@pytest.mark.slow
@needs_bwrap
def test_nothing_is_lost_and_the_events_give_the_same_table(tmp_path: Path) -> None:
    figures = StandingLadder(tmp_path, workers=2).run(duration_s=45, count=12)
    assert figures["runner ended with"] == 0
    assert figures["digests are the same"] == {"games": True, "ratings": True}
    assert "verified: everything matches the ledger" in figures["verify"][0]
    assert figures["accepted"] >= 4
    assert len(figures["games at each kill"]) == 2
    assert figures["longest wait of an active entry since the first arrival, in mean intervals"] <= 4
