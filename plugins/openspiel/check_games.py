"""Finds out what there is to say about each game of OpenSpiel, and runs Arena's conformance kit on it.

    python plugins/openspiel/check_games.py [NAME...] [--jobs 2]

Writes `games.json` of the package and the table GAMES.md. Takes about 20 minutes of CPU time for all games.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from importlib.metadata import version
from itertools import repeat
from math import floor
from pathlib import Path
from typing import Any

import pyspiel

HERE = Path(__file__).parent
FOUND = HERE / "src" / "arena_openspiel" / "games.json"
TABLE = HERE / "GAMES.md"
GAMES = 6
"""Random games for each figure."""
SCORED = 60
"""Random games at each table size that show how many decimals scores have."""
CHANGES = 300
"""Changed draws and moves with which each game is searched for leaks."""
MOST_COMPARED = 4000
"""States compared in the search for leaks."""
MOST_DECIMALS = 4
LEAST_LINE = 65_536
VERSION = version("open_spiel")
BATCH = 3
"""Games that one run of the kit tests."""
OPTIONS: dict[str, dict[str, tuple[int, int, int]]] = {
    "breakthrough": {"rows": (4, 8, 12), "columns": (3, 8, 12)},
    "go": {"board_size": (5, 19, 19)},
    "goofspiel": {"num_cards": (3, 13, 13)},
    "hex": {"board_size": (3, 11, 15)},
    "liars_dice": {"numdice": (1, 1, 3)},
    "mnk": {"m": (3, 15, 19), "n": (3, 15, 19), "k": (3, 5, 7)},
}
"""Parameters that organisers can set: lowest value, OpenSpiel's default, highest."""
PLAYERS = ("players", "num_players")
MOST_SEATS = {"quoridor": 3}
"""Fewer than OpenSpiel takes: at four, 2 of 100 random games of Quoridor end with its error."""
PARAMETERS: dict[str, dict[str, Any]] = {
    "bridge": {"use_double_dummy_result": False},
    "dark_hex": {"obstype": "reveal-numturns"},
    "phantom_ttt": {"obstype": "reveal-numturns"},
}
"""Parameters that aren't at their defaults: the cards of bridge are played, and Arena shows whose turn it is."""
TURN, LEGAL, SHOWN = (
    "whose turn it is",
    "legal actions show more than a seat can know",
    "observations show more than a seat can know",
)
"""What a seat may be shown that it can't know by OpenSpiel's information state."""


def given_reason(game_type: Any) -> str:
    """Return why a game can't be one of Arena's, as far as its type says; empty if it may be."""
    if game_type.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        return "a mean field game: it has no seats"
    if game_type.max_num_players < 2:
        return "for one player"
    if not game_type.default_loadable:
        return "made of another game, or of a file: it has no rules of its own"
    if game_type.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        return "draws its chance itself, where Arena can't record it"
    return ""


def load(game_type: Any, seats: int | None = None) -> Any:
    """Return a game for some number of players, by default the fewest from two up."""
    players = players_of(game_type)
    chosen = {players: seats or max(2, game_type.min_num_players)} if players else {}
    return pyspiel.load_game(game_type.short_name, chosen | PARAMETERS.get(game_type.short_name, {}))


def players_of(game_type: Any) -> str | None:
    """Return the parameter for the number of players; None if it is always the same."""
    return next((key for key in PLAYERS if key in game_type.parameter_specification), None)


def seats_of(game_type: Any) -> list[int]:
    """Return the least and the largest number of players, with all between them, that OpenSpiel takes."""
    low = high = load(game_type).num_players()
    if players_of(game_type):
        most = MOST_SEATS.get(game_type.short_name, game_type.max_num_players)
        try:
            while high < most and load(game_type, high + 1).num_players() == high + 1:
                high += 1
        except (pyspiel.SpielError, RuntimeError):
            pass
    return [low, high]


def legal(state: Any, seat: int) -> list[int]:
    """Return the actions of a seat; chance has those that are possible."""
    if seat == pyspiel.PlayerId.CHANCE:
        return [action for action, odds in state.chance_outcomes() if odds > 0]
    return list(state.legal_actions(seat))


