"""Replay bodies: complete games as JSON, which you can read and check without the bots.

A body holds the deal (chance by stream), the moves, the events, the faults and
the result. `check` replays it by the rules and compares everything that follows from
them: everything except the entrants, the notes and the wording of the verdicts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import msgspec

from arena.core.chance import Chance
from arena.core.errors import ArenaError, CorruptReplay
from arena.core.game import (
    JSON,
    AnyGame,
    Decision,
    Event,
    Outcome,
    Recorder,
    Sides,
    capped,
    is_decided,
    play_chance,
    ranks_with_faults,
    scores_with_faults,
    sides_of,
)
from arena.core.move_parsing import Made, maker_of
from arena.core.ruleset import Ruleset, ruleset

FORMAT = 1
"""Version of the body's format."""
KEYS = frozenset(
    {
        "format", "game", "rules_version", "ruleset", "options", "seats", "entries", "chance", "moves", "faults",
        "events", "scores", "ranks", "verdicts",
    }
)  # fmt: skip
"""The keys of a body."""

Body = Mapping[str, Any]

_ILL_FORMED = (KeyError, TypeError, AttributeError, ValueError, IndexError, ArithmeticError, AssertionError)
"""What games and Python raise for malformed JSON."""


canonical = msgspec.json.Encoder(order="sorted").encode
"""Encode the body, or any part of it, as canonical JSON: sorted keys, no spaces, UTF-8, shortest numbers."""


def fingerprint(canonical_body: bytes) -> str:
    """Return the SHA-256 of a canonical body in hexadecimal."""
    return sha256(canonical_body).hexdigest()


def event_json(event: Event) -> dict[str, JSON]:
    """Return an event as a body stores it: the public part, and what particular seats see beyond that."""
    record: dict[str, JSON] = {"kind": event.kind, "data": dict(event.data)}
    if event.private:
        record["private"] = {str(seat): dict(more) for seat, more in sorted(event.private.items())}
    return record


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of a replay: the moves made at once, and what happened."""

    state: Any
    """Before the moves."""
    moves: tuple[Mapping[str, JSON], ...]
    """As in the body: seat, move, by, note."""
    events: tuple[Event, ...]
    """Forfeits first."""
    after: Any
    decision: int = 0
    """The decision number of these moves: how many moves the game had before them, forced ones included. Seats that
    decide at once share it. Faults, times and displays count decisions in the same way."""


def steps(game: AnyGame, body: Body) -> Iterator[Step]:
    """Play a body by the rules, turn by turn; the first step is the deal, without moves.

    Raises CorruptReplay if a move is missing, illegal, made by the wrong seat or marked with an impossible maker,
    or if a fault or the end of the game is in an impossible place.
    """
    with _doubting():
        for turn in _Played(game, body, game.apply).turns():
            yield Step(*turn)


def check(game: AnyGame, body: Body) -> None:
    """Play a body by the rules and compare every event and score. Raises CorruptReplay at the first difference."""
    if not isinstance(body, Mapping) or set(body) != KEYS:
        raise CorruptReplay(f"a replay's body holds {', '.join(sorted(KEYS))}, and nothing else")
    _same("format", body["format"], FORMAT)
    _same("game", body["game"], game.info.name)
    _same("version of the rules", body["rules_version"], game.info.version)
    with _doubting():
        played = _Played(game, body, maker_of(game))
        played.compare([event_json(event) for _, _, events, _, _ in played.turns() for event in events])


def sides_in(game: AnyGame, body: Body) -> Sides:
    """Return the side of each seat of a body's game; empty if every seat plays for itself. Raises CorruptReplay."""
    with _doubting():
        seats = _whole(body["seats"])
        return sides_of(game, game.resolve(ruleset_named(game, body["ruleset"]), seats), seats)


def draws_of(game: AnyGame, rules: Ruleset, seats: int, body: Body, seed: bytes) -> dict[str, list[JSON]]:
    """Return everything that chance draws from a seed in a game with a body's moves, by stream.

    `rules` are resolved for the number of seats. Raises CorruptReplay if these moves are impossible, because the
    body was played on another seed or by other rules.
    """
    chance = Chance(seed=seed)
    if not hasattr(game, "due"):
        game.deal(seats, rules, chance)
        return chance.record
    with _doubting():
        _same("options", body["options"], dict(rules.options))
        _same("seats", body["seats"], seats)
        for _ in _Played(game, body, maker_of(game), chance=chance).turns():
            pass
    return chance.record


