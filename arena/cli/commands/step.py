"""`arena step`: put the questions of a stored game to a bot, decision by decision."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from msgspec import to_builtins

from arena import registry
from arena.cli.base import options
from arena.cli.base.confinement import confined, confined_builder
from arena.cli.base.open_store import reading, reading_if_there
from arena.cli.base.stored_names import chosen_seats, find_game, seats_in_words
from arena.cli.display.message_text import cut, decision_words, message_lines
from arena.cli.terminal.consoles import console, write_line
from arena.cli.terminal.messages import BOT_FAILED, DIFFERENT, answer, answer_json, say, say_error, write_file
from arena.config.league_file import LeagueFile
from arena.config.toml import TomlBounds, read_text
from arena.conversation.bot_replay import (
    NotReady,
    SandboxedBot,
    Step,
    steps_of,
)
from arena.conversation.message_file import Searched, searches, told_in
from arena.conversation.narration import Conversation, Question
from arena.conversation.rebuild import conversation
from arena.core.errors import UsageError
from arena.core.game import AnyGame
from arena.core.replay import canonical
from arena.league.deal_again import with_bot
from arena.league.definition.bot_arguments import check_plays
from arena.league.definition.bots_of_commands import read_bots, staged_bots
from arena.league.definition.stored import file_of
from arena.league.stored_games import FoundGame, find, read
from arena.sandbox.bot_program import game_files, stage_engine
from arena.submissions.manifest import read_manifest
from arena.submissions.read_source import kit_source
from arena.submissions.staging import staging_beside
from protocol import codec
from protocol.messages import STARTUP_MS, SUPPORTED, Hello
from results.base.permissions import make_folder
from results.base.text import counted, json_text
from results.store import Store

WIDEST = 110
MESSAGES = TomlBounds("a file of messages", file_bytes=64 * 1024 * 1024, items=0)
LOG_LINES = 10
GOES_ON = (
    "after a different answer, the stored game continues: the bot is told what happened then, not what its own move "
    "would have led to"
)


def step(
    game: Annotated[str, typer.Argument(metavar="GAME|FILE")],
    as_bot: Annotated[str, typer.Option("--as", metavar="BOT")],
    bot: Annotated[str | None, typer.Option("--bot", "-b")] = None,
    seat: options.Seat = None,
    first: Annotated[int | None, typer.Option("--from", min=0)] = None,
    until: Annotated[int | None, typer.Option(min=0)] = None,
    save: Annotated[Path | None, typer.Option(metavar="FOLDER")] = None,
    search: Annotated[float | None, typer.Option(min=0.001, max=3600, metavar="SECONDS")] = None,
    full: options.Full = False,
    as_json: Annotated[bool, typer.Option("--json")] = False,
    sandbox: options.Sandbox = "auto",
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Put the questions of a stored game, or of a file, to a bot, and compare its answers.

    A game is hidden until its match is finished. The bot is told nothing but what that seat was sent. Exits with 6 if
    an answer differs, and with 3 if the bot fails.

    Options:
        first: Show every decision from this one on; in a terminal, wait for Enter after each.
        until: Stop after this decision.
        save: Don't start the bot; write all that it is told to this folder, and say how you start it with that in a
            debugger.
        search: Show also what a search finds in so many seconds for each decision shown: the search of `arena_engine`,
            which knows what the seat knew.
        as_json: Print a JSON object for each decision.
        game: {options.GAME_HELP} Or a file with the messages that a bot was sent, a line each, such as `arena trace
            --json` prints.
        as_bot: The bot to ask: {options.ANY_BOT}.
        bot: Whose seat to take, {options.ENTRY}.
    """
    file = Path(game) if game.endswith((".json", ".jsonl")) or Path(game).is_file() else None
    with ExitStack() as held:
        staging = held.enter_context(staging_beside(store))
        with reading(store) if file is None else reading_if_there(store) as opened:
            if opened is None or file is not None:
                put = _of_file(Path(game), bot, seat)
            else:
                put = _of_store(opened, find(opened, *find_game(opened, game)), bot, seat)
            if first is not None and first > put.last:
                raise UsageError(f"{put.name} has no decision {first}", f"choose --from 0 to {put.last}")
            bots = read_bots(store, opened, [as_bot], Path())
            check_plays(as_bot, bots[0].games, put.game.info.name)
            for sentence in put.told.unknown:
                say(sentence)
            if save is not None:
                _save(save, as_bot, put.game, put.told)
                return
            _, builder = confined_builder(store, sandbox)
            (staged,) = staged_bots(store, opened, bots, staging, builder)
        shown = _Shown(put, first, until, search, full=full, as_json=as_json)
        if not as_json:
            answer(f"{put.name}, seat {put.told.seat}{put.label}, answered by {as_bot}")
        startup_ms = put.league.clock.startup_ms if put.league else STARTUP_MS
        with_bot(staged.program, confined(store, sandbox, put.league), put.game, startup_ms, shown.feed)
    shown.end()


