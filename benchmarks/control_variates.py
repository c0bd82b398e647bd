"""Measures what control variates from the rules are worth: whether subtracting luck saves games.

    python benchmarks/control_variates.py [--game NAME] [--bots reference|noise] [--deals 500]

AIVAT (Burch, Schmid, Moravčík and Bowling, "AIVAT: a new variance reduction technique for agent evaluation in
imperfect information games", 2018) subtracts from a result, for each event of chance, the value of the position after
it less the expected value. Whatever the value function is, that has mean zero. (It does the same for random moves of
agents whose strategies are known. Those of bots aren't.) None of Arena's own games draws after the deal, so the deal is
the only event; the cards that it hides may also be taken one by one, as they show. Tried here:

- *random*: the mean score at each seat over 8 playouts of the dealt game with random moves.
- *greedy*: the scores of one game on the same deal with the greedy bot at all seats.
- *draws*: in Bread and Chocolate, what each card drawn from the stock costs, and whether its colour is that of the top;
  in Sandwich, how well each card turned up goes with the seat's hand, and how well the whole market does. Each less its
  mean over the cards that may come. In Bread Basket nobody draws.
- *stand-ins*: the game played once more with the same bots in the same seats, and other random moves. No league has
  stand-ins that play just like its bots, so this is the best that one playout can do.
- *ceiling*: all that deal and seating decide together, by the correlation of the two plays. No function of deal and
  seating, whatever it costs, can do better.

**They are unbiased.** A value at a seat, less the mean of the table, sums to zero over the seats. Here a bot's seat is
uniform and independent of the deal, so the mean is zero for every bot, on every deal. (For other seatings that don't
look at the deal, the effects of the seats, which are fitted, take up each seat's mean.) The stand-ins' mean is that of
the bot at the table, which would have to be estimated; here it is taken as known. For the draws, let F be all that has
happened, all hands included, but not the order of the stock. Bots see a part of F at most, so what they do next follows
from F and their own random numbers, and given F the stock is in every order with the same probability. How many cards
come next follows from F too, so what they are, less the mean of the stock, has mean zero given F: a martingale, whoever
plays. Once a stock of turned cards has a known order, nothing is subtracted. Coefficients, one per bot, are fitted on
the other half of the deals, so they are independent of what they multiply.

**A rotation takes the first two away exactly.** Each bot has each seat of the deal once, so what a match subtracts is
its coefficient times a sum of centred values over all seats, which is zero.

All values are for noise levels of the greedy bot, or reference bots, at tables of four with `balanced` rotations.
Strengths and effects of seats are fitted as in the league, and variance is what is left. "gain" is the variance without
the variate over that with it: of single games ("off"), each deal counting once per seating, and of match means. "per
CPU" divides it by the cost of a game with the variate over one without, both in this process; a league's games cost
more than that. Standard errors are by deal. "bias" is the change of a bot's mean score by the variate, in points, at
one game per deal in seats drawn at random, where it is furthest from zero in standard errors.
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from arena.core.chance import Chance
from arena.core.game import AnyGame, Event, ranks_with_faults
from arena.core.ruleset import Ruleset, ruleset
from arena.core.seatings import seatings
from arena.engine.forward_model import Position
from arena.games.sandwich.ingredients import MILLION, PAIRS_OF_CARDS
from arena.registry import game as game_named
from benchmarks.in_process import Player, play
from benchmarks.rotations import GREEDY, RULESETS, Setting
from results.base.scoring import UNIT, game_shares

SEATS = 4
PLAYOUTS = 8
NOTHING = 1e-9
"""A variate as small as this is zero but for rounding."""

Floats = NDArray[np.float64]
"""[deal, game, bot], or of variates [deal, game, bot, feature]."""
Luck = list[list[float]]
"""[seat][feature]"""

SETTINGS = (
    Setting("bread-basket", "noise", SEATS, 500),
    Setting("bread-and-chocolate", "noise", SEATS, 500),
    Setting("sandwich", "noise", SEATS, 500),
    Setting("bread-basket", "reference", SEATS, 200),
)


class Watched:
    """A game whose draws are watched as it is played: what they were worth, less what was to be expected."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game
        self._worth = WORTHS.get(game.info.name)
        self._known: list[bool] = [False]
        self.luck: Luck = [[0.0, 0.0] for _ in range(SEATS)]
        self.took_s = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def apply(self, state: Any, moves: Any) -> Any:
        after, events = self._game.apply(state, moves)
        if self._worth is not None:
            began_s = time.process_time()
            self._worth(state, after, events, self._known, self.luck)
            self.took_s += time.process_time() - began_s
        return after, events


