"""Real games for executors: tickets of some matches, and bots that play by their seed and tell their process."""

from collections.abc import Iterable
from pathlib import Path

import psutil

from arena.core.ruleset import ruleset
from arena.core.seatings import seatings
from arena.core.ticket import Ticket, match_seed
from arena.league.running.local_games import PreparedGames
from arena.players.pool import PoolLimits
from arena.referee.transcript import Entrant
from arena.registry import game
from tests.support.bots.programs import python_bot
from tests.support.tables import PATIENT

RULES = "bread-basket"
SEATS = 3
ENTRIES = 4

BY_SEED = """
import random

def start(message):
    random.seed(message["bot_seed"])
    send(type="ready")

def first(message):
    return random.choice(message["legal"])
"""
TELLS = """
def start(message):
    log(f"pid {os.getpid()};")
    random.seed(message["bot_seed"])
    send(type="ready")
"""
LEAVES_A_DAEMON = """
if not os.fork():
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(0, 3)
    time.sleep(600)
os.wait()

def quit(message):
    time.sleep(600)

signal.signal(signal.SIGTERM, signal.SIG_IGN)
"""


def work(folder: Path, body: str = "") -> PreparedGames:
    """Return the work of a league of four bots, of which each behaves by its seed and `body`."""
    bots = {entry: python_bot(folder / f"bot-{entry}", BY_SEED + TELLS + body) for entry in range(ENTRIES)}
    names = {entry: Entrant(f"bot-{entry}", f"{entry:064x}") for entry in bots}
    return PreparedGames(RULES, bots, names, clock=PATIENT, pool=PoolLimits(startup_ms=60_000))


def tickets(matches: int) -> list[Ticket]:
    """Return the games of some matches, rotation by rotation, as a league deals them."""
    rules = game(RULES)
    options = rules.resolve(ruleset(rules.info, None, {"hands": 1}), SEATS)
    tables = [tuple((number + seat) % ENTRIES for seat in range(SEATS)) for number in range(matches)]
    return [
        Ticket(
            "league", number, rotation, seatings(table, "cyclic")[rotation], options, match_seed(b"s", number)
        )
        for rotation in range(SEATS)
        for number, table in enumerate(tables)
    ]


def keys(given: Iterable[Ticket]) -> list[tuple[str, int, int]]:
    return sorted(ticket.key for ticket in given)


def bots_running(folder: Path) -> list[int]:
    """Return all processes of bots whose run has its files below a folder, wherever their parents are."""
    return [
        process.pid
        for process in psutil.process_iter(["environ"])
        if "ARENA_TOKEN" in (variables := process.info["environ"] or {})
        and variables.get("HOME", "").startswith(str(folder))
    ]


def is_worker(process: psutil.Process) -> bool:
    try:
        return "--multiprocessing-fork" in process.cmdline()
    except psutil.Error:  # it has just ended
        return False
