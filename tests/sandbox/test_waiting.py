"""How long a bot was kept waiting is never more than the truth, and seen wherever it computes; on a made-up machine."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from arena.sandbox.usage import Ran, Waits, at_beginning
from results.base.clock import NS_PER_MS

LOOK_MS = 50
TURN_MS = 500


@dataclass
class Task:
    """A thread: on its core, and from each time in `wants` on, it wants to run for so long."""

    wants: Sequence[tuple[int, int]]
    core: int = 0
    is_own: bool = True
    weight: float = 1.0
    ends: bool = False
    """Whether it is gone once it has run for as long as it wanted."""
    begins_ms: int = 0
    ran_ms: int = 0
    waited_ms: int = 0
    """What shows of its waiting: nothing of a wait that goes on."""
    ready_since_ms: int | None = field(default=None, init=False)
    pace: float = field(default=0.0, init=False)
    ran_here_ms: int = field(default=0, init=False)

    def is_ready(self, now_ms: int) -> bool:
        return self.ran_here_ms < sum(ms for at_ms, ms in self.wants if at_ms <= now_ms)

    def is_there(self, now_ms: int) -> bool:
        return self.begins_ms <= now_ms and not (
            self.ends and self.ran_here_ms >= sum(ms for _, ms in self.wants)
        )


class Machine:
    """Shares out each core by weights, a millisecond at a time. Time begins at the bot's turn."""

    def __init__(self, tasks: Sequence[Task], began_ms: int = 0) -> None:
        self.tasks, self.now_ms, self.kept_waiting_ms = tasks, 0, 0
        self.began_ms = began_ms
        self.ran_ms = sum(task.ran_ms for task in tasks if task.is_own)

    def step(self) -> None:
        waits = False
        for core in {task.core for task in self.tasks}:
            ready = [task for task in self.tasks if task.core == core and task.is_ready(self.now_ms)]
            least = min((task.pace for task in ready if task.ready_since_ms is not None), default=0.0)
            for task in ready:
                if task.ready_since_ms is None:
                    task.ready_since_ms, task.pace = self.now_ms, max(task.pace, least)
            if not ready:
                continue
            runs = min(ready, key=lambda task: (task.pace, task.ready_since_ms))
            waits = waits or (not runs.is_own and any(task.is_own for task in ready))
            runs.waited_ms += self.now_ms - (runs.ready_since_ms or 0)
            runs.ran_ms, runs.ran_here_ms = runs.ran_ms + 1, runs.ran_here_ms + 1
            runs.pace += 1 / runs.weight
            self.ran_ms += runs.is_own
            # It queues again behind the others, or sleeps.
            runs.ready_since_ms = self.now_ms + 1 if runs.is_ready(self.now_ms + 1) else None
        self.kept_waiting_ms += waits
        self.now_ms += 1

    def threads(self) -> dict[int, Ran]:
        return {
            number: Ran(task.ran_ms * NS_PER_MS, task.waited_ms * NS_PER_MS)
            for number, task in enumerate(self.tasks)
            if task.is_own and task.is_there(self.now_ms)
        }


def seen_ms(machine: Machine, turn_ms: int = TURN_MS, rng: random.Random | None = None) -> int:
    """Return what is seen of a bot's waiting in a turn; fails if it is ever more than there was."""
    waits = Waits(0, machine.ran_ms * NS_PER_MS, machine.threads())
    look_ms = 0
    for _ in range(turn_ms):
        machine.step()
        if machine.now_ms >= look_ms:
            waits.look(machine.now_ms * NS_PER_MS, machine.ran_ms * NS_PER_MS, machine.threads())
            assert waits.waited_ns <= machine.kept_waiting_ms * NS_PER_MS
            look_ms = machine.now_ms + (LOOK_MS if rng is None else rng.randint(1, 2 * LOOK_MS))
    return waits.waited_ns // NS_PER_MS


ALWAYS = ((0, 10**6),)
SLEEPS: tuple[tuple[int, int], ...] = ()


def others(count: int, core: int = 0) -> list[Task]:
    """Return so many tasks of somebody else, which always want a core."""
    return [Task(ALWAYS, core, is_own=False) for _ in range(count)]


COMPUTES = {
    "its first thread": [Task(ALWAYS)],
    "a second thread": [Task(SLEEPS), Task(ALWAYS)],
    "a thread that waited for long in earlier turns": [Task(SLEEPS), Task(ALWAYS, waited_ms=5_000)],
    "one of thirty threads": [*[Task(SLEEPS, ran_ms=100) for _ in range(29)], Task(ALWAYS)],
    "a thread that begins in the turn": [Task(SLEEPS), Task(((10, 10**6),), begins_ms=10)],
    "two threads": [Task(ALWAYS), Task(ALWAYS)],
    "half each in two threads": [Task(((0, 25),)), Task(((250, 10**6),))],
}


