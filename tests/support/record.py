"""Writes down all that Arena shows of a packed store: what every command prints, and every page as text.

    python -m tests.support.record STORE.tar.xz FOLDER

Run it with two checkouts and compare the folders with `diff -r`: a change that only moves code shows no difference.
`test_store.py` has the hash of each file.
"""

import os
import re
import shlex
import sys
import tarfile
import tempfile
from collections import Counter, deque
from collections.abc import Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
import typer

from arena.cli.app import app
from arena.web.live.site import Site
from results.store import open_store
from tests.support.leagues import arena_here
from tests.support.web.pages import kind_of, page_read
from tests.support.web.visitors import browser, member

LEAGUES = ("spring", "summer", "autumn", "cup", "compare-1")
FORMATS = ("table", "json", "csv", "md")
OF_A_LEAGUE = (
    *("rankings", "rankings --min-matches 1", "matrix", "matrix --by games", "history", "faults --log"),
    *("faults --platform", "stats --view seats", "stats --view tables", "stats --view faults"),
    *("stats --view time", "stats --view luck", "replay list", "league show"),
)
"""Commands that are asked about every league, in every format."""
OTHERS = (
    *(f"bots --all --format {form}" for form in FORMATS),
    *(f"league list --format {form}" for form in FORMATS),
    *("rankings spring --fit --explain", "stats spring --view circles", "stats spring --view lottery"),
    *("stats autumn --view coalitions", "stats spring", "stats autumn", "stats autumn --bot fay"),
    *("history spring --bot bob", "why autumn/0.0", "why autumn fay", "why spring bob", "status", "games"),
    *("replay show spring/11.0", "replay show spring/11.0 --boards", "replay show spring/11.1 --seat 0"),
    *("replay show autumn/3.0", "replay show cup/0.0 --public --boards", "replay show summer/0.0 --boards"),
    *("replay show summer/3.0", "replay show spring/0.0", "replay show casual/0.0", "replay show autumn/1.1"),
    *(f"replay export {game}" for game in ("spring/11.1", "summer/0.2", "autumn/3.2", "cup/0.0")),
    *("replay list casual --format json", "replay list autumn --verdict illegal"),
    *("replay list spring --bot ann", "log autumn/0.0", "bots show ann", "bots show bob --format json"),
    *(f"replay verify {league}" for league in ("spring", "autumn", "cup")),
    *(f"db digest {league}" for league in (*LEAGUES, "casual")),
    *("league verify-deals spring", "league verify-deals autumn", "league verify-deals summer"),
    *("rankings nobody", "replay show spring/99.0", "bots show nobody", "stats spring --view nothing"),
)
COMMANDS = (
    *(
        f"{command} {league} --format {form}"
        for command in OF_A_LEAGUE
        for league in LEAGUES
        for form in (FORMATS if league in ("spring", "autumn") else FORMATS[:2])
    ),
    *OTHERS,
)
_TODAY = datetime.now(UTC).date().isoformat()
THEN = SimpleNamespace(now=lambda _: datetime(2026, 11, 27, 12, tzinfo=UTC))
"""The day after the store was made, for the status, which leaves out what happened longer ago."""
_MOST_OF_KIND = 3
"""So many pages of a kind and league are written down."""
_CHANGES = re.compile(
    r"\b(\d+ (second|minute|hour|day|week|month|year)s?|just now)( ago)?\b|\d+\.\d [GT]i?B free"
    r"|(?<=\nFree on disk\n)\d+\.\d(?=\nGB\n)|(?<=files )\d+\.\d KiB"
)
"""What is another text each time: how long ago something was, the free space of the disk, and the size of files with
numbers of processes."""


def unpacked(packed: Path, folder: Path) -> Path:
    """Unpack a store into a folder and bring it up to date; return its file."""
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    open_store(folder / "arena.sqlite").close()
    return folder / "arena.sqlite"


