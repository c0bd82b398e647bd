"""Why a seat of a finished game forfeited or lost: one page each, as plain data."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct, to_builtins

from arena import registry
from arena.conversation.narration import Conversation, Log, LogLine, Question, SeatLog, log_lines
from arena.conversation.rebuild import StoredGame, conversation
from arena.core.errors import ArenaError
from arena.core.foresight import no_stage
from arena.core.replay import steps
from arena.league.stored_games import FoundGame, find, log_of, read
from arena.submissions.bot_languages import Language, language_of_version
from arena.submissions.fault_advice import advice
from protocol.verdicts import Verdict
from results.base.text import counted
from results.records.query_rows import FinishedGame
from results.store import Store

MOST_SWINGS = 3
LOG_LINES = 20
LOG_LINES_OF_LOSS = 5
"""Lines at the end of a log that a page shows, of a fault and of a loss."""

MEANINGS = {
    Verdict.STARTUP: "it did not start, shake hands or get ready in time",
    Verdict.TIMEOUT: "no answer came within the time for the move, the bank and the margin",
    Verdict.CRASH: "its process ended, or closed its output, during its turn",
    Verdict.ILLEGAL: "the rules don't allow the move that it answered",
    Verdict.MALFORMED: "it wrote a line that is not a message of the protocol",
    Verdict.OUTPUT: "it wrote more output in one game than allowed",
    Verdict.MEMORY: "it used more memory than allowed",
    Verdict.PONDERING: "it used CPU time during the turns of others, or between games",
    Verdict.RESIGNED: "a person resigned or left the table",
}


class Swing(Struct, frozen=True):
    """A turn in which a seat lost ground to the best of the others."""

    decision: int
    own_decision: int | None
    own_ask: int | None
    """The last decision that the seat was asked for up to then, and its ask; None if there was none."""
    lost: int | float
    """By how much its lead over the best of the others fell."""
    events: tuple[str, ...]
    """What the seat saw of the turn, in words."""


class Page(Struct, frozen=True):
    """Why one seat of one game forfeited or lost."""

    game: str
    table: tuple[str, ...]
    played: str
    """The game and its ruleset."""
    seat: int
    bot: str
    version: str
    """AUTHOR/BOT@NUMBER of the version that played; empty for a person."""
    rank: int
    score: int | float
    others: tuple[tuple[str, int, int | float], ...]
    """Name, rank and score of the other seats, best first."""
    verdict: str | None
    """None if it lost without a fault."""
    meaning: str
    """The verdict in words; empty without a fault."""
    detail: str
    """The verdict with the value and the limit, as the author is told it."""
    advice: str
    """What to do about it; empty if there is nothing to say."""
    language: str
    """What the bot is written in; empty if its files don't show it."""
    decision: int | None
    ask: int | None
    """The decision of the fault; `ask` is None if it wasn't in a decision."""
    question: dict[str, Any] | None
    """The message of that decision; None if there was none."""
    picture: str
    """The `view` in it, as the game draws it."""
    was_sent: bool
    """Whether the bot was sent it; not if its fault was found just before."""
    wrote: str
    """What it wrote instead of a legal move, shortened; empty if nothing, or if it isn't stored."""
    wrote_is_known: bool
    """Whether `wrote` is stored at all."""
    taken_ms: float | None
    """How long its answer took; None if there was none."""
    decisions: int
    mean_ms: float
    max_ms: float
    """Number of its decisions, their mean and longest time."""
    bank_ms: int | None
    """Left in its bank at that decision, or at its last one; None if it had none."""
    log: tuple[LogLine, ...]
    """The end of its log."""
    log_lines: int
    """How many lines are kept in all."""
    swings: tuple[Swing, ...]
    """Biggest swings against it, worst first; only without a fault."""
    unknown: tuple[str, ...]
    """What isn't known of the question, a sentence each."""


def seats_to_explain(found: FoundGame) -> list[int]:
    """Return the seats at fault, or else those of the last rank, unless all share the first."""
    seats = found.record.seats
    at_fault = [seat.seat for seat in seats if seat.verdict is not None]
    last = max(seat.rank for seat in seats)
    return at_fault or [seat.seat for seat in seats if seat.rank == last > 1]


def pages(store: Store, found: FoundGame, seats: Sequence[int], width: int = 80) -> list[Page]:
    """Return a page for each seat. Raises ReplayNotKept, RulesMissing and CorruptReplay."""
    stored = read(store, found)
    return [_page(store, found, stored, seat, width) for seat in seats]


