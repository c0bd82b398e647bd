"""Hosts that join a scheduler with TLS play the same league; nobody joins without its certificates."""

import socket
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
from arena_cluster.identity import new_identity, write_identity

from arena.core.errors import UsageError
from arena.league.running.portable_work import LeagueWork
from tests.plugins.cluster.leagues import played
from tests.plugins.cluster.real import RealCluster
from tests.support.waiting import eventually

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("hosts")]  # they count all bots of this mark


def test_hosts_play_the_same_league_and_keep_the_versions(
    tmp_path: Path, cluster: RealCluster, expected: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []
    version = LeagueWork.version

    def counted(work: LeagueWork, sha256: str) -> bytes:
        given.append(sha256)
        return version(work, sha256)

    monkeypatch.setattr(LeagueWork, "version", counted)
    hosts = [cluster.host(name, "--slots", "1") for name in ("a", "b")]
    assert played(tmp_path / "first", cluster.executor())[0] == expected
    versions = {path.name for path in (tmp_path / "first" / "arena.files" / "versions").iterdir()}
    assert set(given) == versions
    assert len(given) <= 2 * len(versions), "each host asks once for each version"
    given.clear()
    damaged = next((hosts[0].folder / "versions").glob("*/bot.py"))
    damaged.chmod(0o644)
    damaged.write_text("raise SystemExit")
    assert played(tmp_path / "second", cluster.executor())[0] == expected
    assert given in ([], [damaged.parent.name]), "what is cached is not sent again, unless it was changed"
    for host in hosts:
        host.end()
        assert host.process.returncode == 0


def test_nobody_joins_with_other_certificates(cluster: RealCluster) -> None:
    host = cluster.host("stranger", "--certificates", str(other_certificates(cluster)))
    assert "can't join" in host.said
    assert not host.has_joined()


def other_certificates(cluster: RealCluster) -> Path:
    write_identity(new_identity(), cluster.folder / "other")
    return cluster.folder / "other"


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])  # noqa: S104
def test_a_scheduler_without_tls_ends(host: str) -> None:
    command = [
        *(sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", host, "--port", "0"),
        *("--no-dashboard", "--dashboard-address", "127.0.0.1:0"),
        *("--preload", "arena_cluster.scheduler_preload"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == UsageError.exit_code
    assert "error: tcp://" in done.stderr
    assert "without TLS, anyone who reaches this port, also every account of its machine" in done.stderr


def test_ports_of_a_cluster_answer_to_its_certificates_alone(cluster: RealCluster) -> None:
    cluster.host("a", "--slots", "1")
    ports = [cluster.port, *tls_ports_of(cluster)]
    assert len(ports) > 1
    for port in ports:
        with socket.create_connection(("127.0.0.1", port), 10) as plain:
            plain.sendall(b"\0" * 64)
            plain.settimeout(20)
            assert is_closed(plain), "nothing is understood that isn't encrypted"
        context = ssl.create_default_context(cafile=str(cluster.certificates / "ca.pem"))
        context.check_hostname = False
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        assert not talks(port, context), "without a certificate there is no conversation"
        context.load_cert_chain(cluster.certificates / "cert.pem", cluster.certificates / "key.pem")
        assert talks(port, context)


def talks(port: int, context: ssl.SSLContext) -> bool:
    """Return whether somebody with this context is spoken to."""
    try:
        with socket.create_connection(("127.0.0.1", port), 10) as bare, context.wrap_socket(bare) as speaking:
            speaking.settimeout(20)
            return bool(speaking.recv(1))  # Dask begins
    except (ssl.SSLError, ConnectionError):
        return False


def is_closed(connection: socket.socket) -> bool:
    """Return whether the other side says nothing but that it doesn't understand, and closes."""
    received = b""
    try:
        while part := connection.recv(64):
            received += part
    except ConnectionError:
        return True
    return len(received) < 16  # an alert of TLS


def tls_ports_of(cluster: RealCluster) -> list[int]:
    """Return the port on which the host's worker listens, from the scheduler's log."""
    log = cluster.folder / "scheduler.log"
    assert eventually(lambda: "Register worker addr: tls://" in log.read_text())
    address = log.read_text().partition("Register worker addr: tls://")[2].split()[0]
    return [int(address.rpartition(":")[2])]
