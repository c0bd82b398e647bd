"""Games and schedules are found by themselves; what is broken stops who asks for it, by name, and nobody else."""

import dataclasses
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.core.errors import UnknownName
from arena.core.game import AnyGame, Game
from arena.core.ruleset import GameInfo, Option
from arena.registry import BrokenPlugin, PluginFailed, Room, blaming, game, games, schedule, schedules
from results.base.plugins import Found, distribution_of


@dataclass
class Thing:
    """What the rooms of these tests hold."""

    name: str


ROOM: Room[Thing] = Room(
    what="thing",
    package="spare_room",
    attribute="THING",
    name=lambda thing: thing.name,
    lacks=lambda thing: [] if hasattr(thing, "name") else ["name"],
)
THING = "from types import SimpleNamespace\nTHING = SimpleNamespace(name={name!r})\n"

Write = Callable[[str, str], None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Write files into a folder of modules in which the package `spare_room` lies."""
    monkeypatch.syspath_prepend(tmp_path)

    def writer(path: str, text: str) -> None:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    writer("spare_room/__init__.py", "")
    yield writer
    for name in [name for name in sys.modules if name.partition(".")[0] in ("spare_room", "elsewhere")]:
        del sys.modules[name]


def install(write: Write, entry_points: str) -> None:
    """Make it look as if a distribution with these entry points of the room were installed."""
    write("elsewhere-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: elsewhere\nVersion: 1.0\n")
    write("elsewhere-1.0.dist-info/entry_points.txt", f"[spare_room]\n{entry_points}\n")


def asked(found: Found[Thing], name: str) -> Thing:
    """Return what is asked for by name."""
    return found.named(name, partial(UnknownName, "thing", name))


def test_modules_and_packages_are_found_by_name(write: Write) -> None:
    write("spare_room/zither.py", THING.format(name="b"))
    write("spare_room/folder/__init__.py", THING.format(name="a"))
    write("spare_room/folder/inside.py", THING.format(name="not looked for so deep"))
    found = ROOM.find()
    assert list(found) == ["a", "b"]
    assert found["b"].name == "b"


def test_modules_without_the_export_are_passed_over(write: Write) -> None:
    write("spare_room/base.py", "x = 1\n")
    assert ROOM.find() == {}


def test_other_distributions_add_by_entry_point(write: Write) -> None:
    write("spare_room/one.py", THING.format(name="one"))
    write("elsewhere.py", THING.format(name="two"))
    install(write, "two = elsewhere:THING")
    assert list(ROOM.find()) == ["one", "two"]


def test_the_same_thing_may_be_found_twice(write: Write) -> None:
    """A package of the room may also name its own export as an entry point."""
    write("spare_room/one.py", THING.format(name="one"))
    install(write, "one = spare_room.one:THING")
    assert list(ROOM.find()) == ["one"]


def test_own_loads_the_module_of_the_name_and_no_other(write: Write) -> None:
    write("spare_room/one_more.py", THING.format(name="one-more"))
    write("spare_room/misnamed.py", THING.format(name="other"))
    write("spare_room/bad.py", "1 / 0\n")
    found = ROOM.own("one-more")
    assert found is not None
    assert found.name == "one-more"
    assert not {"spare_room.misnamed", "spare_room.bad"} & set(sys.modules)
    assert [ROOM.own(name) for name in ("misnamed", "other", "bad", "one_more", "")] == [None] * 5


def test_what_is_found_cannot_be_changed(write: Write) -> None:
    write("spare_room/one.py", THING.format(name="one"))
    with pytest.raises(TypeError):
        ROOM.find()["two"] = Thing("two")  # type: ignore[index]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("def f(:\n", "SyntaxError: "),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_broken_module_stops_who_asks_for_it(write: Write, text: str, reason: str) -> None:
    write("spare_room/good.py", THING.format(name="good"))
    write("spare_room/bad.py", text)
    found = ROOM.find()
    assert list(found) == ["good"]
    with pytest.raises(BrokenPlugin) as stop:
        asked(found, "bad")
    assert str(stop.value).startswith("spare_room.bad, a thing, failed to load: ")
    assert reason in str(stop.value)
    assert stop.value.hint


def test_a_broken_entry_point_stops_who_asks_for_it(write: Write) -> None:
    write("elsewhere.py", "")
    install(write, "three = elsewhere:THING")
    with pytest.raises(BrokenPlugin, match=re.escape("elsewhere:THING (entry point three of elsewhere)")):
        asked(ROOM.find(), "three")


def test_a_plug_in_that_ends_the_program_is_broken_like_any_other(write: Write) -> None:
    write("elsewhere.py", "import sys\nsys.exit(3)\n")
    install(write, "three = elsewhere:THING")
    write("spare_room/good.py", THING.format(name="good"))
    found = ROOM.find()
    assert list(found) == ["good"]
    assert "SystemExit: 3" in found.broken[0].reason


@pytest.mark.parametrize("error", ["MemoryError()", "OSError(24, 'Too many open files')"])
def test_a_machine_that_has_run_out_of_something_breaks_no_plug_in(write: Write, error: str) -> None:
    write("spare_room/heavy.py", f"raise {error}")
    with pytest.raises((MemoryError, OSError)):
        ROOM.find()


def test_a_name_that_nothing_has_may_be_that_of_what_is_broken(write: Write) -> None:
    write("elsewhere.py", "1 / 0\n")
    install(write, "three = elsewhere:THING")
    with pytest.raises(UnknownName, match="there is no thing 'drei'") as refusal:
        asked(ROOM.find(), "drei")
    assert "failed to load: elsewhere:THING (entry point three of elsewhere)" in refusal.value.hint


def test_of_two_with_one_name_neither_is_taken_and_both_are_told(write: Write) -> None:
    write("spare_room/one.py", THING.format(name="same"))
    write("spare_room/two.py", THING.format(name="same"))
    write("spare_room/three.py", THING.format(name="other"))
    found = ROOM.find()
    assert list(found) == ["other"]
    with pytest.raises(BrokenPlugin) as stop:
        asked(found, "same")
    assert str(stop.value) == ("two things are named 'same': spare_room.one.THING and spare_room.two.THING")


def test_nobody_takes_the_name_of_one_of_ours(write: Write) -> None:
    write("spare_room/one.py", THING.format(name="one"))
    write("elsewhere.py", THING.format(name="one"))
    install(write, "one = elsewhere:THING")
    found = ROOM.find()
    assert found["one"] is sys.modules["spare_room.one"].THING
    assert "two things are named 'one'" in found.broken[0].reason


def test_an_export_that_is_something_else_is_told_with_what_it_lacks(write: Write) -> None:
    write("spare_room/one.py", "THING = 1\n")
    with pytest.raises(BrokenPlugin, match=r"spare_room.one.THING is no thing: it lacks name"):
        asked(ROOM.find(), "one")


def test_a_class_is_not_taken_for_its_objects(write: Write) -> None:
    write("spare_room/one.py", "class THING:\n    name = 'one'\n")
    with pytest.raises(BrokenPlugin, match=r"spare_room\.one\.THING is a class") as stop:
        asked(ROOM.find(), "one")
    assert stop.value.hint == "export an instance, not the class: THING()"
    with pytest.raises(BrokenPlugin, match=r"THING is a class, not an oboe"):
        replace(ROOM, what="oboe").find().named("one", KeyError)


@pytest.mark.parametrize(
    "name",
    ["leduc_poker", "Two", "2pm", "two-", "-two", "two words", "../two", "two\n", "zwölf", "x" * 65, ""],
)
def test_a_name_is_words_joined_by_hyphens(write: Write, name: str) -> None:
    write("elsewhere.py", THING.format(name=name))
    write("spare_room/good.py", THING.format(name="good-2-b"))
    install(write, "two = elsewhere:THING")
    found = ROOM.find()
    assert list(found) == ["good-2-b"]
    (broken,) = found.broken
    assert broken.reason.startswith("elsewhere:THING (entry point two of elsewhere), a thing, is named ")
    assert "a name is lower-case letters and digits, in words joined by hyphens" in broken.reason
    assert broken.reason.isprintable()


def test_what_is_complete_and_still_wrong_is_told_in_a_sentence(write: Write) -> None:
    write("elsewhere.py", THING.format(name="two"))
    install(write, "two = elsewhere:THING")
    with pytest.raises(
        BrokenPlugin, match=r"of elsewhere\), a thing, can't be used: it is for nobody"
    ) as stop:
        asked(replace(ROOM, wrong=lambda _: "it is for nobody").find(), "two")
    assert stop.value.hint
    with pytest.raises(BrokenPlugin, match=r"a thing, failed to load: ZeroDivisionError"):
        asked(replace(ROOM, wrong=lambda _: str(1 / 0)).find(), "two")


def test_entry_points_may_be_in_a_group_of_another_name(write: Write) -> None:
    write("elsewhere.py", THING.format(name="two"))
    install(write, "two = elsewhere:THING")
    assert list(replace(ROOM, group="other").find()) == []


@pytest.mark.usefixtures("write")
def test_a_room_that_is_missing_stops() -> None:
    room = Room("thing", "spare_room.missing", "THING", ROOM.name, ROOM.lacks)
    with pytest.raises(BrokenPlugin, match=r"spare_room\.missing, a thing, failed"):
        room.find()


FAMILIES = replace(ROOM, has_families=True)
FAMILY = """from types import SimpleNamespace
def things():
    return [SimpleNamespace(name=name) for name in {names!r}]
"""


def test_an_entry_point_may_list_several(write: Write) -> None:
    write("elsewhere.py", FAMILY.format(names=["cards:whist", "cards:tic_tac_toe", "cards:2048"]))
    install(write, "cards = elsewhere:things")
    found = FAMILIES.find()
    assert list(found) == ["cards:2048", "cards:tic_tac_toe", "cards:whist"]
    distribution = distribution_of(found["cards:whist"], "spare_room")
    assert distribution is not None
    assert distribution.name == "elsewhere"
    assert ROOM.find().broken, "a room without families takes no function"


@pytest.mark.parametrize(
    "name", ["whist", "cards", "cards:", "other:whist", "cards:Whist", "cards:a:b", "cards:../a"]
)
def test_one_of_several_is_named_after_its_entry_point(write: Write, name: str) -> None:
    write("elsewhere.py", FAMILY.format(names=["cards:good", name]))
    install(write, "cards = elsewhere:things")
    found = FAMILIES.find()
    assert list(found) == ["cards:good"]
    assert f"is named {name!r}; a name is cards: and lower-case letters" in found.broken[0].reason


def test_two_of_one_name_in_a_family_are_both_left_out(write: Write) -> None:
    write("elsewhere.py", FAMILY.format(names=["cards:same", "cards:other", "cards:same"]))
    install(write, "cards = elsewhere:things")
    found = FAMILIES.find()
    assert list(found) == ["cards:other"]
    with pytest.raises(BrokenPlugin, match="of elsewhere\\) lists two things named 'cards:same'") as stop:
        asked(found, "cards:same")
    assert stop.value.hint.startswith("rename one of them")


def test_a_wrong_one_breaks_none_of_the_others(write: Write) -> None:
    write("elsewhere.py", FAMILY.format(names=["cards:good", "cards:bad"]))
    install(write, "cards = elsewhere:things")
    found = replace(FAMILIES, wrong=lambda one: "it is for nobody" * (one.name == "cards:bad")).find()
    assert list(found) == ["cards:good"]
    with pytest.raises(
        BrokenPlugin, match=r"cards:bad of elsewhere:things .*, a thing, can't be used: it is for"
    ):
        asked(found, "cards:bad")


@pytest.mark.parametrize("body", ["1 / 0", "return 3", "yield 1 / 0"])
def test_a_function_that_fails_breaks_all_that_it_would_list(write: Write, body: str) -> None:
    write("elsewhere.py", f"def things():\n    {body}\n")
    install(write, "cards = elsewhere:things")
    with pytest.raises(BrokenPlugin, match="entry point cards of elsewhere"):
        asked(FAMILIES.find(), "cards:whist")


def test_the_arenas_own_games_are_found() -> None:
    assert "bread-basket" in games()
    assert game("bread-basket") is games()["bread-basket"]
    assert games() is games()


def test_an_unknown_game_is_refused_with_the_list() -> None:
    with pytest.raises(UnknownName) as refusal:
        game("poker")
    assert str(refusal.value) == "there is no game 'poker'"
    assert "bread-basket" in refusal.value.hint


def test_every_found_game_has_all_that_a_game_has() -> None:
    from arena.registry import _GAMES

    class Half:
        info = game("bread-basket").info

        def deal(self) -> None: ...

    lacking: AnyGame = Half()  # type: ignore[assignment]
    wanted = {name for name in vars(Game) if not name.startswith("_")} - {"deal", "guess"}
    assert set(_GAMES.lacks(lacking)) == wanted
    assert all(_GAMES.lacks(one) == [] for one in games().values())


def test_a_game_says_of_itself_what_games_say() -> None:
    from arena.registry import _GAMES

    class Odd(type(game("bread-basket"))):  # type: ignore[misc]
        info = {"name": "odd"}  # noqa: RUF012 - it is the mistake that is looked for

    assert _GAMES.lacks(Odd()) == ["an info that is a GameInfo"]


def test_a_game_that_leaves_a_member_to_defaults_which_have_none_is_refused() -> None:
    from arena.core.game_defaults import BaseGame
    from arena.registry import _GAMES

    written = dict.fromkeys(("apply", "deal", "scores", "turn"), len)
    small = type("Small", (BaseGame,), {"info": game("bread-basket").info, **written})
    assert _GAMES.lacks(small()) == ["a `format_move` of its own", "a `view` of its own"]


COUNT = Option("throws", "count", "throws in a game", 5, high=9)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rulesets": {}}, "it has no ruleset"),
        ({"version": 0}, "its version is 0, and should be a whole number from 1 up"),
        ({"version": "1.0"}, "its version is '1.0'"),
        ({"longest_decisions": 0}, "its longest_decisions is 0"),
        ({"longest_decisions": 5}, ""),
        ({"decimals": 5}, "its decimals are 5, and should be a whole number from 0 to 4"),
        (
            {"options": (dataclasses.replace(COUNT, implied=True),)},
            "its option throws is implied, and only a flag that is off",
        ),
        (
            {"rulesets": {"leduc_poker": {}}},
            "its ruleset 'leduc_poker' has a name that isn't lower-case letters",
        ),
        ({"rulesets": {"a+b": {}}}, "its ruleset 'a+b' has a name"),
        (
            {"options": (dataclasses.replace(COUNT, name="Throws"),)},
            "its option 'Throws' has a name that isn't lower-case",
        ),
        ({"options": (COUNT, COUNT)}, "it has two options named 'throws'"),
        (
            {"options": (dataclasses.replace(COUNT, default=10),)},
            "option throws: 10 is not a whole number from 1 to 9",
        ),
        (
            {"options": (Option("ties", "choice", "ties", "a b", choices=("a b",)),)},
            "its option ties has the choice 'a b', and a choice is a word",
        ),
        (
            {"options": (COUNT,), "rulesets": {"long": {"throws": 10}}},
            "its ruleset long: option throws: 10 is not",
        ),
        (
            {"options": (COUNT,), "rulesets": {"long": {"throw": 3}}},
            "its ruleset long: small has no option 'throw'",
        ),
        (
            {"lowest_score": 0.5},
            "its lowest_score is 0.5, and should be a whole number",
        ),
        ({"players": range(1, 2)}, ""),
        ({"players": range(1, 5)}, ""),
        ({"players": range(3)}, "for 0 to 2 players, and a game has at least one seat"),
        (
            {"players": range(2, 2)},
            "its ruleset plain has range(2, 2) as its numbers of seats, and these are a range that counts up",
        ),
        (
            {"players": range(4, 1, -1)},
            "has range(4, 1, -1) as its numbers of seats, and these are a range that counts up",
        ),
        ({"players": (2, 4)}, "has (2, 4) as its numbers of seats, and these are a range that counts up"),
        ({"players": 2}, "has 2 as its numbers of seats, and these are a range that counts up"),
        ({"players": range(2, 7, 2)}, ""),
        ({"options": (COUNT,), "rulesets": {"long": {"throws": 9}, "short-2": {}}}, ""),
    ],
)
def test_a_game_whose_info_or_seats_can_not_be_used_is_refused_in_a_sentence(
    change: dict[str, Any], said: str
) -> None:
    from arena.core.game_defaults import BaseGame
    from arena.registry import _GAMES

    info = GameInfo("small", "Small", 1, "Of these tests.", {"plain": {}}, ())
    info = dataclasses.replace(info, **{key: value for key, value in change.items() if key != "players"})
    small: Any = type("Small", (BaseGame,), {"info": info, "players": change.get("players", range(2, 3))})()
    wrong = _GAMES.wrong(small)
    assert said in wrong
    assert bool(said) == bool(wrong)


def test_the_arenas_own_games_can_be_used() -> None:
    from arena.registry import _GAMES

    assert [_GAMES.wrong(one) for one in games().values()] == [""] * len(games())


def test_a_failure_to_load_names_the_last_line_of_the_package(write: Write) -> None:
    write("elsewhere/__init__.py", "from elsewhere.inside import load\n\nload()\n")
    write("elsewhere/inside.py", "import json\n\ndef load():\n    json.loads('{')\n")
    install(write, "three = elsewhere:THING")
    (broken,) = ROOM.find().broken
    assert broken.reason.endswith("(char 1) (elsewhere/inside.py:4)")


def test_a_plug_in_that_fails_is_named_with_its_distribution(write: Write) -> None:
    write(
        "elsewhere.py",
        "class Kind:\n    name = 'two'\n    def go(self):\n        int('x')\nTHING = Kind()\n",
    )
    write("elsewhere-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: else-where\nVersion: 1.0\n")
    write("elsewhere-1.0.dist-info/entry_points.txt", "[arena.schedules]\ntwo = elsewhere:THING\n")
    from importlib import import_module

    thing = import_module("elsewhere").THING
    with (
        pytest.raises(
            PluginFailed, match=r"the schedule 'two' of else-where failed: ValueError.*:4, in go\)"
        ),
        blaming("schedule", "two", thing),
    ):
        thing.go()


def test_schedules_are_found_in_the_same_way() -> None:
    assert "round-robin" in schedules()
    assert schedule("round-robin") is schedules()["round-robin"]
    with pytest.raises(UnknownName, match="there is no schedule 'swiss-cheese'"):
        schedule("swiss-cheese")
