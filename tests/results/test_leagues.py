"""Leagues and their entries."""

from hashlib import sha256
from pathlib import Path

import pytest

from results.base.errors import (
    AmbiguousName,
    BadPolicy,
    BadRating,
    LeagueClosed,
    LeagueUnfinished,
    NameRefused,
    RecordRefused,
    UnknownEntry,
    UnknownLeague,
    UnknownRating,
    UnknownVersion,
)
from results.ratings.base import Rating
from results.records import EntrySpec, LeagueEvent, RulesetRecord
from results.records.roster import roster_at
from results.reports.leagues import league_row, league_summary
from results.store import Store
from results.store.database import value
from tests.support.ledgers import NOW, RULES, SECRET, add_version, new_league, new_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def test_a_league_is_kept_as_it_was_made(store: Store) -> None:
    version = add_version(store, "ann", "crumb", "a" * 64, {}, {})
    made = store.leagues.create(
        "autumn",
        config={"seats": 4, "game": "bread-basket"},
        ruleset=RULES,
        entries=[
            EntrySpec("crumb", version.id, args=("--depth", "3")),
            EntrySpec("me", None, prior=Rating(30.0, 2.0), predecessor=0),
        ],
        rating_options={"tau": 0},
        keep_replays="last 100",
    )
    assert store.leagues.get("autumn") == store.leagues.get(made.uuid) == made
    assert (made.config, made.ruleset) == ({"game": "bread-basket", "seats": 4}, RULES)
    assert (made.state, made.rated, made.rating, made.keep_replays) == (
        "created",
        True,
        "trueskill",
        "last 100",
    )
    assert made.rating_options["tau"] == 0.0
    assert made.rating_options["draw_probability"] == 0.1, (
        "defaults are written down, so that they can't change"
    )
    assert made.created_at == NOW
    crumb, me = store.entries.all("autumn")
    assert (crumb.entry_no, crumb.version, crumb.args, crumb.prior) == (0, version, ("--depth", "3"), None)
    assert (me.entry_no, me.version, me.prior, me.predecessor) == (1, None, Rating(30.0, 2.0), 0)


def test_a_sealed_league_draws_its_secret_and_shows_its_hash_only(store: Store) -> None:
    sealed = new_league(store, name="sealed", secret=None)
    open_ = new_league(store, name="open")
    assert (sealed.sealed, open_.sealed) == (True, False)
    assert store.leagues.secret("open") == SECRET
    secret = store.leagues.secret("sealed")
    assert len(secret) == 32
    assert sha256(secret).hexdigest() == sealed.commitment
    assert secret.hex() not in repr(sealed)
    assert store.leagues.secret(new_league(store, name="other", secret=None).uuid) != secret


def test_a_secret_of_another_length_is_refused(store: Store) -> None:
    with pytest.raises(RecordRefused, match="5 bytes") as caught:
        new_league(store, secret=b"short")
    assert "32 bytes" in caught.value.hint
    assert store.leagues.all() == []


def test_the_secret_is_revealed_once_the_league_is_over_and_then_it_is_closed(store: Store) -> None:
    league = new_league(store)
    for state in ("created", "running"):
        store.leagues.set_state(league.uuid, state)
        with pytest.raises(LeagueUnfinished, match=state):
            store.leagues.reveal(league.uuid)
    store.leagues.set_state(league.uuid, "finished")
    assert not store.leagues.get().revealed
    assert store.leagues.reveal(league.uuid) == store.leagues.reveal(league.uuid) == SECRET
    assert store.leagues.get().revealed
    assert [event.kind for event in store.leagues.events(league.uuid)] == ["revealed"]
    with pytest.raises(LeagueClosed):
        store.leagues.set_state(league.uuid, "running")


