"""`arena why` and `arena log`: what an author learns of a fault or a loss, and never before the match is finished."""

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.cli.base.open_store import reading
from arena.cli.display.why_lost import page_lines
from arena.conversation.rebuild import conversation
from arena.core.game_defaults import BaseGame
from arena.league.stored_games import find
from arena.league.why_lost import MEANINGS, pages, seats_to_explain, swings
from arena.registry import game
from protocol.verdicts import Reason, Verdict
from results.records import EntrySpec
from tests.support.leagues import arena_here, create_here, play_here, simple, write_bot, write_league
from tests.support.ledgers import RULES, new_league, new_store, plan, played
from tests.support.recording import Recording, play, stored

pytestmark = pytest.mark.xdist_group("why")  # they look at one store

ASK = '        legal = message.get("legal") or [message["example"]]\n'
LOG = '        print("thinks of ask", message["id"], "\\x1b[31m", file=sys.stderr, flush=True)\n'
WRONG = simple(0).replace(
    ASK, LOG + ASK + '        if message["id"] == 3: legal = [{"type": "no such move"}]\n'
)
"""Writes to its log, and answers its third ask with no legal move."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a finished league of one match, and one whose match lacks two of three games."""
    folder: Path = tmp_path_factory.mktemp("why")
    file = write_league(folder, rounds=1)
    write_bot(folder, "wrong", WRONG)
    text = file.read_text().replace('path = "pick2"', 'path = "wrong"').replace("seed = 7", "seed = 8")
    file.write_text(text)
    create_here(file)
    play_here(folder, "test")
    file.write_text(text.replace('"test"', '"unfinished"'))
    create_here(file)
    assert not play_here(folder, "unfinished", most_games=1)
    return folder


def told(store: Path, *arguments: str) -> list[dict[str, Any]]:
    done = arena_here(*arguments, "--json", cwd=store)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_fault_is_one_page_with_question_answer_and_log(store: Path) -> None:
    (page,) = told(store, "why", "test/0.1")
    assert (page["bot"], page["verdict"]) == ("wrong", "illegal")
    assert page["meaning"] == MEANINGS[Verdict.ILLEGAL]
    assert page["ask"] == page["question"]["id"] == 3
    assert page["question"]["view"]["hand"]
    assert json.loads(page["wrote"]) == {"move": {"type": "no such move"}}
    last = page["log"][-1]
    assert (last["decision"], last["ask"]) == (page["decision"], page["ask"])
    fault = json.loads(arena_here("faults", "test", "--format", "json", cwd=store).stdout)[1]
    assert (fault["game"], fault["at_decision"]) == ("0.1", page["decision"])
    text = arena_here("why", "test/0.1", cwd=store).stdout
    moves = [json.dumps(move, separators=(",", ":")) for move in page["question"]["legal"]]
    assert page["advice"].startswith(f"answer with one of `legal`, unchanged: {moves[0]}")
    assert "hint: answer with one of `legal`" in text
    assert "→ answer with one of `legal`" in " ".join(arena_here("faults", "test", cwd=store).stdout.split())
    assert f"decision {page['decision']} (ask {page['ask']}) was asked" in text
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 110


