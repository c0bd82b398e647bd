"""Chocolatier, the bot in C: its rules are Arena's, its guesses are as likely as their deals, and it plays well."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import pytest

from tests.support.bots.c_programs import compiled, lines_of, told
from tests.support.bots.scripted_arena import ScriptedArena, ask
from tests.support.bots.simulation import KitSeat, ProcessSeat, Seat, folder_of, load_bot, play

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="chocolatier is C: needs cc")
NAME = "bread-and-chocolate"
FOLDER = folder_of(NAME, "chocolatier")
RULESETS: list[tuple[str, dict[str, object], range]] = [
    ("pagat", {}, range(2, 3)),
    ("gamerules", {}, range(2, 3)),
    ("shram", {}, range(2, 6)),
    ("shram", {"values": "note"}, range(2, 6)),
]


def test_a_few_games_of_every_ruleset_are_arenas(tmp_path: Path) -> None:
    check = compiled(FOLDER, tmp_path, FOLDER / "check_rules.c")
    lines = [
        line
        for rules, options, tables in RULESETS
        for line in lines_of(NAME, rules, {**options, "hands": 2}, tables, [0])
    ]
    decisions = sum(line["type"] == "turn" for line in lines)
    assert decisions > 500
    assert told(check, lines) == (0, f"{decisions} decisions are the same\n")
    wrong = next(number for number, line in enumerate(lines) if any(line.get("scores", ())))
    lines[wrong] = {**lines[wrong], "scores": [score + 1 for score in lines[wrong]["scores"]]}
    assert told(check, lines) == (1, f"line {wrong + 1}: scores after the move differs\n")


@pytest.mark.slow
@pytest.mark.parametrize(("rules", "options", "tables"), RULESETS, ids=lambda given: str(given))
def test_a_hundred_thousand_decisions_of_every_ruleset_are_arenas(
    rules: str, options: dict[str, object], tables: range, tmp_path: Path
) -> None:
    check = compiled(FOLDER, tmp_path, FOLDER / "check_rules.c", "-O2")
    code, words = told(
        check, lines_of(NAME, rules, options, tables, range(1, 201 if len(tables) == 1 else 51))
    )
    assert code == 0, words
    assert int(words.split()[0]) >= 100_000


RANKS = """
#include <stdio.h>
#include <stdlib.h>
#include "memory.h"

enum { GUESSES = 19 };
static Memory memory;
static uint64_t chance = 5;
static long times[GUESSES + 2], right[GUESSES + 2], impossible;

static void note(void *reader, const BcGame *game, const BcEvent *event) {
    int held[BC_MOST_SEATS], stock = game->stock.count;
    (void)reader;
    for (int seat = 0; seat < game->seats; seat++) held[seat] = BC_HAND_SIZE;
    if (event->kind == BC_DEALT) look_only(&memory, game->hand[0], event->cards[0], held, stock, 1, 1, &chance);
    else hear(&memory, event, event->seat == 0 || event->kind != BC_DREW, &chance);
}

/* Count how often each card is in the hand of seat 1, or lies on top of the stock, in guesses and in truth. */
static void look(const BcGame *game) {
    int hand[BC_CARDS] = {0}, top[BC_CARDS] = {0};
    BcGame world = *game;
    for (int number = 0; number < GUESSES; number++) {
        guess(&memory, &world, 8, &chance);
        impossible += world.hand[0] != game->hand[0] || memory.faults > 0;
        for (int card = 0; card < BC_CARDS; card++) hand[card] += world.hand[1] >> card & 1;
        top[bc_top(&world.stock)]++;
    }
    for (int card = 0; card < BC_CARDS; card++) {
        int here = game->hand[1] >> card & 1, there = bc_top(&game->stock) == card;
        times[hand[card] + here]++, right[hand[card] + here] += here;
        times[top[card] + there]++, right[top[card] + there] += there;
    }
}

