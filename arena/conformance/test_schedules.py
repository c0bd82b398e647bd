"""Requirements for every schedule in the registry, played without games."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.conformance.simulated import Change, Simulated, by_chance
from arena.core.errors import UsageError
from arena.schedules.base import Checked, Field, Open, Placed, Schedule, Sized

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


def fields_later(draw: st.DrawFn) -> list[Change]:
    """Draw changes: entries leave and join, down to none."""
    entries = st.lists(st.integers(0, 40), max_size=9, unique=True).map(lambda found: tuple(sorted(found)))
    return draw(st.lists(st.tuples(st.integers(0, ENOUGH), entries), min_size=1, max_size=4).map(sorted))


@st.composite
def changing(draw: st.DrawFn) -> tuple[Field, list[Change]]:
    """Draw a field, with authors for all entries that ever play or for none, and how it changes."""
    field = draw(fields())
    authors = {entry: f"a{entry % 8}" for entry in range(41)} if field.authors else {}
    return replace(field, authors=authors), fields_later(draw)


def played(
    schedule: Schedule, field: Field, seed: int, changes: list[Change] | None = None, keep: int | None = None
) -> Simulated | None:
    """Return a league of a schedule with default settings; None if the schedule refuses the field."""
    try:
        if isinstance(schedule, Checked):
            schedule.check(field, schedule.settings())
        schedule.total(field, schedule.settings())
    except UsageError as refused:
        error = refused
    else:
        given_ = schedule.settings()
        return Simulated(schedule, field, given_, by_chance, seed, ENOUGH, changes or (), keep)
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


def test_it_has_both_members_of_an_open_schedule_or_neither(schedule: Schedule) -> None:
    assert hasattr(schedule, "changes_at") == hasattr(schedule, "rests") == isinstance(schedule, Open)


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(changing(), st.integers(0, 100))
def test_an_open_schedule_plays_with_the_field_of_each_match(
    schedule: Schedule, league_and_changes: tuple[Field, list[Change]], seed: int
) -> None:
    field, changes = league_and_changes
    if not isinstance(schedule, Open) or (league := played(schedule, field, seed, changes)) is None:
        return
    for pairing, of in zip(league.pairings, league.fields, strict=True):
        assert set(pairing.entries) <= set(of.entries), "an entry plays that isn't active"
        assert len(set(pairing.entries)) == len(pairing.entries)
        if len(pairing.entries) > 2 and field.authors:
            by = [field.authors[entry] for entry in pairing.entries]
            assert len(set(by)) == len(by), "bots of one author share a table"
    rounds = [pairing.round_no for pairing in league.pairings]
    assert rounds == sorted(rounds)
    assert "\n" not in schedule.rests(league.field, league.settings, league.summary())
    total = league.schedule.total(league.field, league.settings)
    if total is not None and league.plan() is None:
        assert len(league.pairings) == total, "`total` includes the matches of earlier fields"


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(changing(), st.integers(0, 100), st.integers(1, 7))
def test_an_open_schedule_can_be_continued_from_any_match(
    schedule: Schedule, league_and_changes: tuple[Field, list[Change]], seed: int, keep: int
) -> None:
    field, changes = league_and_changes
    if not isinstance(schedule, Open) or (whole := played(schedule, field, seed, changes)) is None:
        return
    cut = played(schedule, field, seed, changes, keep)
    assert cut is not None
    matches = min(len(cut.pairings), len(whole.pairings))
    assert cut.pairings[:matches] == whole.pairings[:matches]
    assert matches >= min(ENOUGH, len(whole.pairings))


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(fields(), st.integers(0, 30), st.integers(1, 3), st.integers(0, 100))
def test_an_endless_open_schedule_ends_its_final(
    schedule: Schedule, field: Field, before: int, matches: int, seed: int
) -> None:
    if not isinstance(schedule, Open) or played(schedule, field, seed) is None:
        return
    if schedule.total(field, schedule.settings()) is not None:
        return
    league = Simulated(
        schedule, field, schedule.settings(), by_chance, seed, ENOUGH + before, [(before, matches)]
    )
    assert league.plan() is None, (
        "`next_matches` returns None once every entry has played its matches of the final"
    )
    final = [pairing.entries for pairing in league.pairings[before:]]
    assert all(sum(entry in table for table in final) >= matches for entry in field.entries)