def test_moves_are_priced_with_the_dearest_first(store: Path) -> None:
    few = ("why", "test/0.0", "--bot", "pick0", "--analyse", "--worlds", "48", "--jobs", "1")
    (prices,) = told(store, *few)
    assert (prices["seat"], prices["worlds"], prices["without"], prices["policy"]) == (2, 48, 0, True)
    made = prices["prices"]
    assert {"decision", "ask", "kind", "made", "better", "price", "low", "high", "types"} == set(made[0])
    dear = sum(one["low"] > 0 for one in made)
    done = arena_here(*few, cwd=store)
    result, first, second, *rest = done.stdout.splitlines()
    assert re.fullmatch(r"result: \w+ -?\d+, \w+ -?\d+, \w+ -?\d+", result)
    assert re.fullmatch(
        r"test/0\.0: pick0 in seat 2 gives away \d+\.\d\d points a decision \(±\d+\.\d\d\)", first
    )
    assert second == f"in {dear} of {len(made)} decisions another move was significantly better"
    numbered = [line for line in rest if re.match(r"\d\. decision", line)]
    assert len(numbered) <= 5
    by_price = sorted((one for one in made if one["low"] > 0), key=lambda one: -one["price"])
    assert dear
    assert [int(line.split()[2]) for line in numbered[:dear]] == [one["decision"] for one in by_price[:5]]
    assert done.stdout.count("not significant") == len(numbered) - min(5, dear)
    assert max(map(len, done.stdout.splitlines())) <= 80
    refused = arena_here("why", "test/0.0", "--analyse", "--at", "http://localhost:1", cwd=store)
    assert refused.returncode == 2
    assert "--analyse needs the game in a store of this machine" in refused.stderr


def test_moves_of_many_games_are_priced_and_say_what_to_work_on(store: Path) -> None:
    few = ("why", "test", "--bot", "pick0", "--analyse", "--worlds", "48", "--jobs", "1", "--games", "2")
    (priced,) = told(store, *few)
    assert list(priced) == ["test/0.2 --seat 1", "test/0.1 --seat 0"]
    made = [one for prices in priced.values() for one in prices["prices"]]
    text = arena_here(*few, cwd=store).stdout
    assert text.startswith("pick0 in 2 games of test gives away ")
    assert f"{len(made)} decisions" in text
    dear = [one for one in made if one["low"] > 0]
    assert dear
    after = text.partition("what to work on:\n")[2].splitlines()
    assert re.fullmatch(
        r"1\. \w+ where .+ was better: \d+\.\d points( on average)? in \d+ decisions?", after[0]
    )
    line = next(line for line in after if "the dearest" in line)
    shown = re.fullmatch(r"   the dearest, decision (\d+): arena why test/0\.(\d) .* --analyse", line)
    assert shown
    for kind, possible, chosen in re.findall(
        r"   (\w+) was possible in (\d+) decisions, and made in (\d+)", text
    ):
        of_kind = [one["made"]["type"] == kind for one in made if kind in one["types"]]
        assert (len(of_kind), sum(of_kind)) == (int(possible), int(chosen))
    assert int(shown[1]) in [one["decision"] for one in dear]
    none = arena_here("why", "unfinished", "--bot", "pick0", "--analyse", cwd=store)
    assert none.returncode == 2
    assert "pick0 has no game that can be analysed" in none.stderr


