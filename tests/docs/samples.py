"""Samples on the pages: what a page says that a command prints, beside what it prints.

A comment right above a fenced block says where it is from:

    <!-- sample: demo -->                        its `$ arena` lines were run on the league of `arena demo`
    <!-- sample: season -->                      on the packed ladder of docs/running-a-season.md
    <!-- sample: store: arena why spring -->     it is what this command prints of tests/invariants/store-1.tar.xz
    <!-- sample: circle: arena rankings -->      it is printed of a league that the tests make, `puppets` of another
    <!-- sample: folder -->                      its lines were run in a folder with the files that the page shows
    <!-- sample: not run, it takes an hour -->   nobody runs it; its headings and words are looked up in the code

The samples of a page are run in their order in one folder for each place. `…` on a line of its own stands for lines
left out, within a line for what is different each time.
"""

import ast
import io
import lzma
import re
import shlex
import subprocess
from collections.abc import Callable, Mapping
from contextlib import chdir, closing, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.cli.app import run
from results.store import Store
from tests.support.example_leagues import BOTS
from tests.support.leagues import unguarded
from tests.support.ledgers import league_with_puppets, new_store, rock_paper_scissors
from tests.support.record import THEN, unpacked
from tests.support.tree import PACKAGES, ROOT

BLOCK = re.compile(
    r"(?:^<!-- sample: (?P<where>[a-z ]+)(?:[:,] (?P<more>.*?))? -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
FILE = re.compile(r"`([\w/]+\.(?:py|toml))`[^`]*$")
"""The file that the text before a block names."""
STORE, FOLDER = "store", "folder"
PACKED = ("demo", "season")
"""Stores in this folder, each with one league, without replays in a season."""
MADE: Mapping[str, Callable[[Store], object]] = {
    "circle": lambda store: rock_paper_scissors(store, 14, ("rock", "scissors", "paper", "sand")),
    "puppets": league_with_puppets,
}
PLACES = (STORE, FOLDER, *PACKED, *MADE)
NOT_RUN = "not run"
PLAY = ("match", "step", "trace", "submit", "compare")
"""Commands that start bots, which needs no sandbox here."""
NO_SANDBOX = "warning: sandbox = off: bots run with your permissions; run only bots that you trust\n"
LEFT_OUT = "…"
VARIES = re.compile(
    r"…| +\d+\.\d+ +\d+\.\d+(?=$|  illegal$)|[\d.,]+(?= ms| MB copied)|\b\d\.\d{3}(?= s )"
    r"|\b[0-9a-f]{64}\b|\barena_[\w-]{43}|[+-]?\d+\.\d ± \d+\.\d(?= points| worse)|\d+(?= worlds)"
)
"""What is different each time."""
IN = "/srv/autumn"
"""The folder that the samples of the pages are from."""


class Sample(NamedTuple):
    """A block of a page that shows what commands print."""

    where: str | None
    """Where the block is from; None: no comment says so."""
    commands: tuple[tuple[str, str], ...]
    """Each command and what it is said to print."""
    text: str
    span: tuple[int, int]
    """Where on the page the text is."""


def samples(page: str) -> list[Sample]:
    """Return all blocks of a page's text that show what commands print, or might."""
    found = []
    for block in BLOCK.finditer(page):
        text, language = block["text"], block["language"]
        if language == "console":
            parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", text, flags=re.MULTILINE)[1:]
            commands = tuple(zip(parts[::2], parts[1::2], strict=True))
            is_sample = any(said for _, said in commands)
        else:
            commands = ((block["more"] or "", text),)
            is_sample = language == "text"
        if is_sample or block["where"]:
            found.append(Sample(block["where"], commands, text, block.span("text")))
    return found


class Place:
    """The folders in which the samples of one page are run."""

    def __init__(self, page: str, folder: Path) -> None:
        self._page, self._folder = page, folder

    def of(self, where: str) -> Path:
        """Return the folder of a place, which is made at the first time."""
        folder = self._folder / where
        if not folder.exists():
            folder.mkdir()
            (folder / "examples").symlink_to(ROOT / "examples")
            if where == STORE:
                unpacked(ROOT / "tests/invariants/store-1.tar.xz", folder)
            elif where in PACKED:
                packed = (ROOT / f"tests/docs/{where}.sqlite.xz").read_bytes()
                (folder / "arena.sqlite").write_bytes(lzma.decompress(packed))
            elif where in MADE:
                with closing(new_store(folder)) as store:
                    MADE[where](store)
            else:
                self._write_files(folder)
        return folder

    def _write_files(self, folder: Path) -> None:
        for block in BLOCK.finditer(self._page):
            named = FILE.search(self._page[: block.start()])
            if named and block["language"] == named[1].rpartition(".")[2].replace("py", "python"):
                (folder / named[1]).parent.mkdir(parents=True, exist_ok=True)
                (folder / named[1]).write_text(block["text"], encoding="utf-8")

    def printed(self, where: str, line: str) -> str:
        """Return what a line prints 80 columns wide: commands of Arena or of the shell, with && between them."""
        folder, said = self.of(where), io.StringIO()
        with pytest.MonkeyPatch.context() as terminal, chdir(folder), unguarded():
            terminal.setenv("COLUMNS", "80")
            terminal.setenv("TZ", "UTC")
            terminal.setattr("arena.cli.display.long_work.QUIET_S", 3600.0)
            terminal.setattr("results.reports.status.datetime", THEN)
            for command in line.split(" && "):
                words = shlex.split(command)
                if words[0] != "arena":
                    subprocess.run(words, check=True)
                    continue
                if where == FOLDER and words[1] in PLAY:
                    words += ["--sandbox", "off"]
                with redirect_stdout(said), redirect_stderr(said):
                    run(words[1:])
        lines = said.getvalue().replace(str(folder), IN).replace(NO_SANDBOX, "").splitlines()
        return re.sub(r"\A\n+|(?<=\n)\n+\Z", "", "".join(f"{line.rstrip()}\n" for line in lines))


def renewed(shown: str, printed: str) -> str:
    """Return what a page should show of what a command prints: what it shows, if that is still true."""
    before, now = shown.splitlines(), printed.splitlines()
    if re.fullmatch("".join(map(_pattern, before)), printed):
        return shown
    if len(before) != len(now):
        return printed
    pairs = zip(before, now, strict=True)
    return "".join((old if re.fullmatch(_pattern(old), f"{new}\n") else new) + "\n" for old, new in pairs)


def _pattern(line: str) -> str:
    if line.strip() == LEFT_OUT:
        return "(?:.*\n)*"
    return ".*".join(map(re.escape, VARIES.split(line))) + "\n"


def renewed_page(page: str, folder: Path) -> str:
    """Return a page with its samples as they should be."""
    place, parts, at = Place(page, folder), [""], 0
    for sample in samples(page):
        if sample.where not in PLACES:
            continue
        parts.append(page[at : sample.span[0]])
        for command, shown in sample.commands:
            parts[-1] += f"$ {command}\n" if sample.text.startswith("$ ") else ""
            parts.append(renewed(shown, place.printed(sample.where, command)))
        at = sample.span[1]
    return "".join([*parts, page[at:]])


@cache
def _texts() -> frozenset[str]:
    """Return every text in the code, its spaces made single; where a value is put in, it ends."""
    found: list[str] = []
    paths = [path for package in (*PACKAGES, "plugins") for path in sorted((ROOT / package).rglob("*.py"))]
    for path in paths:
        if ".venv" in path.parts:  # a plug-in's own environment
            continue
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        texts = (node.value for node in nodes if isinstance(node, ast.Constant))
        found += [" ".join(text.split()) for text in texts if isinstance(text, str)]
    return frozenset(found)


@cache
def _pairs() -> frozenset[tuple[str, str]]:
    return frozenset(pair for text in _texts() for pair in _pairs_of(text))


def _pairs_of(text: str) -> set[tuple[str, str]]:
    """Return the pairs of plain words next to each other, unless a number is before them."""
    return set(re.findall(r"(?<![\w/.@-])(?<!\d )(?=([a-z]{2,}) ([a-z]{2,})(?![\w/@-]))", text))


def unknown(page: str, sample: Sample) -> list[str]:
    """Return the words of a sample that no text of the code has: of headings, and pairs of words in messages.

    Left out are names of the page's example, which its commands, its `code` and its tables have, and words that stand
    alone in the code, as they may be put in anywhere.
    """
    named = " ".join(re.findall(r"^\$ .*|`[^`\n]+`|^ +(?:≈?\d+ +)?[\w-]+  +.*", page, re.MULTILINE))
    names = {
        *re.findall(r"[a-z]{2,}", named),
        *_texts(),
        *BOTS,
        *(bot.name for bot in (ROOT / "bots").glob("*/*")),
    }
    headings = {word for text in _texts() if len(text) < 30 for word in re.findall(r"[^\s-]+-?", text)}
    found: list[str] = []
    for _, shown in sample.commands:
        lines = shown.splitlines()
        for line, below in zip(lines, [*lines[1:], ""], strict=False):
            if set(below.strip()) == {"─"}:
                found += [word for word in line.split() if word not in headings]
            elif not line.startswith("    "):
                pairs = sorted(_pairs_of(line.partition("Error: ")[0]) - _pairs())
                found += [" ".join(pair) for pair in pairs if not names & set(pair)]
    return found
