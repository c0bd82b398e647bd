"""`arena accounts`: works without a server, and shows a token once."""

import json
from pathlib import Path
from uuid import uuid4

from arena.web.site_file import accounts, audit, pending_commands
from tests.support.leagues import arena_here
from tests.support.web.visitors import site_at


def test_inviting_listing_and_revoking(tmp_path: Path) -> None:
    done = arena_here("accounts", "invite", "ada", "--organiser", "--expires", "30d", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    token = done.stdout.strip()
    site = site_at(tmp_path)
    with site.file.reading() as db:
        found = accounts.owner_of(db, token, site.file.now())
        assert accounts.owner_of(db, token, "2099-01-01T00:00:00.000Z") is None
    assert found is not None
    assert (found[0].name, found[0].role) == ("ada", "organiser")
    assert arena_here("accounts", "invite", "Ada!", cwd=tmp_path).returncode == 2
    assert arena_here("accounts", "invite", "bob", "--expires", "soon", cwd=tmp_path).returncode == 2
    done = arena_here("accounts", "invite", "ada", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "ada is an organiser" in done.stderr
    assert "--change-role" in done.stderr
    (row,) = json.loads(arena_here("accounts", "list", "--format", "json", cwd=tmp_path).stdout)
    assert (row["account"], row["tokens"], row["state"]) == ("ada", 1, "open")
    assert arena_here("accounts", "revoke", "ada", cwd=tmp_path).returncode == 0
    assert arena_here("accounts", "revoke", "nobody", cwd=tmp_path).returncode == 2
    with site.file.reading() as db:
        assert accounts.owner_of(db, token, site.file.now()) is None
    log = arena_here("accounts", "log", "--format", "csv", cwd=tmp_path).stdout
    assert "invited ada as organiser, token 1" in log
    assert "revoked the account ada" in log
    assert token not in log


def test_the_log_tells_commands_in_words_and_keeps_them_for_programs(tmp_path: Path) -> None:
    site = site_at(tmp_path)
    asked, refused = str(uuid4()), str(uuid4())
    site.file.prepare()
    with site.file.writing() as db:
        now = site.file.now()
        for uuid, data in (
            (asked, {"league": "spring", "entry": None}),
            (refused, {"league": "spring", "entry": "bold"}),
        ):
            pending_commands.add(db, uuid, "olga", "pause", data, now)
            audit.note(db, now, "olga", f"asked for: pause {json.dumps(data)} ({uuid})", "10.0.0.1", uuid)
        pending_commands.answered(db, asked, "done", "spring pauses at match 3", now)
        pending_commands.answered(db, refused, "refused", "bold is paused already", now, "look again")
    for form in ("table", "md"):
        told = arena_here("accounts", "log", "--format", form, cwd=tmp_path).stdout
        told = " ".join(told.split())
        assert "pause a league: spring (done)" in told
        assert "pause a bot: spring: bold (refused: bold is" in told
        assert "asked for" not in told
    rows = json.loads(arena_here("accounts", "log", "--format", "json", cwd=tmp_path).stdout)
    assert [row["what"].partition(" {")[0] for row in rows] == ["asked for: pause"] * 2
    assert asked in rows[0]["what"]
