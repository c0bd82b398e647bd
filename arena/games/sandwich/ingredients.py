"""The 56 ingredients as small integers, their families, and how well families go together.

A card is its index in the data file `ingredients.toml`: 0 to 55, seven of each family in turn. With two boxes,
each is there twice, as the same integer. Figures are whole millionths, so that their sums are exact.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import NoReturn

from arena.core.data_files import BadData, place, read_toml
from arena.core.game import JSON

FAMILY_COUNT = 8
FAMILY_SIZE = 7
MILLION = 1_000_000
"""The figure 1 in millionths."""

_PACKAGE = "arena.games.sandwich"
_FILE = "ingredients.toml"
_NAME = re.compile(r"[a-z]+(-[a-z]+)*")
_LARGEST_PAIR = 1.5
_LARGEST_MEAN = 0.1
_DEVIATIONS = (0.5, 0.75)
"""Smallest and largest standard deviation of the pair figures."""


@dataclass(frozen=True, slots=True)
class Ingredients:
    """The checked content of the data file."""

    families: tuple[str, ...]
    """Name of each family."""
    names: tuple[str, ...]
    """Name of each card, family by family."""
    pairs: tuple[tuple[int, ...], ...]
    """For two families, what a pair of their cards adds to a sandwich, in millionths; symmetric."""


def read(data: Mapping[str, JSON], where: str) -> Ingredients:
    """Return the ingredients in a data file; `where` is its name in messages.

    Raises BadData, saying what is wrong and where: names that are missing, duplicate or badly written, pair
    figures that are missing, out of range or too many, or whose overall effect is too large or too small.
    """
    if set(data) != {"families", "pairs"}:
        _refuse(where, "", "there are two tables, families and pairs")
    families = _table(data["families"], where, "families")
    if len(families) != FAMILY_COUNT:
        _refuse(where, "families", f"there are {FAMILY_COUNT} families, not {len(families)}")
    names: list[str] = []
    for family, members in families.items():
        _read_family(family, members, names, where)
    pairs = _read_pairs(_table(data["pairs"], where, "pairs"), tuple(families), where)
    return Ingredients(tuple(families), tuple(names), pairs)


def _read_family(family: str, members: JSON, names: list[str], where: str) -> None:
    """Add a family's ingredients to the names so far."""
    here = f"families.{family}"
    if not _NAME.fullmatch(family):
        _refuse(where, here, "a name is written in lower case, with hyphens")
    if not isinstance(members, list) or len(members) != FAMILY_SIZE:
        _refuse(where, here, f"a family is a list of {FAMILY_SIZE} ingredients")
    for name in members:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            _refuse(where, here, f"{name!r}: a name is written in lower case, with hyphens")
        if name in names:
            _refuse(where, here, f"{name} is there twice")
        names.append(name)


def _read_pairs(rows: Mapping[str, JSON], families: Sequence[str], where: str) -> tuple[tuple[int, ...], ...]:
    """Return the pair figures of all families with each other, in millionths."""
    if list(rows) != list(families):
        _refuse(where, "pairs", f"there is one row for each family, in their order: {', '.join(families)}")
    figures: list[float] = []
    pairs = [[0] * len(families) for _ in families]
    for one, family in enumerate(families):
        row = _table(rows[family], where, f"pairs.{family}")
        if list(row) != list(families[: one + 1]):
            needed = ", ".join(families[: one + 1])
            _refuse(
                where, f"pairs.{family}", f"there is one figure for each of these, in this order: {needed}"
            )
        for other, figure in enumerate(row.values()):
            here = f"pairs.{family}.{families[other]}"
            if type(figure) not in (int, float) or not -_LARGEST_PAIR <= figure <= _LARGEST_PAIR:
                _refuse(
                    where, here, f"a figure lies from {-_LARGEST_PAIR} to {_LARGEST_PAIR}, not {figure!r}"
                )
            if round(figure, 6) != figure:
                _refuse(where, here, f"a figure has at most six decimals, not {figure!r}")
            figures.append(figure)
            pairs[one][other] = pairs[other][one] = round(figure * MILLION)
    _check_spread(figures, where)
    return tuple(map(tuple, pairs))


def _check_spread(figures: Sequence[float], where: str) -> None:
    mean, deviation = fmean(figures), pstdev(figures)
    if abs(mean) > _LARGEST_MEAN:
        _refuse(where, "pairs", f"the mean of the figures is 0 ± {_LARGEST_MEAN}, not {mean:.3f}")
    least, most = _DEVIATIONS
    if not least <= deviation <= most:
        _refuse(where, "pairs", f"the figures' standard deviation is {least} to {most}, not {deviation:.3f}")


def _table(value: JSON, where: str, here: str) -> Mapping[str, JSON]:
    if not isinstance(value, dict):
        _refuse(where, here, "this is a table")
    return value


def _refuse(where: str, here: str, rule: str) -> NoReturn:
    raise BadData(f"{where}: {here}: {rule}" if here else f"{where}: {rule}")


_READ = read(read_toml(_PACKAGE, _FILE), place(_PACKAGE, _FILE))

FAMILIES = _READ.families
"""Name of each family in messages."""
NAMES = _READ.names
"""Name of each card in messages."""
CARDS = {name: card for card, name in enumerate(NAMES)}
"""Card by name."""
FAMILY_NAME_OF = {name: FAMILIES[card // FAMILY_SIZE] for name, card in CARDS.items()}
"""The name of the family of each ingredient, by name."""
FAMILY_OF = tuple(card // FAMILY_SIZE for card in range(len(NAMES)))
"""Family of each card."""
PAIRS = _READ.pairs
"""For two families, what a pair of their cards adds to a sandwich, in millionths."""
PAIRS_OF_CARDS = tuple(tuple(PAIRS[one][other] for other in FAMILY_OF) for one in FAMILY_OF)
"""The same by two cards."""


def names(cards: Sequence[int]) -> list[str]:
    """Return the names of cards, in the same order."""
    return [NAMES[card] for card in cards]
