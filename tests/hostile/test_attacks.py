"""Hostile programs: each attack at several moments and in every kind of sandbox, with its verdict or without effect.

Each attack is made at each of its moments, and in each kind of sandbox at some of them: who starts the sandbox decides
what a bot may do, and hardly when.

Whatever they do: the good bot beside them is not at fault and loses nothing by it, no canary is read or changed, no
process and no file is left, and the next game is clean.
"""

import contextlib
import os
import re
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
from msgspec.structs import replace

from arena.sandbox.bot_program import MIB, Bounds
from arena.sandbox.bubblewrap_status import SCRATCH, SHARED
from protocol.messages import DEFAULT_LIMITS, Clock, Limits
from protocol.verdicts import Verdict
from results.records import GameRecord
from tests.hostile.canaries import Canaries, canaries
from tests.hostile.frame import ATTACKED, BREACH, MOMENTS, good_bot, hostile_bot
from tests.hostile.table import FRESH, GOOD, HOSTILE, log_of, table
from tests.support.sandbox import (
    CONFINED,
    ORDINARY_USER,
    PROCESS,
    WITHOUT_GROUP,
    columns,
    confinement_of,
    in_column,
    open_folder,
)
from tests.support.tables import PATIENT
from tests.support.waiting import eventually, unhurried

CLOCKS = {
    "patient": PATIENT,
    "hasty": Clock(ready_ms=30_000, move_ms=600, bank_ms=0, margin_ms=50),
    "hasty pair": Clock(ready_ms=30_000, move_ms=2_500, bank_ms=0, margin_ms=50),
    "hasty start": Clock(ready_ms=2_000, move_ms=30_000, bank_ms=0, margin_ms=50),
}
LIMITS = {
    "default": DEFAULT_LIMITS,
    "few bytes": Limits(line_bytes=65_536, depth=16, output_bytes=1_048_576, note_chars=500),
    "long lines": Limits(line_bytes=1_000_000, depth=16, output_bytes=1_048_576, note_chars=500),
}
GROWTH_BYTES = 64 * MIB
"""By how much this process may grow for a game, whatever a bot does."""
UNFROZEN = "spins after its answer"
"""The attack of which one of each kind is tried without a control group too."""
WAITS = ("spins after its answer", "sleeps")
"""Attacks that last until a clock ends them: left out of the quick suite, which tries faults that do so."""


@dataclass(frozen=True)
class Attack:
    """One attack, as its TOML file has it."""

    name: str
    source: str
    expected: dict[str, str] = field(default_factory=lambda: dict.fromkeys(MOMENTS, ""))
    """By moment: a regular expression for verdict and detail; empty for a clean game."""
    frozen: dict[str, str] = field(default_factory=dict)
    """What is different where bots are frozen between their turns."""
    quick: str = ""
    """The moment that is tried as one of its kind; empty for none."""
    clock: str = "patient"
    limits: str = "default"
    startup_ms: int = 30_000
    pause_ms: int = 0
    """How long the good bot thinks over each move."""
    padding: int = 0
    bounds: dict[str, int] = field(default_factory=dict)
    games: int = 1
    """How many it plays; one more where it attacks at the end."""
    outside: bool = False
    """Whether it breaches where there is no sandbox, and does nobody harm by it."""
    logs: str = ""
    """A regular expression to be found in the hostile bot's log."""
    unseen: bool = False
    """Whether the bot is gone before it could tell that it attacked."""


KINDS = [
    [Attack(**attack) for attack in tomllib.loads(file.read_text())["attack"]]
    for file in sorted((Path(__file__).parent / "attacks").glob("*.toml"))
]
"""Attacks by kind: those of one file."""
ATTACKS = [attack for kind in KINDS for attack in kind]
GATE = {(kind[0].name, next(iter(kind[0].expected))) for kind in KINDS}
"""The first attack of each kind, at its first moment."""


def is_gated(attack: Attack, moment: str, column: str, *, quick: bool) -> bool:
    """Return whether an attack is in the gate: the first of its kind, unless the quick suite has it already."""
    return (attack.name, moment) in GATE and column != WITHOUT_GROUP and not (quick and column == CONFINED)