def step(state: Any, choose: Callable[[int, list[int]], int]) -> list[tuple[int, int]]:
    """Make one turn in place; return who did what."""
    if state.is_simultaneous_node():
        made = [(seat, choose(seat, legal(state, seat) or [0])) for seat in range(state.num_players())]
        state.apply_actions([action for _, action in made])
    else:
        seat = int(state.current_player())
        made = [(seat, choose(seat, legal(state, seat)))]
        state.apply_action(made[0][1])
    return made


def played(game: Any, rng: random.Random) -> Iterator[tuple[Any, list[tuple[int, int]]]]:
    """Play at random; yield each state, with the moves that led to it."""
    state = game.new_initial_state()
    made: list[tuple[int, int]] = []
    yield state, made
    while not state.is_terminal():
        state = state.clone()
        made = step(state, lambda _, actions: rng.choice(actions))
        yield state, made


def scored(game: Any, rng: random.Random) -> Iterator[float]:
    """Play at random; yield the returns at the end."""
    state = game.new_initial_state()
    while not state.is_terminal():
        step(state, lambda _, actions: rng.choice(actions))
    yield from state.returns()


class Facts:
    """What random games of one game show."""

    def __init__(self, name: str, game_type: Any) -> None:
        self.game = load(game_type)
        self.type = game_type
        self.open = game_type.information == pyspiel.GameType.Information.PERFECT_INFORMATION
        self.rng = random.Random(name)  # noqa: S311 - no secrets here
        self.compared = 0
        self.games = [list(played(self.game, self.rng)) for _ in range(GAMES)]

    def known(self, state: Any, seat: int) -> str:
        """Return what OpenSpiel says that a seat knows."""
        if self.type.provides_information_state_string:
            return str(state.information_state_string(seat))
        return str(state.observation_string(seat))

    def moves_are_public(self) -> bool:
        """Return whether every other seat learns each action at once: other actions lead to other observations."""
        for game in self.games:
            for state, _ in self.rng.sample(game, min(20, len(game))):
                if state.is_terminal() or state.is_chance_node() or state.is_simultaneous_node():
                    continue
                mover = state.current_player()
                after = [state.child(action) for action in legal(state, mover)[:12]]
                if any(one.is_chance_node() for one in after):
                    continue
                for seat in set(range(state.num_players())) - {mover}:
                    if len({self.known(one, seat) for one in after}) < len(after):
                        return False
        return True

    def decimals(self) -> int:
        """Return how many decimal places the returns have, at tables of any size: three that tie for first share it."""
        low, high = seats_of(self.type)
        rng = random.Random(self.type.short_name)  # noqa: S311 - no secrets here
        scores = {
            one
            for seats in range(low, high + 1)
            for game in repeat(load(self.type, seats), SCORED)
            for one in scored(game, rng)
        }
        for places in range(MOST_DECIMALS):
            if all(abs(one * 10**places - round(one * 10**places)) < 1e-6 for one in scores):
                return places
        return MOST_DECIMALS

    def has_struct(self) -> bool:
        """Return whether what a seat observes can be had as an object."""
        try:
            for state, _ in self.games[0]:
                if not state.is_chance_node():
                    seen = state.to_struct() if self.open else state.to_observation_struct(0)
                    json.loads(seen.to_json())
        except (pyspiel.SpielError, RuntimeError, ValueError, TypeError):
            return False
        return True

    def line_bytes(self) -> int:
        """Return a length that lines of the protocol need, with room to spare."""
        longest = 0
        for game in self.games[:2]:
            for state, _ in game[:: max(1, len(game) // 100)]:
                if state.is_terminal() or state.is_chance_node():
                    continue
                seat = 0 if state.is_simultaneous_node() else state.current_player()
                texts = [state.action_to_string(seat, one) for one in legal(state, seat)[:1000]]
                text = str(state) if self.open else self.known(state, seat)
                longest = max(longest, len(json.dumps(texts)) + 40 * len(texts) + 4 * len(json.dumps(text)))
        room = LEAST_LINE
        while room < 4 * longest:
            room *= 2
        return room

    def leaks(self) -> list[str]:
        """Return in what ways seats are shown more than they know."""
        if self.open or not self.type.provides_information_state_string:
            return []
        games = [[made for _, made in game[1:]] for game in self.games]
        return sorted(
            {found for number in range(CHANGES) if (found := self._betrayed(games[number % GAMES]))}
        )

    def _betrayed(self, turns: list[list[tuple[int, int]]]) -> str:
        """Play two games that differ in one draw or move; compare what those see who can't know of it."""
        if self.compared >= MOST_COMPARED:
            return ""
        changed = self.rng.randrange(len(turns))
        one, other = self.game.new_initial_state(), self.game.new_initial_state()
        seats = set(range(one.num_players()))
        for number, made in enumerate(turns):
            wanted = dict(made)
            step(one, lambda seat, _: wanted[seat])  # noqa: B023 - called at once
            if number == changed:
                (seat, action), *_ = made
                others = [each for each in legal(other, seat) if each != action]
                if not others:
                    return ""
                wanted[seat] = self.rng.choice(others)
                seats -= {seat}
            movers = range(other.num_players()) if other.is_simultaneous_node() else [other.current_player()]
            if other.is_terminal() or {*movers} != {*wanted}:
                return ""
            if any(action not in (legal(other, seat) or [0]) for seat, action in wanted.items()):
                return ""
            step(other, lambda seat, _: wanted[seat])  # noqa: B023
            if one.is_terminal() or other.is_terminal() or one.is_chance_node() or other.is_chance_node():
                if one.is_terminal() or one.is_chance_node() != other.is_chance_node():
                    return ""
                continue
            if number >= changed:
                seats = {
                    seat
                    for seat in seats
                    if one.information_state_string(seat) == other.information_state_string(seat)
                }
            self.compared += number > changed
            if one.current_player() != other.current_player():
                return TURN if seats else ""
            for seat in seats:
                if self.type.provides_observation_string and one.observation_string(
                    seat
                ) != other.observation_string(seat):
                    return SHOWN
                if legal(one, seat) != legal(other, seat):
                    return LEGAL
            if not seats:
                return ""
        return ""


def surveyed(name: str) -> dict[str, Any]:
    """Return the line of a game in `games.json`."""
    game_type = next(one for one in pyspiel.registered_games() if one.short_name == name)
    title = game_type.long_name
    if reason := given_reason(game_type):
        return {"title": title, "left_out": reason}
    try:
        if load(game_type).num_players() < 2:
            return {"title": title, "left_out": "for one player, unless it gets another map"}
        facts = Facts(name, game_type)
    except (pyspiel.SpielError, RuntimeError, UnicodeDecodeError) as error:
        return {"title": title, "left_out": f"OpenSpiel fails: {' '.join(str(error).split())[:120]}"}
    many = game_type.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    seats = seats_of(game_type)
    found: dict[str, Any] = {
        "title": title,
        "seats": seats,
        "open": facts.open,
        "public_moves": facts.open or facts.moves_are_public(),
        "struct": facts.has_struct(),
        "observation": game_type.provides_observation_string,
        "decimals": facts.decimals(),
        "most_moves": load(game_type, seats[1]).max_game_length() * (seats[1] if many else 1),
        "line_bytes": facts.line_bytes(),
    }
    if players := players_of(game_type):
        found["players"] = players
    if parameters := PARAMETERS.get(name):
        found["parameters"] = parameters
    if options := OPTIONS.get(name):
        found["options"] = options
    if game_type.utility == pyspiel.GameType.Utility.IDENTICAL:
        lowest = min(load(game_type, seats[0]).min_utility(), load(game_type, seats[1]).min_utility())
        found["lowest"] = floor(lowest * 10 ** found["decimals"])
    if leaks := facts.leaks():
        found["leaks"] = leaks
    if left_out := [one for one in leaks if one != TURN]:
        found["left_out"] = "; ".join(left_out)
    return found


def kit(names: list[str]) -> dict[str, str]:
    """Return what the conformance kit says is wrong with some games, empty for those that pass."""
    chosen = [f"--game=openspiel:{name}" for name in names]
    command = [sys.executable, "-m", "arena_conformance", *chosen, "--", "--tb=no", "-rf"]
    wide = {**os.environ, "COLUMNS": "1000"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=wide)
    wrong = dict.fromkeys(names, "")
    for test, name, why in re.findall(
        r"(?m)^FAILED \S+::(\w+)\[openspiel:(\w+)[^]]*\](?: - (.*))?$", done.stdout
    ):
        wrong[name] = wrong[name] or f"{test}: {why[:200]}"
    if not done.returncode or any(wrong.values()):
        return wrong
    if len(names) > 1:  # one of them has ended the process
        return {name: why for one in names for name, why in kit([one]).items()}
    return {names[0]: (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1][:200]}


def main() -> None:
    """Survey, write what was found, and try it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--kit", action="store_true", help="only run the kit, on the games that aren't left out"
    )
    parser.add_argument("--table", action="store_true", help="only write the table")
    given = parser.parse_args()
    types = {one.short_name: one for one in pyspiel.registered_games()}
    found: dict[str, Any] = json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.exists() else {}
    if not given.table:
        names = given.names or sorted(types)
        if not given.kit:
            with ProcessPoolExecutor(given.jobs) as pool:
                for name, one in zip(names, pool.map(surveyed, names), strict=True):
                    print(f"looked at {name}", file=sys.stderr, flush=True)
                    found[name] = one
            write(found)
        tried = [name for name in names if not found[name].get("left_out")]
        batches = [tried[first : first + BATCH] for first in range(0, len(tried), BATCH)]
        with ThreadPoolExecutor(given.jobs) as threads:
            for results in threads.map(kit, batches):
                for name, wrong in results.items():
                    print(f"{name}: {wrong or 'passes'}", file=sys.stderr, flush=True)
                    if wrong:
                        found[name]["left_out"] = wrong
            write(found)  # not earlier: the kit reads it
    TABLE.write_text(table(found), encoding="utf-8")


def write(found: dict[str, Any]) -> None:
    """Write `games.json`, one game a line."""
    lines = (f"{json.dumps(name)}: {json.dumps(one)}" for name, one in sorted(found.items()))
    FOUND.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def table(found: dict[str, Any]) -> str:
    """Return the published table."""
    playable = {name: one for name, one in found.items() if not one.get("left_out")}
    others = {name: one for name, one in found.items() if one.get("left_out")}
    lines = [
        "# Games of OpenSpiel in Arena",
        "",
        f"`check_games.py` writes this page: of the {len(found)} games of OpenSpiel {VERSION}, {len(playable)} "
        "pass Arena's conformance kit and can be played as `openspiel:NAME`.",
        "",
        "- *Moves*: whether everybody sees which action a seat takes.",
        "- *Struct*: whether views have objects besides text.",
        "- *Most moves*: after as many of all seats together the game ends.",
        "- *Leaks*: what Arena shows and OpenSpiel keeps secret. Whose turn it is is public in every game of Arena.",
        f"  Others were looked for with up to {CHANGES} changed draws and moves, in games with information states.",
        "  A game with one is left out.",
        "- *Alike*: all seats always have the same score, so leagues compare the scores of tables on the same deals.",
        "",
        "| game | title | seats | hidden | moves | struct | decimals | most moves | leaks | |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, one in sorted(playable.items()):
        low, high = one["seats"]
        seats = str(low) if low == high else f"{low}–{high}"
        cells = [
            f"`{name}`",
            one["title"],
            seats,
            "–" if one["open"] else "yes",
            "public" if one["public_moves"] else "secret",
            "yes" if one["struct"] else "–",
            str(one["decimals"]),
            f"{one['most_moves']:,}",
            ", ".join(one.get("leaks", ())),
            "alike" if "lowest" in one else "",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "## Left out", "", "| game | why |", "|---|---|"]
    lines += [f"| `{name}` | {one['left_out'].replace('|', '/')} |" for name, one in sorted(others.items())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
