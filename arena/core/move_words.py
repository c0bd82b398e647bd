"""How people read and write a game's moves. A game may have a member `wording`; `wording_of` supplies it for the rest.

Everything here works on what a seat is sent: views, listed moves, its private knowledge. No state is needed, so
a person is told no more than a bot.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from textwrap import wrap
from typing import Any, Protocol, runtime_checkable

from arena.core.errors import ArenaError
from arena.core.game import JSON, AnyGame


class Unreadable(ArenaError):
    """A line that can't be read as a move; the message says what to write instead."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision as a person gets it, like the `ask` of a bot."""

    kind: str
    view: Mapping[str, JSON]
    options: Mapping[str, JSON]
    """The options of the ruleset, all filled in."""
    legal: Sequence[JSON] | None
    """All legal moves as JSON; None if the move has to be composed."""
    example: JSON = None
    """A legal move, if they aren't listed."""
    names: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the listed moves."""

    key: str
    """What to type for it; unique among the choices of a decision, ignoring case."""
    text: str
    """The move in words; empty if its key and the title of its group say everything."""
    move: JSON
    gain: str = ""
    """What it gains at once, in a few characters, such as `+6`; empty if that is nothing, or isn't known."""
    effect: str = ""
    """What it does, such as `turn up cards until the colour changes`; empty if `text` says that."""

    @property
    def words(self) -> str:
        """The move with what it does, on one line."""
        return f"{self.text}: {self.effect}" if self.effect else self.text


@dataclass(frozen=True, slots=True)
class Group:
    """Choices that belong together, such as the cards that can be played."""

    title: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """Something that a composed move is made of, such as a card."""

    key: str
    """Unique in the form."""
    text: str
    group: str = ""
    """What it belongs to, such as a family of ingredients; empty if that is nothing."""
    slot: int | None = None
    """The only slot that it fits; None if it fits every slot."""
    card: str = ""
    """The name of the card in views, if it is one."""
    seat: int | None = None
    """The player whose hand it is in, if it is in one."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A part of a composed move: some items in an order."""

    title: str
    least: int
    most: int
    word_chars: int = 0
    """Longest comment that may go with it; 0 for none."""
    ordered: bool = True
    seat: int | None = None
    """The player who gets it."""
    remark: str = ""
    """What to know about its order, such as `the last goes on top`."""


@dataclass(frozen=True, slots=True)
class Form:
    """How to compose a move without writing it: each item goes into at most one slot."""

    slots: tuple[Slot, ...]
    items: tuple[Item, ...]
    send: str
    """What making the move is called, on a button."""
    instead: tuple[Choice, ...] = ()
    """Moves to make instead, such as no offer."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What a person has put into a form."""

    slots: tuple[tuple[str, ...], ...]
    """The keys of the items in each slot, in order."""
    words: tuple[str, ...] = ()
    """The comment of each slot."""


class Wording(Protocol):
    """A game's words for people. Players are called `seat 2`, and displays put their names in. All methods are pure."""

    def choices(self, asked: Asked) -> Sequence[Group]:
        """Return the listed moves in groups."""

    def how(self, asked: Asked) -> Sequence[str]:
        """Return lines that tell how to write a composed move, with what it is composed of."""

    def read(self, text: str, asked: Asked) -> JSON:
        """Return the move that a line stands for, if it isn't the key of a choice. Raises Unreadable."""

    def known(self, private: Mapping[str, JSON]) -> Sequence[str]:
        """Return in lines what a seat knows from the start of a game; nothing if that is nothing."""

    def secret(self, view: Mapping[str, JSON], public: Mapping[str, JSON]) -> str:
        """Return what is in a seat's view and hidden from spectators, such as a hand; empty if nothing is."""


@runtime_checkable
class FormWording(Protocol):
    """What a wording may offer besides: forms for the moves that are composed."""

    def form(self, asked: Asked) -> Form | None:
        """Return the form for a decision; None if its moves are listed."""

    def composed(self, filled: Filled, asked: Asked) -> JSON:
        """Return the move that a filled form stands for; the rules judge it. Raises Unreadable."""


