"""Describes a finished game in lines of text: with all hands, as one seat saw it, or as spectators saw it."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from arena import registry
from arena.cli.display.message_text import seat_names
from arena.conversation.narration import Eyes, event_lines, known_words
from arena.core.game import AnyGame
from arena.core.move_words import drawn, wording_of
from arena.core.replay import Body, Step, sides_in, steps
from results.base.clock import NS_PER_S
from results.base.text import counted, one_line

_GUTTER = 4
"""Columns for the number of a decision."""


def lines_of(body: Body, eyes: Eyes | int, *, boards: bool, width: int) -> Iterator[str]:
    """Yield a game line by line, with the number of each decision before what it led to.

    `eyes` may be the number of a seat, `width` is that of boards, in columns.
    """
    rules = registry.game(body["game"])
    names = names_in(body)
    yield heading_of(rules, body)
    yield ""
    sides = sides_in(rules, body)
    for number, name in enumerate(names):
        partners = [
            other
            for seat, other in enumerate(names)
            if sides and seat != number and sides[seat] == sides[number]
        ]
        person = " (a person)" if is_person(body, number) else ""
        yield f"  seat {number}: {name}{person}{', with ' + ' and '.join(partners) if partners else ''}"
    yield ""
    for number, step in enumerate(steps(rules, body)):
        if boards and step.moves:
            yield from ("", *board_lines(rules, step.state, eyes, names, width), "")
        told = list(step_lines(rules, step, eyes, names))
        if number == 0:
            room = width - _GUTTER - 2
            told += [
                part for line in known_lines(rules, step.after, eyes, names) for part in _broken(line, room)
            ]
        yield from _numbered(told, str(step.decision) if step.moves else "")
    yield ""
    yield from result_lines(body, names)


def screens(body: Body, timing: Mapping[str, Any], eyes: Eyes | int, width: int) -> list[list[str]]:
    """Return what to show of each step of a game: what happened, how long it took, and the table; last the result.

    `eyes` and `width` are as for `lines_of`; `timing` is what the ledger has of the game's times.
    """
    rules, names = registry.game(body["game"]), names_in(body)
    took: dict[int, list[str]] = {}
    for decision, seat, wall_ns, _ in timing["decisions"]:
        took.setdefault(decision, []).append(f"{names[seat]} took {wall_ns / NS_PER_S:.2f} s")
    shown: list[list[str]] = []
    for step in steps(rules, body):
        told = list(step_lines(rules, step, eyes, names))
        told += known_lines(rules, step.after, eyes, names) if not shown else []
        told += took.get(step.decision, ()) if step.moves else ()
        lines = [part for line in told for part in _broken(line, width)]
        board = board_lines(rules, step.after, eyes, names, width)
        shown.append([heading_of(rules, body), "", *lines, "", *board])
    shown[-1] += ["", *result_lines(body, names)]
    return shown


def _numbered(lines: Sequence[str], number: str) -> Iterator[str]:
    """Yield lines with the number of their decision before the first."""
    for place, line in enumerate(lines):
        yield f"{number if place == 0 else '':>{_GUTTER}}  {line}".rstrip()


def _broken(line: str, width: int) -> list[str]:
    """Return a line in parts of at most `width` columns, broken between words; further ones are two columns in."""
    indent = " " * (len(line) - len(line.lstrip()))
    return wrap(
        line.strip(),
        max(width, 40),
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_on_hyphens=False,
    )


def last_lines(body: Body, names: Sequence[str], width: int) -> Iterator[str]:
    """Yield the table at the end of a game, with all hands and all that seats knew, and the result."""
    rules = registry.game(body["game"])
    *_, last = steps(rules, body)
    yield ""
    yield from board_lines(rules, last.after, Eyes.ALL, names, width)
    yield ""
    if known := [line.strip() for line in known_lines(rules, last.after, Eyes.ALL, names)]:
        yield from (*(part for line in known for part in _broken(line, width)), "")
    yield from result_lines(body, names)


def heading_of(rules: AnyGame, body: Body) -> str:
    """Return the title of a game."""
    return f"{rules.info.title} · {body['ruleset']} · {counted(body['seats'], 'player')}"


def names_in(body: Body) -> list[str]:
    """Return the players' names by seat, each different."""
    return seat_names([entry["label"] for entry in body["entries"]])


def is_person(body: Body, seat: int) -> bool:
    """Return whether a person played at a seat."""
    return bool(body["entries"][seat]["version"] == "person")


def result_lines(body: Body, names: Sequence[str]) -> Iterator[str]:
    """Yield the players by rank, with score and verdict."""
    for seat in sorted(range(len(names)), key=lambda number: body["ranks"][number]):
        verdict = f"  ({body['verdicts'][seat]})" if body["verdicts"][seat] else ""
        yield f"  {body['ranks'][seat]}. {names[seat]}: {body['scores'][seat]}{verdict}"


def step_lines(rules: AnyGame, step: Step, eyes: Eyes | int, names: Sequence[str]) -> Iterator[str]:
    """Yield what happened in a turn, and the notes of bots."""
    for event in step.events:
        yield from event_lines(rules, event, eyes, names)
    for move in step.moves:
        if move.get("note"):
            yield f"    ({names[move['seat']]}: {one_line(move['note'])})"


def board_lines(
    rules: AnyGame, state: Any, eyes: Eyes | int, names: Sequence[str], width: int
) -> Iterator[str]:
    """Yield the picture of the table; for `Eyes.ALL`, add what each seat also sees."""
    public = rules.view(state, None)
    yield from drawn(rules, rules.view(state, eyes) if isinstance(eyes, int) else public, width, names)
    if eyes is Eyes.ALL:
        wording = wording_of(rules)
        secrets = [wording.secret(rules.view(state, seat), public) for seat in range(len(names))]
        if any(secrets):
            yield ""
        longest = max(map(len, names))
        for name, secret in zip(names, secrets, strict=True):
            if secret:
                yield from wrap(
                    f"{name + ':':<{longest + 1}} {secret}",
                    max(width, longest + 20),
                    subsequent_indent=" " * (longest + 2),
                )


def known_lines(rules: AnyGame, state: Any, eyes: Eyes | int, names: Sequence[str]) -> Iterator[str]:
    """Yield what seats know that never changes, such as a palate; what all know alike is told once."""
    if eyes is Eyes.PUBLIC:
        return
    seats = range(len(names)) if eyes is Eyes.ALL else (eyes,)
    own, alike = known_words(rules, {seat: rules.private(state, seat) for seat in map(int, seats)}, names)
    for seat, lines in own.items():
        for line in lines:
            yield f"    {names[seat]}: {line}"
    for line in alike:
        yield f"    everybody: {line}"
