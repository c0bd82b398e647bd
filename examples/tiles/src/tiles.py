"""2048: slide tiles, merge equal ones, for one player."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from arena.core.chance import Chance, Rng
from arena.core.game import JSON, Decision, Draw, Drawn, Event, Outcome, Pick, Seen
from arena.core.game_defaults import BaseGame
from arena.core.ruleset import GameInfo, Option, Ruleset

MOVES = ("left", "right", "up", "down")


@dataclass(slots=True)
class State:
    """A square of tiles, row by row."""

    size: int
    board: tuple[int, ...]
    """The number on each tile; 0 if a cell is empty."""
    score: int = 0
    """The sum of all tiles made by merging."""
    to_come: int = 2
    """How many tiles appear before the next move."""


def slid(line: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Return a row slid to its beginning, where each pair of equal neighbours merges once, and the points for that.

    >>> slid((2, 2, 2, 0))
    ((4, 2, 0, 0), 4)
    """
    made: list[int] = []
    points, can_merge = 0, False
    for tile in filter(None, line):
        if can_merge and made[-1] == tile:
            made[-1] += tile
            points += made[-1]
            can_merge = False
        else:
            made.append(tile)
            can_merge = True
    return tuple(made + [0] * (len(line) - len(made))), points


def moved(state: State, move: str) -> State:
    """Return the state after a slide, before a new tile appears; the same board if nothing moves."""
    size, board = state.size, [*state.board]
    points = 0
    for number in range(size):
        cells = [size * number + i if move in ("left", "right") else size * i + number for i in range(size)]
        if move in ("right", "down"):
            cells.reverse()
        line, gained = slid(tuple(board[cell] for cell in cells))
        points += gained
        for cell, tile in zip(cells, line, strict=True):
            board[cell] = tile
    return State(size, tuple(board), state.score + points, 1)


class Tiles(BaseGame[State, str]):
    """After each slide a tile appears, a 2 in nine of ten cases, or a 4. The game is over when nothing can move."""

    info = GameInfo(
        name="tiles",
        title="2048",
        version=1,
        summary="Slide and merge tiles; 1 player.",
        rulesets={"classic": {}, "small": {"size": 3}},
        options=(Option("size", "count", "cells in a row, and rows", 4, low=2, high=6),),
        longest_decisions=20_000,
    )
    players = range(1, 2)

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[State, tuple[Event, ...]]:
        """Return an empty board, on which two tiles appear before the first move."""
        size = ruleset.count("size")
        return State(size, (0,) * size**2), (Event("began", {"size": size}),)

    def due(self, state: State) -> Draw | None:
        """Ask for the next tile: any empty cell, and a 2 nine times as often as a 4."""
        empty = [cell for cell, tile in enumerate(state.board) if not tile]
        tiles = tuple([[cell, tile] for cell in empty for tile in (2, 4)])
        return Pick("tile", tiles, (9, 1) * len(empty)) if state.to_come else None

    def drawn(self, state: State, values: Drawn) -> tuple[State, tuple[Event, ...]]:
        """Put the tile on the board."""
        ((cell, tile),) = values
        board = (*state.board[:cell], tile, *state.board[cell + 1 :])
        return replace(state, board=board, to_come=state.to_come - 1), (
            Event("appeared", {"tile": tile, "row": cell // state.size, "column": cell % state.size}),
        )

    def turn(self, state: State) -> tuple[Decision[str], ...] | Outcome:
        """Return the slides that change the board, or the outcome if there are none."""
        legal = tuple([move for move in MOVES if moved(state, move).board != state.board])
        return (Decision(0, "slide", legal),) if legal else Outcome((state.score,))

    def apply(self, state: State, moves: Mapping[int, str]) -> tuple[State, tuple[Event, ...]]:
        """Slide the tiles."""
        self.check(state, moves)
        after = moved(state, moves[0])
        return after, (Event("slid", {"to": moves[0], "points": after.score - state.score}),)

    def scores(self, state: State) -> tuple[int, ...]:
        """Return the points so far."""
        return (state.score,)

    def view(self, state: State, seat: int | None) -> dict[str, JSON]:
        """Return the rows of the board, and the score."""
        rows = [list(state.board[at : at + state.size]) for at in range(0, state.size**2, state.size)]
        return {"rows": rows, "score": state.score}

    def format_move(self, move: str) -> JSON:
        """Return a slide as JSON."""
        return {"type": move}

    def guess(self, seen: Seen, rng: Rng) -> State:
        """Return the state, as the player sees all of it."""
        rows = seen.view["rows"]
        return State(len(rows), tuple(tile for row in rows for tile in row), seen.view["score"], 0)

    def draw(self, view: Mapping[str, JSON], width: int) -> str:
        """Return the board as lines of numbers."""
        lines = ["".join(f"{tile or '.':>6}" for tile in row) for row in view["rows"]]
        return "\n".join([*lines, f"score {view['score']}"])

    def describe(self, event: Mapping[str, JSON]) -> str:
        """Return what happened in a sentence."""
        match event["kind"]:
            case "slid":
                points = f", for {event['points']} points" if event["points"] else ""
                return f"The tiles slide {event['to']}{points}."
            case "appeared":
                return f"A {event['tile']} appears in row {event['row'] + 1}, column {event['column'] + 1}."
            case "began":
                return f"An empty board of {event['size']} × {event['size']}."
        return super().describe(event)


GAME = Tiles()
