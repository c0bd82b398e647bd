"""Which host errs, if games of deterministic bots go differently."""

from random import Random

from arena_cluster.host_trust import MOST_OUT, Recheck, Rechecks


def rechecks(part: float = 1.0) -> Rechecks:
    return Rechecks(part, lambda one, other: one != other, Random(1))


def test_a_share_of_the_games_is_played_again_elsewhere() -> None:
    some = Rechecks(0.25, lambda one, other: one != other, Random(1))
    chosen = [some.choose("a", number, "x", ["b"]) for number in range(400)]
    assert 60 < sum(one is not None for one in chosen) < 140
    assert rechecks().choose("a", "ticket", "x", []) is None, "there is nobody else"


def test_hosts_that_agree_are_left_alone() -> None:
    found = rechecks()
    recheck = found.choose("a", "ticket", "x", ["b"])
    assert recheck is not None
    assert found.answer(found.ask(recheck, "b"), "x") is None
    assert found.same == 1


def test_a_third_host_decides() -> None:
    for opinions, errs in ((("y", "x", "x"), "a"), (("x", "y", "x"), "b"), (("x", "y", "y"), "a")):
        found = rechecks()
        recheck: Recheck | None = found.choose("a", "ticket", opinions[0], ["b", "c"])
        assert recheck is not None
        recheck = found.answer(found.ask(recheck, "b"), opinions[1])
        if opinions[0] == opinions[1]:
            continue
        assert recheck is not None
        assert found.lone(recheck) is None, "two hosts that differ don't tell which one errs"
        recheck = found.answer(found.ask(recheck, "c"), opinions[2])
        assert recheck is not None
        assert found.lone(recheck) == errs


def test_if_all_differ_none_is_known_to_err() -> None:
    found = rechecks()
    recheck = Recheck("ticket", [("a", "x"), ("b", "y"), ("c", "z")])
    assert found.lone(recheck) is None


def test_a_host_that_is_lost_owes_no_answer() -> None:
    found = rechecks()
    numbers = []
    for _ in range(MOST_OUT):
        recheck = found.choose("a", "ticket", "x", ["b"])
        assert recheck is not None
        numbers.append(found.ask(recheck, "b"))
    assert found.choose("a", "ticket", "x", ["b"]) is None, "enough are out"
    found.forget("b")
    assert found.answer(numbers[0], "y") is None
    assert found.choose("a", "ticket", "x", ["b"]) is not None
