"""`arena history`: how ratings came about, drawn and listed."""

import csv
import io
import json
import re
import struct
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from arena.cli.display.tables import LEVELS, at_both_ends, band, sparkline
from arena.web.html.links import LiveLinks
from arena.web.html.rendering import render
from arena.web.pages.statistics import history
from results.reports.charts import line_colours
from results.reports.history import Moment, without_gaps
from results.store import open_store
from tests.support.leagues import arena_here
from tests.support.ledgers import new_league, new_store, plan, played

SVG = "{http://www.w3.org/2000/svg}"


def test_a_sparkline_by_hand() -> None:
    assert sparkline([0, 1, 2, 3, 4, 5, 6, 7, 8], 0, 8) == LEVELS + LEVELS[-1]
    assert sparkline([None, -5, 99], 0, 8) == " ▁█"
    assert sparkline([3, 3], 3, 3) == "▅▅", "no difference at all lies in the middle"
    assert sparkline([], 0, 1) == ""


def test_an_axis_has_its_ends_at_the_ends() -> None:
    assert at_both_ends("1", "40", 6) == "1   40"
    assert at_both_ends("match 1", "40", 6) == "match 1 40"
    assert at_both_ends("2026-11-22", "", 40) == "2026-11-22"


def test_a_band_by_hand() -> None:
    assert band([None, (0.0, 9.0), (2.0, 1.0)], 4) == [
        "    3.00 ┤ ░░",
        "    2.00 ┤ ░●",
        "    1.00 ┤ ░░",
        "    0.00 ┤ ●",
    ]
    assert band([None], 4) == []
    assert band([(5.0, 0.0)], 3) == ["    5.00 ┤●", "    4.00 ┤", "    3.00 ┤"]


def test_gaps_are_filled_by_what_came_before() -> None:
    a, b = Moment(1, 2), Moment(3, 4)
    assert without_gaps([None, a, None, b, None]) == [None, a, a, b, b]


def league(folder: Path, matches: int = 40) -> None:
    """Make a league of a, b, c and d in which a always beats b, and c and d have not met anybody."""
    with new_store(folder) as store:
        planned = plan(store, new_league(store), *[(0, 1)] * matches)
        store.append([played(match, 0, (9, 1)) for match in planned])


def test_every_bot_that_played_has_a_line(tmp_path: Path) -> None:
    league(tmp_path)
    shown = arena_here("history", cwd=tmp_path).stdout
    (a,) = [line for line in shown.splitlines() if line.strip().startswith("a ")]
    (b,) = [line for line in shown.splitlines() if line.strip().startswith("b ")]
    assert "█" in a
    assert "▁" not in a
    assert "▁" in b
    assert "█" not in b
    assert "25.00" in a
    assert not [line for line in shown.splitlines() if line.strip().startswith(("c ", "d "))]


def test_a_single_bot_is_drawn_with_its_uncertainty(tmp_path: Path) -> None:
    league(tmp_path)
    shown = arena_here("history", "--bot", "a", cwd=tmp_path).stdout
    plot = [line for line in shown.splitlines() if "┤" in line]
    assert len(plot) == 15
    columns = max(len(line) for line in plot) - plot[0].index("┤") - 1
    assert columns == 40, "one for each match of a short league"
    assert sum(line.count("●") for line in plot) == columns
    axis, days = shown.splitlines()[16:18]
    assert axis.split() == ["match", "0", "39"], "as --format csv and names of games have it"
    assert len(axis) == plot[0].index("┤") + 1 + columns
    assert re.fullmatch(r" +\d{4}-\d\d-\d\d", days)
    assert all(len(line) <= 80 for line in plot)


@pytest.mark.parametrize("arguments", [(), ("--bot", "b")])
def test_each_column_is_explained_with_the_figures_of_a_bot(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    league(tmp_path)
    table = arena_here("history", cwd=tmp_path).stdout
    bot = arguments[-1] if arguments else "a"
    (line,) = [line for line in table.splitlines() if line.strip().startswith(f"{bot} ")]
    mu, sigma = line.split()[-2:]
    told = " ".join(arena_here("history", *arguments, "--explain", cwd=tmp_path).stdout.split())
    assert f"the rating before its first match ({bot}: 25.00)" in told
    assert f"the higher, the stronger ({bot}: {mu})" in told
    assert f"({bot}: {sigma})" in told


def test_the_other_formats_have_the_rating_after_every_match(tmp_path: Path) -> None:
    league(tmp_path)
    rows = list(csv.DictReader(io.StringIO(arena_here("history", "--format", "csv", cwd=tmp_path).stdout)))
    assert len(rows) == 80
    assert {row["label"] for row in rows} == {"a", "b"}
    of_b = json.loads(arena_here("history", "-b", "b", "--format", "json", cwd=tmp_path).stdout)
    assert [row["match_no"] for row in of_b] == list(range(40))


def test_the_chart_of_the_site_is_written_as_a_picture(tmp_path: Path) -> None:
    league(tmp_path)
    drawn = ElementTree.fromstring(arena_here("history", "--format", "svg", cwd=tmp_path).stdout)  # noqa: S314 - our own
    paths = {
        one.get("class"): one.get("d", "")
        for one in drawn.iter(f"{SVG}path")
        if "h28" not in one.get("d", "")
    }
    colours = line_colours("ab")
    assert set(paths) == {f"course-line line{one} dash{n}" for n, one in enumerate(colours)}, "no band of two"
    texts = [one.text or "" for one in drawn.iter(f"{SVG}text")]
    assert any(text.startswith("a ") for text in texts)
    with open_store(tmp_path / "arena.sqlite") as store:
        page = render(history(store, "spring"), LiveLinks())
    assert all(f'class="{name}" d="{path}"' in page for name, path in paths.items()), (
        "the lines are those of the site"
    )
    one = ElementTree.fromstring(arena_here("history", "-b", "b", "--format", "svg", cwd=tmp_path).stdout)  # noqa: S314 - our own
    assert "course-band" in {path.get("class") for path in one.iter(f"{SVG}path")}
    refused = arena_here("history", "-b", "c", "--format", "svg", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")


def test_a_png_is_twice_the_drawing_wide(tmp_path: Path) -> None:
    league(tmp_path)
    drawn = arena_here("history", "--format", "png", cwd=tmp_path).stdout.encode("latin-1")
    assert drawn.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", drawn[16:24])
    assert (width, height) == (2000, 848)


def test_without_the_extra_png_the_command_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    league(tmp_path)
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    refused = arena_here("history", "--format", "png", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "pip install 'arena-league[png]'" in refused.stderr


def test_where_nothing_was_played_that_is_said(tmp_path: Path) -> None:
    league(tmp_path, matches=0)
    assert "no match is rated yet" in arena_here("history", cwd=tmp_path).stderr
    assert "no match is rated yet" in arena_here("history", "--bot", "a", cwd=tmp_path).stderr


def test_a_bot_that_has_not_played_and_one_that_does_not_exist(tmp_path: Path) -> None:
    league(tmp_path)
    assert "c has not played yet" in arena_here("history", "--bot", "c", cwd=tmp_path).stderr
    refused = arena_here("history", "--bot", "zoe", cwd=tmp_path)
    assert refused.returncode != 0
    assert "zoe" in refused.stderr
