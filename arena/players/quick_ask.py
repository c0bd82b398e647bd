"""Asks one bot for one decision in as few steps as possible, as most bots of small games answer at once.

This is `bot_decision.ask` written flat for the usual case: nothing has arrived since the last answer, the line fits
into the pipe, and within `QUIET_MS` one read gives one line, the answer. Whatever else happens is left to
`bot_decision`, which takes over where this has come to.
"""

import os
import select

from arena.core.durations import NS_PER_MS
from arena.players import bot_decision
from arena.players.base import Fault, Reply
from arena.players.bot_decision import Question
from arena.players.channel import READ_BYTES
from arena.players.loose_bots import LATE_NS
from arena.players.process import BotProcess
from protocol import codec
from protocol.errors import MalformedLine
from protocol.messages import Ask, Limits, Move

QUIET_MS = 5
"""How long to wait for the answer before the bot counts as thinking, so that its waits for a core matter.

Longer than a tick of most kernels (4 ms): a wait that ends before the next tick needs a timer of its own, and on a
virtual machine setting it and taking it back takes longer than all the rest of a quick ask.
"""
_QUIET_NS = QUIET_MS * NS_PER_MS


def ask(process: BotProcess, message: Ask, limit_ns: int, limits: Limits) -> Reply | Fault:
    """Ask one bot for one decision and return its answer, or its fault.

    Raises EndedFromOutside if something outside the sandbox killed it, and LineTooLong.
    """
    channel, watch = process.channel, process.watch
    if (
        channel.inbox
        or channel.stdout_ended
        or channel.tap is not None
        or channel.witness is not None
        or limit_ns <= _QUIET_NS
        or channel.waits(0)
    ):
        return bot_decision.ask(process, message, limit_ns, limits)
    line = codec.encode(message, limits.line_bytes)
    if watch.begin_quick_turn(channel.clock_ns()) and watch.pondered():
        return bot_decision.ask(process, message, limit_ns, limits)

    question_id, unsent, read = message.id, line, b""
    since_ns = (
        channel.clock_ns()
    )  # before the write: on a single core, the answer may be there when it returns
    try:
        unsent = line[os.write(channel.stdin, line) :]
    except OSError:  # the pipe is full or closed
        unsent = line
    if not unsent:
        ready = channel.waits(QUIET_MS)
        if ready and ready[0] == (channel.stdout, select.POLLIN):
            read = os.read(channel.stdout, READ_BYTES)
            answered_ns = channel.clock_ns()
            channel.read_bytes += len(read)
            answer = _move(read, channel.line_bytes, limits)
            if (
                answer is not None
                and answer.id == question_id
                and answered_ns - since_ns <= limit_ns
                and channel.read_bytes <= limits.output_bytes
            ):
                is_quick = answered_ns - since_ns <= LATE_NS
                cpu_ns = watch.end_turn(answered_ns, quick=is_quick)
                is_due = answered_ns >= watch.memory_due_ns
                if is_due:
                    process.evidence.heard()
                if not is_due or not watch.memory_excess():
                    process.asked = question_id
                    return Reply(answer.move, answer.note, answered_ns - since_ns, cpu_ns)

    question = Question(process, message, limit_ns, limits)
    question.resume(unsent, since_ns, read)
    return question.result()


def _move(read: bytes, line_bytes: int, limits: Limits) -> Move | None:
    """Return the move if that is all that was read, in one line."""
    if read.find(b"\n") != len(read) - 1 or len(read) > line_bytes:
        return None
    try:
        message = codec.decode(read[:-1], limits.line_bytes, limits.depth, limits.note_chars)
    except MalformedLine:
        return None
    return message if type(message) is Move else None
