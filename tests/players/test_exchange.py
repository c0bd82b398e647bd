"""Lines over pipes and the wait for them, without a bot: this test holds the other ends, and the clock."""

import gc
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

import pytest

from arena.players.channel import Channel
from arena.players.exchange import Exchange, run
from results.base.clock import NS_PER_MS

FOREVER_NS = 10**15 * NS_PER_MS


@dataclass
class Pipes:
    """A channel and the bot's ends of its pipes."""

    now_ns: int = 0
    step_ns: int = 0
    """How far each look at the clock moves it."""
    channel: Channel = field(init=False)

    def __post_init__(self) -> None:
        self.bot_stdin, stdin = os.pipe()
        stdout, self.bot_stdout = os.pipe()
        stderr, self.bot_stderr = os.pipe()
        self.channel = Channel(stdin, stdout, stderr, clock_ns=self.clock_ns)

    def clock_ns(self) -> int:
        self.now_ns += self.step_ns
        return self.now_ns

    def say(self, data: bytes) -> None:
        os.write(self.bot_stdout, data)

    def hang_up(self, *names: str) -> None:
        for name in names or ("bot_stdin", "bot_stdout", "bot_stderr"):
            if getattr(self, name) >= 0:
                os.close(getattr(self, name))
                setattr(self, name, -1)


@pytest.fixture
def pipes() -> Iterator[Callable[[], Pipes]]:
    made: list[Pipes] = []

    def make() -> Pipes:
        made.append(Pipes())
        return made[-1]

    yield make
    for one in made:
        one.hang_up()
        one.channel.close()


class Listening(Exchange):
    """Is answered by the line `yes`; keeps all it hears."""

    def __init__(self, pipes: Pipes, line: bytes = b"ask\n", limit_ns: int = FOREVER_NS) -> None:
        super().__init__(pipes.channel, line, limit_ns)
        self.heard: list[bytes] = []

    def hear(self, line: bytes) -> bool:
        self.heard.append(line)
        return line == b"yes"


Make = Callable[[], Pipes]


def test_a_line_there_and_a_line_back(pipes: Make) -> None:
    bot = pipes()
    exchange = Listening(bot)
    bot.say(b"yes\n")
    run([exchange])
    assert exchange.over
    assert exchange.failure == ""
    assert os.read(bot.bot_stdin, 100) == b"ask\n"
    assert bot.channel.read_bytes == 4


def test_lines_that_answer_nothing_are_heard_in_order(pipes: Make) -> None:
    bot = pipes()
    exchange = Listening(bot)
    bot.say(b"no\n\nperhaps\nyes\nlater\nha")
    run([exchange])
    assert exchange.heard == [b"no", b"", b"perhaps", b"yes"]
    assert bytes(bot.channel.inbox) == b"later\nha", "what comes after is for whoever asks next"


def test_the_time_is_taken_from_before_the_write_to_the_newline(pipes: Make) -> None:
    bot = pipes()
    bot.now_ns = 1_000
    exchange = Listening(bot)
    bot.step_ns = 10
    bot.say(b"yes\n")
    run([exchange])
    assert exchange.since_ns == 1_010, "at the first look after it began: before the write"
    assert exchange.answered_ns > exchange.since_ns


@pytest.mark.parametrize("at_once", [True, False])
def test_what_has_come_by_the_deadline_is_looked_at_once_more(pipes: Make, at_once: bool) -> None:
    bot = pipes()
    exchange = Listening(bot, limit_ns=5 * NS_PER_MS)
    bot.step_ns = 100 * NS_PER_MS
    if at_once:
        bot.say(b"yes\n")
    run([exchange])
    assert exchange.failure == ("" if at_once else "timeout")
    assert exchange.answered_ns - exchange.since_ns > exchange.limit_ns or not at_once, (
        "and is late by the clock"
    )


class Standstill(Pipes):
    """Stands still at one look at the clock, for longer than any limit here."""

    looks = 0
    at = 0

    def clock_ns(self) -> int:
        self.looks += 1
        if self.looks == self.at:
            self.now_ns += 10**6 * NS_PER_MS
        return super().clock_ns()


