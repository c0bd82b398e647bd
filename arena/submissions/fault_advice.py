"""What an author can do about a fault: by its reason, the bot's language and its log."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from arena.submissions.bot_languages import Language, languages
from protocol.verdicts import Reason, Verdict

_OURS: Final = {
    "arena_kit": "set `kit = true` in bot.toml, and Arena puts arena_kit.py next to the program",
    "arena_engine": "set `engine = true` in bot.toml, and Arena puts arena_engine where the program finds it",
    "arena": "set `engine = true` in bot.toml to import arena.core and arena.games",
}
_MODULE: Final = re.compile(r"^ModuleNotFoundError: No module named '([\w.]+)'", re.MULTILINE)
_PACKAGE: Final = re.compile(
    r"^Error(?: \[ERR_MODULE_NOT_FOUND\])?: Cannot find (?:module|package) '([^'\n]+)'"
    r"|cannot load such file -- (\S+)"
    r"|^Can't locate (\S+) in @INC"
    r"|^Error: Could not find or load main class (\S+)",
    re.MULTILINE,
)
_FILE: Final = re.compile(
    r"^FileNotFoundError: .*?: '([^'\n]+)'|^Error: ENOENT: .*?'([^'\n]+)'", re.MULTILINE
)
_LIBRARY: Final = re.compile(r"error while loading shared libraries: ([^\s:]+)")
_COMMAND: Final = re.compile(r"(\S+): (?:command )?not found$", re.MULTILINE)
_TRACE: Final = re.compile(
    r"^(?:Traceback \(most|panic: |thread '.*' panicked|Exception in thread|Unhandled exception|\s+at |\s+from )",
    re.MULTILINE,
)
"""Begins what Python, Go, Rust, Java, C#, JavaScript and Ruby write about an error that nothing caught."""
_SYNTAX: Final = ("SyntaxError", "IndentationError", "TabError", "syntax error", "ParseError")
_FORMS: Final = {
    "hello": '{"type":"hello","protocol":1}',
    "start": '{"type":"ready"}',
    "ask": '{"type":"move","id":…,"move":…}',
}


def answer_form(asked: str, number: object = None) -> str:
    """Return how to answer a message: `hello`, `start` or `ask`; `number` is the id of the ask, if known."""
    form = _FORMS.get(asked, _FORMS["ask"])
    return (
        f"answer `{asked or 'ask'}` with {form.replace('…', str(number), 1) if type(number) is int else form}"
    )


def advice(
    reason: Reason | None,
    log: str = "",
    language: Language | None = None,
    *,
    kit: bool = False,
    asked: str = "",
    ask: Mapping[str, Any] | None = None,
    verdict: Verdict | str | None = None,
) -> str:
    """Return what an author can do about a fault; empty if there is nothing to say.

    `log` is what the bot wrote to standard error, `kit` is true if it uses the Python kit. `asked` is the type of the
    message that it failed on, if known, and `ask` that message if it was an ask.
    """
    ask = ask or {}
    if verdict == Verdict.ILLEGAL:
        return _legal_answer(ask)
    if reason in ENDED:
        return _of_end(reason, log, language, kit=kit, asked=asked)
    if reason in SILENT:
        return _of_silence(reason, language, kit=kit, asked=asked)
    return "" if reason is None else _of_line(reason, language, answer_form(asked, ask.get("id")))


SILENT: Final = frozenset(
    {Reason.COMPUTING, Reason.BUSY_MACHINE, Reason.IDLE, Reason.UNREAD, Reason.LATE}
    | {Reason.READING, Reason.STUCK}
)
"""Reasons of a bot that hasn't answered in time."""
ENDED: Final = frozenset(
    {Reason.NOT_EXECUTABLE, Reason.NO_INTERPRETER, Reason.WRONG_FORMAT}
    | {Reason.EXITED, Reason.FAILED, Reason.NOT_FOUND, Reason.KILLED, Reason.CRASHED, Reason.CLOSED}
)
"""Reasons of a bot whose program doesn't run any more, or doesn't listen."""


def _legal_answer(ask: Mapping[str, Any]) -> str:
    """Return how to answer an ask with a legal move, with some of those if the ask is known."""
    legal = ask.get("legal")
    if isinstance(legal, list):
        shown = [msgspec.json.encode(move).decode() for move in legal[:4]]
        more = f", … ({len(legal)} in all)" if len(legal) > len(shown) else ""
        return f"answer with one of `legal`, unchanged: {', '.join(shown)}{more}"
    if "example" in ask:
        return f"build the move like `example`: {msgspec.json.encode(ask['example']).decode()[:200]}"
    return (
        "answer with one of `legal`, unchanged; if an ask has no `legal`, build the move like its `example`"
    )


def flush(language: Language | None) -> str:
    """Return the question whether a bot flushes its output, with how to do that."""
    how = "" if language is None else f" In {language.name}: {language.flush}"
    return f"does it flush each line it writes?{how}"


