"""`arena accounts`: works without a server, and shows a token once."""

import json
from pathlib import Path

from arena.web.site_file import accounts, audit
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
        log = [line.what for line in audit.newest(db, 9)]
    assert log == ["revoked the account ada", "invited ada as organiser, token 1"]
    assert token not in str(log)
