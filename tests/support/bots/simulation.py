"""Bots against the engine, without a referee: programs on the kit loaded into this process, or real processes."""

import importlib.util
import random
import shutil
import subprocess
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from math import sqrt
from pathlib import Path
from statistics import NormalDist, fmean, stdev
from typing import Any, Protocol

from arena import engine, registry
from arena.core.chance import Chance
from arena.core.game import Event, Outcome
from arena.core.ruleset import ruleset
from arena.engine import search
from arena.sandbox.bot_program import stage_engine
from arena.submissions.manifest import read_manifest
from protocol import kit
from tests.support.bots.scripted_arena import END, HELLO, KIT, START, ScriptedArena

ALL_BOTS = Path(__file__).parents[3] / "bots"
Message = dict[str, Any]


def folder_of(game: str, name: str) -> Path:
    """Return the folder of a bot that plays a game: the game's own, or one for any game."""
    own = ALL_BOTS / game.replace("-", "_") / name
    return own if own.is_dir() else ALL_BOTS / "any_game" / name


def load_bot(game: str, name: str, *arguments: str) -> tuple[Any, Any]:
    """Return what the program of a bot gives to `run` when started with these arguments, and the program."""
    return load(folder_of(game, name), *arguments)


def load(folder: Path, *arguments: str) -> tuple[Any, Any]:
    """Return what a bot's program gives to `run` when started with these arguments, and the program as a module."""
    given: list[Any] = []
    stand_in = types.ModuleType("arena_kit")
    stand_in.__dict__.update(Bot=kit.Bot, run=given.append)
    name = f"bots_{folder.parent.name}_{folder.name}"
    spec = importlib.util.spec_from_file_location(name, folder / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    beside = {path.stem for path in folder.glob("*.py")}
    stood_in = ("arena_kit", "arena_engine", "arena_engine.search", *beside)
    before = {word: sys.modules.pop(word) for word in stood_in if word in sys.modules}
    path, argv = sys.path[:], sys.argv
    sys.modules["arena_kit"] = stand_in
    sys.modules.update({"arena_engine": engine, "arena_engine.search": search})
    sys.path.insert(0, str(folder))
    sys.argv = ["bot.py", *arguments]
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path[:], sys.argv = path, argv
        for word in stood_in:
            sys.modules.pop(word, None)
        sys.modules.update(before)
    return given[0], module


class Seat(Protocol):
    """Whatever answers at a seat, for one game."""

    def start(self, message: Message) -> None:
        """Begin a game."""

    def ask(self, message: Message) -> Any:
        """Return the move."""

    def end(self) -> None:
        """Take note that the game is over."""


class KitSeat:
    """A bot of the kit within this process, as fast as can be."""

    def __init__(self, made: Any) -> None:
        self.made = made
        self.bot: Any = None

    def start(self, message: Message) -> None:
        """Begin a game with an object of its own."""
        current = kit.Game(message)
        self.bot = self.made() if isinstance(self.made, type) else kit._Function(self.made)
        self.bot.game = current
        if hasattr(self.bot, "start"):
            self.bot.start(current)

    def ask(self, message: Message) -> Any:
        """Tell the events and return the move."""
        for event in message["events"]:
            self.bot.game.events.append(event)
            if hasattr(self.bot, "event"):
                self.bot.event(event)
        return self.bot.move(message)

    def end(self) -> None:
        """Forget the game."""
        self.bot = None


class ProcessSeat:
    """A bot's real process."""

    def __init__(self, arena: ScriptedArena) -> None:
        self.arena = arena
        assert arena.exchange(HELLO) == {"type": "hello", "protocol": 1}

    def start(self, message: Message) -> None:
        """Begin a game."""
        assert self.arena.exchange(message) == {"type": "ready"}

    def ask(self, message: Message) -> Any:
        """Return the move of the answer, which bears the id of the ask."""
        answer = self.arena.exchange(message)
        assert answer["type"] == "move"
        assert answer["id"] == message["id"]
        return answer["move"]

    def end(self) -> None:
        """Tell that the game is over."""
        self.arena.say(END)


@contextmanager
def bot_processes(place: Path) -> Iterator[Callable[..., ScriptedArena]]:
    """Yield what starts a bot's process, by game, name and arguments, in a folder of its own; all end afterwards."""
    engine_folder = stage_engine(place / "engine")
    with ExitStack() as stack:

        def begin(game: str, name: str, *arguments: str) -> ScriptedArena:
            folder = place / str(len(list(place.iterdir())))
            shutil.copytree(folder_of(game, name), folder, ignore=shutil.ignore_patterns("__pycache__"))
            manifest = read_manifest(folder)
            if manifest.build:
                subprocess.run(manifest.build, cwd=folder, check=True)
            if manifest.kit:
                shutil.copy(KIT, folder / "arena_kit.py")
            path = ["env", f"PYTHONPATH={engine_folder}"] if manifest.engine else []
            command = [sys.executable if word == "python3" else word for word in manifest.command]
            return stack.enter_context(ScriptedArena([*path, *command, *arguments], folder))

        yield begin


def play(
    name: str,
    seats: Sequence[Seat],
    seed: int,
    rules: str | None = None,
    options: Mapping[str, object] | None = None,
    watch: Callable[[Any, int], None] | None = None,
) -> tuple[Outcome, list[tuple[int, Any]]]:
    """Play one game; return its outcome and the moves (seat, move as JSON) that were asked for.

    `watch` is called with the state and the seat before each ask.
    """
    game = registry.game(name)
    resolved = game.resolve(ruleset(game.info, rules, options), len(seats))
    state, events = game.deal(len(seats), resolved, Chance(seed=b"%d" % seed))
    examples = random.Random(seed)
    log: list[Event] = list(events)
    told = [0] * len(seats)
    made: list[tuple[int, Any]] = []
    for seat, player in enumerate(seats):
        start = {"game": name, "ruleset": resolved.name, "options": dict(resolved.options)}
        own = {"seat": seat, "seats": len(seats), "private": game.private(state, seat)}
        player.start({**START, **start, **own, "bot_seed": seed * 16 + seat})
    while not isinstance(turn := game.turn(state), Outcome):
        moves = {}
        for decision in turn:
            seat = decision.seat
            if decision.forced and decision.legal:
                moves[seat] = decision.legal[0]
                continue
            ask: Message = {
                "type": "ask",
                "id": len(made) + 1,
                "kind": decision.kind,
                "view": game.view(state, seat),
                "events": [event.seen_by(seat) for event in log[told[seat] :]],
                "time": {"move_ms": 1000, "bank_ms": 10000},
            }
            if decision.legal is None:
                ask["example"] = game.format_move(game.sample_move(state, seat, examples))
            else:
                ask["legal"] = [game.format_move(move) for move in decision.legal]
            if watch is not None:
                watch(state, seat)
            raw = seats[seat].ask(ask)
            told[seat] = len(log)
            made.append((seat, raw))
            moves[seat] = game.parse_move(state, seat, raw)
        state, events = game.apply(state, moves)
        log.extend(events)
    for player in seats:
        player.end()
    return turn, made


class Meeting:
    """Matches between two bots: every deal with the bots' seats exchanged, so that neither sits better.

    With an even number of seats they sit in turn, with an odd one the first sits alone among copies of the
    second, at every seat in turn.
    """

    def __init__(
        self,
        game: str,
        first: Any,
        second: Any,
        seats: int,
        rules: str,
        options: Mapping[str, object] | None = None,
    ) -> None:
        self.game = game
        self.made = [[KitSeat(bot) for _ in range(seats)] for bot in (first, second)]
        self.seats = seats
        self.rules = rules
        self.options = options
        self.leads: list[float] = []
        """For each match, by how many points a game the first bot's seats were ahead of the second's."""

    def __str__(self) -> str:
        low, high = self.interval
        lead, error = self.lead
        return (
            f"{self.rules}, {self.seats} seats, {len(self.leads)} matches: {self.won:.1%} won "
            f"({low:.1%} to {high:.1%}), {lead:+.2f} ± {error:.2f} points a game"
        )

    def seatings(self) -> list[list[int]]:
        if self.seats % 2 == 0:
            return [[(seat + side) % 2 for seat in range(self.seats)] for side in (0, 1)]
        return [[int(seat != alone) for seat in range(self.seats)] for alone in range(self.seats)]

    def play(self, matches: int, first_deal: int = 0) -> None:
        for deal in range(first_deal, first_deal + matches):
            leads = []
            for who in self.seatings():
                players = [self.made[bot][seat] for seat, bot in enumerate(who)]
                scores = play(self.game, players, deal, self.rules, self.options)[0].scores
                points: list[list[int]] = [[], []]
                for bot, score in zip(who, scores, strict=True):
                    points[bot].append(score)
                leads.append(fmean(points[0]) - fmean(points[1]))
            self.leads.append(fmean(leads))

    @property
    def won(self) -> float:
        """The share of matches that the first bot won, ties half."""
        return fmean([0.5 if abs(lead) < 1e-9 else float(lead > 0) for lead in self.leads])

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share of matches won (Wilson's)."""
        z, n = NormalDist().inv_cdf(0.975), len(self.leads)
        middle = (self.won + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * sqrt(self.won * (1 - self.won) / n + z * z / (4 * n * n))
        return middle - half, middle + half

    @property
    def lead(self) -> tuple[float, float]:
        """The mean lead in points a game, and its standard error."""
        return fmean(self.leads), stdev(self.leads) / sqrt(len(self.leads))
