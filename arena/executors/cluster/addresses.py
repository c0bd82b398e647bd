"""Where the hosts of a cluster meet: `local:N`, which starts them here, or the address of a Dask scheduler."""

import asyncio
import contextlib
import errno
import os
import re
import socket
import ssl
from dataclasses import dataclass

from arena.core.errors import MachineRefuses, UsageError
from arena.executors.base import WorkersFail
from arena.executors.cluster.identity import Identity, new_identity
from arena.executors.cluster.messages import HostOrders
from arena.sandbox.run_folder import RunFolder
from results.base.children import Child, module

MOST_LOCAL_HOSTS = 64
_URL = re.compile(r"(?P<protocol>[a-z]+)://(?P<host>\[[0-9a-fA-F:.]+\]|[^\[\]:/\s]+):(?P<port>\d{1,5})/?")
_ALMOST = re.compile(
    r"(?:tls:/{0,3}|[a-z]*://)?(?P<host>[0-9A-Za-z][0-9A-Za-z.-]*|\[[0-9a-fA-F:.]+\])(?::(?P<port>\d{1,5}))?/?"
)
"""What is almost an address: without its protocol or port, or with another protocol."""
DEFAULT_PORT = 8786
"""The port on which Dask's schedulers listen unless they are told otherwise."""
FORM = "tls://HOST:PORT"
FORMS = f"{FORM}, or local:N for N hosts on this machine"


@dataclass(frozen=True, slots=True)
class LocalHosts:
    """So many hosts on this machine, with a scheduler of their own."""

    hosts: int


@dataclass(frozen=True, slots=True)
class SchedulerAddress:
    """A scheduler with TLS that somebody has started."""

    url: str


def read_address(given: str) -> LocalHosts | SchedulerAddress:
    """Return what an address means. Raises UsageError; see `scheduler_address`."""
    if given.startswith("local:"):
        count = given.removeprefix("local:")
        hosts = int(count) if count.isascii() and count.isdigit() else 0
        if not 1 <= hosts <= MOST_LOCAL_HOSTS:
            raise UsageError(
                f"{given!r} is too many hosts for one machine; {MOST_LOCAL_HOSTS} is the most"
                if hosts
                else f"{given!r} doesn't say how many hosts to start on this machine",
                f"write local: and a number from 1 to {MOST_LOCAL_HOSTS}, for example local:3",
            )
        return LocalHosts(hosts)
    if _could_be_local(given):
        raise UsageError(
            f"{given!r} is not the address of a scheduler",
            f"for hosts on this machine, write local: and a number from 1 to {MOST_LOCAL_HOSTS}, for example local:3",
        )
    return scheduler_address(given, FORMS)


def scheduler_address(given: str, forms: str = FORM) -> SchedulerAddress:
    """Return the address of a scheduler. Raises UsageError for anything else, and for one without TLS.

    Without TLS, whoever reaches the port runs programs on all machines, and each account of a machine reaches its
    loopback. `forms`: what else could be written in this place.
    """
    found = _URL.fullmatch(given)
    if found is None or found["protocol"] not in ("tls", "tcp") or not 0 < int(found["port"]) < 65_536:
        meant = _ALMOST.fullmatch(given)
        if given.startswith("local:"):
            hint = f"hosts of local:N start with their runner; to join another one, write {FORM}"
        elif meant is not None and 0 < int(meant["port"] or DEFAULT_PORT) < 65_536:
            hint = f"write tls://{meant['host']}:{meant['port'] or DEFAULT_PORT}"
        else:
            hint = f"write {forms}"
        raise UsageError(f"{given!r} is not the address of a scheduler", hint)
    url = given.rstrip("/")
    if found["protocol"] == "tcp":
        secure = "tls" + url.removeprefix("tcp")
        raise UsageError(
            f"{given}: without TLS, anyone who reaches this port, also every account of its machine, can run "
            "programs on all machines of the cluster",
            "make certificates with `arena host certificates FOLDER`, start the scheduler with them, and use "
            f"{secure} with --certificates FOLDER",
        )
    return SchedulerAddress(url)


def _could_be_local(given: str) -> bool:
    """Return whether somebody meant `local:N`."""
    return given.isdecimal() or given == "local"


CONNECT_S = 5.0
"""How long an address may take to answer."""
_GOODBYE_S = 2.0
_PORT = re.compile(r"://\[?(?P<host>.+?)\]?:(?P<port>\d+)/?$")
_SAME_FOLDER = "give scheduler, runner and hosts the same folder of certificates, and start them again"


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
        return _of_connecting(error, host, port)
    writer.close()
    with contextlib.suppress(OSError, asyncio.TimeoutError):
        await asyncio.wait_for(writer.wait_closed(), _GOODBYE_S)
    return ""


def _of_connecting(error: OSError, host: str, port: int) -> str:
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


END_S = 20.0


class LocalCluster:
    """A scheduler and hosts on this machine. They end with this process, however it ends."""

    def __init__(self, hosts: int, slots: int) -> None:
        """Start them; `slots` in all, at least one for each. Raises WorkersFail and MachineRefuses."""
        self.identity = new_identity(days=30)
        try:
            self._folder = RunFolder("")
        except OSError as error:
            raise MachineRefuses(f"the hosts have no folder: {error.strerror}", "free some space") from error
        self.scheduler = _started("arena.executors.cluster.scheduler", self.identity)
        self.hosts: list[Child[str]] = []
        try:
            self.address = self.scheduler.receive() or ""
            if not self.address:
                raise WorkersFail(
                    "the scheduler of the hosts on this machine did not start", "see its output above"
                )
            first_core = 0
            for number in range(hosts):
                share = max(1, slots // hosts + (number < slots % hosts))
                orders = HostOrders(
                    scheduler=self.address,
                    identity=self.identity,
                    slots=share,
                    name=f"{os.uname().nodename}-{number + 1}",
                    folder=str(self._folder.path / f"host-{number + 1}"),
                    private=(str(self._folder.path),),
                    listens_on="127.0.0.1",
                    may_be_unconfined=True,
                    is_quiet=True,
                    first_core=first_core,
                )
                first_core += share
                self.hosts.append(_started("arena.hosts.supervisor", orders))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End them, and wait for that."""
        children = (*self.hosts, self.scheduler)
        for child in children:
            child.close()
        for child in children:
            child.end(END_S)
            child.close_reading()
        self._folder.remove()


def _started(name: str, orders: object) -> Child[str]:
    child: Child[str] = Child(module(name), str)
    child.send(orders)
    return child
