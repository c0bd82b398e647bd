"""Checks one upload, as `arena submit` does: a process of its own, which changes nothing in the store.

It reads an `Order` from standard input and reports on standard output. It ends at once when standard input does, so
that it can't outlive the process that started it.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

import msgspec

from arena import registry
from arena.checking.first_start import DoesNotStart, start_as_leagues_do
from arena.checking.steps import Failure, Step
from arena.checking.submission import submission_check
from arena.config.league_file import LeagueFile
from arena.core.errors import ArenaError, MachineRefuses, UsageError
from arena.league.changes.versions import OtherStart, check_leagues, other_starts
from arena.league.running.league_isolation import confine
from arena.sandbox.confinement import Confinement
from arena.submissions.build import Builder
from arena.submissions.build_run import BuildFailed
from arena.submissions.intake import Intake
from arena.submissions.kept_files import SOURCES, VERSIONS
from arena.submissions.programs import ToStart, runtimes_beside
from arena.submissions.staging import arriving_beside
from arena.submissions.submission import Submission, submission_of
from arena.submissions.versions import Candidate, known_version, read_bot, staged
from arena.web.desk.one_job import (
    MOST_LINE_BYTES,
    Began,
    BuildEnded,
    Failed,
    Message,
    Order,
    Passed,
    Refused,
    Said,
    Stepped,
)
from results.base.errors import UnknownLeague
from results.records import VersionRecord
from results.store import files_beside, open_store

NICE = 10
"""How much the check gives way to the games of leagues."""

Tell = Callable[[Message], None]


class _RefusedHere(Exception):
    """The upload is refused at a step."""

    def __init__(self, step: str, failure: Failure) -> None:
        super().__init__(failure.cause)
        self.step = step
        self.failure = failure


def run(order: Order, tell: Tell) -> None:
    """Check an upload and report. Whatever happens, the last message tells it."""
    try:
        passed = _checked(order, tell)
    except _RefusedHere as refused:
        tell(Refused(refused.step, refused.failure))
    except ArenaError as error:
        tell(Failed(f"{error}; {error.hint}" if error.hint else str(error)))
    except (OSError, MemoryError) as error:
        tell(Failed(str(error) or "this machine has no memory left"))
    else:
        tell(passed)


def _checked(order: Order, tell: Tell) -> Passed:
    """Return the result for a bot that passes. Raises _RefusedHere, or an error of the machine."""
    store = Path(order.store)
    os.chdir(order.folder)  # messages then name the archive as its author does
    try:
        confinement, _ = confine(store, order.sandbox)
    except UsageError as error:
        sys.stderr.write(f"{error}; {error.hint}\n")  # for the organiser alone
        raise MachineRefuses("this server can't confine bots now") from error
    tell(Began("reading"))
    known_games = registry.games()
    try:
        intake = read_bot(Path(order.archive), runtimes_beside(store), known_games, order.account)
    except UsageError as error:
        raise _RefusedHere("reading", _failure(error)) from None
    name = intake.manifest.name
    found = f"{intake.manifest.author}/{name}, for {', '.join(intake.manifest.games)}"
    tell(Stepped(Step(1, "manifest", "ok", found, 0.0)))
    with arriving_beside(store) as arriving:
        submitted, others = _entered_before(store, intake, order)
        if intake.manifest.build:
            tell(Began("building", name))
        candidate = _built(intake, store, submitted, arriving, lambda: confinement, tell)
        tell(Began("checking", name))
        submission = _played(candidate, store, confinement, tell)
        _start_otherwise(others, candidate, order, tell)
    files = files_beside(store)
    kept = _size(files / VERSIONS / submission.sha256)
    if submission.build is not None:
        kept += _size(files / SOURCES / submission.build.source)
    return Passed(submission, kept)


def _size(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _entered_before(
    store: Path, intake: Intake, order: Order
) -> tuple[VersionRecord | None, list[OtherStart]]:
    """Return the version with these files, if there is one, and the leagues that start it otherwise than its check.

    Refuses leagues that it can't enter.
    """
    opened = open_store(store, create=False, readonly=True)
    try:
        submitted = known_version(opened, intake)
        check_leagues(opened, order.leagues, store, intake.manifest, submitted, by="account")
        others = other_starts(opened, order.leagues, intake.manifest.author, intake.manifest.name)
    except UnknownLeague as error:
        raise _RefusedHere(
            "leagues", Failure(str(error), "choose among the leagues on the page for submitting")
        ) from None
    except UsageError as error:
        raise _RefusedHere("leagues", _failure(error)) from None
    finally:
        opened.close()
    return submitted, others


def _built(
    intake: Intake,
    store: Path,
    known: VersionRecord | None,
    arriving: Path,
    confinement: Callable[[], Confinement],
    tell: Tell,
) -> Candidate:
    builder = Builder(files_beside(store), confinement, lambda line: tell(Said(line)))
    versions = files_beside(store) / VERSIONS
    try:
        candidate = staged(intake, versions, known, arriving, builder)
    except BuildFailed as error:
        tell(BuildEnded(error.words))
        raise _RefusedHere("building", _failure(error)) from None
    except UsageError as error:
        raise _RefusedHere("building", _failure(error)) from None
    if candidate.intake.built is not None:
        tell(BuildEnded(candidate.intake.built.record.words))
    return candidate


def _played(candidate: Candidate, store: Path, confinement: Confinement, tell: Tell) -> Submission:
    """Play the games of the check; keep the files of a bot that passes."""
    with submission_check(
        candidate.intake, candidate.folder, confinement, lambda line: tell(Said(line))
    ) as check:
        for step in check.steps():
            tell(Stepped(step))
            if step.failure is not None:
                raise _RefusedHere(step.name, step.failure)
    return submission_of(
        candidate,
        files_beside(store) / VERSIONS,
        {report.game: asdict(report) for report in check.reports},
        deterministic=all(report.deterministic for report in check.reports),
    )


def _start_otherwise(others: list[OtherStart], candidate: Candidate, order: Order, tell: Tell) -> None:
    """Start a bot that passed its check as the leagues do that it enters; refuse it if it doesn't start in one."""
    store, name = Path(order.store), candidate.manifest.name

    def confined(file: LeagueFile) -> Confinement:
        return confine(store, order.sandbox, file.limits, pondering=file.pondering)[0]

    bot = ToStart(name, candidate.program, Path(order.archive))
    try:
        start_as_leagues_do(others, bot, confined, lambda line: tell(Said(line)))
    except DoesNotStart as error:
        raise _RefusedHere("leagues", _failure(error)) from None


