"""Checks a bot's command before anything is started, and explains what would fail."""

import platform
import posixpath
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path

from arena.core.errors import UsageError
from arena.sandbox.runtimes import (
    PATH,
    PYTHON_NAMES,
    Found,
    Origin,
    Runtimes,
    is_system,
    names_own_file,
    own_path,
)
from arena.submissions.bot_languages import how_to_compile
from arena.submissions.folder import LEFT_OUT, File
from arena.submissions.manifest import BotToml, one_word_each
from results.base.text import visible

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LONGEST_LINE = 256
"""Number of characters read of an interpreter line; no system reads more."""
_INTERPRETERS = {".py": "python3", ".js": "node", ".mjs": "node", ".sh": "sh", ".rb": "ruby", ".pl": "perl"}
_MACHINES = {
    3: "32-bit x86",
    8: "MIPS",
    21: "PowerPC",
    40: "32-bit ARM",
    62: "x86_64",
    183: "aarch64",
    243: "RISC-V",
}
"""Processors by their number in ELF files."""
_SYSTEMS = {b"MZ": "Windows", b"\xcf\xfa\xed\xfe": "macOS", b"\xca\xfe\xba\xbe": "macOS, or a class of Java"}
"""What other programs begin with."""
_WITH_VALUE = ("-W", "-X")
"""Options of Python whose value is the next word."""
_MOST_FILES = 5
"""Number of files that a hint lists."""


def check_command(bot: BotToml, files: Iterable[File], runtimes: Runtimes) -> None:
    """Raise BadFile, naming bot.toml and the line, if what the bot starts can't be started on this machine.

    `files` are the files of the bot's folder, which holds bot.toml. Of a bot that is built, this checks the build, and
    as much of the command as doesn't depend on what is built.
    """
    files = tuple(files)
    if not bot.manifest.build:
        _check(bot, "command", bot.manifest.command, files, runtimes)
        return
    _check(bot, "build", bot.manifest.build, files, runtimes)
    name = bot.manifest.command[0]
    with _at(bot, "command"):
        if names_own_file(name):
            own_path(name)
        else:
            _find(bot, "command", name, runtimes)


def check_built(bot: BotToml, files: Iterable[File], runtimes: Runtimes) -> None:
    """Raise BadFile, naming bot.toml and the line, if the command can't be started; `files` were built."""
    files, command = tuple(files), bot.manifest.command
    with _at(bot, "command"):
        if names_own_file(command[0]):
            path = own_path(command[0])
            if not any(file.path == path for file in files):
                raise UsageError(
                    f"there is no {command[0]!r} after the build",
                    f"the build must put it into the bot's folder; {_files_there(path, [file.path for file in files])}",
                )
            _check_own(command[0], Path(), files)
        else:
            _find(bot, "command", command[0], runtimes)
            if script := _script(command):
                _check_script(script, [file.path for file in files])


def _check(bot: BotToml, key: str, command: Sequence[str], files: Sequence[File], runtimes: Runtimes) -> None:
    """Check one of the commands in a bot.toml against the files of the bot's folder."""
    with _at(bot, key):
        if _find(bot, key, command[0], runtimes, files).origin is Origin.BOT:
            _check_own(command[0], bot.path.parent, files)
        elif script := _script(command):
            _check_script(script, [file.path for file in files])


def _find(
    bot: BotToml, key: str, name: str, runtimes: Runtimes, files: Sequence[File] | None = None
) -> Found:
    """Return the program that a command's first word names, one of these files if the bot's own. Raises UsageError."""
    try:
        if files is not None and names_own_file(name):
            _check_there(name, [file.path for file in files], is_built=key == "command")
        return runtimes.find(name, bot.path.parent)
    except UsageError as error:
        command = bot.manifest.build if key == "build" else bot.manifest.command
        is_line = len(command) == 1 and len(name.split()) > 1
        raise UsageError(str(error), one_word_each(key, name) if is_line else error.advice) from None


@contextmanager
def _at(bot: BotToml, key: str) -> Iterator[None]:
    """Make the errors about a key name the file, the line and the key."""
    with bot.at(key):
        try:
            yield
        except UsageError as error:
            raise UsageError(f"{key}: {error}", error.advice) from None


def _check_there(name: str, paths: Sequence[str], *, is_built: bool) -> None:
    """Raise UsageError if a program is not among the bot's files, with how to compile it if it `is_built`."""
    path = own_path(name)
    if path in paths:
        return
    if LEFT_OUT.intersection(Path(path).parts):
        raise _left_out(name)
    what = f"the command's program {name!r} is not in the bot's folder"
    if is_built and (how := how_to_compile(path, paths)):
        raise UsageError(what, how)
    close = get_close_matches(path, paths, 1)
    meant = f"; did you mean './{close[0]}'?" if close else ""
    raise UsageError(f"{what}{meant}", "paths are relative to the folder that holds bot.toml")


