"""Options of a game, and rulesets: a game's rules with all options fixed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from arena.core.errors import BadOption, UnknownName

Rotations = Literal["cyclic", "mirror", "balanced", "all", "off"]
"""How the games of a match seat its entries; see `arena.core.seatings.seatings`."""

OptionValue = bool | int | str | tuple[int, ...] | None
"""None means "depends on the number of seats"; `Game.resolve` replaces it."""

MOST_DECIMALS = 4
"""The most decimals that scores may have; `results.base.scoring.added` relies on it."""

MOST_NUMBERS = 100
"""The most numbers in an option that is a list of numbers."""


@dataclass(frozen=True, slots=True)
class Option:
    """One aspect of a game that an organiser can set."""

    name: str
    kind: Literal["flag", "count", "number", "choice", "numbers"]
    """flag: bool · count: int from low to high · number: any int from low to high · choice: one of
    `choices` · numbers: a list of at most 100 ints, each from low to high."""
    summary: str
    default: OptionValue
    choices: tuple[str, ...] = ()
    low: int = 1
    high: int = 1_000_000
    auto: str = ""
    """What None means, in words ("one for each player"); empty if None is not allowed."""
    implied: bool = False
    """For a flag that was added to a game with leagues and replays: it goes without saying while it is off.

    Rulesets, messages and replays then leave it out, so that all that was before stays as it is."""

    def check(self, value: object) -> OptionValue:
        """Return the value in its canonical type. Raises BadOption, listing what is allowed."""
        if value is None and self.auto:
            return None
        if self.kind == "flag" and isinstance(value, bool):
            return value
        if self.kind == "choice" and isinstance(value, str) and value in self.choices:
            return value
        if self.kind in ("count", "number") and type(value) is int and self.low <= value <= self.high:
            return value
        if (
            self.kind == "numbers"
            and isinstance(value, list | tuple)
            and 0 < len(value) <= MOST_NUMBERS
            and all(type(x) is int and self.low <= x <= self.high for x in value)
        ):
            return tuple(value)
        shown = f"{value:,}" if type(value) is int else repr(value)
        raise BadOption(f"{shown} is not {self.allowed}", self.summary, option=self.name)

    def parse(self, text: str) -> OptionValue:
        """Return the value from its command-line form. Raises BadOption."""
        value: object = text
        if text == "auto" and self.auto:
            value = None
        elif self.kind == "flag":
            value = {"true": True, "on": True, "false": False, "off": False}.get(text.lower(), text)
        elif self.kind in ("count", "number", "numbers"):
            try:
                numbers = [int(part) for part in text.split(",")]
                value = numbers if self.kind == "numbers" else numbers[0] if len(numbers) == 1 else text
            except ValueError:
                value = text
        return self.check(value)

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        words = {
            "flag": "true or false",
            "count": f"a whole number from {self.low:,} to {self.high:,}",
            "number": f"a whole number from {self.low:,} to {self.high:,}",
            "choice": "one of " + ", ".join(self.choices),
            "numbers": f"a list of at most {MOST_NUMBERS} whole numbers from {self.low:,} to {self.high:,}",
        }[self.kind]
        return words + (f", or auto ({self.auto})" if self.auto else "")


@dataclass(frozen=True, slots=True)
class GameInfo:
    """What a game declares about itself."""

    name: str
    """The name in messages and files: `bread-basket`."""
    title: str
    version: int
    """Version of the rules; increased only if play can differ."""
    summary: str
    rulesets: Mapping[str, Mapping[str, OptionValue]]
    """Each named ruleset with the options that differ from the defaults; the first one is the default ruleset."""
    options: tuple[Option, ...]
    rotations: Rotations = "cyclic"
    """The recommended rotation of seats in a match."""
    line_bytes: int = 65_536
    """The longest line that the game needs in the protocol."""
    longest_decisions: int | None = None
    """The cap: after this many moves of all seats, forced ones included, the game ends with the scores so far.

    None: the rules end every game. `arena.core.game` covers games that don't end even so."""
    forfeit_loses: Literal["seat", "side"] = "seat"
    """With partners: `seat`: a forfeited seat's partners play on with the house, and the result counts; `side`: the
    first forfeit loses the game for the whole side."""
    shared_score: bool = False
    """Whether all seats always have the same score, as in Hanabi, so that the table does well or badly as a whole."""
    lowest_score: int = 0
    """Where only scores of tables are compared (`counts_tables`): what a seat scores that forfeits. No game ends below.
    """
    decimals: int = 0
    """How many decimals scores have, 0 to `MOST_DECIMALS`. The game counts in units of the last: 25 is 2.5 with one."""
    drawn_events: tuple[str, ...] = ()
    """The kinds of events that its `table.js` draws when a game is watched: the page has no others."""
    steps: tuple[str, ...] = ()
    """The names of reference bots by strength, each measurably better than the one before: people choose by them."""

    def points(self, scores: Sequence[int]) -> tuple[int | float, ...]:
        """Return the game's scores as everybody else has them: numbers with the decimals that they need."""
        if not self.decimals:
            return tuple(scores)
        unit = 10**self.decimals
        return tuple([score / unit if score % unit else score // unit for score in scores])

    def counts_tables(self, seats: int) -> bool:
        """Return whether nobody at a table of this size wins or loses against another, so that its score counts.

        That is so with a single seat, and if all seats share their score.
        """
        return seats == 1 or self.shared_score

    def option(self, name: str) -> Option:
        """Return the option with that name. Raises UnknownName with the list of options."""
        for option in self.options:
            if option.name == name:
                return option
        raise UnknownName("option", name, [o.name for o in self.options], owner=self.name)


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A game's rules with all options fixed; create one with `ruleset`."""

    game: str
    version: int
    name: str
    """The canonical name: the nearest named ruleset and its differences from it, such as `tens+hands=2`."""
    options: Mapping[str, OptionValue] = field(hash=False)
    """Every option of the game, sorted by name, but for those that are `off`."""
    off: frozenset[str] = frozenset()
    """The implied flags that are off."""

    def __getitem__(self, option: str) -> OptionValue:
        return option not in self.off and self.options[option]

    def filled(self, **values: OptionValue) -> "Ruleset":
        """Return the ruleset, under the same name, with values for the options that were left open."""
        open_ones = {name: value for name, value in values.items() if self.options[name] is None}
        return replace(self, options={**self.options, **open_ones})

    @property
    def key(self) -> str:
        """Canonical JSON of the options: equal for equal rules."""
        return json.dumps(self.options, sort_keys=True, separators=(",", ":"))

    def flag(self, option: str) -> bool:
        """Return a true-or-false option."""
        return bool(self[option])

    def count(self, option: str) -> int:
        """Return a numeric option of a ruleset that is resolved for a number of seats."""
        value = self.options[option]
        if type(value) is not int:
            raise AssertionError(f"option {option} is {value!r}: not resolved")
        return value

    def choice(self, option: str) -> str:
        """Return an option that is one of several words."""
        return str(self.options[option])

    def numbers(self, option: str) -> tuple[int, ...]:
        """Return an option that is a list of numbers."""
        value = self.options[option]
        if not isinstance(value, tuple):
            raise AssertionError(f"option {option} is {value!r}: not a list")
        return value


def ruleset(info: GameInfo, name: str | None = None, changes: Mapping[str, object] | None = None) -> Ruleset:
    """Fix all options of a game: those of a named ruleset, with changes applied.

    Raises UnknownName if the ruleset or an option doesn't exist, BadOption if a value is out of range.
    """
    name = name or next(iter(info.rulesets))
    if name not in info.rulesets:
        raise UnknownName("ruleset", name, list(info.rulesets), owner=info.name)
    options = _named(info, name)
    for option, value in (changes or {}).items():
        options[option] = info.option(option).check(value)
    return with_options(info, options)


def with_options(info: GameInfo, options: Mapping[str, OptionValue]) -> Ruleset:
    """Return the ruleset with exactly these options, under its canonical name; implied flags may be left out."""
    implied = {option.name: False for option in info.options if option.implied}
    ordered = dict(sorted({**implied, **options}.items()))
    best: list[str] | None = None
    best_name = ""
    for name in info.rulesets:
        named = _named(info, name)
        differing = [option for option in ordered if ordered[option] != named[option]]
        if best is None or len(differing) < len(best):
            best, best_name = differing, name
    shown = "".join(f"+{option}={show(ordered[option])}" for option in best or [])
    off = frozenset(name for name in implied if not ordered[name])
    said = {name: value for name, value in ordered.items() if name not in off}
    return Ruleset(info.name, info.version, best_name + shown, said, off)


def show(value: OptionValue) -> str:
    """Return an option's value in its command-line form."""
    if value is None:
        return "auto"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(str, value))
    return str(value)


def name_in_words(name: str) -> str:
    """Return the name of a ruleset in words.

    >>> [name_in_words(name) for name in ("tens", "tens+hands=1+chef_second=on", "fr+boxes=2+points=3,1,0")]
    ['tens', 'tens, 1 hand, chef second', 'fr, 2 boxes, points 3,1,0']
    """
    first, *changes = name.split("+")
    words = [first]
    for option, _, value in (one.partition("=") for one in changes):
        title = option.replace("_", " ")
        if value in ("on", "off"):
            words.append(title if value == "on" else f"no {title}")
        elif value.isdecimal() and title.endswith("s"):
            words.append(f"{value} {title.removesuffix('s') if value == '1' else title}")
        else:
            words.append(f"{title} {value}".rstrip())
    return ", ".join(words)


def players(seats: Sequence[int]) -> str:
    """Return numbers of seats in words: `4 players`, `2 to 6 players`, `2, 4 or 6 players`."""
    return f"{numbers(seats)} player{'' if [*seats] == [1] else 's'}"


def numbers(seats: Sequence[int], to: str = " to ") -> str:
    """Return numbers of seats: `4`, `2 to 6`, `2, 4 or 6`, and `no number of` if there are none."""
    if len(seats) > 2 and seats[-1] - seats[0] == len(seats) - 1:
        return f"{seats[0]}{to}{seats[-1]}"
    *others, most = map(str, seats or ("no number of",))
    return f"{', '.join(others)} or {most}" if others else most


def _named(info: GameInfo, name: str) -> dict[str, OptionValue]:
    options = {option.name: option.default for option in info.options}
    options.update(info.rulesets[name])
    return options
