"""docs/adding-a-game.md: its code is that of the example, its schedule runs, and the mistakes it names are found."""

import re
import shutil
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import pytest

from arena.core.game import Game
from tests.support.outside import EXAMPLE, MODULE, ROOT, arena, arena_json, beside, conformance
from tests.support.tree import Example, examples

PAGE = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8")
SOURCES = (
    MODULE,
    EXAMPLE / "pyproject.toml",
    EXAMPLE / "league.toml",
    EXAMPLE / "bots" / "bidder" / "bot.py",
    ROOT / "arena" / "core" / "card_game_base.py",
    ROOT / "tests" / "core" / "test_base_game.py",
    ROOT / "arena" / "games" / "bread_basket" / "__init__.py",
    ROOT / "arena" / "games" / "bread_basket" / "transitions.py",
    ROOT / "examples" / "kuhn" / "src" / "kuhn.py",
    ROOT / "examples" / "nim" / "pyproject.toml",
    ROOT / "examples" / "pig" / "src" / "pig" / "game.py",
    ROOT / "examples" / "tiles" / "src" / "tiles.py",
    ROOT / "examples" / "whist" / "src" / "whist" / "game.py",
    ROOT / "examples" / "ring" / "src" / "ring.py",
    ROOT / "examples" / "ring" / "pyproject.toml",
    ROOT / "plugins" / "webhooks" / "src" / "arena_webhooks" / "__init__.py",
)
CODE = [
    example
    for example in examples()
    if example.page in ("docs/adding-a-game.md", "docs/plug-ins.md")
    and example.language in ("python", "toml")
    and "at_random(game.rng)" not in example.text  # of a bot
    and "[rating]" not in example.text  # of a league file
]


def stands_in(text: str, source: Path) -> bool:
    """Return whether a text is some lines of a file, one after the other, at whatever depth."""
    wanted = dedent(text).splitlines()
    lines = source.read_text(encoding="utf-8").splitlines()
    return any(
        dedent("\n".join(lines[start : start + len(wanted)])).splitlines() == wanted
        for start in range(len(lines) - len(wanted) + 1)
    )


@pytest.mark.parametrize("example", CODE, ids=lambda one: f"{one.page}:{one.line}")
def test_the_code_of_the_page_stands_in_the_example(example: Example) -> None:
    assert any(stands_in(example.text, source) for source in SOURCES), str(example)


def test_the_page_has_a_row_for_every_member_of_a_game() -> None:
    members = {name for name in (*vars(Game), *Game.__annotations__) if not name.startswith("_")}
    table = PAGE.partition("| Members |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", table)) == members


# The schedule


@pytest.mark.slow
def test_the_schedule_of_the_page_runs(tmp_path: Path) -> None:
    elsewhere = beside(tmp_path / "elsewhere", "ring")
    league = 'name = "ring"\ngame = "bread-basket"\nseats = 3\nrotations = "off"\n'
    league += '[options]\nhands = 1\n[schedule]\nkind = "ring"\nlaps = 2\n'
    for number in range(4):
        league += f'[[bots]]\npath = "bots/any_game/random"\nlabel = "{number}"\n'
    (tmp_path / "league.toml").write_text(league)
    arena("league", "create", "league.toml", cwd=tmp_path, installed=elsewhere)
    arena("run", "ring", "--workers", "1", cwd=tmp_path, installed=elsewhere)
    rows = arena_json("rankings", cwd=tmp_path, installed=elsewhere)
    assert {row["label"]: row["matches"] for row in rows} == dict.fromkeys("0123", 6)
    for right, wrong, said in (
        ("laps = 2", "lap = 2", "did you mean 'laps'"),
        ("seats = 3", "seats = 5", "a ring of 4 bots is too small"),
    ):
        (tmp_path / "league.toml").write_text(league.replace(right, wrong))
        refused = arena("league", "create", "league.toml", cwd=tmp_path, installed=elsewhere, check=False)
        assert refused.returncode == 2
        assert said in refused.stderr


# The mistakes


class Mistake(NamedTuple):
    """A change to the rules of Goofspiel, and the conformance test that must find it."""

    found_by: str
    text: str
    instead: str


