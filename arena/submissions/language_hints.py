"""The language that a bot is written in, as far as its command and files show it, and how things are done in it."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from arena.sandbox.runtimes import unversioned
from arena.submissions.kept_files import sources_folder, versions_folder
from results.records import VersionRecord
from results.store import Store

KITS: Final = frozenset({"arena_kit.py", "arena_kit.js", "arena_kit.h", "arena_kit.rs", "arena_kit.go"})
"""Files of the kits: they don't show what a bot itself is written in."""


@dataclass(frozen=True, slots=True)
class Language:
    """How the messages of the protocol are written in one language."""

    name: str
    programs: frozenset[str]
    """Names of programs that run or build it, without version numbers."""
    suffixes: frozenset[str]
    flush: str
    """How to write a line at once."""
    log: str
    """How to write to standard error."""
    json: str
    """How to make a line of JSON."""
    utf8: str = ""
    """How to write UTF-8, where that isn't the rule."""


def _language(name: str, programs: str, suffixes: str, *how: str) -> Language:
    return Language(name, frozenset(programs.split()), frozenset(suffixes.split()), *how)


LANGUAGES: Final = (
    _language(
        "C++",
        "g++ c++ clang++",
        ".cpp .cc .cxx",
        "std::cout << line << std::endl",
        "std::cerr << text",
        "no std::endl before the message is complete",
    ),
    _language(
        "C",
        "gcc cc clang tcc",
        ".c",
        "fflush(stdout) after each line",
        "fprintf(stderr, …)",
        'only one "\\n", at the end of the message',
    ),
    _language(
        "Go",
        "go",
        ".go",
        "Flush() on a bufio.Writer after each line",
        "fmt.Fprintln(os.Stderr, text)",
        "json.Marshal(message), not MarshalIndent",
    ),
    _language(
        "Rust",
        "rustc cargo",
        ".rs",
        "io::stdout().flush() after each line",
        "eprintln!(…)",
        "serde_json::to_string(&message), not to_string_pretty",
    ),
    _language(
        "Kotlin",
        "kotlin kotlinc",
        ".kt .kts",
        "System.out.flush() after each line",
        "System.err.println(text)",
        "no pretty printing",
        'System.setOut(PrintStream(FileOutputStream(FileDescriptor.out), true, "UTF-8"))',
    ),
    _language(
        "Java",
        "java javac",
        ".java .jar .class",
        "System.out.flush() after each line",
        "System.err.println(text)",
        "no pretty printing",
        'System.setOut(new PrintStream(new FileOutputStream(FileDescriptor.out), true, "UTF-8"))',
    ),
    _language(
        "C#",
        "dotnet mono mcs csc",
        ".cs .dll",
        "Console.Out.Flush() after each line",
        "Console.Error.WriteLine(text)",
        "JsonSerializer.Serialize(message), without WriteIndented",
        "Console.OutputEncoding = new UTF8Encoding(false)",
    ),
    _language(
        "Python",
        "python pypy",
        ".py",
        "print(line, flush=True)",
        "print(text, file=sys.stderr)",
        "json.dumps(message), without indent",
        'sys.stdout.reconfigure(encoding="utf-8")',
    ),
    _language(
        "JavaScript",
        "node nodejs deno bun",
        ".js .mjs .cjs .ts",
        'process.stdout.write(line + "\\n")',
        "console.error(text)",
        "JSON.stringify(message), without a third argument",
    ),
    _language(
        "Ruby",
        "ruby",
        ".rb",
        "$stdout.sync = true at the beginning",
        "warn(text)",
        "JSON.generate(message), not pretty_generate",
    ),
    _language(
        "Perl",
        "perl",
        ".pl",
        "$| = 1 at the beginning",
        "print STDERR $text",
        "JSON::PP->new->encode($message), without pretty",
    ),
    _language(
        "PHP",
        "php",
        ".php",
        "fflush(STDOUT) after each line",
        "fwrite(STDERR, $text)",
        "json_encode($message)",
    ),
    _language(
        "Lua",
        "lua luajit",
        ".lua",
        "io.stdout:flush() after each line",
        "io.stderr:write(text)",
        "the whole message in one io.write",
    ),
    _language("jq", "jq", ".jq", "jq --unbuffered", "debug", "jq -c"),
    _language("sed", "sed", ".sed", "sed -u", "w /dev/stderr", "the whole message in one line"),
    _language(
        "awk",
        "awk gawk mawk",
        ".awk",
        "fflush() after each print",
        'print text > "/dev/stderr"',
        "one printf",
    ),
    _language(
        "a shell script",
        "sh bash dash zsh",
        ".sh",
        "echo writes at once, but programs in a pipe don't: jq --unbuffered, sed -u, grep --line-buffered",
        'echo "$text" >&2',
        "jq -c, or one printf",
    ),
)
"""Those that are told apart: compiled ones first, as scripts may lie beside them; last the one that starts others."""
SHELL: Final = LANGUAGES[-1]
_COMPILERS: Final = {
    ".c": "cc -O2 -o {program} {sources}",
    ".cpp": "c++ -O2 -o {program} {sources}",
    ".cc": "c++ -O2 -o {program} {sources}",
    ".cxx": "c++ -O2 -o {program} {sources}",
    ".go": "go build -o {program} .",
    ".rs": "rustc -O -o {program} {main}",
    ".hs": "ghc -O2 -o {program} {main}",
    ".nim": "nim c -d:release -o:{program} {main}",
    ".zig": "zig build-exe -O ReleaseFast -femit-bin={program} {main}",
    ".swift": "swiftc -O -o {program} {sources}",
    ".d": "dmd -O -of={program} {sources}",
    ".ml": "ocamlopt -o {program} {main}",
    ".pas": "fpc -O2 -o{program} {main}",
    ".f90": "gfortran -O2 -o {program} {sources}",
    ".java": "javac -d classes {sources}",
    ".kt": "kotlinc {sources} -include-runtime -d {program}.jar",
    ".cs": "mcs -out:{program}.exe {sources}",
}
"""How a program is compiled from its sources, by their suffix.

`main` is the source with the name of the program or `main`, or the first.
"""
_STARTS: Final = {
    ".java": "java -cp classes {stem}",
    ".kt": "java -jar {program}.jar",
    ".cs": "mono {program}.exe",
}
"""How it is started if the compiler makes no program of its own; `stem` is the name of `main` without its suffix."""
_TEST: Final = re.compile(r"^test_|_test\.")
"""In the name of a file with tests, which is no part of the program."""
_MOST_SOURCES: Final = 6
"""With more sources, a Makefile names them better than bot.toml."""


