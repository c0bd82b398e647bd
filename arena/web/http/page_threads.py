"""Threads that make pages: few, and shared so that neither one kind of page nor one client can take them all.

Of each kind, some pages are made at once, some wait without a thread, and more are refused. What may take a second or
more says so itself (`takes_long`), and gets other threads.
"""

import asyncio
import threading
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import Context, ContextVar, copy_context
from functools import partial
from typing import Any, NamedTuple, ParamSpec, TypeVar

THREADS = 32
_threads = ThreadPoolExecutor(THREADS, thread_name_prefix="site-file")
_P = ParamSpec("_P")
_T = TypeVar("_T")


async def in_site_file_thread(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Return what a function returns that opens the site's file; raise what it raises."""
    return await asyncio.get_running_loop().run_in_executor(_threads, partial(function, *args, **kwargs))


RETRY_S = 10
"""When to try again what was refused."""
_Key = tuple[str | None, str | None]
_is_quick: ContextVar[bool] = ContextVar("is_quick", default=False)


class Crowded(Exception):
    """So many wait for pages of this kind that this request is refused."""

    words = "too many requests for this are waiting"
    hint = f"try again in {RETRY_S} seconds"
    headers = {"Retry-After": str(RETRY_S)}  # noqa: RUF012 - nobody changes it


class TakesLong(Exception):
    """Work of this kind begins again in a thread for slow work."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def takes_long(kind: str) -> None:
    """Move to a thread for slow work, before work that may take a second; do nothing outside the server's threads.

    What was done before is done again. `kind`: one piece of work of a kind is done at a time. Raises TakesLong.
    """
    if _is_quick.get():
        raise TakesLong(kind)


class _Turn(NamedTuple):
    """Work that waits for a thread, or has one."""

    kind: str
    client: str
    work: Callable[[], Any]
    done: "Future[Any]"
    context: Context


class Threads:
    """Threads that kinds of work take in turn.

    One kind has at most a third of them, one client at most two thirds, and one client's work of a kind one.
    """

    def __init__(self, name: str, threads: int, most_waiting: int, slower: "Threads | None" = None) -> None:
        """`threads`: 3 or more. `most_waiting`: of a kind, half of it by one client. `slower`: if it `takes_long`."""
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._lock = threading.Lock()
        self._free, self._threads, self._most_waiting = threads, threads, most_waiting
        self._slower = slower
        self._running: Counter[_Key] = Counter()
        self._waiting: dict[str, deque[_Turn]] = {}
        """By kind; the one whose turn is next comes first."""

    def begin(self, kind: str, work: Callable[[], _T], client: str) -> "Future[_T]":
        """Do some work once a thread is free; return its result to come. Raises Crowded."""
        done: Future[_T] = Future()
        done.set_running_or_notify_cancel()  # others may wait for it when the first one has gone away
        self._add(_Turn(kind, client, work, done, copy_context()))
        return done

    async def run(
        self, kind: str, client: str, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        """Return what a function returns, and raise what it raises. Raises Crowded."""
        return await result_of(self.begin(kind, partial(function, *args, **kwargs), client))

    def close(self) -> None:
        """Begin nothing more."""
        with self._lock:
            self._free = -self._threads
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _add(self, turn: _Turn) -> None:
        with self._lock:
            queue = self._waiting.setdefault(turn.kind, deque())
            of_client = sum(one.client == turn.client for one in queue)
            if len(queue) >= self._most_waiting or of_client >= self._most_waiting // 2:
                raise Crowded
            queue.append(turn)
            self._start()

    def _start(self) -> None:
        """Start what can be started now. The lock is held."""
        for kind, queue in list(self._waiting.items()):
            can_run = [one for one in queue if self._may_run(one)]
            if can_run:
                turn = min(can_run, key=lambda one: self._running[None, one.client])
                del self._waiting[kind]
                queue.remove(turn)
                if queue:
                    self._waiting[kind] = queue  # behind the others
                self._count(turn, 1)
                context = turn.context.copy()  # one can't be entered twice
                self._executor.submit(context.run, self._do, turn)

    def _may_run(self, turn: _Turn) -> bool:
        kind, client, both = (self._running[key] for key in _keys(turn))
        return self._free > 0 and kind < self._threads // 3 and client < self._threads * 2 // 3 and not both

    def _count(self, turn: _Turn, by: int) -> None:
        self._free -= by
        for key in _keys(turn):
            self._running[key] += by
            if not self._running[key]:
                del self._running[key]

    def _do(self, turn: _Turn) -> None:
        _is_quick.set(self._slower is not None)
        result, error = None, None
        try:
            result = turn.work()
        except BaseException as raised:  # noqa: BLE001 - whoever waits for the result gets it
            error = raised
        with self._lock:
            self._count(turn, -1)
            self._start()
        if isinstance(error, TakesLong) and self._slower is not None:
            try:
                self._slower._add(turn._replace(kind=error.kind))
                return
            except Crowded as crowded:
                error = crowded
        if error is not None:
            turn.done.set_exception(error)
        else:
            turn.done.set_result(result)


def _keys(turn: _Turn) -> tuple[_Key, ...]:
    """Return what running work is counted by: its kind, its client, and both."""
    return (turn.kind, None), (None, turn.client), (turn.kind, turn.client)


async def result_of(done: "Future[_T]") -> _T:
    """Return a result once it is there. Nothing that others wait for ends if this request does."""
    return await asyncio.shield(asyncio.wrap_future(done))


class SiteThreads:
    """The threads of a site, besides those for its file and those that the framework has for everything."""

    def __init__(self) -> None:
        self.slow = Threads("slow", 3, 4)
        """For what `takes_long`: ratings of chosen matches, long games, archives, checks of league files."""
        self.pages = Threads("pages", 6, 60, self.slow)
        """Make the pages, files and answers that everybody may read, which open nothing but the store."""
        self.routes = Threads("routes", 6, 60, self.slow)
        """For the functions of all other routes; they may open the site's file too."""
        self.looks = ThreadPoolExecutor(2, thread_name_prefix="looks")
        """Look whether the store has changed, before every page."""

    def close(self) -> None:
        """Begin nothing more."""
        for threads in (self.pages, self.routes, self.slow):
            threads.close()
        self.looks.shutdown(wait=False, cancel_futures=True)
