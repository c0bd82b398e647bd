"""Whatever is changed behind the program's back, `verify` finds; what is derived, `rebuild` mends."""

import sqlite3
import subprocess
import sys
import zlib
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from protocol.verdicts import Verdict
from results.base.errors import FoldFailed
from results.ratings.trueskill import TrueSkill
from results.store import Store, open_store
from results.store.updating_derived_tables import rebuild
from results.store.upgrade import restore
from results.store.verification.verify import verify
from tests.support.ledgers import all_games, new_league, new_store, plan, played


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a store with a league of four matches, three of them finished, and one fault."""
    store = new_store(tmp_path)
    league = new_league(store)
    matches = plan(store, league, (0, 1), (2, 3), (1, 2), (3, 0), games=2)
    store.append(all_games(matches[:2]))
    store.append([played(matches[2], 0, (5, 1), faults={0: Verdict.MEMORY}), played(matches[2], 1)])
    store.append([played(matches[3], 0)])
    return store


def tamper(store: Store, statement: str, *values: object) -> None:
    raw = sqlite3.connect(store.path)
    raw.execute(statement, values)
    raw.commit()
    raw.close()


def test_a_sound_store_has_no_findings(store: Store) -> None:
    assert verify(store) == []


DERIVED_CHANGES = [
    "UPDATE rating SET mu = mu + 1e-12 WHERE entry_no = 0",
    "UPDATE rating SET last_change = 0 WHERE entry_no = 1",
    "DELETE FROM rating WHERE entry_no = 2",
    "UPDATE rating_point SET sigma = sigma - 1e-12 WHERE match_no = 1 AND entry_no = 2",
    "DELETE FROM rating_point WHERE match_no = 2",
    "INSERT INTO rating_point VALUES (1, 0, 3, 25.0, 8.0)",
    "UPDATE entry_total SET share = share + 1 WHERE entry_no = 1",
    "UPDATE entry_total SET max_wall_ns = 7 WHERE entry_no = 1",
    "UPDATE seat_total SET games = 9 WHERE entry_no = 1 AND seat = 0",
    "DELETE FROM fault_total",
    "UPDATE pair_total SET games_tied = games_tied + 1 WHERE entry_a = 0",
    "INSERT INTO pair_total VALUES (1, 0, 3, 1, 1, 0, 1, 1, 0)",
    "UPDATE luck_total SET match_squares = match_squares + 1 WHERE entry_no = 0",
    "UPDATE progress SET games_done = 0",
    "UPDATE progress SET next_match_no = 2",
    "UPDATE progress SET next_match_no = 4",
]


@pytest.mark.parametrize("change", DERIVED_CHANGES)
def test_a_change_of_what_is_derived_is_found_and_mended(store: Store, change: str) -> None:
    digest, standings = store.ratings.digest("spring"), store.ratings.standings("spring")
    tamper(store, change)
    findings = verify(store)
    assert {finding.kind for finding in findings} == {"derived"}
    assert {finding.league for finding in findings} == {"spring"}
    rebuild(store)
    assert verify(store) == []
    assert (store.ratings.digest("spring"), store.ratings.standings("spring")) == (digest, standings)


@pytest.mark.parametrize(
    ("change", "kind", "word"),
    [
        ("UPDATE seat SET score = 77 WHERE match_no = 0 AND seat = 0", "seat", "scores"),
        ("UPDATE seat SET rank = 3 - rank WHERE match_no = 2 AND rotation = 0", "seat", "ranks"),
        ("UPDATE seat SET verdict = 'crash' WHERE verdict = 'memory'", "seat", "faults"),
        ("UPDATE game SET fingerprint = 'f00' WHERE match_no = 1 AND rotation = 1", "fingerprint", "f00"),
        ("UPDATE replay SET body = x'00' WHERE match_no = 1 AND rotation = 1", "fingerprint", "decompressed"),
        ("UPDATE match SET state = 'planned' WHERE match_no = 0", "match", "planned, with 2 of 2"),
        ("UPDATE match SET state = 'done' WHERE match_no = 3", "match", "done, with 1 of 2"),
        ("UPDATE match SET games = 3 WHERE match_no = 1", "match", "2 of 3"),
        ("DELETE FROM match WHERE match_no = 1", "missing", "of table match, which is not there"),
        ("DELETE FROM seat WHERE match_no = 1 AND rotation = 0 AND seat = 0", "seat", "scores"),
        ("UPDATE league SET secret = zeroblob(32)", "file", "committed"),
    ],
)
def test_a_change_of_the_ledger_is_found(store: Store, change: str, kind: str, word: str) -> None:
    tamper(store, change)
    assert any(finding.kind == kind and word in finding.text for finding in verify(store)), verify(store)


def test_an_index_that_lacks_rows_is_found(store: Store) -> None:
    store.close()
    raw = sqlite3.connect(store.path)
    raw.execute("PRAGMA writable_schema = ON")
    raw.execute("UPDATE sqlite_master SET sql = replace(sql, 'IS NOT', 'IS') WHERE name = 'seat_fault'")
    raw.commit()
    raw.close()
    with open_store(store.path, readonly=True) as opened:
        findings = verify(opened)
    assert {finding.kind for finding in findings} == {"file"}
    assert "seat_fault" in findings[0].text


def test_a_body_without_a_result_is_found(store: Store) -> None:
    body = b'{"scores": [1, 2]}'
    fingerprint = sha256(body).hexdigest()
    tamper(store, "UPDATE replay SET body = ? WHERE match_no = 0 AND rotation = 0", zlib.compress(body))
    tamper(store, "UPDATE game SET fingerprint = ? WHERE match_no = 0 AND rotation = 0", fingerprint)
    found = {finding.kind: finding for finding in verify(store)}
    assert found.keys() == {"row", "seat"}
    assert (found["seat"].match_no, found["seat"].rotation) == (0, 0)
    assert "no result" in found["seat"].text


def test_the_rules_are_asked_about_every_body(store: Store) -> None:
    asked: list[dict[str, Any]] = []

    def check(body: dict[str, Any]) -> str | None:
        asked.append(body)
        return "a card appears twice" if body["key"] == [1, 0] else None

    (finding,) = verify(store, check_body=check)
    assert (finding.kind, finding.match_no, finding.rotation, finding.text) == (
        "rules",
        1,
        0,
        "its replay does not follow the rules: a card appears twice",
    )
    assert len(asked) == 7


class Asked:
    """Judges bodies, and counts them; of those with `wrong` scores it says so."""

    def __init__(self, wrong: list[int] | None = None) -> None:
        self.wrong = wrong
        self.count = 0

    def __call__(self, body: dict[str, Any]) -> str | None:
        self.count += 1
        return "no rule allows it" if body["scores"] == self.wrong else None


def asked(store: Store, wrong: list[int] | None = None, **how: Any) -> int:
    """Return how many bodies a verification plays through the rules of the key `rules`."""
    judge = Asked(wrong)
    verify(store, check_body=judge, **{"rules_key": b"rules", **how})
    return judge.count


def test_what_follows_the_same_rules_is_not_played_through_them_again(store: Store) -> None:
    games = asked(store)
    assert games == 7
    assert asked(store) == 0
    assert asked(store, rules_key=b"other rules") == games
    assert asked(store) == games, "only the latest rules are remembered"
    assert asked(store, everything=True) == games
    assert asked(store, rules_key=b"") == games, "without a key nothing is remembered"


def test_what_breaks_a_rule_is_found_again_each_time(store: Store) -> None:
    for _ in range(2):
        found = verify(store, check_body=Asked([5, 1]), rules_key=b"rules")
        assert [finding.kind for finding in found] == ["rules"]


def test_a_part_adds_to_what_is_remembered(store: Store) -> None:
    assert asked(store, since=2) == 3
    assert asked(store) == 4
    assert asked(store, since=2) == asked(store) == 0


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE seat SET score = score + 1 WHERE match_no = 1",
        "UPDATE game SET fingerprint = 'x' WHERE match_no = 1",
        "UPDATE replay SET body = (SELECT body FROM replay WHERE match_no = 2) WHERE match_no = 1",
    ],
)
def test_what_is_remembered_hides_no_change(store: Store, change: str) -> None:
    asked(store)
    tamper(store, change)
    assert verify(store, check_body=Asked(), rules_key=b"rules")


def test_a_memory_that_is_damaged_or_restored_is_not_trusted(store: Store, tmp_path: Path) -> None:
    games = asked(store)
    file = store.cache.folder / "verified"
    file.write_bytes(b"\xff" * 99)
    assert asked(store) == games
    store.backup(tmp_path / "backup.sqlite")
    path = store.path
    store.close()
    restore(path, tmp_path / "backup.sqlite")
    assert not file.exists()
    with open_store(path) as restored:
        assert asked(restored) == games


def test_progress_is_told(store: Store) -> None:
    told: list[tuple[str, int, int]] = []

    def tell(what: str, done: int, of: int) -> None:
        told.append((what, done, of))

    verify(store, tell=tell)
    assert told == [("file", 0, 1), ("file", 1, 1), ("ratings", 3, 3), ("games", 0, 7), ("games", 7, 7)]


def many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("updating_derived_tables", "verification.derived"):
        monkeypatch.setattr(f"results.store.{module}.BLOCK", 2)
    monkeypatch.setattr("results.store.verification.verify.MATCHES", 2)


def test_leagues_of_many_blocks(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    league = new_league(store, name="long")
    matches = plan(store, league, *[(n % 4, (n + 1) % 4) for n in range(9)], games=2)
    store.append(all_games(matches))
    before = (
        store.ratings.digest("long"),
        store.ratings.standings("long"),
        list(store.matches.results("long")),
    )
    many_blocks(monkeypatch)
    assert verify(store) == []
    rebuild(store)
    after = store.ratings.digest("long"), store.ratings.standings("long"), list(store.matches.results("long"))
    assert after == before
    tamper(store, "UPDATE rating_point SET mu = 0 WHERE league_id = 2 AND match_no = 5 AND entry_no = 1")
    (finding,) = verify(store)
    assert (finding.league, finding.match_no) == ("long", 5)


def test_a_rebuild_that_fails_changes_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    before = store.ratings.digest("spring"), store.ratings.standings("spring")

    def fail(*_: object) -> None:
        raise OverflowError("too strong")

    with monkeypatch.context() as patch:
        patch.setattr(TrueSkill, "rate", fail)
        with pytest.raises(FoldFailed, match="too strong"):
            rebuild(store)
        assert any("too strong" in finding.text for finding in verify(store))
    assert (store.ratings.digest("spring"), store.ratings.standings("spring")) == before


def test_a_rating_system_that_is_gone_is_a_finding(store: Store) -> None:
    tamper(store, "UPDATE league SET rating = 'elo'")
    row, derived = verify(store)
    assert "table league" in row.text
    assert "elo" in derived.text
    with pytest.raises(FoldFailed, match="elo"):
        store.append([played(store.matches.get("spring", 3), 1)])
    assert store.leagues.progress("spring").games_done == 8


@pytest.mark.slow
def test_what_only_verify_needs_is_loaded_by_verify_alone() -> None:
    """Every command opens a store, and its start is what a person waits for."""
    heavy = {"multiprocessing", "concurrent.futures.process"}
    code = f"import sys, results.store; print(*({heavy} & {{*sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