@runtime_checkable
class ChosenWording(Protocol):
    """What a wording may offer besides: words for moves that were made."""

    def chosen(self, asked: Asked, move: JSON) -> str:
        """Return what a player chose in a decision, such as `wants ham, then fig`; empty: its type and fields."""


@runtime_checkable
class LearntWording(Protocol):
    """What a wording may offer besides: words for what an event told one of several seats."""

    def learnt(self, private: Mapping[str, JSON]) -> str:
        """Return what a seat learnt, on one line; empty if its picture says it."""


@runtime_checkable
class WorthWording(Protocol):
    """What a wording may offer besides: figures on cards, in a game in which they aren't worth the same to all."""

    def worth(self, private: Mapping[str, JSON]) -> Mapping[str, float]:
        """Return what each card is worth to a seat, by name, from what the seat knows from the start."""


@runtime_checkable
class SpelledWording(Protocol):
    """What a wording may offer besides: how cards are written on the site, where nobody types their names."""

    spelling: Mapping[str, str]
    """By the name of a card in moves and views, such as `J♠` for `Js`; cards that are left out keep their names."""


def wording_of(game: object) -> Wording:
    """Return a game's wording."""
    found: Wording | None = getattr(game, "wording", None)
    return PlainWording() if found is None else found


class PlainWording:
    """The wording for games that have none of their own: numbered moves, and JSON for composed ones."""

    def choices(self, asked: Asked) -> Sequence[Group]:
        """Return the moves numbered from 1, one group for each type, and one for all that are only a type."""
        named = [(words(move["type"]), _fields(move), move) for move in asked.legal or ()]
        return numbered(
            [(title, text, move) if text else ("moves", title, move) for title, text, move in named]
        )

    def how(self, asked: Asked) -> Sequence[str]:
        """Return the example."""
        return ["Write the move as JSON, such as", f"  {json.dumps(asked.example)}"]

    def read(self, text: str, asked: Asked) -> JSON:  # noqa: ARG002 - any JSON value may be a move
        """Return the JSON value that a line contains. Raises Unreadable."""
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise Unreadable("this is neither the number of a move nor JSON") from None

    def known(self, private: Mapping[str, JSON]) -> Sequence[str]:
        """Return a line for each key."""
        return [f"{words(key)}: {words(value)}" for key, value in private.items()]

    def secret(self, view: Mapping[str, JSON], public: Mapping[str, JSON]) -> str:
        """Return the keys of the view that the public view lacks, or has with another value."""
        beyond = {
            key: value
            for key, value in view.items()
            if key != "seat" and (key not in public or public[key] != value)
        }
        return ", ".join(f"{words(key)} {words(value)}" for key, value in beyond.items())


def numbered(moves: Sequence[tuple[str, str, JSON]]) -> list[Group]:
    """Return moves, each with the title of its group and its words, as groups with keys from 1."""
    groups: dict[str, list[tuple[str, JSON]]] = {}
    for title, text, move in moves:
        groups.setdefault(title, []).append((text, move))
    keys = map(str, count(1))
    return [
        Group(title, tuple(Choice(next(keys), text, move) for text, move in own))
        for title, own in groups.items()
    ]


def _fields(move: Mapping[str, JSON]) -> str:
    told = [(key, value) for key, value in move.items() if key != "type"]
    if len(told) == 1:
        return words(told[0][1])
    return ", ".join(f"{words(key)} {words(value)}" for key, value in told)


def words(value: JSON) -> str:
    """Return a JSON value for people, on one line; text that wouldn't stand out from its surroundings is JSON."""
    if isinstance(value, list | tuple):
        simple = all(type(item) is int or _is_plain(item) for item in value)
        return " ".join(map(str, value)) or "–" if simple else json.dumps(value)
    return value if _is_plain(value) else json.dumps(value)


