"""The runner's connection to a scheduler and its hosts: a thread with an event loop, in which Dask's client lives.

Everything that comes from the hosts goes into `inbox`, where the run takes it. A client that has lost its scheduler is
thrown away, and a new one is made.
"""

import asyncio
import errno
import logging
import queue
import re
import secrets
import socket
import ssl
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from inspect import isawaitable
from threading import Event, Thread
from typing import Any

import msgspec

from arena_cluster.identity import Identity
from arena_cluster.messages import Facts, Heard, SessionEnd, UnitReport, unpack
from results.base.children import Pauses


def task(method: str, *arguments: Any) -> bytes:
    """Return what a method of a host's `HostWorker` returns. A task of Dask, which lasts as long."""
    from distributed import get_worker

    return bytes(getattr(get_worker().arena, method)(*arguments))


async def call(method: str, *arguments: Any, dask_worker: Any) -> None:
    """Call a method of a host's `HostWorker` at once, without queueing behind tasks."""
    done = getattr(dask_worker.arena, method)(*arguments)
    if isawaitable(done):
        await done


LOGGERS = ("distributed", "distributed.client", "tornado", "tornado.application")
"""All that Dask gives a level of their own when it is imported."""


def quieten_dask() -> None:
    """Let Dask log nothing in this process. Call it once `distributed` has been imported."""
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)


LOOK_S = 0.5
"""How often to ask the scheduler which hosts are there."""
ANSWER_S = 10.0
"""How long the scheduler may take to answer."""
CONNECT_S = 5.0
"""How long an address may take to answer."""
_GOODBYE_S = 2.0
_PORT = re.compile(r"://\[?(?P<host>.+?)\]?:(?P<port>\d+)/?$")
_SAME_FOLDER = "give scheduler, runner and hosts the same folder of certificates, and start them again"
END_S = 30.0
"""How long hosts may take to end a session."""
LOST = "its connection was lost"
"""Why a host is lost, if Dask says no more."""
MOST_PAUSE_S = 10.0
"""Longest pause before the next attempt to reach the scheduler."""


@dataclass(frozen=True, slots=True)
class Present:
    """The set of hosts changed: `Link.look` returns it."""


@dataclass(frozen=True, slots=True)
class Connected:
    """The scheduler is there."""


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The scheduler can't be reached, or was lost with all work on hosts: why (may be empty then), and what to do."""

    why: str
    was_connected: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """A session is over; None as its end: the host was lost."""

    host: str
    token: str
    end: SessionEnd | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """A unit is over; None as its report: the host was lost, or didn't know the session."""

    host: str
    token: str
    unit: int
    report: UnitReport | None


