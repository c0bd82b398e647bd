"""A sealed league can be audited once its secret is public, and only then."""

import json
import sqlite3
import zlib
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from tests.support.leagues import arena_here, create_here, play_here, write_league


def test_sealed_leagues(tmp_path: Path) -> None:
    file = write_league(tmp_path, rounds=1)
    file.write_text(file.read_text().replace("seed = 7\n", ""))
    created = arena_here("league", "create", file, cwd=tmp_path)
    commitment = created.stderr.partition("SHA-256 is ")[2][:64]
    early = arena_here("league", "reveal", cwd=tmp_path)
    assert early.returncode == 2
    play_here(tmp_path)
    unrevealed = arena_here("league", "verify-deals", cwd=tmp_path)
    assert unrevealed.returncode == 2
    assert "is not public" in unrevealed.stderr
    secret = arena_here("league", "reveal", cwd=tmp_path).stdout.strip()
    assert sha256(bytes.fromhex(secret)).hexdigest() == commitment
    assert commitment in arena_here("league", "verify-deals", cwd=tmp_path).stdout
    assert arena_here("run", "test", cwd=tmp_path).returncode != 0, "its coming deals would be known"


@pytest.mark.slow
def test_a_deal_that_was_chosen_is_found(tmp_path: Path) -> None:
    create_here(write_league(tmp_path, rounds=1))
    play_here(tmp_path)
    assert "every deal follows" in arena_here("league", "verify-deals", cwd=tmp_path).stdout
    with closing(sqlite3.connect(tmp_path / "arena.sqlite")) as connection, connection:
        body = json.loads(zlib.decompress(connection.execute("SELECT body FROM replay").fetchone()[0]))
        body["chance"]["deck/0"].reverse()
        connection.execute("UPDATE replay SET body = ?", (zlib.compress(json.dumps(body).encode()),))
    done = arena_here("league", "verify-deals", cwd=tmp_path)
    assert done.returncode == 1
    assert "game 0.0: the deal does not follow from the secret" in done.stderr
