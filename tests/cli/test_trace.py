"""`arena trace`: every line both ways and the log, in the order of time."""

import json
from pathlib import Path
from typing import Any

import pytest

from arena.conversation.live_trace import MOST_LOG_LINES, TracedLine, Tracer
from tests.support.leagues import arena_here, simple, unguarded, write_bot
from tests.support.submissions import folder_of

LOG = "        print(f\"asked \\x1b[31m{message['id']}\", file=sys.stderr, flush=True)\n"
TALKATIVE = simple(0).replace("        time.sleep(0.0)\n", LOG)
"""Writes to its log at each ask."""
END = "    print(json.dumps(answer), flush=True)\n"
STUCK = simple(0).replace(
    END,
    '    if kind == "ask":\n        print("half a line", end="", flush=True)\n        sys.exit(3)\n' + END,
)
"""Begins an answer, and ends."""
TABLE = ("-g", "bread-basket", "-o", "hands=1", "--sandbox", "off")


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("bots")
    assert "asked" in TALKATIVE
    write_bot(folder, "talkative", TALKATIVE)
    write_bot(folder, "other", simple(1))
    write_bot(folder, "stuck", STUCK)
    return folder


def traced(folder: Path, *arguments: str, code: int = 0) -> list[dict[str, Any]]:
    with unguarded():
        done = arena_here("trace", *arguments, *TABLE, "--json", cwd=folder)
    assert done.returncode == code, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_trace_has_every_line_of_the_bot_in_order(bots: Path) -> None:
    lines = traced(bots, "talkative", "--against", "other", "--seat", "1")
    assert {line["seat"] for line in lines} == {1}
    said = [line for line in lines if line["speaker"] != "log"]
    kinds = [line["kind"] for line in said]
    asks = kinds.count("ask")
    assert kinds[:4] == ["hello", "hello", "start", "ready"]
    assert kinds[4:-2] == ["ask", "move"] * asks
    assert kinds[-2:] == ["end", "quit"]
    log = [line["text"] for line in lines if line["speaker"] == "log"]
    assert log == [f"asked \x1b[31m{number + 1}" for number in range(asks)]
    for question, reply in zip(said[4:-2:2], said[5:-2:2], strict=True):
        assert (question["decision"], question["ask"]) == (reply["decision"], reply["ask"])
        assert reply["after_ms"] >= 0
    decisions = [line["decision"] for line in said if line["kind"] == "ask"]
    assert decisions == sorted(set(decisions))
    assert [line["at_ms"] for line in lines] == sorted(line["at_ms"] for line in lines)
    assert not any((bots / name).exists() for name in ("arena.sqlite",))


def test_a_trace_fits_the_terminal_and_shows_where_a_line_had_no_end(bots: Path) -> None:
    with unguarded():
        done = arena_here("trace", "stuck", "--against", "other", *TABLE, cwd=bots)
        whole = arena_here("trace", "talkative", "--against", "other", "--full", *TABLE, cwd=bots)
    assert done.returncode == 3
    assert "(no newline)" in done.stdout
    assert "decision 0 (ask 1)" in done.stdout
    assert "stuck in seat 0 (crash at decision 0)" in done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert max(map(len, whole.stdout.splitlines())) > 300
    assert "\x1b" not in done.stdout + whole.stdout


def test_endless_lines_and_logs_are_bounded() -> None:
    shown: list[TracedLine] = []
    with Tracer(shown.append) as tracer:
        tap = tracer.tap(0)
        assert tap is not None
        tap.wrote(b"x" * 200_000)
        for _ in range(30):
            tap.logged(b"log\n" * 100)
    assert [len(line.text) for line in shown if line.speaker == "bot"] == [65_536, 65_536, 65_536, 3_392]
    assert not any(line.is_whole for line in shown if line.speaker == "bot")
    log = [line.text for line in shown if line.speaker == "log"]
    assert len(log) == MOST_LOG_LINES + 1
    assert log[-1] == "(1000 more lines of the log)"


def test_an_error_of_the_display_is_not_lost() -> None:
    def show(_: TracedLine) -> None:
        raise BrokenPipeError

    tracer = Tracer(show).__enter__()
    tracer.pass_on(0, "arena", b"{}\n")
    with pytest.raises(BrokenPipeError):
        tracer.__exit__()


@pytest.mark.parametrize("command", [("trace", "mine"), ("match", "mine", "mine")])
def test_the_game_is_chosen_before_anything_is_built(tmp_path: Path, command: tuple[str, ...]) -> None:
    place = folder_of(tmp_path / "mine", "touch built")
    toml = (place / "bot.toml").read_text()
    (place / "bot.toml").write_text(toml.replace('games = ["bread-basket"]', 'games = ["*"]'))
    done = arena_here(*command, "--sandbox", "off", cwd=tmp_path)
    assert done.returncode == 2
    assert "choose one with --game" in done.stderr
    assert "building" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
