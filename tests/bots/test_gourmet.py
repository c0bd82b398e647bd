"""Gourmet, the bot in C: its rules are Arena's, it imagines palates fairly, and it survives whatever it is told."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import combinations
from pathlib import Path
from statistics import fmean, pstdev

import pytest

from arena.core.chance import Stream
from arena.games.sandwich.ingredients import FAMILY_COUNT, FAMILY_SIZE, MILLION, PAIRS_OF_CARDS
from arena.games.sandwich.palate_guessing import PalateGuesser
from tests.support.bots.c_programs import compiled, lines_of, told
from tests.support.bots.scripted_arena import ScriptedArena
from tests.support.bots.simulation import KitSeat, ProcessSeat, Seat, folder_of, load_bot, play

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="gourmet is C: needs cc")
NAME = "sandwich"
FOLDER = folder_of(NAME, "gourmet")
RULESETS: list[tuple[str, dict[str, object], range]] = [
    ("fr", {}, range(3, 7)),
    ("en", {}, range(3, 7)),
    ("es", {}, range(3, 7)),
    ("de", {}, range(3, 7)),
    ("fr", {"trading": True, "tasting": "free", "points": (5, 1, 0)}, range(3, 7)),
    ("en", {"boxes": 2, "alternate": True, "open": True}, range(5, 13)),
    ("de", {"boxes": 2, "tasting": "free", "trade_rounds": 5}, range(5, 13)),
]


def test_a_few_games_of_every_ruleset_are_arenas(tmp_path: Path) -> None:
    check = compiled(FOLDER, tmp_path, FOLDER / "check_rules.c")
    lines = [
        line
        for rules, options, seats in RULESETS
        for line in lines_of(NAME, rules, {**options, "rounds": 2}, (seats[0], seats[-1]), [0])
    ]
    decisions = sum(len(line["asks"]) for line in lines if line["type"] == "turn")
    assert decisions > 1500
    assert told(check, lines) == (0, f"{decisions} decisions are the same\n")
    wrong = next(number for number, line in enumerate(lines) if any(line.get("scores", ())))
    lines[wrong] = {**lines[wrong], "scores": [score + 1 for score in lines[wrong]["scores"]]}
    assert told(check, lines) == (1, f"line {wrong + 1}: scores after the moves differs\n")


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "options", "seats"), RULESETS, ids=lambda given: str(given))
def test_a_hundred_thousand_decisions_of_every_ruleset_are_arenas(
    rules: str, options: dict[str, object], seats: range, tmp_path: Path
) -> None:
    check = compiled(FOLDER, tmp_path, FOLDER / "check_rules.c", "-O2")
    code, words = told(check, lines_of(NAME, rules, options, seats, range(1, 1 + 720 // len(seats))))
    assert code == 0, words
    assert int(words.split()[0]) >= 100_000


PALATES = """
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include "palates.h"