@pytest.mark.parametrize("at", range(1, 7))
@pytest.mark.parametrize("answers", [True, False])
def test_a_standstill_of_this_process_costs_a_bot_no_time(at: int, answers: bool) -> None:
    bot = Standstill(step_ns=NS_PER_MS)
    try:
        exchange = Listening(bot, limit_ns=10 * NS_PER_MS)
        bot.looks, bot.at = 0, at
        if answers:
            bot.say(b"yes\n")
        run([exchange])
        assert exchange.failure == ("" if answers else "timeout")
        if answers:
            assert 0 <= exchange.answered_ns - exchange.since_ns <= exchange.limit_ns
        assert bot.looks > at or answers, "it waits on after it stood still"
    finally:
        bot.hang_up()
        bot.channel.close()


def test_a_deadline_passes(pipes: Make) -> None:
    bot = pipes()
    exchange = Listening(bot, limit_ns=5 * NS_PER_MS)
    bot.say(b"ye")
    bot.step_ns = NS_PER_MS
    run([exchange])
    assert exchange.failure == "timeout"


def test_lines_of_just_the_limit_pass_and_longer_ones_do_not(pipes: Make) -> None:
    for length, failure in ((8, ""), (9, "overlong")):
        for pieces in (1, 2):
            bot = pipes()
            bot.channel.line_bytes = 8
            exchange = Listening(bot)
            text = b"x" * (length - 1) + b"\n"
            for piece in (text,) if pieces == 1 else (text[:4], text[4:]):
                bot.say(piece)
            bot.say(b"yes\n" if not failure else b"")
            run([exchange])
            assert exchange.failure == failure
            assert exchange.heard == ([text[:-1], b"yes"] if not failure else [])


def test_an_endless_line_is_not_read_to_its_end(pipes: Make) -> None:
    bot = pipes()
    exchange = Listening(bot)

    def flood() -> None:
        try:
            while True:
                bot.say(b"x" * 4096)
        except OSError:
            pass

    flooding = Thread(target=flood)
    flooding.start()
    run([exchange])
    assert exchange.failure == "overlong"
    assert len(bot.channel.inbox) <= 3 * 65_536
    bot.channel.close()
    flooding.join()


def test_an_end_of_output_ends_the_wait(pipes: Make) -> None:
    bot = pipes()
    exchange = Listening(bot)
    bot.say(b"no\nye")
    bot.hang_up("bot_stdout")
    run([exchange])
    assert exchange.failure == "ended"
    assert exchange.heard == [b"no"]
    again = Listening(bot)
    run([again])
    assert again.failure == "ended", "and the next one does not even begin"
    assert os.read(bot.bot_stdin, 100) == b"ask\n"


def test_an_answer_before_the_end_of_output_counts(pipes: Make) -> None:
    bot = pipes()
    exchange = Listening(bot)
    bot.say(b"yes\n")
    bot.hang_up("bot_stdout")
    run([exchange])
    assert exchange.failure == ""


def test_a_closed_input_is_told_apart(pipes: Make) -> None:
    bot = pipes()
    bot.hang_up("bot_stdin")
    exchange = Listening(bot)
    run([exchange])
    assert exchange.failure == "deaf"
    assert not bot.channel.is_usable


def test_an_input_that_is_closed_in_the_middle_of_a_line(pipes: Make) -> None:
    bot = pipes()
    exchange = Listening(bot, b"x" * 1_000_000 + b"\n")

    def read_some_and_leave() -> None:
        os.read(bot.bot_stdin, 100)
        bot.hang_up("bot_stdin")

    reading = Thread(target=read_some_and_leave)
    reading.start()
    run([exchange])
    reading.join()
    assert exchange.failure == "deaf"


def test_a_line_larger_than_the_pipe_is_written_as_it_is_read(pipes: Make) -> None:
    bot = pipes()
    line = bytes(range(1, 10)) * 50_000 + b"\n"
    exchange = Listening(bot, line)
    got = bytearray()

    def read_and_answer() -> None:
        while not got.endswith(b"\n"):
            got.extend(os.read(bot.bot_stdin, 10_000))
        bot.say(b"yes\n")

    reading = Thread(target=read_and_answer)
    reading.start()
    run([exchange])
    reading.join()
    assert exchange.failure == ""
    assert bytes(got) == line


