"""What the rules offer to bots that think ahead: grabs, trades and servings by the palates of a guess."""

from random import Random
from typing import Any

import pytest

from arena.core.chance import Chance
from arena.core.foresight import foresight
from arena.core.ruleset import ruleset
from arena.games.sandwich import GAME
from arena.games.sandwich.state import Answer, NoOffer, Offer, State

THINKING: Any = foresight(GAME)


def reached(phase: str, seats: int = 4, **options: Any) -> State:
    """Return the first moment of a phase in a game played at random."""
    rules = GAME.resolve(ruleset(GAME.info, "en", options), seats)
    state, _ = GAME.deal(seats, rules, Chance(b"foresight"))
    rng = Random(1)
    while state.phase != phase:
        turn: Any = GAME.turn(state)
        GAME.advance(state, {one.seat: GAME.sample_move(state, one.seat, rng) for one in turn})
    return state


def served_worth(state: State, seat: int, move: Any) -> int:
    receivers = state.rules.receivers(seat, state.round_no)
    return sum(
        state.deal.palates[to].worth(made) for to, made in zip(receivers, move.sandwiches, strict=True)
    )


@pytest.mark.parametrize("seats", [3, 4, 6])
def test_sandwiches_are_to_the_taste_of_their_receivers(seats: int) -> None:
    state, rng = reached("serve", seats), Random(2)
    for seat in range(seats):
        by_policy = served_worth(state, seat, THINKING.policy(state, seat, rng))
        at_random = [served_worth(state, seat, GAME.sample_move(state, seat, rng)) for _ in range(200)]
        assert by_policy > sorted(at_random)[190]
        assert (
            max(served_worth(state, seat, one) for one in THINKING.candidates(state, seat, rng)) >= by_policy
        )


def test_the_card_that_some_receiver_likes_most_is_grabbed_first() -> None:
    state = reached("grab")
    for seat in range(4):
        order = THINKING.policy(state, seat, Random(1)).order
        tastes = [state.deal.palates[to].tastes for to in state.rules.receivers(seat, 0)]
        liked = [max(taste[card] for taste in tastes) for card in state.market]
        assert [liked[place] for place in order] == sorted(liked, reverse=True)


@pytest.mark.parametrize(("own_card", "count"), [("last", 3), ("after_others", 4)])
def test_each_card_is_tried_first_whatever_the_palates(own_card: str, count: int) -> None:
    state, other = (reached("grab", own_card=own_card), reached("grab", own_card=own_card))
    object.__setattr__(
        other, "deal", GAME.deal(4, GAME.resolve(ruleset(GAME.info, "en"), 4), Chance(b"x"))[0].deal
    )
    found = THINKING.candidates(state, 1, Random(1))
    assert found == THINKING.candidates(other, 1, Random(2))
    assert len({move.order[0] for move in found}) == len(found) == count
    assert own_card == "after_others" or 1 not in {move.order[0] for move in found}


def test_trades_are_taken_if_they_gain_and_never_offered() -> None:
    assert THINKING.policy(reached("offer"), 0, Random(1)) == NoOffer()
    state = reached("answer")
    seat = state.offers[0].to
    tastes = [state.deal.palates[to].tastes for to in state.rules.receivers(seat, state.round_no)]
    hand = sorted(state.hands[seat], key=lambda card: max(taste[card] for taste in tastes))
    giver = (seat + 1) % 4
    for give, want, accept in ((hand[-1], hand[0], (0,)), (hand[0], hand[-1], ())):
        state.offers = (Offer(giver, seat, give, want),)
        assert THINKING.policy(state, seat, Random(1)) == Answer(accept)
        assert set(THINKING.candidates(state, seat, Random(1))) == {Answer(()), Answer((0,))}


def test_offers_to_compare_gain_both() -> None:
    state = reached("offer")

    def liked(seat: int, card: int) -> int:
        return max(state.deal.palates[to].tastes[card] for to in state.rules.receivers(seat, state.round_no))

    for seat in range(4):
        first, *offers = THINKING.candidates(state, seat, Random(1))
        assert first == NoOffer()
        assert len({offer.to for offer in offers}) == len(offers)
        for offer in offers:
            GAME.parse_move(state, seat, GAME.format_move(offer))
            assert liked(seat, offer.want) > liked(seat, offer.give)
            assert liked(offer.to, offer.give) > liked(offer.to, offer.want)


def test_in_free_tasting_it_ranks_by_its_own_palate() -> None:
    state = reached("taste", tasting="free")
    ranking = THINKING.policy(state, state.taster, Random(1)).ranking
    worths = [state.deal.palates[state.taster].worth(one) for one in state.read_out()]
    assert [worths[place] for place in ranking] == sorted(worths, reverse=True)


def test_rounds_are_stages() -> None:
    state = reached("serve", rounds=2)
    assert THINKING.stage(state) == 0
    state = THINKING.play_on(state, THINKING.policy, Random(1), -1)
    assert (THINKING.stage(state), state.phase) == (1, "grab")
    state = THINKING.play_on(state, THINKING.policy, Random(1), -1)
    assert (THINKING.stage(state), state.phase) == (2, "over")