int main(void) { /* what cards alone are worth, in samples that agree with two rankings */
    static Knowledge known;
    static float tastes[SAMPLES][SW_KINDS];
    uint64_t random = 1;
    SwSandwich rankings[2][3] = {{{0, 7, 15}, {28, 42, 49}, {21, 38, 33}}, {{0, 13, 53}, {20, 28, 29}, {2, 36, 24}}};
    for (int number = 0; number < 2; number++) learn(&known, rankings[number], 3);
    for (int part = 0; part < 20; part++) {
        imagine(&known, tastes, &random);
        for (int sample = 0; sample < SAMPLES; sample++, puts(""))
            for (int card = 0; card < SW_KINDS; card++) printf("%.6f ", tastes[sample][card]);
    }
    return 0;
}
"""


def test_it_imagines_the_palates_that_arena_guesses(tmp_path: Path) -> None:
    """Mean and standard deviation of what each family is worth, by 3,840 samples of each, and the rankings."""
    (tmp_path / "palates.c").write_text(PALATES)
    code, words = told(compiled(FOLDER, tmp_path, tmp_path / "palates.c", "-O2"), [])
    assert code == 0
    samples = [[float(word) for word in line.split()] for line in words.splitlines()]
    rankings = [[(0, 7, 15), (28, 42, 49), (21, 38, 33)], [(0, 13, 53), (20, 28, 29), (2, 36, 24)]]
    guesser, rng = PalateGuesser(), Stream(b"palates", "gourmet")
    for ranking in rankings:
        guesser.hear(ranking)
    guesses = [[taste / MILLION for taste in guesser.palate(rng).tastes] for _ in samples]
    for family in range(FAMILY_COUNT):
        cards = slice(family * FAMILY_SIZE, (family + 1) * FAMILY_SIZE)
        own, its = ([fmean(tastes[cards]) for tastes in found] for found in (samples, guesses))
        assert abs(fmean(own) - fmean(its)) < 5 * (2 / len(samples)) ** 0.5
        assert 0.92 < pstdev(own) / pstdev(its) < 1.08
    for tastes in samples:
        for ranking in rankings:
            worths = [worth(three, tastes) for three in ranking]
            assert worths[0] > worths[1] - 1e-3 > worths[2] - 2e-3


def worth(three: tuple[int, ...], tastes: list[float]) -> float:
    pairs = sum(PAIRS_OF_CARDS[one][other] for one, other in combinations(three, 2)) / MILLION
    return sum(tastes[card] for card in three) + pairs


SERVINGS = """
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include "kitchen.h"

int main(void) { /* the best of all ways to serve, and how often the likeliest of all is drawn */
    static Values values;
    static Likely likely;
    uint64_t random = 3;
    open_kitchen();
    for (int cards = 9; cards <= 12; cards += 3) {
        uint8_t chosen[SW_MOST_SERVED], drawn[SW_MOST_SERVED];
        for (int place = 0; place < cards / 3; place++)
            for (int number = 0; number < triples_of(cards); number++) {
                if (cards == 9 || place % 2 == 0) values[place][number] = (float)random_below(&random, 1000) / 1000;
                else values[place][number] = values[place - 1][number];
                printf("%.3f ", values[place][number]);
            }
        float best = best_serving(cards, values, chosen);
        int often = 0;
        likely_servings(cards, values, 3, &likely);
        double chance = 1 / likely.sum;
        for (int place = 0; place < cards / 3; place++) chance *= likely.weights[place][chosen[place]];
        for (int number = 0; number < 20000; number++) {
            float sum = 0;
            draw_serving(cards, &likely, &random, drawn);
            for (int place = 0; place < cards / 3; place++) sum += values[place][drawn[place]];
            often += sum > best - 1e-5f;
        }
        printf("%.3f %d %.9f\\n", best, often, chance);
    }
    return 0;
}
"""


def test_it_looks_at_all_ways_to_serve(tmp_path: Path) -> None:
    (tmp_path / "servings.c").write_text(SERVINGS)
    code, words = told(compiled(FOLDER, tmp_path, tmp_path / "servings.c", "-O2"), [])
    assert code == 0
    for line, cards in zip(words.splitlines(), (9, 12), strict=True):
        *values, best, often, chance = map(float, line.split())
        triples = list(combinations(range(cards), 3))
        of_place = [
            dict(zip(map(frozenset, triples), values[start : start + len(triples)], strict=True))
            for start in range(0, len(values), len(triples))
        ]
        assert best == pytest.approx(highest(frozenset(range(cards)), of_place), abs=1e-4)
        times = 1 if cards == 9 else 4  # the two sandwiches of each neighbour may be exchanged
        likely = 20_000 * chance * times
        assert abs(often - likely) < 5 * likely**0.5 + 3


def highest(cards: frozenset[int], of_place: list[dict[frozenset[int], float]]) -> float:
    """Return the highest sum of values of all ways to share cards out, one receiver after the other."""
    best: dict[frozenset[int], float] = {cards: 0.0}
    for values in of_place:
        after: dict[frozenset[int], float] = {}
        for left, total in best.items():
            for three in combinations(left, 3):
                rest = left - set(three)
                after[rest] = max(after.get(rest, 0.0), total + values[frozenset(three)])
        best = after
    return best[frozenset()]


@pytest.mark.slow
def test_its_ideas_are_worth_points(tmp_path: Path) -> None:
    """Learning tastes; playing the market on and reaching for what can be had."""
    duel = compiled(FOLDER, tmp_path, FOLDER / "duel.c", "-O2")
    for words in (("fr", "4", "30", "1", "l", "-"), ("fr", "4", "20", "20", "lopr", "loc")):
        done = subprocess.run([duel, *words], capture_output=True, text=True, check=True)
        lead, _, error = done.stdout.split()[:3]
        assert float(lead) > 2 * float(error)


Start = Callable[..., ScriptedArena]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the bot once, without a warning."""
    return compiled(FOLDER, tmp_path_factory.mktemp("gourmet"), FOLDER / "gourmet.c", "-O2")


