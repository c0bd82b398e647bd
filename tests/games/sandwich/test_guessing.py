"""Guesses: hidden cards where they may be, palates that rank as they have been seen to."""

from collections import Counter
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.chance import Chance, Stream
from arena.core.game import Event, Outcome, Seen
from arena.games.sandwich import GAME
from arena.games.sandwich.ingredients import CARDS
from arena.games.sandwich.palate_guessing import guess_palate
from arena.games.sandwich.state import Palate, Sandwich, State
from tests.games.sandwich.tables import rules_of, sandwich

Moment = tuple[State, list[Event]]


def moments(seats: int, name: str = "en", seed: int = 0, **options: Any) -> list[Moment]:
    """Return each state of a random game with all events up to it."""
    rng = Stream(b"%d" % seed, "moves")
    state, dealt = GAME.deal(seats, rules_of(seats, name, **options), Chance(b"%d" % seed))
    events = list(dealt)
    found = [(state, events[:])]
    while not isinstance(turn := GAME.turn(state), Outcome):
        state, happened = GAME.apply(
            state, {one.seat: GAME.sample_move(state, one.seat, rng) for one in turn}
        )
        events += happened
        found.append((state, events[:]))
    return found


def seen_by(moment: Moment, seat: int, name: str = "en", **options: object) -> Seen:
    state, events = moment
    return Seen(
        ruleset=rules_of(state.rules.seats, name, **options),
        seats=state.rules.seats,
        seat=seat,
        private=GAME.private(state, seat),
        view=GAME.view(state, seat),
        events=[event.seen_by(seat) for event in events],
    )


# Cards


@pytest.mark.parametrize(("seats", "boxes"), [(3, 1), (6, 1), (12, 2)])
def test_piles_are_guessed_from_the_unseen_cards(seats: int, boxes: int) -> None:
    for moment in moments(seats, "fr", boxes=boxes, rounds=2)[::5]:
        state, _ = moment
        if state.phase != "grab":
            continue
        guess = GAME.guess(seen_by(moment, 1, "fr", boxes=boxes, rounds=2), Stream(b"guess", "piles"))
        turned = (state.market_turn + 1) * seats
        hidden = Counter(guess.deal.decks[state.round_no][turned:])
        true = Counter(state.deal.decks[state.round_no][turned:])
        assert hidden == true
        assert all(
            Counter(deck) == Counter(dict.fromkeys(range(56), boxes))
            for deck in guess.deal.decks[state.round_no + 1 :]
        )
        assert guess.deal.grab_orders[state.round_no] == state.deal.grab_orders[state.round_no]


def test_piles_are_guessed_differently_each_time() -> None:
    moment = moments(4)[2]
    guesses = {
        GAME.guess(seen_by(moment, 0), Stream(b"guess", str(number))).deal.decks[0][12:]
        for number in range(10)
    }
    assert len(guesses) == 10


# Sandwiches that lie face down


def check_plates(moment: Moment, seat: int, number: int, **options: object) -> State:
    """Guess at a moment of a free tasting, and hold the plates against what the seat may know."""
    state, _ = moment
    seen = seen_by(moment, seat, "en", tasting="free", **options)
    guess = GAME.guess(seen, Stream(b"plates", str(number)))
    rules, round_no = state.rules, state.round_no
    assert guess.read_out() == state.read_out()
    for taster in range(rules.seats):
        plate, true = guess.plates[taster], state.plates[taster]
        assert len(plate) == len(true)
        for (maker, _), guessed, real in zip(rules.givers(taster, round_no), plate, true, strict=False):
            if maker == seat or rules.open:
                assert guessed == real
    for maker in range(rules.seats):
        guessed_cards, true_cards = (
            Counter(
                card
                for taster in range(rules.seats)
                for (giver, _), one in zip(rules.givers(taster, round_no), table.plates[taster], strict=False)
                if giver == maker
                for card in one
            )
            for table in (guess, state)
        )
        if rules.boxes == 1:  # with two, makers can be taken for each other
            assert guessed_cards == true_cards
        else:
            assert guessed_cards.total() == true_cards.total()
    assert guess.before == state.before
    return guess


@pytest.mark.parametrize(
    ("seats", "options"),
    [(3, {}), (4, {}), (5, {"alternate": True}), (4, {"open": True}), (12, {"boxes": 2, "rounds": 1})],
)
def test_plates_are_made_of_their_makers_hands(seats: int, options: dict[str, Any]) -> None:
    tasting = [one for one in moments(seats, "en", tasting="free", **options) if one[0].phase == "taste"]
    assert len(tasting) == seats * options.get("rounds", 3)
    for number, moment in enumerate(tasting):
        for seat in {moment[0].taster, (number * 5 + 1) % seats}:
            check_plates(moment, seat, number, **options)


