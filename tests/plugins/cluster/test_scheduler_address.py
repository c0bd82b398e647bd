"""What `--on` and `--join` take, and what the certificates of a cluster must be."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

import pytest
from arena_cluster import ClusterSettings, identity
from arena_cluster.executor import ClusterExecutor
from arena_cluster.identity import Identity, new_identity, read_identity, write_identity
from arena_cluster.scheduler_start import (
    LocalHosts,
    read_address,
    scheduler_address,
)

from arena.cli.base.confinement import check_hosts
from arena.config.settings import VARIABLE
from arena.core.errors import UsageError
from tests.support.leagues import arena_here
from tests.support.ledgers import new_league, new_store


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("local:3", LocalHosts(3)),
        ("tls://arena.example:8786", "tls://arena.example:8786"),
        ("tls://[2001:db8::1]:8786/", "tls://[2001:db8::1]:8786"),
    ],
)
def test_addresses(given: str, found: object) -> None:
    assert read_address(given) == found


@pytest.mark.parametrize(
    "given",
    [
        "local:0",
        "local:x",
        "local:65",
        "local:",
        "8786",
        "http://a:1",
        "tls://a",
        "tls://a:0",
        "tls://a:70000",
        "tls://a b:1",
    ],
)
def test_anything_else_is_refused(given: str) -> None:
    with pytest.raises(UsageError):
        read_address(given)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("local:x", "local:3"),
        ("local:65", "local:3"),
        ("local", "local:3"),
        ("3", "local:3"),
        ("10.0.0.1", "tls://10.0.0.1:8786"),
        ("10.0.0.1:9000", "tls://10.0.0.1:9000"),
        ("tls://arena.example", "tls://arena.example:8786"),
        ("tls:/arena.example:9000/", "tls://arena.example:9000"),
        ("http://arena.example:9000", "tls://arena.example:9000"),
        ("[2001:db8::1]:9000", "tls://[2001:db8::1]:9000"),
        ("tls://a:70000", "tls://HOST:PORT, or local:N for N hosts on this machine"),
        ("a b", "tls://HOST:PORT, or local:N for N hosts on this machine"),
    ],
)
def test_what_was_meant_is_in_the_hint(given: str, meant: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_address(given)
    assert caught.value.hint.endswith(meant), caught.value.hint


def test_too_many_hosts_are_told_the_most() -> None:
    with pytest.raises(UsageError, match="'local:65' is too many hosts for one machine; 64 is the most"):
        read_address("local:65")


@pytest.mark.parametrize("given", ["local:3", "a b"])
def test_a_host_cannot_join_hosts_of_this_machine(given: str) -> None:
    with pytest.raises(UsageError) as caught:
        scheduler_address(given)
    assert caught.value.hint.endswith("write tls://HOST:PORT")


@pytest.mark.parametrize("host", ["10.0.0.1", "arena.example", "[2001:db8::1]", "127.0.0.1", "localhost"])
@pytest.mark.parametrize("read", [scheduler_address, read_address])
def test_without_tls_no_machine_is_reached(host: str, read: Callable[[str], object]) -> None:
    with pytest.raises(UsageError, match="also every account of its machine, can run programs") as caught:
        read(f"tcp://{host}:8786")
    assert "make certificates with `arena host certificates FOLDER`" in caught.value.hint
    assert f"use tls://{host}:8786 with --certificates FOLDER" in caught.value.hint


@pytest.mark.parametrize(
    "command",
    [["run", "spring", "--on"], ["run", "--on"], ["serve", "--port", "0", "--on"], ["host", "--join"]],
    ids=" ".join,
)
def test_every_command_refuses_a_scheduler_without_tls(tmp_path: Path, command: list[str]) -> None:
    with new_store(tmp_path) as store:
        new_league(store)
    done = arena_here(*command, "tcp://127.0.0.1:8786", cwd=tmp_path)
    assert done.returncode == UsageError.exit_code
    assert "without TLS, anyone who reaches this port" in done.stderr


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (["run", "--on", "local:2"], "playing on many machines"),
        (["run", "--executor", "cluster"], "playing on many machines"),
        (["serve", "--port", "0", "--on", "local:2"], "playing on many machines"),
        (["host", "--join", "tls://127.0.0.1:8786"], "arena host"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_without_the_package_every_command_says_what_to_install(
    tmp_path: Path, command: list[str], what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with new_store(tmp_path) as store:
        new_league(store)
    monkeypatch.setenv("COLUMNS", "120")
    program = (
        "import importlib.metadata as m; found = m.entry_points; "
        "m.entry_points = lambda **given: [one for one in found(**given) if 'arena_cluster' not in one.value]; "
        "import sys; from arena.cli.app import run; sys.exit(run(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == UsageError.exit_code
    assert f"{what} needs packages that aren't installed" in done.stderr
    assert "pip install arena-cluster" in done.stderr


def test_tls_needs_certificates() -> None:
    with pytest.raises(UsageError, match="needs the certificates"):
        ClusterExecutor(ClusterSettings(on="tls://arena.example:8786"), 1)


def test_certificates_are_for_one_account_alone(tmp_path: Path) -> None:
    made = new_identity()
    write_identity(made, tmp_path / "made")
    assert read_identity(tmp_path / "made") == made
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "made").iterdir()} == {0o600}
    with pytest.raises(UsageError, match="exists"):
        write_identity(made, tmp_path / "made")
    (tmp_path / "made" / "key.pem").chmod(0o640)
    with pytest.raises(UsageError, match="can be read by other accounts") as caught:
        read_identity(tmp_path / "made")
    assert caught.value.hint.startswith("chmod 600 ")
    assert "PRIVATE" not in repr(made)


class NextYear(datetime):
    """A clock that is fast."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # the time is all that is asked
        return datetime.now(tz) + timedelta(days=366)


