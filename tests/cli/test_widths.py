"""Where the terminal is narrow texts fold, then columns go; names stay whole."""

import io
import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from arena.cli.display.live_comparison import where_it_lies
from arena.cli.display.live_league import live_league
from arena.cli.display.tables import LEAST_TEXT, Fitted, Wish, fit
from arena.league.running.runner_activity import RunProgress
from results.analysis.sequential_test import Question, SequentialTest
from results.records import EntrySpec
from tests.cli.hostile_store import hostile_store
from tests.support.leagues import arena_here
from tests.support.ledgers import RULES, new_store, plan, played

pytestmark = pytest.mark.xdist_group("widths")  # they look at one store

NAMES = ["bread-and-butter-pudding", "counter-intelligence-2", "greedy"]
WIDTHS = [40, 60, 80, 120]
COMMANDS = [
    ["rankings"],
    ["rankings", "--fit"],
    ["history"],
    ["history", "--bot", NAMES[0]],
    ["matrix"],
    ["stats"],
    ["faults"],
    ["faults", "--platform"],
    ["bots"],
    ["bots", "show", "ababab"],
    ["league", "list"],
    ["league", "show", "spring"],
    ["status"],
    ["replay", "list"],
    ["games"],
    ["doctor"],
]
TEXT = "it was asked for a move and said so many words that no narrow terminal has room for all of them"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("widths")
    hostile_store(made, NAMES, TEXT, NAMES[2])
    return made


_wide: dict[str, str] = {}
"""What is shown where nothing has to give way, by command."""