def test_the_hidden_part_is_guessed_differently_each_time() -> None:
    moment = next(one for one in moments(5, tasting="free") if one[0].phase == "taste")
    plates = {tuple(check_plates(moment, 0, number).plates[3]) for number in range(8)}
    assert len(plates) > 4


def test_events_that_do_not_reach_back_are_told() -> None:
    moment = next(one for one in moments(4, tasting="free") if one[0].phase == "taste")
    with pytest.raises(ValueError, match="do not reach back to the last deal"):
        GAME.guess(seen_by((moment[0], moment[1][-1:]), 0, tasting="free"), Stream(b"guess", "late"))


def test_events_without_the_market_are_told() -> None:
    state, events = next(one for one in moments(4, tasting="free") if one[0].phase == "taste")
    without = [event for event in events if event.kind != "grabbed"]
    with pytest.raises(ValueError, match="nobody can have made"):
        GAME.guess(seen_by((state, without), 0, tasting="free"), Stream(b"guess", "gap"))


def test_the_seats_own_palate_is_its_own() -> None:
    for moment in moments(4)[::7]:
        for seat in range(4):
            guess = GAME.guess(seen_by(moment, seat), Stream(b"guess", "own"))
            assert guess.deal.palates[seat] == moment[0].deal.palates[seat]
            assert guess.deal.palates[seat - 1] != moment[0].deal.palates[seat - 1]


# Palates


def agrees(palate: Palate, ranking: list[Sandwich]) -> bool:
    worths = [palate.worth(one) for one in ranking]
    return worths == sorted(worths, reverse=True)


@settings(max_examples=12)
@given(st.integers(0, 10_000), st.integers(3, 6))
def test_guessed_palates_give_every_ranking_seen(seed: int, seats: int) -> None:
    """Five rounds of random sandwiches, guessed at the last market."""
    game = moments(seats, "fr", seed, rounds=5)
    state, events = next(one for one in game if one[0].round_no == 4)
    seat = seed % seats
    guess = GAME.guess(seen_by((state, events), seat, "fr", rounds=5), Stream(b"%d" % seed, "guess"))
    looked = 0
    for event in events:
        if event.kind == "tasted":
            ranking = [sandwich(" ".join(names)) for names in event.data["sandwiches"]]
            assert agrees(guess.deal.palates[event.data["taster"]], ranking)
            looked += 1
    assert looked == 4 * seats


def test_without_rankings_a_palate_is_drawn_like_any_other() -> None:
    rng = Stream(b"palates", "none")
    drawn = [guess_palate([], rng) for _ in range(300)]
    likings = [figure / 1e6 for one in drawn for figure in one.likings]
    quirks = [figure / 1e6 for one in drawn for figure in one.quirks]
    assert abs(fmean(likings)) < 0.1
    assert abs(fmean([x * x for x in likings]) - 1.0) < 0.15
    assert abs(fmean(quirks)) < 0.02
    assert abs(fmean([x * x for x in quirks]) - 0.25) < 0.02


@pytest.mark.slow
def test_guessed_palates_are_spread_like_those_that_happen_to_agree() -> None:
    """Two rankings; the mean of likings and quirks against that of random palates that give the same rankings."""
    rankings = [
        [sandwich(names) for names in ("ham tuna brie", "apple honey snail", "lettuce pesto fig")],
        [sandwich(names) for names in ("salmon trout wasabi", "gouda jam pear", "bacon mustard onion")],
    ]
    rng = Stream(b"palates", "rejection")
    drawn = [guess_palate([], rng) for _ in range(5000)]
    true = [palate for palate in drawn if all(agrees(palate, ranking) for ranking in rankings)]
    assert len(true) > 100
    rng = Stream(b"guesses", "many")
    guessed = [guess_palate(rankings, rng) for _ in range(400)]
    assert all(agrees(palate, one) for palate in guessed for one in rankings)
    for family in range(8):
        means = [fmean([one.likings[family] / 1e6 for one in palates]) for palates in (true, guessed)]
        assert abs(means[0] - means[1]) < 0.33
    for name in ("ham", "onion", "honey"):
        means = [fmean([one.quirks[CARDS[name]] / 1e6 for one in palates]) for palates in (true, guessed)]
        assert abs(means[0] - means[1]) < 0.17


def test_rankings_that_no_palate_gives_are_borne() -> None:
    """Each above the other, in free hands possible: some palate comes all the same."""
    one, other = sandwich("ham tuna brie"), sandwich("apple honey snail")
    palate = guess_palate([[one, other], [other, one]], Stream(b"guess", "never"))
    assert len(palate.tastes) == 56


def test_equal_sandwiches_say_nothing() -> None:
    one, other = sandwich("ham tuna brie"), sandwich("brie ham tuna")
    rng, same = Stream(b"guess", "equal"), Stream(b"guess", "equal")
    assert guess_palate([[one, other]], rng) == guess_palate([], same)