@pytest.fixture
def start(program: Path) -> Iterator[Start]:
    """Give a function that starts the bot with arguments."""
    with ExitStack() as stack:
        yield lambda *words: stack.enter_context(ScriptedArena([str(program), *words], program.parent))


def test_it_beats_greedy_from_a_few_worlds(start: Start) -> None:
    greedy = load_bot(NAME, "greedy")[0]
    leads = []
    gourmets = [ProcessSeat(start("--worlds", "8")) for _ in range(2)]
    for deal in range(3):
        for side in (0, 1):
            seats: list[Seat] = [KitSeat(greedy) for _ in range(4)]
            seats[side], seats[side + 2] = gourmets
            scores = play(NAME, seats, deal)[0].scores
            leads.append(sum(scores[side::2]) - sum(scores[1 - side :: 2]))
    assert sum(leads) > 30


@pytest.mark.parametrize(
    ("rules", "seats", "options"),
    [
        ("en", 3, {}),
        ("en", 5, {"tasting": "free", "open": True, "alternate": True}),
        ("de", 12, {"boxes": 2}),
    ],
)
def test_it_trades_tastes_and_sits_at_large_tables(
    rules: str, seats: int, options: dict[str, object], start: Start
) -> None:
    gourmets = [ProcessSeat(start("--worlds", "2")) for _ in range(2)]
    others = [KitSeat(load_bot(NAME, "learner" if seats == 3 else "greedy")[0]) for _ in range(seats - 2)]
    _, moves = play(NAME, [*gourmets, *others], 1, rules, {"rounds": 2, **options})
    own = [move["type"] for seat, move in moves if seat < 2]
    assert own.count("grab") == 2 * 2 * (12 if seats == 3 else 9)
    assert own.count("serve") == 4
    assert own.count("offer") > 0


def test_what_it_is_not_asked_it_ignores(start: Start) -> None:
    arena = start("--worlds", "4")
    assert arena.exchange({"type": "hello", "protocols": [1, 2]}) == {"type": "hello", "protocol": 1}
    arena.say({"type": "later", "text": '\u00e4 \U0001f35e "\\', "deep": [[[{}]]]})
    arena.say({"type": "quit"})
    assert arena.finish() == (0, "", "")


@pytest.mark.parametrize("line", ['{"type":', "[1,]", "nul", "[" * 100, '{"type":"hello"} x'])
def test_a_line_that_is_no_json_ends_it(line: str, start: Start) -> None:
    arena = start()
    out, log = arena.process.communicate(line.encode() + b"\n", timeout=10)
    assert (arena.process.returncode, out, log) == (1, b"", b"gourmet: a message is no JSON\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--depth", "3"), "no such argument: --depth; there are --ms N and --worlds N"),
        (("--ms",), "--ms needs a number above 0"),
        (("--ms", "4", "--worlds", "many"), "--worlds needs a number above 0"),
    ],
)
def test_a_wrong_argument_is_named(words: tuple[str, ...], said: str, start: Start) -> None:
    assert start(*words).finish() == (2, "", f"gourmet: {said}\n")
