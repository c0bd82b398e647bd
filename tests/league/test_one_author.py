"""Bots of one author in a league: kept apart, or played and not rated; reference bots are nobody's."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.core.errors import UsageError
from arena.league.changes.entries import Add, Retire
from arena.league.changes.whole_league import Extend
from arena.league.create import create_at
from arena.league.definition.read import read_plan
from arena.league.definition.stored import definition_of, format_places
from arena.schedules.base.table_rules import of_one_author
from arena.web.html.links import LiveLinks
from arena.web.html.rendering import render
from arena.web.pages.matches import match, matches
from arena.web.pages.rankings import ladder
from arena.web.pages.statistics import head_to_head, seats
from results.records import MatchRecord
from results.store import Store, open_store
from results.store.updating_derived_tables import rebuild
from results.store.verification.verify import verify
from tests.support.leagues import arena_here, simple, write_bot
from tests.support.open_leagues import LADDER, digests, open_league, planned, play, submitted

SWISS = '[schedule]\nkind = "swiss"\nrounds = 3\n'
ROUND = '[schedule]\nkind = "round-robin"\n'


def matches_of(store: Store, name: str = "main") -> list[MatchRecord]:
    return store.matches.all(store.leagues.get(name).uuid)


def unrated(store: Store, name: str = "main") -> list[int]:
    return [match.match_no for match in matches_of(store, name) if not match.rated]


def of_one(matches: Sequence[MatchRecord], entries: set[int]) -> list[int]:
    """Return the matches in which nobody else plays."""
    return [match.match_no for match in matches if set(match.entries) <= entries]


@pytest.fixture(scope="module")
def swiss(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a Swiss that has been played, in which three of four bots are by one author."""
    folder = tmp_path_factory.mktemp("swiss")
    with open_league(folder, SWISS, authors=["ann", "ann", "ann", "bob"]) as store:
        play(store)
    return folder


def test_a_swiss_plays_them_if_it_must_and_does_not_rate_them(swiss: Path) -> None:
    with open_store(swiss / "arena.sqlite") as store:
        league = store.leagues.get("main")
        found = of_one(matches_of(store), {0, 1, 2})
        assert unrated(store) == found
        assert len(found) == 3, "one table in each of three rounds"
        progress = store.leagues.progress("main")
        assert progress.games_unrated == 3 * 2
        rows = {row.entry_no: row for row in store.ratings.standings("main")}
        assert rows[3].matches == 3
        assert sum(row.matches for row in rows.values()) == 2 * 3, "only its matches with bob count"
        assert {pair.opponent_no for pair in store.totals.head_to_head("main", {0, 1, 2})} == {3}
        assert {seat.match_no for block in store.seats.results("main") for seat in block}.isdisjoint(found)
        points = sum(placed.points for placed in format_places(store, league).values())
        assert points == 2 * 3, "in the standings of the format, every match counts"
        before = digests(store, "main"), store.ratings.standings("main"), progress
        rebuild(store)
        after = digests(store, "main"), store.ratings.standings("main"), store.leagues.progress("main")
        assert after == before
        assert verify(store) == []


def test_every_table_says_what_it_leaves_out(swiss: Path) -> None:
    said = "6 games between bots of one author are not rated"
    with open_store(swiss / "arena.sqlite") as store:
        match_no = unrated(store)[0]
        for page in (ladder(store, "main"), head_to_head(store, "main"), seats(store, "main")):
            assert f"12 games, {said}" in render(page, LiveLinks())
        assert "because bots of one author meet in it" in render(
            match(store, "main", str(match_no)), LiveLinks()
        )
        assert render(matches(store, "main"), LiveLinks()).count(">not rated</span>") == 3
    for command in (["rankings"], ["matrix"], ["stats", "--view", "seats"]):
        assert said in arena_here(*command, cwd=swiss).stdout.splitlines(), command
        exported = arena_here(*command, "--format", "csv", cwd=swiss)
        assert said in exported.stderr
        assert said not in exported.stdout
    rows = json.loads(arena_here("league", "list", "--format", "json", cwd=swiss).stdout)
    assert (rows[0]["games"], rows[0]["games_unrated"]) == (12, 6)


def test_same_author_lets_them_meet_and_rates_it(tmp_path: Path) -> None:
    allowed = "2\nsame_author = true"
    with open_league(tmp_path, SWISS, seats=allowed, authors=["ann", "ann", "ann", "bob"]) as store:
        play(store)
        assert unrated(store) == []
        assert sum(row.matches for row in store.ratings.standings("main")) == 2 * 6


