"""`arena matrix` and `arena stats`: figures by hand, and tables that fit."""

import csv
import io
import json
from contextlib import closing
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from random import Random
from typing import Any

import pytest
from arena_lottery.lottery import lottery
from msgspec import structs

from arena.cli.commands.stats import why_none
from arena.cli.display.tables import bar
from protocol.verdicts import Verdict
from results.base.errors import PackageMissing, UnknownName
from results.base.plugins import BrokenPlugin
from results.records import EntrySpec, LeagueRecord, VersionSpec
from results.reports import statistics_views
from results.reports.columns import columns_of
from results.store import Store
from tests.support.empty_stores import open_copied
from tests.support.leagues import arena_here
from tests.support.ledgers import (
    RULES,
    league_with_puppets,
    new_league,
    new_store,
    plan,
    played,
    rock_paper_scissors,
)

FORMATS = ("table", "json", "csv", "md")
ALL_VIEWS = {**statistics_views.VIEWS, **statistics_views.added_views()}
VIEWS = ("seats", "tables", "faults", "time", "luck", "circles")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def small_league(store: Store, entries: int = 4) -> LeagueRecord:
    """Make a league of matches of two games each.

    0: a beats b twice · 1: a and b win a game each · 2: b and c tie both · 3: c crashes against a in both
    games · 4, b and c: void · d plays nothing.
    """
    league = new_league(store, entries)
    matches = plan(store, league, (0, 1), (0, 1), (1, 2), (0, 2), (1, 2), games=2)
    store.append(
        [
            played(matches[0], 0, (5, 1)),
            played(matches[0], 1, (1, 5)),
            played(matches[1], 0, (5, 1)),
            played(matches[1], 1, (5, 1)),
            played(matches[2], 0, (3, 3)),
            played(matches[2], 1, (3, 3)),
            played(matches[3], 0, (2, 9), faults={1: Verdict.CRASH}),
            played(matches[3], 1, (9, 2), faults={0: Verdict.CRASH}),
            played(matches[4], 0, (9, 0)),
        ],
        void_matches=[(league.uuid, 4)],
    )
    return league