def _of_silence(reason: Reason, language: Language | None, *, kit: bool, asked: str) -> str:
    if reason is Reason.BUSY_MACHINE:
        return (
            "the bot may be fine: try again when less runs on this machine. If that changes nothing, is there an "
            "endless loop?"
        )
    if reason is Reason.UNREAD:
        return "read each message as it comes: its input is full"
    if reason is Reason.STUCK:
        return "look for a lock that is never released, or a child process that is never answered"
    if reason is Reason.READING:
        answers = f"does it answer {f'`{asked}`' if asked else 'each message that asks for an answer'}?"
        return answers if kit else f"{answers} If so, {flush(language)}"
    if reason is Reason.LATE:
        return "it thinks for too long: each ask says in `time` how long it may take"
    if reason is Reason.COMPUTING:
        return {
            "hello": "is there an endless loop before it reads messages, or does it prepare for too long?",
            "start": "is there an endless loop? If it only prepares for long, do that before the first message",
        }.get(asked, "is there an endless loop? If it only thinks for long, watch `time`")
    waits = "it may sleep, or wait for something other than its input"
    return waits if kit else f"{flush(language)}; or {waits}"


_OF_LINE: Final = {
    Reason.TEXT: "write debug text to standard error{log}. Standard output is for messages of the protocol only",
    Reason.BEGUN_MESSAGE: "a message is one line{json}",
    Reason.WITHOUT_QUOTES: "write JSON, not an object as the language prints it{json}",
    Reason.TRAILING_COMMA: "JSON has no comma before a closing bracket{json}",
    Reason.NOT_A_NUMBER: "JSON has neither NaN nor Infinity: write a number, or null",
    Reason.SEVERAL_MESSAGES: "write one message in a line, and nothing else",
    Reason.EMPTY_LINE: "end each message with one newline only, and write no empty lines",
    Reason.NOT_UTF8: "write UTF-8{utf8}",
    Reason.LONG_LINE: "end each message with a newline",
    Reason.NO_OBJECT: "each line must be one JSON object: {form}",
    Reason.WRONG_ID: "repeat the `id` of the ask: ids increase, but not by one; {form}",
    Reason.BAD_JSON: "write JSON that every program reads alike{json}",
}
"""Advice about a line that is no answer, by its reason; `form` is the answer that was due, `log`, `json` and `utf8` say
how that is done in the bot's language."""


def _of_line(reason: Reason, language: Language | None, form: str) -> str:
    """Return the advice about a line that is no answer; for any other reason, the answer that was due."""
    given = {way: getattr(language, way, "") for way in ("log", "json", "utf8")}
    ways = {way: f"; in {language.name}: {how}" if language and how else "" for way, how in given.items()}
    return _OF_LINE.get(reason, "{form}").format(form=form, **ways)


def _of_end(reason: Reason, log: str, language: Language | None, *, kit: bool, asked: str) -> str:
    if told := _missing(log):
        return told
    match reason:
        case Reason.NOT_EXECUTABLE:
            return "make it executable (chmod +x); in an archive, keep that mode"
        case Reason.NO_INTERPRETER:
            return (
                "is the interpreter in its first line there? If it is compiled, it was linked for another system: "
                "link it statically, or have it built here (`build` in bot.toml)"
            )
        case Reason.WRONG_FORMAT:
            return (
                "it isn't a program for this kind of machine: have it built here (`build` in bot.toml); a script needs "
                "a first line such as #!/bin/sh"
            )
        case Reason.EXITED if kit and asked in ("", "hello"):
            return "is `run(choose)` at the end of the program?"
        case Reason.EXITED:
            return "the program ended by itself: go on reading messages until `quit`"
        case Reason.KILLED:
            return "did it use too much memory?"
        case Reason.CRASHED:
            return "it crashed in native code: run it in a debugger with the last message as its input"
        case Reason.CLOSED:
            return "keep standard input and output open until `quit`"
    if any(word in log for word in _SYNTAX):
        return "correct the syntax; the log shows the line"
    if language is languages()[-1]:
        return "a command of the script failed; the log shows which" if log.strip() else _SAY_WHY
    if _TRACE.search(log):
        return "the traceback is in the log: correct the program"
    return "the end of the log may say why" if log.strip() else _SAY_WHY


_SAY_WHY: Final = "write the reason to standard error before exiting with a code"


def _missing(log: str) -> str:
    """Return what to do about a module, a package, a file, a library or a command that isn't there."""
    if modules := _MODULE.findall(log):
        name = modules[-1].partition(".")[0]
        return _OURS.get(
            name,
            f"`python3` has the standard library and no packages: put {name} into the bot's folder, or ask the "
            "organiser for a Python that has it (docs/writing-a-bot.md, Packages)",
        )
    if found := _FILE.search(log):
        return (
            f"{found[1] or found[2]} is not there: a bot sees only the files in its folder, and runs in a copy of it; "
            "put the file there, and open it by a path relative to the folder"
        )
    if found := _PACKAGE.search(log):
        name = next(filter(None, found.groups()))
        return f"{name} is not there: a bot has only the files in its folder, so put it there"
    if found := _LIBRARY.search(log):
        return (
            f"the library {found[1]} is not there: link the program statically, or have it built here (`build` in "
            "bot.toml)"
        )
    if found := _COMMAND.search(log):
        return f"{found[1]} is not installed here; `arena doctor` lists what bots may start"
    return ""
