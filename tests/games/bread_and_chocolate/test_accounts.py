"""What truly happened is always among what an account allows: nothing possible is ruled out."""

import pytest

from arena.games.bread_and_chocolate.card_tracking import END, Account
from arena.games.bread_and_chocolate.recall import UNKNOWN
from tests.games.bread_and_chocolate.moments import Moment, moments, truth


def true_way(account: Account, number: int, card: int, at: dict[int, int]) -> set[int]:
    """Return the number of the way that a card truly went, or of those that stand for staying in the hand."""
    position = account.arrivals[number].position
    left = [
        other
        for other, way in enumerate(account.ways)
        if way.position > position
        and (way.card == card if way.card != UNKNOWN else at.get(way.place, UNKNOWN) == card)
    ]
    return {left[0]} if left else {other for other, way in enumerate(account.ways) if way.position == END}


def check(moment: Moment, seat: int) -> int:
    """Hold each open arrival of a moment against the truth; return how many there were."""
    recall, at = truth(moment, seat)
    checked = 0
    for place, card in enumerate(recall.card):
        assert card in (UNKNOWN, at.get(place, card))
    for other, entries in recall.accounts.items():
        account = Account(entries, recall)
        assert set(account.certain) <= set(moment.state.held[other])
        for number, arrival in enumerate(account.arrivals):
            card = at[arrival.place]
            ways = true_way(account, number, card, at)
            position = account.ways[min(ways)].position
            if arrival.card != UNKNOWN:
                assert ways & set(account.ways_of(card, arrival.position))
            elif card in recall.unseen or account.ways[min(ways)].first:
                assert number in account.sources(card, position)
                first = next(place for place in sorted(at) if at[place] == card)
                assert first in account.origins(card, position)
            checked += 1
    return checked


@pytest.mark.parametrize(("name", "seats"), [("pagat", 2), ("gamerules", 2), ("shram", 4)])
def test_the_truth_is_allowed(name: str, seats: int) -> None:
    checked = 0
    for number in range(6):
        for moment_no, moment in enumerate(moments(name, seats, f"truth/{number}", number % 3 / 2)):
            if moment_no % 25 == 24:
                checked += check(moment, number % seats)
    assert checked > 100
