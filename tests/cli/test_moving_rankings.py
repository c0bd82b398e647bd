"""`arena rankings` of some of the matches, and of a field that changes."""

import csv
import io
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import structs
from msgspec.structs import astuple
from rich.console import Console

from arena.cli.display import long_work
from arena.cli.display.rankings import print_rankings
from results.base.scoring import UNIT
from results.ratings import league_rater
from results.ratings.base import Rating
from results.records import EntrySpec, GameRecord, LeagueRecord, MatchRecord, RulesetRecord
from results.records.ratings_and_totals_fold import EntryTotal, Fold
from results.records.roster import BENCHED, PAUSED, REPLACED, RESUMED
from results.reports.history import Moved, Movement
from results.reports.rankings import rankings
from results.reports.recounted_matches import EVERY_MATCH, Selection, recount
from results.store import Store
from results.store.updating_derived_tables import finished_matches
from tests.support.leagues import arena_here
from tests.support.ledgers import RULES, new_league, new_store, planned, played

TABLES: Sequence[tuple[int, ...]] = [(0, 1), (2, 3), (0, 2), (0, 1, 2), (1, 3), (1, 2, 3), (0, 3), (2, 1)] * 6
"""48 matches; the match with number n ends on day n // 4 + 1 of November."""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def at_day(game: GameRecord, day: int, time: str = "12:00:00.000") -> GameRecord:
    return structs.replace(game, finished_at=f"2026-11-{day:02}T{time}Z")