int main(int count, char **words) {
    static BcRules rules;
    int seats = count > 3 ? atoi(words[2]) : 2;
    bc_rules(&rules, (BcSource)atoi(words[1]), false, 10, 60 * seats);
    memory.rules = &rules, memory.seats = seats;
    for (int hand = 0; hand < atoi(words[3]); hand++) {
        BcGame game;
        BcMove legal[BC_MOST_MOVES];
        uint8_t cards[BC_CARDS];
        for (int card = 0; card < BC_CARDS; card++) cards[card] = (uint8_t)card;
        shuffle(cards, BC_CARDS, &chance);
        bc_start(&game, &rules, seats, 1);
        game.log = note;
        bc_deal(&game, cards);
        while (game.to_move != BC_NOBODY) {
            int many = bc_legal(&game, legal), held = 0;
            if (game.stock.count > 0 && !memory.lost && random_below(&chance, 12) == 0) look(&game);
            if (many == 0) { /* any discard */
                uint64_t own = game.hand[game.to_move];
                for (; own != 0; own &= own - 1) cards[held++] = (uint8_t)bc_lowest(own);
                shuffle(cards, held, &chance);
                legal[many++] = (BcMove){.kind = BC_DISCARD, .count = game.owed};
                memcpy(legal[0].cards, cards, (size_t)game.owed);
            }
            bc_move(&game, legal[random_below(&chance, many)]);
        }
        impossible += memory.lost;
    }
    printf("%ld", impossible);
    for (int number = 0; number < GUESSES + 2; number++) printf(" %ld %ld", times[number], right[number]);
    return 0;
}
"""


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the program that counts ranks."""
    place = tmp_path_factory.mktemp("ranks")
    (place / "ranks.c").write_text(RANKS)
    return compiled(FOLDER, place, place / "ranks.c", "-O2")


@pytest.mark.parametrize(("rules", "seats"), [(0, 2), (1, 2), (2, 2), (2, 4)])
def test_the_truth_is_as_likely_as_each_guess(rules: int, seats: int, ranks: Path) -> None:
    """Where a card lies so in s of 19 guesses and the truth together, the truth is one of those in s of 20 cases.

    That holds at any decision, since the players move at random, and so tell nothing by their choices.
    """
    done = subprocess.run([ranks, str(rules), str(seats), "60"], capture_output=True, text=True, check=True)
    impossible, *counts = map(int, done.stdout.split())
    assert impossible == 0
    assert sum(counts[::2]) > 10_000
    for number, (times, right) in enumerate(zip(counts[::2], counts[1::2], strict=True)):
        part = number / 20
        assert abs(right - times * part) <= 5 * sqrt(times * part * (1 - part)), number


Start = Callable[..., ScriptedArena]


def tuned(program: Path, *words: str) -> tuple[str, float]:
    """Return the weights that the tuner prints, and by how many points a hand they beat greedy play."""
    done = subprocess.run([program, *words], capture_output=True, text=True, check=True)
    return done.stdout, float(done.stderr.splitlines()[-1].split()[0])


