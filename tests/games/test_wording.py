"""Moves as people read and write them: every legal move can be made, and nothing that is typed does any harm."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from arena import registry
from arena.core.chance import Chance, Stream
from arena.core.errors import IllegalMove
from arena.core.game import AnyGame, Outcome
from arena.core.move_words import Asked, PlainWording, Unreadable, wording_of
from arena.core.ruleset import ruleset
from tests.support.games import Bids

COMMANDS = {"", "?", "help", "h", "history", "i", "info", "q", "quit", "resign"}
SEED = bytes(32)
TABLES = [
    ("bread-basket", "tens", 3, {}),
    ("bread-basket", "none", 2, {}),
    ("bread-basket", "extra", 2, {"hands": 4}),
    ("bread-and-chocolate", "pagat", 2, {"hands": 4}),
    ("bread-and-chocolate", "gamerules", 2, {"hands": 4}),
    ("bread-and-chocolate", "shram", 4, {}),
    ("sandwich", "fr", 3, {}),
    ("sandwich", "en", 6, {"boxes": 2, "alternate": True}),
    ("sandwich", "de", 4, {"tasting": "free", "open": True}),
]


def decisions(
    game: AnyGame, name: str, seats: int, options: dict[str, Any]
) -> Iterator[tuple[Asked, Any, int]]:
    """Yield the decisions of a random game: as a person gets them, with the state and the seat."""
    rules = game.resolve(ruleset(game.info, name, options), seats)
    state, _ = game.deal(seats, rules, Chance(seed=SEED))
    rng = Stream(SEED, "moves")
    names = [f"player {seat}" for seat in range(seats)]
    while not isinstance(turn := game.turn(state), Outcome):
        moves = {one.seat: game.sample_move(state, one.seat, rng) for one in turn}
        for one in turn:
            if not one.forced:
                legal = None if one.legal is None else [game.format_move(move) for move in one.legal]
                example = game.format_move(moves[one.seat])
                view = game.view(state, one.seat)
                yield Asked(one.kind, view, rules.options, legal, example, names), state, one.seat
        state, _ = game.apply(state, moves)


@pytest.mark.parametrize(("name", "chosen", "seats", "options"), TABLES)
def test_every_listed_move_has_a_key_of_its_own(
    name: str, chosen: str, seats: int, options: dict[str, Any]
) -> None:
    game = registry.game(name)
    wording = wording_of(game)
    for asked, _, _ in decisions(game, chosen, seats, options):
        choices = [choice for group in wording.choices(asked) for choice in group.choices]
        if asked.legal is None or not choices:
            assert wording.how(asked), "either a list, or how to write it"
            continue
        keys = [choice.key.lower() for choice in choices]
        assert len(set(keys)) == len(keys)
        assert not COMMANDS.intersection(keys)
        assert sorted(map(str, asked.legal)) == sorted(str(choice.move) for choice in choices)


@pytest.mark.parametrize(("name", "chosen", "seats", "options"), TABLES)
def test_the_example_is_a_legal_move(name: str, chosen: str, seats: int, options: dict[str, Any]) -> None:
    game = registry.game(name)
    wording = wording_of(game)
    read = 0
    for asked, state, seat in decisions(game, chosen, seats, options):
        told = " ".join(wording.how(asked))
        if not (found := re.search(r"such as  ([\w /-]+?)(  ;|  \d:|$)", told)):
            continue
        game.parse_move(state, seat, wording.read(found[1].split("   ")[0].strip(), asked))
        read += 1
    assert read or name == "bread-basket" or chosen == "shram", "these list all moves"


def asked_to(kind: str, **options: Any) -> tuple[Asked, Any, int]:
    """Return the first decision of a kind in Sandwich, with the state and the seat."""
    game = registry.game("sandwich")
    found = (one for one in decisions(game, "en", 4, options) if one[0].kind == kind)
    return next(found)


@pytest.mark.parametrize(
    ("kind", "typed", "move"),
    [
        ("grab", "2 0", [2, 0, 1, 3]),
        ("grab", "3", [3, 0, 1, 2]),
        ("grab", "{2}", [2, 0, 1, 3]),
        ("grab", "{2},{0}", [2, 0, 1, 3]),
    ],
)
def test_a_market_is_ranked_by_numbers_or_names(kind: str, typed: str, move: list[int]) -> None:
    asked, _, seat = asked_to(kind)
    rest = [at for at in move if at != seat or str(at) in typed]
    wanted = [*rest, *[at for at in move if at not in rest]]
    written = typed.format(*asked.view["market"])
    assert registry.game("sandwich").wording.read(written, asked) == {"type": "grab", "order": wanted}  # type: ignore[attr-defined]


def read(kind: str, typed: str, **options: Any) -> Any:
    asked, state, seat = asked_to(kind, **options)
    hand = sorted(asked.view["hands"][seat], key=asked.view["hands"][seat].index)
    other = asked.view["hands"][(seat + 1) % 4]
    move = wording_of(registry.game("sandwich")).read(typed.format(mine=hand[0], theirs=other[0]), asked)
    registry.game("sandwich").parse_move(state, seat, move)
    return move


def test_offers_and_sandwiches_are_written_in_a_line() -> None:
    offer = read("offer", "{mine} for {theirs}")
    assert (offer["type"], offer["to"]) == ("offer", 1)
    assert read("offer", "{mine} for {theirs} from player 1") == offer
    assert read("offer", "no") == {"type": "no_offer"}
    whole = read("serve", "1 2 3 / 4 5 6 / 7 8 9")
    assert read("serve", "1 2 3 / 4 5 6") == whole
    assert read("serve", "1,2,3/4+5+6/7 8 9") == whole
    worded = read("serve", "1 2 3: Fresh! / 4 5 6", open=True)
    assert worded == {**whole, "words": ["Fresh!", "", ""]}


@pytest.mark.parametrize("kind", ["grab", "offer", "answer", "serve"])
@pytest.mark.parametrize(
    "typed",
    [
        "-1",
        "0 0",
        "99999999999999999999",
        "²",
        "٣",
        "/ / /",
        "for",
        " for ",
        "x" * 5000,
        "1 2 3 / 1 2 3 / 1 2 3",
        "1 2 3 / 4 5 6 / 7 8",
        "\x1b[2J",
        "ham for ham from nobody",
        "1 " * 3000,
        ":::",
        "{}",
    ],
)
def test_nonsense_is_answered_in_one_short_printable_line(kind: str, typed: str) -> None:
    asked, state, seat = asked_to(kind)
    said = ""
    try:
        move = wording_of(registry.game("sandwich")).read(typed, asked)
        registry.game("sandwich").parse_move(state, seat, move)
    except (Unreadable, IllegalMove) as error:
        said = str(error)
    assert said == "" or said.isprintable()
    assert len(said) < 300


@pytest.mark.parametrize(
    "typed", ["7x", "1h", "10h 10h", "Th", "", "7h" * 2000, "\x07", "2c,3c,4c,5c,6c,7c,8c,9c,Tc,Jc,Qc"]
)
def test_discards_that_are_no_cards_are_refused(typed: str) -> None:
    game = registry.game("bread-and-chocolate")
    for asked, state, seat in decisions(game, "pagat", 2, {"hands": 4}):
        if asked.kind == "discard":
            with pytest.raises((Unreadable, IllegalMove)) as refused:
                game.parse_move(state, seat, wording_of(game).read(typed, asked))
            assert str(refused.value).isprintable()
            return
    raise AssertionError("nobody had to discard")


def test_cards_are_written_in_any_case() -> None:
    game = registry.game("bread-and-chocolate")
    asked, _, _ = next(one for one in decisions(game, "pagat", 2, {"hands": 4}) if one[0].kind == "discard")
    cards = asked.view["hand"][: asked.view["discard"]]
    typed = ", ".join(
        card.swapcase().replace("t", "10", 1) if card[0] == "T" else card.swapcase() for card in cards
    )
    assert wording_of(game).read(typed, asked) == {"type": "discard", "cards": cards}


def test_a_game_without_words_has_numbers_and_json() -> None:
    wording = PlainWording()
    kinds = set()
    for asked, state, seat in decisions(Bids(), "plain", 3, {}):
        if asked.legal is not None:
            (group,) = wording.choices(asked)
            assert [choice.key for choice in group.choices] == [str(at + 1) for at in range(len(asked.legal))]
            assert [choice.move for choice in group.choices] == asked.legal
        else:
            written = wording.how(asked)[1]
            assert (
                Bids().format_move(Bids().parse_move(state, seat, wording.read(written, asked)))
                == asked.example
            )
            with pytest.raises(Unreadable):
                wording.read("nonsense", asked)
            with pytest.raises(Unreadable):
                wording.read("[" * 100_000, asked)
        kinds.add(asked.kind)
    assert len(kinds) == 2
