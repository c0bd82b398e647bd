"""What is exported is whole, in every format, and begins with a byte order mark where that is asked for."""

import csv
import io
import json
from itertools import combinations
from pathlib import Path

import pytest

from arena.cli.commands import replay
from protocol.verdicts import Verdict
from results.records import AttemptRecord, EntrySpec
from results.records.roster import PAUSED, RESUMED
from tests.cli.hostile_store import LISTINGS, OF_THE_RUNNER, PLAYING
from tests.support.leagues import arena_here
from tests.support.ledgers import NOW, RULES, add_version, new_store, plan, played

BOTS = 12
MATCHES = BOTS * (BOTS - 1) // 2
"""More than a table has of anything that it has only some of."""
ROWS = {
    "why": BOTS + 1,  # its opponents, its seat, its verdict
    "bots": BOTS,
    "bots --all": 2 * BOTS,
    "bots show": MATCHES,
    "rankings": BOTS,
    "history": 2 * MATCHES,
    "matrix": BOTS * (BOTS - 1),
    "stats --view seats": 2,
    "stats --view tables": BOTS,
    "stats --view faults": BOTS - 1,
    "stats --view time": BOTS,
    "stats --view coalitions": BOTS * (BOTS - 1),
    "faults": MATCHES,
    "faults --log": MATCHES,
    "faults --platform": MATCHES,
    "replay list": MATCHES,
    "replay list --bot bot-3": BOTS - 1,
    "replay list --verdict crash": MATCHES,
    "league list": 2,
    "league events": 2 * MATCHES,
}
"""How many rows each listing has at least, in the store of these tests."""
FEW = {"games", "doctor", "db segments", "league show", "accounts list", "queue"}
"""Of what is installed, of segments that take a million games, of one league, of jobs, and of what nothing limits."""
QUICK = {"bots", "bots show", "faults", "replay list", "replay list --bot bot-3"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("whole")
    with new_store(made) as store, store.together():
        versions = [
            add_version(store, "tests", f"bot-{number}", f"{number:02}{content}" * 16, {"name": "x"}, {})
            for number in range(BOTS)
            for content in ("aa", "bb")
        ]
        entries = [EntrySpec(f"bot-{number}", versions[2 * number].id) for number in range(BOTS)]
        store.leagues.create("autumn", config={}, ruleset=RULES, entries=entries)
        league = store.leagues.create("spring", config={}, ruleset=RULES, entries=entries)
        matches = plan(store, league, *combinations(range(BOTS), 2))
        crash = {0: Verdict.CRASH}
        failed = [
            AttemptRecord(league.uuid, one.match_no, 0, 1, Verdict.HOST, "", "", NOW) for one in matches
        ]
        store.append([played(one, 0, (5, 1), faults=crash) for one in matches], failed)
        for _ in matches:
            store.leagues.add_event(league.uuid, 0, PAUSED, {"by": "organiser", "why": "it rests"})
            store.leagues.add_event(league.uuid, 0, RESUMED)
    return made


def test_no_listing_is_left_out() -> None:
    assert {name.partition(" --")[0] for name in ROWS} | FEW == set(LISTINGS) | {"accounts list"}
    assert not set(ROWS) & (PLAYING | OF_THE_RUNNER), "these list what they played themselves"


@pytest.mark.parametrize(
    "listing", [pytest.param(one, marks=[pytest.mark.slow] * (one not in QUICK)) for one in ROWS]
)
def test_every_export_has_every_row(folder: Path, listing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "AT_A_TIME", 7)
    command = listing.split()
    if listing == "bots show":
        command.append("tests/bot-0@1")
    written = {form: arena_here(*command, "--format", form, cwd=folder) for form in ("csv", "json", "md")}
    assert all(done.returncode == 0 for done in written.values())
    found = {
        "csv": len(list(csv.reader(io.StringIO(written["csv"].stdout)))) - 1,
        "json": len(json.loads(written["json"].stdout)),
        "md": len(written["md"].stdout.splitlines()) - 2,
    }
    if listing == "bots show":
        assert len(json.loads(written["json"].stdout)[0]["faults"]) == BOTS - 1
        assert (
            written["csv"].stdout.count("fault spring/")
            == written["md"].stdout.count("fault spring/")
            == BOTS - 1
        )
        return
    if listing in ("matrix", "faults"):  # a grid, and a row for each kind of fault of a bot
        assert found.pop("md") == (BOTS if listing == "matrix" else BOTS - 1)
    assert set(found.values()) == {ROWS[listing]}
    if listing == "bots":
        assert f"{BOTS} older versions are left out; --all lists them" in written["csv"].stderr
    else:
        assert not any(written[form].stderr for form in ("csv", "json")), "Markdown may name columns left out"


@pytest.mark.parametrize(
    ("command", "note"),
    [
        (["replay", "list"], f"the newest 20 of {MATCHES} games; all of them: --limit {MATCHES}"),
        (
            ["replay", "list", "--bot", "bot-3", "-n", "4", "--format", "csv"],
            f"the newest 4 of {BOTS - 1} games",
        ),
        (["bots", "show", "tests/bot-0@1"], f"the latest 5 of {BOTS - 1} faults; --format csv has all"),
    ],
    ids=lambda value: " ".join(value)[:16] if isinstance(value, list) else "",
)
def test_what_a_table_leaves_out_is_said(folder: Path, command: list[str], note: str) -> None:
    assert note in arena_here(*command, cwd=folder).stderr


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name not in ("rankings",)))
        for name in sorted({*LISTINGS, "accounts list", "host list"} - {"bots show", "league show", "stats"})
    ],
)
def test_csv_for_spreadsheets_begins_with_a_byte_order_mark(folder: Path, command: str) -> None:
    plain = arena_here(*command.split(), "--format", "csv", cwd=folder)
    marked = arena_here(*command.split(), "--format", "csv-bom", cwd=folder)
    assert marked.stdout == "\N{ZERO WIDTH NO-BREAK SPACE}" + plain.stdout