def _is_plain(value: JSON) -> bool:
    return isinstance(value, str) and value.isprintable() and value.strip() == value != ""


LONGEST = 16
"""Names in drawings of the table are cut to this many characters."""
_SEAT = re.compile(r"\b[Ss]eat (\d+)\b")
_ROW = re.compile(r"^([ >]{0,2})seat (\d+)(?=  )")


def seat_names(labels: Sequence[str]) -> list[str]:
    """Return a name for each seat; players with the same label are numbered.

    >>> seat_names(["greedy", "ann", "greedy"])
    ['greedy 1', 'ann', 'greedy 2']
    """
    names: list[str] = []
    for seat, name in enumerate(labels):
        number = labels[:seat].count(name) + 1
        names.append(f"{name} {number}" if labels.count(name) > 1 else name)
    return names


def with_names(text: str, names: Sequence[str]) -> str:
    """Return a text with the names of players instead of the numbers of their seats.

    >>> with_names("Seat 1 gives seat 0 ham.", ["ann", "bob"])
    'bob gives ann ham.'
    """

    def name(found: re.Match[str]) -> str:
        seat = int(found[1])
        return names[seat] if seat < len(names) else found[0]

    return _SEAT.sub(name, text)


def spelled(rules: AnyGame, text: str) -> str:
    """Return a text in which players are still called by their seats, with the spelling of the game's cards."""
    wording = wording_of(rules)
    if not isinstance(wording, SpelledWording):
        return text
    spelling = wording.spelling
    return _any_of(tuple(spelling)).sub(lambda found: spelling[found[0]], text)


def worth_of(rules: AnyGame, private: Mapping[str, JSON]) -> dict[str, float]:
    """Return what each card is worth to a seat, to a tenth; empty in games in which that is the same for all."""
    wording = wording_of(rules)
    if not private or not isinstance(wording, WorthWording):
        return {}
    return {card: round(worth, 1) for card, worth in wording.worth(private).items()}


@cache
def _any_of(cards: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(cards, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")


def told(rules: AnyGame, event: Mapping[str, Any], names: Sequence[str], *, in_words: bool = False) -> str:
    """Return an event (in its wire format) as a sentence with names; `in_words`: cards are spelled."""
    match event["kind"]:
        case "forfeit":
            return f"*** {names[event['seat']]} is out: {event['verdict']}"
        case "cap":
            return f"*** the game ends at the limit of {event['decisions']} moves; the scores stand"
    sentence = rules.describe(event)
    return with_names(spelled(rules, sentence) if in_words else sentence, names)


def drawn(rules: AnyGame, view: Mapping[str, Any], width: int, names: Sequence[str]) -> list[str]:
    """Return the picture of a view in lines of at most `width` columns, with names."""
    short = [_cut(name) for name in names]
    cells = max(map(len, short))
    lines: list[str] = []
    for line in rules.draw(view, max(_LEAST, width - max(0, cells - len("seat 0")))).split("\n"):
        row = _ROW.match(line)
        if row is not None and int(row[2]) < len(short):
            pad = cells + 1 - len(row[2])  # games make room for the digits of a seat
            lines.append(f"{row[1]}{short[int(row[2])]:<{pad}}{with_names(line[row.end() :], short)}")
            continue
        named = with_names(line, short)
        indent = " " * (len(named) - len(named.lstrip()) + 2)
        lines += [named] if len(named) <= width else wrap(named, width, subsequent_indent=indent)
    return lines


def _cut(name: str) -> str:
    """Return a name of at most LONGEST characters, cut in the middle: what tells names apart is often at the end.

    >>> _cut("python-sandwich-player 2")
    'python-san…yer 2'
    """
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1 - _KEPT_AT_END]}…{name[-_KEPT_AT_END:]}"


_KEPT_AT_END = 5
_LEAST = 40
"""The smallest width that games draw for."""