def test_an_author_alone_compares_own_bots_until_somebody_else_joins(tmp_path: Path) -> None:
    with open_league(tmp_path, ROUND, 3, authors=["ann"] * 3) as store:
        play(store)
        Extend("main", rounds=2).perform(store)
        submitted(store, "rye", simple(1), author="bob")
        Add("main", "rye").perform(store)
        play(store)
        matches = matches_of(store)
        joined = next(match.match_no for match in matches if 3 in match.entries)
        assert of_one(matches, {0, 1, 2}) == list(range(joined)), "before, they met, and after, they don't"
        assert unrated(store) == [], "what was rated stays so"
        assert {frozenset(match.entries) for match in matches[joined:]} == {
            frozenset({bot, 3}) for bot in range(3)
        }


def test_they_stay_unrated_when_the_others_leave(tmp_path: Path) -> None:
    """Or an author could wait until the others are out for the day."""
    with open_league(tmp_path, ROUND, 3, authors=["ann", "ann", "bob"]) as store:
        play(store)
        Extend("main", rounds=2).perform(store)
        Retire("main", "bot-2").perform(store)
        play(store)
        found = of_one(matches_of(store), {0, 1})
        assert found == unrated(store)
        assert len(found) == 2, "a round robin plays its rounds"


def test_a_ladder_waits_rather_than_play_what_is_not_rated(tmp_path: Path) -> None:
    with open_league(tmp_path, f"[stop]\nmatches = 40\n{LADDER}", 3, authors=["ann", "ann", "bob"]) as store:
        play(store, until=8)
        Retire("main", "bot-2").perform(store)
        waits = play(store).waits
        assert "its bots that play are by 1 author, and a table needs 2" in waits
        assert store.leagues.get("main").state != "finished"
        assert of_one(matches_of(store), {0, 1}) == []
        submitted(store, "rye", simple(1), author="bob")
        Add("main", "rye").perform(store)
        play(store)
        assert planned(store) == 40
        assert of_one(matches_of(store), {0, 1}) == []


LEAGUE = """\
name = "main"
game = "bread-basket"
seats = 4
seed = 1
options = { hands = 1 }
sandbox = "off"
rating = { draw_probability = 0.1 }
"""


def created(folder: Path, *bots: Path | str, name: str = "main") -> Store:
    file = folder / f"{name}.toml"
    entries = "".join(f'[[bots]]\npath = "{bot}"\n' for bot in bots)
    file.write_text(LEAGUE.replace("main", name) + entries)
    create_at(folder / "arena.sqlite", read_plan(file))
    return open_store(folder / "arena.sqlite")


REFERENCE = ("bots/bread_basket/greedy", "bots/bread_basket/counter", "bots/any_game/random")


def test_reference_bots_are_nobodys_so_an_author_can_measure_by_them(tmp_path: Path) -> None:
    mine = [write_bot(tmp_path, name, simple(1), author="me") for name in ("mine", "mine-too")]
    with created(tmp_path, *REFERENCE, mine[0]) as store:
        assert definition_of(store, store.leagues.get("main")).field.authors == {}
        assert [version.bundled for version in store.versions.all()] == [True, True, True, False]
    with created(tmp_path, *REFERENCE, *mine, name="both") as store:
        field = definition_of(store, store.leagues.get("both")).field
        assert field.authors == {}, "all bots but those that come with Arena are by one author"
    others = write_bot(tmp_path, "theirs", simple(2), author="bob")
    with created(tmp_path, *REFERENCE, *mine, others, name="three") as store:
        field = definition_of(store, store.leagues.get("three")).field
        assert field.authors == {3: "me", 4: "me", 5: "bob"}
        assert not of_one_author(field, (0, 1, 2))
        assert of_one_author(field, (0, 3, 4))


def test_a_reference_bot_of_an_earlier_arena_stays_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger keeps what it was when it was entered, so a league goes on as it began."""
    mine = write_bot(tmp_path, "mine", simple(1), author="me")
    created(tmp_path, *REFERENCE, mine).close()
    monkeypatch.setattr("arena.submissions.read_source._bundled_hashes", lambda _: frozenset())
    with open_store(tmp_path / "arena.sqlite") as store:
        assert definition_of(store, store.leagues.get("main")).field.authors == {}
    file = tmp_path / "again.toml"
    named = "".join(f'[[bots]]\nversion = "arena/{bot.rpartition("/")[2]}"\n' for bot in REFERENCE)
    file.write_text(LEAGUE.replace("main", "again") + named + f'[[bots]]\npath = "{mine}"\n')
    create_at(tmp_path / "arena.sqlite", read_plan(file))
    with pytest.raises(UsageError, match="none of them, or a changed copy"):
        created(tmp_path, *REFERENCE, mine, name="by path")
