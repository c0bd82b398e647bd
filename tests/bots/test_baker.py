"""Baker, the bot in C: its rules are Arena's, it deals hidden cards fairly, and it survives whatever it is told."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from math import comb
from pathlib import Path

import pytest

from tests.support.bots.c_programs import compiled, lines_of, told
from tests.support.bots.scripted_arena import ScriptedArena, ask
from tests.support.bots.simulation import KitSeat, ProcessSeat, Seat, folder_of, load_bot, play

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="baker is C: needs cc")
NAME = "bread-basket"
FOLDER = folder_of(NAME, "baker")
RULESETS: list[tuple[str, dict[str, object]]] = [
    ("tens", {}),
    ("none", {}),
    ("extra", {}),
    ("tens", {"chef_second": True}),
    ("extra", {"chef_second": True}),
]


def test_a_few_games_of_every_ruleset_are_arenas(tmp_path: Path) -> None:
    check = compiled(FOLDER, tmp_path, FOLDER / "check_rules.c")
    lines = [
        line
        for rules, options in RULESETS
        for line in lines_of(NAME, rules, {**options, "hands": 1}, range(2, 7), [0])
    ]
    decisions = sum(line["type"] == "turn" for line in lines)
    assert decisions > 500
    assert told(check, lines) == (0, f"{decisions} decisions are the same\n")
    assert any(move["move"]["type"] == "chef" for line in lines for move in line.get("moves", ()))
    wrong = next(number for number, line in enumerate(lines) if any(line.get("scores", ())))
    lines[wrong] = {**lines[wrong], "scores": [score + 1 for score in lines[wrong]["scores"]]}
    assert told(check, lines) == (1, f"line {wrong + 1}: scores after the move differs\n")


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "options"), RULESETS, ids=lambda given: str(given))
def test_a_hundred_thousand_decisions_of_every_ruleset_are_arenas(
    rules: str, options: dict[str, object], tmp_path: Path
) -> None:
    check = compiled(FOLDER, tmp_path, FOLDER / "check_rules.c", "-O2")
    code, words = told(check, lines_of(NAME, rules, options, range(2, 7), range(1, 101)))
    assert code == 0, words
    assert int(words.split()[0]) >= 100_000


WORLDS = """
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include "search.h"

int main(void) { /* how many Onions two hidden hands of 2 and 3 cards and a stock of 4 hold, in 20,000 worlds */
    Seen seen = {.seat = 0, .unseen_count = 7};
    bb_start(&seen.game, 3, 1, false);
    seen.game.held[1] = 2, seen.game.held[2] = 3;
    seen.game.hand[2][9] = 2; /* two Nines are known to be there */
    seen.game.stock_end = 4;
    memcpy(seen.unseen, (uint8_t[]){0, 0, 0, 5, 6, 7, 8}, 7);
    int hands[2][4] = {{0}}, top = 0, nines = 0;
    uint64_t random = 1;
    for (int number = 0; number < 20000; number++) {
        BbGame world;
        deal_world(&seen, &world, &random);
        hands[0][world.hand[1][0]]++, hands[1][world.hand[2][0]]++;
        top += world.stock[0] == 0;
        nines += world.hand[2][9];
    }
    for (int hand = 0; hand < 2; hand++) for (int count = 0; count < 4; count++) printf("%d ", hands[hand][count]);
    printf("%d %d", top, nines);
    return 0;
}
"""


def test_hidden_cards_are_dealt_as_often_as_they_lie_so(tmp_path: Path) -> None:
    (tmp_path / "worlds.c").write_text(WORLDS)
    code, words = told(compiled(FOLDER, tmp_path, tmp_path / "worlds.c"), [])
    assert code == 0
    *counts, top, nines = map(int, words.split())
    for hand, hidden in ((counts[:4], 2), (counts[4:], 1)):
        for onions, found in enumerate(hand):
            likely = comb(3, onions) * comb(4, hidden - onions) / comb(7, hidden) if onions <= hidden else 0
            assert abs(found - 20_000 * likely) <= 4.5 * (20_000 * likely * (1 - likely)) ** 0.5
    assert abs(top - 20_000 * 3 / 7) < 4.5 * (20_000 * 12 / 49) ** 0.5
    assert nines == 40_000


Start = Callable[..., ScriptedArena]


def tuned(program: Path, *words: str) -> tuple[str, float]:
    """Return the weights that the tuner prints, and by how many points a hand they beat greedy play."""
    done = subprocess.run([program, *words], capture_output=True, text=True, check=True)
    return done.stdout, float(done.stderr.split()[0])


def test_the_weights_beat_greedy_play(tmp_path: Path) -> None:
    tune = compiled(FOLDER, tmp_path, FOLDER / "tune.c", "-O1")
    written = (FOLDER / "weights.h").read_text()
    for seats, least in (("2", 13), ("4", 6)):
        rows, points = tuned(tune, seats, "0")
        assert points > least
        assert rows.count("\n") == 4
        assert rows in written


@pytest.mark.slow
def test_weights_are_found_the_same_way_again(tmp_path: Path) -> None:
    tune = compiled(FOLDER, tmp_path, FOLDER / "tune.c", "-O2")
    now, first, again, other = (
        tuned(tune, "2", *words)[0] for words in (("0",), ("2", "7"), ("2", "7"), ("2", "8"))
    )
    assert first == again
    assert len({now, first, other}) == 3


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the bot once, without a warning."""
    return compiled(FOLDER, tmp_path_factory.mktemp("baker"), FOLDER / "baker.c", "-O2")


