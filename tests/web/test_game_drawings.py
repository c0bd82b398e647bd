"""Games bring the drawings of their own cards and tables."""

from pathlib import Path

import pytest

from arena import registry
from arena.core.game_files import own_text
from arena.web.html.game_art import drawings, scripts_of
from arena.web.html.rendering import small, static_files
from results.reports.charts import face_of, line_colours
from tests.support.outside import load
from tests.support.web.chromium import chromium, served


def test_each_game_of_arena_brings_its_cards_and_its_table() -> None:
    for game in ("bread-basket", "bread-and-chocolate", "sandwich"):
        assert scripts_of(game) == ("cards.js", f"cards-{game}.js", f"table-{game}.js")
        for name in scripts_of(game):
            assert static_files()[name].startswith(b"(() => {")


def test_other_games_are_drawn_plainly() -> None:
    assert scripts_of("no such game") == ("cards.js", "plain-table.js")


def test_a_drawing_defines_what_its_game_is_called() -> None:
    for game in registry.games():
        for name in scripts_of(game)[1:]:
            if name != "plain-table.js":
                assert f'.define("{game}"'.encode() in drawings()[name]


def test_a_game_that_is_a_single_module_brings_none() -> None:
    assert own_text(load("roshambo", "roshambo.py").GAME, "table.js") is None


def test_files_are_sent_without_what_only_their_makers_read() -> None:
    style = b'/* why */\na:hover, b > c {\n  content: "; /* x */  :";\n  margin: 0 calc(1px + 2px);\n}\n'
    assert small("a.css", style) == b'a:hover,b > c{content:"; /* x */  :";margin:0 calc(1px + 2px)}'
    script = b'// why\n  var a = "https://b"; // note\n\n  say("// c");\n'
    assert small("a.js", script) == b'var a = "https://b";\nsay("// c");\n'
    assert small("a.js", b"say(`\n  // not a note`);\n") == b"say(`\n  // not a note`);\n"
    assert small("a.svg", b"<svg>  </svg>") == b"<svg>  </svg>"


def test_pages_with_a_table_do_without_the_rules_of_lists() -> None:
    whole, base = static_files()["site.css"], static_files()["base.css"]
    for rule in (b".ladder td", b".heat td", b".course-chart"):
        assert rule in whole
        assert rule not in base
    for rule in (b".site-header", b".scroll", b".badge", b"prefers-reduced-motion"):
        assert rule in base


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
def test_a_bot_looks_alike_in_lists_charts_and_at_the_table() -> None:
    names = ["crumb", "ann/crumb@12", "crumb 3", "a/b/c", "brötchen", "🥖 2", "", "guest b1b6", "x" * 40]
    with chromium() as browser:
        page = browser.new_page()
        page.set_content(f"<script>{static_files()['cards.js'].decode()}</script>")
        drawn = page.evaluate("names => names.map(Arena.looks).map(one => [one.colour, one.shape])", names)
        lines = page.evaluate("names => Arena.line_colours(names)", names)
    assert [tuple(one) for one in drawn] == [face_of(name) for name in names]
    assert lines == line_colours(names)
    assert len({face_of(name) for name in ("crumb", "ann/crumb@12", "crumb 3")}) == 1
    assert len({face_of(str(number)) for number in range(200)}) == 40


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
def test_the_first_page_draws_its_game_and_plays_it_unless_motion_is_reduced(demo_store: Path) -> None:
    failures: list[str] = []
    with chromium() as browser, served(demo_store) as address:
        for is_still in (False, True):
            page = browser.new_page(reduced_motion="reduce" if is_still else "no-preference")
            page.on("pageerror", lambda error: failures.append(str(error)))
            page.goto(address)
            page.wait_for_selector(".front-game .table")
            assert page.locator(".front-game .lead-bar button").text_content() == (
                "Play" if is_still else "Pause"
            )
    assert not failures


def test_lines_of_a_chart_have_different_colours_as_long_as_there_are_any() -> None:
    names = ["counter", "worrier", "greedy", *map(str, range(20))]
    colours = line_colours(names)
    assert [face_of(name)[0] for name in names[:3]] == [colours[0], colours[1], colours[1]]
    assert sorted(colours[:10]) == list(range(1, 11))
    assert colours[10:] == [face_of(name)[0] for name in names[10:]]
    assert line_colours(names[:5]) == colours[:5], "a line more changes none before it"


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
def test_a_phone_shows_the_first_cards_of_a_long_hand_and_how_many_more_there_are() -> None:
    script = """([count, front, more]) => {
      var context = Object.assign({ game: "x", names: ["a", "b", "c", "d", "e", "f"], front, act: null }, more);
      var row = Arena.cards.row(context, [...Array(count).keys()], { zone: "hand", seat: 1 }, "Hand");
      return [row.querySelectorAll("[data-card]").length, row.textContent.match(/[+][0-9]+$/)?.[0] || ""];
    }"""
    with chromium() as browser:
        for width, count, front, more, shown in (
            (360, 17, 0, {}, [5, "+12"]),
            (360, 6, 0, {}, [6, ""]),
            (360, 17, 1, {}, [17, ""]),
            (360, 30, 0, {"names": ["a", "b", "c", "d"]}, [24, "+6"]),
            (360, 17, 0, {"over": True}, [17, ""]),
            (1440, 17, 0, {}, [17, ""]),
        ):
            page = browser.new_page(viewport={"width": width, "height": 740})
            page.set_content(f"<script>{static_files()['cards.js'].decode()}</script>")
            assert page.evaluate(script, [count, front, more]) == shown


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
def test_who_plays_has_a_face_that_no_bot_has() -> None:
    script = """name => { Arena.you = "guest 1"; return Arena.tables.face(name).firstChild.getAttribute("href"); }"""
    with chromium() as browser:
        page = browser.new_page()
        page.set_content(f"<script>{static_files()['cards.js'].decode()}</script>")
        assert page.evaluate(script, "guest 1") == "#icon-you"
        assert page.evaluate(script, "guest 2") == f"#icon-bot{face_of('guest 2')[1]}"
