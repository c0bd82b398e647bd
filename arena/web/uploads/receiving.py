"""Receives archives: takes a place in the queue before the first byte is read, and counts bytes as they come."""

import asyncio
import os
import re
import shutil
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from secrets import token_urlsafe

from msgspec import Struct
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from arena.core.errors import UsageError
from arena.submissions.folder import DEFAULT_LIMITS, WAYS_OUT, FolderLimits
from arena.submissions.kept_version_files import VERSIONS
from arena.web.http.body_limits_and_compression import NotReceived
from arena.web.http.page_threads import in_site_file_thread
from arena.web.site_file import audit, upload_queue
from arena.web.site_file.site_database import SiteFile, Transaction
from arena.web.site_file.upload_queue import Use
from results.base.clock import utc_text
from results.base.permissions import make_folder
from results.store import files_beside

MIB = 1_048_576
_RECEIVE_BYTES_PER_S = 168 * 1024


class UploadLimits(Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on uploads. The first four are for each account."""

    in_progress: int = 2
    """Uploads that are being received, waiting or being checked."""
    per_day: int = 30
    """Uploads received on a day (UTC)."""
    kept_bytes: int = 512 * MIB
    """Files of accepted versions, and archives that wait."""
    body_bytes: int = 48 * MIB
    """Of one archive: half as much again as a bot may have, as archives may hold files that are left out."""
    bot: FolderLimits = DEFAULT_LIMITS
    """What a bot may contain."""
    queue: int = 100
    """Uploads of everybody that are received, waiting or being checked."""
    receive_s: float = 300.0
    """How long receiving one archive may take."""
    check_s: float = 1_200.0
    """How long reading, building and checking one bot may take altogether."""
    attempts: int = 3
    """How often an upload is begun, if the machine fails or the server is stopped meanwhile."""
    free_bytes: int = 256 * MIB
    """Space on the disk that uploads leave free."""

    @classmethod
    def of(cls, bot: FolderLimits) -> "UploadLimits":
        """Return limits that fit bots of this size."""
        usual = cls()
        body_bytes = bot.bytes * 3 // 2
        return cls(
            bot=bot,
            body_bytes=body_bytes,
            kept_bytes=max(usual.kept_bytes, 16 * bot.bytes),
            receive_s=max(usual.receive_s, body_bytes / _RECEIVE_BYTES_PER_S),
        )


UPLOADS = "uploads"
"""Name of the folder next to a store with the archives that wait."""
MOST_LEAGUES = 20
_MOST_NAME_CHARS = 80
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class Reception:
    """Where archives for one store are received."""

    store: Path
    file: SiteFile
    limits: UploadLimits

    @property
    def folder(self) -> Path:
        """The folder of all archives that wait."""
        return files_beside(self.store) / UPLOADS

    def use(self, account: str) -> Use:
        """Return what an account uses of its limits. Raises SiteFileError."""
        with self.file.reading() as db:
            return upload_queue.use_of(db, account, self.file.now()[:10], self._is_kept)

    def begin(self, account: str, archive: str, leagues: Sequence[str], size: int | None) -> str:
        """Take a place in the queue; return the id of the upload.

        `size`: in bytes, as the client has announced it, or None. Raises NotReceived if a limit leaves no room,
        UsageError and SiteFileError.
        """
        limits, now = self.limits, self.file.now()
        _check_leagues(leagues)
        if size is not None and size > limits.body_bytes:
            raise too_large(limits)
        if size == 0:
            raise NotReceived(400, "the archive is empty", "choose the archive of your bot")
        upload = token_urlsafe(16)
        with self.file.writing() as db:
            self._break_off(db, now)
            use = upload_queue.use_of(db, account, now[:10], self._is_kept)
            _check_room(use, limits, size or 1, now)
            self._check_disk(size or limits.body_bytes)
            upload_queue.begin_receiving(
                db,
                upload,
                account,
                archive_name(archive),
                tuple(dict.fromkeys(leagues)),
                limits.body_bytes if size is None else size,
                now,
            )
        return upload

    def name(self, upload: str, archive: str, leagues: Sequence[str]) -> None:
        """Set the name of an archive that is on its way, and its leagues. Raises UsageError and SiteFileError."""
        _check_leagues(leagues)
        with self.file.writing() as db:
            upload_queue.name(db, upload, archive_name(archive), tuple(dict.fromkeys(leagues)))

    async def receive(self, upload: str, account: str, body: AsyncIterator[bytes], address: str) -> None:
        """Write an archive to its file and put the upload in the queue.

        Raises NotReceived if it is larger than allowed or doesn't come whole in time; then the upload has ended.
        """
        folder = self.folder / upload
        try:
            archive, most_bytes = await in_site_file_thread(self._expected, upload)
            await run_in_threadpool(make_folder, folder)
            async with asyncio.timeout(self.limits.receive_s):
                size = await self._write(folder / archive, body, most_bytes)
            await in_site_file_thread(self._arrived, upload, size, account, archive, address)
        except BaseException as error:
            words, failure = self._failure(error)
            await in_site_file_thread(self.broken, upload, words)
            await run_in_threadpool(shutil.rmtree, folder, True)
            if failure is None:
                raise
            raise failure from None

    def broken(self, upload: str, why: str) -> None:
        """End an upload that didn't arrive whole. Raises SiteFileError."""
        with self.file.writing() as db:
            upload_queue.broken(db, upload, why, self.file.now())

    def _expected(self, upload: str) -> tuple[str, int]:
        """Return the name of an archive that is on its way, and its size in bytes. Raises NotReceived."""
        with self.file.reading() as db:
            row = upload_queue.find(db, upload)
        if row is None:
            raise NotReceived(409, "this upload has ended", "submit the bot again")
        return row.archive, row.size_bytes

    def _arrived(self, upload: str, size: int, account: str, archive: str, address: str) -> None:
        """Put an upload in the queue. Raises NotReceived if it has ended meanwhile."""
        with self.file.writing() as db:
            if not upload_queue.received(db, upload, size):
                raise NotReceived(408, "the archive didn't arrive in time", "submit the bot again")
            audit.note(db, self.file.now(), account, f"uploaded {archive} as {upload}", address)

    async def _write(self, path: Path, body: AsyncIterator[bytes], most_bytes: int) -> int:
        """Write the body to a new file; return its size. Raises NotReceived and OSError."""
        size, most_bytes = 0, min(most_bytes, self.limits.body_bytes)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = await run_in_threadpool(os.open, path, flags, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            async for piece in body:
                size += len(piece)
                if size > most_bytes:
                    raise too_large(self.limits)
                await run_in_threadpool(file.write, piece)
            if not size:
                raise NotReceived(400, "the archive is empty", "choose the archive of your bot")
            await run_in_threadpool(file.flush)
            await run_in_threadpool(os.fsync, file.fileno())
        return size

    def _failure(self, error: BaseException) -> tuple[str, NotReceived | None]:
        """Return why an archive didn't arrive, and what to raise instead of `error`, or None."""
        if isinstance(error, NotReceived):
            return str(error), None
        if isinstance(error, TimeoutError):
            words = f"the archive took longer than {self.limits.receive_s:,.0f} seconds to arrive"
            return words, NotReceived(408, words, "submit it again over a better connection")
        if isinstance(error, ClientDisconnect):
            return "the connection was interrupted", NotReceived(400, "the connection was interrupted")
        if isinstance(error, OSError):
            return "the server couldn't write it", NotReceived(
                507, "the server can't write the archive", "tell its organiser, and try again later"
            )
        return "the archive arrived incomplete", None

    def _break_off(self, db: Transaction, now: str) -> None:
        """End uploads that were being received when a server was killed."""
        longest = timedelta(seconds=self.limits.receive_s + 30)
        upload_queue.break_off_older(db, utc_text(datetime.fromisoformat(now) - longest), now)

    def _check_disk(self, size: int) -> None:
        place = self.store.absolute().parent
        if shutil.disk_usage(place).free - size < self.limits.free_bytes:
            raise NotReceived(
                507, "the server's disk is almost full", "tell its organiser, and try again later"
            )

    def _is_kept(self, sha256: str) -> bool:
        return (files_beside(self.store) / VERSIONS / sha256).is_dir()


def _check_leagues(leagues: Sequence[str]) -> None:
    if len(set(leagues)) > MOST_LEAGUES or any(not 0 < len(league) <= 64 for league in leagues):
        raise UsageError(f"an upload may enter at most {MOST_LEAGUES} leagues", "name fewer")


def archive_name(given: str) -> str:
    """Return a safe name for an archive that a client calls `given`: no folders, no hidden or very long names."""
    name = _NOT_IN_NAMES.sub("-", given.replace("\\", "/").rpartition("/")[2]).lstrip(".-")
    if len(name) > _MOST_NAME_CHARS:
        name = name[-_MOST_NAME_CHARS:].lstrip(".-")
    return name if name.strip(".-_") else "bot.zip"


def too_large(limits: UploadLimits) -> NotReceived:
    """Return the refusal of an archive that is too large."""
    return NotReceived(
        413,
        f"the archive is too large: it has more than {limits.body_bytes // MIB} MiB",
        f"a bot may have {limits.bot.in_words}; leave out what it does not need to play; {WAYS_OUT}",
    )


def _check_room(use: Use, limits: UploadLimits, size: int, now: str) -> None:
    """Raise NotReceived if a limit is reached."""
    if use.in_progress >= limits.in_progress:
        raise NotReceived(
            429,
            f"{use.in_progress} of your uploads are in progress; the limit is {limits.in_progress}",
            "wait until one is over",
        )
    if use.today >= limits.per_day:
        raise NotReceived(
            429,
            f"you have uploaded {use.today} times today, which is the limit",
            f"wait until {(datetime.fromisoformat(now) + timedelta(days=1)).date()}, 00:00 UTC",
        )
    if use.kept_bytes + size > limits.kept_bytes:
        raise NotReceived(
            413,
            f"your versions take {use.kept_bytes / MIB:,.1f} MiB of {limits.kept_bytes // MIB:,} MiB",
            "ask the organiser to delete versions that never played",
        )
    if use.queue >= limits.queue:
        raise NotReceived(503, f"the queue is full: {use.queue} uploads are waiting", "try again later")
