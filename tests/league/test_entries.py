"""Entries: what the `[[bots]]` tables of a league file come to."""

from pathlib import Path

import pytest

from arena.config.league_file import BotTable
from arena.core.errors import UsageError
from arena.league.definition.entries import enter_all, look_at_all, sources
from tests.support.empty_stores import open_copied
from tests.support.leagues import simple, write_bot


def labels(tables: list[BotTable], base: Path) -> list[str]:
    with open_copied(base / "arena.sqlite", create=True) as store:
        found = sources(tables, base)
        specs, _ = enter_all(found, look_at_all(found, store, "bread-basket", base / "staging"), store)
        return [spec.label for spec in specs]


def test_paths_patterns_and_reference_bots(tmp_path: Path) -> None:
    for name in ("a1", "a2", "b"):
        write_bot(tmp_path / "mine", name, simple(0))
    assert labels([BotTable(glob="mine/a*"), BotTable(path="mine/b")], tmp_path) == ["a1", "a2", "b"]
    assert labels([BotTable(path="bots/any_game/random")], tmp_path) == ["random"]
    assert "counter" in labels([BotTable(glob="bots/bread_basket/*")], tmp_path)


def test_a_folder_of_ones_own_goes_before_a_reference_bot(tmp_path: Path) -> None:
    own = write_bot(tmp_path / "bots" / "bread_basket", "counter", simple(0))
    assert [source.folder for source in sources([BotTable(path="bots/bread_basket/counter")], tmp_path)] == [
        own
    ]
    assert [source.folder for source in sources([BotTable(glob="bots/bread_basket/*")], tmp_path)] == [own]


def test_labels_are_told_apart_by_arguments_then_author_then_number(tmp_path: Path) -> None:
    write_bot(tmp_path, "a", simple(0))
    table = BotTable(path="a")
    assert labels([table, BotTable(path="a", args=("-x",)), table, table, table], tmp_path) == [
        "a",
        "a -x",
        "tests/a",
        "tests/a@1",
        "a 2",
    ]


def test_versions_of_one_bot_are_told_apart_by_their_numbers(tmp_path: Path) -> None:
    for folder, author, move in (("one", "tests", 0), ("two", "tests", 1), ("three", "others", 0)):
        written = write_bot(tmp_path / folder, "a", simple(move))
        manifest = (written / "bot.toml").read_text()
        (written / "bot.toml").write_text(manifest.replace('author = "tests"', f'author = "{author}"'))
    tables = [BotTable(path=f"{folder}/a") for folder in ("one", "two", "three")]
    assert labels(tables, tmp_path) == ["a", "a@2", "others/a"]


def test_arguments_that_cannot_stand_in_a_label_are_left_out_of_it(tmp_path: Path) -> None:
    write_bot(tmp_path, "a", simple(0))
    long, steering = BotTable(path="a", args=("x" * 4_000,)), BotTable(path="a", args=("\x1b[2J",))
    assert labels([BotTable(path="a"), long, steering, long, steering], tmp_path) == [
        "a",
        "tests/a",
        "tests/a@1",
        "a 2",
        "a 3",
    ]


def test_a_pattern_that_matches_nothing_and_a_label_for_several(tmp_path: Path) -> None:
    for name in ("a1", "a2"):
        write_bot(tmp_path, name, simple(0))
    with pytest.raises(UsageError, match="no folder with a bot"):
        sources([BotTable(glob="c*")], tmp_path)
    with pytest.raises(UsageError, match="one label for 2 bots"):
        sources([BotTable(glob="a*", label="x")], tmp_path)
    with pytest.raises(UsageError, match="neither path, version, track nor glob"):
        sources([BotTable(label="x")], tmp_path)