def test_what_can_not_be_analysed_is_said_in_a_sentence(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = type(game("bread-basket"))
    few = ("--analyse", "--worlds", "8", "--jobs", "1")
    for what in ("test/0.0", "test"):
        for given in (("--worlds", "8"), ("--seconds", "2"), ("--jobs", "1"), ("--games", "3")):
            refused = arena_here("why", what, *given, cwd=store)
            assert (refused.returncode, refused.stdout) == (2, "")
            assert "are for pricing moves\n  hint: add --analyse" in refused.stderr
    with monkeypatch.context() as patch:
        patch.setattr(rules, "info", dataclasses.replace(rules.info, version=rules.info.version + 1))
        one = arena_here("why", "test/0.0", *few, cwd=store)
        assert one.returncode == 1
        assert one.stderr.startswith(
            "error: bread-basket was played with version 1 of its rules, but version 2"
        )
        many = arena_here("why", "test", "--bot", "pick0", *few, cwd=store)
        assert many.returncode == 2
        assert "3 games left out: bread-basket was played with version 1" in many.stderr
        assert "no game of pick0 could be analysed" in many.stderr
    with monkeypatch.context() as patch:
        patch.setattr(rules, "guess", BaseGame.guess)
        for what in ("test/0.0", "test"):
            refused = arena_here("why", what, "--bot", "pick0", *few, cwd=store)
            assert refused.returncode == 2
            assert "the moves of Bread Basket can't be priced: the game has no `guess`" in refused.stderr
    with monkeypatch.context() as patch:
        patch.delattr(rules, "policy")
        rough = arena_here("why", "test/0.1", "--bot", "pick0", "--analyse", "--worlds", "9", cwd=store)
        assert "played out with random moves, as Bread Basket has no policy" in " ".join(rough.stdout.split())
    assert not arena_here("why", "test", "--bot", "wrong", *few, cwd=store).returncode, (
        "it forfeited its games"
    )


def test_a_loss_names_the_way_on(store: Path) -> None:
    (page,) = told(store, "why", "test/0.0", "--bot", "pick0")
    assert (page["bot"], page["verdict"], page["question"]) == ("pick0", None, None)
    text = arena_here("why", "test/0.0", "--bot", "pick0", cwd=store).stdout
    for command in ("step", "match --like", "replay show"):
        assert f"arena {command} test/0.0" in text
    assert "arena log" not in text, "there is no more of it"
    assert "its log" not in text, "it wrote none"


def test_a_long_log_names_the_way_to_the_rest(store: Path) -> None:
    with reading(store / "arena.sqlite") as opened:
        found = find(opened, opened.leagues.get("test"), 0, 1)
        (page,) = pages(opened, found, seats_to_explain(found))
    assert page.log
    assert not any("arena log" in line for line in page_lines(page, None, ""))
    longer = replace(page, log_lines=len(page.log) + 1)
    assert f"    arena log {page.game} --seat {page.seat}" in page_lines(longer, None, "")


def test_a_silent_bot_is_said_to_have_written_nothing(store: Path) -> None:
    done = arena_here("log", "test/0.0", "--bot", "pick0", cwd=store)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "pick0 (seat 2) wrote nothing to standard error\n"


def test_a_bot_that_hangs_can_be_checked(store: Path) -> None:
    with reading(store / "arena.sqlite") as opened:
        found = find(opened, opened.leagues.get("test"), 0, 1)
        (page,) = pages(opened, found, seats_to_explain(found))
    assert page.version == "tests/wrong@1"
    lines = list(page_lines(replace(page, verdict="timeout"), None, ""))
    assert (
        lines.index("    arena check FOLDER")
        == lines.index(f"    arena bots download {page.version} -O FOLDER") + 1
    )
    assert "hint: if a Python program hangs, `arena check` shows the line where" in lines
    assert not any("arena check" in line for line in page_lines(page, None, ""))
    in_c = page_lines(replace(page, verdict="timeout", language="C"), None, "")
    assert not any("Python" in line for line in in_c)


@pytest.mark.parametrize(
    ("manifest", "how"),
    [
        (
            {"command": ["./bot"], "build": ["cc", "-o", "bot", "bot.c"]},
            "In C: fflush(stdout) after each line",
        ),
        ({"command": ["java", "Bot.java"]}, "In Java: System.out.flush() after each line"),
        ({"command": ["python3", "bot.py"]}, "In Python: print(line, flush=True)"),
    ],
)
def test_what_to_do_fits_the_language(store: Path, manifest: dict[str, Any], how: str) -> None:
    with reading(store / "arena.sqlite") as opened:
        found = find(opened, opened.leagues.get("test"), 0, 1)
        seat = seats_to_explain(found)[0]
        seats = [
            replace(one, verdict=Verdict.STARTUP, reason=Reason.IDLE) if one.seat == seat else one
            for one in found.record.seats
        ]
        entries = [
            replace(one, version=replace(one.version, manifest=manifest, sha256="0" * 64))
            if one.version
            else one
            for one in found.entries
        ]
        record = replace(found.record, seats=tuple(seats))
        (page,) = pages(opened, replace(found, record=record, entries=tuple(entries)), [seat])
    assert how in page.advice


def test_a_fault_before_the_first_question_is_told_without_noise(store: Path) -> None:
    with reading(store / "arena.sqlite") as opened:
        found = find(opened, opened.leagues.get("test"), 0, 1)
        (page,) = pages(opened, found, seats_to_explain(found))
    early = replace(page, verdict="startup", decision=0, ask=None, question=None, decisions=0, log=())
    text = "\n".join(page_lines(early, None, ""))
    for noise in ("--from", "0 decisions", "not answering", "arena step", "\n\n\n"):
        assert noise not in text
    assert "arena check FOLDER" in text


def test_swings_are_the_turns_in_which_the_lead_fell_most() -> None:
    record = play(game("bread-basket"), "tens", [Recording(seat) for seat in range(2)])
    found = stored(record)
    leads = []
    for seat in range(2):
        worst = swings(found, conversation(found, seat), most=1000)
        lost = [swing.lost for swing in worst]
        assert lost == sorted(lost, reverse=True)
        assert all(swing.events for swing in worst)
        assert len({swing.decision for swing in worst}) == len(worst)
        leads.append(sum(lost))
    scores = [seat.score for seat in record.seats]
    assert scores[0] - scores[1] == leads[1] - leads[0]  # what one lost, the other gained


def test_a_log_is_shown_escaped_with_the_decisions_it_mentions(store: Path) -> None:
    lines = told(store, "log", "test/0.0", "--bot", "wrong")
    assert [line["text"] for line in lines] == [f"thinks of ask {n} \x1b[31m" for n in (1, 2, 3)]
    assert all(line["decision"] is not None for line in lines)
    done = arena_here("log", "test/0.0", "--bot", "wrong", cwd=store)
    assert "\x1b" not in done.stdout
    assert f"← decision {lines[0]['decision']} (ask 1)" in done.stdout
    assert "all of them are shown" in done.stderr


def test_a_log_is_shown_of_a_named_bot_only(store: Path) -> None:
    done = arena_here("log", "test/0.0", cwd=store)
    assert done.returncode == 2
    assert "--bot or --seat" in done.stderr
    assert not done.stdout
    assert arena_here("log", "test/0.0", "--bot", "nobody", cwd=store).returncode == 2
    assert arena_here("why", "test/0.0", "--seat", "7", cwd=store).returncode == 2


@pytest.mark.parametrize(
    "command",
    [
        ("why", "unfinished/0.0"),
        ("log", "unfinished/0.0", "--bot", "wrong"),
        ("replay", "show", "unfinished/0.0"),
        ("step", "unfinished/0.0", "--seat", "0", "--as", "pick0"),
        ("match", "--like", "unfinished/0.0"),
        ("match", "--like", "unfinished/0.0", "1=pick0"),
    ],
    ids=" ".join,
)
def test_nothing_opens_before_every_game_of_the_match_is_in(store: Path, command: tuple[str, ...]) -> None:
    done = arena_here(*command, cwd=store)
    assert done.returncode != 0
    assert "match 0 is still being played, on the same deal" in done.stderr
    assert not done.stdout
    logs = arena_here("faults", "unfinished", "--log", cwd=store)
    assert "thinks of ask" not in logs.stdout + logs.stderr
    assert "hidden until the match is finished" in logs.stderr
    details = json.loads(arena_here("faults", "unfinished", "--format", "json", cwd=store).stdout)
    assert {row["detail"] for row in details} == {"hidden until the match is finished"}


def test_a_replay_that_was_not_kept_is_said_to_be_missing(store: Path, tmp_path: Path) -> None:
    arena_here("db", "backup", str(tmp_path / "arena.sqlite"), cwd=store)
    arena_here("db", "prune", "none", "test", cwd=tmp_path)
    done = arena_here("why", "test/0.1", cwd=tmp_path)
    assert done.returncode != 0
    assert "the replay of game test/0.1 was not kept" in done.stderr
    assert "keep_replays" in done.stderr
    log = arena_here("log", "test/0.1", "--bot", "wrong", cwd=tmp_path)
    assert log.returncode == 0
    assert "thinks of ask 3" in log.stdout
    assert "decisions that its lines mention can't be named" in log.stderr


def test_every_verdict_on_a_player_has_a_meaning() -> None:
    assert {verdict for verdict in Verdict if not verdict.is_platform} == set(MEANINGS)


def test_a_league_is_explained_by_where_points_are_lost(store: Path) -> None:
    done = arena_here("why", "test", "--bot", "wrong", cwd=store)
    assert done.returncode == 0, done.stderr
    assert "of them forfeited (illegal)" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    rows = json.loads(arena_here("why", "test", "--bot", "wrong", "--format", "json", cwd=store).stdout)
    assert {row["by"] for row in rows} == {"verdict", "opponent", "seat"}
    for row in rows:
        assert row["lost"] == pytest.approx(row["games"] * (50 - row["share"]) / 100)
        assert 0 <= row["low"] <= row["share"] <= row["high"] <= 100
    against = {row["value"]: row["share"] for row in rows if row["by"] == "opponent"}
    pairs = json.loads(arena_here("matrix", "test", "--by", "games", "--format", "json", cwd=store).stdout)
    assert against == {pair["opponent"]: pair["share"] for pair in pairs if pair["bot"] == "wrong"}
    verdict = rows[0]
    told(store, "why", verdict["game"], "--seat", str(verdict["seat"]))
    assert f"next: arena why {verdict['game']} --seat {verdict['seat']}" in done.stdout


def test_a_league_without_finished_matches_tells_nothing_of_its_games(store: Path) -> None:
    done = arena_here("why", "unfinished", cwd=store)
    assert (done.returncode, done.stdout) == (0, "")
    assert "unfinished: no bot has finished a match yet" in done.stderr
    assert json.loads(arena_here("why", "unfinished", "--format", "json", cwd=store).stdout) == []


@pytest.mark.parametrize("options", [("--seat", "0"), ("--full",)])
def test_options_of_a_game_are_refused_for_a_league(store: Path, options: tuple[str, ...]) -> None:
    done = arena_here("why", "test", *options, cwd=store)
    assert done.returncode == 2
    assert "need a game" in done.stderr


def test_a_name_of_a_league_and_a_game_is_asked_about(tmp_path: Path) -> None:
    with new_store(tmp_path) as opened:
        league = new_league(opened, 2, name="0")
        opened.append([played(match, 0, (1, 5)) for match in plan(opened, league, *[(0, 1)] * 12)])
    done = arena_here("why", "0", cwd=tmp_path)
    assert done.returncode == 2
    assert "'0' names a league and a game" in done.stderr
    assert "write 0/ for the league, or 0/0 for the game" in done.stderr
    text = arena_here("why", "0/", cwd=tmp_path).stdout
    assert "a has a share of 0.0 % in 12 games, significantly below 50 % against b" in text
    assert "?" not in text, "12 games say something"
    assert arena_here("why", cwd=tmp_path).stdout == text, "the newest league is the default"
    best = arena_here("why", "0/", "--bot", "b", cwd=tmp_path).stdout
    assert "b has a share of 100.0 % in 12 games" in best
    assert "next:" not in best, "it lost none"


def test_a_comparison_is_explained_for_its_new_version(tmp_path: Path) -> None:
    with new_store(tmp_path) as opened:
        specs = [EntrySpec("old", None), EntrySpec("new", None)]
        league = opened.leagues.create("compare-1", config={}, ruleset=RULES, entries=specs, rated=False)
        opened.append([played(match, 0, (1, 5)) for match in plan(opened, league, (0, 1), (0, 1), (1, 0))])
    text = arena_here("why", "compare-1", cwd=tmp_path).stdout
    assert "new has a share of 66.7 % in 3 games" in text
    assert "compare-1/2.0 --seat 0" in text
