"""Clusters of real processes: `dask scheduler` with TLS, and hosts that `arena host --join` has started."""

import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from arena.executors.cluster import ClusterSettings
from arena.executors.cluster.executor import ClusterExecutor
from arena.executors.cluster.identity import new_identity, write_identity
from arena.sandbox.process_tree import children
from tests.waiting import eventually


class RealHost:
    """One host: the process of `arena host`, its Dask worker below it, and the agent below that."""

    def __init__(self, cluster: "RealCluster", name: str, *words: str, around: Sequence[str] = ()) -> None:
        """`around`: a command that starts it."""
        self.name = name
        self.folder = cluster.folder / name
        self.log = cluster.folder / f"{name}.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [
                    *(
                        *around,
                        sys.executable,
                        "-m",
                        "arena",
                        "host",
                        "--join",
                        cluster.address,
                        "--name",
                        name,
                    ),
                    *("--folder", str(self.folder), "--certificates", str(cluster.certificates), *words),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def said(self) -> str:
        return self.log.read_text()

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

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.certificates = folder / "certificates"
        write_identity(new_identity(), self.certificates)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.address = f"tls://127.0.0.1:{self.port}"
        self.hosts: list[RealHost] = []
        self.told: list[str] = []
        self.start_scheduler()

    def start_scheduler(self) -> None:
        files = [
            word
            for option, name in (("ca-file", "ca"), ("cert", "cert"), ("key", "key"))
            for word in (f"--tls-{option}", str(self.certificates / f"{name}.pem"))
        ]
        with (self.folder / "scheduler.log").open("ab") as log:
            self.scheduler = subprocess.Popen(
                [
                    *(sys.executable, "-m", "distributed.cli.dask_scheduler", "--protocol", "tls", *files),
                    *("--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard"),
                    *("--dashboard-address", "127.0.0.1:0"),
                    *("--preload", "arena.executors.cluster.scheduler_settings"),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def host(self, name: str, *words: str, around: Sequence[str] = ()) -> RealHost:
        """Start a host, and wait until it has joined or said why not."""
        host = RealHost(self, name, *words, around=around)
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