def shown(store: Store, *arguments: str) -> str:
    done = arena_here(*arguments, cwd=store.path.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows_of(store: Store, *arguments: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(shown(store, *arguments, "--format", "json"))
    return found


def test_head_to_head_by_matches_and_by_games(store: Store) -> None:
    small_league(store)
    by_match = {(row["bot"], row["opponent"]): row for row in rows_of(store, "matrix")}
    assert set(by_match) == {("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("a", "c"), ("c", "a")}
    a_b, b_c = by_match["a", "b"], by_match["b", "c"]
    assert (a_b["played"], a_b["above"], a_b["tied"], a_b["below"], a_b["share"]) == (2, 1, 1, 0, 75.0)
    assert (b_c["played"], b_c["tied"], b_c["share"]) == (1, 1, 50.0)
    # Wilson of 1.5 in 2: centre (0.75 + 0.9604) / 2.9207, half of √(3.8415 (0.09375 + 0.2401)) / 2.9207.
    assert (a_b["low"], a_b["high"]) == (pytest.approx(19.79, abs=0.01), pytest.approx(97.33, abs=0.01))
    by_game = {(row["bot"], row["opponent"]): row for row in rows_of(store, "matrix", "--by", "games")}
    assert [by_game["a", "b"][key] for key in ("played", "above", "tied", "below")] == [4, 3, 0, 1]
    assert by_game["b", "a"]["share"] == 25.0
    assert by_game["b", "c"]["tied"] == 2, "the void match is not there"


def test_a_matrix_in_every_format(store: Store) -> None:
    small_league(store)
    assert shown(store, "matrix", "--format", "csv").splitlines()[1].startswith("a,b,2,1,1,0,75.0,")
    assert shown(store, "matrix", "--format", "md").startswith("| # | bot | a | b | c |\n")
    lines = shown(store, "matrix").splitlines()
    assert lines[0].endswith("9 games · created")
    assert lines[1] == "% of matches in which the row finished above the column, a tie counting half"
    assert lines[3].split() == ["#", "bot", "a", "b", "c"]
    assert lines[5].split() == ["1", "a", "·", "75±39?", "100±40?"]
    assert "d" not in [line.split()[1] for line in lines[5:8]], "it has met nobody"
    assert lines[9:] == ["±: half of the 95 % interval · ?: fewer than 10 matches, which says little"]


def test_empty_cells_of_a_matrix_are_explained(store: Store) -> None:
    bots = [("a", "x"), ("b", "x"), ("a", "y"), ("b", "y")]
    versions = store.versions.add_all(
        [
            VersionSpec(author, bot, str(number) * 64, {"name": bot}, {})
            for number, (author, bot) in enumerate(bots)
        ]
    )
    entries = [EntrySpec(f"{version.author}{version.bot}", version.id) for version in versions]
    for name, config in (("apart", {}), ("together", {"same_author": True})):
        league = store.leagues.create(name, config=config, ruleset=RULES, entries=entries)
        matches = plan(store, league, (0, 1), (0, 3), (2, 1), (2, 3))
        store.append([played(match, 0, (5, 1)) for match in matches])
    note = "empty cell: no rated match of these two"
    assert f"{note}; bots of one author are kept apart\n" in shown(store, "matrix", "apart")
    assert f"{note}\n" in shown(store, "matrix", "together")


def test_a_star_marks_what_is_sure(store: Store) -> None:
    league = new_league(store, 2)
    store.append([played(match, 0, (5, 1)) for match in plan(store, league, *[(0, 1)] * 20)])
    rows = shown(store, "matrix").splitlines()
    assert rows[5].split() == ["1", "a", "·", "100±8*"]
    assert rows[6].split() == ["2", "b", "0±8*", "·"]
    assert rows[8].endswith("*: significantly more or less than 50 % (95 %)")


def test_names_are_no_markup(store: Store) -> None:
    labels = ["[red]x", "[/]m"]
    league = store.leagues.create(
        "names", config={}, ruleset=RULES, entries=[EntrySpec(label, None) for label in labels]
    )
    store.append([played(match, 0, (5, 1)) for match in plan(store, league, (0, 1))])
    for command in ("matrix", "stats", "rankings"):
        text = shown(store, command)
        assert "[red]x" in text
    assert shown(store, "matrix").splitlines()[3].split() == ["#", "bot", "[red]x", "[/]m"]


@pytest.mark.parametrize("entries", [8, 9, 26])
def test_a_wide_matrix_fits_80_columns(store: Store, entries: int) -> None:
    league = new_league(store, entries)
    pairs = [(a, b) for a in range(entries) for b in range(a + 1, entries)]
    store.append([played(match, 0, (5, 1)) for match in plan(store, league, *pairs)])
    text = shown(store, "matrix")
    assert max(map(len, text.splitlines())) <= 80
    heads = [line.split()[2:] for line in text.splitlines() if line.lstrip().startswith("# ")]
    assert [head for of_table in heads for head in of_table] == (
        [chr(ord("a") + i) for i in range(8)] if entries == 8 else [str(i + 1) for i in range(entries)]
    )
    assert len(heads) == (1 if entries < 26 else 2), "what does not fit goes on below"


def test_empty_leagues_have_no_figures_and_no_errors(store: Store) -> None:
    new_league(store)
    for form in FORMATS:
        done = arena_here("matrix", "--format", form, cwd=store.path.parent)
        assert done.returncode == 0
        for view in VIEWS:
            shown(store, "stats", "--view", view, "--format", form)
    assert "no match is in the rankings yet" in arena_here("matrix", cwd=store.path.parent).stderr
    assert "no match is in the rankings yet" in shown(store, "stats")


def test_statistics_by_seat(store: Store) -> None:
    small_league(store)
    first, second = rows_of(store, "stats", "--view", "seats")
    # Seat 0: a wins 0.0, loses 0.1 by seat to a in seat 1, b wins 1.1, ties in 2, a wins 3.0, c crashes in 3.1.
    assert (first["seat"], first["games"], first["wins"], first["share"]) == (0, 8, 5.0, 62.5)
    assert (second["wins"], second["share"]) == (3.0, 37.5)
    assert first["score"] == (5 + 1 + 5 + 5 + 3 + 3 + 2 + 9) / 8
    of_b = rows_of(store, "stats", "--view", "seats", "--bot", "b")
    assert [(row["games"], row["wins"]) for row in of_b] == [(3, 1.5), (3, 0.5)]


def test_statistics_by_size_of_the_table(store: Store) -> None:
    league = new_league(store, 3)
    two, three = plan(store, league, (0, 1), (0, 1, 2))
    store.append([played(two, 0, (5, 1)), played(three, 0, (1, 3, 3))])
    rows = rows_of(store, "stats", "--view", "tables")
    assert {(row["seats"], row["bot"]): (row["wins"], row["share"]) for row in rows} == {
        (2, "a"): (1.0, 100.0),
        (2, "b"): (0.0, 0.0),
        (3, "a"): (0.0, 0.0),
        (3, "b"): (0.5, 75.0),
        (3, "c"): (0.5, 75.0),
    }
    assert [row["seats"] for row in rows_of(store, "stats", "--view", "tables", "--bot", "c")] == [3]


def test_faults_by_cause(store: Store) -> None:
    small_league(store)
    (row,) = rows_of(store, "stats", "--view", "faults")
    assert row == {"bot": "c", "cause": "crash", "games": 2, "of_games": 4, "rate": 50.0}
    assert rows_of(store, "stats", "--view", "faults", "--bot", "a") == []
    assert "no faults" in shown(store, "stats", "--bot", "a")


def test_faults_are_counted_by_kind_with_the_newest_example(store: Store) -> None:
    small_league(store)
    every = rows_of(store, "faults")
    assert len(every) == 2
    *_, line = shown(store, "faults", "--format", "md").splitlines()
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[:4] == ["c", "crash", "2", every[-1]["game"]]
    assert cells[-1].startswith(every[-1]["detail"])
    listed = shown(store, "faults", "--all", "--format", "md").splitlines()
    assert [row.split("|")[1].strip() for row in listed[2:]] == [row["game"] for row in every]


def test_time_per_decision(store: Store) -> None:
    small_league(store)
    rows = {row["bot"]: row for row in rows_of(store, "stats", "--view", "time")}
    # Every made-up seat has ten decisions in 1 ms and a nanosecond for the number of the seat.
    assert (rows["c"]["decisions"], rows["c"]["wall_ms"]) == (40, pytest.approx(0.1, rel=1e-5))
    assert rows["c"]["cpu_ms"] == pytest.approx(0.09, rel=1e-5)
    assert rows["c"]["max_wall_ms"] == 0.300001
    assert "d" not in rows


def test_luck(store: Store) -> None:
    small_league(store)
    rows = {row["bot"]: row for row in rows_of(store, "stats", "--view", "luck")}
    # a: (1, 1), (1, 0), (1, 1). Within: 1/2 over three degrees of freedom.
    assert rows["a"]["within"] == pytest.approx(100 * (1 / 6) ** 0.5)
    assert rows["a"]["between"] == 0, "less between the matches than their games alone would make"
    assert rows["a"]["worth"] == pytest.approx(2 * (1 / 6 + (1 / 6 - 1 / 6) / 2) / (1 / 6))
    assert rows["all"]["matches"] == 4
    assert [row["bot"] for row in rows_of(store, "stats", "--view", "luck", "--bot", "b")] == ["b"]


def test_a_league_of_one_game_per_deal_never_tells_luck(store: Store) -> None:
    league = small_league(store)
    assert (
        why_none(statistics_views.ViewName.LUCK, league)
        == "needs two matches of a bot, each of two or more games"
    )
    single = structs.replace(league, config={**league.config, "rotations": "off"})
    assert "luck can't be measured in this league" in why_none(statistics_views.ViewName.LUCK, single)
    assert "this league" not in why_none(statistics_views.ViewName.SEATS, single)


def test_without_a_view_there_are_answers_that_fit_a_screen(store: Store) -> None:
    league = small_league(store)
    text = shown(store, "stats")
    lines = text.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in text
    answers = " ".join(text.split())
    assert "faults 2 games forfeited, most by c: crash in 2 of its 4 games" in answers
    assert "tables a leads with a share of 83.3 %" in answers
    assert "the slowest answer took 0.3 ms (" in answers
    assert lines[-2:] == [
        f"the whole table, such as: arena stats {league.name} --view seats",
        "more views: circles, prices, authors, coalitions, lottery",
    ]
    of_c = " ".join(shown(store, "stats", "--bot", "c").split())
    assert "time c takes 0.1 ms a decision on average, and 0.3 ms at most" in of_c
    assert f"arena stats {league.name} --bot c --view seats" in of_c


def test_answers_tell_tables_of_each_size(store: Store) -> None:
    league = new_league(store, 3)
    two, three = plan(store, league, (0, 1), (0, 1, 2))
    store.append([played(two, 0, (5, 1)), played(three, 0, (1, 3, 2))])
    text = " ".join(shown(store, "stats").split())
    assert (
        "at tables of 2, a leads with a share of 100.0 %; at tables of 3, b leads with a share of 100.0 %"
        in text
    )
    explained = " ".join(shown(store, "stats", "--explain").split())
    assert "A share: the mean part of the opponents that a bot finished above" in explained


def test_a_mean_share_is_one_number_in_all_tables(store: Store) -> None:
    league = new_league(store, 4)
    draw = Random(1)
    matches = plan(store, league, *[(0, 1, 2, 3)] * 60)
    store.append([played(match, 0, tuple(draw.sample(range(9), 4))) for match in matches])
    ranked = {row["label"]: row["share"] for row in rows_of(store, "rankings")}
    for bot, share in ranked.items():
        rows = rows_of(store, "stats", "--view", "coalitions", "--bot", bot)
        assert [row["share_with"] for row in rows] == [share] * 3


def test_every_view_in_every_format(store: Store) -> None:
    small_league(store)
    for view in VIEWS:
        count = len(rows_of(store, "stats", "--view", view))
        assert count or view == "circles"
        text = shown(store, "stats", "--view", view, "--format", "csv")
        assert len(list(csv.reader(io.StringIO(text)))) == count + 1
        assert "bar" not in text.splitlines()[0].split(",")
        assert len(shown(store, "stats", "--view", view, "--format", "md").splitlines()) == count + 2


def test_mistakes(store: Store) -> None:
    small_league(store)
    done = arena_here("stats", "--format", "json", cwd=store.path.parent)
    assert done.returncode == 2
    assert "--view seats" in done.stderr
    done = arena_here("stats", "--bot", "nobody", cwd=store.path.parent)
    assert done.returncode == 2
    assert "available: a, b, c, d" in done.stderr
    assert arena_here("matrix", "no-such-league", cwd=store.path.parent).returncode == 2


def test_bars() -> None:
    assert [bar(value, 1, 4) for value in (0, 1e-9, 0.25, 0.5, 0.53, 1, 7)] == [
        "",
        "▏",
        "█",
        "██",
        "██▏",
        "████",
        "████",
    ]
    assert bar(1, 0) == ""


def test_statistics_of_single_games_say_where_faults_are_listed(tmp_path: Path) -> None:
    with closing(open_copied(tmp_path / "arena.sqlite", create=True)) as store:
        store.leagues.casual()
    shown = " ".join(arena_here("stats", "casual", cwd=tmp_path).stdout.split())
    assert "statistics are not counted for single games; see: arena faults casual" in shown
    assert "no faults" not in shown


def test_a_circle_is_told_in_the_rankings_and_shown_by_stats(store: Store) -> None:
    rock_paper_scissors(store, 14)
    note = " ".join(shown(store, "rankings").split())
    assert (
        "a circle: a beats b, b beats c, c beats a; their order depends on who else plays: "
        "arena stats spring --view circles"
    ) in note
    rows = rows_of(store, "stats", "--view", "circles")
    assert [(row["circle"], row["bot"], row["opponent"]) for row in rows] == [
        (1, "a", "b"),
        (1, "b", "c"),
        (1, "c", "a"),
    ]
    assert {(row["played"], row["above"], row["below"], row["share"]) for row in rows} == {(14, 14, 0, 100.0)}
    assert rows_of(store, "stats", "--view", "circles", "--bot", "d") == []
    told = shown(store, "stats", "--view", "circles").splitlines()[-1]
    assert told == "beats: significantly more often than not (95 %, all pairs together)"


def test_few_matches_make_no_circle(store: Store) -> None:
    rock_paper_scissors(store, 5)
    assert "circle" not in shown(store, "rankings")
    title, none = shown(store, "stats", "--view", "circles").splitlines()[-2:]
    assert title == "circles: each bot significantly beats the next, and the last the first"
    assert none == "none found; most leagues have none, or need more matches to show one"
    assert rows_of(store, "stats", "--view", "circles") == []


def test_circles_of_some_of_the_matches(store: Store) -> None:
    rock_paper_scissors(store, 14)
    assert "a circle: a beats b" in shown(store, "rankings", "--seats", "2", "--until", "2100-01-01")
    assert "a circle" not in shown(store, "rankings", "--against", "d")


@pytest.mark.slow
def test_the_lottery_gives_a_circle_equal_weights(store: Store) -> None:
    rock_paper_scissors(store, 14)
    rows = rows_of(store, "stats", "--view", "lottery")
    assert [row["bot"] for row in rows] == ["a", "b", "c", "d"]
    assert [row["weight"] for row in rows] == pytest.approx([100 / 3] * 3 + [0], abs=1e-3)
    assert [row["share"] for row in rows] == pytest.approx([50, 50, 50, 0], abs=1e-3)
    assert {row["drawn"] for row in rows[:3]} == {100}
    assert shown(store, "stats", "--view", "lottery", "--format", "md").count("\n") == 6
    assert "lottery " not in shown(store, "stats"), "only on request"


def test_who_beats_one_that_the_fit_surely_places_above_is_told(store: Store) -> None:
    """One beats b every time, and does badly against all others, who do badly against b: too seldom for a circle."""
    league = new_league(store, 14)
    others = range(2, 14)
    pairs = [(0, 1)] * 25 + [(other, 0) for other in others] * 7 + [(1, other) for other in others] * 7
    store.append([played(match, 0, (5, 1)) for match in plan(store, league, *pairs)])
    text = " ".join(shown(store, "rankings", "--fit").split())
    assert "a beats b, but the fit puts b first: arena stats spring --view circles" in text
    (row,) = rows_of(store, "stats", "--view", "circles")
    assert (row["circle"], row["bot"], row["opponent"], row["above"]) == (None, "a", "b", 25)
    last = shown(store, "stats", "--view", "circles").splitlines()[-1]
    assert last == "without a circle number: the fit ranks the beaten bot significantly higher"


def notes(store: Store, view: str) -> list[str]:
    """Return what the lines below a table are about, up to the first colon of each."""
    _, _, below = shown(store, "stats", "--view", view, "--explain").rpartition("─")
    lines = [line.strip() for line in below.splitlines()[1:]]
    return [line.partition(":")[0] for line in lines[lines.index("") + 1 :]]


def test_the_columns_of_the_lottery_and_of_coalitions_are_explained(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("arena_lottery.lottery.lottery", partial(lottery, draws=10))
    league = new_league(store, 4)
    matches = plan(store, league, *[(0, 1), (2, 3)] * 24, *[(0, 2), (1, 3)] * 24)
    games = [played(match, 0, (5, 1) if number % 3 else (1, 5)) for number, match in enumerate(matches)]
    store.append(games[:48])
    *_, none = shown(store, "stats", "--view", "coalitions").splitlines()
    assert none == "nothing to compare: every bot met the same others in all of its games"
    store.append(games[48:50])
    told = shown(store, "stats", "--view", "lottery").splitlines()
    assert max(map(len, told)) <= 80
    assert told[-2].startswith("weight %: ")
    assert told[-1] == "3 more notes with --explain"
    assert notes(store, "lottery")[:4] == ["weight %", "from, to", "in samples %", "share %"]
    told = shown(store, "stats", "--view", "coalitions").splitlines()
    assert max(map(len, told)) <= 80
    assert notes(store, "coalitions")[:3] == [
        "share %, score",
        "no gain yet",
        "by places, it also takes games that either of the two could win",
    ]
    assert not {"gain", "honest", "flag"} & set(" ".join(told[2:5]).split()), "columns without a figure"
    store.append(games[50:])
    told = shown(store, "stats", "--view", "coalitions").splitlines()
    assert max(map(len, told[2:])) <= 80
    assert notes(store, "coalitions")[1:5] == ["share %, score", "gain", "±", "honest %"]


def test_a_bot_that_gains_by_bots_of_its_author_is_flagged(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    league_with_puppets(store)
    first, second = rows_of(store, "stats", "--view", "authors")
    assert {key: first[key] for key in ("bot", "author", "matches", "matches_rated", "share", "flag")} == {
        "bot": "a",
        "author": "ann",
        "matches": 20,
        "matches_rated": 15,
        "share": 100.0,
        "flag": "gains",
    }
    assert (first["matches_others"], first["share_others"]) == (80, 50.0)
    assert (first["expected"], first["difference"]) == (pytest.approx(50), pytest.approx(50))
    assert 20 < first["difference_error"] * 2 < 30
    assert first["chance"] < 3
    assert (second["bot"], second["flag"]) == ("b", "loses")
    told = shown(store, "stats", "--view", "authors")
    assert max(map(len, told.splitlines())) <= 80
    assert "a took 100.0 % of the share with its author's bots at the table" in " ".join(told.split())
    assert told.splitlines()[-1].endswith("more notes with --explain")
    text = " ".join(shown(store, "stats", "--view", "authors", "--explain").split())
    assert "a took 100.0 % of the share with its author's bots at the table" in text
    assert "for example, a took 100.0 % of the share there" in text
    assert "predict 50.0 %, so the difference is +50.0" in text
    assert shown(store, "stats", "--view", "authors", "--format", "csv").startswith("bot,author,matches,")
    assert shown(store, "stats", "--view", "authors", "--bot", "b", "--format", "md").count("\n") == 3


def test_why_nothing_can_be_compared_is_said(store: Store) -> None:
    league = league_with_puppets(store, own=6)
    assert "too few matches to compare: it takes 8 with several bots of one author" in " ".join(
        shown(store, "stats", "--view", "authors").split()
    )
    entries = [
        EntrySpec(entry.label, entry.version.id) for entry in store.entries.all(league.uuid) if entry.version
    ]
    store.leagues.create("autumn", config={}, ruleset=RULES, entries=entries)
    assert "no bot has met another one by its author" in " ".join(
        shown(store, "stats", "autumn", "--view", "authors").split()
    )
    store.leagues.create("winter", config={}, ruleset=RULES, entries=entries[1:])
    assert "no author has several bots in this league" in " ".join(
        shown(store, "stats", "winter", "--view", "authors").split()
    )


def test_games_that_are_not_rated_are_listed_as_such(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    league_with_puppets(store)
    rows = rows_of(store, "replay", "list")
    assert [row["rated"] for row in rows[:6]] == [False] * 5 + [True]
    lines = shown(store, "replay", "list").splitlines()
    assert "rated" in lines[2]
    assert sum("not rated" in line for line in lines[1:]) == 5
    assert shown(store, "replay", "list", "--format", "csv").splitlines()[1].endswith(",false")
    assert "not rated" in shown(store, "replay", "list", "--format", "md")
    few = "\n".join(shown(store, "replay", "list", "--bot", "c").splitlines()[1:])
    assert "rated" not in few, "all of them are"


def test_every_column_of_a_view_has_a_name_of_its_own() -> None:
    for name, view in ALL_VIEWS.items():
        titles = [column.title for column in columns_of(view.kind)] + ([view.bar.title] if view.bar else [])
        assert len(set(titles)) == len(titles), name


def test_every_column_of_every_view_but_names_can_be_explained() -> None:
    lacking = [
        (name, column.key)
        for name, view in ALL_VIEWS.items()
        for column in columns_of(view.kind)
        if not column.help and column.priority
    ]
    assert lacking == []


def test_explained_statistics_say_what_their_columns_mean_with_a_figure(store: Store) -> None:
    small_league(store)
    text = shown(store, "stats", "--view", "tables", "--explain")
    assert "wins %  wins in 100 games (a: " in text.replace("\n", " ")
    text = " ".join(shown(store, "matrix", "--explain").split())
    assert "a against b: finished above in 1 of 2 matches, tied in 1, which counts half: 75 %." in text


def test_a_view_that_is_not_installed_or_not_known_is_refused_with_what_to_do(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_league(store)
    with pytest.raises(UnknownName, match="there is no view 'seat'; did you mean 'seats'"):
        statistics_views.view_named("seat")
    monkeypatch.setattr(statistics_views, "entry_points", lambda **_: ())
    statistics_views.added_views.cache_clear()
    try:
        with pytest.raises(
            PackageMissing, match="--view authors needs packages that aren't installed"
        ) as caught:
            statistics_views.view_named("authors")
    finally:
        monkeypatch.undo()
        statistics_views.added_views.cache_clear()
    assert caught.value.hint == "pip install arena-fair-play"


@pytest.mark.parametrize("value", ["results.reports.statistics_views:ALL", "no_such_module:VIEW"])
def test_a_broken_view_breaks_only_itself(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("broken", value, "arena.statistics")
    monkeypatch.setattr(statistics_views, "entry_points", lambda **_: [point])
    statistics_views.added_views.cache_clear()
    try:
        assert statistics_views.added_views() == {}
        with pytest.raises(BrokenPlugin, match=f"{value}"):
            statistics_views.view_named("broken")
    finally:
        monkeypatch.undo()
        statistics_views.added_views.cache_clear()