def _chocolate_draws(
    before: Any, _after: Any, events: Sequence[Event], known: list[bool], luck: Luck
) -> None:
    """Add what the cards drawn from a stock in unknown order cost; `known` says that its order is known."""
    cost, effect, stock, top = before.rules.cost, before.rules.effect, before.stock[:], before.up[-1]
    for event in events:
        if event.kind == "drew" and not known[0]:
            count = event.data["count"]
            for feature, value in enumerate((cost, [float(drawn > 0) for drawn in effect[top]])):
                expected = fmean(value[card] for card in stock)
                luck[event.data["seat"]][feature] += sum(value[card] - expected for card in stock[-count:])
            del stock[-count:]
        elif event.kind == "spread" and not known[0]:
            del stock[-len(event.data["cards"]) :]
        elif event.kind in ("refilled", "dealt"):
            known[0] = event.kind == "refilled"


def _sandwich_draws(
    _before: Any, after: Any, events: Sequence[Event], _known: list[bool], luck: Luck
) -> None:
    """Add how well the cards turned up go with the hands."""
    if not any(event.kind == "turned_up" for event in events):
        return
    left = after.deal.decks[after.round_no][after.market_turn * SEATS :]
    for seat, hand in enumerate(after.hands):
        fit = {card: sum(sorted(PAIRS_OF_CARDS[card][held] for held in hand)[-2:]) / MILLION for card in left}
        expected = fmean(fit.values())
        luck[seat][0] += fit[after.market[seat]] - expected
        luck[seat][1] += fmean(fit[card] for card in after.market) - expected


WORTHS: dict[str, Callable[[Any, Any, Sequence[Event], list[bool], Luck], None]] = {
    "bread-and-chocolate": _chocolate_draws,
    "sandwich": _sandwich_draws,
}


