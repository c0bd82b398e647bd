"""What the schedules that come with Arena keep to beyond what all do."""

from typing import Any

import pytest

from arena import registry
from arena.conformance.simulated import Simulated, by_strength
from arena.schedules.base import Field


@pytest.mark.parametrize("name", ["swiss", "elimination"])
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("entries", [4, 13, 16])
def test_without_upsets_the_best_wins(name: str, seats: int, entries: int) -> None:
    schedule: Any = registry.schedule(name)
    field = Field(tuple(range(entries)), (seats,))
    league = Simulated(schedule, field, schedule.settings(), by_strength)
    placing = schedule.placing(field, league.settings, league.results)
    assert (placing[0].entry, placing[0].place, placing[1].place) == (0, 1, 2)
