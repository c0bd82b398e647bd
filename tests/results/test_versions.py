"""What is submitted is kept once, numbered, and found by every name that it has."""

from pathlib import Path

import pytest

from results.base.errors import AmbiguousName, LedgerError, NameRefused, UnknownVersion
from results.records import VersionRecord
from results.store import Store
from tests.support.ledgers import NOW, add_version, new_store


def sha(start: str) -> str:
    return start.ljust(64, "0")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = new_store(tmp_path)
    for author, bot, digest in (
        ("ann", "crumb", sha("aaaaaa1")),
        ("ann", "crumb", sha("aaaaaa2")),
        ("bob", "crumb", sha("bbbbbb1")),
        ("bob", "toast", sha("cccccc1")),
        ("bob", "deadbeef", sha("dddddd1")),
        ("cat", "copy", sha("cccccc1")),
    ):
        add_version(store, author, bot, digest, {"command": ["python3", "bot.py"]}, {"passed": True})
    return store


def test_versions_are_numbered_by_bot_and_descend_from_the_one_before(store: Store) -> None:
    first, second = store.versions.all(author="ann", bot="crumb")
    assert (first.number, first.parent, second.number, second.parent) == (1, None, 2, first.id)
    assert second == VersionRecord(
        id=second.id,
        author="ann",
        bot="crumb",
        number=2,
        sha256=sha("aaaaaa2"),
        parent=first.id,
        manifest={"command": ["python3", "bot.py"]},
        report={"passed": True},
        deterministic=None,
        added_at=NOW,
    )
    assert second.reference == "ann/crumb@2"


def test_the_same_content_again_is_the_same_version(store: Store) -> None:
    again = add_version(store, "ann", "crumb", sha("aaaaaa1"), {"other": 1}, {}, deterministic=True)
    assert again == store.versions.find("ann/crumb@1")
    assert len(store.versions.all()) == 6


def test_without_a_number_it_is_the_newest_that_was_submitted(store: Store) -> None:
    add_version(store, "ann", "crumb", sha("eeeeee"), {}, {})
    assert store.versions.find("ann/crumb").number == 2, "the third only played from its folder"
    add_version(store, "ann", "bread", sha("eeeeee1"), {}, {})
    assert store.versions.find("bread").number == 1, "none is submitted"
    add_version(store, "ann", "crumb", sha("eeeeee"), {}, {"passed": True})
    assert store.versions.find("ann/crumb").number == 3


def test_a_parent_may_be_any_version(store: Store) -> None:
    parent = store.versions.find("toast")
    fork = add_version(store, "ann", "crumb", sha("eeeeee"), {}, {}, parent=parent, deterministic=False)
    assert (fork.number, fork.parent, fork.deterministic) == (3, parent.id, False)


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("ann/crumb", "ann/crumb@2"),
        ("ann/crumb@1", "ann/crumb@1"),
        ("toast", "bob/toast@1"),
        ("toast@1", "bob/toast@1"),
        ("aaaaaa1", "ann/crumb@1"),
        (sha("bbbbbb1"), "bob/crumb@1"),
        ("deadbeef", "bob/deadbeef@1"),
        ("dddddd", "bob/deadbeef@1"),
    ],
)
def test_found_by(store: Store, text: str, reference: str) -> None:
    assert store.versions.find(text).reference == reference


@pytest.mark.parametrize(
    ("text", "meanings"),
    [
        ("crumb", ["ann/crumb", "bob/crumb"]),
        ("crumb@1", ["ann/crumb", "bob/crumb"]),
        ("aaaaaa", ["ann/crumb@1", "ann/crumb@2"]),
        ("cccccc1", ["bob/toast@1", "cat/copy@1"]),
    ],
)
def test_what_could_be_several_is_refused_with_the_list(store: Store, text: str, meanings: list[str]) -> None:
    with pytest.raises(AmbiguousName, match=text) as caught:
        store.versions.find(text)
    for meaning in meanings:
        assert meaning in caught.value.hint


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("bread", "ann/crumb"),
        ("zoe/crumb", "ann/crumb"),
        ("ann/crumb@7", "ann/crumb@1"),
        ("aaaaa", "ann/crumb"),
        ("ffffff", "ann/crumb"),
        ("", "ann/crumb"),
        ("a/b/c", "ann/crumb"),
        ("crumb@x", "ann/crumb"),
    ],
)
def test_what_is_unknown_is_refused_with_the_list(store: Store, text: str, listed: str) -> None:
    with pytest.raises(UnknownVersion) as caught:
        store.versions.find(text)
    assert listed in caught.value.hint
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("name", ["", "a/b", "a@1", "two words", "line\nbreak", "a,b"])
def test_names_that_could_not_be_told_apart_are_refused(store: Store, name: str) -> None:
    for author, bot in ((name, "bot"), ("author", name)):
        with pytest.raises(NameRefused):
            add_version(store, author, bot, sha("f"), {}, {})
    with pytest.raises(LedgerError):
        add_version(store, "ann", "crumb", "not a hash", {}, {})
    assert [author.name for author in store.versions.authors()] == ["ann", "bob", "cat"]
