"""`arena step` and `arena trace`: follow a bot through a game, decision by decision or line by line."""

import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from msgspec import to_builtins
from rich.text import Text

from arena.cli.base import options
from arena.cli.base.confinement import confined, confined_builder
from arena.cli.base.open_store import reading, reading_if_there
from arena.cli.base.stored_names import chosen_seats, find_game, seats_in_words
from arena.cli.display.message_text import cut, decision_words, message_lines
from arena.cli.terminal.consoles import console, write_line
from arena.cli.terminal.messages import BOT_FAILED, DIFFERENT, answer, answer_json, say, say_error
from arena.conversation.narration import Conversation, Question
from arena.conversation.rebuild import StoredGame, conversation
from arena.conversation.stored_positions import (
    FROM_BOT,
    KIT_VARIABLE,
    TO_BOT,
    Answering,
    NotReady,
    PipedBot,
    Step,
    steps_of,
)
from arena.conversation.tracing import TracedLine, Tracer
from arena.core.errors import UsageError
from arena.league.deal_again import with_bot
from arena.league.definition.bot_arguments import check_plays, common_game
from arena.league.definition.match_lineup import StagedBot, read_bots, staged_bots, table_of
from arena.league.definition.stored import file_of
from arena.league.match import deal_of_seed, least_seats, play_match, resolve_match
from arena.league.stored_games import FoundGame, find, read
from arena.submissions.intake import kit_source
from arena.submissions.staging import staging_beside
from protocol.messages import STARTUP_MS
from results.base.isolation_levels import Wanted
from results.base.text import counted, json_text

WIDEST = 110
LOG_LINES = 10
GOES_ON = (
    "after a different answer, the stored game continues: the bot is told what happened then, not what its own move "
    "would have led to"
)


