"""Takes uploads from the queue, one after the other, and has each checked in a process of its own.

An upload that passes becomes a command in the site's file, in the same transaction that ends the check. So a process
that is killed leaves either an upload that is checked again, or a command that is delivered once.
"""

import fcntl
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, cast, get_args

import msgspec
from msgspec import structs

from arena.checking.step_results import Failure
from arena.core.errors import ArenaError, UsageError
from arena.league.changes.submitted_versions import Submit
from arena.league.inbox.files import new_id
from arena.league.running.league_isolation import confine
from arena.web.site_file import accounts, audit, pending_commands, upload_queue
from arena.web.site_file.file import SiteFile, site_file_of
from arena.web.site_file.upload_queue import UploadRow
from arena.web.uploads.check import JobStopped, Message, Order, Passed, Progress, Refused, reports
from arena.web.uploads.receiving import NOT_CONFINED, TAKEN, Reception, UploadLimits
from results.base.children import Failed, Pipe, failed
from results.base.isolation_levels import Wanted
from results.base.permissions import make_folder

LOOK_S = 0.5
RETRY_S = 5.0
"""How long to wait after a failure of the machine."""
_ACCOUNT_LOOK_S = 2.0


class OtherWorker(UsageError):
    """Another process checks the uploads of this store."""


