"""Requirements for every schedule in the registry, played without games."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.core.errors import UsageError
from arena.schedules.base import Checked, Field, Open, Placed, Schedule, Sized
from arena_conformance.simulated_leagues import Change, Simulated, by_chance

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
    for part, text in (("message", str(error)), ("hint", error.hint)):
        assert text, f"a field is refused without a {part}: raise UsageError(what is wrong, what to do)"
    return None


def check_tables(league: Simulated, field: Field) -> None:
    """Fail unless every table is of different entries of the field it was planned for, authors apart."""
    for number, (pairing, of) in enumerate(zip(league.pairings, league.fields, strict=True)):
        where = f"the table {pairing.entries} of match {number}"
        strangers = set(pairing.entries) - set(of.entries)
        assert not strangers, f"{where} has {sorted(strangers)}, not among the active entries {of.entries}"
        assert len(set(pairing.entries)) == len(pairing.entries), f"{where} has an entry twice"
        if len(pairing.entries) > 2 and field.authors:
            by = [field.authors[entry] for entry in pairing.entries]
            assert len(set(by)) == len(by), (
                f"bots of one author share {where}: keep those in `field.authors` apart"
            )
    rounds = [pairing.round_no for pairing in league.pairings]
    assert rounds == sorted(rounds), f"the round numbers are {rounds}: they never fall"


def test_the_traits_say_what_the_schedule_does(schedule: Schedule) -> None:
    """A league's reports know a schedule by its traits alone."""
    assert bool(schedule.traits.places) == isinstance(schedule, Placed), (
        f"`traits.places` is {schedule.traits.places!r}: name the format if the schedule has `placing`, and only then"
    )
    seen = schedule.sees(Field(tuple(range(8)), (2,)), schedule.settings(), 1000)
    assert schedule.traits.chooses or not seen, (
        f"`sees` returns {seen} for match 1000, but `traits.chooses` is false: set it if results choose the matches"
    )


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(fields(), st.integers(0, 100))
def test_every_match_can_be_played(schedule: Schedule, field: Field, seed: int) -> None:
    league = played(schedule, field, seed)
    if league is None:
        return
    sizes = (
        schedule.sizes(field, league.settings) if isinstance(schedule, Sized) else dict.fromkeys(field.seats)
    )
    assert league.pairings, (
        "the schedule accepts a field and plans no match of it: let `check` refuse the field"
    )
    check_tables(league, field)
    for pairing in league.pairings:
        assert len(pairing.entries) in sizes, (
            f"the table {pairing.entries} has another size than {sorted(sizes)}: seat as many, or return it in `sizes`"
        )
        assert "\n" not in pairing.why, f"`why` of a match is {pairing.why!r}: write one line"
    first = league.pairings[0].round_no
    assert first == 0, f"the first match is of round {first}: count rounds from 0"


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(fields(), st.integers(0, 100))
def test_it_ends_when_it_says(schedule: Schedule, field: Field, seed: int) -> None:
    league = played(schedule, field, seed)
    if league is None:
        return
    matches = len(league.pairings)
    if league.total is not None and matches < ENOUGH:
        assert matches == league.total, (
            f"`total` says {league.total} matches and `next_matches` plans {matches}: let them agree, or return None"
        )
    if isinstance(schedule, Sized) and matches < ENOUGH:
        for size, count in schedule.sizes(field, league.settings).items():
            there_are = sum(len(pairing.entries) == size for pairing in league.pairings)
            assert count is None or count == there_are, (
                f"`sizes` says {count} tables of {size} and `next_matches` plans {there_are}: let them agree"
            )


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(fields(), st.integers(0, 100))
def test_the_same_arguments_give_the_same_matches(schedule: Schedule, field: Field, seed: int) -> None:
    league = played(schedule, field, seed)
    again = played(schedule, field, seed)
    same = league is again is None or (
        league is not None
        and again is not None
        and (league.pairings, league.blocks) == (again.pairings, again.blocks)
        and league.plan() == league.plan()
    )
    assert same, (
        "the same field, settings and summary give other matches the second time: keep no state, and use no clock and "
        "no random numbers of your own"
    )


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(fields(), st.integers(0, 100))
def test_what_it_wants_to_see_never_falls(schedule: Schedule, field: Field, seed: int) -> None:
    league = played(schedule, field, seed)
    if league is None:
        return
    seen = [schedule.sees(field, league.settings, planned) for planned in range(len(league.pairings) + 1)]
    assert all(before <= after for before, after in pairwise(seen)), (
        f"`sees` returns {seen} for 0, 1, 2, … planned matches: it never falls"
    )
    assert all(0 <= sees <= planned for planned, sees in enumerate(seen)), (
        f"`sees` returns {seen} for 0, 1, 2, … planned matches: return 0 to the number of planned matches"
    )


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(fields(), st.integers(0, 100))
def test_a_format_with_an_order_of_its_own_places_everybody(
    schedule: Schedule, field: Field, seed: int
) -> None:
    if not isinstance(schedule, Placed) or (league := played(schedule, field, seed)) is None:
        return
    for until in {0, len(league.results) // 2, len(league.results)}:
        placing = schedule.placing(field, league.settings, league.results[:until])
        assert sorted(placed.entry for placed in placing) == sorted(field.entries), (
            f"`placing` places {[placed.entry for placed in placing]} of {field.entries}: place every entry once"
        )
        places = [placed.place for placed in placing]
        assert places == [1 + sum(other < place for other in places) for place in sorted(places)], (
            f"`placing` gives the places {places}: begin with 1, in order, and skip places after ties (1, 2, 2, 4)"
        )


def test_it_has_both_members_of_an_open_schedule_or_neither(schedule: Schedule) -> None:
    assert hasattr(schedule, "changes_at") == hasattr(schedule, "rests"), (
        "the schedule has one of `changes_at` and `rests`: write both if bots may come and go, or neither"
    )


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(changing(), st.integers(0, 100))
def test_an_open_schedule_plays_with_the_field_of_each_match(
    schedule: Schedule, league_and_changes: tuple[Field, list[Change]], seed: int
) -> None:
    field, changes = league_and_changes
    if not isinstance(schedule, Open) or (league := played(schedule, field, seed, changes)) is None:
        return
    check_tables(league, field)
    rests = schedule.rests(league.field, league.settings, league.summary())
    assert "\n" not in rests, f"`rests` returns {rests!r}: write one line"
    total = league.schedule.total(league.field, league.settings)
    if total is not None and league.plan() is None:
        assert len(league.pairings) == total, (
            f"`total` says {total} matches and there are {len(league.pairings)}: include the matches of earlier fields"
        )


@settings(max_examples=settings().max_examples // 4, deadline=None)
@given(changing(), st.integers(0, 100), st.integers(1, 7))
def test_an_open_schedule_can_be_continued_from_any_match(
    schedule: Schedule, league_and_changes: tuple[Field, list[Change]], seed: int, keep: int
) -> None:
    field, changes = league_and_changes
    if not isinstance(schedule, Open) or (whole := played(schedule, field, seed, changes)) is None:
        return
    cut = played(schedule, field, seed, changes, keep)
    planned = [] if cut is None else cut.pairings
    matches = min(len(planned), len(whole.pairings))
    goes_on = planned[:matches] == whole.pairings[:matches] and matches >= min(ENOUGH, len(whole.pairings))
    assert goes_on, (
        f"asked again after every {keep} matches of those it plans, the schedule plans others than at once: plan the "
        "rest of the same matches"
    )


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
    assert all(sum(entry in table for table in final) >= matches for entry in field.entries), (
        f"the final ends before every entry has played its {matches} matches: count them in `summary.in_final`"
    )
