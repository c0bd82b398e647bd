"""Runs a league: plans matches, plays them, stores the results, and continues where an earlier run stopped."""

import contextlib
from collections.abc import Callable, Sequence
from functools import partial

from arena.config.deal_suites import deal_seed, suite_of
from arena.core.ticket import WorkEntry
from arena.executors.base import Executor, HasHosts, HasSlots, Lost, Stop
from arena.league.definition.checked_definition import Definition, most_games
from arena.league.definition.stored import StoredDefinition
from arena.league.end_rules import Budget, EndRule, Judge, Settled, begin
from arena.league.running.league_isolation import refuse_unknown_programs
from arena.league.running.machine_faults import LASTING, HostFaults, OverloadRetries
from arena.league.running.match_planner import Planner
from arena.league.running.named_executor import executor_named
from arena.league.running.portable_work import DEFAULT_EXECUTOR, LeagueWork, work_entries, work_of
from arena.league.running.runner_activity import Notes, RunProgress
from arena.league.running.ticket_queue import LONGEST_BATCH_MATCHES, Affinity, Tickets
from arena.league.running.work_units import Excused, Failure, failure
from arena.sandbox.machine_shortage import Refusal
from arena.schedules.base import Open
from protocol.verdicts import Verdict
from results.base.children import default_workers
from results.base.clock import NS_PER_S
from results.base.errors import LedgerError
from results.base.isolation_levels import Wanted
from results.ratings import league_rater
from results.records import GameRecord, LeagueRecord, MatchRecord
from results.records.roster import ENDED
from results.store import Store


