"""What the schedules that come with Arena keep to beyond what all do."""

from typing import Any

import pytest
from arena_conformance import test_schedules as kit
from arena_conformance.simulated_leagues import Simulated, by_strength

from arena import registry
from arena.schedules.base import Field, Pairing, Summary
from arena.schedules.round_robin import RoundRobin, RoundRobinSettings


@pytest.mark.parametrize("name", ["swiss", "elimination"])
@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("entries", [4, 13, 16])
def test_without_upsets_the_best_wins(name: str, seats: int, entries: int) -> None:
    schedule: Any = registry.schedule(name)
    field = Field(tuple(range(entries)), (seats,))
    league = Simulated(schedule, field, schedule.settings(), by_strength)
    placing = schedule.placing(field, league.settings, league.results)
    assert (placing[0].entry, placing[0].place, placing[1].place) == (0, 1, 2)


class ThreeRounds(RoundRobinSettings, frozen=True, forbid_unknown_fields=True):
    """More rounds by default, as the kit plays by the defaults."""

    rounds: int = 3


class Sound(RoundRobin):
    """A round robin of three rounds."""

    settings = ThreeRounds


class Forgetful(Sound):
    """Goes on with the field that it saw first."""

    first: Field | None = None

    def next_matches(self, field: Field, settings: Any, summary: Summary) -> tuple[Pairing, ...] | None:
        """Return the next matches of the first field."""
        if self.first is None or summary.planned == 0:
            self.first = field
        return super().next_matches(self.first, settings, summary)


class Repeating(Sound):
    """Begins a round again if it is asked within."""

    def next_matches(self, field: Field, settings: Any, summary: Summary) -> tuple[Pairing, ...] | None:
        """Return the next round from its first match on."""
        a_round = max(1, len(field.entries) * (len(field.entries) - 1) // 2)
        planned = summary.planned - (summary.planned - field.from_match) % a_round
        return super().next_matches(field, settings, Summary(planned))


@pytest.mark.parametrize(
    ("test", "faulty", "more"),
    [
        (kit.test_an_open_schedule_plays_with_the_field_of_each_match, Forgetful(), ()),
        (kit.test_an_open_schedule_can_be_continued_from_any_match, Repeating(), (2,)),
    ],
)
def test_the_kit_finds_what_an_open_schedule_does_wrong(
    test: Any, faulty: Sound, more: tuple[int, ...]
) -> None:
    check, league = test.hypothesis.inner_test, (Field((0, 1, 2, 3), (2,)), [(2, (0, 2, 3, 5))])
    check(Sound(), league, 1, *more)
    with pytest.raises(AssertionError):
        check(faulty, league, 1, *more)