@pytest.mark.parametrize("how", COMPUTES)
def test_all_ways_to_compute_beside_others_are_seen_alike(how: str) -> None:
    machine = Machine([*COMPUTES[how], *others(9)])
    seen = seen_ms(machine)
    assert machine.kept_waiting_ms >= 0.8 * TURN_MS
    assert seen >= 0.8 * machine.kept_waiting_ms


def test_waits_of_threads_that_come_and_go_add_up_as_far_as_they_are_looked_at() -> None:
    lives = [Task(((at_ms, 10),), ends=True, begins_ms=at_ms) for at_ms in range(0, TURN_MS, 2 * LOOK_MS)]
    machine = Machine([Task(SLEEPS), *lives, *others(9)])
    assert seen_ms(machine) >= 0.4 * machine.kept_waiting_ms > 2 * LOOK_MS


BURST = tuple((at_ms, 2) for at_ms in range(0, TURN_MS, 100))
HOSTILE = {
    "twenty threads": [Task(ALWAYS, number % 2) for number in range(20)],
    "twenty threads that wait for each other at first, and then sleep": [Task(((0, 2),)) for _ in range(20)],
    "twenty threads that wake up together again and again": [Task(BURST) for _ in range(20)],
    "twenty that come and go": [
        Task(((at_ms, 3),), ends=True, begins_ms=at_ms) for at_ms in range(0, TURN_MS, 20) for _ in range(4)
    ],
    "one that gives way to another": [Task(ALWAYS, weight=0.01), Task(ALWAYS)],
    "one that gives way to another half of the time": [Task(ALWAYS, weight=0.01), Task(((0, 250),))],
    "a sleeper": [Task(SLEEPS)],
}


@pytest.mark.parametrize("how", HOSTILE)
def test_nobody_is_kept_waiting_by_itself(how: str) -> None:
    machine = Machine(HOSTILE[how])
    assert seen_ms(machine) == machine.kept_waiting_ms == 0


def test_more_threads_make_no_more_of_a_short_wait() -> None:
    rival = Task(((0, 30),), is_own=False, weight=100.0)
    machine = Machine([rival, *[Task(((0, 1),)) for _ in range(20)]])
    assert seen_ms(machine) <= machine.kept_waiting_ms <= 31


@pytest.mark.parametrize("seed", range(10))
def test_it_is_never_more_than_the_truth(seed: int) -> None:
    rng = random.Random(seed)
    cores = rng.randint(1, 3)

    def task(*, is_own: bool) -> Task:
        begins_ms = rng.choice((0, rng.randrange(300)))
        wants = [(begins_ms + rng.randrange(300), rng.randint(1, 60)) for _ in range(rng.randint(0, 6))]
        weight = rng.choice((0.05, 1.0, 1.0, 20.0))
        ends = rng.random() < 0.4
        return Task(sorted(wants), rng.randrange(cores), is_own, weight, ends, begins_ms if is_own else 0)

    machine = Machine(
        [task(is_own=True) for _ in range(rng.randint(1, 12))]
        + [task(is_own=False) for _ in range(rng.randint(0, 6))]
    )
    seen_ms(machine, 400, rng)


@pytest.mark.parametrize("passed_ms", [1, 5, 50])
@pytest.mark.parametrize("known", [{}, {1: Ran(3 * NS_PER_MS, 7 * NS_PER_MS)}])
def test_what_is_read_late_loses_no_excuse(passed_ms: int, known: dict[int, Ran]) -> None:
    """When the turn began, thread 1 had run for 4 ms and waited for 9; since then it has run 1 ms and then waited."""
    began = Ran(4 * NS_PER_MS, 9 * NS_PER_MS)
    now = Ran(began.cpu_ns + NS_PER_MS, began.wait_ns + (passed_ms - 1) * NS_PER_MS)
    found = at_beginning(passed_ms * NS_PER_MS, NS_PER_MS, {1: now}, known)
    waits = Waits(0, sum(found[1]), found)
    waits.look(passed_ms * NS_PER_MS, sum(found[1]) + NS_PER_MS, {1: now})
    assert waits.waited_ns >= (passed_ms - 1) * NS_PER_MS
    assert waits.waited_ns <= passed_ms * NS_PER_MS
