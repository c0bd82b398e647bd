"""Checks one upload, as `arena submit` does, in a process of its own that changes nothing in the store.

The worker starts it (`reports`) and reads what it reports, within limits on time and size. The process ends at once
when its standard input does, so that it can't outlive the worker.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from arena import registry
from arena.checking.step_results import Failure, Step
from arena.checking.trial_start import DoesNotStart, start_as_leagues_do
from arena.checking.whole_and_short_check import submission_check
from arena.client.api_types import Refusal
from arena.config.league_file import LeagueFile
from arena.core.errors import ArenaError, MachineRefuses, UsageError
from arena.league.changes.submitted_versions import OtherStart, check_leagues, other_starts
from arena.league.running.league_isolation import confine
from arena.sandbox.confinement import Confinement
from arena.submissions.build import Builder
from arena.submissions.build_run import BuildFailed
from arena.submissions.entering import Candidate, Submission, known_version, read_bot, staged, submission_of
from arena.submissions.kept_version_files import SOURCES, VERSIONS
from arena.submissions.launch_spec import ToStart, runtimes_beside
from arena.submissions.read_source import Intake
from arena.submissions.staging import staging_beside
from results.base.children import Child, Failed, Unreadable, failed, last_words, module, to_parent
from results.base.errors import UnknownLeague
from results.base.isolation_levels import Wanted
from results.records import VersionRecord
from results.store import files_beside, open_store

MOST_MESSAGE_BYTES = 4_194_304
"""Longest message of a report."""


class Order(Struct, frozen=True, forbid_unknown_fields=True):
    """What to check."""

    store: str
    """The absolute path of the store."""
    folder: str
    """The absolute path of the folder that the archive is in."""
    archive: str
    """The archive's name, which messages call it."""
    account: str
    """Who submits it, and must be its author."""
    leagues: tuple[str, ...] = ()
    """Where it is to play."""
    sandbox: Wanted = "require"


class Progress(Struct, frozen=True, tag="progress", omit_defaults=True):
    """How far the work is. Text from the bot is not escaped."""

    state: Literal["", "reading", "building", "checking"] = ""
    """The part of the work that begins."""
    bot: str = ""
    """The bot's name, once it is known; with a state."""
    said: str = ""
    """A line for people, while something takes long."""
    step: Step | None = None
    """A step of the check that is over."""
    build_log: str | None = None
    """What the build has printed, shortened in the middle."""


class Passed(Struct, frozen=True, tag="passed"):
    """The bot has passed, and its files are kept; what remains is to enter it. The last line."""

    submission: Submission
    kept_bytes: int


class Refused(Refusal, frozen=True, tag="refused"):
    """The upload is refused, for a reason that its author can mend. The last line."""


Message = Progress | Passed | Refused | Failed
"""A part of a report."""


WORDS = ".words"
"""The file with what the process writes to standard error; archives never begin with a dot."""
_LOOK_S = 0.5
_MOST_MESSAGES = 10_000
_LAST_WORDS_BYTES = 4_000


class JobStopped(Exception):
    """Nobody wants the result any more."""


def reports(
    order: Order, most_s: float, is_wanted: Callable[[], bool], say: Callable[[str], None]
) -> Iterator[Message]:
    """Run an order in a process of its own; yield what it reports, the result last.

    If it takes longer than `most_s`, it is killed with all its bots, and the upload is refused. `is_wanted` is asked
    twice a second. `say` gets the last words of a process that has crashed. Raises JobStopped and OSError.
    """
    path = Path(order.folder) / WORDS
    with path.open("wb") as words:
        job: Child[Message] = Child(
            module("arena.web.uploads.check"), Message, most_bytes=MOST_MESSAGE_BYTES, stderr=words, cwd="/"
        )
    try:
        with job:  # kills it at the end; its guardian ends the bots
            job.send(order)
            yield from _read(job, most_s, is_wanted)
    finally:
        if last := last_words(path, _LAST_WORDS_BYTES):
            say(f"the check of an upload wrote: {last}")


def _read(job: Child[Message], most_s: float, is_wanted: Callable[[], bool]) -> Iterator[Message]:
    until_s, count = time.monotonic() + most_s, 0
    while True:
        if not is_wanted():
            raise JobStopped
        if time.monotonic() > until_s:
            yield _too_long(most_s)
            return
        try:
            message = job.receive(_LOOK_S)
        except TimeoutError:
            continue
        except Unreadable:
            message = None
        count += 1
        if message is None or count > _MOST_MESSAGES:
            yield Failed("the process that checked it has ended early")
            return
        yield message
        if isinstance(message, Passed | Refused | Failed):
            return