def language_of(
    command: Sequence[str], files: Iterable[str] = (), build: Sequence[str] = ()
) -> Language | None:
    """Return the language of a bot; None if its command, its build and the names of its files don't show it.

    `files` are paths in its folder; those in subfolders are left out. A shell script counts only for a bot that has no
    program in another language.
    """
    names = [name for name in files if "/" not in name and name not in KITS]
    programs = {unversioned(PurePosixPath(word).name) for word in (*command[:1], *build[:1])}
    suffixes = {PurePosixPath(word).suffix for word in command}
    by_name = [one for one in LANGUAGES if one.programs & programs or one.suffixes & suffixes]
    by_name += [one for one in LANGUAGES if one.suffixes & {PurePosixPath(name).suffix for name in names}]
    return next((one for one in by_name if one is not SHELL), by_name[0] if by_name else None)


def how_to_compile(program: str, files: Iterable[str]) -> str:
    """Return how a bot's program can be compiled, for a hint; empty if none of its files is a source of one.

    `program` and `files` are paths in the bot's folder. Sources in subfolders are left out.
    """
    names = sorted(name for name in files if "/" not in name and not _TEST.search(name))
    suffix = next((one for one in _COMPILERS if any(name.endswith(one) for name in names)), None)
    if suffix is None:
        has_rules = "Makefile" in names
        return 'Makefile is here: run make, or add build = ["make"] to bot.toml' if has_rules else ""
    sources = [name for name in names if name.endswith(suffix)]
    own = [name for name in sources if name not in KITS] or sources
    stems = (PurePosixPath(program).stem, "main")
    main = next((name for name in own if PurePosixPath(name).stem in stems), own[0])
    if len(sources) > _MOST_SOURCES and "{sources}" in _COMPILERS[suffix]:
        return f'{main} is here: compile it, or add a Makefile, and build = ["make"] to bot.toml'
    words = {"program": program, "main": main, "stem": PurePosixPath(main).stem}
    lines = {"build": _COMPILERS[suffix], "command": _STARTS.get(suffix, "")}
    toml = [f"{key} = {_array(line, sources, words)}" for key, line in lines.items() if line]
    return f"{main} is here: compile it, or add {' and '.join(toml)} to bot.toml"


def _array(line: str, sources: Sequence[str], words: Mapping[str, str]) -> str:
    parts = [sources if word == "{sources}" else [word.format_map(words)] for word in line.split()]
    return json.dumps([word for part in parts for word in part], ensure_ascii=False)


def language_of_version(store: Store, version: VersionRecord | None) -> Language | None:
    """Return the language of a version; None if nothing shows it, as if its files are not next to the store."""
    if version is None:
        return None
    folders = [
        versions_folder(store) / version.sha256,
        sources_folder(store) / version.build.get("source", "-"),
    ]
    names = [path.name for folder in folders if folder.is_dir() for path in folder.iterdir()]
    return language_of(version.manifest.get("command", ()), names, version.manifest.get("build", ()))
