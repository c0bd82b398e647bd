"""The only source of randomness: named streams derived from one seed, recorded as they are drawn.

A stream is SHA-256 in counter mode, so any language can draw the same numbers:
key = SHA-256(seed ‖ 0x00 ‖ name), block i = SHA-256(key ‖ i as 8 bytes,
big-endian), read as 32-bit big-endian words.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from fractions import Fraction
from functools import cache
from hashlib import sha256
from itertools import accumulate
from math import gcd, isfinite, lcm
from struct import Struct
from typing import Any, Protocol, TypeVar

from arena.core.errors import CorruptReplay

T = TypeVar("T")

_BLOCK = Struct(">8I")
"""Eight words of a stream."""
MOST_WEIGHT = 1 << 32
"""The largest sum of weights as whole numbers."""
_NUMBERS = frozenset({int, float})
"""The types of numbers in JSON; bool is another."""


class Rng(Protocol):
    """What games need from a source of random numbers; both `random.Random` and `Stream` provide it."""

    def randrange(self, stop: int, /) -> int:
        """Return an integer from 0 to stop − 1."""

    def random(self) -> float:
        """Return a float in [0, 1)."""

    def shuffle(self, items: MutableSequence[Any], /) -> None:
        """Put the items in a random order, in place."""


def shuffled(items: Iterable[T], rng: Rng) -> tuple[T, ...]:
    """Return the items in a random order."""
    order = list(items)
    rng.shuffle(order)
    return tuple(order)


def whole_weights(items: Sequence[Any], weights: Sequence[int | Fraction]) -> list[int]:
    """Return the weights of items as whole numbers in the same proportions, without a common factor.

    Raises ValueError, saying what to do, unless there is one weight for each item, all are whole numbers or fractions
    above 0, and the results sum to at most 2³².
    """
    if not items or len(items) != len(weights):
        raise ValueError(
            f"{len(items)} items have {len(weights)} weights: give at least one item, each a weight"
        )
    for item, weight in zip(items, weights, strict=True):
        if type(weight) not in (int, Fraction) or weight <= 0:
            raise ValueError(
                f"the weight of {item!r:.60} is {weight!r:.60}: make it a whole number or a Fraction above 0, and "
                "leave out items that can't be drawn"
            )
    scale = Fraction(
        lcm(*(weight.denominator for weight in weights)), gcd(*(weight.numerator for weight in weights))
    )
    whole = [int(weight * scale) for weight in weights]
    if sum(whole) > MOST_WEIGHT:
        raise ValueError(
            f"the weights sum to {sum(whole)} as whole numbers: round them, so that it is at most 2**32"
        )
    return whole


def picked(items: Sequence[T], weights: Sequence[int | Fraction], rng: Rng) -> T:
    """Return one of the items, each with the probability of its weight among all: exact, as no number is rounded."""
    up_to = list(accumulate(whole_weights(items, weights)))
    return items[bisect_right(up_to, rng.randrange(up_to[-1]))]


class Stream:
    """One named stream of random numbers; an `Rng`."""

    __slots__ = ("_count", "_key", "_words")

    def __init__(self, seed: bytes, name: str) -> None:
        self._key = sha256(seed + b"\0" + name.encode()).digest()
        self._count = 0
        self._words: list[int] = []

    def word(self) -> int:
        """Return the next 32-bit word."""
        if not self._words:
            self._fill()
        return self._words.pop()

    def _fill(self) -> None:
        """Draw the next words; the first comes last."""
        block = sha256(self._key + self._count.to_bytes(8, "big")).digest()
        self._count += 1
        self._words[:] = _BLOCK.unpack(block)[::-1]

    def randrange(self, stop: int, /) -> int:
        """Return an integer from 0 to stop − 1, all equally likely; stop is 1 to 2³²."""
        if not 1 <= stop <= 1 << 32:
            raise ValueError(f"stop is {stop}, not 1 to 2**32")
        limit = (1 << 32) - (1 << 32) % stop
        while (word := self.word()) >= limit:
            pass
        return word % stop

    def random(self) -> float:
        """Return a float in [0, 1) with 53 random bits."""
        words = self._words
        high, low = (words.pop(), words.pop()) if len(words) > 1 else (self.word(), self.word())
        return ((high >> 5) * 67108864 + (low >> 6)) / 9007199254740992

    def shuffle(self, items: MutableSequence[Any], /) -> None:
        """Put the items in a random order, in place (Fisher and Yates, from the end)."""
        words, sure = self._words, (1 << 32) - len(items)
        for i in range(len(items) - 1, 0, -1):
            if not words:
                self._fill()
            if (word := words.pop()) < sure:
                j = word % (i + 1)
            else:  # perhaps one that would make some numbers likelier than others
                words.append(word)
                j = self.randrange(i + 1)
            items[i], items[j] = items[j], items[i]


class Chance:
    """Draws everything that chance decides in one game, each use from its own stream, and records it.

    With a seed, it draws. With a record, it returns what was drawn before, so that a
    replay needs no generator. Drawn values must be JSON values.
    """

    def __init__(self, seed: bytes | None = None, record: Mapping[str, Sequence[Any]] | None = None) -> None:
        if (seed is None) == (record is None):
            raise ValueError("either a seed or a record")
        self._seed = seed
        self._given = record
        self.record: dict[str, list[Any]] = {}

    def permutation(self, stream: str, items: Sequence[T]) -> tuple[T, ...]:
        """Return the items in a random order. Raises CorruptReplay if the recorded items differ."""
        if self._given is None:
            order = list(shuffled(items, self._stream(stream)))
        else:
            order = self._recorded(stream)
            if not _same_items(order, items):
                raise CorruptReplay(f"the replay's draw {stream!r} is not a permutation of the items to draw")
        self._keep(stream, order)
        return tuple(order)

    def integers(self, stream: str, count: int, low: int, high: int) -> tuple[int, ...]:
        """Return whole numbers from low to high, both included, all equally likely: dice, coins, wheels.

        The range may span at most 2³² numbers. Raises CorruptReplay if the recorded numbers don't fit.
        """
        if self._given is None:
            source = self._stream(stream)
            drawn = [low + source.randrange(high - low + 1) for _ in range(count)]
        else:
            drawn = self._recorded(stream)
            if len(drawn) != count or not all(type(x) is int and low <= x <= high for x in drawn):
                raise CorruptReplay(
                    f"the replay's draw {stream!r} is not {count} whole numbers from {low} to {high}"
                )
        self._keep(stream, drawn)
        return tuple(drawn)

    def pick(self, stream: str, items: Sequence[T], weights: Sequence[int | Fraction]) -> T:
        """Return one of the items; each is as likely as its weight, a whole number or `Fraction` above 0.

        Raises ValueError for other weights, CorruptReplay if the recorded item is none of these.
        """
        if self._given is None:
            drawn = [picked(items, weights, self._stream(stream))]
        else:
            drawn = self._recorded(stream)
            if len(drawn) != 1 or not any(_same_items(drawn, [item]) for item in items):
                raise CorruptReplay(f"the replay's draw {stream!r} is not one of the items to pick from")
        self._keep(stream, drawn)
        return drawn[0]

    def normals(self, stream: str, count: int, sigma: float, decimals: int) -> tuple[float, ...]:
        """Return normally distributed numbers with mean 0 and standard deviation sigma, rounded to `decimals`."""
        if self._given is None:
            source = self._stream(stream)
            quantile = _standard_quantile()
            drawn = [round(sigma * quantile(_above_zero(source)), decimals) + 0.0 for _ in range(count)]
        else:
            drawn = self._recorded(stream)
            are_numbers = _NUMBERS.issuperset(map(type, drawn)) and all(map(isfinite, drawn))
            if len(drawn) != count or not are_numbers:
                raise CorruptReplay(f"the replay's draw {stream!r} is not {count} numbers")
            drawn = [float(x) for x in drawn]
        self._keep(stream, drawn)
        return tuple(drawn)

    def _stream(self, name: str) -> Stream:
        if self._seed is None:
            raise AssertionError("a recorded chance has no streams")
        return Stream(self._seed, name)

    def _recorded(self, name: str) -> list[Any]:
        if self._given is None or not isinstance(self._given.get(name), list | tuple):
            raise CorruptReplay(f"the replay lacks the draw {name!r}")
        return list(self._given[name])

    def _keep(self, name: str, drawn: list[Any]) -> None:
        if name in self.record:
            raise AssertionError(f"the stream {name!r} was drawn from twice")
        self.record[name] = drawn


def _same_items(some: Sequence[Any], others: Sequence[Any]) -> bool:
    """Return whether two sequences hold the same JSON values in any order, telling 1, 1.0 and true apart."""
    if {*map(type, some), *map(type, others)} == {str}:
        return sorted(some) == sorted(others)
    return sorted(map(repr, some)) == sorted(map(repr, others))


def _above_zero(source: Stream) -> float:
    while not (uniform := source.random()):
        pass
    return uniform


@cache
def _standard_quantile() -> Callable[[float], float]:
    from statistics import NormalDist  # imported here because it loads slowly and few games need it

    return NormalDist().inv_cdf
