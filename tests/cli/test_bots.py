"""`arena bots`: one version with everything known of it, and its files back."""

import json
from pathlib import Path

import pytest

from arena.submissions.archives.reading import read_archive
from arena.submissions.folder import read_files
from arena.submissions.intake import keep, read_source
from arena.submissions.kept_files import versions_folder
from arena.submissions.versions import enter, look_at, runtimes_of
from results.records import EntrySpec
from results.store import Store, open_store
from tests.league.running import arena_here
from tests.results.ledgers import RULES
from tests.submissions.packing import MANIFEST, tree

REPORT = {
    "bread-basket": {"game": "bread-basket", "decisions": 40, "max_wall_ms": 2.5, "deterministic": True}
}


def submitted(store: Store, folder: Path, text: str) -> None:
    """Enter a version of the bot `me/mine`, as if it had passed its check."""
    place = tree(folder / "mine", [("bot.toml", MANIFEST, 0o644), ("bot.py", text.encode(), 0o755)])
    candidate = look_at(place, store, runtimes_of(store))
    keep(candidate.intake.files, candidate.folder)
    enter(store, candidate, REPORT, deterministic=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a store with two versions of a bot, the first of which plays in a league."""
    with open_store(tmp_path / "arena.sqlite", create=True) as store:
        submitted(store, tmp_path, "print(1)")
        submitted(store, tmp_path, "print(2)")
        first = store.versions.find("mine@1")
        store.leagues.create("spring", config={}, ruleset=RULES, entries=[EntrySpec("mine", first.id)])
    return tmp_path


def test_a_version_is_shown_with_what_is_known_of_it(folder: Path) -> None:
    (page,) = json.loads(arena_here("bots", "show", "mine@1", "--format", "json", cwd=folder).stdout)
    assert (page["bot"], page["version"], page["newer"], page["ancestors"]) == ("me/mine", 1, [2], [])
    assert (page["files"], page["bytes"]) == (2, len(MANIFEST) + 8)
    assert [(place["league"], place["games"]) for place in page["places"]] == [("spring", 0)]
    (newest,) = json.loads(arena_here("bots", "show", "mine", "--format", "json", cwd=folder).stdout)
    assert (newest["ancestors"], newest["places"], newest["deterministic"]) == (["me/mine@1"], [], True)
    table = arena_here("bots", "show", "me/mine@1", cwd=folder).stdout
    assert "passed with 40 decisions" in table
    assert "spring" in table
    assert max(map(len, table.splitlines())) <= 80
    assert "max_wall_ms: 2.5" in arena_here("bots", "log", "mine", cwd=folder).stdout
    assert arena_here("bots", cwd=folder).stdout == arena_here("bots", "list", cwd=folder).stdout


def test_a_download_is_what_was_submitted(folder: Path) -> None:
    done = arena_here("bots", "download", "mine@2", "-O", "got.zip", cwd=folder)
    assert done.stdout == "got.zip: me/mine@2, 2 files\n"
    assert read_archive(folder / "got.zip").files == read_files(folder / "mine")
    first = (folder / "got.zip").read_bytes()
    assert arena_here("bots", "download", "mine@2", "-O", "got.zip", cwd=folder).returncode == 2
    assert arena_here("bots", "download", "mine@2", "-O", "got.zip", "--force", cwd=folder).returncode == 0
    assert (folder / "got.zip").read_bytes() == first
    assert arena_here("bots", "download", "mine@2", "-O", "got", cwd=folder).returncode == 0
    assert read_source(folder / "got").sha256 == read_source(folder / "mine").sha256


def test_damaged_or_missing_files_are_not_downloaded(folder: Path) -> None:
    with open_store(folder / "arena.sqlite", readonly=True) as store:
        place = versions_folder(store) / store.versions.find("mine@2").sha256
    (place / "bot.py").chmod(0o644)
    (place / "bot.py").write_text("print(3)")
    done = arena_here("bots", "download", "mine@2", "-O", "got", cwd=folder)
    assert (done.returncode, "are not those that were submitted" in done.stderr) == (2, True)
    place.rename(folder / "away")
    done = arena_here("bots", "download", "mine@2", "-O", "got", cwd=folder)
    assert "are missing" in done.stderr
    assert not (folder / "got").exists()


def test_a_download_writes_through_no_link(folder: Path) -> None:
    (folder / "got").mkdir()
    (folder / "got" / "bot.py").symlink_to(folder / "canary")
    done = arena_here("bots", "download", "mine", "-O", "got", "--force", cwd=folder)
    assert done.returncode == 2
    assert not (folder / "canary").exists()