MISTAKES = (
    Mistake(
        "random_play.py::test_apply_leaves_its_state_as_it_was",
        "after = self.copy(state)",
        "after = state",
    ),
    Mistake(
        "random_play.py::test_a_copy_goes_its_own_way",
        "hands = [hand[:] for hand in state.hands]",
        "hands = state.hands[:]",
    ),
    Mistake(
        "random_play.py::test_advance_does_the_same_in_place",
        "    if state.hands[0]:\n        _turn_up",
        "    if state.hands[0] and log is not None:\n        _turn_up",
    ),
    Mistake(
        "random_play.py::test_make_legal_does_the_same_in_place",
        "    def advance(self, state",
        "    def make_legal(self, state, moves):\n        _bid(state, moves, None)\n        return ()\n\n"
        "    def advance(self, state",
    ),
    Mistake(
        "random_play.py::test_moves_of_the_wrong_seats_are_refused",
        "if sorted(moves) != list(range(len(state.hands))):",
        "if len(moves) == 1:",
    ),
    Mistake(
        "illegal_moves.py::test_moves_of_other_moments_are_refused_unless_listed",
        "        _check(state, seat, card)\n        return card",
        "        return card",
    ),
    Mistake(
        "illegal_moves.py::test_a_legal_move_with_one_key_more_is_refused",
        '_, fields = read_shape(raw, {"bid": ("card",)})',
        'fields = {"card": raw["card"]}',
    ),
    Mistake(
        "illegal_moves.py::test_any_json_value",
        '_, fields = read_shape(raw, {"bid": ("card",)})',
        'fields = {"card": raw["card"]}',
    ),
    Mistake(
        "random_play.py::test_decisions_are_in_seat_order_with_every_move_once",
        "tuple(hand))",
        "(*hand, hand[0]))",
    ),
    Mistake(
        "random_play.py::test_decisions_are_in_seat_order_with_every_move_once",
        "tuple(hand))",
        "tuple([card] for card in hand))",
    ),
    Mistake(
        "random_play.py::test_kinds_types_and_streams_are_words",
        'Decision(seat, "bid",',
        'Decision(seat, "a bid",',
    ),
    Mistake(
        "random_play.py::test_the_same_seed_gives_the_same_game",
        'chance.permutation("prizes", cards)',
        'tuple(__import__("random").sample(cards, len(cards)))',
    ),
    Mistake(
        "secrets.py::test_views_and_moves_tell_no_more_than_the_events",
        '"pile": len(state.prizes) - state.turned,\n            "hands"',
        '"pile": list(state.prizes[state.turned:]),\n            "hands"',
    ),
    Mistake(
        "guess.py::test_a_guess_looks_to_the_seat_like_the_truth",
        'stake=list(view["stake"]),',
        'stake=list(view["stake"])[-1:],',
    ),
    Mistake(
        "guess.py::test_a_guess_follows_from_its_numbers",
        "        rng.shuffle(pile)\n",
        "",
    ),
    Mistake(
        "random_play.py::test_the_result_agrees_with_the_scores",
        "ranks_of(state.scores)",
        "ranks_of([-score for score in state.scores])",
    ),
    Mistake(
        "random_play.py::test_partners_always_have_equal_scores",
        "    def advance(self, state",
        "    def sides(self, ruleset, seats):\n        return [seat % (2 if seats == 4 else seats) for seat in "
        "range(seats)]\n\n    def advance(self, state",
    ),
    Mistake(
        "info.py::test_other_numbers_of_seats_are_refused",
        "if seats not in _SEATS:",
        "if seats < 2:",
    ),
    Mistake(
        "info.py::test_rulesets_list_only_what_differs_from_the_defaults",
        '"carry": {}',
        '"carry": {"ties": "carry"}',
    ),
    Mistake(
        "info.py::test_what_people_read_is_one_line",
        '"cards in each hand, and prizes',
        '"cards in each hand,\\nand prizes',
    ),
    Mistake(
        "pictures.py::test_every_event_is_told_in_one_sentence",
        "is turned up, {event",
        "is turned up,\\n{event",
    ),
    Mistake(
        "pictures.py::test_a_drawn_view_fits_the_width",
        'f"  {_listed(hand)}"',
        'f"{_listed(hand):>70}"',
    ),
    Mistake(
        "pages.py::test_the_sections_are_the_same_on_every_page",
        'title="Goofspiel"',
        'title="Goof"',
    ),
    Mistake(
        "pages.py::test_every_kind_of_decision_and_type_of_move_is_explained",
        'Decision(seat, "bid", ',
        'Decision(seat, "offer", ',
    ),
    Mistake(
        "pages.py::test_every_field_of_the_view_and_of_the_start_is_explained",
        '            "scores": state.scores[:],\n',
        '            "scores": state.scores[:],\n            "gone": state.turned,\n',
    ),
)


def test_the_page_names_the_tests_that_find_these_mistakes() -> None:
    table = PAGE.partition("| Mistake |")[2].partition("\n\n")[0]
    assert re.findall(r"`(test_\w+)` \|\n", table + "\n") == [
        mistake.found_by.partition("::")[2] for mistake in MISTAKES
    ]


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.found_by)
def test_the_mistakes_of_the_page_are_found(mistake: Mistake, installed: Path, tmp_path: Path) -> None:
    shutil.copytree(installed, tmp_path / "wrong")
    module = tmp_path / "wrong" / "goofspiel" / "game.py"
    text = module.read_text(encoding="utf-8")
    assert mistake.text in text
    module.write_text(text.replace(mistake.text, mistake.instead), encoding="utf-8")
    done = conformance(tmp_path / "wrong", test=mistake.found_by.partition("::")[2])
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"\d+ failed", done.stdout.splitlines()[-1]), done.stdout
