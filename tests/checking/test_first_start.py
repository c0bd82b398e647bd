"""Bots start once before they play: those that don't are named, and nothing is written."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from arena import registry
from arena.checking import trial_start
from arena.checking.harness import CheckHarness
from arena.checking.trial_start import AT_ONCE, DoesNotStart, start_as_leagues_do, start_each
from arena.config.league_file import BotTable, ClockTable, LeagueFile, LimitsTable
from arena.core.errors import BadFile, BadValue, UsageError
from arena.core.game_defaults import BaseGame
from arena.league.changes.entries import Add, Replace
from arena.league.changes.submitted_versions import other_starts, to_start
from arena.league.create import create_at
from arena.league.definition.read import plan, read_plan
from arena.players.base import Fault
from arena.sandbox.bot_program import Program
from arena.sandbox.confinement import UNCONFINED
from arena.submissions.launch_spec import ToStart
from arena.web.organising.league_file_text import refuse_not_starting
from arena.web.uploads.check import Message, Order, Refused, run
from protocol.verdicts import Verdict
from tests.support.leagues import arena, simple, write_bot
from tests.support.ledgers import new_store
from tests.support.open_leagues import LADDER, open_league, submitted

READS_ON = "import sys\nfor line in sys.stdin:\n    pass\n"
ENDS = "import sys\nprint('no weights', file=sys.stderr)\nsys.exit(3)\n"
GREETS_WRONGLY = 'print("Welcome!", flush=True)\ninput()\n'
BROKEN = {"silent": READS_ON, "ends": ENDS, "chatty": GREETS_WRONGLY}
RATING = "draw_probability = 0.1\n"
FILE = 'name = "main"\ngame = "bread-basket"\nseats = 2\noptions = { hands = 1 }\n'


def bot(folder: Path, name: str, source: str) -> ToStart:
    place = write_bot(folder, name, source)
    return ToStart(name, Program(place, ("python3", "-S", "bot.py")), place)


def start(bots: list[ToStart], tell: Callable[[str], None] = lambda _: None) -> None:
    start_each(bots, registry.game("bread-basket"), UNCONFINED, 30_000, tell)


def league(folder: Path, *sources: str, more: str = "") -> Path:
    """Write a league file of bots with these sources, called bot-0 and so on; return it."""
    entries = ""
    for number, source in enumerate(sources):
        write_bot(folder / "bots", f"bot-{number}", source)
        entries += f'[[bots]]\npath = "bots/bot-{number}"\n'
    file = folder / "league.toml"
    file.write_text(f"{FILE}{more}{entries}")
    return file


def test_all_that_do_not_start_are_named_with_the_reason(tmp_path: Path) -> None:
    bots = [bot(tmp_path, "fine", simple(0))]
    bots += [bot(tmp_path, name, source) for name, source in BROKEN.items()]
    bots += [bot(tmp_path, f"fine-{number}", simple(number)) for number in range(AT_ONCE - 1)]
    with pytest.raises(DoesNotStart) as refused:
        start(bots)
    silent, ends, chatty = str(refused.value).split("\n")
    assert silent.startswith("silent does not start: no answer to `hello` after ")
    assert silent.endswith("and none will come: the bot is waiting for the next message")
    assert ends == "ends does not start: startup: exited with code 3 before it answered `hello`"
    assert chatty.startswith(
        "chatty does not start: startup: answered `hello` with a line that is not a message"
    )
    assert chatty.endswith(f"({tmp_path}/chatty/bot.py:1)")
    assert "flush" in refused.value.hint
    assert f"arena check {tmp_path}/silent" in refused.value.hint


@pytest.mark.parametrize("guesses", [True, False])
def test_bots_that_think_ahead_are_named_where_the_rules_have_no_guess(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, guesses: bool
) -> None:
    game = registry.game("bread-basket")
    if not guesses:
        monkeypatch.setattr(type(game), "guess", BaseGame.guess)
    plain = bot(tmp_path, "plain", simple(0))
    ahead = bot(tmp_path, "ahead", simple(0))
    told: list[str] = []
    start([plain, replace(ahead, program=replace(ahead.program, engine=True))], told.append)
    said = "ahead: nobody can think ahead in Bread Basket, whose rules have no `guess`; expect random moves"
    assert told == ([] if guesses else [said])


def test_bots_that_start_are_started_together_and_gone_afterwards(tmp_path: Path) -> None:
    batches: list[int] = []
    real = CheckHarness.start_all

    def noted(table: CheckHarness, names: Mapping[int, str], startup_ms: int) -> Any:
        batches.append(len(names))
        return real(table, names, startup_ms)

    with patch.object(CheckHarness, "start_all", noted):
        start([bot(tmp_path, f"bot-{number}", simple(number)) for number in range(AT_ONCE + 1)])
    assert batches == [AT_ONCE, 1]


@pytest.mark.parametrize("stays_busy", [True, False])
def test_a_bot_that_the_machine_keeps_waiting_is_not_refused(tmp_path: Path, *, stays_busy: bool) -> None:
    told: list[str] = []
    waits = Fault(
        Verdict.STARTUP, "no answer to `hello` within 30000 ms", excuse="overload: 60000 ms on the wall"
    )
    answers = iter([waits, None, waits if stays_busy else None])

    def greet(processes: list[object], _limit_ms: int) -> list[Fault | None]:
        return [next(answers) for _ in processes]

    with patch("arena.checking.harness.greet", greet):
        start([bot(tmp_path, "slow", simple(0)), bot(tmp_path, "quick", simple(1))], told.append)
    assert next(answers, "none left") == "none left", "it was started again, alone"
    busy = "slow: did not start in time, as the machine is busy: overload: 60000 ms on the wall"
    assert told == ([busy] if stays_busy else [])


def test_who_takes_long_is_named_and_how_many_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(trial_start, "_SAYS_AFTER_S", 0)
    monkeypatch.setattr(trial_start, "AT_ONCE", 1)
    monkeypatch.setattr("arena.checking.conversation_witness.SAYS_AFTER_MS", 0)
    slow = simple(0).replace("for line", "time.sleep(0.2)\nfor line")
    start([bot(tmp_path, "slow", slow), bot(tmp_path, "quick", simple(1))], told.append)
    assert told[1].startswith("slow: no answer to `hello` for 0 s, and ")
    assert [line for line in told if "of 2" in line] == [
        f"starting the bots: {n} of 2 so far" for n in (0, 1)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["create", "dry run", "match", "compare"])
def test_commands_write_nothing_then(tmp_path: Path, command: str) -> None:
    file = league(tmp_path, simple(0), READS_ON)
    arguments: dict[str, list[str | Path]] = {
        "create": ["league", "create", file],
        "dry run": ["league", "create", file, "--dry-run"],
        "match": ["match", "bots/bot-0", "bots/bot-1", "--game", "bread-basket"],
        "compare": ["compare", "bots/bot-0", "bots/bot-1", "--game", "bread-basket"],
    }
    done = arena(*arguments[command], cwd=tmp_path, check=False)
    assert done.returncode == 3
    where = "" if command in ("match", "compare") else f"{file}:7: [[bots]] number 2: "
    assert f"error: {where}bots/bot-1 does not start: no answer to `hello` after " in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"bots", "league.toml"}


def test_a_changed_bot_is_started_before_it_meets_the_version_before(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        submitted(store, "ann", simple(0))
    write_bot(tmp_path, "ann", ENDS)
    done = arena("compare", "ann", "--game", "bread-basket", cwd=tmp_path, check=False)
    assert done.returncode == 3
    assert "error: ann does not start: startup: exited with code 3 before it answered `hello`" in done.stderr


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_league_is_not_created_then(tmp_path: Path, *, dry_run: bool) -> None:
    file = league(tmp_path, simple(0), simple(1), more=f"[rating]\n{RATING}")
    started: list[str] = []

    def starts(bots: Sequence[ToStart], _file: LeagueFile) -> None:
        started.extend(one.named for one in bots)
        assert all((one.program.folder / "bot.py").is_file() for one in bots)
        raise DoesNotStart([BadValue(one.keys, f"{one.named} does not start") for one in bots])

    with pytest.raises(BadFile) as refused:
        create_at(tmp_path / "arena.sqlite", read_plan(file), dry_run=dry_run, starts=starts)
    assert started == ["bots/bot-0", "bots/bot-1"]
    assert str(refused.value) == (
        f"{file}:7: [[bots]] number 1: bots/bot-0 does not start\n"
        f"{file}:9: [[bots]] number 2: bots/bot-1 does not start"
    )
    assert refused.value.exit_code == 3
    assert {path.name for path in tmp_path.iterdir()} == {"bots", "league.toml"}


def test_a_version_that_passed_its_check_is_started_only_for_other_settings(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        for name in ("ann", "bob"):
            submitted(store, name, simple(0))
    started: list[set[str]] = []
    cases: tuple[tuple[dict[str, Any], tuple[str, ...]], ...] = (
        ({}, ()),
        ({"limits": LimitsTable(memory_mib=32)}, ()),
        ({"clock": ClockTable(startup_ms=50)}, ()),
        ({}, ("--deep",)),
    )
    for settings, args in cases:
        names: set[str] = set()
        started.append(names)
        file = LeagueFile(
            name="main",
            game="bread-basket",
            seats=2,
            bots=(BotTable(version="tests/ann", args=args), BotTable(version="tests/bob")),
            rating={"draw_probability": 0.1},
            **settings,
        )

        def starts(bots: Sequence[ToStart], _file: LeagueFile, names: set[str] = names) -> None:
            names.update(one.named for one in bots)

        create_at(tmp_path / "arena.sqlite", plan(file, tmp_path, "league.toml"), dry_run=True, starts=starts)
    both = {"tests/ann", "tests/bob"}
    assert started == [set(), both, both, {"tests/ann"}]


def test_who_joins_a_league_is_started_unless_its_check_did(tmp_path: Path) -> None:
    store = open_league(tmp_path)
    submitted(store, "new", simple(5))
    open_league(tmp_path, f"[limits]\nmemory_mib = 64\n{LADDER}", name="small")

    def started(league: str, bot: str | None, args: tuple[str, ...] = (), entry: str = "") -> list[str]:
        found = to_start(store, league, bot, args, entry)
        return [" ".join([one.named, *one.program.command[3:]]) for one in found]

    assert started("main", "tests/new") == []
    assert started("main", "new", ("--deep",)) == ["tests/new@1 --deep"]
    assert started("small", "new") == ["tests/new@1"]
    assert started("small", "bots/any_game/random") == [], "Arena's own"
    assert started("main", "tests/new", (), "bot-0") == []
    assert started("small", None, (), "bot-0") == ["tests/bot-0@1"]
    assert started("main", "nobody") == started("nowhere", "new") == started("main", None, (), "who") == []


def test_a_submission_is_started_as_the_leagues_do_that_it_enters(tmp_path: Path) -> None:
    store = open_league(tmp_path)
    open_league(tmp_path, f"[clock]\nstartup_ms = 5000\n{LADDER}", name="hasty")
    tracking = f'[limits]\nmemory_mib = 64\n{LADDER}[[bots]]\ntrack = "tests/bot-1"\nlabel = "newest"\n'
    open_league(tmp_path, tracking, name="tracks")
    assert other_starts(store, ["main"], "tests", "new") == [], "its check is such a start"
    hasty, tracked = other_starts(store, ["main", "hasty"], "tests", "bot-1")
    assert [(one.league, one.is_named) for one in (hasty, tracked)] == [("hasty", True), ("tracks", False)]
    told: list[str] = []
    silent = bot(tmp_path, "silent", READS_ON)
    with pytest.raises(DoesNotStart, match=r"^league hasty: silent does not start: no answer to `hello`"):
        start_as_leagues_do([hasty], silent, lambda _: UNCONFINED, told.append)
    start_as_leagues_do([tracked], silent, lambda _: UNCONFINED, told.append)
    (only,) = told
    assert only.startswith("league tracks: silent does not start: "), "it enters all the same"


@pytest.mark.slow
def test_submit_and_upload_refuse_a_bot_that_does_not_start_in_its_league(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = open_league(tmp_path)
    submitted(store, "new", simple(5), author="zoe")
    entry = '[[bots]]\nversion = "zoe/new"\nargs = ["deep"]\n'
    open_league(tmp_path, LADDER + entry, name="deep")
    source = f"import sys\nif sys.argv[1:]:\n    sys.exit(3)\n{simple(4)}"
    place = write_bot(tmp_path, "new-2", source, game="bread-basket", author="zoe")
    manifest = place / "bot.toml"
    manifest.write_text(manifest.read_text().replace('"new-2"', '"new"'))
    says = "league deep: new does not start: startup: exited with code 3 before it answered `hello`"
    done = arena("submit", place, "--enter", "deep", cwd=tmp_path, check=False)
    assert done.returncode == 3, done.stderr
    assert says in done.stderr
    told: list[Message] = []
    run(Order(str(store.path), str(tmp_path), place.name, "zoe", ("deep",), "off"), told.append)
    assert isinstance(told[-1], Refused), told
    assert told[-1].step == "leagues"
    assert says in told[-1].failure.cause
    assert [one.number for one in store.versions.all() if one.bot == "new"] == [1]


@pytest.mark.slow
def test_no_broken_bot_joins(tmp_path: Path) -> None:
    store = open_league(tmp_path, f"[limits]\nmemory_mib = 64\n{LADDER}")
    says = f"{submitted(store, 'broken', READS_ON).reference} does not start: no answer to `hello` after "
    before = store.leagues.event_count("main")
    for arguments in (["add", "main", "broken"], ["replace", "main", "bot-0", "broken"]):
        done = arena("league", *arguments, cwd=tmp_path, check=False)
        assert done.returncode == 3
        assert f"error: {says}" in done.stderr
    for change in (Add("main", "broken"), Replace("main", "bot-0", "broken")):
        with pytest.raises(UsageError, match=says) as refused:
            refuse_not_starting(store.path, change)  # as the site does
        assert "flush" in refused.value.hint
    assert store.leagues.event_count("main") == before
    submitted(store, "fine", simple(6))
    refuse_not_starting(store.path, Add("main", "fine"))
