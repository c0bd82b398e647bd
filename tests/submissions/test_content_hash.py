"""One content hash for each tree of files; versions keep the one they were entered with."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.submissions.content_hash import File, content_hash
from arena.submissions.intake import keep, read_source
from arena.submissions.kept_files import versions_folder, wrong_files
from arena.submissions.programs import program_of
from arena.submissions.versions import enter
from results.records import VersionRecord
from results.store import Store
from tests.empty_stores import open_copied
from tests.submissions.taking import take_in

MANIFEST = 'name = "mine"\nauthor = "me"\ncommand = ["python3", "bot.py"]\ngames = ["bread-basket"]\n'


def test_a_line_feed_in_a_name_cannot_stand_for_the_end_of_the_name() -> None:
    """These two trees share the hash of scheme 1."""
    one = (File("a", False, b"XXXXX\n"), File("b", False, b""))
    other = (File("a\nXXXXX", False, b"- 0 b\n"),)
    assert content_hash(one, 1) == content_hash(other, 1)
    assert content_hash(one) != content_hash(other)


TREES = st.dictionaries(
    st.text(alphabet="ab1- x\n", min_size=1, max_size=8),
    st.tuples(st.booleans(), st.text(alphabet="ab1- x\n", max_size=8).map(str.encode)),
    max_size=3,
).map(lambda tree: tuple(File(path, *rest) for path, rest in sorted(tree.items())))


@given(TREES, TREES)
def test_different_trees_have_different_hashes(one: tuple[File, ...], other: tuple[File, ...]) -> None:
    assert (content_hash(one) == content_hash(other)) == (one == other)


def test_the_schemes_do_not_change() -> None:
    """Versions are named by these hashes in stores that exist."""
    files = (File("bot.toml", False, MANIFEST.encode()), File("lib/é.sh", True, b"#!/bin/sh\n"))
    assert content_hash(files, 1) == "79d5e17f11c3bfe2e592801c3dd32c90ea5e9ee0a9b9f01717fa265a4ae57774"
    assert content_hash(files, 2) == "03ae2673652db57089b40e75f8a858a9314358ebcd0213fca38a0f5e8c3d8be0"
    assert content_hash(files[::-1]) == content_hash(files), "the order is that of the paths"
    with pytest.raises(ValueError, match="no content hash of scheme 3"):
        content_hash(files, 3)


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


def entered_with_scheme_1(bot: Path, store: Store) -> VersionRecord:
    """Enter a bot as it was done before there was another scheme."""
    intake = read_source(bot)
    sha256 = content_hash(intake.files, 1)
    keep(intake.files, versions_folder(store) / sha256)
    return store.versions.add("me", "mine", sha256, {}, {"bread-basket": {}}, hash_scheme=1)


def test_the_same_folder_is_the_same_version_whatever_its_scheme(bot: Path, store: Store) -> None:
    old = entered_with_scheme_1(bot, store)
    candidate = take_in(bot, store)
    assert candidate.folder == versions_folder(store) / old.sha256
    assert enter(store, candidate, {"bread-basket": {}}) == old
    assert [place.name for place in versions_folder(store).iterdir()] == [old.sha256]


def test_a_changed_folder_is_the_next_version_and_has_the_new_scheme(bot: Path, store: Store) -> None:
    old = entered_with_scheme_1(bot, store)
    (bot / "bot.py").write_text("print('hello!')\n")
    new = enter(store, take_in(bot, store))
    assert (new.number, new.hash_scheme, new.sha256) == (2, 2, read_source(bot).sha256)
    assert enter(store, take_in(bot, store)) == new
    assert store.versions.find("me/mine@1") == old


def test_a_tree_that_shares_the_hash_of_an_old_version_is_not_that_version(bot: Path, store: Store) -> None:
    old = entered_with_scheme_1(bot, store)
    kept = versions_folder(store) / old.sha256 / "bot.py"
    kept.chmod(0o644)
    kept.write_text("print('another tree')\n")  # stands for one that was made to collide
    new = enter(store, take_in(bot, store))
    assert (new.number, new.hash_scheme) == (2, 2)
    assert kept.read_text() == "print('another tree')\n"


def test_versions_from_before_names_were_restricted_are_whole(store: Store) -> None:
    files = (File("a\nb", False, b"1"), File("non\u00a0breaking", False, b"2"))
    sha256 = content_hash(files, 1)
    keep(files, versions_folder(store) / sha256)
    assert wrong_files(versions_folder(store), sha256, 1) is None


def test_files_that_are_gone_come_back_with_the_folder(bot: Path, store: Store) -> None:
    old = entered_with_scheme_1(bot, store)
    versions_folder(store).rename(versions_folder(store).with_name("moved"))
    assert enter(store, take_in(bot, store)) == old
    assert (versions_folder(store) / old.sha256 / "bot.py").read_text() == "print('hello')\n"


def test_the_check_of_a_bot_that_was_played_before_is_kept(bot: Path, store: Store) -> None:
    """`arena match` enters a version without a report; `arena submit` brings it."""
    played = enter(store, take_in(bot, store))
    assert (played.report, played.deterministic) == ({}, None)
    submitted = enter(store, take_in(bot, store), {"bread-basket": {"seats": 2}}, deterministic=True)
    assert (submitted.id, submitted.report, submitted.deterministic) == (
        played.id,
        {"bread-basket": {"seats": 2}},
        True,
    )
    again = enter(store, take_in(bot, store), {"bread-basket": {"seats": 3}}, deterministic=False)
    assert again == submitted, "what the first check found stays"
    assert program_of(store, again).folder == versions_folder(store) / submitted.sha256