@dataclass(frozen=True)
class _Put:
    """The questions to put to a bot, and where they are from."""

    name: str
    game: AnyGame
    told: Conversation
    last: int
    """The number of the last decision."""
    label: str = ""
    """Who sat there, with a space before it."""
    league: LeagueFile | None = None
    is_stored: bool = True


def _of_store(opened: Store, found: FoundGame, bot: str | None, seat: int | None) -> _Put:
    """Return the questions of a stored game."""
    chosen = chosen_seats(opened, found, bot, seat)
    if len(chosen) != 1:
        raise UsageError(
            f"{found.name} has several seats, and the bot of --as can answer for only one",
            f"choose it with --bot or --seat: {seats_in_words(found)}",
        )
    stored = read(opened, found)
    told = conversation(stored, chosen[0])
    league = file_of(found.league) if found.league.config else None
    label = f" ({found.labels[told.seat]})"
    return _Put(found.name, stored.game, told, found.record.decisions - 1, label, league)


def _of_file(path: Path, bot: str | None, seat: int | None) -> _Put:
    """Return the questions of a file."""
    if bot is not None:
        raise UsageError(f"{path} has no names of bots", "choose the seat with --seat")
    told = told_in(read_text(path, MESSAGES), str(path), seat, registry.game)
    last = len(told.conversation.questions) - 1
    return _Put(str(path), told.game, told.conversation, last, is_stored=False)


