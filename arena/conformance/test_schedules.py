"""Requirements for every schedule in the registry, played without games."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.conformance.simulated import Simulated, by_chance
from arena.core.errors import UsageError
from arena.schedules.base import Checked, Field, Placed, Schedule, Sized

ENOUGH = 80
"""An endless schedule, such as a ladder, is stopped after this many matches."""


@st.composite
def fields(draw: st.DrawFn) -> Field:
    """Draw a field: entry numbers with gaps, one or two table sizes, separate authors or only a few."""
    entries = draw(st.lists(st.integers(0, 30), min_size=2, max_size=11, unique=True).map(sorted))
    sizes = draw(st.lists(st.integers(2, 5), min_size=1, max_size=2, unique=True))
    authors = draw(st.sampled_from([0, 0, 5, 8]))
    return Field(
        tuple(entries),
        tuple(sizes),
        {entry: f"a{place % authors}" for place, entry in enumerate(entries)} if authors else {},
    )


def played(schedule: Schedule, field: Field, seed: int) -> Simulated | None:
    """Return a league of a schedule with default settings; None if the schedule refuses the field."""
    try:
        if isinstance(schedule, Checked):
            schedule.check(field, schedule.settings())
        schedule.total(field, schedule.settings())
    except UsageError as refused:
        error = refused
    else:
        return Simulated(schedule, field, schedule.settings(), by_chance, seed, most=ENOUGH)
    assert str(error)
    assert error.hint, "what to do is said"
    return None


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(fields(), st.integers(0, 100))
def test_every_match_can_be_played(schedule: Schedule, field: Field, seed: int) -> None:
    league = played(schedule, field, seed)
    if league is None:
        return
    sizes = (
        schedule.sizes(field, league.settings) if isinstance(schedule, Sized) else dict.fromkeys(field.seats)
    )
    assert league.pairings
    for pairing in league.pairings:
        assert set(pairing.entries) <= set(field.entries)
        assert len(set(pairing.entries)) == len(pairing.entries)
        assert len(pairing.entries) in sizes
        assert "\n" not in pairing.why
        if len(pairing.entries) > 2 and field.authors:
            by = [field.authors[entry] for entry in pairing.entries]
            assert len(set(by)) == len(by), "bots of one author share a table"
    rounds = [pairing.round_no for pairing in league.pairings]
    assert rounds == sorted(rounds)
    assert rounds[0] == 0


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(fields(), st.integers(0, 100))
def test_it_ends_when_it_says(schedule: Schedule, field: Field, seed: int) -> None:
    league = played(schedule, field, seed)
    if league is None:
        return
    matches = len(league.pairings)
    if league.total is not None and matches < ENOUGH:
        assert matches == league.total
    if isinstance(schedule, Sized) and matches < ENOUGH:
        for size, count in schedule.sizes(field, league.settings).items():
            there_are = sum(len(pairing.entries) == size for pairing in league.pairings)
            assert count is None or count == there_are


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(fields(), st.integers(0, 100))
def test_the_same_arguments_give_the_same_matches(schedule: Schedule, field: Field, seed: int) -> None:
    league = played(schedule, field, seed)
    again = played(schedule, field, seed)
    if league is None or again is None:
        assert league is again
        return
    assert league.pairings == again.pairings
    assert league.blocks == again.blocks
    assert league.plan() == league.plan()


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(fields(), st.integers(0, 100))
def test_what_it_wants_to_see_never_falls(schedule: Schedule, field: Field, seed: int) -> None:
    league = played(schedule, field, seed)
    if league is None:
        return
    seen = [schedule.sees(field, league.settings, planned) for planned in range(len(league.pairings) + 1)]
    assert all(before <= after for before, after in pairwise(seen))
    assert all(0 <= sees <= planned for planned, sees in enumerate(seen))


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(fields(), st.integers(0, 100))
def test_a_format_with_an_order_of_its_own_places_everybody(
    schedule: Schedule, field: Field, seed: int
) -> None:
    if not isinstance(schedule, Placed) or (league := played(schedule, field, seed)) is None:
        return
    for until in {0, len(league.results) // 2, len(league.results)}:
        placing = schedule.placing(field, league.settings, league.results[:until])
        assert sorted(placed.entry for placed in placing) == sorted(field.entries)
        places = [placed.place for placed in placing]
        assert places == sorted(places)
        assert all(place == 1 + sum(other < place for other in places) for place in places)