class Link:
    """Connects a runner with its hosts. Call `begin` once, and `close` at the end."""

    def __init__(self, address: str, identity: Identity) -> None:
        import distributed

        self._distributed = distributed
        quieten_dask()
        self.address = address
        self._identity = identity
        self.topic = f"arena-{secrets.token_hex(8)}"
        self.inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._hosts: dict[str, tuple[Facts, float]] = {}
        self._has_told = False
        """Whether there is a `Present` in the inbox."""
        self._client: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._begun = Event()
        self._is_closing = False
        self._connecting: asyncio.Task[None] | None = None
        self._calls: set[asyncio.Task[None]] = set()
        self._thread = Thread(target=self._run, name="cluster", daemon=True)

    def begin(self) -> None:
        """Connect, and go on connecting."""
        self._thread.start()
        self._begun.wait()

    def close(self) -> None:
        """Disconnect; an attempt to connect is given up at once."""
        self._is_closing = True
        if self._client is None and self._loop is not None and self._connecting is not None:
            with suppress(RuntimeError):  # the loop has just ended
                self._loop.call_soon_threadsafe(self._connecting.cancel)
        self._thread.join(END_S)

    def look(self) -> dict[str, tuple[Facts, float]]:
        """Return the hosts that are there, by address, each with its last heartbeat on the scheduler's clock."""
        self._has_told = False
        return self._hosts

    def session(self, host: str, address: str, token: str, packed_work: bytes) -> None:
        """Begin a session on a host; `Ended` follows."""
        self._spawn(self._session(host, address, token, packed_work))

    def unit(self, host: str, address: str, token: str, number: int, packed: bytes) -> None:
        """Send a unit to a host; `Done` follows."""
        self._spawn(self._unit(host, address, token, number, packed))

    def call(self, addresses: list[str], method: str, *arguments: Any) -> None:
        """Call a method of the `HostWorker` of some hosts. A host that is gone needs nothing."""
        self._spawn(self._call(addresses, method, *arguments))

    def end(self, addresses: list[str], token: str) -> None:
        """End a session on all hosts; return once none of its processes is left, as far as they can be reached."""
        if self._loop is None or not addresses:
            return
        done = asyncio.run_coroutine_threadsafe(self._call(addresses, "end", token), self._loop)
        with suppress(Exception):
            done.result(END_S)

    def _spawn(self, what: Coroutine[Any, Any, None]) -> None:
        loop = self._loop
        if loop is None or self._is_closing:
            what.close()
            return

        def start() -> None:
            task = loop.create_task(what)
            self._calls.add(task)
            task.add_done_callback(self._calls.discard)

        loop.call_soon_threadsafe(start)

    def _run(self) -> None:
        with suppress(asyncio.CancelledError):
            asyncio.run(self._stay_connected())

    async def _stay_connected(self) -> None:
        self._loop, self._connecting = asyncio.get_running_loop(), asyncio.current_task()
        self._loop.set_exception_handler(
            lambda _loop, _context: None
        )  # of Dask's own tasks on a lost connection
        self._begun.set()
        pauses = Pauses(0.25, MOST_PAUSE_S)
        while not self._is_closing:
            try:
                why, was_connected = await self._connected(), True
                pauses.reset()
            except Exception as error:  # noqa: BLE001 - whatever it is, the next attempt may succeed
                why, was_connected = in_words(error), False
            if self._is_closing:
                return
            self.inbox.put(Disconnected(why, was_connected))
            await asyncio.sleep(pauses.next_s())

    async def _connected(self) -> str:
        """Connect; return why the connection was lost. Raises ConnectionError or what Dask raises if there is none."""
        if why := await why_unreachable(self.address, self._identity):
            raise ConnectionError(why)
        client = self._distributed.Client(
            self.address,
            asynchronous=True,
            security=self._identity.security(),
            set_as_default=False,
            timeout=CONNECT_S,
            heartbeat_interval=2_000,
            name="arena",
        )
        try:
            await client
            self._client = client
            client.subscribe_topic(self.topic, self._hear)
            self.inbox.put(Connected())
            return await self._watch(client)
        finally:
            self._client = None
            for call in list(self._calls):
                call.cancel()
            with suppress(Exception):
                await asyncio.wait_for(client._close(fast=True), CONNECT_S)

    async def _watch(self, client: Any) -> str:
        """Look who is there until the scheduler is lost; return why, as far as that is known."""
        while not self._is_closing:
            if client.status != "running":
                return ""
            try:
                found = await asyncio.wait_for(client.scheduler.identity(), ANSWER_S)
            except TimeoutError:
                return f"it has not answered for {ANSWER_S:.0f} s"
            except OSError as error:
                return in_words(error)
            hosts = {}
            for address, worker in found["workers"].items():
                with suppress(msgspec.ValidationError, KeyError):  # other workers of Dask are none of ours
                    facts = msgspec.convert(worker["metrics"]["arena"], Facts)
                    hosts[str(address)] = facts, float(worker["last_seen"])
            self._hosts = hosts
            if not self._has_told:  # nobody may read for hours, while nothing is played
                self._has_told = True
                self.inbox.put(Present())
            for _ in range(5):
                await asyncio.sleep(LOOK_S / 5)
                if self._is_closing or client.status != "running":
                    break
        return "closed"

    def _hear(self, event: tuple[float, Any]) -> None:
        """Take what a host has logged for this runner."""
        with suppress(msgspec.MsgspecError, TypeError):
            self.inbox.put(unpack(event[1], Heard))

    async def _session(self, host: str, address: str, token: str, packed_work: bytes) -> None:
        if self._client is None:
            return  # the scheduler was lost, which is told of all hosts together
        end, why = None, LOST
        try:
            packed = await self._task(address, "session", token, self.topic, packed_work)
            end = unpack(packed, SessionEnd)
        except asyncio.CancelledError:
            return
        except Exception as error:  # noqa: BLE001 - reported as the loss of the host
            if _is_schedulers(error):
                return
            if not isinstance(error, self._distributed.KilledWorker):
                why = in_words(error)
        self.inbox.put(Ended(host, token, end, why))

    async def _unit(self, host: str, address: str, token: str, number: int, packed: bytes) -> None:
        if self._client is None:
            return
        report = None
        try:
            report = unpack(await self._task(address, "unit", token, packed), UnitReport)
        except asyncio.CancelledError:
            return
        except Exception as error:  # noqa: BLE001 - reported as the loss of the host
            if _is_schedulers(error):
                return
        self.inbox.put(Done(host, token, number, report))

    async def _task(self, address: str, method: str, *arguments: Any) -> bytes:
        """Call a method as a task on one host, and nowhere else; return its result."""
        future = self._client.submit(
            task,
            method,
            *arguments,
            key=f"arena-{method}-{secrets.token_hex(8)}",
            workers=[address],
            allow_other_workers=False,
            retries=0,
            pure=False,
        )
        try:
            return bytes(await future.result())
        finally:
            future.release()

    async def _call(self, addresses: list[str], method: str, *arguments: Any) -> None:
        if self._client is None:
            return
        with suppress(Exception):
            await self._client.run(call, method, *arguments, workers=addresses, on_error="ignore")


