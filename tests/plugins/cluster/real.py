"""Clusters of real processes: `dask scheduler` with TLS, and hosts that `arena host --join` has started."""

import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from arena_cluster import ClusterSettings
from arena_cluster.executor import ClusterExecutor
from arena_cluster.identity import new_identity, write_identity

from arena.sandbox.survivors import children
from tests.plugins.cluster.machines import Machine
from tests.support.waiting import eventually


class RealHost:
    """One host: the process of `arena host`, its Dask worker below it, and the agent below that."""

    def __init__(
        self,
        cluster: "RealCluster",
        name: str,
        *words: str,
        around: Sequence[str] = (),
        on: Machine | None = None,
    ) -> None:
        """`around`: a command that starts it; `on`: the machine that it runs on."""
        self.name = name
        self.folder = cluster.folder / name if on is None else on.home / "host"
        self.log = cluster.folder / f"{name}.log"
        certificates = cluster.certificates_on(on)
        with self.log.open("ab") as log:
            self._begins = log.tell()
            self.process = subprocess.Popen(
                [
                    *(around if on is None else on.around),
                    *(sys.executable, "-m", "arena", "host", "--join", cluster.address, "--name", name),
                    *("--folder", str(self.folder), "--certificates", str(certificates), *words),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def said(self) -> str:
        return self.log.read_text()[self._begins :]

    def has_joined(self, times: int = 1) -> bool:
        return self.said.count("joined tls://") >= times

    def worker(self) -> int | None:
        """Return the process of its Dask worker; None if there is none now."""
        return next(iter(children(self.process.pid)), None)

    def agent(self) -> int | None:
        """Return the process of its agent; None if there is none now."""
        worker = self.worker()
        return None if worker is None else next(iter(children(worker)), None)

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(60)


class RealCluster:
    """A scheduler and its hosts. A context manager; nothing of it is left afterwards."""

    def __init__(self, folder: Path, on: Machine | None = None) -> None:
        """`on`: the machine that the scheduler runs on."""
        self.folder = folder
        self.certificates = folder / "certificates"
        write_identity(new_identity(), self.certificates)
        self._on = on
        address = "127.0.0.1" if on is None else on.address
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.address = f"tls://{address}:{self.port}"
        self.hosts: list[RealHost] = []
        self.told: list[str] = []
        self.start_scheduler()

    def certificates_on(self, machine: Machine | None) -> Path:
        """Return the folder of the certificates, on a machine a copy for its account alone."""
        if machine is None:
            return self.certificates
        place = machine.home / self.certificates.name
        return place if place.exists() else machine.give(self.certificates, place.name)

    def start_scheduler(self) -> None:
        certificates = self.certificates_on(self._on)
        files = [
            word
            for option, name in (("ca-file", "ca"), ("cert", "cert"), ("key", "key"))
            for word in (f"--tls-{option}", str(certificates / f"{name}.pem"))
        ]
        with (self.folder / "scheduler.log").open("ab") as log:
            self.scheduler = subprocess.Popen(
                [
                    *(() if self._on is None else self._on.around),
                    *(sys.executable, "-m", "distributed.cli.dask_scheduler", "--protocol", "tls", *files),
                    *("--host", "127.0.0.1" if self._on is None else self._on.address),
                    *("--port", str(self.port), "--no-dashboard", "--dashboard-address", "127.0.0.1:0"),
                    *("--preload", "arena_cluster.scheduler_preload"),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def host(self, name: str, *words: str, around: Sequence[str] = (), on: Machine | None = None) -> RealHost:
        """Start a host, and wait until it has joined or said why not."""
        host = RealHost(self, name, *words, around=around, on=on)
        self.hosts.append(host)
        assert eventually(lambda: "join" in host.said.partition("stop with Ctrl-C")[2]), host.said
        return host

    def executor(self) -> ClusterExecutor:
        settings = ClusterSettings(on=self.address, certificates=str(self.certificates), patience_s=60)
        return ClusterExecutor(settings, 1, tell=self.told.append)

    def __enter__(self) -> "RealCluster":
        return self

    def __exit__(self, *_: object) -> None:
        for host in self.hosts:
            host.process.terminate()
        for host in self.hosts:
            try:
                host.process.wait(60)
            except subprocess.TimeoutExpired:
                host.process.kill()
                host.process.wait()
        self.scheduler.send_signal(signal.SIGKILL)
        self.scheduler.wait()
