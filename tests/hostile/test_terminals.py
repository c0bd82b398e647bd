"""What a bot writes never steers the terminal of who reads about it: names, notes, logs, lines."""

import json
import re
from pathlib import Path

import pytest

from tests.support.leagues import arena_here, create_here, play_here, simple, write_bot

pytestmark = pytest.mark.xdist_group("terminals")
ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m\r\x08\u202e"
STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
NOISY = f"""\
import json, sys
ESCAPES = {ESCAPES!r}
asked = 0
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        answer = {{"type": "hello", "protocol": 1}}
    elif kind == "start":
        asked = 0
        answer = {{"type": "ready"}}
    elif kind == "ask":
        asked += 1
        sys.stderr.write("log " + ESCAPES + "\\n")
        sys.stderr.flush()
        move = (message.get("legal") or [message["example"]])[0]
        answer = {{"type": "move", "id": message["id"], "move": move, "note": "note " + ESCAPES}}
        if asked == 3:
            answer["move"] = ESCAPES
    else:
        continue
    sys.stdout.buffer.write(json.dumps(answer, ensure_ascii=False).encode() + b"\\n")
    sys.stdout.flush()
"""
FORMATS = ("table", "csv", "md", "json")
COMMANDS = (
    *(("faults", "--format", form) for form in FORMATS),
    *(("faults", "--log", "--format", form) for form in FORMATS),
    *(("rankings", "--format", form) for form in FORMATS),
    *(("replay", "list", "--format", form) for form in FORMATS),
    *(("bots", "--format", form) for form in FORMATS),
    ("replay", "show", "0.0"),
    ("league", "list"),
)


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Have a league in which a bot has written what steers a terminal wherever it can."""
    folder = tmp_path_factory.mktemp("league")
    write_bot(folder, "noisy", NOISY)
    write_bot(folder, "good", simple(0))
    (folder / "league.toml").write_text(
        'name = "test"\ngame = "bread-basket"\nseats = 2\nseed = 7\noptions = { hands = 1 }\n'
        '[schedule]\nkind = "round-robin"\nrounds = 1\n'
        f'[[bots]]\npath = "noisy"\nlabel = {json.dumps("noisy " + ESCAPES)}\n[[bots]]\npath = "good"\n'
    )
    made = arena_here("league", "create", "league.toml", cwd=folder)
    if made.returncode:
        assert not STEERING.search(made.stdout + made.stderr)
        text = (folder / "league.toml").read_text()
        (folder / "league.toml").write_text(re.sub(r"label = .*\n", "", text))
        create_here(folder / "league.toml")
    play_here(folder, "test")
    return folder


@pytest.mark.parametrize("command", [pytest.param(command, id=" ".join(command)) for command in COMMANDS])
def test_no_listing_steers_a_terminal(league: Path, command: tuple[str, ...]) -> None:
    told = arena_here(*command, cwd=league)
    assert told.returncode == 0, told.stderr
    found = STEERING.search(told.stdout + told.stderr)
    assert found is None, (found, (told.stdout + told.stderr)[max(0, found.start() - 60) : found.end() + 20])


def test_the_bot_has_written_it(league: Path) -> None:
    told = json.loads(arena_here("faults", "--log", "--format", "json", cwd=league).stdout)
    assert told
    assert {fault["verdict"] for fault in told} == {"illegal"}
    assert all("log " in fault["log"] for fault in told)


@pytest.mark.parametrize("command", [("check",), ("check", "--json"), ("submit",)], ids=" ".join)
def test_no_failed_check_steers_a_terminal(command: tuple[str, ...], league: Path) -> None:
    told = arena_here(*command, "noisy", "--sandbox", "off", cwd=league)
    assert told.returncode == 3, told.stderr
    assert "illegal" in told.stdout + told.stderr
    found = STEERING.search(told.stdout + told.stderr)
    assert found is None, (found, told)


@pytest.mark.parametrize("name", ["noisy\x1b[2J", "a\tb", "left\u202eright", "a\nb", "../up", ""])
def test_names_with_such_characters_are_refused_in_plain_words(name: str, tmp_path: Path) -> None:
    place = write_bot(tmp_path, "bot", simple(0))
    toml = (place / "bot.toml").read_text()
    (place / "bot.toml").write_text(toml.replace('name = "bot"', f"name = {json.dumps(name)}"))
    told = arena_here("submit", str(place), cwd=tmp_path)
    assert told.returncode != 0
    assert "name" in told.stderr
    assert "has no command" not in told.stderr
    assert not STEERING.search(told.stdout + told.stderr)
    assert "Traceback" not in told.stderr
