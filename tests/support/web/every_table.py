"""A table of every game at every number of seats: games that are over, and games in which a person is asked."""

import hashlib
import json
import math
import queue
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena import registry
from arena.core.ruleset import ruleset as resolved
from arena.core.ticket import Ticket
from arena.referee.referee import Referee
from arena.web.play_tables.process_messages import Leave, Opened, Setup
from arena.web.play_tables.table import Owner, Table
from arena.web.play_tables.table_process import PipeIO
from arena.web.play_tables.tables import Tables
from protocol.messages import Ask
from tests.support.leagues import create_here, play_here, simple, write_bot
from tests.support.outside import beside, installed
from tests.support.tables import PATIENT, SEED, Recorder, entrants, first_move, reply

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

EVERY: dict[str, tuple[str, int, dict[str, Any]]] = {
    **{f"bread-basket-{seats}": ("bread-basket", seats, {"hands": 1}) for seats in range(2, 7)},
    "pagat-2": ("bread-and-chocolate", 2, {"hands": 1}),
    **{f"shram-{seats}": ("bread-and-chocolate", seats, {"hands": 1}) for seats in range(2, 6)},
    **{f"sandwich-{seats}": ("sandwich", seats, {"rounds": 2}) for seats in (3, 4, 5, 6)},
    **{f"sandwich-{seats}": ("sandwich", seats, {"rounds": 2, "boxes": 2}) for seats in (8, 12)},
    "trading-4": ("sandwich", 4, {"rounds": 1, "trading": True, "tasting": "free"}),
    "kuhn-2": ("kuhn", 2, {}),
    "nim-2": ("nim", 2, {}),
}
"""Game, seats and options, by name of a league: all that the games of Arena allow, and two games from outside."""
GUEST = "g" * 43
OWNER = Owner(f"guest {hashlib.sha256(f'guest {GUEST}'.encode()).hexdigest()}", "guest", True)
"""A guest to whom tables belong."""
NAMES = ("greedy", "counter", "crumb", "marshmallow-maker", "toast", "random", "apprentice", "bland")
RULESETS = {"shram": "shram", "pagat": "pagat"}


def ruleset_of(name: str) -> str | None:
    return RULESETS.get(name.partition("-")[0])


def become_the_guest(context: "BrowserContext", address: str) -> None:
    """Have the visitor of a window be the owner of the tables."""
    port = address.rpartition(":")[2]
    context.add_cookies([{"name": f"arena-guest-{port}", "value": GUEST, "url": address}])


@contextmanager
def outside(folder: Path) -> Iterator[None]:
    """Have the games of the examples be installed."""
    with installed(beside(folder / "outside", "kuhn", "nim")):
        yield


def watched_store(folder: Path, names: tuple[str, ...]) -> Path:
    """Return the path of a store with a finished match of each of these tables."""
    for number in range(12):
        write_bot(folder, f"pick{number}", simple(number))
    for name in names:
        game, seats, options = EVERY[name]
        given = ", ".join(f"{key} = {json.dumps(value)}" for key, value in options.items())
        lines = [f"name = {name!r}", f'game = "{game}"', f"seats = {seats}", "seed = 7"]
        lines += [f"options = {{ {given} }}"] if given else []
        lines += [f'ruleset = "{ruleset}"'] if (ruleset := ruleset_of(name)) else []
        lines += ["[schedule]", 'kind = "round-robin"', "rounds = 1"]
        for number in range(seats):
            label = NAMES[number % len(NAMES)] + ("-2" if number >= len(NAMES) else "")
            lines += ["[[bots]]", f'path = "pick{number}"', f'label = "{label}"']
        file = folder / "league.toml"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        create_here(file)
        play_here(folder, name)
    return folder / "arena.sqlite"


class Listener(Recorder):
    """A player whose start is kept, too."""

    def __init__(self, pick: int) -> None:
        self.begun: Any = None
        super().__init__(lambda ask, at: reply(picked(ask, pick + at)), self._keep_start)

    def _keep_start(self, start: Any) -> None:
        self.begun = start


def picked(ask: Ask, number: int) -> Any:
    return ask.legal[number % len(ask.legal)] if isinstance(ask.legal, list) else first_move(ask)


def asked_tables(name: str, owner: Owner, most: int = 12) -> list[Table]:
    """Return tables at which a person at seat 0 is asked, each another decision of one game."""
    game_name, seats, options = EVERY[name]
    game = registry.game(game_name)
    person = Listener(0)
    rules = game.resolve(resolved(game.info, ruleset_of(name), options), seats)
    given = Ticket("league", 0, 0, tuple(range(seats)), rules, SEED)
    Referee(clock=PATIENT).play(
        game, [person, *(Listener(seat) for seat in range(1, seats))], entrants(seats), given
    )
    names = ["you", *(f"{NAMES[at % len(NAMES)]}{'-2' * (at >= len(NAMES))}" for at in range(seats - 1))]
    by_kind = interesting(person.asks, most)
    found = []
    for number, ask in enumerate(by_kind):
        setup = Setup(
            "", game_name, ruleset_of(name) or "", (), seats, 0, (), "you", 300, 600, f"form-{number}"
        )
        table = Table(f"{name}.{ask.id}", owner, setup, "2026-01-01T00:00:00Z")
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        face = PipeIO(game, names, table.heard, answers, math.inf)
        table.heard(Opened(game.info.title, setup.ruleset, tuple(names)))
        face.begins(person.begun)
        answers.put(Leave(""))
        with suppress(Exception):
            face.decides(ask, "", 300.0, lambda: None)
        assert table.phase == "asking"
        found.append(table)
    return found


def interesting(asks: list[Ask], most: int) -> list[Ask]:
    """Return the decisions of each kind with the longest views, and a few more."""
    kinds: dict[str, list[Ask]] = {}
    for ask in asks:
        kinds.setdefault(ask.kind, []).append(ask)
    found: list[Ask] = []
    for of_kind in kinds.values():
        of_kind.sort(key=lambda ask: -len(json.dumps(ask.view)) - 20 * len(ask.legal or ()))
        found += of_kind[: max(2, most // len(kinds))]
    return found[:most]


def seat_at(tables: Tables, name: str, owner: Owner) -> list[str]:
    """Put tables at which the owner is asked into a server; return their ids."""
    made = asked_tables(name, owner)
    for table in made:
        tables._tables[table.id] = table
    return [table.id for table in made]