def shown(folder: Path, command: list[str], width: int, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", str(width))
    done = arena_here(*command, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def names_in(text: str) -> set[str]:
    return {name for name in (*NAMES, "bread-and-chocolate", "gamerules") if name in text}


@pytest.mark.parametrize(
    ("command", "width"),
    [
        pytest.param(
            command,
            width,
            id=f"{' '.join(command)}-{width}",
            marks=[pytest.mark.slow] * (command == ["doctor"] or width not in (40, 80)),
        )
        for command in COMMANDS
        for width in WIDTHS
    ],
)
def test_every_table_fits_and_keeps_its_names(
    folder: Path, command: list[str], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = shown(folder, command, width, monkeypatch)
    assert text
    assert max(map(cell_len, text.splitlines())) <= width
    key = " ".join(command)
    wide = _wide[key] = _wide.get(key) or shown(folder, command, 400, monkeypatch)
    assert text.count("…") <= wide.count("…"), "nothing is cut"
    assert names_in(text) == names_in(wide)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_live_table_fits_and_keeps_its_names(
    folder: Path, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    with new_store(folder) as store:
        live = live_league(store, store.leagues.get("spring"), workers=2)
        frame = live.frame(RunProgress(total_games=400, games_before=6, games=120))
        out = io.StringIO()
        Console(file=out, width=width).print(frame)
    text = out.getvalue()
    assert max(map(cell_len, text.splitlines())) <= width
    assert names_in(text) == set(NAMES)
    assert "126/400" in text
    assert "games/s" in text


def test_a_runner_of_several_leagues_names_the_one_it_plays(folder: Path) -> None:
    with new_store(folder) as store:
        progress = RunProgress(total_games=400, games_before=6, games=120)
        spring = store.leagues.get("spring")
        alone, one_of_several = (
            live_league(store, spring, workers=2),
            live_league(store, spring, workers=2, named=True),
        )
        assert alone.line(progress).startswith("126 of 400 games · ")
        assert one_of_several.line(progress).startswith("spring: 126 of 400 games · ")
        out = io.StringIO()
        Console(file=out, width=80).print(one_of_several.frame(progress))
    assert out.getvalue().startswith("spring")


@pytest.mark.parametrize(
    ("hosts", "slots", "who"),
    [
        (None, 0, "2 workers"),
        (0, 0, "no host"),
        (1, 1, "1 slot on 1 host"),
        (3, 12, "12 slots on 3 hosts"),
    ],
)
def test_the_progress_says_who_plays(folder: Path, hosts: int | None, slots: int, who: str) -> None:
    with new_store(folder) as store:
        live = live_league(store, store.leagues.get("spring"), workers=2)
        progress = RunProgress(total_games=400, games_before=6, games=120, hosts=hosts, host_slots=slots)
        assert live.line(progress).endswith(f" left · {who}")


@pytest.mark.parametrize("width", WIDTHS)
def test_a_running_comparison_fits(width: int) -> None:
    test = SequentialTest(Question(0.05, 0.05))
    for difference in [0.1, -0.2, 0.3] * 20:
        test.add(difference)
    axis, _ = where_it_lies(test, width)
    assert axis.cell_len <= width
    assert "●" in axis.plain


def test_what_the_terminal_is_too_narrow_for_is_said(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    done = arena_here("rankings", cwd=folder)
    assert " points " in done.stdout, "the ranking's own figure stays longest"
    assert re.search(r"too narrow for: .*wins.*--format csv", " ".join(done.stdout.split()))
    monkeypatch.setenv("COLUMNS", "120")
    assert "too narrow" not in arena_here("rankings", cwd=folder).stdout
    all_columns = arena_here("rankings", "--format", "md", cwd=folder)
    monkeypatch.setenv("COLUMNS", "40")
    few = arena_here("rankings", "--format", "md", cwd=folder)
    assert few.stdout.splitlines()[0].count("|") < all_columns.stdout.splitlines()[0].count("|")
    assert re.search(r"too narrow for: .*wins.*--format csv.*COLUMNS=200", " ".join(few.stderr.split()))
    assert "too narrow" not in all_columns.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "width", [WIDTHS[0], *(pytest.param(width, marks=pytest.mark.slow) for width in WIDTHS[1:])]
)
def test_the_doctor_says_what_to_do_at_every_width(
    folder: Path, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = shown(folder, ["doctor"], width, monkeypatch)
    found = json.loads(shown(folder, ["doctor", "--format", "json"], width, monkeypatch))
    words = {word for row in found for word in row["means"].split() if len(word) < LEAST_TEXT}
    assert words
    assert not words - set(text.split())


def test_columns_share_the_room_by_hand() -> None:
    name, text, number = Wish(10, 10, 0), Wish(40, 20, 3), Wish(6, 6, 5)
    columns = [name, text, number]
    assert fit(columns, 62) == Fitted((10, 40, 6), 2)
    assert fit(columns, 60) == Fitted((10, 40, 6), 1), "first they move together"
    assert fit(columns, 45) == Fitted((10, 25, 6), 1), "then the text is folded"
    assert fit(columns, 39) == Fitted((10, 26, None), 1), "then columns go"
    assert fit(columns, 32) == Fitted((10, None, None), 2)
    assert fit(columns, 8) == Fitted((6, None, None), 1), "the name last of all"


def test_a_large_matrix_shows_the_first_and_says_where_the_rest_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with new_store(tmp_path) as store:
        entries = [EntrySpec(f"bot-{number}", None) for number in range(45)]
        league = store.leagues.create("spring", config={}, ruleset=RULES, entries=entries)
        pairs = [(a, b) for a in range(45) for b in range(a + 1, 45)]
        matches = plan(store, league, *pairs)
        store.append([played(match, 0, (5, 1)) for match in matches])
        first = [row.label for row in store.ratings.standings(league.uuid)][:40]
    done = arena_here("matrix", cwd=tmp_path)
    assert "the first 40 of 45 bots; all of them: arena matrix spring --format csv" in done.stderr
    assert "no intervals with more than 8 bots; CSV has them" in done.stdout
    numbers = re.findall(r"^ +(\d+)  (\S+)  ", done.stdout, re.MULTILINE)
    assert list(dict.fromkeys(numbers)) == [(str(i), label) for i, label in enumerate(first, 1)]
    assert max(map(len, done.stdout.splitlines())) <= 80
    everything = arena_here("matrix", "--format", "csv", cwd=tmp_path).stdout
    assert len(everything.splitlines()) == 1 + 45 * 44
    grid = arena_here("matrix", "--format", "md", cwd=tmp_path).stdout
    assert len(grid.splitlines()) == 2 + 40
