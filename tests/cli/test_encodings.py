"""Every command comes to its end in a terminal of any encoding, and what programs read is UTF-8 in all of them."""

import io
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.cells import cell_len

from arena.cli.app import app, run
from arena.cli.terminal.consoles import PLAIN, write_in_any_encoding
from tests.cli.hostile_store import LEAGUE, hostile_store
from tests.support.leagues import ARENA, measured_once, write_bot

ROOT = Path(__file__).parents[2]
NAMES = ["Zoë", "日本", "\N{ROBOT FACE}"]
TEXT = "Zoë said: μ → σ, 日本 \N{ROBOT FACE}"
BOT, NO_BOT = "Zoë-日本", "no-bot-\N{ROBOT FACE}"
FILE = "日本.toml"
NO_TEXT = os.fsdecode(b"\xff")
"""What was typed in another encoding."""
EVERY_COMMAND: dict[str, list[list[str]]] = {
    "demo": [["--rounds", NO_BOT]],
    "new": [[NO_BOT]],
    "check": [[NO_BOT], [BOT]],
    "submit": [[NO_BOT], [BOT]],
    "match": [[NO_BOT, NAMES[0]]],
    "play": [[NO_BOT]],
    "trace": [[NO_BOT], [BOT]],
    "compare": [[NO_BOT, NAMES[0]]],
    "race": [[NO_BOT, NAMES[0]]],
    "tune": [[NO_BOT]],
    "queue": [[], ["--format", "json"]],
    "queue add": [["compare", NO_BOT, NAMES[0]]],
    "queue change": [[NO_BOT, "--priority", "1"]],
    "queue pause": [[NO_BOT]],
    "queue resume": [[NO_BOT]],
    "queue remove": [[NO_BOT]],
    "suite": [[NO_BOT, "--game", "bread-basket"], ["smoke", "--game", NO_BOT]],
    "run": [["--store", NO_BOT], [LEAGUE]],
    "host": [["--join", NO_BOT]],
    "host list": [[]],
    "host certificates": [[FILE]],
    "status": [[], ["--json"]],
    "rankings": [[], ["--format", "json"], ["--format", "csv"], ["--format", "md"], ["--around", NAMES[2]]],
    "history": [[], ["--bot", NAMES[0]], [NO_TEXT]],
    "matrix": [[], ["--format", "csv"]],
    "stats": [[], ["--view", "lottery"], ["--view", "coalitions"]],
    "faults": [[], ["--log"], ["--format", "json"]],
    "why": [["1.0"], ["1.0", "--json"]],
    "log": [["1.0", "--seat", "0"], ["1.0", "--seat", "0", "--json"]],
    "step": [["1.0", "--seat", "0", "--as", NO_BOT], ["1.0", "--seat", "0", "--as", BOT]],
    "serve": [["--store", NO_BOT, "--port", "0", "--host", NO_BOT]],
    "export-site": [["site"]],
    "sign-in": [["--forget", NO_BOT]],
    "doctor": [[]],
    "bots": [[], ["--format", "json"]],
    "bots show": [["ababab"], ["ababab", "--format", "csv"]],
    "bots log": [["ababab"], ["ababab", "--json"]],
    "bots delete": [["ababab", "--yes"]],
    "bots download": [["ababab", "-O", NO_BOT]],
    "games": [[]],
    "games show": [["bread-basket"]],
    "games vectors": [["bread-basket", "-n", "1"], [NO_BOT]],
    "accounts invite": [["Zoë"]],
    "accounts list": [[], ["--format", "csv"]],
    "accounts revoke": [["Zoë"]],
    "league create": [[FILE, "--dry-run"], [NO_BOT]],
    "league list": [[]],
    "league show": [[LEAGUE]],
    "league add": [[LEAGUE, NO_BOT]],
    "league replace": [[LEAGUE, NO_BOT]],
    "league retire": [[LEAGUE, NO_BOT]],
    "league pause": [[LEAGUE, NO_BOT]],
    "league resume": [[LEAGUE, NAMES[1]]],
    "league bench": [[LEAGUE, NO_BOT]],
    "league extend": [[LEAGUE]],
    "league aim": [[LEAGUE, NO_BOT]],
    "league season": [[LEAGUE]],
    "league clone": [[LEAGUE, LEAGUE]],
    "league rename": [[LEAGUE, NO_BOT + "/"]],
    "league delete": [[NO_BOT, "--yes"]],
    "league events": [[], ["--format", "json"]],
    "league reveal": [[NO_BOT]],
    "league verify-deals": [[]],
    "replay list": [[], ["--format", "csv"]],
    "replay show": [["1.0"]],
    "replay watch": [["1.0"]],
    "replay verify": [[]],
    "replay export": [["1.0"]],
    "db verify": [[]],
    "db rebuild": [[]],
    "db backup": [[NO_BOT]],
    "db restore": [[NO_BOT]],
    "db digest": [[]],
    "db prune": [["none"]],
    "db segments": [[]],
    "db share": [["nobody"]],
    "db ship": [[NO_BOT]],
    "db fetch": [["--from", NO_BOT]],
}
"""Each command, with arguments that make it show names and say what it has to say, errors included."""
QUICK = {"rankings", "history", "why", "run", "bots show"}
"""What goes the ways that all others go."""
ENCODINGS = ["ascii", "latin-1"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("encodings")
    hostile_store(folder, NAMES, TEXT, NAMES[0])
    version = folder / "arena.files" / "versions" / ("ab" * 32)
    version.mkdir(parents=True)
    (version / "bot").touch(mode=0o755)
    mute = write_bot(folder, "mute", f"import sys\nsys.stderr.buffer.write({TEXT.encode()!r})\n")
    mute.rename(folder / BOT)
    (folder / FILE).write_text(
        f'name = "{NAMES[0]}"\ngame = "bread-basket"\nseats = 2\n[schedule]\nkind = "round-robin"\n'
        f'[[bots]]\npath = "{BOT}"\n[[bots]]\npath = "{BOT}"\nargs = ["日本"]\n',
        encoding="utf-8",
    )
    return folder


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the commands, and the groups that are commands themselves."""
    below = getattr(group, "commands", {})
    if not below or getattr(group, "invoke_without_command", False):
        yield " ".join(path)
    for name, command in below.items():
        yield from commands(command, (*path, name))


def test_no_command_is_left_out() -> None:
    assert set(commands(typer.main.get_command(app))) - {""} == set(EVERY_COMMAND)


def test_whatever_arena_writes_itself_has_something_that_stands_for_it() -> None:
    written = {
        character
        for room in ("arena", "results", "protocol")
        for source in (ROOT / room).rglob("*.py")
        for character in re.findall(r"[^\x00-\x7f]", source.read_text(encoding="utf-8"))
    }
    assert not written - set(PLAIN)
    assert all(text.isascii() for text in PLAIN.values())


def in_encoding(encoding: str, arguments: list[str], cwd: Path) -> tuple[int, bytes, str]:
    """Run a command as in a terminal or pipe of this encoding; return its code and what it wrote."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2))
    with chdir(cwd), redirect_stdout(out), redirect_stderr(err), measured_once():
        write_in_any_encoding()
        code = run(arguments)
        out.flush()
        err.flush()
    return code, out.buffer.getvalue(), err.buffer.getvalue().decode(encoding)


@pytest.mark.parametrize(
    ("command", "arguments", "encoding"),
    [
        pytest.param(
            command,
            arguments,
            encoding,
            id=ascii(f"{command} {' '.join(arguments)} {encoding}"),
            marks=[pytest.mark.slow] * (command not in QUICK or encoding != ENCODINGS[number % 2]),
        )
        for command, all_of in EVERY_COMMAND.items()
        for number, arguments in enumerate(all_of)
        for encoding in ENCODINGS
    ],
)
def test_every_command_ends_as_in_utf_8(
    made: Path, tmp_path: Path, command: str, arguments: list[str], encoding: str
) -> None:
    ends = {}
    for number, name in enumerate(("utf-8", encoding)):
        there = tmp_path / str(number)
        shutil.copytree(made, there)
        ends[name] = in_encoding(name, [*command.split(), *arguments], there)
    code, out, err = ends[encoding]
    assert code == ends["utf-8"][0], err
    assert out or err
    assert "Traceback" not in err
    assert "UnicodeEncodeError" not in err
    if {"--json", "json", "csv", "md"} & set(arguments) or command == "replay export":
        assert re.sub(r"[\d.:-]+", "", out.decode()) == re.sub(r"[\d.:-]+", "", ends["utf-8"][1].decode())
        return
    text = out.decode(encoding)
    lines = [line for line in text.splitlines() if line.startswith(("|", "+-"))]
    for before, after in pairwise(lines):
        if before.startswith("+-") and after.startswith("|"):
            assert cell_len(before) == cell_len(after), "columns are as wide as what is written"


IN_PROCESSES = [
    (["rankings"], 0),
    (["rankings", "--format", "json"], 0),
    (["match", BOT, BOT, "--game", "bread-basket"], 3),
    (["trace", BOT, "--game", "bread-basket"], 3),
    (["run", LEAGUE], 0),
    (["no-such-command-\N{ROBOT FACE}"], 2),
    (["log", "1.0", "--seat", "0"], 0),
]
"""Arguments, and the exit code."""
SURROUNDINGS = [
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "latin-1"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]


@pytest.mark.parametrize(
    ("arguments", "code", "variables"),
    [
        pytest.param(
            arguments,
            code,
            variables,
            id=ascii(f"{' '.join(arguments)} {next(iter(variables))}"),
            marks=[pytest.mark.slow] * (arguments != ["rankings"] or variables != SURROUNDINGS[0]),
        )
        for arguments, code in IN_PROCESSES
        for variables in SURROUNDINGS
    ],
)
def test_a_process_ends_as_in_utf_8(
    made: Path, tmp_path: Path, arguments: list[str], code: int, variables: dict[str, str]
) -> None:
    shutil.copytree(made, tmp_path / "there")
    done = subprocess.run(
        [*ARENA, *arguments],
        cwd=tmp_path / "there",
        env=os.environ | variables,
        capture_output=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert done.stdout or done.stderr
    assert b"Traceback" not in done.stderr
    if "json" in arguments:
        assert [row["label"] for row in json.loads(done.stdout.decode())] == [NAMES[0], NAMES[2], NAMES[1]]