class _Shown:
    """Feeds a bot and shows what comes of it."""

    def __init__(
        self,
        put: _Put,
        first: int | None,
        until: int | None,
        seconds: float | None,
        *,
        full: bool,
        as_json: bool,
    ) -> None:
        self.game = put.game
        self.told = put.told
        self._is_stored = put.is_stored
        self._search = None if seconds is None else searches(put.game, put.told, seconds)
        self._first = first
        self._until = until
        self._width = None if full else min(console().width, WIDEST)
        self._as_json = as_json
        self._answered = 0
        self._differ: list[Step] = []
        self._fault = ""

    def feed(self, bot: SandboxedBot) -> None:
        """Feed a bot, and show its answers."""
        try:
            for question, step in steps_of(bot, self.game, self.told, self._until):
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
        if not step.same and (self._is_stored or step.stored is not None):
            self._differ.append(step)
        if step.fault:
            self._fault = f"{decision_words(step.decision, step.ask)}: {step.fault}"
        found = self._search(question) if self._search is not None and is_shown else ()
        if self._as_json:
            if is_shown:
                searched = {} if self._search is None else {"search": to_builtins(found)}
                answer_json({**to_builtins(step), **searched})
            return
        if self._first is not None and is_shown:
            write_line("")
            for line in self._page(question):
                write_line(line)
        if is_shown and (self._first is not None or not step.same or found):
            for line in (*self._answers(step), *self._searched(step, found)):
                write_line(line)
            if self._first is not None and sys.stdout.isatty():
                _wait_for_enter("on to the next decision")

    def _page(self, question: Question) -> Iterator[str]:
        ask = question.ask
        picture = self.game.draw(ask.view, (self._width or WIDEST) - 8)
        yield decision_words(question.decision, ask.id)
        inner = None if self._width is None else self._width - 4
        for line in message_lines(to_builtins(ask), width=inner, picture=picture):
            yield f"    {line}".rstrip()

    def _answers(self, step: Step) -> Iterator[str]:
        forfeit = self.told.forfeit
        then = ""
        if step.stored is not None:
            then = json_text(step.stored)
        elif forfeit is not None and forfeit.decision == step.decision:
            then = f"at fault: {forfeit.verdict}: {forfeit.detail}"
        elif self._is_stored:
            then = "no move; the game ended in this turn"
        now = json_text(step.answered) if step.answered is not None else "no move"
        if step.fault:
            now += f" ({step.fault})"
        room = None if self._width is None else self._width - 12
        mark = ": same" if step.same else ": DIFFERENT" if then else ""
        took = "" if step.ms is None else f", {step.ms:.1f} ms"
        yield f"{decision_words(step.decision, step.ask)}, {cut(step.kind, 40)}{mark}{took}"
        if step.same or not then:
            yield f"    answer: {cut(now, room)}"
        else:
            yield f"    stored: {cut(then, room)}"
            yield f"    now:    {cut(now, room)}"

    def _searched(self, step: Step, found: Sequence[Searched]) -> Iterator[str]:
        """Yield what the search found, and by how much the bot's move and the stored one are behind."""
        if not found:
            return
        best, room = found[0], None if self._width is None else self._width - 12
        yield f"    search: {cut(json_text(best.move), room)}"
        yield f"            {best.lead:+.1f}{_error(best)} points ahead of the others, in {best.worlds:,} worlds"
        moves = {
            "answer": step.answered,
            **({} if step.same or step.stored is None else {"stored": step.stored}),
        }
        for whose, move in moves.items():
            own = next((one for one in found if canonical(one.move) == canonical(move)), None)
            if own is best:
                yield f"            {whose}: the same"
            elif own is not None:
                yield f"            {whose}: {own.behind:.1f}{_error(own)} worse, in {own.worlds:,} worlds"
            elif move is not None:
                yield f"            {whose}: not among the moves that it tried"

    def end(self) -> None:
        """Print the result; exit with its code."""
        total = len(self.told.questions)
        if not self._as_json:
            if not self._differ and not any(question.answer for question in self.told.questions):
                answer(counted(self._answered, "answer"))
            elif not self._differ:
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


def _error(one: Searched) -> str:
    return "" if one.error is None else f" ± {one.error:.1f}"


def _save(folder: Path, named: str, game: AnyGame, told: Conversation) -> None:
    """Write what a bot should be told in a game to a folder, and say how to start it with that in a debugger."""
    if not Path(named).is_dir():
        raise UsageError(
            f"--save is for a bot that you start yourself, and {named} is no folder", "name its folder"
        )
    if folder.absolute() == Path(named).absolute():
        raise UsageError(f"{folder} is the folder of the bot", "name another folder for its messages")
    lines = [codec.encode(Hello(protocols=list(SUPPORTED)))]
    lines += [line for speaker, line in told.lines() if speaker == "arena"]
    messages = folder.absolute() / "messages.jsonl"
    try:
        make_folder(folder.absolute())
    except OSError as error:
        raise UsageError(f"{folder} can't be made: {error.strerror}", "name another folder") from None
    write_file(messages, b"".join(lines), force=True)
    manifest = read_manifest(Path(named))
    say(f"wrote {counted(len(lines), 'message')}; start the bot with them:")
    say(f"  cd {shlex.quote(str(Path(named).absolute()))}")
    where = [shlex.quote(str(messages.parent))]
    if manifest.engine:
        engine = messages.with_name("engine")
        if not engine.exists():
            stage_engine(engine, game_files(type(game).__module__, registry.distribution_of(game)))
        where.append(shlex.quote(str(engine)))
    finds = f"PYTHONPATH={':'.join(where)} "
    if manifest.kit:
        write_file(messages.with_name("arena_kit.py"), kit_source(), force=True)
        say("  a bot with the Python kit, in the debugger (breakpoint() works, too):")
        variables = f"ARENA_KIT_LINES={shlex.quote(str(messages))} {finds}PYTHONHASHSEED=0"
        say(f"    {variables} {shlex.join(_in_debugger(manifest.command))}")
    say("  any bot:")
    is_python = manifest.kit or manifest.engine
    say(f"    {finds if is_python else ''}{shlex.join(manifest.command)} < {shlex.quote(str(messages))}")


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
