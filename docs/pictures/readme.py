"""Records the README's picture: runs the command in a terminal of 80 columns, and draws what it showed as an SVG.

Usage: python docs/pictures/readme.py (needs the dependency group `pictures`; tests/docs/test_pictures.py says when it
is due)
"""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pyte

IMAGES = Path(__file__).parents[1] / "images"
COMMAND = ("arena", "demo")
WIDTH, HEIGHT = 80, 24
EVERY_S = 0.5
"""Shortest time between two frames that are kept."""
MOST_FRAMES = 16
FRAME_S, LAST_S = 0.7, 6.0
"""How long a frame shows, and the last one."""

CELL, LINE, SIZE, PAD = 8.4, 19, 14, 16
FONTS = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
COLOURS = {
    "default": "#c9d1d9", "black": "#6e7681", "red": "#ff7b72", "green": "#56d364", "brown": "#e3b341",
    "blue": "#79c0ff", "magenta": "#d2a8ff", "cyan": "#76e3ea", "white": "#f0f6fc",
}  # fmt: skip


class Run(NamedTuple):
    """Characters of one row that look alike."""

    column: int
    text: str
    colour: str
    is_bold: bool


Row = tuple[Run, ...]
Frame = tuple[Row, ...]


def record(command: Sequence[str], folder: Path) -> list[Frame]:
    """Run a command in a terminal; return what its screen showed at most every half a second, the end last.

    Raises ChildProcessError if it fails.
    """
    arena = Path(sys.executable).parent / command[0]
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
    variables = os.environ | {"TERM": "xterm-256color", "COLUMNS": str(WIDTH), "LINES": str(HEIGHT)}
    path = f"{arena.parent}{os.pathsep}{os.environ['PATH']}"
    process = subprocess.Popen(
        [arena, *command[1:]],
        cwd=folder,
        env=variables | {"PATH": path},
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    screen = pyte.Screen(WIDTH, HEIGHT)
    stream = pyte.ByteStream(screen)
    stream.feed(f"\x1b[1m$\x1b[0m {' '.join(command)}\r\n".encode())
    frames = [rows_of(screen)]
    kept_s = 0.0
    while text := _read(leader):
        stream.feed(text)
        if time.monotonic() - kept_s >= EVERY_S and (frame := rows_of(screen)) != frames[-1]:
            frames.append(frame)
            kept_s = time.monotonic()
    os.close(leader)
    if code := process.wait():
        raise ChildProcessError(f"{' '.join(command)} exits with {code}")
    return [*frames, rows_of(screen)]


def _read(leader: int) -> bytes:
    """Return what a terminal was given next; nothing after its end."""
    select.select([leader], [], [])
    try:
        return os.read(leader, 65_536)
    except OSError:  # the last process has closed it
        return b""


def rows_of(screen: pyte.Screen) -> Frame:
    """Return what a screen shows."""
    return tuple(tuple(_runs(screen.buffer[number])) for number in range(screen.lines))


def _runs(cells: Mapping[int, pyte.screens.Char]) -> Iterator[Run]:
    column = 0
    looks = ((cells[at].data, cells[at].fg, cells[at].bold) for at in range(WIDTH))
    for (colour, is_bold), alike in groupby(looks, key=lambda cell: cell[1:]):
        text = "".join(data for data, *_ in alike)
        if text.strip():
            room = len(text) - len(text.lstrip())
            yield Run(column + room, text.strip(), colour, is_bold)
        column += len(text)


def drawing(frames: Sequence[Frame], title: str) -> str:
    """Return frames as an SVG, one after the other, the last one for some seconds."""
    places = {
        row: f"r{number}" for number, row in enumerate({row: None for frame in frames for row in frame})
    }
    length_s = FRAME_S * (len(frames) - 1) + LAST_S
    shown = 100 * FRAME_S / length_s
    width, height = round(CELL * WIDTH + 2 * PAD), LINE * HEIGHT + 2 * PAD
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
        f"<title>{escape(title)}</title>",
        "<style>",
        f"text{{font:{SIZE}px {FONTS};white-space:pre}}",
        f".f{{visibility:hidden;animation:f {length_s:.1f}s steps(1) infinite}}",
        f"@keyframes f{{0%{{visibility:visible}}{shown:.3f}%{{visibility:hidden}}}}",
        f"@keyframes l{{0%{{visibility:visible}}{100 * LAST_S / length_s:.3f}%{{visibility:hidden}}}}",
        ".l{animation-name:l}",
        "@media(prefers-reduced-motion:reduce){.f{animation:none}.l{visibility:visible}}",
        *(f".{name}{{fill:{colour}}}" for name, colour in COLOURS.items()),
        ".b{font-weight:bold}",
        "</style>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>',
        "<defs>",
        *(f'<g id="{name}">{_text(row)}</g>' for row, name in places.items() if row),
        "</defs>",
    ]
    for number, frame in enumerate(frames):
        kind = "f l" if number == len(frames) - 1 else "f"
        lines.append(f'<g class="{kind}" style="animation-delay:{number * FRAME_S:.1f}s">')
        lines += [
            f'<use href="#{places[row]}" x="{PAD}" y="{PAD + LINE * (at + 1) - 5}"/>'
            for at, row in enumerate(frame)
            if row
        ]
        lines.append("</g>")
    return "\n".join([*lines, "</svg>", ""])


def _text(row: Row) -> str:
    return "".join(
        f'<text class="{run.colour if run.colour in COLOURS else "default"}{" b" if run.is_bold else ""}" '
        f'x="{run.column * CELL:.1f}" textLength="{len(run.text) * CELL:.1f}">{escape(run.text)}</text>'
        for run in row
    )


def main() -> None:
    """Record the demo."""
    with tempfile.TemporaryDirectory() as folder:
        frames = record(COMMAND, Path(folder))
    *running, last = frames
    step = max(1, len(running) / (MOST_FRAMES - 1))
    some = [running[int(number * step)] for number in range(min(len(running), MOST_FRAMES - 1))]
    picture = drawing([*some, last], "A league running, and its rankings")
    (IMAGES / "league.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