@contextmanager
def _doubting() -> Iterator[None]:
    """Blame the body for any error inside the block."""
    try:
        yield
    except CorruptReplay:
        raise
    except ArenaError as error:
        raise CorruptReplay(f"the replay's body is not well formed: {error}") from error
    except _ILL_FORMED as error:
        raise CorruptReplay(f"the replay's body is not well formed: {error!r}") from error


_Turn = tuple[Any, tuple[Mapping[str, JSON], ...], tuple[Event, ...], Any, int]
"""The fields of a `Step`: to build one for each turn takes time that checks don't have."""


def deal_follows(game: AnyGame, rules: Ruleset, seats: int, body: Body, seed: bytes) -> bool:
    """Return whether every chance draw of a game follows from its match's seed; see `draws_of`."""
    try:
        return bool(canonical(draws_of(game, rules, seats, body, seed)) == canonical(body["chance"]))
    except CorruptReplay:
        return False


@dataclass(slots=True)
class _Played:
    """A body while it is being played by the rules."""

    game: AnyGame
    body: Body
    make: Callable[[Any, Mapping[int, Any]], Made]
    """Makes the moves of a turn: `Game.apply`, or what may change the state if nobody keeps it."""
    right: list[Mapping[str, JSON]] = field(default_factory=list)
    """The moves so far as they should be in the body; its notes are right."""
    out: dict[int, Mapping[str, JSON]] = field(default_factory=dict)
    """The faults so far, by seat."""
    rules: Ruleset | None = None
    chance: Chance | None = None
    """The source of draws; None: the body itself."""
    state: Any = None
    outcome: Outcome | None = None
    sides: Sides = ()

    @property
    def seats(self) -> int:
        return _whole(self.body["seats"])

    @property
    def faults(self) -> dict[int, int]:
        """The decision at which each seat was at fault so far."""
        return {seat: _whole(fault["at_decision"]) for seat, fault in self.out.items()}

    @property
    def loses_side(self) -> bool:
        return self.game.info.forfeit_loses == "side"

    def turns(self) -> Iterator[_Turn]:
        body, game = self.body, self.game
        seats = self.seats
        self.rules = game.resolve(ruleset_named(game, body["ruleset"]), seats)
        _same("options", body["options"], dict(self.rules.options))
        self.sides = sides_of(game, self.rules, seats)
        self.chance = self.chance or Chance(record=body["chance"])
        draw = Recorder(self.chance)
        draws_late = hasattr(game, "due")
        state, events = game.deal(seats, self.rules, self.chance)
        state, drawn = play_chance(game, state, draw)
        moves, faults = _list(body["moves"]), _list(body["faults"])
        made = 0
        yield state, (), (*events, *drawn), state, 0
        while True:
            self.state = state
            turn = game.turn(state)
            if isinstance(turn, Outcome):
                self.outcome = turn
                turn = ()
            elif (cap := capped(game.info, made)) is not None:
                yield state, (), (cap,), state, made
                turn = ()
            forfeits = self._forfeits(faults, made, turn) if faults else ()
            if not turn or is_decided(seats, self.faults, self.sides, loses_side=self.loses_side):
                break
            now = tuple(moves[made : made + len(turn)])
            after, events = self._make(state, turn, now, made)
            if draws_late:
                after, drawn = play_chance(game, after, draw)
                events = (*events, *drawn)
            yield state, now, (*forfeits, *events) if forfeits else events, after, made
            state = after
            made += len(now)
        if forfeits:
            yield state, (), forfeits, state, made
        if made != len(moves):
            raise CorruptReplay(f"the game is over after {made} moves, and the replay has {len(moves)}")
        if len(self.out) != len(faults):
            raise CorruptReplay("a fault is said to have happened after the end of the game")

    def _forfeits(
        self, faults: Sequence[Mapping[str, JSON]], made: int, turn: Sequence[Decision[Any]]
    ) -> tuple[Event, ...]:
        """Return a turn's forfeits: seats that didn't start (before the first) or took others' time (end)."""
        asked = {decision.seat for decision in turn if not decision.forced}
        forfeits = []
        for fault in faults:
            if _whole(fault["at_decision"]) != made:
                continue
            seat, verdict = _whole(fault["seat"]), fault["verdict"]
            if set(fault) != {"seat", "verdict", "at_decision"} or not isinstance(verdict, str):
                raise CorruptReplay(f"{dict(fault)} is not a fault")
            if seat in self.out or not 0 <= seat < self.seats or (made and turn and seat not in asked):
                raise CorruptReplay(f"seat {seat} cannot have been at fault after {made} moves")
            self.out[seat] = fault
            forfeits.append(Event("forfeit", {"seat": seat, "verdict": verdict}))
        return tuple(forfeits)

    def _make(
        self, state: Any, turn: Sequence[Decision[Any]], now: Sequence[Mapping[str, JSON]], made: int
    ) -> Made:
        """Judge the moves of a turn, and make them."""
        if not now:
            raise CorruptReplay(f"the replay ends after {made} moves, before the game does")
        if len(now) != len(turn):
            raise _wrong_seats(made)
        game = self.game
        parsed = {}
        try:
            for decision, record in zip(turn, now, strict=True):
                seat, legal = decision.seat, decision.legal
                if _whole(record["seat"]) != seat:
                    raise _wrong_seats(made)
                parsed[seat] = move = game.parse_move(state, seat, record["move"])
                is_forced = legal is not None and len(legal) == 1
                maker = "engine" if is_forced else "house" if seat in self.out else "bot"
                right = {"seat": seat, "move": game.format_move(move), "by": maker}
                self.right.append(right if record == right else _with_note(record, right, made))
            return self.make(state, parsed)
        except CorruptReplay:
            raise
        except ArenaError as error:
            raise CorruptReplay(f"move {made}: {error}") from error

    def compare(self, found: Sequence[JSON]) -> None:
        body = self.body
        if self.rules is None or self.chance is None:
            raise AssertionError("compared before it was played")
        _same("ruleset", body["ruleset"], self.rules.name)
        _same("chance", body["chance"], self.chance.record)
        # One comparison is quicker than one for each move.
        if canonical(body["moves"]) != canonical(self.right):
            for number, (right_move, move) in enumerate(zip(self.right, body["moves"], strict=True)):
                _same(f"move {number}", move, right_move)
        given = _list(body["events"])
        if canonical(given) != canonical(found):  # one comparison takes half the time of one for each event
            for number, (right, event) in enumerate(zip(found, given, strict=False)):
                _same(f"event {number}", event, right)
            _same("number of events", len(given), len(found))
        scores = self.outcome.scores if self.outcome else self.game.scores(self.state)
        scores = scores_with_faults(self.game.info, scores, self.faults)
        _same("scores", body["scores"], self.game.info.points(scores))
        ranks = ranks_with_faults(scores, self.faults, self.sides, loses_side=self.loses_side)
        _same("ranks", body["ranks"], ranks)
        verdicts = [self.out[seat]["verdict"] if seat in self.out else None for seat in range(self.seats)]
        _same("verdicts", body["verdicts"], verdicts)
        entries = _list(body["entries"])
        if len(entries) != self.seats or not all(
            set(entry) == {"label", "version"} and all(isinstance(word, str) for word in entry.values())
            for entry in entries
        ):
            raise CorruptReplay("the entries are not a label and a version for each seat")