def _too_long(most_s: float) -> Refused:
    return Refused(
        "time",
        Failure(
            f"reading, building and checking the bot took longer than {most_s / 60:,.0f} minutes",
            "let it decide faster, or build less",
        ),
    )


NICE = 10
"""How much the check gives way to the games of leagues."""

Tell = Callable[[Message], None]


class _RefusedHere(Exception):
    """The upload is refused at a step."""

    def __init__(self, step: str, why: Failure | ArenaError) -> None:
        super().__init__(step)
        failure = why if isinstance(why, Failure) else Failure(str(why), why.hint)
        self.refused = Refused(step, failure)


def run(order: Order, tell: Tell) -> None:
    """Check an upload and report. Whatever happens, the last message tells it."""
    try:
        passed = _checked(order, tell)
    except _RefusedHere as refused:
        tell(refused.refused)
    except ArenaError as error:
        tell(failed(error))
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
    tell(Progress("reading"))
    known_games = registry.games()
    try:
        intake = read_bot(Path(order.archive), runtimes_beside(store), known_games, order.account)
    except UsageError as error:
        raise _RefusedHere("reading", error) from None
    name = intake.manifest.name
    found = f"{intake.manifest.author}/{name}, for {', '.join(intake.manifest.games)}"
    tell(Progress(step=Step(1, "manifest", "ok", found, 0.0)))
    with staging_beside(store) as staging:
        submitted, others = _entered_before(store, intake, order)
        if intake.manifest.build:
            tell(Progress("building", name))
        candidate = _built(intake, store, submitted, staging, lambda: confinement, tell)
        tell(Progress("checking", name))
        submission = _played(candidate, store, confinement, tell)
        _start_otherwise(others, candidate, order, tell)
    files = files_beside(store)
    kept = _size(files / VERSIONS / submission.sha256)
    if submission.build is not None:
        kept += _size(files / SOURCES / submission.build.source)
    return Passed(submission, kept)


def _size(folder: Path) -> int:
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
        raise _RefusedHere("leagues", error) from None
    finally:
        opened.close()
    return submitted, others


def _built(
    intake: Intake,
    store: Path,
    known: VersionRecord | None,
    staging: Path,
    confinement: Callable[[], Confinement],
    tell: Tell,
) -> Candidate:
    builder = Builder(files_beside(store), confinement, lambda line: tell(Progress(said=line)))
    versions = files_beside(store) / VERSIONS
    try:
        candidate = staged(intake, versions, known, staging, builder)
    except BuildFailed as error:
        tell(Progress(build_log=error.words))
        raise _RefusedHere("building", error) from None
    except UsageError as error:
        raise _RefusedHere("building", error) from None
    if candidate.intake.built is not None:
        tell(Progress(build_log=candidate.intake.built.record.words))
    return candidate


def _played(candidate: Candidate, store: Path, confinement: Confinement, tell: Tell) -> Submission:
    """Play the games of the check; keep the files of a bot that passes."""
    with submission_check(
        candidate.intake, candidate.folder, confinement, lambda line: tell(Progress(said=line))
    ) as check:
        for step in check.steps():
            tell(Progress(step=step))
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
        start_as_leagues_do(others, bot, confined, lambda line: tell(Progress(said=line)))
    except DoesNotStart as error:
        raise _RefusedHere("leagues", error) from None


def without_folders(message: Message, folders: tuple[str, ...]) -> Message | None:
    """Return a message without the names of these folders; None for one that is too long to be sent.

    A result that is too long becomes a failure.
    """
    line = msgspec.json.encode(message)
    if len(line) > MOST_MESSAGE_BYTES // 2:  # a folder with a short name may make it longer
        if not isinstance(message, Passed | Refused | Failed):
            return None
        line = msgspec.json.encode(Failed(f"its report is longer than {MOST_MESSAGE_BYTES // 2:,} bytes"))
    for folder in sorted(filter(lambda folder: folder != "/", folders), key=len, reverse=True):
        line = line.replace(msgspec.json.encode(folder)[1:-1], "…".encode())
    clean: Message = msgspec.json.decode(line, type=Message)
    return clean


def main() -> None:
    """Run the order from the worker, and end with it."""
    os.nice(NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the server's terminal is for the server
    worker = to_parent(Order)
    order = worker.receive()
    if order is None:
        return
    worker.listen(at_end=lambda: os.kill(os.getpid(), signal.SIGKILL))  # its guardian then ends the bots
    folders = (order.folder, str(Path(order.store).parent), str(Path.home()))

    def tell(message: Message) -> None:
        if (clean := without_folders(message, folders)) is not None:
            worker.send(clean)

    run(order, tell)


if __name__ == "__main__":
    main()