def test_without_a_name_it_is_the_newest_league_and_never_the_built_in_one(store: Store) -> None:
    with pytest.raises(UnknownLeague, match="no league yet") as caught:
        store.leagues.get()
    assert "league create" in caught.value.hint
    store.leagues.casual()
    with pytest.raises(UnknownLeague, match="no league yet, but single games") as caught:
        store.leagues.get()
    assert "`arena replay list casual`, `arena replay show casual/0.0`" in caught.value.hint
    new_league(store, name="first")
    new_league(store, name="second")
    assert store.leagues.get().name == "second"
    with pytest.raises(UnknownLeague, match="there is no league 'frist'; did you mean 'first'"):
        store.leagues.get("frist")
    with pytest.raises(UnknownLeague, match="third") as caught:
        store.leagues.get("third")
    assert caught.value.hint == (
        f"available: casual, first, second; the store is {store.path}; --store or ARENA_STORE chooses another"
    )
    assert [league.name for league in store.leagues.all()] == ["casual", "first", "second"]


@pytest.mark.parametrize(
    "name", ["", " spring", "two\nlines", "casual", "Casual", "a\u202eb", "a\u200bb", "a\x9bb"]
)
def test_names_of_leagues_that_are_refused(store: Store, name: str) -> None:
    with pytest.raises(NameRefused):
        new_league(store, name=name)


def test_a_name_is_used_once(store: Store) -> None:
    new_league(store)
    with pytest.raises(NameRefused, match="already") as caught:
        new_league(store)
    assert "run spring" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "alike"),
    [
        ("k\xe9", "\N{KELVIN SIGN}E\N{COMBINING ACUTE ACCENT}"),
        ("spring", "Spring"),
        ("stra\xdfe", "STRASSE"),
    ],
)
def test_names_that_look_alike_are_one(store: Store, name: str, alike: str) -> None:
    league = new_league(store, name=name)
    with pytest.raises(NameRefused) as caught:
        new_league(store, name=alike)
    assert str(caught.value) == f"there is a league {name!r} already, and {alike!r} looks like it"
    store.leagues.rename(name, alike)
    with pytest.raises(NameRefused):
        store.leagues.rename(alike, alike)
    store.entries.add(league.uuid, [EntrySpec(name, None)], 0)
    with pytest.raises(NameRefused, match="look alike") as caught:
        store.entries.add(league.uuid, [EntrySpec(alike, None)], 0)
    assert repr(name) in str(caught.value)
    assert repr(alike) in str(caught.value)


def test_what_can_not_be_made_leaves_nothing_behind(store: Store) -> None:
    bad: list[tuple[type[Exception], dict[str, object]]] = [
        (UnknownRating, {"rating": "elo"}),
        (BadRating, {"rating_options": {"draw_probability": 0}}),
        (BadPolicy, {"keep_replays": "some"}),
        (BadPolicy, {"keep_replays": "last 0"}),
        (NameRefused, {"entries": [EntrySpec("x", None), EntrySpec("x", None)]}),
        (NameRefused, {"entries": [EntrySpec("", None)]}),
        (UnknownVersion, {"entries": [EntrySpec("x", 77)]}),
        (BadRating, {"entries": [EntrySpec("x", None, prior=Rating(25.0, 0.0))]}),
        (UnknownEntry, {"entries": [EntrySpec("x", None, predecessor=0)]}),
    ]
    for kind, change in bad:
        arguments: dict[str, object] = {"config": {}, "ruleset": RULES, "entries": [EntrySpec("a", None)]}
        with pytest.raises(kind):
            store.leagues.create("spring", **(arguments | change))  # type: ignore[arg-type]
    assert store.leagues.all() == []


def test_equal_rules_are_one_ruleset(store: Store) -> None:
    new_league(store, name="one")
    new_league(store, name="two")
    other = RulesetRecord("bread-basket", 1, "tens+hands=4", '{"chefs":"tens","hands":4}')
    store.leagues.create("three", config={}, ruleset=other, entries=[])
    with store.reading() as connection:
        count = value(connection, "SELECT count(*) FROM ruleset")
    assert count == 2


