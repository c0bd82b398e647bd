"""Games bring the drawings of their own cards and tables."""

from arena import registry
from arena.core.package_files import own_text
from arena.web.html.drawing import drawings, scripts_of
from arena.web.html.rendering import static_files
from tests.support.outside import load


def test_each_game_of_arena_brings_its_cards_and_its_table() -> None:
    for game in ("bread-basket", "bread-and-chocolate", "sandwich"):
        assert scripts_of(game) == ("cards.js", "plain-table.js", f"cards-{game}.js", f"table-{game}.js")
        for name in scripts_of(game):
            assert static_files()[name].startswith(b"//")


def test_other_games_are_drawn_plainly() -> None:
    assert scripts_of("no such game") == ("cards.js", "plain-table.js")


def test_a_drawing_defines_what_its_game_is_called() -> None:
    for game in registry.games():
        for name in scripts_of(game)[2:]:
            assert f'.define("{game}"'.encode() in drawings()[name]


def test_a_game_that_is_a_single_module_brings_none() -> None:
    assert own_text(load("roshambo", "roshambo.py").GAME, "table.js") is None
