"""Why a seat forfeited or lost a game, line by line."""

from collections.abc import Iterator
from textwrap import wrap

from arena.cli.display.message_text import MOST_ITEMS, cut, decision_words, message_lines, seat_names
from arena.core.move_words import with_names
from arena.league.why_lost import Page, Swing
from results.base.text import counted, one_line

WIDEST = 110
"""Columns of text, however wide the terminal is."""


def page_lines(page: Page, width: int | None, at: str, *, is_here: bool = True) -> Iterator[str]:
    """Yield a page line by line. `is_here`: whether the game is in a store of this machine."""
    what = f"forfeited: {page.verdict}" if page.verdict else "lost" if page.rank > 1 else "didn't lose"
    yield cut(f"{page.game} · {page.played}", width)
    yield cut(f"{page.bot} in seat {page.seat} {what} · rank {page.rank}, score {page.score}", width)
    for name, rank, score in page.others:
        yield cut(f"    {rank}. {name}: {score}", width)
    if page.verdict:
        yield ""
        yield from _prose(f"{page.meaning}: {page.detail}" if page.meaning else page.detail, width)
        if page.advice:
            yield from _prose(f"hint: {page.advice}", width)
        if page.verdict == "timeout" and page.version and page.language in ("Python", ""):
            yield from _prose("hint: if a Python program hangs, `arena check` shows the line where", width)
        yield from _question(page, width)
    elif page.swings:
        yield ""
        yield "biggest swings against it:"
        names = seat_names(page.table)
        for swing in page.swings:
            yield f"    −{swing.lost} at {_place(swing)}"
            yield from (cut(f"        {with_names(event, names)}", width) for event in swing.events)
    yield ""
    if page.decisions:
        yield from _times(page, width)
    yield from _log(page, width)
    if not is_here:
        return
    yield ""
    yield "next, with FOLDER for your changed bot:"
    yield from (f"    {command}" for command in _commands(page, at))


def _times(page: Page, width: int | None) -> Iterator[str]:
    bank = "" if page.bank_ms is None else f"; {page.bank_ms:,} ms left in its bank at the last question"
    yield from _prose(
        f"{counted(page.decisions, 'decision')}, {page.mean_ms:.1f} ms on average, {page.max_ms:.1f} ms at most{bank}",
        width,
    )


def _place(swing: Swing) -> str:
    """Return where a swing was: in a decision of the seat itself, or after it."""
    if swing.own_decision is None:
        return decision_words(swing.decision)
    own = f"its {decision_words(swing.own_decision, swing.own_ask)}"
    return own if swing.own_decision == swing.decision else f"{decision_words(swing.decision)}, after {own}"


def _prose(text: str, width: int | None) -> list[str]:
    """Return sentences wrapped to the width."""
    return wrap(one_line(text), width or WIDEST)


def _question(page: Page, width: int | None) -> Iterator[str]:
    if page.question is None or page.decision is None:
        return
    yield ""
    asked = "was asked" if page.was_sent else "was next, but was not sent, as the fault came first:"
    yield f"{decision_words(page.decision, page.ask)} {asked}"
    inner = None if width is None else width - 4
    legal = page.question.get("legal")
    most = len(legal) if width is None and isinstance(legal, list) else MOST_ITEMS
    for line in message_lines(page.question, width=inner, picture=page.picture, most=most):
        yield f"    {line}".rstrip()
    for sentence in page.unknown:
        yield f"    ({sentence})"
    taken = "" if page.taken_ms is None else f" after {page.taken_ms:.1f} ms"
    if page.wrote:
        yield f"it wrote{taken}:"
        yield "    " + cut(page.wrote, inner)
    elif page.wrote_is_known:
        yield f"it wrote nothing{taken}"
    else:
        yield f"what it wrote{taken} isn't stored"


def _log(page: Page, width: int | None) -> Iterator[str]:
    if not page.log:
        if page.verdict:  # it may have said why
            yield "it wrote nothing to its log"
        return
    shown = (
        "its log:"
        if len(page.log) == page.log_lines
        else f"the last {counted(len(page.log), 'line')} of its log:"
    )
    yield shown
    for line in page.log:
        mark = "" if line.decision is None else f"  ← {decision_words(line.decision, line.ask)}"
        yield "    " + cut(line.text, None if width is None else width - 4 - len(mark)) + mark


def _commands(page: Page, at: str) -> Iterator[str]:
    seat = f" --seat {page.seat}"
    worst = page.swings[0].own_decision if page.swings else None
    decision = page.decision if worst is None else worst
    start = f" --from {decision}" if decision else ""
    if page.verdict in ("timeout", "startup") and page.version:
        yield f"arena bots download {page.version} -O FOLDER{at}"
        yield "arena check FOLDER"
    if page.decisions or page.question:
        yield f"arena step {page.game}{seat} --as FOLDER{start}{at}"
    yield f"arena match --like {page.game} {page.seat}=FOLDER{at}"
    yield f"arena replay show {page.game}{seat}{at}"
    if page.log_lines > len(page.log):
        yield f"arena log {page.game}{seat}{at}"
