"""Which scheduler a run is on: that of `local:N`, which starts it and its hosts here, or one at an address."""

import os
import re
from dataclasses import dataclass

from arena.core.errors import MachineRefuses, UsageError
from arena.executors.base import WorkersFail
from arena.sandbox.run_folder import RunFolder
from arena_cluster.identity import new_identity
from arena_cluster.messages import HostOrders
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


def read_address(given: str) -> LocalHosts | str:
    """Return hosts of this machine, or the address of a scheduler. Raises UsageError; see `scheduler_address`."""
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
    if given.isdecimal() or given == "local":
        raise UsageError(
            f"{given!r} is not the address of a scheduler",
            f"for hosts on this machine, write local: and a number from 1 to {MOST_LOCAL_HOSTS}, for example local:3",
        )
    return scheduler_address(given, FORMS)


def scheduler_address(given: str, forms: str = FORM) -> str:
    """Return the address of a scheduler with TLS. Raises UsageError for anything else, and for one without TLS.

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
    return url


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
        self.scheduler = _started("arena_cluster.scheduler_preload", self.identity)
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
                self.hosts.append(_started("arena_cluster.supervisor", orders))
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