def _failure(error: UsageError | BuildFailed) -> Failure:
    return Failure(str(error), error.hint)


def line_of(message: Message, places: tuple[str, ...]) -> bytes:
    """Return a message as a line of the report, at most `MOST_LINE_BYTES` long, without the names of these folders.

    A result that is too long is told as a failure; of any other such message nothing is told.
    """
    line = msgspec.json.encode(message)
    if len(line) > MOST_LINE_BYTES // 2:  # a folder with a short name may make it longer
        if not isinstance(message, Passed | Refused | Failed):
            return b""
        line = msgspec.json.encode(Failed(f"its report is longer than {MOST_LINE_BYTES // 2:,} bytes"))
    for place in sorted(filter(lambda place: place != "/", places), key=len, reverse=True):
        line = line.replace(msgspec.json.encode(place)[1:-1], "…".encode())
    return line + b"\n"


def _end_with(lifeline: BinaryIO) -> None:
    """Wait until nobody can write to standard input any more, then die with all that this process started."""
    while lifeline.read(1):
        pass
    os.kill(os.getpid(), signal.SIGKILL)  # its guardian then ends the bots


def main() -> None:
    """Run the order from standard input."""
    os.nice(NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the server's terminal is for the server
    lifeline = os.fdopen(os.dup(0), "rb", buffering=0)
    line = b""
    while not line.endswith(b"\n") and (byte := lifeline.read(1)):
        line += byte
    order = msgspec.json.decode(line, type=Order)
    reports = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1):  # bots and libraries can neither read orders nor write reports
        os.dup2(null, descriptor)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    places = (order.folder, str(Path(order.store).parent), str(Path.home()))

    def tell(message: Message) -> None:
        reports.write(line_of(message, places))
        reports.flush()

    run(order, tell)


if __name__ == "__main__":
    main()