def _wrong_seats(made: int) -> CorruptReplay:
    return CorruptReplay(f"move {made}: the seats that move are not those whose turn it is")


def _with_note(record: Mapping[str, JSON], right: dict[str, JSON], made: int) -> dict[str, JSON]:
    """Return a right move with the note of the one in the body. Raises CorruptReplay if they differ in more."""
    maker = right["by"]
    if not _alike(record["move"], right["move"]):
        raise _different(f"form of move {made}", record["move"], right["move"])
    if not _alike(record["by"], maker):
        raise _different(f"maker of move {made}", record["by"], maker)
    if set(record) - set(right) != {"note"} or maker != "bot" or not isinstance(record["note"], str):
        raise CorruptReplay(f"move {made} holds what no move of the {maker} has")
    return {**right, "note": record["note"]}


def ruleset_named(game: AnyGame, name: str) -> Ruleset:
    """Return the ruleset with a canonical name, such as `tens+hands=2`; not yet resolved for a number of seats."""
    named, *changes = name.split("+")
    options = dict(change.split("=", 1) for change in changes)
    return ruleset(
        game.info, named, {key: game.info.option(key).parse(text) for key, text in options.items()}
    )


def _same(what: str, given: JSON, right: JSON) -> None:
    if not _alike(given, right):
        raise _different(what, given, right)


def _alike(given: JSON, right: JSON) -> bool:
    """Return whether two JSON values are the same, telling 1, 1.0 and true apart."""
    if type(given) is str and type(right) is str:
        return given == right
    return canonical(given) == canonical(right)


def _different(what: str, given: JSON, right: JSON) -> CorruptReplay:
    return CorruptReplay(f"{what}: the replay has {given!r}, by the rules it is {right!r}")


def _whole(value: JSON) -> int:
    if type(value) is not int:
        raise CorruptReplay(f"the replay has {value!r} where a whole number belongs")
    return value


def _list(value: JSON) -> list[JSON]:
    if not isinstance(value, list):
        raise CorruptReplay(f"the replay has {value!r} where a list belongs")
    return value
