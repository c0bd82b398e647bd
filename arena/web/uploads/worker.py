"""Takes uploads from the queue, one after the other, and has each checked in a process of its own.

An upload that passes becomes a command in the site's file, in the same transaction that ends the check. So a server
that is killed leaves either an upload that is checked again, or a command that is delivered once.
"""

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Thread

import msgspec
from msgspec import structs

from arena.checking.step_results import Failure
from arena.league.changes.submitted_versions import Submit
from arena.league.inbox.files import new_id
from arena.web.site_file import accounts, audit, pending_commands, upload_queue
from arena.web.site_file.upload_queue import UploadRow
from arena.web.uploads.check import JobStopped, Message, Order, Passed, Progress, Refused, reports
from arena.web.uploads.receiving import Reception
from results.base.children import Failed, Pauses, failed
from results.base.isolation_levels import Wanted

LOOK_S = 0.5
RETRY_S = 5.0
"""How long to wait after a failure of the machine."""
_ACCOUNT_LOOK_S = 2.0
SOUND_S = 60.0
"""After working for so long, the pauses after errors begin at the shortest again."""
STOP_S = 10.0


@dataclass(slots=True)
class Worker:
    """Checks the uploads of one store, in a thread."""

    reception: Reception
    sandbox: Wanted
    say: Callable[[str], None]
    """Gets a line for people."""
    may_start: Callable[[], bool] = lambda: True
    """Returns whether bots may be started now; else uploads wait."""
    trouble: str = ""
    """Why uploads can't be checked now, for everybody; empty if they can."""
    _over: Event = field(default_factory=Event)
    _thread: Thread | None = None
    _looked_s: float = 0.0
    """When the account of the upload at work was last looked up."""

    def begin(self) -> None:
        """Go on working until `close`."""
        self._thread = Thread(target=self._go_on, name="uploads", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop. The upload at work is put back; the next server takes it up."""
        self._over.set()
        if self._thread is not None:
            self._thread.join(STOP_S)

    def _go_on(self) -> None:
        pauses = Pauses(sound_s=SOUND_S)
        while not self._over.is_set():
            pauses.begin()
            try:
                self._run()
            except Exception as error:  # noqa: BLE001 - whatever it is, the next attempt may succeed
                if not self.trouble:
                    self.trouble = "the server can't check uploads now"
                    self.say(f"uploads are refused: {self.trouble}; {failed(error).words}")
            self._over.wait(pauses.next_s())

    def _run(self) -> None:
        """Work until told to stop. Raises SiteFileError."""
        with self.reception.file.writing() as db:
            upload_queue.put_back(db)
        while not self._over.is_set():
            did = self.may_start() and self.work()
            self.trouble = ""
            if not did:
                self._over.wait(LOOK_S)

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
            if self._over.is_set():
                with reception.file.writing() as db:
                    upload_queue.put_back(db)
                return
            self._refuse(upload, Refused("account", Failure("the account was closed meanwhile")))
        except (OSError, msgspec.MsgspecError) as error:
            self._failed(upload, str(error))

    def _is_wanted(self, upload: UploadRow) -> bool:
        """Return whether the check of an upload is still wanted; the account is looked up every now and then."""
        if self._over.is_set():
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
        self._over.wait(RETRY_S)

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


def _not_its_fault(words: str) -> Failure:
    return Failure(
        f"the server couldn't check the bot: {words}",
        "this says nothing about your bot: tell the organiser, and submit it again later",
    )
