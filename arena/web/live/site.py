"""What a running server holds: the stores, cached pages, and who asks."""

import queue
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from fastapi import Request

from arena.submissions.folder import folder_limits
from arena.web.html.page_model import About
from arena.web.http.allowed_hosts import counted_as
from arena.web.http.body_limits_and_compression import NotReceived
from arena.web.http.page_cache import Content, Made, PageCache
from arena.web.http.page_threads import SiteThreads, result_of
from arena.web.http.security import SESSION, csrf_of, read_cookie
from arena.web.organising.deliveries import Deliveries
from arena.web.play_tables.tables import TableLimits, Tables
from arena.web.site_file import accounts, audit
from arena.web.site_file.accounts import Role
from arena.web.site_file.site_database import (
    SiteFile,
    SiteFileError,
    Transaction,
    fact,
    note_fact,
    site_file_of,
)
from arena.web.upkeep.confinement_watch import ConfinementWatch
from arena.web.uploads.receiving import Reception, UploadLimits
from results.base.clock import utc_text
from results.base.errors import LedgerError
from results.records import EntryRecord
from results.store import Store, files_beside, open_store, runner_of
from results.store.beside_store import Cache
from results.store.opening import Watch

if TYPE_CHECKING:
    from arena.web.live.site_plugins import Extension

MOST_FAILED = 10
"""Failed attempts per address in a window; more are refused without a look at the token."""
WINDOW_S = 300.0
_AROUND_BYTES = 65_536
"""What a form adds to an archive, at most."""
_ABOUT = "about"


def about_in(file: SiteFile) -> About:
    """Return what the organiser says of the site. Raises SiteFileError."""
    if not file.exists:
        return About()
    with file.reading() as db:
        said = fact(db, _ABOUT)
    return msgspec.json.decode(said, type=About) if said else About()


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who sent a request."""

    account: str = ""
    """The name of the account, also its author; empty for somebody who isn't signed in."""
    csrf: str = ""
    """What forms of this session send back; empty for a program that sent a token."""
    role: Role = "author"
    session: int = 0
    """The number of the session; 0 if there is none."""

    @property
    def key(self) -> str:
        """What pages made for this visitor are kept under; empty for everybody who isn't signed in."""
        return f"{self.account}\t{self.role}\t{self.csrf}" if self.account else ""

    @property
    def organises(self) -> bool:
        """Whether this is an organiser."""
        return bool(self.account) and self.role == "organiser"

    def owns(self, author: str | None) -> bool:
        """Return whether what belongs to this author may be seen and changed: by the author, and by organisers."""
        return bool(self.account) and (self.organises or self.account == author)

    def owns_entry(self, entry: EntryRecord) -> bool:
        """Return whether an entry is of a bot that this visitor owns."""
        return self.owns(entry.version.author if entry.version else None)

    def values(self) -> Mapping[str, Any]:
        """Return what templates get."""
        return {"account": self.account or None, "csrf": self.csrf, "organises": self.organises}


class TooManyAttempts(Exception):
    """An address has failed too often to sign in, and has to wait; `headers` say so to programs."""

    def __init__(self, wait_s: float) -> None:
        super().__init__("Too many wrong tokens came from your address, so none is accepted from there now.")
        self.minutes = ceil(wait_s / 60)
        self.headers = {"Retry-After": str(ceil(wait_s))}


_MOST_KEPT = 8
_LOOK_S = 0.5
"""How often to look whether the store has changed."""


