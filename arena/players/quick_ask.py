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
from arena.players.channel import READ_BYTES, Channel
from arena.players.exchange import QUIET_MS, STANDSTILL_NS, go_on
from arena.players.loose_bots import LATE_NS
from arena.players.process import BotProcess
from protocol import codec
from protocol.errors import MalformedLine
from protocol.messages import Ask, Limits, Move

QUIET_NS = QUIET_MS * NS_PER_MS


def ask(process: BotProcess, message: Ask, limit_ns: int, limits: Limits) -> Reply | Fault:
    """Ask one bot for one decision and return its answer, or its fault.

    Raises EndedFromOutside if something outside the sandbox killed it, and LineTooLong.
    """
    channel, watch = process.channel, process.watch
    if is_unusual(channel, limit_ns):
        return bot_decision.ask(process, message, limit_ns, limits)
    line = codec.encode(message, limits.line_bytes)
    if watch.begin_quick_turn(channel.clock_ns()) and watch.pondered():
        return bot_decision.ask(process, message, limit_ns, limits)

    unsent, read = line, b""
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
            reply = judged(process, message, limit_ns, limits, since_ns, read, True)
            if reply is not None:
                return reply

    question = Question(process, message, limit_ns, limits)
    question.take_over(unsent, since_ns, read)
    go_on([question])
    return question.result()


def is_unusual(channel: Channel, limit_ns: int) -> object:
    """Return whether the general code should ask: something has arrived, somebody listens, or the limit is short."""
    return (
        limit_ns <= QUIET_NS
        or channel.inbox
        or channel.stdout_ended
        or channel.tap is not None
        or channel.witness is not None
        or channel.waits(0)
    )


def judged(
    process: BotProcess,
    message: Ask,
    limit_ns: int,
    limits: Limits,
    since_ns: int,
    read: bytes,
    may_run_on: bool,
) -> Reply | None:
    """Count what has just been `read` from a bot; if it is the answer, in one line and in time, return the reply.

    Ends the bot's turn then. `may_run_on` is whether it may be frozen late.
    """
    channel, watch = process.channel, process.watch
    answered_ns = channel.clock_ns()
    channel.read_bytes += len(read)
    if read.find(b"\n") != len(read) - 1 or len(read) > channel.line_bytes:
        return None
    try:
        answer = codec.decode(read[:-1], limits.line_bytes, limits.depth, limits.note_chars)
    except MalformedLine:
        return None
    taken_ns = answered_ns - since_ns
    if (
        type(answer) is not Move
        or answer.id != message.id
        or taken_ns > limit_ns
        or taken_ns > STANDSTILL_NS
        or channel.read_bytes > limits.output_bytes
    ):
        return None
    cpu_ns = watch.end_turn(answered_ns, quick=may_run_on and taken_ns <= LATE_NS)
    if answered_ns >= watch.memory_due_ns:
        process.evidence.heard()
        if watch.memory_excess():
            return None
    process.asked = message.id
    return Reply(answer.move, answer.note, taken_ns, cpu_ns)