def test_each_mistake_with_certificates_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, other = new_identity(), new_identity()

    def trouble(ca: str, certificate: str, key: str, without: str = "") -> str:
        folder = tmp_path / "certificates"
        shutil.rmtree(folder, ignore_errors=True)
        write_identity(Identity(ca, certificate, key), folder)
        if without:
            (folder / without).unlink()
        with pytest.raises(UsageError) as caught:
            read_identity(folder)
        return f"{str(caught.value).removeprefix(str(folder))}; {caught.value.hint}"

    whole = (made.ca, made.certificate, made.key)
    copy = (
        "make the files once with `arena host certificates FOLDER`, and copy the whole folder to all machines"
    )
    assert trouble(*whole, without="cert.pem") == f"/cert.pem is missing; {copy}"
    assert trouble("an authority", *whole[1:]) == f"/ca.pem is not a PEM file; {copy}"
    assert trouble(*whole[:2], made.key[:60]) == f"/key.pem is damaged; {copy}"
    together = f"the files in {tmp_path / 'certificates'} don't belong together; {copy}"
    assert trouble(other.ca, *whole[1:]) == together
    assert trouble(*whole[:2], other.key) == together
    monkeypatch.setattr(identity, "datetime", NextYear)
    assert "have expired on" in trouble(*whole)
    with pytest.raises(UsageError, match="is no folder"):
        read_identity(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="is a file, not a folder"):
        read_identity(tmp_path / "certificates" / "ca.pem")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_certificates_of_another_account_name_chown(tmp_path: Path) -> None:
    write_identity(new_identity(), tmp_path / "made")
    (tmp_path / "made" / "key.pem").chmod(0)
    with pytest.raises(UsageError, match="cannot be read by this account") as caught:
        read_identity(tmp_path / "made")
    assert "chown" in caught.value.hint


def test_the_commands_of_new_certificates_say_where_they_run(tmp_path: Path) -> None:
    done = arena_here("host", "certificates", "made", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = done.stderr[done.stderr.index("on the scheduler's machine") :]
    assert all(len(line) <= 80 for line in said.splitlines())
    whole = said.replace("\\\n", "").splitlines()
    assert whole[::2] == [
        "on the scheduler's machine, whose address is ADDRESS:",
        "on each host:",
        "on the machine with the store:",
    ]
    scheduler, host, runner = map(shlex.split, whole[1::2])
    assert scheduler[:6] == ["dask", "scheduler", "--protocol", "tls", "--host", "ADDRESS"]
    assert scheduler[-2:] == ["--preload", "arena_cluster.scheduler_preload"]
    assert scheduler[scheduler.index("--tls-key") + 1] == "made/key.pem"
    assert host == ["arena", "host", "--join", "tls://ADDRESS:8786", "--certificates", "made"]
    assert runner == ["arena", "run", "--on", "tls://ADDRESS:8786", "--certificates", "made"]


def test_new_certificates_are_of_one_authority() -> None:
    from cryptography import x509

    made, other = new_identity(), new_identity()
    authority = x509.load_pem_x509_certificate(made.ca.encode())
    member = x509.load_pem_x509_certificate(made.certificate.encode())
    member.verify_directly_issued_by(authority)
    with pytest.raises(Exception, match=r".*"):
        member.verify_directly_issued_by(x509.load_pem_x509_certificate(other.ca.encode()))


@pytest.mark.parametrize(
    "command", [["run", "spring"], ["run"], ["serve", "--port", "0", "--no-uploads"]], ids=" ".join
)
def test_mistakes_end_every_command_that_plays_on_hosts(
    tmp_path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with new_store(tmp_path) as store:
        new_league(store)
    certificates = tmp_path / "certificates"
    write_identity(new_identity(), certificates)
    settings = tmp_path / "settings.toml"
    settings.write_text('[executors.cluster]\non = "local:3"\n')
    monkeypatch.setenv(VARIABLE, str(settings))
    for options, words in (
        (["--on", "local:x"], "for example local:3"),
        (["--on", "local:3", "--workers", "2"], "write --workers 3 or more"),
        (
            ["--on", "tls://127.0.0.1:8786", "--certificates", str(certificates), "--workers", "2"],
            "leave out --workers",
        ),
        (["--on", "tls://10.0.0.1:8786", "--certificates", "nowhere"], "certificates: nowhere is no folder"),
        (["--executor", "cluster", "--workers", "2"], "too few for the hosts of local:3"),
    ):
        if "serve" in command and "--executor" in options:
            continue  # its runner has no such option
        done = arena_here(*command, *options, cwd=tmp_path)
        assert done.returncode == UsageError.exit_code
        assert words in done.stderr, done.stderr


def test_hosts_of_this_machine_share_the_workers(tmp_path: Path) -> None:
    write_identity(new_identity(), tmp_path / "certificates")
    check_hosts("local:3", None, 3)
    with pytest.raises(UsageError, match="--workers 2 is too few for the hosts of local:3"):
        check_hosts("local:3", None, 2)
    with pytest.raises(UsageError, match="which play with their own slots") as caught:
        check_hosts("tls://127.0.0.1:8786", tmp_path / "certificates", 2)
    assert caught.value.hint.endswith(": arena host --join tls://127.0.0.1:8786 --slots N")