def step(
    game: options.GameName,
    as_bot: Annotated[str, typer.Option("--as", metavar="BOT", help=f"The bot to ask: {options.ANY_BOT}.")],
    bot: Annotated[
        str | None, typer.Option("--bot", "-b", help=f"Whose seat to take, {options.ENTRY}.")
    ] = None,
    seat: options.Seat = None,
    first: Annotated[
        int | None,
        typer.Option(
            "--from",
            min=0,
            help="Show every decision from this one on; in a terminal, wait for Enter after each.",
        ),
    ] = None,
    until: Annotated[int | None, typer.Option(min=0, help="Stop after this decision.")] = None,
    attach: Annotated[
        bool,
        typer.Option(
            "--attach",
            help="Don't start the bot; wait until you have started it in another terminal, in a debugger if you "
            "like. No sandbox, no time limits.",
        ),
    ] = False,
    full: options.Full = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object for each decision.")] = False,
    sandbox: options.Sandbox = "auto",
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Put a stored game's questions to a bot, and compare its answers.

    A game is hidden until its match is finished. The bot is told nothing but what that seat was sent. Exits with 6 if
    an answer differs, and with 3 if the bot fails.
    """
    with ExitStack() as held:
        staging = held.enter_context(staging_beside(store))
        with reading(store) as opened:
            found = find(opened, *find_game(opened, game))
            chosen = chosen_seats(opened, found, bot, seat)
            if len(chosen) != 1:
                raise UsageError(
                    f"{found.name} has several seats, and {as_bot} can answer for only one",
                    f"choose it with --bot or --seat: {seats_in_words(found)}",
                )
            stored = read(opened, found)
            last = found.record.decisions - 1
            if first is not None and first > last:
                raise UsageError(f"{found.name} has no decision {first}", f"choose --from 0 to {last}")
            told = conversation(stored, chosen[0])
            bots = read_bots(store, opened, [as_bot], Path())
            check_plays(as_bot, bots[0].games, stored.game.info.name)
            _, builder = confined_builder(store, sandbox)
            (staged,) = staged_bots(store, opened, bots, staging, builder)
        for sentence in told.unknown:
            say(sentence)
        shown = _Shown(stored, told, first, until, full=full, as_json=as_json)
        if not as_json:
            answer(f"{found.name}, seat {told.seat} ({found.labels[told.seat]}), answered by {as_bot}")
        if attach:
            folder = Path(held.enter_context(TemporaryDirectory(prefix="arena-step-")))
            _attach(folder, as_bot, staged, shown)
        else:
            _in_sandbox(store, sandbox, found, staged, shown)
    shown.end()


class _Shown:
    """Feeds a bot and shows what comes of it."""

    def __init__(
        self,
        stored: StoredGame,
        told: Conversation,
        first: int | None,
        until: int | None,
        *,
        full: bool,
        as_json: bool,
    ) -> None:
        self.stored = stored
        self.told = told
        self._first = first
        self._until = until
        self._width = None if full else min(console().width, WIDEST)
        self._as_json = as_json
        self._answered = 0
        self._differ: list[Step] = []
        self._fault = ""

    def feed(self, bot: Answering) -> None:
        """Feed a bot, and show its answers."""
        try:
            for question, step in steps_of(bot, self.stored.game, self.told, self._until):
                self._show(question, step)
        except NotReady as error:
            self._fault = f"the bot didn't get ready: {error}"
        if self._fault:
            log = bot.log()
            lines = (log.head + log.tail).decode("utf-8", "replace").splitlines()[-LOG_LINES:]
            for line in lines:
                say("    " + cut(line, self._width))

    def _show(self, question: Question, step: Step) -> None:
        self._answered += 1
        is_shown = self._first is None or step.decision >= self._first
        if not step.same:
            self._differ.append(step)
        if step.fault:
            self._fault = f"{decision_words(step.decision, step.ask)}: {step.fault}"
        if self._as_json:
            if is_shown:
                answer_json(step)
            return
        if self._first is not None and is_shown:
            write_line("")
            for line in self._page(question):
                write_line(line)
        if is_shown and (self._first is not None or not step.same):
            for line in self._answers(step):
                write_line(line)
            if self._first is not None and sys.stdout.isatty():
                _wait_for_enter("on to the next decision")

    def _page(self, question: Question) -> Iterator[str]:
        ask = question.ask
        picture = self.stored.game.draw(ask.view, (self._width or WIDEST) - 8)
        yield decision_words(question.decision, ask.id)
        inner = None if self._width is None else self._width - 4
        for line in message_lines(to_builtins(ask), width=inner, picture=picture):
            yield f"    {line}".rstrip()

    def _answers(self, step: Step) -> Iterator[str]:
        forfeit = self.told.forfeit
        if step.stored is not None:
            then = json_text(step.stored)
        elif forfeit is not None and forfeit.decision == step.decision:
            then = f"at fault: {forfeit.verdict}: {forfeit.detail}"
        else:
            then = "no move; the game ended in this turn"
        now = json_text(step.answered) if step.answered is not None else "no move"
        if step.fault:
            now += f" ({step.fault})"
        room = None if self._width is None else self._width - 12
        mark = "same" if step.same else "DIFFERENT"
        took = "" if step.ms is None else f", {step.ms:.1f} ms"
        yield f"{decision_words(step.decision, step.ask)}, {cut(step.kind, 40)}: {mark}{took}"
        if step.same:
            yield f"    answer: {cut(then, room)}"
        else:
            yield f"    stored: {cut(then, room)}"
            yield f"    now:    {cut(now, room)}"

    def end(self) -> None:
        """Print the result; exit with its code."""
        total = len(self.told.questions)
        if not self._as_json:
            if not self._differ:
                answer(f"all {counted(self._answered, 'answer')} are the same")
            else:
                number = decision_words(self._differ[0].decision, self._differ[0].ask)
                verb = "differs" if len(self._differ) == 1 else "differ"
                answer(
                    f"{len(self._differ)} of {counted(self._answered, 'answer')} {verb}, the first at {number}"
                )
                say(GOES_ON)
            if self._answered < total:
                say(f"{counted(total - self._answered, 'later decision')} of the stored game were not asked")
        if self._fault:
            say_error(self._fault)
            raise typer.Exit(BOT_FAILED)
        if self._differ:
            raise typer.Exit(DIFFERENT)


def _in_sandbox(store: Path, sandbox: Wanted, found: FoundGame, staged: StagedBot, shown: _Shown) -> None:
    """Feed a bot that is started here, as in the league of the game."""
    file = file_of(found.league) if found.league.config else None
    startup_ms = file.clock.startup_ms if file else STARTUP_MS
    with_bot(staged.program, confined(store, sandbox, file), shown.stored, startup_ms, shown.feed)


def _attach(folder: Path, named: str, staged: StagedBot, shown: _Shown) -> None:
    """Feed a bot that the user starts."""

    def opened(pids: list[int]) -> None:
        say(f"opened by process {' and '.join(map(str, pids))}" if pids else "they are open")
        _wait_for_enter("begin the game")

    (folder / "arena_kit.py").write_bytes(kit_source())
    bot = PipedBot(folder, opened)
    command = staged.program.command
    place = Path(named) if Path(named).is_dir() else staged.program.folder
    say(f"start the bot in another terminal; it reads and writes named pipes in {folder}")
    say(f"  cd {shlex.quote(str(place.absolute()))}")
    if staged.version.manifest.get("kit"):
        say("  a bot with the Python kit, in the debugger (breakpoint() works, too):")
        variables = f"{KIT_VARIABLE}={folder} PYTHONPATH={folder} PYTHONHASHSEED=0"
        say(f"    {variables} {shlex.join(_in_debugger(command))}")
    say("  any bot:")
    say(f"    {shlex.join(command)} < {folder / TO_BOT} > {folder / FROM_BOT}")
    say("waiting for both pipes to be opened; Ctrl-C to stop")
    try:
        shown.feed(bot)
    finally:
        bot.log()


def _wait_for_enter(what: str) -> None:
    """Wait until a person presses Enter, if there is one; end of input means yes."""
    if sys.stdin.isatty():
        with suppress(EOFError):
            input(f"Enter: {what} ")


def _in_debugger(command: tuple[str, ...]) -> list[str]:
    """Return a Python command with `-m pdb` before the program."""
    words = list(command)
    at = next(
        (number for number, word in enumerate(words) if number and not word.startswith("-")), len(words)
    )
    return [*words[:at], "-m", "pdb", *words[at:]]


MARKS = {"arena": "→", "bot": "←", "log": "·"}
"""Arena's lines go to the bot; the bot's come from it; the log goes beside."""
_STYLES = {"arena": "cyan", "bot": "green", "log": "dim"}


def traced_text(line: TracedLine, width: int | None, *, names_seat: bool) -> Text:
    """Return one line of a trace, at most `width` characters long; None: whole, on one line."""
    start = f"{line.at_ms / 1000:8.3f} s "
    if names_seat:
        start += f"seat {line.seat} "
    start += MARKS[line.speaker] + " "
    if line.decision is not None:
        start += decision_words(line.decision, line.ask) + " "
    end = "" if line.after_ms is None else f"  ({line.after_ms:.1f} ms)"
    if not line.is_whole and line.speaker != "log":
        end += "  (no newline)"
    room = None if width is None else width - len(start) - len(end)
    text = line.text if room is None or len(line.text) <= room else _heart_of(line)
    return Text.assemble(start, (cut(text, room), _STYLES[line.speaker]), end)


def _heart_of(line: TracedLine) -> str:
    """Return what matters of a question or an answer, whose type and id stand before it; other lines whole."""
    if line.decision is None or line.speaker == "log":
        return line.text
    try:
        message = json.loads(line.text)
    except (ValueError, RecursionError):  # a bot may write anything
        return line.text
    match message:
        case {"type": "ask", "kind": kind, "view": view}:
            return f"{kind} {json_text(view)}"
        case {"type": "move", "move": move, "note": str(note)}:
            return f"{json_text(move)} {note}"
        case {"type": "move", "move": move}:
            return json_text(move)
    return line.text


def trace(
    bot: options.AnyBot,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BOT",
            help="A bot for the other seats, named in the same ways; repeat it for several. The last one fills the "
            "remaining seats. Default: the same bot.",
        ),
    ] = None,
    game: options.Game = None,
    ruleset: options.Ruleset = None,
    option: options.RuleOptions = None,
    seats: Annotated[
        int | None, typer.Option(min=2, help="Number of seats; default: the fewest that seat all named bots.")
    ] = None,
    seat: Annotated[int, typer.Option(min=0, help="The seat of the bot, from 0.")] = 0,
    seed: options.Seed = None,
    every_seat: Annotated[
        bool, typer.Option("--every-seat", help="Show the lines of all seats, not only those of the bot.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Show lines in full, however long.")] = False,
    as_json: options.JsonLines = False,
    sandbox: options.Sandbox = "auto",
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Play a new game, and show every line between Arena and a bot.

    The bot's log is shown too, as it is written. Nothing is stored."""
    confinement, builder = confined_builder(store, sandbox)
    with staging_beside(store) as staging:
        with reading_if_there(store) as opened:
            bots = read_bots(store, opened, [bot, *(against or [bot])], Path())
            name = game or common_game([one.games for one in bots])
            number = seats or least_seats(name, ruleset, option or [], 1 + len(against or ()))
            if seat >= number:
                raise typer.BadParameter(
                    f"this table has seats 0 to {number - 1}; --seats sets how many play", param_hint="--seat"
                )
            rules = resolve_match(name, ruleset, option or [], number, None, by_option=seats is not None)
            found = staged_bots(store, opened, bots, staging, builder)
        filled = [*found[1:], *[found[-1]] * number][: number - 1]
        table = table_of([*filled[:seat], found[0], *filled[seat:]])
        out = console()
        width = None if full else out.width

        def show(line: TracedLine) -> None:
            if as_json:
                answer_json(line)
            else:
                out.print(
                    traced_text(line, width, names_seat=every_seat),
                    soft_wrap=full,
                    no_wrap=True,
                    overflow="ignore",
                )

        with Tracer(show, None if every_seat else (seat,)) as tracer:
            played = play_match(rules, table, deal_of_seed(seed), confinement(), tracer)
    failed = False
    for record in played.games[0].seats:
        label = table.players[record.entry_no].label
        mark = " (followed)" if record.seat == seat else ""
        result = f"seat {record.seat}: {label}{mark}, rank {record.rank}, score {record.score}"
        if not as_json:
            answer(result + (f", {record.verdict}" if record.verdict else ""))
        if record.verdict:
            failed |= record.seat == seat
            at = "" if record.at_decision is None else f" at decision {record.at_decision}"
            say_error(f"{label} in seat {record.seat} ({record.verdict}{at}): {record.detail}")
    if seed is None and not as_json:
        say("the deal was random; --seed repeats one")
    if failed:
        raise typer.Exit(BOT_FAILED)