class LeagueRun:
    """One run of one league, from its current state to its end or a stop."""

    def __init__(
        self,
        store: Store,
        league: LeagueRecord,
        *,
        workers: int | None = None,
        executor: Executor | str | None = None,
        definition: Definition | None = None,
        rule: EndRule | None = None,
        sandbox: Wanted | None = None,
        most_batch_matches: int = LONGEST_BATCH_MATCHES,
        take_up: Callable[[], None] = lambda: None,
        notes: Notes | None = None,
    ) -> None:
        """Prepare a run. `workers` and `sandbox` override the league file.

        `definition` replaces the league's own for this run. `rule` ends the league or the run; it replaces `until` of
        the file's `[stop]`. `executor` is an executor, or the name of one to make for `workers`; default: processes.
        `most_batch_matches` limits how many matches are handed to the workers at once. `take_up` is called before
        matches are planned and every half second: changes to the league may be made in it, and only in it. `notes` are
        the runner's, if it plays more than this league.
        Raises UsageError if the league can't be played on this machine, StoreDamaged if rows are missing.
        """
        store.leagues.refuse_missing(league.uuid)
        if league.rated:  # don't play what could not be rated
            league_rater(league.name, league.rating, league.rating_options, league.scale)
        self.store = store
        self.league = league
        self._stored = StoredDefinition(store, league, definition)
        self.definition = self._stored.at(store.leagues.progress(league.uuid).matches_planned)
        """As of the next match."""
        self.file = self.definition.file
        self.entries = store.entries.all(league.uuid)
        self.workers = workers or self.file.workers or default_workers()
        self.stop = Stop()
        self.ended = ""
        """Why the league ended before its schedule was complete; empty if it did not."""
        self.waits = ""
        """Why the run ended although the league isn't over and nobody stopped it, in a line for people."""
        self.paused: Refusal | None = None
        """What the machine refused, if that ended the run."""
        self.take_up = take_up
        """May be set until the run begins."""
        self._shared_notes = notes
        if rule is None and self.file.stop.until == "settled":
            rule = Settled(
                self.file.stop,
                sorted({league.partners.units([entry.entry_no])[0] for entry in self.entries}),
                lambda: store.entries.labels(league.uuid),
                partial(store.leagues.events, league.uuid),
                benched_play=not isinstance(self.definition.schedule, Open),
            )
        self._judge = Judge(store, league.uuid, [] if rule is None else [rule])
        self._judge.look()
        self._executor = (
            executor_named(executor or DEFAULT_EXECUTOR, self.workers)
            if executor is None or isinstance(executor, str)
            else executor
        )
        self.sandbox: Wanted = sandbox or self.file.sandbox
        self._work = LeagueWork(store, work_of(self.file, self.entries, self.sandbox))
        runtimes = self._work.prepare().confinement.runtimes if self._executor.plays_here else None
        playing = [entry for entry in self.entries if self._stored.roster.plays(entry.entry_no)]
        refuse_unknown_programs(store, playing, runtimes)
        self.probe = self._work.probe
        """The report of the sandbox probe; None if games are played on other machines."""
        self._host_faults = HostFaults()
        self._overload_retries = OverloadRetries(store, league.uuid)
        self.notices: list[str] = []
        """Notices about this run for the organiser, a line each."""
        standing = store.leagues.progress(league.uuid)
        self.progress = RunProgress(most_games(self.definition), standing.games_done)
        self._count_hosts()
        self._most_batch_matches = most_batch_matches
        self._resumed = False
        self._finished: set[tuple[int, int]] = set()

    @property
    def waited_in_vain(self) -> bool:
        """Whether the run has only waited for hosts: none plays, and none has played a game."""
        progress = self.progress
        return progress.hosts == 0 and not progress.games + progress.failed_attempts

    @property
    def is_paused(self) -> bool:
        """Whether the league was paused by its organiser, as of the next match."""
        return self._stored.roster.league_paused is not None

    def run(self, shown: Callable[[RunProgress], None]) -> bool:
        """Play until the schedule is complete, a rule ends it, or `stop` is set; return False for `stop`.

        A league whose schedule rests, or that is paused, isn't complete: then `waits` says why.

        `shown` is called after every chunk of results has been stored, and at least every half second.
        Raises StoreHeld if another process writes to the store, MachineRefuses if no worker can be started.
        """
        does = f"runs {'league ' if self.league.rated else ''}{self.league.name}"
        with (
            self.store.holding(does) as writer,
            self.store.leagues.playing(self.league.uuid),
            contextlib.nullcontext(self._shared_notes)
            if self._shared_notes
            else Notes(self.store.files, does) as notes,
            notes.playing(self.league.uuid, self.league.name, lambda: self._stored.labels),
        ):
            self.store.leagues.set_state(self.league.uuid, "running")
            try:
                complete = self._play(shown, notes, writer)
            except BaseException:
                with contextlib.suppress(LedgerError):  # the store may be what failed
                    self.store.leagues.set_state(self.league.uuid, "stopped")
                raise
            self.store.leagues.set_state(self.league.uuid, "finished" if complete else "stopped")
            return complete

    def _play(self, shown: Callable[[RunProgress], None], notes: Notes, lock: int) -> bool:
        """Play until the league is complete, a rule ends the run, or `stop` is set; return False for `stop`."""
        secret, suite = self.store.leagues.secret(self.league.uuid), suite_of(self.league.config)
        budget = begin(self.store, self.league, self.file.stop)
        self._judge.add(budget)

        newcomers: dict[int, WorkEntry] = {}

        def changed(definition: Definition) -> None:
            self.definition = definition
            self._admit(newcomers)
            budget.change(definition.file.stop)
            self.progress.total_games = most_games(definition)

        planner = Planner(
            self.store, self.league, self._stored, secret, self._judge, self.stop, changed, self._slots
        )
        self.notices = planner.notices

        def next_matches() -> list[MatchRecord]:
            self.take_up()
            return self._left_open() or planner.next_matches()

        tickets = Tickets(
            self.league.uuid,
            lambda match: deal_seed(secret, suite, match.deal, match.round_no),
            self.definition.rulesets,
            self.definition.rotations,
            next_matches,
            lambda match_no, rotation: (match_no, rotation) in self._finished,
            self._stored.benched_at,
            self._most_batch_matches,
            newcomers,
            affinity=None if self._executor.plays_here else Affinity(),
            partners=self.definition.partners,
        )
        if isinstance(self._executor, HasHosts):
            notes.hosts = self._executor.hosts_in_play
        for chunk in self._executor.run(self._work, notes.taking(tickets), self.stop, (lock,)):
            self._enter(chunk, tickets, notes)
            notes.write_if_due()
            self.take_up()
            self._judge.look()
            if (rule := self._judge.ended_by) is not None and rule.ends_run:
                self.stop.after_game = True
            if budget.is_late and rule is None:
                self._show_overtime(budget)
            self._count_hosts()
            shown(self.progress)
        if (rule := self._judge.ended_by) is not None and rule.ends_run:
            return True
        complete = not self.store.matches.open(self.league.uuid) and planner.is_complete()
        if complete and (rule := self._judge.ended_by) is not None:
            self._end(rule, planner.planned)
        self.waits = planner.waits
        return complete

    def _slots(self) -> int:
        """Return how many games are played at the same time; 0 if that isn't known."""
        return self._executor.slots if isinstance(self._executor, HasSlots) else 0

    def _count_hosts(self) -> None:
        if isinstance(self._executor, HasHosts):
            hosts = [host for host in self._executor.hosts_in_play() if host.state == "plays"]
            self.progress.hosts, self.progress.host_slots = len(hosts), sum(host.slots for host in hosts)

    def _admit(self, newcomers: dict[int, WorkEntry]) -> None:
        """Add entries that have joined during this run to `newcomers`."""
        joined = self.store.entries.all(self.league.uuid)[len(self.entries) :]
        newcomers.update(work_entries(joined))
        self._work.admit(newcomers.values())

    def _show_overtime(self, budget: Budget) -> None:
        planned = self.store.leagues.progress(self.league.uuid).games_planned
        left = planned - self.progress.games_before - self.progress.games
        self.progress.total_games = planned
        self.progress.overtime = budget.overtime(left) if left > 0 else ""

    def _play_again(self, failed: Failure, tickets: Tickets) -> bool:
        """Play a failed game again, uncharged if the machine failed; False if its match is void instead."""
        later = failed.record.verdict in LASTING
        charged = failed.refusal is None and not (later and self.paused)
        return tickets.play_again(failed.ticket, charged=charged, later=later)

    def _left_open(self) -> list[MatchRecord]:
        """Return the matches that an earlier run planned but did not finish; nothing after the first call."""
        if self._resumed:
            return []
        self._resumed = True
        left = self.store.matches.open(self.league.uuid)
        if left:
            span = left[0].match_no, left[-1].match_no
            self._finished = self.store.games.keys(self.league.uuid, *span)
        return left

    def _end(self, rule: EndRule, match_no: int) -> None:
        """Record that a rule has ended the league before a match, and why: once, and again after it was extended."""
        self.ended = rule.why
        data = {"why": rule.why, "by": rule.by} if rule.by else {"why": rule.why}
        events = self.store.leagues.events(self.league.uuid)
        if not any(event.kind == ENDED and event.at_match_no == match_no for event in events):
            self.store.leagues.add_event(self.league.uuid, match_no, ENDED, data)

    def _enter(self, chunk: Sequence[object], tickets: Tickets, notes: Notes) -> None:
        """Store a chunk of results in the ledger, and schedule games that failed for replay."""
        games = [result for result in chunk if isinstance(result, GameRecord)]
        failures = [result for result in chunk if isinstance(result, Failure)]
        for excused in chunk:
            if not isinstance(excused, Excused):
                continue
            if self._overload_retries.grants(excused):
                failures.append(Failure(excused.ticket, excused.record))
            else:
                games.append(excused.game)
        failures += [
            failure(lost.ticket, Verdict.LOST_WORKER, lost.detail, lost.worker)
            for lost in chunk
            if isinstance(lost, Lost)
        ]
        notes.returned((game.match_no, game.rotation) for game in games)
        notes.returned((failed.ticket.match_no, failed.ticket.rotation) for failed in failures)
        for failed in failures:
            notes.failed((failed.ticket.match_no, failed.ticket.rotation), failed.record.detail)
        self._host_faults.take(games, failures)
        if self._host_faults.lasting and not self.paused:
            self.paused = self._host_faults.lasting
            notes.refused(self.paused.what)
            self.stop.after_game = True
        void = [failed.ticket.match_no for failed in failures if not self._play_again(failed, tickets)]
        if games or failures:
            self.store.append(
                games,
                [failed.record for failed in failures],
                [(self.league.uuid, match_no) for match_no in void],
            )
        notes.stored(len(games))
        # Nearly without the start of its bots: quick ones think half of the time of a game.
        taken = [min(game.wall_ns, 2 * sum(seat.wall_ns for seat in game.seats)) for game in games]
        tickets.heard(len(games), sum(taken) / NS_PER_S)
        for game in games:
            self._overload_retries.count(game)
        self.progress.games += len(games)
        self.progress.failed_attempts += len(failures)
        self.progress.void_matches += len(void)