def shown(folder: Path, command: str) -> str:
    """Return what a command prints 80 columns wide, and its exit code."""
    with pytest.MonkeyPatch.context() as terminal:
        terminal.setenv("COLUMNS", "80")
        # Nothing of what is shown if it takes long, as on a busy machine.
        terminal.setattr("arena.cli.display.long_work.QUIET_S", 3600.0)
        terminal.setattr("results.reports.status.datetime", THEN)
        done = arena_here(*shlex.split(command), cwd=folder)
    said = f"{done.stdout}[standard error]\n{done.stderr}" if done.stderr else done.stdout
    return _lasting(
        f"$ arena {command}\n{said}[exit code {done.returncode}]\n".replace(str(folder), "FOLDER")
    )


def _lasting(text: str) -> str:
    """Return a text without what changes from one run to the next."""
    return _CHANGES.sub("…", re.sub(rf"{_TODAY} \d\d:\d\d", "TODAY", text))


def helps() -> Iterator[str]:
    """Yield the command that prints the help of each command and group."""

    def of(command: object, path: str) -> Iterator[str]:
        yield f"{path} --help".strip()
        names = command.list_commands(None) if hasattr(command, "list_commands") else ()
        for name in names:
            yield from of(command.get_command(None, name), f"{path} {name}".strip())  # type: ignore[attr-defined]

    yield from of(typer.main.get_command(app), "")


class _Text(HTMLParser):
    """The text of a page with where its links and forms lead: a line for each element that has any."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._within = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._within += tag in ("script", "style", "svg")
        kept = [
            f"{name}={value}"
            for name, value in attrs
            if name
            in ("href", "action", "name", "type", "min", "max", "maxlength", "pattern", "alt", "title")
            or (name == "value" and ("name", "csrf") not in attrs and ("name", "form_id") not in attrs)
        ]
        if tag in (
            "a",
            "form",
            "input",
            "select",
            "option",
            "textarea",
            "button",
            "img",
            "title",
            "h1",
            "h2",
        ):
            self.lines.append(f"<{' '.join([tag, *kept])}>")

    def handle_endtag(self, tag: str) -> None:
        self._within -= tag in ("script", "style", "svg")

    def handle_data(self, data: str) -> None:
        text = " ".join(data.split())
        if text and not self._within:
            self.lines.append(text)


def text_of(html: str) -> str:
    """Return a page as text."""
    page = _Text()
    page.feed(html)
    return _lasting("".join(f"{re.sub(r'/static/[^/]*/', '/static/…/', line)}\n" for line in page.lines))


def pages(store: Path) -> Iterator[tuple[str, str]]:
    """Yield the address and the text of pages of every kind, as a visitor and as an organiser see them."""
    site = Site.of(store)
    for who, client in (("visitor", browser(site)), ("organiser", member(site, "olga", "organiser")[0])):
        waiting, seen = deque(["/", "/sign-in"]), {"/", "/sign-in"}
        kinds: Counter[str] = Counter()
        while waiting:
            address = waiting.popleft()
            kind = kind_of(address)
            if kinds[kind] >= _MOST_OF_KIND:
                continue
            kinds[kind] += 1
            answer = client.get(address)
            is_page = answer.headers.get("content-type", "").startswith("text/html")
            yield (
                f"{who} {address}",
                f"{answer.status_code}\n{text_of(answer.text) if is_page else answer.text}",
            )
            for link in page_read(answer.text).links if is_page else ():
                to = link.partition("#")[0]
                if to.startswith("/") and not urlsplit(to).path.startswith("/static/") and to not in seen:
                    seen.add(to)
                    waiting.append(to)
    site.close()


def everything(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of all that is shown of the store in a folder."""
    for command in (*COMMANDS, *helps()):
        yield f"arena {command}", shown(folder, command)
    with pytest.MonkeyPatch.context() as site:
        site.setattr("results.reports.status.datetime", THEN)
        yield from pages(folder / "arena.sqlite")


def main(packed: Path, target: Path) -> None:
    """Write a file for each command and page into a folder, which is made."""
    os.environ["TZ"] = "UTC"
    target.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        unpacked(packed, Path(folder))
        for name, text in everything(Path(folder)):
            (target / re.sub(r"[^\w.@=-]+", "_", name)[:200]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
