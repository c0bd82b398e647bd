"""The secret of a league with a seed: the same everywhere, and costly to search for."""

import hashlib
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from arena.core.errors import UsageError
from arena.core.ruleset import Ruleset
from arena.core.ticket import Ticket, match_seed
from arena.league.definition.league_secret import search_warning, secret_of_seed
from results.store import open_store
from tests.support.known_secrets import SECRETS, stretched
from tests.support.leagues import arena_here, simple, write_bot, write_league

RULES = Ruleset("bread-basket", 1, "tens", {})


def create(folder: Path, seed: str) -> None:
    """Create a league with this line for its seed."""
    file = write_league(folder, rounds=1)
    file.write_text(file.read_text().replace("seed = 7\n", seed + "\n"))
    done = arena_here("league", "create", file, cwd=folder)
    assert done.returncode == 0, done.stderr


def bot_seed(secret: bytes, match_no: int = 0) -> int:
    """Return what a bot is told at seat 0 of the first game of a match."""
    return Ticket("any", match_no, 0, (0, 1, 2), RULES, match_seed(secret, match_no)).bot_seed(0)


def hashed(seed: int) -> bytes:
    """Return what a search can try a million times a second."""
    return sha256(f"arena/seed/{seed}".encode()).digest()


def test_a_fast_search_for_a_short_seed_finds_nothing(tmp_path: Path) -> None:
    create(tmp_path, "seed = 7")
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        told = bot_seed(store.leagues.secret("test"))
    assert [seed for seed in range(3000) if bot_seed(hashed(seed)) == told] == []


def test_a_try_costs_so_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {}

    def scrypt(password: bytes, **parameters: object) -> bytes:
        asked.update(parameters)
        return sha256(password).digest()

    monkeypatch.setattr(hashlib, "scrypt", scrypt)
    stretched(b"any")
    assert 128 * int(str(asked["n"])) * int(str(asked["r"])) >= 1 << 27


def test_the_derivation_never_changes() -> None:
    assert stretched(b"7").hex() == "12ddb5d292d79fcc8ae3ea2a9532e78873e33b1d30c9bed97c6e15a5d5269b38"


@pytest.mark.slow
def test_a_text_gives_the_secret_that_it_always_gave() -> None:
    assert secret_of_seed("über").hex() == "405aa27c0a7f64cb75cfc2b8c18f38699c4a1c04d73358e50bda6fc1c24a6984"


@pytest.mark.slow
@pytest.mark.parametrize("seed", SECRETS)
def test_the_secrets_that_other_tests_know_are_those_of_their_seeds(seed: bytes) -> None:
    assert stretched(seed).hex() == SECRETS[seed]


@pytest.mark.slow
def test_a_number_is_the_same_seed_as_its_digits() -> None:
    assert secret_of_seed("7") == secret_of_seed(7), "as in `--seed 7`"


def test_a_python_without_scrypt_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(hashlib, "scrypt")
    with pytest.raises(UsageError, match="without scrypt") as caught:
        secret_of_seed("never tried before")
    assert "remove `seed`" in caught.value.hint


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        (1234, "every number of 4 digits, 10,000 in all, takes about 67 minutes on one core"),
        ("friday", "every word of a large dictionary, 500,000 in all, takes about 2 days on one core"),
        ("a", "26 in all, takes about 10 seconds"),
        ("2026-11-20", "every text of 10 letters and digits (often found much sooner), 3,656,158,"),
        (10**19 - 1, "19 digits"),
    ],
)
def test_short_seeds_are_warned_of_with_what_a_search_costs(seed: int | str, expected: str) -> None:
    assert expected in search_warning(seed)


def test_long_seeds_are_not_warned_of() -> None:
    assert search_warning("6f1c0a9d24be83e75f10") == ""


def warned(file: Path, *more: str) -> str:
    """Return what `arena league create` says of a league to which `more` is added."""
    file.write_text("\n".join([file.read_text(), *more]))
    done = arena_here("league", "create", file, "--dry-run", cwd=file.parent)
    assert done.returncode == 0, done.stderr
    return " ".join(done.stderr.split())


def test_create_warns_of_a_short_seed_where_strangers_play(tmp_path: Path) -> None:
    league = write_league(tmp_path, rounds=1, seats=2)
    stranger = write_bot(tmp_path, "stranger", simple(4)) / "bot.toml"
    stranger.write_text(stranger.read_text().replace('"tests"', '"rival"'))
    own = warned(league, '[[bots]]\npath = "bots/any_game/random"')
    assert "not sealed" in own
    assert "short seed" not in own, "all are the organiser's own"
    text = warned(league, '[[bots]]\npath = "stranger"')
    assert (
        "a short seed can be guessed: trying every number of 1 digit, 10 in all, takes about 4 seconds"
        in text
    )
    assert "remove `seed` unless you trust all bots" in text


def test_create_does_not_warn_of_a_short_seed_among_submitted_bots_of_one_author(tmp_path: Path) -> None:
    league = write_league(tmp_path, rounds=1, bots=2, seats=2)
    assert arena_here("league", "create", league, cwd=tmp_path).returncode == 0
    submitted = league.read_text().replace('"test"', '"next"').replace('path = "', 'version = "tests/')
    league.write_text(submitted)
    text = warned(league, '[[bots]]\npath = "bots/any_game/random"')
    assert "not sealed" in text
    assert "short seed" not in text


def test_create_warns_of_a_short_seed_where_others_may_join(tmp_path: Path) -> None:
    league = write_league(tmp_path, rounds=1)
    ladder = league.read_text().replace('kind = "round-robin"\nrounds = 1', 'kind = "ladder"')
    league.write_text(ladder)
    assert "a short seed can be guessed" in warned(league)


def test_a_secret_that_is_not_that_of_the_seed_is_found(tmp_path: Path) -> None:
    create(tmp_path, "seed = 7")
    with closing(sqlite3.connect(tmp_path / "arena.sqlite")) as raw, raw:
        chosen = bytes(32)
        raw.execute("UPDATE league SET secret = ?, commitment = ?", (chosen, sha256(chosen).hexdigest()))
    done = arena_here("league", "verify-deals", cwd=tmp_path)
    assert done.returncode == 1
    assert "the secret does not follow from the seed 7" in done.stderr
