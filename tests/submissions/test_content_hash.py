"""One content hash for each tree of files, by which versions are named."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.submissions.entering import enter
from arena.submissions.folder import File, content_hash
from arena.submissions.kept_version_files import versions_folder
from arena.submissions.launch_spec import program_of
from results.store import Store
from tests.support.empty_stores import open_copied
from tests.support.submissions import enter_checked, take_in

MANIFEST = 'name = "mine"\nauthor = "me"\ncommand = ["python3", "bot.py"]\ngames = ["bread-basket"]\n'


def test_a_line_feed_in_a_name_cannot_stand_for_the_end_of_the_name() -> None:
    one = (File("a", False, b"XXXXX\n"), File("b", False, b""))
    other = (File("a\nXXXXX", False, b"- 0 b\n"),)
    assert content_hash(one) != content_hash(other)


TREES = st.dictionaries(
    st.text(alphabet="ab1- x\n", min_size=1, max_size=8),
    st.tuples(st.booleans(), st.text(alphabet="ab1- x\n", max_size=8).map(str.encode)),
    max_size=3,
).map(lambda tree: tuple(File(path, *rest) for path, rest in sorted(tree.items())))


@given(TREES, TREES)
def test_different_trees_have_different_hashes(one: tuple[File, ...], other: tuple[File, ...]) -> None:
    assert (content_hash(one) == content_hash(other)) == (one == other)


def test_the_hash_does_not_change() -> None:
    """Versions are named by these hashes in stores that exist."""
    files = (File("bot.toml", False, MANIFEST.encode()), File("lib/é.sh", True, b"#!/bin/sh\n"))
    assert content_hash(files) == "6cba50f245b55ef00483014fd959781e4c4921596065d5c318c87d21ed65b57f"
    assert content_hash(files[::-1]) == content_hash(files), "the order is that of the paths"


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "bot.toml").write_text(MANIFEST)
    (folder / "bot.py").write_text("print('hello')\n")
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_copied(tmp_path / "arena.sqlite", create=True)


def test_files_that_are_gone_come_back_with_the_folder(bot: Path, store: Store) -> None:
    old = enter(store, take_in(bot, store))
    versions_folder(store).rename(versions_folder(store).with_name("moved"))
    assert enter(store, take_in(bot, store)) == old
    assert (versions_folder(store) / old.sha256 / "bot.py").read_text() == "print('hello')\n"


def test_the_check_of_a_bot_that_was_played_before_is_kept(bot: Path, store: Store) -> None:
    """`arena match` enters a version without a report; `arena submit` brings it."""
    played = enter(store, take_in(bot, store))
    assert (played.report, played.deterministic) == ({}, None)
    submitted = enter_checked(store, take_in(bot, store), {"bread-basket": {"seats": 2}})
    assert (submitted.id, submitted.report, submitted.deterministic) == (
        played.id,
        {"bread-basket": {"seats": 2}},
        True,
    )
    again = enter_checked(store, take_in(bot, store), {"bread-basket": {"seats": 3}}, deterministic=False)
    assert again == submitted, "what the first check found stays"
    assert program_of(store, again).folder == versions_folder(store) / submitted.sha256
