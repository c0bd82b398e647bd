"""The options of Sandwich, its four editions, and what the options mean at a table (source 002)."""

from dataclasses import dataclass
from functools import cache

from arena.core.errors import BadOption
from arena.core.ruleset import GameInfo, Option, Ruleset

FEWEST = 3
MOST = 12
MOST_WITH_ONE_BOX = 6
FEWEST_WITH_TWO_BOXES = 5
FEWEST_TO_ALTERNATE = 5

INFO = GameInfo(
    name="sandwich",
    title="Sandwich",
    version=1,
    summary="Grab ingredients and serve the neighbours sandwiches to their taste; 3 to 12 players.",
    drawn_events=("traded", "tasted"),
    steps=("random", "greedy", "apprentice", "learner", "gourmet"),
    rulesets={
        "fr": {},
        "en": {"own_card": "after_others", "trading": True},
        "es": {"own_card": "after_others", "trading": True},
        "de": {"own_card": "after_others", "trading": True, "points": (3, 1, 0)},
    },
    options=(
        Option(
            "own_card",
            "choice",
            "may players take the card they turned up: only as the last one left, or if nobody else reaches for it",
            "last",
            choices=("last", "after_others"),
        ),
        Option("trading", "flag", "players trade ingredients after the market", False),
        Option("trade_rounds", "count", "how many times all may offer a trade, in a round", 3, high=100),
        Option(
            "points",
            "numbers",
            "points for the best, second and third sandwich, with 4 players or more",
            (3, 2, 0),
            low=0,
            high=1000,
        ),
        Option(
            "points3",
            "numbers",
            "points for the best, second, third and fourth sandwich, with 3 players",
            (3, 2, 1, 0),
            low=0,
            high=1000,
        ),
        Option("alternate", "flag", "serve to the right in every second round; from 5 players on", False),
        Option("open", "flag", "sandwiches are given face up, and a word may go with each", False),
        Option(
            "boxes", "count", "boxes of 56 ingredients; two from 7 players on, possible from 5", 1, high=2
        ),
        Option("rounds", "count", "rounds in a game", 3, high=1000),
        Option(
            "tasting",
            "choice",
            "who ranks the sandwiches: the taster's palate or the player",
            "palate",
            choices=("palate", "free"),
        ),
    ),
    rotations="balanced",
    longest_decisions=10_000_000,  # above the maximum of 1000 rounds with 100 rounds of trading
)
"""Sandwich and its editions; the Spanish edition has the rules of the English one."""


def seats(ruleset: Ruleset) -> range:
    """Return 3 to 6, or 5 to 12 with two boxes; at least 5 if the direction alternates."""
    two = ruleset.count("boxes") == 2
    fewest = FEWEST_WITH_TWO_BOXES if two else FEWEST
    if ruleset.flag("alternate"):
        fewest = max(fewest, FEWEST_TO_ALTERNATE)
    return range(fewest, (MOST if two else MOST_WITH_ONE_BOX) + 1)


def resolve(ruleset: Ruleset, seats: int) -> Ruleset:
    """Return the ruleset unchanged. Raises BadOption if it can't be played with this many seats."""
    boxes = ruleset.count("boxes")
    if not FEWEST <= seats <= MOST:
        raise BadOption(
            f"Sandwich is for {FEWEST} to {MOST} players, not {seats}", "set another number of seats"
        )
    if boxes == 1 and seats > MOST_WITH_ONE_BOX:
        raise BadOption(
            f"one box is for up to {MOST_WITH_ONE_BOX} players, not {seats}", "set boxes to 2", option="boxes"
        )
    if boxes == 2 and seats < FEWEST_WITH_TWO_BOXES:
        raise BadOption(
            f"two boxes are for {FEWEST_WITH_TWO_BOXES} players or more, not {seats}",
            "set boxes to 1",
            option="boxes",
        )
    if ruleset.flag("alternate") and seats < FEWEST_TO_ALTERNATE:
        raise BadOption(
            f"the direction changes only with {FEWEST_TO_ALTERNATE} players or more, not {seats}",
            "turn alternate off",
            option="alternate",
        )
    for option, needed in (("points", 3), ("points3", 4)):
        numbers = ruleset.numbers(option)
        if len(numbers) != needed:
            raise BadOption(
                f"{needed} numbers are needed, from the best sandwich to the worst, not {len(numbers)}",
                option=option,
            )
    return ruleset


@dataclass(frozen=True, slots=True)
class Rules:
    """A ruleset in the form that play uses, for one number of seats."""

    seats: int
    own_last: bool
    """Whether players take their own card only if it is the last one left."""
    trade_rounds: int
    """0 if there is no trading."""
    points: tuple[int, ...]
    """For the sandwiches of one taster, best first; as many as a player makes."""
    alternate: bool
    open: bool
    boxes: int
    rounds: int
    free: bool
    """Whether the players rank instead of their palates."""

    @classmethod
    def of(cls, ruleset: Ruleset, seats: int) -> "Rules":
        """Return the rules of a resolved ruleset."""
        return cls(
            seats=seats,
            own_last=ruleset.choice("own_card") == "last",
            trade_rounds=ruleset.count("trade_rounds") if ruleset.flag("trading") else 0,
            points=ruleset.numbers("points3" if seats == 3 else "points"),
            alternate=ruleset.flag("alternate"),
            open=ruleset.flag("open"),
            boxes=ruleset.count("boxes"),
            rounds=ruleset.count("rounds"),
            free=ruleset.choice("tasting") == "free",
        )

    @property
    def served(self) -> int:
        """How many sandwiches each player makes and gets: 3, or 4 with 3 players."""
        return len(self.points)

    @property
    def pile(self) -> int:
        """How many cards each player is dealt in a round: 9, or 12 with 3 players."""
        return 3 * len(self.points)

    def to_the_right(self, round_no: int) -> bool:
        """Return whether sandwiches go to the right in a round, counted from 0."""
        return self.alternate and round_no % 2 == 1

    def receivers(self, seat: int, round_no: int) -> tuple[int, ...]:
        """Return who gets each sandwich of a seat, in serving order.

        These are the three neighbours on the left, or on the right, nearest first; with 3 players the left one
        twice, then the right one twice.
        """
        return _receivers(self.seats, self.to_the_right(round_no))[seat]

    def givers(self, seat: int, round_no: int) -> tuple[tuple[int, int], ...]:
        """Return the origin of each sandwich that a seat gets: its maker and its index among the maker's.

        Nearest giver first; with 3 players the right one's, then the left one's, each as served.
        """
        return _givers(self.seats, self.to_the_right(round_no))[seat]


@cache
def _receivers(seats: int, to_the_right: bool) -> tuple[tuple[int, ...], ...]:
    steps = _steps(seats, to_the_right)
    return tuple(tuple((seat + step) % seats for step in steps) for seat in range(seats))


@cache
def _givers(seats: int, to_the_right: bool) -> tuple[tuple[tuple[int, int], ...], ...]:
    steps = _steps(seats, to_the_right)
    return tuple(
        tuple(((seat - step) % seats, place) for place, step in enumerate(steps)) for seat in range(seats)
    )


def _steps(seats: int, to_the_right: bool) -> tuple[int, ...]:
    if seats == 3:
        return (1, 1, -1, -1)
    return (-1, -2, -3) if to_the_right else (1, 2, 3)