def _page(store: Store, found: FoundGame, stored: StoredGame, seat: int, width: int) -> Page:
    record = found.record.seats[seat]
    talk = conversation(stored, seat)
    question = _question_of(talk)
    lines = log_lines(log_of(store, found, seat), talk)
    last = question or (talk.questions[-1] if talk.questions else None)
    verdict = None if record.verdict is None else str(record.verdict)
    text = "\n".join(line.text for line in lines)
    language = language_of_version(store, found.entries[seat].version)
    return Page(
        game=found.name,
        table=found.labels,
        played=f"{stored.game.info.title} · {stored.body['ruleset']} · {counted(len(found.labels), 'player')}",
        seat=seat,
        bot=found.labels[seat],
        version=found.versions[seat],
        rank=record.rank,
        score=record.score,
        others=tuple(
            (found.labels[other.seat], other.rank, other.score)
            for other in sorted(found.record.seats, key=lambda one: one.rank)
            if other.seat != seat
        ),
        verdict=verdict,
        meaning="" if record.verdict is None else MEANINGS.get(record.verdict, ""),
        detail=record.detail,
        advice=_advice(found, seat, language, text, question),
        language=language.name if language else "",
        decision=record.at_decision,
        ask=question.ask.id if question else None,
        question=to_builtins(question.ask) if question else None,
        picture=stored.game.draw(question.ask.view, width) if question else "",
        was_sent=question.was_sent if question else False,
        wrote=question.wrote if question else "",
        wrote_is_known="refused" in stored.timing,
        taken_ms=None if question is None or question.wall_ns is None else question.wall_ns / 1e6,
        decisions=record.decisions,
        mean_ms=record.wall_ns / max(1, record.decisions) / 1e6,
        max_ms=record.max_wall_ns / 1e6,
        bank_ms=last.ask.time.bank_ms if last else None,
        log=tuple(lines[-(LOG_LINES if verdict else LOG_LINES_OF_LOSS) :]),
        log_lines=len(lines),
        swings=() if verdict else swings(stored, talk),
        unknown=talk.unknown,
    )


def _advice(
    found: FoundGame, seat: int, language: Language | None, log: str, question: Question | None
) -> str:
    """Return what the author of a bot can do about its fault; empty if there was none, or nothing to say."""
    version = found.entries[seat].version
    kit = version is not None and bool(version.manifest.get("kit"))
    record, asked = found.record.seats[seat], "ask" if question else ""
    ask = to_builtins(question.ask) if question else None
    return advice(record.reason, log, language, kit=kit, asked=asked, ask=ask, verdict=record.verdict)


def _question_of(talk: Conversation) -> Question | None:
    """Return the question that a seat was at fault in; None if there was no fault, or not in a decision."""
    forfeit = talk.forfeit
    if forfeit is None or not talk.questions:
        return None
    last = talk.questions[-1]
    return last if last.decision == forfeit.decision and last.answer is None else None


def swings(stored: StoredGame, talk: Conversation, most: int = MOST_SWINGS) -> tuple[Swing, ...]:
    """Return the turns in which a seat lost most ground to the best other, if scores tell; worst first."""
    game, seat = stored.game, talk.seat
    played = [step for step in steps(game, stored.body) if step.moves]
    leads = [lead(game.scores(played[0].state), seat)] if played else []
    leads += [lead(game.scores(step.after), seat) for step in played]
    found = []
    for step, (before, after) in zip(played, pairwise(leads), strict=True):
        if after < before:
            own = next((one for one in reversed(talk.questions) if one.decision <= step.decision), None)
            words = (game.describe(event.seen_by(seat)) for event in step.events)
            seen = tuple(word for word in words if word)
            number, ask = (own.decision, own.ask.id) if own else (None, None)
            (lost,) = game.info.points([before - after])
            found.append(Swing(step.decision, number, ask, lost, seen))
    if len(found) == 1 and found[0].decision == played[-1].decision:
        return ()
    return tuple(sorted(found, key=lambda swing: -swing.lost)[:most])


def lead(scores: Sequence[int], seat: int) -> int:
    """Return by how much a seat is ahead of the best of the others; below 0: behind."""
    return scores[seat] - max(score for other, score in enumerate(scores) if other != seat)


def points_by_hand(store: Store, game: FinishedGame) -> list[tuple[float, ...]]:
    """Return the points of each seat by hand or round, in order; none if the game can't be read."""
    league = store.leagues.get(game.league)
    try:
        stored = read(store, find(store, league, game.match_no, game.rotation))
        rules, stage = stored.game, getattr(stored.game, "stage", no_stage)
        ends: dict[int, tuple[int, ...]] = {}  # scores once so many hands are scored
        with registry.blaming("game", rules.info.name, rules):
            for step in steps(rules, stored.body):
                ends.setdefault(stage(step.after), rules.scores(step.after))
    except ArenaError:
        return []
    points = rules.info.points
    return [points([now - was for was, now in zip(*both, strict=True)]) for both in pairwise(ends.values())]


def game_log(store: Store, found: FoundGame, seats: Sequence[int]) -> Log:
    """Return what the bots at some seats wrote in a stored game."""
    stored, unknown = None, ""
    try:
        stored = read(store, found)
    except ArenaError as error:  # without the replay, a log is still a log
        unknown = str(error)
    logs = []
    for seat in seats:
        kept = log_of(store, found, seat)
        try:
            told = conversation(stored, seat) if stored is not None else None
        except ArenaError as error:
            told, unknown = None, str(error)
        kept_bytes = len(kept.head) + len(kept.tail)
        lines = tuple(log_lines(kept, told))
        logs.append(SeatLog(seat, found.labels[seat], lines, kept_bytes, kept.dropped_bytes))
    return Log(found.name, tuple(logs), unknown)
