"""Names and addresses that a server is given: those that can never match are refused when it starts."""

from pathlib import Path

import pytest

from arena.core.errors import UsageError
from arena.web.http.allowed_hosts import check_name, check_network
from arena.web.http.server import listen
from tests.support.leagues import arena_here


@pytest.mark.parametrize(
    "name", ["a b", "", "https://x.example", "x.example:80", "-x", "a..b", "x" * 64, "é.example"]
)
def test_what_is_no_host_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="is no host name"):
        check_name(name)


@pytest.mark.parametrize(
    "name", ["*", "arena", "Arena.example.", "127.0.0.1", "::1", "my_pc.local", "xn--9ca.example"]
)
def test_host_names(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize("network", ["nonsense", "", "10.0.0", "10.0.0.0/33", "10.0.0.5/24", "a b"])
def test_what_is_no_network_is_refused(network: str) -> None:
    with pytest.raises(UsageError, match="is neither an address nor a network") as refused:
        check_network(network)
    assert "10.0.0.0/24" in refused.value.hint


@pytest.mark.parametrize("network", ["*", "10.0.0.5", "10.0.0.0/24", "::1", "fd00::/8"])
def test_networks(network: str) -> None:
    check_network(network)


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(UsageError, match="this machine doesn't have that address"):
        listen("192.0.2.1", 0)


@pytest.mark.slow
@pytest.mark.parametrize("option", [("--trust-proxy", "nonsense"), ("--allow-host", "a b")])
def test_the_command_refuses_them(option: tuple[str, str], tmp_path: Path) -> None:
    done = arena_here("serve", "--port", "0", "--no-run", *option, cwd=tmp_path)
    assert done.returncode == 2
    assert f"error: {option[0]} {option[1]!r} is" in done.stderr
    assert not list(tmp_path.iterdir())