def test_the_weights_beat_greedy_play_and_are_found_the_same_way_again(tmp_path: Path) -> None:
    tune = compiled(FOLDER, tmp_path, FOLDER / "tune.c", "-O2")
    rows, points = tuned(tune, "pagat", "2", "0")
    assert rows in (FOLDER / "weights.h").read_text()
    assert points > 2
    assert tuned(tune, "pagat", "2", "1", "200", "7") == tuned(tune, "pagat", "2", "1", "200", "7")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the bot once, without a warning."""
    return compiled(FOLDER, tmp_path_factory.mktemp("chocolatier"), FOLDER / "chocolatier.c", "-O2")


@pytest.fixture
def start(program: Path) -> Iterator[Start]:
    """Give a function that starts the bot with arguments."""
    with ExitStack() as stack:
        yield lambda *words: stack.enter_context(ScriptedArena([str(program), *words], program.parent))


@pytest.mark.parametrize(("rules", "seats"), [("pagat", 2), ("gamerules", 2), ("shram", 3)])
def test_it_beats_greedy_with_a_few_walks(rules: str, seats: int, start: Start) -> None:
    """It also hears all right: what it heard fits each view."""
    greedy = load_bot(NAME, "greedy")[0]
    arena = start("--walks", "100")
    chocolatier = ProcessSeat(arena)
    leads = []
    for deal in range(4):
        for own in range(2):
            seating: list[Seat] = [KitSeat(greedy) for _ in range(seats)]
            seating[own] = chocolatier
            scores = play(NAME, seating, deal, rules, {"hands": 3})[0].scores
            leads.append(scores[own] - scores[1 - own])
    assert sum(leads) > 0
    assert arena.finish()[2] == ""


@pytest.mark.slow
def test_it_beats_the_rememberer(start: Start) -> None:
    """Twelve matches of four hands, with 99 % confidence; over 24 it was ahead by 18 points with an error of 4."""
    rememberer, chocolatier = KitSeat(load_bot(NAME, "rememberer")[0]), ProcessSeat(start("--walks", "1500"))
    leads = []
    for deal in range(12):
        ahead = 0
        for own in range(2):
            seating: list[Seat] = [rememberer, rememberer]
            seating[own] = chocolatier
            scores = play(NAME, seating, deal, "pagat", {"hands": 4})[0].scores
            ahead += scores[own] - scores[1 - own]
        leads.append(ahead / 2)
    assert fmean(leads) > 2.5 * stdev(leads) / sqrt(len(leads)), leads


def test_it_answers_what_it_has_to_and_ignores_the_rest(start: Start) -> None:
    """It is asked before it heard of a deal; the ten of clubs would leave it one card, and the eight leaves none."""
    arena = start("--walks", "8")
    assert arena.exchange({"type": "hello", "protocols": [1, 2]}) == {"type": "hello", "protocol": 1}
    arena.say({"type": "later", "events": [{"kind": "dealt"}, {"kind": 3}]})
    options = {"rules": "pagat", "hands": 2, "turn_limit": 500, "going_out": 10, "values": "ranks"}
    game = {"type": "start", "game": NAME, "seat": 1, "seats": 2, "bot_seed": 5, "options": options}
    assert arena.exchange(game) == {"type": "ready"}
    view: dict[str, Any] = {
        "hand_no": 1, "hands": 2, "dealer": 0, "turn": 1, "turns": 7, "opening": 0, "discard": 0, "up": "9h",
        "up_count": 20, "down_count": 4, "stock": 17, "spread": False, "held": [2, 9], "scores": [3, -2],
        "seat": 1, "hand": ["8c", "Tc", "2c", "2d", "3s", "4s", "Js", "Jd", "Kc"], "more": None,
    }  # fmt: skip
    clock = {"move_ms": 1000, "bank_ms": 0}
    legal = [{"type": "play", "card": card} for card in ("8c", "Tc")]
    answer = arena.exchange(ask(7, kind="play", view=view, events=[], time=clock, legal=legal))
    assert (answer["id"], answer["note"]) == (7, "8 walks")
    assert answer["move"] == {"type": "play", "card": "8c"}
    view |= {"hand": ["4s", "Js", "Jd", "Kc"], "held": [2, 4], "discard": 2, "down_count": 9}
    answer = arena.exchange(ask(8, kind="discard", view=view, events=[], time=clock))
    assert answer["move"]["type"] == "discard"
    assert set(answer["move"]["cards"]) < set(view["hand"])
    assert len(answer["move"]["cards"]) == 2
    arena.say({"type": "quit"})
    code, _, words = arena.finish()
    assert code == 0
    assert words == 2 * "chocolatier: what it heard doesn't fit, so it knows only what the view shows\n"


@pytest.mark.parametrize("line", ['{"type":', "[1,]", '{"a":"\\ud800"}', "[" * 100])
def test_a_line_that_is_no_json_ends_it(line: str, start: Start) -> None:
    arena = start()
    out, log = arena.process.communicate(line.encode() + b"\n", timeout=10)
    assert (arena.process.returncode, out, log) == (1, b"", b"chocolatier: a message is no JSON\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--depth", "3"), "no such argument: --depth; there are --ms N and --walks N"),
        (("--ms",), "--ms needs a number above 0"),
        (("--ms", "4", "--walks", "many"), "--walks needs a number above 0"),
    ],
)
def test_a_wrong_argument_is_named(words: tuple[str, ...], said: str, start: Start) -> None:
    assert start(*words).finish() == (2, "", f"chocolatier: {said}\n")


def test_the_reader_of_json_is_that_of_baker() -> None:
    """Each bot is submitted with its own copy."""
    assert (FOLDER / "json.h").read_bytes() == (folder_of("bread-basket", "baker") / "json.h").read_bytes()