class Stores:
    """Lends stores that are open for reading. No transaction stays open between requests, so the log can be emptied."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept: queue.SimpleQueue[tuple[int, Store]] = queue.SimpleQueue()
        self._watch = Watch(path)
        self._cache = Cache(files_beside(path))
        self._looked: tuple[float, tuple[int, int] | None] = (0.0, None)
        self._states: tuple[object, object] = (None, None)

    def version(self) -> tuple[int, int] | None:
        """Return a value that differs after a change, at most half a second old; None if the store can't be read."""
        looked_s, version = self._looked
        now = time.monotonic()
        if now - looked_s >= _LOOK_S:
            version = self._watch.version()
            self._looked = (now, version)
        return version

    def seen(self) -> tuple[object, object]:
        """Return two values: one that differs once pages may be others, and `states`.

        Pages may be others after a change, or with a new result that is kept beside the store.
        """
        return (self.version(), self._cache.state()), self.states()

    def states(self) -> object:
        """Return a value that differs once a league's state may be another, by the store or by its runner's notes."""
        version = self._watch.version()
        of_version, in_store = self._states
        if version is None or version != of_version:
            try:
                with self.borrowed() as store:
                    in_store = tuple(
                        (
                            one.uuid,
                            one.name,
                            one.state,
                            one.events,
                            one.last_event_match_no <= one.matches_planned,
                        )
                        for one in store.activity.now().leagues
                    )
            except LedgerError:
                return None
            self._states = version, in_store
        runner = runner_of(self.path)
        notes = runner.notes if runner.is_running else None
        return in_store, runner.is_running, notes and (notes.does, notes.league, notes.waiting)

    @contextmanager
    def borrowed(self) -> Iterator[Store]:
        """Yield a store, open for reading, to be used in this thread until the end of the block.

        Raises StoreMissing and what opening a store raises.
        """
        version = self.version()
        opened = version[0] if version else -1
        store = None
        while not self._kept.empty() and store is None:
            try:
                of, kept = self._kept.get_nowait()
            except queue.Empty:
                break
            if of == opened:
                store = kept
            else:
                kept.close()
        if store is None:
            store = open_store(self.path, create=False, readonly=True)
        broken = False
        try:
            yield store
        except LedgerError:
            broken = True
            raise
        finally:
            if broken or self._kept.qsize() >= _MOST_KEPT:
                store.close()
            else:
                self._kept.put((opened, store))

    def close(self) -> None:
        """Close everything."""
        self._watch.close()
        while not self._kept.empty():
            self._kept.get_nowait()[1].close()


