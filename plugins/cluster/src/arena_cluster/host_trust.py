"""What the runner knows of each host, which it doesn't let play, and games played again to find out which one errs."""

import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal

from arena_cluster.messages import Facts, arena_version, dask_version
from results.base.runner_notes import MOST_NAME, MOST_TEXT, HostInPlay
from results.base.text import counted

SILENT_S = 30.0
"""A host without a heartbeat for so long is lost."""
AGAIN_S = 10.0
"""A host that was lost, but is still there, is asked again after so long."""
LEAST_FAULTS = 3
MOST_FAULTS_PART = 0.05
MOST_TIMES_OTHERS = 5.0
"""A host with at least so many platform faults, in more than this part of its games and so many times the part of all
others, is set aside."""


@dataclass(slots=True)
class Host:
    """A host, from when it joins until it is gone."""

    facts: Facts
    address: str
    beat: float
    """The time of its last heartbeat, on the scheduler's clock."""
    beat_seen_s: float
    """When that was first seen, on this machine's clock."""
    name: str
    """For people: what it calls itself, with a number if another one that is there has that name."""
    is_asked: bool = False
    """Whether a session was begun on it in this run."""
    set_aside: str = ""
    """Why it plays nothing; empty if it may play."""
    is_for_good: bool = False
    """Whether that outlasts the run."""
    is_unfit_for_good: bool = False
    """Whether it can never play for this runner, and so ends."""
    news: str = ""
    """A line for people that nobody has seen yet."""
    level: str = ""
    playing: int = 0
    games: int = 0
    faults: int = 0
    lost_at_s: float = -AGAIN_S

    @property
    def id(self) -> str:
        """Its id, new with each start."""
        return self.facts.id

    def in_words(self) -> HostInPlay:
        """Return what is known of it, for people."""
        state: Literal["plays", "waits", "leaves", "set aside"] = "plays" if self.is_asked else "waits"
        if self.facts.is_leaving:
            state = "leaves"
        elif self.set_aside:
            state = "set aside"
        return HostInPlay(
            name=self.name,
            state=state,
            why=self.set_aside[:MOST_TEXT],
            slots=self.facts.slots,
            level=(self.level or self.facts.level)[:MOST_NAME],
            machine=self.facts.machine[:MOST_NAME],
            playing=self.playing,
            games=self.games,
            faults=self.faults,
            speed=round(self.facts.speed, 1),
            versions=self.facts.versions,
        )

    def put_aside(self, why: str, *, for_good: bool = False) -> None:
        """Let it play nothing in this run, or never again."""
        self.set_aside, self.is_for_good = why, for_good

    def count(self, games: int, faults: int) -> None:
        """Count results, and how many of them are the platform's fault."""
        self.games += games
        self.faults += faults


