"""The site's file: who may read it, and what happens if it is not what it should be."""

import sqlite3
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest

from arena.web.site_file import accounts, audit, pending_commands
from arena.web.site_file.site_database import SiteFile, SiteFileError, SiteFileUnwritable, site_file_of

NOW = "2026-01-01T00:00:00.000Z"


def test_the_file_lies_next_to_the_store_and_is_its_owners(tmp_path: Path) -> None:
    file = SiteFile(site_file_of(tmp_path / "arena.sqlite"))
    assert file.path.name == "arena.site.sqlite"
    assert not file.exists
    file.prepare()
    file.path.chmod(0o644)
    with file.reading() as db:
        assert accounts.every(db) == []
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_the_audit_log_is_never_changed(tmp_path: Path) -> None:
    file = SiteFile(tmp_path / "a.sqlite")
    with file.writing() as db:
        audit.note(db, NOW, "ada", "did something")
    for statement in ("DELETE FROM audit", "UPDATE audit SET who = 'eve'"):
        with pytest.raises(SiteFileError, match="append-only"), file.writing() as db:
            db.execute(statement)
    with file.reading() as db:
        assert [line.who for line in audit.newest(db, 10)] == ["ada"]


def test_a_command_is_written_down_once(tmp_path: Path) -> None:
    file = SiteFile(tmp_path / "a.sqlite")
    for expected in (True, False):
        with file.writing() as db:
            assert pending_commands.add(db, "u", "ada", "pause", {"league": "a"}, NOW) is expected
    with file.writing() as db:
        pending_commands.answered(db, "u", "done", "paused", NOW)
        pending_commands.answered(db, "u", "refused", "later", NOW)
        found = pending_commands.find(db, "u")
    assert found is not None
    assert (found.state, found.answer) == ("done", "paused")


def test_failed_sign_ins_count_within_a_window_that_slides(tmp_path: Path) -> None:
    file = SiteFile(tmp_path / "a.sqlite")
    with file.writing() as db:
        for at_s in (100.0, 150.0, 199.0):
            accounts.sign_in_failed(db, "here", at_s)
        waits = [accounts.sign_in_wait_s(db, "here", 200.0, 60.0, most) for most in (1, 2, 3)]
        assert waits == [59.0, 10.0, 0.0]
        assert accounts.sign_in_wait_s(db, "here", 200.0, 1000.0, 3) == 900.0
        assert accounts.sign_in_wait_s(db, "there", 200.0, 1000.0, 1) == 0.0


def test_links_and_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "real.sqlite").touch()
    (tmp_path / "link.sqlite").symlink_to(tmp_path / "real.sqlite")
    (tmp_path / "folder.sqlite").mkdir()
    for name, words in (("link", "is a link"), ("folder", "is not a file")):
        with pytest.raises(SiteFileError, match=words):
            SiteFile(tmp_path / f"{name}.sqlite").prepare()
    assert (tmp_path / "real.sqlite").stat().st_size == 0


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "others.sqlite")) as others:
        others.execute("CREATE TABLE a (b)")
    (tmp_path / "text.sqlite").write_text("not a database, but long enough to be looked at" * 50)
    file = SiteFile(tmp_path / "newer.sqlite")
    file.prepare()
    with closing(sqlite3.connect(file.path)) as newer:
        newer.execute("PRAGMA user_version = 99")
    for name, words in (
        ("others", "another program"),
        ("text", "not an SQLite file"),
        ("newer", "newer Arena"),
    ):
        before = (tmp_path / f"{name}.sqlite").read_bytes()
        with pytest.raises(SiteFileError, match=words) as raised:
            SiteFile(tmp_path / f"{name}.sqlite").prepare()
        assert raised.value.hint
        assert (tmp_path / f"{name}.sqlite").read_bytes() == before


def test_a_damaged_file_is_reported_in_words(tmp_path: Path) -> None:
    file = SiteFile(tmp_path / "a.sqlite")
    file.prepare()
    content = bytearray(file.path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    content[100:1000] = b"\xff" * 900
    file.path.write_bytes(content)
    with pytest.raises(SiteFileError, match="damaged"), file.reading() as db:
        accounts.every(db)


def test_a_new_version_of_the_tables_keeps_what_is_there(tmp_path: Path) -> None:
    first = "CREATE TABLE a (b);"
    file = SiteFile(tmp_path / "a.sqlite", migrations=(first,))
    with file.writing() as db:
        db.execute("INSERT INTO a VALUES (7)")
    broken = SiteFile(file.path, migrations=(first, "ALTER TABLE a ADD COLUMN c;\nSELECT nonsense;"))
    with pytest.raises(SiteFileError, match="nonsense"):
        broken.prepare()
    file.prepare()
    newer = SiteFile(file.path, migrations=(first, "ALTER TABLE a ADD COLUMN c DEFAULT 3;"))
    with newer.reading() as db:
        assert [tuple(row) for row in db.execute("SELECT * FROM a")] == [(7, 3)]


def test_a_full_disk_and_a_read_only_folder_are_reported_in_words(tmp_path: Path) -> None:
    file = SiteFile(tmp_path / "a.sqlite")
    file.prepare()

    def fill() -> None:
        with file.writing() as db:
            db.execute("PRAGMA max_page_count = 1")
            for number in range(1000):
                audit.note(db, NOW, "ada", f"{number}" * 100)

    with pytest.raises(SiteFileUnwritable, match="disk is full") as raised:
        fill()
    assert "room" in raised.value.hint or "raise it" in raised.value.hint
    with file.reading() as db:
        assert audit.newest(db, 1) == []
    refusal = ("a.sqlite can't be written to: mounted read-only", "copy it")
    with (
        patch("arena.web.site_file.site_database.unwritable", return_value=refusal),
        pytest.raises(SiteFileUnwritable, match="mounted read-only"),
        file.writing(),
    ):
        pass
