"""What the runner knows of its hosts, and which of them it doesn't let play."""

import pytest
from arena_cluster import host_trust as module
from arena_cluster.host_trust import Host, Hosts
from arena_cluster.messages import Facts
from msgspec.structs import replace

from results.base.runner_notes import MOST_NAME


def facts(
    name: str, hosts: Hosts, *, speed: float = 1_000.0, arena: str = "", is_leaving: bool = False
) -> Facts:
    python, mine, dask = hosts.mine
    return Facts(
        id=f"id-{name}",
        name=name,
        slots=2,
        python=python,
        arena=arena or mine,
        distributed=dask,
        machine="x86_64",
        level="confined",
        speed=speed,
        is_leaving=is_leaving,
    )


def see(hosts: Hosts, *found: Facts, beat: float = 1.0) -> list[tuple[str, str]]:
    return [(host.name, why) for host, why in hosts.see({f"tls://{one.name}": (one, beat) for one in found})]


def idle(hosts: Hosts) -> list[str]:
    return [host.name for host in hosts.idle()]


def test_a_host_with_another_version_never_plays() -> None:
    hosts = Hosts(0.5)
    see(hosts, facts("a", hosts), facts("b", hosts, arena="0.0.9+old"))
    assert idle(hosts) == ["a"]
    host = hosts.present["id-b"]
    assert host.is_unfit_for_good
    assert host.set_aside.startswith("it has Arena 0.0.9+old, the runner has ")
    hosts.begin_run()
    assert idle(hosts) == ["a"]
    assert host.in_words().state == "set aside"


def test_a_slow_host_is_set_aside_until_it_is_faster() -> None:
    hosts = Hosts(0.5)
    see(hosts, facts("a", hosts), facts("b", hosts, speed=499.0))
    assert idle(hosts) == ["a"]
    assert (
        "it is slow: 499 reference playouts a second, the fastest host makes 1,000"
        in hosts.present["id-b"].set_aside
    )
    see(hosts, facts("a", hosts), facts("b", hosts, speed=700.0))
    assert idle(hosts) == ["a"], "not in this run"
    hosts.begin_run()
    see(hosts, facts("a", hosts), facts("b", hosts, speed=700.0))
    assert idle(hosts) == ["a", "b"]


def test_a_host_that_fails_much_more_often_than_others_is_set_aside() -> None:
    hosts = Hosts(0.5)
    both = [facts("a", hosts), facts("b", hosts)]
    see(hosts, *both)
    hosts.present["id-a"].count(90, 10)
    hosts.present["id-b"].count(90, 10)
    see(hosts, *both)
    assert idle(hosts) == ["a", "b"], "all fail alike: it is not the host"
    hosts.present["id-a"].count(900, 0)
    hosts.present["id-b"].count(10, 20)
    see(hosts, *both)
    assert idle(hosts) == ["a"]
    assert hosts.present["id-b"].set_aside.startswith("30 of its 130 games failed because of the platform")


def test_a_lone_host_is_never_set_aside_for_faults() -> None:
    hosts = Hosts(0.5)
    see(hosts, facts("a", hosts))
    hosts.present["id-a"].count(1, 50)
    see(hosts, facts("a", hosts))
    assert idle(hosts) == ["a"]


def test_hosts_that_are_gone_or_silent_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = Hosts(0.5)
    see(hosts, facts("a", hosts), facts("b", hosts))
    for host in hosts.present.values():
        host.is_asked = True
    assert see(hosts, facts("a", hosts), beat=2.0) == [("b", "it is gone")]
    monkeypatch.setattr(module, "SILENT_S", -1.0)
    assert see(hosts, facts("a", hosts), beat=2.0) == [("a", "it has been silent for -1 s")]


def test_a_host_that_leaves_gets_nothing_more() -> None:
    hosts = Hosts(0.5)
    see(hosts, facts("a", hosts, is_leaving=True))
    assert idle(hosts) == []
    assert hosts.present["id-a"].in_words().state == "leaves"


def test_news_are_told_once() -> None:
    hosts = Hosts(0.5)
    see(hosts, facts("a", hosts))
    assert [host.news for host in hosts.news()] == ["host a has joined: 2 slots, confined, x86_64"]
    assert not list(hosts.news())
    assert isinstance(hosts.present["id-a"], Host)


def test_hosts_of_one_name_are_told_apart() -> None:
    hosts = Hosts(0.5)
    first, second, third = (replace(facts("vm", hosts), id=f"id-{number}") for number in "123")

    def names(*found: Facts) -> list[str]:
        list(hosts.see({f"tls://{one.id}": (one, 1.0) for one in found}))
        return [host.in_words().name for host in hosts.present.values()]

    assert names(first, second) == ["vm", "vm#2"]
    assert hosts.present["id-2"].news.startswith("host vm#2 has joined: ")
    assert names(second, third) == ["vm#2", "vm"], "the name of a host that is gone is free"
    assert names(second, third, first) == ["vm#2", "vm", "vm#3"]
    long = [replace(facts("v" * 300, hosts), id=f"long-{number}") for number in "12"]
    assert names(*long)[-2:] == ["v" * MOST_NAME, "v" * (MOST_NAME - 2) + "#2"]
