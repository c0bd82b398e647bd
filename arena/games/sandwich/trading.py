"""Trading: carries out accepted offers, one card for one (our decision; source 002 leaves it open)."""

from collections.abc import Mapping, Sequence

from arena.games.sandwich.state import Offer


def carry_out(
    hands: Sequence[list[int]],
    offers: Sequence[Offer],
    accepted: Mapping[int, Sequence[int]],
    order: Sequence[int],
) -> list[int]:
    """Exchange cards between the hands, in place; return the numbers of the offers carried out, in that order.

    `accepted` holds, for each seat that answered, the numbers of the offers it accepts, most wanted first. Seat by
    seat in `order`, each in its own order, an offer is carried out if both seats still hold the named cards. A
    received card goes to the end of the hand.
    """
    done = []
    for seat in order:
        for number in accepted.get(seat, ()):
            offer = offers[number]
            giver, taker = hands[offer.seat], hands[seat]
            if offer.give in giver and offer.want in taker:
                giver.remove(offer.give)
                taker.remove(offer.want)
                giver.append(offer.want)
                taker.append(offer.give)
                done.append(number)
    return done