@pytest.fixture
def start(program: Path) -> Iterator[Start]:
    """Give a function that starts the bot with arguments."""
    with ExitStack() as stack:
        yield lambda *words: stack.enter_context(ScriptedArena([str(program), *words], program.parent))


def test_it_beats_greedy_from_a_few_worlds(start: Start) -> None:
    greedy = load_bot(NAME, "greedy")[0]
    baker = ProcessSeat(start("--worlds", "16"))
    leads = []
    for deal in range(3):
        for own in (0, 1):
            seats: list[Seat] = [baker, KitSeat(greedy)]
            seats = seats[::-1] if own else seats
            scores = play(NAME, seats, deal)[0].scores
            leads.append(scores[own] - scores[1 - own])
    assert sum(leads) > 30


def test_it_answers_what_it_has_to_and_ignores_the_rest(start: Start) -> None:
    arena = start("--worlds", "4")
    assert arena.exchange({"type": "hello", "protocols": [1, 2]}) == {"type": "hello", "protocol": 1}
    arena.say({"type": "later", "text": '\u00e4 \U0001f35e "\\', "deep": [[[{}]]]})
    game = {"type": "start", "game": NAME, "seat": 1, "seats": 2, "bot_seed": 5}
    assert arena.exchange({**game, "options": {"chefs": "none", "hands": 2}}) == {"type": "ready"}
    view = {
        "hand_no": 1, "hands": 2, "dealer": 0, "turn": 1, "played": [], "line": ["9", "5", "4"], "stock": 27,
        "held": [7, 2], "aside": 0, "scores": [31, 17], "seat": 1, "hand": ["9", "O"], "more": None,
    }  # fmt: skip
    clock = {"move_ms": 1000, "bank_ms": 0}
    legal = [{"type": "play", "card": card} for card in ("O", "9")]
    answer = arena.exchange(ask(7, kind="first_card", view=view, events=[], time=clock, legal=legal))
    assert answer["id"] == 7
    assert answer["move"] == {"type": "play", "card": "9"}
    assert answer["note"] == "4 worlds"
    arena.say({"type": "quit"})
    code, _, words = arena.finish()
    assert (code, words) == (0, "baker: events are missing, so it knows only what the view shows\n")


@pytest.mark.parametrize(
    "line", ['{"type":', "[1,]", "nul", '{"a":"\\ud800"}', "inf", "[" * 100, '{"type":"hello"} x']
)
def test_a_line_that_is_no_json_ends_it(line: str, start: Start) -> None:
    arena = start()
    out, log = arena.process.communicate(line.encode() + b"\n", timeout=10)
    assert (arena.process.returncode, out, log) == (1, b"", b"baker: a message is no JSON\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--depth", "3"), "no such argument: --depth; there are --ms N and --worlds N"),
        (("--ms",), "--ms needs a number above 0"),
        (("--ms", "4", "--worlds", "many"), "--worlds needs a number above 0"),
        (("--ms", "-1"), "--ms needs a number above 0"),
    ],
)
def test_a_wrong_argument_is_named(words: tuple[str, ...], said: str, start: Start) -> None:
    assert start(*words).finish() == (2, "", f"baker: {said}\n")