def _check_own(name: str, folder: Path, files: Iterable[File]) -> None:
    """Raise UsageError if the system wouldn't start this one of the bot's files."""
    path = posixpath.normpath(name)
    file = next(file for file in files if file.path == path)
    if not file.executable:
        is_archive = folder.is_file()
        do = f"chmod +x {path}, then make the archive again" if is_archive else f"chmod +x {folder / path}"
        named = f"; or {_name_interpreter(name)}" if Path(name).suffix in _INTERPRETERS else ""
        raise UsageError(f"{name!r} is not executable", f"{do}{named}")
    line = file.content[: _LONGEST_LINE + 1].partition(b"\n")[0]
    if line.startswith(_BYTE_ORDER_MARK + b"#!"):
        raise UsageError(
            f"{name!r} has a byte order mark before its `#!`, so the system does not see an interpreter line",
            "save the file as UTF-8 without a byte order mark",
        )
    if line.startswith(b"#!"):
        _check_interpreter_line(line, name, folder / path)
    elif Path(name).suffix in _INTERPRETERS and Path(name).suffix != ".sh":  # sh starts files of its own kind
        raise UsageError(
            f"the first line of {name!r} does not name an interpreter, such as `#!/usr/bin/env python3`",
            _name_interpreter(name),
        )
    elif made_for := _foreign(file.content):
        raise UsageError(
            f"{name!r} is a program for {made_for}, and this machine runs Linux on {platform.machine()}",
            'compile it for this machine, or have it built here: build = ["make"] in bot.toml',
        )


def _foreign(content: bytes) -> str:
    """Return what a program was compiled for that can't run here; empty if it can, or if it is no program."""
    if content.startswith(b"\x7fELF"):
        number = int.from_bytes(content[18:20], "big" if content[5:6] == b"\x02" else "little")
        own = {"x86_64": 62, "aarch64": 183}.get(platform.machine(), number)
        emulated = any(Path("/proc/sys/fs/binfmt_misc").glob("qemu-*"))
        return (
            ""
            if number in (own, 0) or emulated
            else _MACHINES.get(number, f"another processor (ELF {number})")
        )
    return next((system for start, system in _SYSTEMS.items() if content.startswith(start)), "")


def _script(command: Sequence[str]) -> str | None:
    """Return the word of a command that names the script to run; None if there is none, or it is not certain."""
    words = list(command[1:])
    if Path(command[0]).name in PYTHON_NAMES:
        while words and words[0].startswith("-"):
            option = words.pop(0)
            if option in _WITH_VALUE and words:
                words.pop(0)
            elif option == "-" or (not option.startswith("--") and set(option) & set("cmhV")):
                return None  # code, a module, or standard input
        return words[0] if words else None
    return words[0] if words and Path(words[0]).suffix in _INTERPRETERS else None


def _check_script(script: str, paths: Sequence[str]) -> None:
    """Raise UsageError if a script is not among the bot's files; `paths` are theirs."""
    path = posixpath.normpath(script)
    if script.startswith(("/", "-")) or path == "." or any(f"{one}/".startswith(f"{path}/") for one in paths):
        return
    if LEFT_OUT.intersection(Path(path).parts):
        raise _left_out(script)
    close = get_close_matches(path, paths, 1)
    meant = f"; did you mean {close[0]!r}?" if close else ""
    raise UsageError(f"there is no {script!r} in the bot's folder{meant}", _files_there(path, paths))


def _files_there(path: str, paths: Sequence[str]) -> str:
    """Return the names of some files for a hint, of the same kind as `path` if there are any."""
    shown = [one for one in paths if Path(one).suffix == Path(path).suffix] or list(paths)
    more = ", …" if len(shown) > _MOST_FILES else ""
    return f"files there: {', '.join(shown[:_MOST_FILES])}{more}"


def _left_out(name: str) -> UsageError:
    return UsageError(
        f"{name!r} is not among the bot's files: {', '.join(sorted(LEFT_OUT))} are left out",
        "put it in another place in the bot's folder",
    )


def _check_interpreter_line(line: bytes, name: str, place: Path) -> None:
    text = line.decode(errors="replace")
    if text.endswith("\r"):
        raise UsageError(
            f"the line {_shown(text[:-1])} of {name!r} ends in CR LF, and the system looks for an interpreter "
            "whose name ends in CR",
            f"save the file with LF line ends: sed -i 's/\\r$//' {place}",
        )
    words = text[2:].split()
    if not words:
        raise UsageError(f"the first line of {name!r} names no interpreter", _name_interpreter(name))
    interpreter = Path(words[0])
    if interpreter.is_absolute() and not interpreter.is_file():
        raise UsageError(
            f"the line {_shown(text)} of {name!r} names an interpreter that is not installed here",
            _name_interpreter(name),
        )
    if interpreter.is_absolute() and (".." in interpreter.parts or not is_system(interpreter)):
        raise UsageError(
            f"the line {_shown(text)} of {name!r} names an interpreter that bots can't see",
            _name_interpreter(name),
        )
    if interpreter.name == "env" and len(words) > 1 and words[1].replace("-", "").replace(".", "").isalnum():
        wanted = words[1]
        if not wanted.startswith("-") and shutil.which(wanted, path=PATH) is None:
            raise UsageError(
                f"the line {_shown(text)} of {name!r} names {wanted!r}, which is not in {PATH}",
                _name_interpreter(name),
            )


def _name_interpreter(name: str) -> str:
    interpreter = _INTERPRETERS.get(Path(name).suffix, "python3")
    return f'name the interpreter in bot.toml: command = ["{interpreter}", "{posixpath.normpath(name)}"]'


def _shown(line: str) -> str:
    return f"`{visible(line)}`"