def test_a_line_that_is_not_read_is_not_waited_for_for_ever(pipes: Make) -> None:
    bot = pipes()
    exchange = Listening(bot, b"x" * 1_000_000, limit_ns=3 * NS_PER_MS)
    bot.step_ns = NS_PER_MS
    run([exchange])
    assert exchange.failure == "unread"
    assert exchange.unsent


def test_an_end_of_output_is_seen_while_writing(pipes: Make) -> None:
    bot = pipes()
    exchange = Listening(bot, b"x" * 1_000_000)
    bot.hang_up("bot_stdout")
    run([exchange])
    assert exchange.failure == "ended"


def test_the_log_is_drained_while_waiting(pipes: Make) -> None:
    bot = pipes()
    exchange = Listening(bot)

    def log_and_answer() -> None:
        for _ in range(100):
            os.write(bot.bot_stderr, b"y" * 10_000)
        bot.say(b"yes\n")

    logging = Thread(target=log_and_answer)
    logging.start()
    run([exchange])
    logging.join()
    bot.channel.drain_log()
    log = bot.channel.log.take()
    assert len(log.head) + len(log.tail) + log.dropped_bytes == 1_000_000


def test_a_closed_log_is_watched_no_longer(pipes: Make) -> None:
    bot = pipes()
    bot.hang_up("bot_stderr")
    exchange = Listening(bot, limit_ns=3 * NS_PER_MS)
    bot.step_ns = NS_PER_MS
    run([exchange])
    assert exchange.failure == "timeout"
    assert bot.channel.stderr_ended
    assert bot.channel.waits(0) == []
    bot.say(b"yes\n")
    again = Listening(bot)
    run([again])
    assert again.failure == ""


def test_several_are_asked_before_any_is_waited_for(pipes: Make) -> None:
    bots = [pipes() for _ in range(4)]
    order: list[int] = []

    def answer_backwards() -> None:
        for number in (3, 1, 0, 2):
            for bot in bots:
                assert bot.channel.line_bytes
            os.read(bots[number].bot_stdin, 100)
            order.append(number)
            bots[number].say(b"no\nyes\n")

    answering = Thread(target=answer_backwards)
    exchanges = [Listening(bot) for bot in bots]
    answering.start()
    run(exchanges)
    answering.join()
    assert order == [3, 1, 0, 2]
    assert [exchange.failure for exchange in exchanges] == [""] * 4
    assert [exchange.heard for exchange in exchanges] == [[b"no", b"yes"]] * 4


def test_one_of_several_fails_alone(pipes: Make) -> None:
    bots = [pipes() for _ in range(4)]
    exchanges = [Listening(bot) for bot in bots]
    bots[0].say(b"yes\n")
    bots[1].hang_up("bot_stdout")
    bots[2].hang_up("bot_stdin")
    exchanges[3] = Listening(bots[3], limit_ns=0)
    run(exchanges)
    assert [exchange.failure for exchange in exchanges] == ["", "ended", "deaf", "timeout"]


def test_one_that_is_over_is_not_begun(pipes: Make) -> None:
    bot, other = pipes(), pipes()
    over = Listening(bot)
    over.fail("overlong")
    exchange = Listening(other)
    other.say(b"yes\n")
    run([over])
    run([over, exchange])
    assert over.unsent == b"ask\n"
    assert (over.failure, exchange.failure) == ("overlong", "")


def test_a_channel_closes_what_it_has_once(pipes: Make) -> None:
    gc.collect()  # what other tests left open
    before = len(list(Path("/proc/self/fd").iterdir()))
    bot = pipes()
    os.write(bot.bot_stderr, b"last words")
    bot.hang_up()
    bot.channel.close()
    bot.channel.close()
    assert bot.channel.log.take().head == b"last words"
    assert len(list(Path("/proc/self/fd").iterdir())) <= before
