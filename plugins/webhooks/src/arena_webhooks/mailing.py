"""Looks for news of leagues and sends them, in threads of the server. No league waits for it."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

import msgspec

from arena.core.errors import ArenaError
from arena.web.html.links import LiveLinks
from arena.web.live.site import Site
from arena.web.site_file.site_database import SiteFile
from arena_webhooks import tables
from arena_webhooks.news import News, Seen, body, field_of, look, news
from arena_webhooks.sending import Sender
from arena_webhooks.tables import Due
from results.base.errors import StoreMissing
from results.records import LeagueRecord
from results.store import Store
from results.store.status_queries import LeagueActivity

LOOK_S = 15.0
SEND_S = 2.0
SENDERS = 4
"""Messages that are sent at once, each to another account."""
_log = logging.getLogger(__name__)


class Mailing:
    """The messages of one server."""

    def __init__(
        self,
        file: SiteFile,
        borrowed: Callable[[], AbstractContextManager[Store]],
        address: str = "",
        sender: Sender | None = None,
    ) -> None:
        """`borrowed`: yields the store; `address`: of the site, for links; `sender`: instead of the usual one."""
        self._file, self._borrowed, self._address = file, borrowed, address
        self._sender = sender or Sender()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._busy: set[str] = set()
        self._seen: dict[str, LeagueActivity] = {}
        self._told = ""

    def begin(self) -> None:
        """Go on looking and sending until `close`."""
        self._thread = threading.Thread(target=self._go_on, name="webhooks", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop; the next server sends what waits, and tells what happens meanwhile."""
        self._over.set()
        if self._thread is not None:
            self._thread.join(timeout=5.0)

    def _go_on(self) -> None:
        is_first, looked_s = True, -LOOK_S
        while not self._over.is_set():
            try:
                if is_first:
                    with self._file.writing() as db:
                        tables.give_up_interrupted(db)
                    is_first = False
                if time.monotonic() - looked_s >= LOOK_S:
                    looked_s = time.monotonic()
                    self.look()
                self.send_due()
            except Exception as error:  # noqa: BLE001 - whatever it is, the next attempt may succeed
                self._tell(f"webhooks wait: {error}")
            self._over.wait(SEND_S)

    def look(self) -> None:
        """Put what has happened since the last look in the queue, if anybody listens."""
        with self._file.reading() as db:
            somebody_listens = bool(tables.listening(db))
            known = tables.known(db)
        if not somebody_listens:
            self._seen.clear()
            if known:  # whoever listens next hears of what happens from then on
                with self._file.writing() as db:
                    tables.forget_others(db, ())
            return
        try:
            self._look_at_all(known)
        except StoreMissing:  # no league has been created yet
            return

    def _look_at_all(self, known: Mapping[str, str]) -> None:
        with self._borrowed() as store:
            leagues = {one.uuid: one for one in store.activity.now().leagues}
            for uuid, activity in leagues.items():
                if self._seen.get(uuid) != activity:
                    self._seen[uuid] = activity
                    try:
                        self._look_at(store, store.leagues.get(activity.name), known.get(uuid))
                    except ArenaError as error:  # such as a rating system that isn't installed
                        self._tell(f"no news of {activity.name}: {error}")
        if known.keys() - leagues.keys():
            with self._file.writing() as db:
                tables.forget_others(db, leagues)

    def _look_at(self, store: Store, league: LeagueRecord, text: str | None) -> None:
        """Look at a league; `text`: what is known of it."""
        before = msgspec.json.decode(text, type=Seen) if text else None
        field = field_of(store, league)
        now = look(store, league, before, field)
        if now == before:
            return
        with self._file.reading() as db:
            curious = {one.account for one, _ in tables.listening(db) if "overtaken" in one.events}
        found = list(news(league, before, now, field, curious)) if before else []
        authors = frozenset(entry.author for entry in field.entries.values())
        with self._file.writing() as db:
            tables.note(db, league.uuid, msgspec.json.encode(now).decode())
            for webhook, organises in tables.listening(db) if found else ():
                for one in found:
                    if one.is_for(webhook, authors, organises=organises):
                        tables.send(db, webhook, one.kind, self._body(league, one), self._file.now())

    def _body(self, league: LeagueRecord, one: News) -> str:
        link = LiveLinks(origin=self._address).whole(("leagues", league.name))
        return body(one.words, link)

    def send_due(self) -> None:
        """Begin to send what is due, at most one message of an account at a time."""
        while len(self._busy) < SENDERS and not self._over.is_set():
            with self._file.reading() as db:
                if not tables.due(db, self._busy, self._file.now()):
                    return
            with self._file.writing() as db:
                due = tables.claim(db, self._busy, self._file.now())
            if due is None:
                return
            with self._lock:
                self._busy.add(due.account)
            threading.Thread(target=self._send, args=(due,), name="webhook", daemon=True).start()

    def _send(self, due: Due) -> None:
        try:
            outcome = self._sender.post(due.address, due.body.encode())
            with self._file.writing() as db:
                tables.became(db, due, outcome.became, outcome.words, self._file.now())
        except Exception as error:  # noqa: BLE001 - it must not end the thread; the next server gives the message up
            self._tell(f"a message wasn't noted: {type(error).__name__}")
        finally:
            with self._lock:
                self._busy.discard(due.account)

    def _tell(self, words: str) -> None:
        """Log a line, unless it was the last one too. Never with an address of a webhook."""
        if words != self._told:
            self._told = words
            _log.warning("%s", words)


def begin(site: Site, address: str) -> Callable[[], None]:
    """Begin the messages of a server; return what ends them. `address`: of the site, for links."""
    mailing = Mailing(site.file, site.stores.borrowed, address)
    mailing.begin()
    return mailing.close
