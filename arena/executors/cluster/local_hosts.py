"""Starts a scheduler and hosts on this machine, with certificates of their own that are never written down."""

import os
import subprocess
from typing import Any

import msgspec

from arena.core.errors import MachineRefuses
from arena.executors.base import WorkersFail
from arena.executors.cluster.child import Child, HostOrders
from arena.executors.cluster.identity import new_identity
from arena.sandbox.run_folder import RunFolder

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
        self.scheduler = _started("arena.executors.cluster.own_scheduler", self.identity, listens=True)
        self.hosts: list[Child] = []
        try:
            self.address = _address_of(self.scheduler)
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
                self.hosts.append(_started("arena.hosts.joining", orders))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End them, and wait for that."""
        for child in (*self.hosts, self.scheduler):
            child.let_go()
        for child in (*self.hosts, self.scheduler):
            try:
                child.process.wait(END_S)
            except subprocess.TimeoutExpired:
                child.process.kill()
                child.process.wait()
        self._folder.remove()


def _started(module: str, orders: Any, *, listens: bool = False) -> Child:
    child = Child(module, listens=listens)
    child.send(msgspec.json.encode(orders) + b"\n")
    return child


def _address_of(scheduler: Child) -> str:
    """Return the address that a scheduler prints when it is ready, and read no more. Raises WorkersFail."""
    with os.fdopen(scheduler.reading) as told:
        address = told.readline().strip()
    if not address:
        raise WorkersFail("the scheduler of the hosts on this machine did not start", "see its output above")
    return address