@dataclass(slots=True)
class Site:
    """The state of one server."""

    stores: Stores
    file: SiteFile
    deliveries: Deliveries
    reception: Reception
    tables: Tables
    """Where people play."""
    page_cache: PageCache = field(default_factory=PageCache)
    threads: SiteThreads = field(default_factory=SiteThreads)
    clock_s: Callable[[], float] = time.time
    runner_words: Callable[[], str] = str
    """Returns what is known of the runner that this server supervises; empty if it supervises none."""
    takes_uploads: bool = True
    """Whether uploads are received, because this server checks them."""
    confinement: ConfinementWatch | None = None
    """Knows whether bots are confined; None if nobody has looked."""
    upload_trouble: Callable[[], str] = str
    """Returns why uploads can't be checked now; empty if they can."""
    extensions: "Sequence[Extension]" = ()
    """What other packages add to this server."""
    about: About = field(default_factory=About)
    """What the organiser says of it."""

    @classmethod
    def of(cls, store: Path, table_limits: TableLimits | None = None) -> "Site":
        """Return the site of a store."""
        file = SiteFile(site_file_of(store))
        reception = Reception(store, file, UploadLimits.of(folder_limits()))
        tables = Tables(store, file, table_limits or TableLimits())
        found = cls(Stores(store), file, Deliveries(store, file), reception, tables)
        with suppress(SiteFileError):  # what needs accounts says so
            found.about = about_in(file)
        return found

    def values(self, who: Visitor) -> Mapping[str, Any]:
        """Return what all templates get of the site and of who asks."""
        return {"site": self.about, "guests_play": self.tables.limits.of_guests > 0, **who.values()}

    def say_about(self, about: About, who: str, address: str) -> None:
        """Keep what an organiser says of the site. Raises SiteFileError."""
        now = self.file.now()
        with self.file.writing() as db:
            note_fact(db, _ABOUT, msgspec.json.encode(about).decode())
            audit.note(db, now, who, "changed the title, text or contact of the site", address)
        self.about = about

    async def made(
        self,
        request: Request,
        kind: str,
        address: str,
        make: Callable[[], Content],
        kept_s: float | None = None,
        *,
        beside_store: bool = False,
    ) -> Made:
        """Return a page that everybody may read, made by `make` unless it is kept under its address.

        For `kind`, see `Threads.begin`; for `kept_s`, see `PageCache.get`; `beside_store`: it shows what a runner adds
        without a change of the store, so it is made again each minute. Raises Crowded, and what `make` raises.
        """
        looked = self.threads.looks.submit(self.stores.seen)
        content, states = await result_of(looked)
        address = f"{address}\n{self.about!r}"
        begin = partial(self.threads.pages.begin, kind, client=address_of(request))
        version = (content, self.clock_s() // 60) if beside_store else content
        return await self.page_cache.get(address, version, make, begin, kept_s, states=states)

    def signed_in(self, request: Request) -> Visitor:
        """Return who sent a request, by the cookie. Raises SiteFileError if there is a cookie and the file fails."""
        if getattr(request.state, "visitor", None) is None:
            self.recognise(request)
        found: Visitor | SiteFileError = request.state.visitor
        if isinstance(found, SiteFileError):
            raise found
        return found

    def recognise(self, request: Request) -> None:
        """Find out who sent a request, for `signed_in`. The middleware `recognised` calls it in a thread of its own."""
        try:
            request.state.visitor = self._by_cookie(request)
        except SiteFileError as error:
            request.state.visitor = error

    def _by_cookie(self, request: Request) -> Visitor:
        secret = read_cookie(request, SESSION)
        if not secret or not self.file.exists:
            return Visitor()
        now = self.file.now()
        with self.file.reading() as db:
            member = accounts.member(db, secret, now)
        if member is None:
            return Visitor()
        if member.is_stale:
            with suppress(SiteFileError), self.file.writing() as db:
                accounts.session_seen(db, member.session, now)
        return Visitor(member.account, csrf_of(secret), member.role, member.session)

    def with_token(self, request: Request) -> Visitor | None:
        """Return who sent a request with `Authorization: Bearer TOKEN`; None if the token opens nothing.

        Raises TooManyAttempts after many wrong tokens from its address, whatever this one is, and SiteFileError.
        """
        kind, _, secret = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not secret.strip() or not self.file.exists:
            return None
        now, address = self.file.now(), address_of(request)
        with self.file.reading() as db:
            self._check_attempts(db, address)
            found = accounts.owner_of(db, secret, now)
        if found is None:
            with self.file.writing() as db:
                self._check_attempts(db, address)
                self._count_failure(db, address)
            return None
        account, token = found
        if token.used_at is None or token.used_at < utc_text(
            datetime.fromisoformat(now) - timedelta(hours=1)
        ):
            with suppress(SiteFileError), self.file.writing() as db:
                accounts.token_used(db, token.id, now)
        return Visitor(account.name, "", account.role)

    def sign_in(self, request: Request, secret: str, *, by_link: bool = False) -> str | None:
        """Begin a session for the owner of a token; return its id, for the cookie, or None if the token opens nothing.

        `by_link`: the secret is the code of an invitation, which opens nothing after that. The session from which the
        request came ends. Raises TooManyAttempts and SiteFileError.
        """
        now, address = self.file.now(), address_of(request)
        did = "joined with invitation" if by_link else "signed in with token"
        before = self.signed_in(request)
        failed = False
        with self.file.writing() as db:
            self._check_attempts(db, address)
            found = accounts.owner_of(db, secret, now, by_link=by_link)
            if found is None:
                self._count_failure(db, address)
                failed = True
            else:
                account, token = found
                if before.session:
                    accounts.end_session(db, before.account, before.session, now)
                browser = request.headers.get("user-agent", "")
                session = accounts.begin_session(db, account.name, token.id, now, address, browser)
                accounts.token_used(db, token.id, now)
                audit.note(db, now, account.name, f"{did} {token.id}", address)
        return None if failed else session

    def _check_attempts(self, db: Transaction, address: str) -> None:
        if wait_s := accounts.sign_in_wait_s(db, address, self.clock_s(), WINDOW_S, MOST_FAILED):
            raise TooManyAttempts(wait_s)

    def _count_failure(self, db: Transaction, address: str) -> None:
        accounts.sign_in_failed(db, address, self.clock_s())
        audit.note(db, self.file.now(), "somebody", "tried a token that opens nothing", address)

    def sign_out(self, who: Visitor, address: str) -> None:
        """End the session of a visitor. Raises SiteFileError."""
        now = self.file.now()
        with self.file.writing() as db:
            if accounts.end_session(db, who.account, who.session, now):
                audit.note(db, now, who.account, "signed out", address)

    def begin_upload(
        self, request: Request, account: str, name: str = "", leagues: Sequence[str] = ()
    ) -> str:
        """Take a place in the queue of uploads before an archive is read; return its id.

        Raises NotReceived, UsageError and SiteFileError.
        """
        if not self.takes_uploads:
            raise NotReceived(503, "this server accepts no uploads", "ask its organiser")
        if trouble := self.upload_trouble():
            raise NotReceived(503, trouble, "tell its organiser, and try again later")
        length, most = request.headers.get("content-length", ""), self.reception.limits.body_bytes
        size = int(length[:20]) if length.isascii() and length.isdigit() else None
        if size is not None and most < size <= most + _AROUND_BYTES:
            size = most
        return self.reception.begin(account, name, leagues, size)

    def close(self) -> None:
        """Close everything. Games that people play are given up."""
        self.threads.close()
        self.tables.close()
        self.deliveries.close()
        self.stores.close()


def address_of(request: Request) -> str:
    """Return the address that a request came from, as it is counted."""
    return counted_as(request.client.host if request.client else "")


def site_of(request: Request) -> Site:
    """Return the site that a request was sent to."""
    site: Site = request.app.state.site
    return site