def played_on(matches: Sequence[MatchRecord], first_day: int = 1) -> list[GameRecord]:
    """Return all games of matches, of which lower entry numbers tend to win; four matches a day."""
    chance, games = Random(3), []
    for match in matches:
        for rotation in range(match.games):
            n = len(match.entries)
            entries = [match.entries[(seat - rotation) % n] for seat in range(n)]
            scores = [chance.gauss(10 - 2 * entry, 3) for entry in entries]
            order = sorted(scores)
            points = [order.index(score) for score in scores]
            games.append(at_day(played(match, rotation, points), first_day + match.match_no // 4))
    return games


def league_of_48(store: Store, name: str = "spring") -> LeagueRecord:
    league = new_league(store, 4, name)
    matches = [planned(league, number, table, 2) for number, table in enumerate(TABLES)]
    store.matches.plan(league.uuid, matches)
    store.append(played_on(matches))
    return league


def play_more(store: Store, league: LeagueRecord, tables: Sequence[tuple[int, ...]]) -> None:
    first = store.leagues.progress(league.uuid).matches_planned
    matches = [planned(league, number, table, 2) for number, table in enumerate(tables, first)]
    store.matches.plan(league.uuid, matches)
    store.append(played_on(matches))


def shown(store: Store, *arguments: str, code: int = 0) -> str:
    done = arena_here("rankings", *arguments, cwd=store.path.parent)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def rows_of(store: Store, *arguments: str) -> dict[str, dict[str, Any]]:
    return {row["label"]: row for row in json.loads(shown(store, *arguments, "--format", "json"))}


def rated_by_hand(store: Store, league: LeagueRecord, numbers: Sequence[int]) -> dict[int, Rating]:
    """Return the ratings after these matches alone."""
    rater = league_rater(league.name, league.rating, league.rating_options, league.scale)
    ratings = store.ratings.after(league.uuid, -1)
    for result in store.matches.results(league.uuid):
        if result.match_no in numbers:
            after = rater.rate([ratings[entry] for entry in result.entries], result.ranks)
            ratings.update(zip(result.entries, after, strict=True))
    return ratings


FILTERS = {
    "--since 2026-11-03": [n for n in range(48) if n // 4 + 1 >= 3],
    "--until 2026-11-03": [n for n in range(48) if n // 4 + 1 <= 3],
    "--since 2026-11-03T12:00:00Z --until 2026-11-05T12:00": [n for n in range(48) if 3 <= n // 4 + 1 < 5],
    "--against b": [n for n in range(48) if 1 in TABLES[n]],
    "--against b,d": [n for n in range(48) if {1, 3} & set(TABLES[n])],
    "--seats 3": [n for n in range(48) if len(TABLES[n]) == 3],
    "--ruleset tens": list(range(48)),
    "--since 2026-11-03 --against c --seats 2": [
        n for n in range(48) if n // 4 + 1 >= 3 and 2 in TABLES[n] and len(TABLES[n]) == 2
    ],
}
QUICK = {"--since 2026-11-03", "--against b", "--since 2026-11-03 --against c --seats 2"}


@pytest.mark.parametrize(
    "options", [pytest.param(one, marks=[pytest.mark.slow] * (one not in QUICK)) for one in FILTERS]
)
def test_filters_rate_what_fits_from_the_start(store: Store, options: str) -> None:
    league, numbers = league_of_48(store), FILTERS[options]
    assert 0 < len(numbers) <= 48
    rows = rows_of(store, *options.split(), "--min-matches", "1")
    expected = rated_by_hand(store, league, numbers)
    for entry, label in enumerate("abcd"):
        assert rows[label]["mu"] == expected[entry].mu
        assert rows[label]["sigma"] == expected[entry].sigma
        assert rows[label]["matches"] == sum(entry in TABLES[n] for n in numbers)
        assert rows[label]["games"] == 2 * rows[label]["matches"]
    by_rating = sorted(rows.values(), key=lambda row: -row["mu"])
    assert [row["rank"] for row in by_rating] == [1, 2, 3, 4]
    text = shown(store, *options.split())
    assert re.search(rf"^{len(numbers)} of 48 matches: ", text, re.MULTILINE)


def test_all_matches_rated_again_are_the_stored_rankings_to_the_last_bit(store: Store) -> None:
    league_of_48(store)
    assert rows_of(store, "--since", "2020-01-01") == rows_of(store)


def test_what_is_counted_is_said_in_one_line(store: Store) -> None:
    league_of_48(store)
    text = shown(store, "--since", "2026-11-03", "--until", "2026-11-09", "--seats", "3", "--against", "0,b")
    counted = [n for n in range(8, 36) if len(TABLES[n]) == 3 and {0, 1} & set(TABLES[n])]
    assert (
        f"\n{len(counted)} of 48 matches: since 2026-11-03, until 2026-11-09, against a, b, tables of 3\n"
        in text
    )
    done = arena_here("rankings", "--seats", "3", "--format", "csv", cwd=store.path.parent)
    assert done.stderr == "12 of 48 matches: tables of 3\n"
    later = arena_here("rankings", "--since", "2999-01-01", cwd=store.path.parent)
    assert "--since 2999-01-01 is in the future, so no match counts" in " ".join(later.stderr.split())
    assert done.stdout.startswith("rank,label,mu,")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--since yesterday", "--since 'yesterday' is not a date"),
        ("--since 2026-11-05 --until 2026-11-03", "--since 2026-11-05 is not before --until 2026-11-03"),
        ("--movement never", "--movement 'never' is not a date"),
        ("--against nobody", "there is no entry 'nobody'"),
        ("--against ,", "there is no entry ','"),
        ("--ruleset nonesuch", "there is no ruleset 'nonesuch'"),
        ("--seat 2 --seats 2", "--seat 2: a table of 2 has no such seat"),
        ("--seat 0 --fit", "--fit needs all seats"),
    ],
)
def test_what_makes_no_sense_is_refused(store: Store, arguments: str, words: str) -> None:
    league_of_48(store)
    assert words in " ".join(shown(store, *arguments.split(), code=2).split())


def test_a_label_may_have_a_comma(store: Store) -> None:
    league = league_of_48(store)
    store.entries.add(league.uuid, [EntrySpec("a, b", None)], 48)
    assert re.search("^0 of 48 matches: against a, b$", shown(store, "--against", "a, b"), re.MULTILINE)
    assert rows_of(store, "--against", "a,b")["d"]["matches"] == sum(
        3 in t and bool({0, 1} & set(t)) for t in TABLES
    )


def test_a_selection_can_be_fitted(store: Store) -> None:
    league_of_48(store)
    assert {row["fit_value"] for row in rows_of(store, "--seats", "3").values()} == {None}
    rows = rows_of(store, "--seats", "3", "--fit")
    assert rows["a"]["fit_value"] > rows["d"]["fit_value"]
    assert {row["fit_through"] for row in rows.values()} == {12}
    assert {row["fit_value"] for row in rows_of(store).values()} == {None}, "it is not kept"


def test_a_selection_can_be_fitted_by_scores(store: Store) -> None:
    league_of_48(store)
    rows = rows_of(store, "--seats", "3", "--fit-by", "scores")
    assert {row["fit_through"] for row in rows.values()} == {12}
    assert rows["a"]["fit_value"] > rows["d"]["fit_value"]
    everything = rows_of(store, "--fit-by", "scores")
    assert everything["a"]["fit_value"] != rows["a"]["fit_value"]


def test_games_at_one_seat_are_counted_without_ratings(store: Store) -> None:
    league = league_of_48(store)
    rows = rows_of(store, "--seat", "1", "--min-matches", "1")
    by_seat: dict[int, list[float]] = {}
    for statistics in store.totals.by_seat(league.uuid):
        if statistics.seat == 1:
            by_seat.setdefault(statistics.entry_no, []).append(statistics.games)
    assert {row["label"]: row["games"] for row in rows.values()} == {
        label: sum(by_seat[entry]) for entry, label in enumerate("abcd")
    }
    assert "mu" not in rows["a"]
    assert "fit_value" not in rows["a"]
    by_share = sorted(rows.values(), key=lambda row: -row["share"])
    assert [row["rank"] for row in by_share] == [1, 2, 3, 4]
    text = shown(store, "--seat", "1")
    assert "48 of 48 matches: games at seat 1" in text
    assert "μ" not in text
    assert "share %" in text


def test_single_games_are_counted_by_ruleset(store: Store) -> None:
    casual = store.leagues.casual()
    extra = RulesetRecord("bread-basket", 1, "extra", '{"chefs":"extra","hands":2}')
    ann, bob = (store.entries.casual(EntrySpec(name, None)).entry_no for name in ("ann", "bob"))
    for number in range(12):
        match = store.matches.plan_next(
            casual.uuid, (ann, bob), 1, ruleset=extra if number % 3 == 0 else RULES
        )
        store.append([played(match, 0, (5, 1) if number % 3 == 0 else (1, 5))])
    rows = rows_of(store, "casual")
    assert {label: (row["rank"], row["games"]) for label, row in rows.items()} == {
        "bob": (1, 12),
        "ann": (2, 12),
    }
    assert rows["bob"]["share"] == pytest.approx(200 / 3)
    assert "of 12 matches" not in shown(store, "casual")
    assert rankings(store, casual).rows == (), "the site's way out if counting takes too long"
    rows = rows_of(store, "casual", "--ruleset", "extra", "--min-matches", "1")
    assert {label: (row["rank"], row["games"], row["share"]) for label, row in rows.items()} == {
        "ann": (1, 4, 100.0),
        "bob": (2, 4, 0.0),
    }
    assert "available: extra, tens" in shown(store, "casual", "--ruleset", "none", code=2)


def test_a_bot_that_plays_itself_has_two_seats(store: Store) -> None:
    casual = store.leagues.casual()
    ann = store.entries.casual(EntrySpec("ann", None)).entry_no
    match = store.matches.plan_next(casual.uuid, (ann, ann), 1, ruleset=RULES)
    store.append([played(match, 0, (5, 1))])
    counted = recount(store, casual, Selection(seats=2))
    assert [(row.matches, row.games, row.share) for row in counted.standings] == [(1, 2, 0.5)]


def test_progress_is_shown_of_a_long_count(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    league_of_48(store)
    assert "counting" not in arena_here("rankings", "--seats", "2", cwd=store.path.parent).stderr
    monkeypatch.setattr(long_work, "QUIET_S", 0.0)
    monkeypatch.setattr(long_work, "PLAIN_S", 0.0)
    done = arena_here("rankings", "--seats", "2", cwd=store.path.parent)
    assert "counting matches again: 48 of 48 matches" in done.stderr


# Movement


def test_movement_is_told_in_places_and_rating(store: Store) -> None:
    league = league_of_48(store)
    before = rated_by_hand(store, league, range(20))
    now = rated_by_hand(store, league, range(48))
    rows = rows_of(store, "--movement", "2026-11-06", "--min-matches", "1")
    places = {
        entry: 1 + sum(other.mu > rating.mu for other in before.values()) for entry, rating in before.items()
    }
    for entry, label in enumerate("abcd"):
        row = rows[label]
        assert row["rank_before"] == places[entry]
        assert row["moved_places"] == places[entry] - row["rank"]
        assert row["moved_rating"] == now[entry].mu - before[entry].mu
    as_csv = list(csv.DictReader(io.StringIO(shown(store, "--movement", "2026-11-06", "--format", "csv"))))
    assert as_csv[0]["moved_rating"]
    text = shown(store, "--movement", "2026-11-06", "--min-matches", "1")
    assert "moved: places gained (▲) or lost (▼) since 2026-11-06, before match 20" in text
    assert "moved" in shown(store, "--movement", "2026-11-06", "--format", "md").splitlines()[0]


def test_movement_of_a_selection_is_that_of_its_own_table(store: Store) -> None:
    league = league_of_48(store)
    numbers = FILTERS["--seats 3"]
    before = rated_by_hand(store, league, [n for n in numbers if n < 20])
    now = rated_by_hand(store, league, numbers)
    rows = rows_of(store, "--seats", "3", "--movement", "2026-11-06", "--min-matches", "1")
    assert rows["b"]["moved_rating"] == now[1].mu - before[1].mu


def test_rerated_movement_equals_the_stored_one(store: Store) -> None:
    league_of_48(store)
    again = rows_of(store, "--movement", "2026-11-06", "--since", "2020-01-01")
    assert again == rows_of(store, "--movement", "2026-11-06")


def test_no_movement_is_shown_if_nobody_had_a_rank_then(store: Store) -> None:
    league_of_48(store)
    rows = rows_of(store, "--movement", "2026-10-01")
    assert {(row["rank_before"], row["moved_places"]) for row in rows.values()} == {(None, None)}
    text = shown(store, "--movement", "2026-10-01")
    assert "no movement to show: no bot had a rank by 2026-10-01" in text
    assert " new " not in text


def test_arrows_show_who_moved(store: Store) -> None:
    league = league_of_48(store)
    play_more(store, league, [(3, 0), (3, 1)] * 12)
    found = rankings(store, league)
    moved = [
        structs.replace(row, moved=Moved(rank_before=1, places=places, rating=0.5))
        for row, places in zip(found.rows, (3, -1, 0, None), strict=True)
    ]
    out = Console(file=io.StringIO(), width=120)
    movement = Movement(datetime(2026, 11, 6, tzinfo=UTC), 20)
    print_rankings(out, structs.replace(found, rows=tuple(moved), movement=movement), (), "2026-11-06")
    text = out.file.getvalue()  # type: ignore[attr-defined]  # a StringIO
    assert re.findall(r"(▲3|▼1|=|new) +\+0\.50", text) == ["▲3", "▼1", "=", "new"]


# A field that changes


def change(store: Store, league: LeagueRecord, kind: str, **data: object) -> None:
    at = store.leagues.progress(league.uuid).matches_planned
    store.leagues.add_event(league.uuid, at, kind, data)


def test_a_league_whose_field_stays_has_no_columns_for_it(store: Store) -> None:
    league_of_48(store)
    assert (
        not {"state", "state_why", "new", "joined_match", "rank_before", "moved_places"}
        & rows_of(store)["a"].keys()
    )


def test_entries_that_left_keep_their_rating_and_have_no_place(store: Store) -> None:
    league = league_of_48(store)
    was = rows_of(store)
    store.entries.retire(league.uuid, 1, 48)
    store.entries.add(league.uuid, [EntrySpec("c2", None, predecessor=2)], 48)
    change(store, league, REPLACED, entry=4, predecessor=2)
    rows = rows_of(store)
    assert list(rows) == ["a", "b", "c", "d", "c2"]
    assert {label: row["rank"] for label, row in rows.items()} == {
        "a": 1,
        "b": None,
        "c": None,
        "d": 2,
        "c2": None,
    }
    assert {label: row["state"] for label, row in rows.items()} == {
        "a": "active",
        "b": "retired",
        "c": "replaced",
        "d": "active",
        "c2": "active",
    }
    assert rows["c"]["state_why"] == "c2"
    assert (rows["c2"]["new"], rows["c2"]["joined_match"], rows["a"]["new"]) == (True, 48, False)
    assert [rows[label]["mu"] for label in "abcd"] == [was[label]["mu"] for label in "abcd"]
    assert (rows["b"]["needs"], rows["c2"]["needs"]) == (0, 10)
    text = shown(store)
    for label, state in (("b", "retired"), ("c", "replaced"), ("c2", "new")):
        assert re.search(rf"^ *– +{label} +{state} ", text, re.MULTILINE)
    assert "new: joined later" in shown(store, "--explain")
    markdown = shown(store, "--format", "md")
    assert "| – | b | retired |" in markdown
    assert list(rows_of(store, "--active")) == ["a", "d", "c2"]


def test_rows_of_entries_that_left_are_dim_in_a_terminal(store: Store) -> None:
    league = league_of_48(store)
    store.entries.retire(league.uuid, 1, 48)
    out = Console(file=io.StringIO(), width=120, force_terminal=True, color_system="standard")
    print_rankings(out, rankings(store, league))
    lines = out.file.getvalue().splitlines()  # type: ignore[attr-defined]  # a StringIO
    left, stays = (
        next(line for line in lines if label in re.sub("\x1b[^m]*m", "", line).split()[1:2]) for label in "ba"
    )
    assert "\x1b[2m" in left
    assert "\x1b[2m" not in stays


def test_paused_and_benched_entries_are_named_with_the_reason_below(store: Store) -> None:
    league = league_of_48(store)
    change(store, league, PAUSED, entry=0, by="faults", why="crashed in 20 games in a row")
    change(store, league, BENCHED, entry_no=3, why="thought on others' time in 3 games")
    rows = rows_of(store)
    assert [rows[label]["state"] for label in "abcd"] == ["paused", "active", "active", "benched"]
    assert rows["a"]["rank"] == 1
    assert rows["a"]["state_why"] == "crashed in 20 games in a row"
    assert "a is paused: crashed in 20 games in a row" in shown(store)
    assert "d is benched: thought on others' time in 3 games" in shown(store, "--explain")
    assert list(rows_of(store, "--active")) == ["b", "c"]
    change(store, league, RESUMED, entry=0)
    assert rows_of(store)["a"]["state"] == "active"
    assert rows_of(store)["a"]["new"] is False, "it was there from the start"


def test_entries_that_join_later_are_not_shown_yet(store: Store) -> None:
    league = league_of_48(store)
    store.entries.add(league.uuid, [EntrySpec("late", None)], 60)
    assert list(rows_of(store)) == ["a", "b", "c", "d"]
    assert set(rows_of(store, "--seats", "2")) == set("abcd")
    play_more(store, league, [(0, 1)] * 12)
    assert list(rows_of(store)) == ["a", "b", "c", "d", "late"]


def test_who_left_since_counted_then_and_not_now(store: Store) -> None:
    league = league_of_48(store)
    store.entries.retire(league.uuid, 0, 48)
    play_more(store, league, [(1, 2), (2, 3)] * 4)
    rows = rows_of(store, "--movement", "2026-11-12T12:00:01", "--min-matches", "1")
    assert (rows["a"]["rank"], rows["a"]["rank_before"]) == (None, None)
    assert rows["b"]["rank_before"] == 1, "the table of match 48, without the entry that had left by then"


def test_newcomers_are_marked_until_they_are_sure(store: Store) -> None:
    league = league_of_48(store)
    store.entries.add(league.uuid, [EntrySpec("e", None)], 48)
    assert rows_of(store)["e"]["new"]
    play_more(store, league, [(4, n % 4) for n in range(60)])
    rows = rows_of(store)
    assert rows["e"]["rank"] is not None
    assert not rows["e"]["new"]


@pytest.mark.parametrize(
    "selection",
    [
        Selection(against=frozenset({1})),
        Selection(since=datetime(2026, 11, 4, tzinfo=UTC)),
        Selection(until=datetime(2026, 11, 8, tzinfo=UTC)),
        Selection(until=datetime(2026, 11, 8, tzinfo=UTC), seats=2),
        EVERY_MATCH,
    ],
)
def test_a_recount_is_a_fold(store: Store, selection: Selection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("results.store.matches.BLOCK", 8)  # the stored ratings are taken for whole blocks
    league = league_of_48(store)
    counted = recount(store, league, selection, before=20)
    rater = league_rater(league.name, league.rating, league.rating_options, league.scale)
    fold, before = (Fold(rater, store.ratings.after(league.uuid, -1)) for _ in range(2))
    with store.matches._reading(league.uuid) as (connection, of_league):
        matches = list(finished_matches(connection, of_league, 0, 48))
    fitting = {one.match_no for one in store.matches.counted(league.uuid, 0, 48) if selection.fits(one)}
    assert sorted(fitting) == list(counted.match_nos)
    for match in (one for one in matches if one.match_no in fitting):
        fold.add(match)
        if match.match_no < 20:
            before.add(match)
    assert counted.before is not None
    for standings, of in ((counted.standings, fold), (counted.before, before)):
        for row in standings:
            total = of.entries.get(row.entry_no, EntryTotal())
            last = of.last.get(row.entry_no, (None, None))
            assert (row.mu, row.sigma, row.last_match_no, row.change) == (
                *astuple(of.ratings[row.entry_no]),
                *last,
            )
            assert (row.matches, row.games, row.wins, row.faults) == (
                *(total.matches, total.games, total.wins / UNIT, total.faults),
            )
    assert {
        (one.entry_no, one.opponent_no): (one.matches, one.above, one.tied) for one in counted.meetings
    } == {pair: (one.matches, one.matches_above, one.matches_tied) for pair, one in fold.pairs.items()}