def test_entries_join_and_retire_by_events_with_a_match_number(store: Store) -> None:
    league = new_league(store, 2)
    (joined,) = store.entries.add(league.uuid, [EntrySpec("late", None)], at_match_no=40)
    assert joined.entry_no == 2
    store.entries.retire(league.uuid, 0, at_match_no=60)
    store.leagues.add_event(league.uuid, 61, "paused", {"by": "organiser", "why": "lunch"})
    assert roster_at(store.leagues.events(league.uuid), 60).retired == {0: 60}
    assert [entry.label for entry in store.entries.all(league.uuid)] == ["a", "b", "late"]
    assert store.leagues.events(league.uuid) == [
        LeagueEvent(league.uuid, 0, 40, "added", {"entries": [2]}, NOW),
        LeagueEvent(league.uuid, 1, 60, "retired", {"entry": 0}, NOW),
        LeagueEvent(league.uuid, 2, 61, "paused", {"by": "organiser", "why": "lunch"}, NOW),
    ]
    with pytest.raises(UnknownEntry, match="9"):
        store.entries.retire(league.uuid, 9, 0)
    with pytest.raises(NameRefused, match="'b'"):
        store.entries.add(league.uuid, [EntrySpec("b", None)], 70)


def test_an_entry_is_found_by_label_version_or_number(store: Store) -> None:
    one = add_version(store, "ann", "crumb", "a" * 64, {}, {})
    two = add_version(store, "ann", "crumb", "b" * 64, {}, {})
    entries = [EntrySpec("old", one.id), EntrySpec("new", two.id), EntrySpec("0", None)]
    store.leagues.create("spring", config={}, ruleset=RULES, entries=entries)

    def found(text: str) -> int:
        return store.entries.find("spring", text).entry_no

    assert [found(text) for text in ("old", "ann/crumb@2", "crumb@1", "1", "0")] == [0, 1, 0, 1, 2]
    with pytest.raises(AmbiguousName, match="crumb") as ambiguous:
        found("crumb")
    assert "old (0), new (1)" in ambiguous.value.hint
    with pytest.raises(UnknownEntry, match="toast") as unknown:
        found("toast")
    assert unknown.value.hint == "available: old, new, 0"


def test_a_person_with_the_name_of_a_bot_does_not_hide_it(store: Store) -> None:
    store.leagues.casual()
    version = add_version(store, "ann", "crumb", "a" * 64, {}, {})
    person = store.entries.casual(EntrySpec("crumb", None))
    bot = store.entries.casual(EntrySpec("crumb", version.id))
    assert store.entries.find("casual", "crumb") == bot
    assert store.entries.find("casual", "crumb (person)") == person
    assert store.entries.find("casual", str(person.entry_no)) == person


def test_the_built_in_league_is_unrated_and_takes_each_player_once(store: Store) -> None:
    league = store.leagues.casual()
    assert store.leagues.casual() == league
    assert (league.rated, league.ruleset, league.state) == (False, None, "running")
    version = add_version(store, "ann", "crumb", "a" * 64, {}, {})
    first = store.entries.casual(EntrySpec("crumb", version.id))
    assert store.entries.casual(EntrySpec("crumb", version.id)) == first
    assert store.entries.casual(EntrySpec("you", None)).entry_no == 1
    assert store.entries.casual(EntrySpec("you", None)).entry_no == 1
    assert store.entries.casual(EntrySpec("crumb", version.id, args=("-v",))).entry_no == 2
    assert store.ratings.standings("casual") == []


def test_a_league_is_interrupted_once_nobody_holds_the_stores_lock(store: Store, tmp_path: Path) -> None:
    league = new_league(store)
    with store.holding("runs league spring"):
        store.leagues.set_state(league.uuid, "running")
        assert league_row(store, store.leagues.get()).state == "running"
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.lock")}
    assert league_row(store, store.leagues.get()).state == "interrupted"
    assert league_summary(store, store.leagues.get()).state == "interrupted"
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.lock")} == before
    for path in before:
        path.unlink()
    assert league_row(store, store.leagues.get()).state == "interrupted", (
        "a copy without the folder beside it"
    )
    assert not list(tmp_path.rglob("*.lock"))
    store.leagues.set_state(league.uuid, "stopped")
    assert league_row(store, store.leagues.get()).state == "stopped"
