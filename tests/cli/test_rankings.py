"""`arena rankings`: places, the fit beside them, who is told apart, and what the notes say."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from msgspec import structs

from arena import registry
from arena.cli.commands.run import final_fit
from arena.cli.display.rankings import strength
from arena.cli.display.tables import heading
from arena.cli.terminal.messages import played_again
from arena.league.running.league_isolation import note
from arena.sandbox.probe import Check, ProbeReport
from arena.web.html.links import LiveLinks
from arena.web.html.rendering import render
from arena.web.pages.rankings import ladder
from arena.web.pages.statistics import head_to_head
from protocol.verdicts import Verdict
from results.analysis.fit_results import Fit, Strength
from results.base.isolation_levels import Level, weakest
from results.base.text import counted
from results.records import EntrySpec, LeagueRecord
from results.reports.fits import CachedFit, FitBy, cached_fit, fit_by_of, new_fit
from results.reports.leagues import league_summary
from results.reports.ranking_columns import RankingRow
from results.reports.rankings import rankings
from results.store import Store
from tests.support.leagues import arena_here
from tests.support.ledgers import RULES, new_league, new_store, plan, played


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def clear_league(store: Store, name: str = "spring") -> LeagueRecord:
    """Make a league: a beats b and c twelve times each, b and c take turns; d lost twice, once by a fault."""
    league = new_league(store, 4, name)
    matches = plan(store, league, *[(0, 1), (0, 2), (1, 2)] * 12, (3, 0), (3, 1), (2, 0))
    games = [
        played(match, 0, (1, 5) if match.entries == (1, 2) and not match.match_no % 2 else (5, 1))
        for match in matches[:-3]
    ]
    store.append(
        [
            *games,
            played(matches[-3], 0, (1, 5)),
            played(matches[-2], 0, (5, 1), faults={0: Verdict.TIMEOUT}),
        ],
        void_matches=[(league.uuid, matches[-1].match_no)],
    )
    return league


def shown(store: Store, *arguments: str) -> str:
    done = arena_here("rankings", *arguments, cwd=store.path.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_a_fit_the_table_says_how_to_have_one(store: Store) -> None:
    clear_league(store)
    text = shown(store)
    assert "--fit adds strengths" in shown(store, "--explain")
    assert " fit " not in text.partition("─")[0]
    assert "share %" in text
    assert re.findall(r"^ *(\S+) +([abcd])  ", text, re.MULTILINE) == [
        ("1", "a"),
        ("2", "b"),
        ("3", "c"),
        ("–", "d"),
    ]
    assert "–: no rank below 10 matches: d needs 8 more" in text
    assert "Weakest sandbox of its games: none" in " ".join(shown(store, "--explain").split())


def test_the_fit_is_made_on_demand_and_shown_from_then_on(store: Store) -> None:
    clear_league(store)
    text = shown(store, "--fit")
    assert shown(store) == text
    assert "≈3 c" in " ".join(text.split()), "they won six each of their matches"
    assert "≈2" not in text, "a always wins"
    assert max(map(len, text.splitlines())) <= 80


def test_other_formats_have_every_column(store: Store) -> None:
    clear_league(store)
    shown(store, "--fit")
    rows = json.loads(shown(store, "--format", "json"))
    assert [row["label"] for row in rows] == ["a", "b", "c", "d"]
    a, b, c, d = rows
    assert [row["rank"] for row in rows] == [1, 2, 3, None]
    assert [row["needs"] for row in rows] == [0, 0, 0, 8]
    assert [row["apart"] for row in rows] == [None, True, False, None]
    assert (a["fit_rank"], d["fit_rank"]) == (1, None)
    assert {row["fit_through"] for row in rows} == {39}
    assert a["fit_low"] < a["fit_value"] < a["fit_high"]
    assert a["fit_value"] > max(b["fit_value"], c["fit_value"])
    assert a["fit_share"] == pytest.approx(100 / (1 + 10 ** (-a["fit_value"] / 400)), abs=2), (
        "few games are tied"
    )
    assert (a["games"], a["faults"], d["faults"], d["matches"]) == (25, 0, 1, 2)
    as_csv = list(csv.DictReader(io.StringIO(shown(store, "--format", "csv"))))
    assert list(as_csv[0]) == list(a)
    assert [float(row["fit_value"]) for row in as_csv] == [row["fit_value"] for row in rows]
    assert shown(store, "--format", "md").startswith("| # | bot | μ |")


def test_the_least_number_of_matches_can_be_chosen(store: Store) -> None:
    clear_league(store)
    rows = json.loads(shown(store, "--format", "json", "--min-matches", "2"))
    assert [row["rank"] for row in rows] == [1, 2, 3, 4]
    rows = json.loads(shown(store, "--format", "json", "--min-matches", "25"))
    assert [(row["label"], row["rank"], row["needs"]) for row in rows if row["rank"]] == [
        ("a", 1, 0),
        ("b", 2, 0),
    ]
    assert "c needs 1 more, d needs 23 more" in shown(store, "--min-matches", "25")
    refused = arena_here("rankings", "--min-matches", "0", cwd=store.path.parent)
    assert refused.returncode == 2


@pytest.mark.slow
def test_the_end_of_a_league_makes_a_fit_for_a_person_at_a_terminal(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = clear_league(store)
    finished = store.leagues.set_state(league.uuid, "finished")
    assert final_fit(store, finished) is None, "a pipe does not wait for it"
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert final_fit(store, league) is None, "neither does a league that will go on"
    made = final_fit(store, finished)
    assert made is not None
    monkeypatch.delenv("FORCE_COLOR")
    assert final_fit(store, finished) == made


def test_single_games_have_no_strengths_to_fit(store: Store) -> None:
    store.leagues.casual()
    for arguments in (("casual",), ("casual", "--format", "json")):
        assert shown(store, *arguments)
    done = arena_here("rankings", "casual", "--fit", cwd=store.path.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert "'casual' isn't rated" in done.stderr
    assert not list(store.files.glob("fits/*"))


@pytest.mark.parametrize("kind", ["swiss", "elimination", "ladder"])
def test_standings_that_cannot_be_counted_are_not_replaced_silently(store: Store, kind: str) -> None:
    store.leagues.create(
        "spring",
        config={"game": "bread-basket", "schedule": {"kind": kind}},
        traits=registry.schedule(kind).traits,
        ruleset=RULES,
        entries=[EntrySpec("a", None), EntrySpec("b", None)],
    )
    assert ("the standings can't be counted" in shown(store)) is (kind != "ladder"), (
        "a key of its file is missing"
    )


def test_a_league_without_games_keeps_no_fit(store: Store) -> None:
    new_league(store)
    done = arena_here("rankings", "--fit", cwd=store.path.parent)
    assert done.returncode == 0
    assert "no match is in the rankings yet" in done.stderr
    assert not list(store.files.glob("fits/*"))


def test_an_empty_league_and_one_match(store: Store) -> None:
    league = new_league(store)
    for arguments in ((), ("--fit",), ("--format", "json"), ("--fit", "--format", "csv")):
        assert shown(store, *arguments)
    (match,) = plan(store, league, (0, 1))
    store.append([played(match, 0, (3, 1))])
    assert "There are no intervals" in shown(store, "--fit", "--explain")
    assert [row["rank"] for row in json.loads(shown(store, "--format", "json"))] == [None] * 4


def made_up(*elos: float, surely: dict[int, tuple[int, ...]]) -> CachedFit:
    """Return a fit of the entries from 0 with these strengths."""
    strengths = [
        Strength(entry, elo, elo - 10, elo + 10, surely.get(entry, ()), ()) for entry, elo in enumerate(elos)
    ]
    return CachedFit(form=1, through=39, ratings="", by=FitBy.PLACES, fit=Fit(tuple(strengths)))


def fitted(row: RankingRow) -> tuple[int | None, bool | None, tuple[str, ...]]:
    """Return the rank by the fit, whether it is told apart from the entry above, and what it disputes."""
    assert row.strength is not None
    assert row.claims is not None
    return row.strength.rank, row.claims.apart, row.claims.disputes


def test_where_the_methods_disagree(store: Store) -> None:
    """The ranking is a, b, c: the fit is sure that c is above both, and unsure of a and b."""
    league = clear_league(store)
    kept = made_up(0.0, 10.0, 90.0, 5000.0, surely={2: (0, 1), 3: (0, 1, 2)})
    report = rankings(store, league, kept)
    assert [(row.label, *fitted(row)) for row in report.rows] == [
        ("a", 3, None, ()),
        ("b", 2, False, ()),
        ("c", 1, True, ("a", "b")),
        ("d", None, None, ()),
    ]


def test_without_intervals_nothing_is_said_to_be_apart_or_not(store: Store) -> None:
    league = clear_league(store)
    strengths = [Strength(entry, -1.0 * entry, None, None, None) for entry in range(4)]
    kept = CachedFit(form=1, through=39, ratings="", by=FitBy.PLACES, fit=Fit(tuple(strengths)))
    report = rankings(store, league, kept)
    assert {row.claims for row in report.rows} == {None}
    assert [strength(row) for row in report.rows] == ["+0", "-1", "-2", "-3"]


def test_the_weakest_isolation_is_told(store: Store) -> None:
    clear_league(store)
    assert "Weakest sandbox of its games: none, level 0 of 4." in " ".join(shown(store, "--explain").split())
    assert weakest(["full", "process", "confined"]) == "process"
    assert weakest(["full", "of another time"]) == "of another time"
    assert weakest([]) is None
    new_league(store, name="empty")
    assert "sandbox" not in shown(store, "empty", "--explain")


def test_a_retired_bot_is_marked(store: Store) -> None:
    league = clear_league(store)
    store.entries.retire(league.uuid, 1, 39)
    text = shown(store)
    assert re.search(r"^ *– +b +retired  ", text, re.MULTILINE)
    assert re.search(r"^ *2 +c  ", text, re.MULTILINE), "places are counted without it"
    assert "retired: no longer plays" in text


def test_long_names_and_great_numbers_are_shown_whole(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from results.records import EntrySpec
    from tests.support.ledgers import RULES

    labels = [
        "a bot whose name goes on and on, beyond any table",
        "another-one-with-no-spaces-in-its-long-name",
    ]
    league = store.leagues.create(
        "long", config={}, ruleset=RULES, entries=[EntrySpec(label, None) for label in labels]
    )
    matches = plan(store, league, *[(0, 1)] * 12)
    store.append([played(match, 0, (5, 1)) for match in matches])
    with store.changing() as connection:
        connection.execute(
            "UPDATE entry_total SET games = 123456, wins = 1441440 * 98765, share = 1441440 * 98765"
        )
    for width in (80, 140):
        monkeypatch.setenv("COLUMNS", str(width))
        text = shown(store, "--fit")
        assert max(map(len, text.splitlines())) <= width
        assert all(label in text for label in labels)
    assert "98765.0" in text
    assert "123,456" in text


def test_no_colour_means_no_colour(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    clear_league(store)
    shown(store, "--fit")
    plain = shown(store)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    forced = shown(store)
    assert not re.search(r"\x1b\[[0-9;]*[34][0-9]", forced)
    # A console that is forced counts as a terminal, where notes wrap.
    assert re.sub(r"\x1b\[[0-9;]*m", "", forced).split() == plain.split()


def test_a_finished_league_ranks_who_played_enough_or_as_much_as_is_asked_for(store: Store) -> None:
    league = clear_league(store)
    store.leagues.set_state(league.uuid, "finished")
    for options, ranks in (
        ((), [1, 2, 3, None]),
        (("--min-matches", "1"), [1, 2, 3, 4]),
        (("--min-matches", "10"), [1, 2, 3, None]),
    ):
        rows = json.loads(shown(store, "--format", "json", *options))
        assert [row["rank"] for row in rows] == ranks


def test_who_never_played_has_no_rank_in_a_finished_league_either(store: Store) -> None:
    league = new_league(store)
    store.append([played(match, 0, (5, 1)) for match in plan(store, league, (0, 1))])
    store.leagues.set_state(league.uuid, "finished")
    assert [row["rank"] for row in json.loads(shown(store, "--format", "json"))] == [1, 2, None, None]


def test_the_fit_says_what_its_odds_are(store: Store) -> None:
    clear_league(store)
    text = " ".join(shown(store, "--fit", "--explain").split())
    assert "Elo points above an average bot, from all games at once" in text
    help_text = " ".join(
        arena_here("rankings", "--help", cwd=store.path.parent).stdout.replace("│", " ").split()
    )
    assert "Elo points above an average bot (+100 finishes above it in 64" in help_text
    assert "when it first shows the table of a finished league" in help_text


@pytest.mark.slow
def test_the_fit_of_a_finished_league_is_made_where_the_table_is_shown(store: Store) -> None:
    league = clear_league(store)
    store.leagues.set_state(league.uuid, "finished")
    assert {row["fit_value"] for row in json.loads(shown(store, "--format", "json"))} == {None}
    assert "±" in shown(store)
    assert None not in {row["fit_value"] for row in json.loads(shown(store, "--format", "json"))}


def test_single_games_never_end_and_are_in_no_state(store: Store) -> None:
    casual = store.leagues.casual()
    assert heading(league_summary(store, casual)) == "casual: single games · 0 games"
    done = arena_here("league", "list", "--format", "json", cwd=store.path.parent)
    assert [row["state"] for row in json.loads(done.stdout)] == [None]


def test_things_are_counted_in_words() -> None:
    assert counted(1, "bot") == "1 bot"
    assert counted(2, "bot") == "2 bots"
    assert counted(1, "match", "matches") == "1 match"
    assert played_again(1, 2, "arena faults") == (
        "1 game was replayed after platform errors, 2 matches are void; see: arena faults"
    )


def test_how_bots_are_kept_is_said_in_a_calm_line() -> None:
    report = ProbeReport(Level.CONFINED, (Check("freezing", "no control group", "make one"),))
    assert note("auto", report) == "sandbox: confined (details: arena doctor)"


def test_a_fit_by_scores_is_in_points_and_says_who_is_told_apart(store: Store) -> None:
    clear_league(store)
    text = shown(store, "--fit-by", "scores", "--explain")
    assert "points per game above an average bot" in text
    assert "tested pair by pair" in " ".join(text.split())
    assert "Elo" not in text
    a, b, c, _ = json.loads(shown(store, "--fit-by", "scores", "--format", "json"))
    assert a["fit_unit"] == "points"
    assert a["fit_low"] < a["fit_value"] < a["fit_high"]
    assert {"b", "c"} <= set(a["fit_above"])
    assert set(a["fit_above_familywise"]) <= set(a["fit_above"])
    assert (a["fit_rank"], b["apart"], c["apart"]) == (1, True, False)
    assert a["fit_share"] is None
    assert "--fit adds strengths" in shown(store, "--explain"), (
        "the league is by places, whose fit was never made"
    )


def test_a_league_by_scores_shows_its_fit_by_scores(store: Store) -> None:
    league = clear_league(store)
    by_scores = structs.replace(league, config={**league.config, "ranking": {"by": "scores"}})
    kept = new_fit(store, league.uuid, fit_by_of(by_scores))
    report = rankings(store, by_scores, kept)
    assert report.fit_by is FitBy.SCORES
    first = report.rows[0].strength
    assert first is not None
    assert strength(report.rows[0]) == f"{first.value:+.1f}±{first.half:.1f}"
    without = rankings(store, by_scores)
    assert without.keys == report.keys, "the columns don't depend on whether there is a fit yet"


def test_how_many_matches_would_tell_neighbours_apart_is_said(store: Store) -> None:
    league = clear_league(store)
    shown(store, "--fit")
    report = rankings(store, league, cached_fit(store, league.uuid))
    (b_and_c,) = report.undecided
    assert (b_and_c.upper, b_and_c.lower) == ("b", "c")
    text = " ".join(shown(store, "--explain").split())
    assert "Separating b and c takes about 200,000 matches (39 played), if they differ" in text


@pytest.mark.parametrize("kind", ["ladder", "round-robin"])
def test_rankings_and_the_matrix_say_why_a_ladder_is_not_in_the_order_of_its_results(
    store: Store, kind: str
) -> None:
    league = store.leagues.create(
        "spring",
        config={"game": "bread-basket", "schedule": {"kind": kind}},
        traits=registry.schedule(kind).traits,
        ruleset=RULES,
        entries=[EntrySpec(label, None) for label in "abcd"],
    )
    matches = plan(store, league, *[(0, 3)] * 20, *[(3, 1)] * 10, *[(1, 2)] * 20, (1, 0))
    level = [(5, 1), (1, 5)] * 10
    store.append([played(match, 0, (*level, *[(5, 1)] * 31)[match.match_no]) for match in matches])
    rows = {row.label: row for row in rankings(store, league).rows}
    above = (rows["a"].rank or 9) < (rows["b"].rank or 0)
    assert above is (kind == "ladder"), (
        "it is level with d, which always beats b; in a round robin, shares decide"
    )
    assert (rows["a"].share_percent or 0) < (rows["b"].share_percent or 0), "which met c most often"
    text = " ".join(shown(store, "--explain").split())
    assert ("Share and wins are plain results; the order also depends on whom" in text) is (kind == "ladder")
    done = arena_here("matrix", cwd=store.path.parent)
    told = "cells are head-to-head results; the order also depends" in " ".join(done.stdout.split())
    assert told is (kind == "ladder"), "b beat a in their only match"
    for page, words in (
        (ladder, "Share and wins are plain results"),
        (head_to_head, "are head-to-head results"),
    ):
        assert (words in render(page(store, "spring"), LiveLinks())) is (kind == "ladder")
