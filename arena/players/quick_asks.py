"""Asks several bots at once in as few steps as possible, as `quick_ask` asks one.

Nothing has arrived from any of them, each line fits into its pipe, and within `QUIET_MS` one read from each gives its
answer. Bots for which that doesn't hold are left to `bot_decision`, which takes over where this has come to.
"""

import contextlib
import os
import select
from collections.abc import Sequence

from arena.players import bot_decision
from arena.players.base import Fault, Reply
from arena.players.bot_decision import Question
from arena.players.channel import READ_BYTES
from arena.players.exchange import QUIET_MS, go_on
from arena.players.process import BotProcess
from arena.players.quick_ask import QUIET_NS, is_unusual, judged
from protocol import codec
from protocol.messages import Ask, Limits


def ask_all(asks: Sequence[tuple[BotProcess, Ask, int, Limits]]) -> list[Reply | Fault]:
    """Ask bots for simultaneous decisions: send all asks, then wait for all answers. Raises as `quick_ask.ask`.

    Each item is a bot, its ask, its limit in nanoseconds and its limits. The answers are in the same order.
    """
    for process, _, limit_ns, _ in asks:
        if is_unusual(process.channel, limit_ns):
            return bot_decision.ask_all(asks)
    lines = [codec.encode(message, limits.line_bytes) for _, message, _, limits in asks]
    for process, *_ in asks:
        if process.watch.begin_quick_turn(process.channel.clock_ns()) and process.watch.pondered():
            return bot_decision.ask_all(asks)
    asks[0][0].watch.freeze_others()

    poll = select.poll()
    waiting: dict[int, int] = {}
    """The numbers of the bots that still owe an answer, by their standard output."""
    unsent, read = list(lines), [b""] * len(asks)
    since_ns = []
    replies: dict[int, Reply | Fault] = {}
    for number, (process, *_) in enumerate(asks):
        channel = process.channel
        poll.register(channel.stdout, select.POLLIN)
        if not channel.stderr_ended:
            poll.register(channel.stderr, select.POLLIN)
        waiting[channel.stdout] = number
        since_ns.append(channel.clock_ns())
        with contextlib.suppress(OSError):  # the pipe is full or closed
            unsent[number] = lines[number][os.write(channel.stdin, lines[number]) :]
    clock_ns = asks[0][0].channel.clock_ns
    until_ns = clock_ns() + QUIET_NS
    goes_on = not any(unsent)
    while goes_on and waiting and (ready := poll.poll(QUIET_MS)):
        for descriptor, flags in ready:
            if descriptor not in waiting or flags != select.POLLIN:
                goes_on = False  # a log, or an end
                continue
            number = waiting[descriptor]
            process, message, limit_ns, limits = asks[number]
            channel = process.channel
            read[number] = os.read(descriptor, READ_BYTES)
            reply = judged(process, message, limit_ns, limits, since_ns[number], read[number], False)
            if reply is None:
                goes_on = False
                continue
            replies[number] = reply
            del waiting[descriptor]
            poll.unregister(descriptor)
            if not channel.stderr_ended:
                poll.unregister(channel.stderr)
        goes_on = goes_on and clock_ns() < until_ns

    if waiting:
        questions = {number: Question(*asks[number]) for number in waiting.values()}
        for number, question in questions.items():
            question.take_over(unsent[number], since_ns[number], read[number])
        go_on(list(questions.values()))
        replies |= {number: question.result() for number, question in questions.items()}
    return [replies[number] for number in range(len(asks))]