@dataclass(slots=True)
class Worker:
    """Checks the uploads of one store."""

    reception: Reception
    sandbox: Wanted
    stop: Event
    """Set to stop; the upload at work is put back."""
    say: Callable[[str], None]
    _looked_s: float = 0.0
    """When the account of the upload at work was last looked up."""

    def run(self) -> None:
        """Work until told to stop. Raises OtherWorker and SiteFileError."""
        with self._alone():
            with self.reception.file.writing() as db:
                upload_queue.put_back(db)
            while not self.stop.is_set():
                if not self.work():
                    self.stop.wait(LOOK_S)

    def work(self) -> bool:
        """Deal with the next upload, if one waits; return whether one did."""
        with self.reception.file.reading() as db:
            upload = upload_queue.next_queued(db)
        if upload is None:
            self._sweep()
            return False
        self._work_on(upload)
        return True

    def _work_on(self, upload: UploadRow) -> None:
        reception, limits = self.reception, self.reception.limits
        if upload.attempts >= limits.attempts:
            self._refuse(upload, Refused("server", _not_its_fault("the check was interrupted each time")))
            return
        folder = reception.folder / upload.id
        if not (folder / upload.archive).is_file():
            self._refuse(upload, Refused("server", _not_its_fault("its archive is gone")))
            return
        with reception.file.writing() as db:
            upload_queue.begin(db, upload.id)
        order = Order(
            store=str(reception.store.absolute()),
            folder=str(folder.absolute()),
            archive=upload.archive,
            account=upload.account,
            leagues=upload.leagues,
            sandbox=self.sandbox,
        )
        try:
            for message in reports(order, limits.check_s, partial(self._is_wanted, upload), self.say):
                self._note(upload, message)
        except JobStopped:
            if self.stop.is_set():
                with reception.file.writing() as db:
                    upload_queue.put_back(db)
                return
            self._refuse(upload, Refused("account", Failure("the account was closed meanwhile")))
        except (OSError, msgspec.MsgspecError) as error:
            self._failed(upload, str(error))

    def _is_wanted(self, upload: UploadRow) -> bool:
        """Return whether the check of an upload is still wanted; the account is looked up every now and then."""
        if self.stop.is_set():
            return False
        if time.monotonic() - self._looked_s < _ACCOUNT_LOOK_S:
            return True
        self._looked_s = time.monotonic()
        with self.reception.file.reading() as db:
            account = accounts.find(db, upload.account)
        return account is not None and account.is_open

    def _note(self, upload: UploadRow, message: Message) -> None:
        match message:
            case Passed():
                self._pass(upload, message)
            case Refused():
                self._refuse(upload, message)
            case Failed():
                self._failed(upload, message.words)
            case Progress():
                with self.reception.file.writing() as db:
                    upload_queue.progressed(db, upload.id, **structs.asdict(message))

    def _pass(self, upload: UploadRow, passed: Passed) -> None:
        """End the check and write down the command that enters the bot, both or neither."""
        file, submission = self.reception.file, passed.submission
        change = Submit.of(submission, upload.leagues, of_account=True)
        with file.writing() as db:
            account = accounts.find(db, upload.account)
            if account is None or not account.is_open:
                closed = Refused("account", Failure("the account was closed meanwhile"))
                upload_queue.refuse(db, upload.id, closed, file.now())
            else:
                uuid, now = new_id(), file.now()
                pending_commands.add(db, uuid, upload.account, Submit.kind, msgspec.to_builtins(change), now)
                upload_queue.enter(db, upload.id, submission.sha256, passed.kept_bytes, uuid)
                audit.note(
                    db, now, upload.account, f"upload {upload.id} has passed; command {uuid} enters it"
                )
        self._remove(upload)

    def _refuse(self, upload: UploadRow, refused: Refused) -> None:
        with self.reception.file.writing() as db:
            upload_queue.refuse(db, upload.id, refused, self.reception.file.now())
        self._remove(upload)

    def _failed(self, upload: UploadRow, words: str) -> None:
        """Put an upload back that the machine has failed, or end it after several times."""
        self.say(f"upload {upload.id} couldn't be checked: {words}")
        if upload.attempts + 1 >= self.reception.limits.attempts:
            self._refuse(upload, Refused("server", _not_its_fault(words)))
            return
        with self.reception.file.writing() as db:
            upload_queue.put_back(db)
            upload_queue.progressed(
                db, upload.id, said=f"the server couldn't check it, and will try again: {words}"
            )
        self.stop.wait(RETRY_S)

    def _remove(self, upload: UploadRow) -> None:
        shutil.rmtree(self.reception.folder / upload.id, ignore_errors=True)

    def _sweep(self) -> None:
        """Remove archives that nobody needs any more: of uploads that ended when a process was killed."""
        try:
            names = os.listdir(self.reception.folder)  # noqa: PTH208 - names are all that is needed
        except OSError:
            return
        found = [name for name in names if not name.startswith(".")]
        if found:
            with self.reception.file.reading() as db:
                needed = upload_queue.in_progress(db)
            for name in set(found) - needed:
                shutil.rmtree(self.reception.folder / name, ignore_errors=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the lock of the one process that checks uploads. Raises OtherWorker."""
        folder = self.reception.folder
        make_folder(folder)
        descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise OtherWorker(
                    f"another process checks the uploads of {self.reception.store}", "one server is enough"
                ) from None
            yield
        finally:
            os.close(descriptor)


def _not_its_fault(words: str) -> Failure:
    return Failure(
        f"the server couldn't check the bot: {words}",
        "this says nothing about your bot: tell the organiser, and submit it again later",
    )


def main(store: str, sandbox: str, limits: str) -> int:
    """Check uploads until told to stop; return the exit code."""
    if sandbox not in get_args(Wanted):
        return 2
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda _number, _frame: stop.set())
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the server's terminal is for the server
    Pipe(0, -1, Any).listen(at_end=stop.set)
    path = Path(store)
    reception = Reception(path, SiteFile(site_file_of(path)), msgspec.json.decode(limits, type=UploadLimits))
    try:
        confine(path, cast("Wanted", sandbox))
    except UsageError as error:
        _say(f"{error}; {error.hint}")
        return NOT_CONFINED
    except ArenaError as error:  # the machine lacks something for the moment: each check tries again
        _say(str(error))
    try:
        Worker(reception, cast("Wanted", sandbox), stop, _say).run()
    except OtherWorker:  # the server says so, once
        return TAKEN
    except ArenaError as error:
        _say(failed(error).words)
        return error.exit_code
    return 0


def _say(line: str) -> None:
    with suppress(OSError):
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