def _is_schedulers(error: Exception) -> bool:
    """Return whether the scheduler was lost, and not only the host."""
    return getattr(error, "reason", "") == "scheduler-connection-lost"


def in_words(error: BaseException) -> str:
    """Return an error in a line."""
    words = str(error).strip().splitlines()
    return words[0] if words else type(error).__name__


async def why_unreachable(url: str, identity: Identity) -> str:
    """Return why no scheduler answers at an address, and what to do; empty if one seems to be there."""
    found = _PORT.search(url)
    if found is None:
        raise ValueError(url)
    host, port = found["host"], int(found["port"])
    tls = identity.security().get_connection_args("client")["ssl_context"]
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, port, ssl=tls), CONNECT_S)
    except OSError as error:  # also ssl.SSLError, and TimeoutError
        return _why_refused(error, host, port)
    writer.close()
    with suppress(OSError, asyncio.TimeoutError):
        await asyncio.wait_for(writer.wait_closed(), _GOODBYE_S)
    return ""


def _why_refused(error: OSError, host: str, port: int) -> str:
    """Return in words why an address could not be connected to."""
    match error:
        case ssl.SSLCertVerificationError():
            if "expired" in error.verify_message:
                return (
                    "its certificates have expired; make new ones with `arena host certificates FOLDER`, and start "
                    "all machines with them"
                )
            return f"its certificates are those of another cluster; {_SAME_FOLDER}"
        case ssl.SSLError(reason="WRONG_VERSION_NUMBER"):
            return "what listens there doesn't speak TLS; start the scheduler with --protocol tls and the certificates"
        case ssl.SSLError():
            return f"TLS fails: {error.reason or error}; {_SAME_FOLDER}"
        case TimeoutError():
            return (
                f"it has not answered for {CONNECT_S:.0f} s; check the address, and that port {port} is open "
                "between the machines"
            )
        case socket.gaierror():
            return f"no machine is known by the name {host}; check the address"
        case ConnectionResetError() | BrokenPipeError():
            return "what listens there closes the connection; check whether it is the scheduler"
    if isinstance(error, ConnectionRefusedError) or f"[Errno {errno.ECONNREFUSED}]" in str(error):
        return "nothing listens there; start the scheduler, or check the address"
    return f"{error.strerror or error}; check the address"