def columns_of(attack: Attack, moment: str) -> list[str]:
    """Return the sandboxes in which an attack is made at a moment.

    All of them where it stands for its kind or the attack has no other moment. Otherwise root's and an ordinary user's
    in turns, from one moment of an attack to the next and from one attack of a kind to the next: so each attack meets
    both, and so does each moment with attacks of each kind. Without a control group wherever freezing makes a
    difference.
    """
    kind = next(kind for kind in KINDS if attack in kind)
    turn = (kind.index(attack) + list(attack.expected).index(moment)) % 2
    both = attack.quick == moment or len(attack.expected) == 1 or (attack.name, moment) in GATE
    return [
        *([CONFINED] if both or turn == 0 else []),
        *([WITHOUT_GROUP] if attack.frozen else []),
        *([ORDINARY_USER] if both or turn == 1 else []),
    ]


def cases(*, quick: bool = False) -> list[Any]:
    """Return every attack at each of its moments, as parameters: one of each kind or all others."""
    return [
        pytest.param(
            attack,
            moment,
            *marked.values,
            marks=[
                *marked.marks,
                *([pytest.mark.slow] if attack.name in WAITS else []),
                *([pytest.mark.gate] if is_gated(attack, moment, marked.values[0], quick=quick) else []),
            ],
            id=f"{attack.name}, {moment}, {marked.values[0]}",
        )
        for attack in ATTACKS
        for moment in attack.expected
        if (attack.quick == moment) == quick
        for marked in columns(
            *columns_of(attack, moment),
            slow=(ORDINARY_USER,) if attack.name == UNFROZEN else (ORDINARY_USER, WITHOUT_GROUP),
        )
    ]


@pytest.mark.parametrize(("attack", "moment", "column"), cases(quick=True))
def test_one_of_each_kind(attack: Attack, moment: str, column: str) -> None:
    find(attack, moment, column)


@pytest.mark.slow
@pytest.mark.parametrize(("attack", "moment", "column"), cases())
def test_every_attack_at_every_moment(attack: Attack, moment: str, column: str) -> None:
    find(attack, moment, column)


@pytest.mark.slow
@pytest.mark.parametrize("attack", [pytest.param(one, id=one.name) for one in ATTACKS if one.outside])
def test_outside_of_a_sandbox_the_canaries_are_reached(attack: Attack) -> None:
    """What is a breach can be seen: without that the tests above would prove nothing."""
    with open_folder() as place, canaries(place) as canary:
        bots = {
            HOSTILE: hostile_bot(
                place / "hostile", attack.source, "in its turn", canary.told(sandboxed=False)
            ),
            GOOD: good_bot(place / "good", canary.secret, 0, []),
        }
        with table(place / "bots", bots, confinement_of(PROCESS)) as seats:
            record = seats.game(HOSTILE, GOOD)
        assert BREACH in log_of(record) or canary.reached()


def test_every_attack_meets_each_sandbox_and_every_moment_does_with_each_kind() -> None:
    for column in (CONFINED, ORDINARY_USER):
        for kind in KINDS:
            at = [
                (one, moment) for one in kind for moment in one.expected if column in columns_of(one, moment)
            ]
            assert all(any(one is attack for one, _ in at) for attack in kind)
            moments = Counter(moment for attack in kind for moment in attack.expected)
            assert {moment for _, moment in at} >= {moment for moment, count in moments.items() if count > 1}


def test_every_verdict_has_its_attack() -> None:
    of_bots = {verdict for verdict in Verdict if not verdict.is_platform} - {
        Verdict.RESIGNED
    }  # that is a person's
    words = {verdict.value for verdict in of_bots}
    at_all = {text.partition(":")[0] for attack in ATTACKS for text in attack.expected.values()}
    quick = {attack.expected[attack.quick].partition(":")[0] for attack in ATTACKS if attack.quick}
    assert at_all == quick == words | {""}
    assert len(ATTACKS) >= 60
    assert all(moment in MOMENTS for attack in ATTACKS for moment in attack.expected)