@dataclass
class Played:
    """All games of a setting, and the CPU time that each part took."""

    results: dict[str, list[Any]] = field(default_factory=lambda: {"scores": [], "shares": []})
    """By measure: [deal][game][bot]."""
    variates: dict[str, list[Any]] = field(default_factory=dict)
    """By name: [deal][game][bot], or of several features [deal][game][bot][feature]."""
    seats: list[Any] = field(default_factory=list)
    """[deal][game][bot]"""
    took_s: dict[str, float] = field(default_factory=dict)
    """By variate, and of the games themselves."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", choices=list(RULESETS))
    parser.add_argument("--bots", choices=["reference", "noise"])
    parser.add_argument("--deals", type=int, help="how many deals to play, at least 8")
    given = parser.parse_args()
    print(
        "| game | bots | deals | variate | CPU a game, ms | measure | gain, off | per CPU | gain, balanced | per CPU |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for setting in SETTINGS:
        if given.game in (None, setting.game) and given.bots in (None, setting.bots):
            _report(setting, _played(setting, given.deals or setting.deals))


def _played(setting: Setting, deals: int) -> Played:
    """Play all deals in the seatings of one rotation, and work out the variates."""
    game = game_named(setting.game)
    rules = game.resolve(ruleset(game.info, RULESETS[setting.game], {}), SEATS)
    played = Played()
    for number in range(deals):
        deal = f"control variates/{number}"
        base = tuple(random.Random(f"{deal}/seats").sample(range(SEATS), SEATS))
        of_deal = {
            "random": _timed(played, "random", partial(_playouts, game, rules, deal)),
            "greedy": _timed(played, "greedy", partial(_greedy, setting, game, rules, deal)),
        }
        by_game: dict[str, list[Any]] = {}
        for rotation, seating in enumerate(seatings(base, "balanced")):
            seat_of = [seating.index(bot) for bot in range(SEATS)]
            watched = Watched(game)
            players = [setting.players[bot] for bot in seating]
            began_s = time.process_time()
            first = play(watched, rules, players, deal, random.Random(f"{deal}/{rotation}")).scores
            took_s = time.process_time() - began_s - watched.took_s
            began_s = time.process_time()
            again = play(game, rules, players, deal, random.Random(f"{deal}/{rotation}/again")).scores
            for name, each_s in (
                ("games", took_s),
                ("draws", watched.took_s),
                ("stand-ins", time.process_time() - began_s),
            ):
                played.took_s[name] = played.took_s.get(name, 0.0) + each_s
            by_seat = {
                "scores": _centred(first),
                "shares": _shares(first),
                "again": _centred(again),
                "again, shares": _shares(again),
                "draws": np.array(watched.luck) - np.mean(watched.luck, axis=0),
                **of_deal,
            }
            for name, values in by_seat.items():
                by_game.setdefault(name, []).append(np.asarray(values)[seat_of])
            by_game.setdefault("seats", []).append(seat_of)
        for name, games in by_game.items():
            target = played.results if name in played.results else played.variates
            (played.seats if name == "seats" else target.setdefault(name, [])).append(games)
    return played


def _timed(played: Played, name: str, work: Callable[[], Floats]) -> Floats:
    began_s = time.process_time()
    done = work()
    played.took_s[name] = played.took_s.get(name, 0.0) + time.process_time() - began_s
    return done


def _playouts(game: AnyGame, rules: Ruleset, deal: str) -> Floats:
    """Return the mean centred score at each seat over playouts with random moves."""
    state, _ = game.deal(SEATS, rules, Chance(deal.encode()))
    position = Position(game, state, SEATS, random.Random(f"{deal}/playouts"))
    return _centred(np.mean([position.simulate() for _ in range(PLAYOUTS)], axis=0))


def _greedy(setting: Setting, game: AnyGame, rules: Ruleset, deal: str) -> Floats:
    """Return the centred scores of a game among greedy bots."""
    players = [Player(GREEDY[setting.game])] * SEATS
    return _centred(play(game, rules, players, deal, random.Random(f"{deal}/greedy")).scores)


def _centred(scores: Any) -> Floats:
    return np.asarray(scores, dtype=float) - fmean(scores)


def _shares(scores: tuple[int, ...]) -> Floats:
    """Return the shares of the seats, in percent, less the mean."""
    return _centred([100 * share / UNIT for share in game_shares(ranks_with_faults(scores, {}))])


def _report(setting: Setting, played: Played) -> None:
    """Print a row for each variate and measure, and how far from zero it moves the bots."""
    deals = len(played.seats)
    seats = np.array(played.seats)
    game_s = played.took_s["games"] / (deals * SEATS)
    start = f"| {setting.game} | {setting.bots} | {deals} |"
    for measure, again in (("scores", "again"), ("shares", "again, shares")):
        values = np.array(played.results[measure])
        for name in ("random", "greedy", "draws", "stand-ins"):
            if name == "draws" and setting.game not in WORTHS:
                continue
            variate = np.array(played.variates[again if name == "stand-ins" else name])
            features = variate if variate.ndim == 4 else variate[..., None]
            # One value of the deal is worked out for a single game, and serves all games of a match.
            serves = SEATS if name in ("random", "greedy") else 1
            extra = played.took_s[name] / (deals * SEATS) / game_s
            slopes = _slopes(values, features, seats, per_match=False)
            off, off_error = _gain(values, features, slopes, seats, per_match=False)
            per_match = _slopes(values, features, seats, per_match=True)
            balanced, balanced_error = _gain(values, features, per_match, seats, per_match=True)
            print(
                f"{start} {name} | {1000 * extra * serves * game_s:.1f} | {measure} "
                f"| {off:.3f} ± {off_error:.3f} | {off / (1 + extra * serves):.2f} "
                f"| {balanced:.3f} ± {balanced_error:.3f} | {balanced / (1 + extra):.2f} |",
                flush=True,
            )
            if measure == "scores" and name != "stand-ins":
                _bias(name, features[:, 0], slopes)
        plays = [_left(values, seats), _left(np.array(played.variates[again]), seats)]
        (off, off_error), (balanced, balanced_error) = (
            _ceiling(*plays),
            _ceiling(*(play.mean(axis=1, keepdims=True) for play in plays)),
        )
        print(
            f"{start} ceiling | – | {measure} | {off:.3f} ± {off_error:.3f} | – "
            f"| {balanced:.3f} ± {balanced_error:.3f} | – |",
            flush=True,
        )
    print(f"  a game itself: {1000 * game_s:.1f} ms of CPU time", flush=True)


def _left(values: Floats, seats: NDArray[np.int64]) -> Floats:
    """Return what is left of values by bot once the bots' means and the seats' effects are taken away.

    Every bot has every seat equally often, so the means are the least squares fit.
    """
    left = values - values.mean(axis=(0, 1))
    effects = np.array([left[seats == seat].mean() for seat in range(SEATS)])
    return np.asarray(left - effects[seats])


def _slopes(values: Floats, features: Floats, seats: NDArray[np.int64], *, per_match: bool) -> Floats:
    """Return coefficients [deal, bot, feature] for games or match means, those of each half from the other one."""
    deals, _, bots, count = features.shape
    slopes = np.zeros((deals, bots, count))
    for half in range(2):
        other = np.arange(deals) % 2 != half
        y = _left(values[other], seats[other])
        x = np.stack([_left(features[other][..., each], seats[other]) for each in range(count)], axis=-1)
        if per_match:
            x, y = x.mean(axis=1, keepdims=True), y.mean(axis=1, keepdims=True)
        x = np.where(np.abs(x) < NOTHING, 0.0, x)
        for bot in range(bots):
            of_bot = x[:, :, bot].reshape(-1, count), y[:, :, bot].ravel()
            slopes[~other, bot] = np.linalg.lstsq(*of_bot, rcond=None)[0]
    return slopes


def _gain(
    values: Floats, features: Floats, slopes: Floats, seats: NDArray[np.int64], *, per_match: bool
) -> tuple[float, float]:
    """Return the variance of games or match means without the variate over that with it, and its standard error."""
    corrected = values - (features * slopes[:, None]).sum(axis=-1)
    left = [_left(each, seats) for each in (values, corrected)]
    if per_match:
        left = [each.mean(axis=1, keepdims=True) for each in left]
    without, with_it = [(each**2).sum(axis=(1, 2)) for each in left]
    return _ratio(without, with_it)


def _ceiling(one: Floats, other: Floats) -> tuple[float, float]:
    """Return the variance over what is left if all that two plays have in common is taken away."""
    squares = ((one**2 + other**2) / 2).sum(axis=(1, 2))
    return _ratio(squares, ((one - other) ** 2 / 2).sum(axis=(1, 2)))


def _ratio(above: Floats, below: Floats) -> tuple[float, float]:
    """Return the ratio of two sums over deals, and its standard error."""
    ratio = above.sum() / below.sum()
    error = np.std(above - ratio * below, ddof=1) / below.mean() / sqrt(len(above))
    return float(ratio), float(error)


def _bias(name: str, first: Floats, slopes: Floats) -> None:
    """Print by how much the variate moves the bots' means at one game per deal; `first` is [deal, bot, feature]."""
    moved = (first * slopes).sum(axis=-1)
    means, errors = moved.mean(axis=0), moved.std(axis=0, ddof=1) / sqrt(len(moved))
    worst = int(np.argmax(np.abs(means) / np.maximum(errors, NOTHING)))
    print(f"  bias of {name}: at most {means[worst]:+.3f} ± {errors[worst]:.3f} points", flush=True)


if __name__ == "__main__":
    main()
