"""`arena bots`: one version with everything known of it, and its files back."""

import io
import json
from pathlib import Path

import pytest

from arena.core.errors import BadFile
from arena.league.changes.submitted_versions import DeleteVersion, Submit
from arena.league.inbox.dispatch import command_for, perform
from arena.league.inbox.files import Command, leave
from arena.league.inbox.take_up import Inbox, remove_deleted
from arena.submissions.archives import read_archive
from arena.submissions.entering import Submission, enter, look_at, read_bot
from arena.submissions.folder import read_files
from arena.submissions.kept_version_files import versions_folder
from arena.submissions.launch_spec import runtimes_beside
from arena.submissions.manifest import bundled_bot
from arena.submissions.read_source import read_source
from results.records import EntrySpec
from results.store import Store, open_store
from results.store.verification.verify import verify
from tests.support.empty_stores import open_copied
from tests.support.leagues import arena_here
from tests.support.ledgers import RULES
from tests.support.submissions import MANIFEST, Zipped, archive, enter_checked, tree, zipped

REPORT = {
    "bread-basket": {"game": "bread-basket", "decisions": 40, "max_wall_ms": 2.5, "deterministic": True}
}


def submitted(store: Store, folder: Path, text: str) -> None:
    """Enter a version of the bot `me/mine`, as if it had passed its check."""
    place = tree(folder / "mine", [("bot.toml", MANIFEST, 0o644), ("bot.py", text.encode(), 0o755)])
    candidate = look_at(place, store, runtimes_beside(store.path))
    enter_checked(store, candidate, REPORT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a store with two versions of a bot, the first of which plays in a league."""
    with open_copied(tmp_path / "arena.sqlite", create=True) as store:
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


@pytest.mark.parametrize("group", ["bots", "games", "queue"])
def test_an_option_before_a_command_is_not_passed_over(folder: Path, group: str) -> None:
    done = arena_here(group, "--format", "json", {"queue": "pause"}.get(group, "show"), "mine", cwd=folder)
    assert done.returncode == 2
    assert f"arena {group}: --format stands before the command" in " ".join(done.stderr.split())


def test_a_list_tells_submitted_bots_from_those_that_only_played(folder: Path) -> None:
    own = bundled_bot("bots/any_game/random")
    assert own is not None
    assert "not submitted" not in arena_here("bots", cwd=folder).stderr
    with open_store(folder / "arena.sqlite") as store:
        enter(store, look_at(own, store, runtimes_beside(store.path)))
        place = tree(folder / "mine", [("bot.toml", MANIFEST.replace(b"mine", b"fails"), 0o644)])
        enter(store, look_at(place, store, runtimes_beside(store.path)))
    listed = json.loads(arena_here("bots", "--format", "json", cwd=folder).stdout)
    assert {row["bot"]: row["submitted"] for row in listed} == {
        "me/mine": True,
        "me/fails": False,
        "arena/random": None,
    }
    shown = arena_here("bots", cwd=folder)
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert "not submitted: played from a folder, unchecked" in shown.stderr


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


def kept(folder: Path) -> int:
    return len(list((folder / "arena.files" / "versions").iterdir()))


def test_a_version_that_nothing_holds_is_deleted_and_its_number_not_given_again(folder: Path) -> None:
    with open_store(folder / "arena.sqlite") as store:
        submitted(store, folder, "print(3)")
    done = arena_here("bots", "delete", "mine@3", "--yes", cwd=folder)
    assert (done.returncode, done.stdout.startswith("me/mine@3 is deleted (")) == (0, True)
    assert kept(folder) == 2
    done = arena_here("bots", "delete", "mine@2", "--yes", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in (folder / "arena.files").iterdir() if path.name == "leaving"] == []
    with open_store(folder / "arena.sqlite") as store:
        submitted(store, folder, "print(2)")
        again = store.versions.find("mine")
        assert again.number == 4
        assert (versions_folder(store) / again.sha256).is_dir()
        assert verify(store) == []


def test_a_version_that_games_hold_is_not_deleted(folder: Path) -> None:
    done = arena_here("bots", "delete", "mine@1", "--yes", cwd=folder)
    assert done.returncode == 2
    assert "me/mine@1 is held by games in spring" in done.stderr
    assert "arena league delete spring" in done.stderr
    assert kept(folder) == 2
    with open_store(folder / "arena.sqlite") as store:
        (league,) = store.leagues.all()
        store.leagues.delete(league.uuid)
    assert arena_here("bots", "delete", "mine@1", "--yes", cwd=folder).returncode == 0
    (newest,) = json.loads(arena_here("bots", "show", "mine", "--format", "json", cwd=folder).stdout)
    assert (newest["version"], newest["ancestors"]) == (2, [])


def test_nothing_is_deleted_without_a_yes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    refused = arena_here("bots", "delete", "mine@2", cwd=folder)
    assert refused.returncode == 2
    assert "add --yes" in refused.stderr
    misplaced = arena_here("bots", "--store", "x.sqlite", "show", "mine@2", cwd=folder)
    assert misplaced.returncode == 2
    assert "arena bots show … --store …" in misplaced.stderr
    meant = arena_here("bots", "show", "mien@2", cwd=folder).stderr
    assert "there is no folder, archive or submitted bot 'mien@2'; did you mean '" in meant
    assert kept(folder) == 2


def test_a_deletion_takes_effect_once_and_files_that_a_command_waits_for_stay(folder: Path) -> None:
    with open_store(folder / "arena.sqlite") as store, store.holding():
        version = store.versions.find("mine@2")
        change = DeleteVersion(version.reference, version.sha256)
        deletion = command_for(change)
        leave(store.files, deletion)
        submission = Submission(version.sha256, REPORT, deterministic=True)
        leave(store.files, command_for(Submit.of(submission, ())))
        place = versions_folder(store) / version.sha256

        class Killed(BaseException):
            """The process is killed after the first command."""

        def killed(opened: Store, command: Command) -> str:
            if command.kind == Submit.kind:
                raise Killed
            return perform(opened, command)

        with pytest.raises(Killed):
            Inbox(store).take_up(killed)
        assert [one.number for one in store.versions.all()] == [1]
        assert place.is_dir()
        leave(store.files, deletion)  # the file came back, as after a power cut
        taken = Inbox(store).take_up()
        assert [(record.kind, record.outcome) for record in taken] == [("submit", "done")]
        assert [one.number for one in store.versions.all()] == [1, 3]
        assert place.is_dir()
        assert verify(store) == []
        leave(store.files, command_for(change))
        assert [record.outcome for record in Inbox(store).take_up()] == ["refused"]
        again = store.versions.find("mine")
        leave(store.files, command_for(DeleteVersion(again.reference, again.sha256)))
        assert [record.outcome for record in Inbox(store).take_up()] == ["done"]
        assert not place.exists()


def test_files_stay_if_the_deletion_is_undone(folder: Path) -> None:
    with open_store(folder / "arena.sqlite") as store, store.holding():
        version = store.versions.find("mine@2")

        def undone() -> None:
            with store.together():
                DeleteVersion(version.reference, version.sha256).perform(store)
                raise KeyError

        with pytest.raises(KeyError):
            undone()
        remove_deleted(store)
        assert store.versions.find("mine@2") == version
        assert (versions_folder(store) / version.sha256).is_dir()
        assert not (store.files / "leaving").exists()


def test_an_own_program_is_found_in_an_archive(tmp_path: Path) -> None:
    manifest = MANIFEST.replace(b'["python3", "bot.py"]', b'["./bot"]')
    members = [Zipped("bot.toml", manifest), Zipped("bot", b"#!/bin/sh\n", mode=0o100755)]
    path = archive(tmp_path, zipped(*members))
    read_bot(path, runtimes_beside(tmp_path / "arena.sqlite"))
    path.write_bytes(zipped(members[0], Zipped("bot", b"#!/bin/sh\n")))
    with pytest.raises(BadFile, match=r"bot\.zip/bot\.toml:3: command: './bot' is not executable") as caught:
        read_bot(path, runtimes_beside(tmp_path / "arena.sqlite"))
    assert "chmod +x bot, then make the archive again" in caught.value.hint
    path.write_bytes(zipped(members[0]))
    with pytest.raises(BadFile, match=r"bot\.zip/bot\.toml:3: command: "):
        read_bot(path, runtimes_beside(tmp_path / "arena.sqlite"))