def find(attack: Attack, moment: str, column: str) -> None:
    """Have an attack made, and see what comes of it."""

    def work() -> None:
        with canaries(place) as canary:
            _attacked(attack, moment, column, canary)

    with open_folder() as place:
        if column == ORDINARY_USER:
            place.chmod(0o777)
        in_column(column, work)


def _attacked(attack: Attack, moment: str, column: str, canary: Canaries) -> None:
    place, clock, limits = canary.place, CLOCKS[attack.clock], LIMITS[attack.limits]
    scratch = [str(SCRATCH), str(SHARED)]
    bots = {
        HOSTILE: hostile_bot(place / "hostile", attack.source, moment, canary.told(sandboxed=True)),
        GOOD: good_bot(place / "good", canary.secret, attack.pause_ms, scratch),
        FRESH: good_bot(place / "fresh", canary.secret, 0, scratch),
    }
    before_bytes = psutil.Process().memory_info().rss
    confinement = confinement_of(column, Bounds(**attack.bounds))
    freezes = confinement.delegation is not None  # many machines give an ordinary user no control group
    expected = attack.frozen.get(moment, attack.expected[moment]) if freezes else attack.expected[moment]
    if not attack.frozen and (not freezes or moment == "at the end"):
        # How long an attack takes on a busy machine is not what it is about.
        confinement = replace(confinement, pondering=True)
    with table(place / "bots", bots, confinement, attack.startup_ms) as seats:
        games = [seats.game(HOSTILE, GOOD, clock=clock, limits=limits, padding=attack.padding)]
        while not games[-1].seats[0].verdict and len(games) < attack.games + (moment == "at the end"):
            games.append(seats.game(HOSTILE, GOOD, clock=clock, limits=limits))
        _find_as_expected(games, expected)
        clean = [seats.game(FRESH, GOOD), seats.game(GOOD, FRESH)]
    for game in clean:
        assert [seat.verdict for seat in game.seats] == [None, None], game.seats
    for game in (*games, *clean):
        for seat in range(2):
            if game in clean or seat == 1:
                assert set(log_of(game, seat).splitlines()) == {"found []"}, "something was left by others"
    log = "".join(log_of(game) for game in games)
    assert BREACH not in log, log
    assert attack.unseen or ATTACKED in log, "it has not even tried"
    assert re.search(attack.logs, log, re.MULTILINE), log
    assert canary.reached() == []
    _find_nobody_left(log)
    assert psutil.Process().memory_info().rss - before_bytes < GROWTH_BYTES


def _find_as_expected(games: list[GameRecord], expected: str) -> None:
    guilty, other = games[-1].seats
    told = f"{guilty.verdict}: {unhurried(guilty.detail)}" if guilty.verdict else ""
    assert re.fullmatch(expected, told), f"{told or 'clean'}; the log: {log_of(games[-1])}"
    assert (other.verdict, other.detail) == (None, "")
    if guilty.verdict:
        assert (guilty.rank, other.rank) == (2, 1)
    for game in games[:-1]:
        assert [seat.verdict for seat in game.seats] == [None, None]


def _find_nobody_left(log: str) -> None:
    """Look for processes in the namespaces that the hostile bot has told of."""
    namespaces = set(map(int, re.findall(r"^namespace (\d+)$", log, re.MULTILINE)))
    own = Path("/proc/self/ns/pid").stat().st_ino
    assert own not in namespaces

    assert eventually(lambda: not _living(namespaces)), _living(namespaces)


def _living(namespaces: set[int]) -> list[str]:
    """Return the processes in those namespaces, but for those that have ended and wait to be reaped by the system."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - as many as there are processes
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{pid}/ns/pid").st_ino in namespaces:  # noqa: PTH116
                stat = Path(f"/proc/{pid}/stat").read_text()
                if stat.rpartition(")")[2].split()[0] not in "ZX":
                    found.append(stat)
    return found