class Hosts:
    """All hosts that are there."""

    def __init__(self, least_speed: float) -> None:
        self.present: dict[str, Host] = {}
        self._least_speed = least_speed
        self.mine = (platform.python_version(), arena_version(), dask_version())
        """What hosts must have, too."""

    def begin_run(self) -> None:
        """Forget what held for the run before."""
        for host in self.present.values():
            host.is_asked, host.playing = False, 0
            if not host.is_for_good:
                host.set_aside = ""

    def end_run(self) -> None:
        """Note that nothing is played."""
        for host in self.present.values():
            host.playing = 0

    def lose(self, name: str) -> None:
        """Note that a host is lost. If it comes back to life, it may play again."""
        host = self.present.get(name)
        if host is not None:
            host.playing, host.lost_at_s = 0, time.monotonic()

    def see(self, found: Mapping[str, tuple[Facts, float]]) -> Iterator[tuple[Host, str]]:
        """Take in who is there; yield hosts that are gone or silent, and why."""
        now_s = time.monotonic()
        seen = {facts.id for facts, _ in found.values()}
        for address, (facts, beat) in found.items():
            host = self.present.get(facts.id)
            if host is None:
                host = self.present[facts.id] = Host(facts, address, beat, now_s, self._name_of(facts, seen))
                self._judge_newcomer(host)
            elif beat != host.beat:
                host.beat, host.beat_seen_s = beat, now_s
            host.facts = facts
        for host in list(self.present.values()):
            if host.id not in seen:
                yield host, "it is gone"
                del self.present[host.id]
            elif now_s - host.beat_seen_s > SILENT_S and host.is_asked:
                yield host, f"it has been silent for {SILENT_S:.0f} s"
        self._judge_speed()
        self._judge_faults()

    def _name_of(self, facts: Facts, seen: Set[str]) -> str:
        """Return the name of a newcomer: two hosts may call themselves the same, as each has its machine's name.

        `seen`: the ids of the hosts that are there now; the others' names are free.
        """
        taken = {host.name for host in self.present.values() if host.id in seen}
        number, name = 1, facts.name[:MOST_NAME]
        while name in taken:
            number += 1
            end = f"#{number}"
            name = facts.name[: MOST_NAME - len(end)] + end
        return name

    def news(self) -> Iterator[Host]:
        """Yield hosts of which there is something to tell, once."""
        for host in list(self.present.values()):
            if host.news:
                yield host
                host.news = ""

    def idle(self) -> Iterator[Host]:
        """Yield hosts that may play and were not asked yet."""
        now_s = time.monotonic()
        for host in list(self.present.values()):
            silent = now_s - host.beat_seen_s > SILENT_S or now_s - host.lost_at_s < AGAIN_S
            if not (host.is_asked or host.set_aside or silent or host.facts.is_leaving):
                yield host

    def to_drop(self) -> Iterator[Host]:
        """Yield hosts that play although they were set aside."""
        for host in list(self.present.values()):
            if host.set_aside and host.is_asked:
                yield host

    def _judge_newcomer(self, host: Host) -> None:
        """Refuse a host that would not play as this machine does."""
        facts = host.facts
        for what, theirs, mine, remedy in zip(
            ("Python", "Arena", "Dask.distributed"),
            (facts.python, facts.arena, facts.distributed),
            self.mine,
            ("the same Python", "the same version of Arena", "the same packages"),
            strict=True,
        ):
            if theirs != mine:
                host.is_unfit_for_good = True
                host.put_aside(
                    f"it has {what} {theirs}, the runner has {mine}: install {remedy} on all machines",
                    for_good=True,
                )
                host.news = f"host {host.name} is refused: {host.set_aside}"
                return
        host.news = (
            f"host {host.name} has joined: {counted(facts.slots, 'slot')}, {facts.level}, {facts.machine}"
        )

    def _judge_speed(self) -> None:
        """Set aside hosts that are much slower than the fastest one: bots would miss deadlines there."""
        fastest = max((host.facts.speed for host in self.present.values()), default=0.0)
        for host in self.present.values():
            slow = 0 < host.facts.speed < self._least_speed * fastest
            if slow and not host.set_aside:
                host.put_aside(
                    f"it is slow: {host.facts.speed:,.0f} reference playouts a second, the fastest host makes "
                    f"{fastest:,.0f}"
                )
                host.news = f"host {host.name} is set aside: {host.set_aside}"

    def _judge_faults(self) -> None:
        games = sum(host.games for host in self.present.values())
        faults = sum(host.faults for host in self.present.values())
        for host in self.present.values():
            mine = host.games + host.faults
            others = games + faults - mine
            if host.set_aside or host.faults < LEAST_FAULTS or not others:
                continue
            part, others_part = host.faults / mine, (faults - host.faults) / others
            if part > max(MOST_FAULTS_PART, MOST_TIMES_OTHERS * others_part):
                host.put_aside(
                    f"{host.faults} of its {counted(mine, 'game')} failed because of the platform; "
                    f"on all other hosts {faults - host.faults} of {others}",
                    for_good=True,
                )
                host.news = f"host {host.name} is set aside: {host.set_aside}"


MOST_OUT = 4
"""Maximum number of games that are being played again at the same time."""


@dataclass(slots=True)
class Recheck:
    """A game that is played again."""

    ticket: Any
    opinions: list[tuple[str, Any]] = field(default_factory=list)
    """The hosts that have played it, by id, each with its result."""
    asked: str = ""
    """The host that plays it now."""


class Rechecks:
    """The games of deterministic bots that a run has played again.

    Two hosts that differ don't tell which of them is wrong, so a third one is asked. The results stay as they are: what
    a host that errs has sent before is for people to judge.
    """

    def __init__(self, part: float, differ: Callable[[Any, Any], bool], chance: Random | None = None) -> None:
        """`part` of the games are played again; `differ` compares two results."""
        self._part = part
        self._differ = differ
        self._chance = chance or Random()  # noqa: S311 - a host that errs doesn't see it
        self._out: dict[int, Recheck] = {}
        """By the number of its ticket."""
        self._next = -1
        self.same = 0
        """How many games were the same on another host."""

    def choose(self, host: str, ticket: Any, result: Any, others: Sequence[str]) -> Recheck | None:
        """Return a recheck if a game is to be played again; `others` are hosts that can do so."""
        if not others or len(self._out) >= MOST_OUT or self._chance.random() >= self._part:
            return None
        return Recheck(ticket, [(host, result)])

    def ask(self, recheck: Recheck, host: str) -> int:
        """Note that a host plays a game again; return the number of its ticket, which is negative."""
        number, self._next = self._next, self._next - 1
        recheck.asked = host
        self._out[number] = recheck
        return number

    def answer(self, number: int, result: Any) -> Recheck | None:
        """Take in a result, or None; return the recheck with all opinions so far if the hosts differ."""
        recheck = self._out.pop(number, None)
        if recheck is None or result is None:
            return None
        recheck.opinions.append((recheck.asked, result))
        if not any(self._differ(one, result) for _, one in recheck.opinions[:-1]):
            self.same += 1
            return None
        return recheck

    def lone(self, recheck: Recheck) -> str | None:
        """Return the host that all others contradict; None if that can't be said."""
        if len(recheck.opinions) < 3:
            return None
        for host, result in recheck.opinions:
            others = [one for other, one in recheck.opinions if other != host]
            if all(self._differ(result, one) for one in others) and not any(
                self._differ(one, others[0]) for one in others[1:]
            ):
                return host
        return None

    def forget(self, host: str) -> None:
        """Forget what a host was asked: it is lost."""
        self._out = {number: one for number, one in self._out.items() if one.asked != host}
