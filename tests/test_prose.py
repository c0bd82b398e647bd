"""Sentences for people: no code reads them, so rewording breaks nothing, and they use the words of CONTRIBUTING.md.

`make lint` checks the product and its pages with it; the tests here check the rules.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("arena", "plugins", "protocol", "results")
SENTENCES = {"advice", "cause", "detail", "hint", "message", "problem", "said", "what", "why", "words"}
"""How variables and fields with sentences are called."""
ERRORS = SENTENCES | {"error", "failed", "failure", "held", "other", "refused", "refusal"}
"""How errors are called, besides those that an `except` names."""
READS = {
    "count",
    "endswith",
    "find",
    "index",
    "partition",
    "removeprefix",
    "removesuffix",
    "rpartition",
    "split",
}
READS |= {"startswith"}
PATTERNS = {"findall", "finditer", "fullmatch", "match", "search", "split", "sub"}
THEIRS = "the sentence is of {}, which says it in no other way"
REASONS = {
    "arena/checking/explaining.py": "what a bot wrote to standard error",
    "arena/cli/commands/bots.py": "the report of a check, a mapping",
    "arena/cli/app.py": THEIRS.format("click"),
    "arena/config/mistakes.py": THEIRS.format("msgspec"),
    "arena/config/toml.py": THEIRS.format("tomllib"),
    "plugins/cluster/src/arena_cluster/link.py": THEIRS.format("asyncio, for several addresses"),
    "arena/sandbox/machine_shortage.py": THEIRS.format("Python: threads and tempfile"),
    "arena/sandbox/start.py": THEIRS.format("Python: a null byte in an argument"),
    "arena/submissions/command_check.py": "the words of a command line",
    "protocol/kit.py": "a message of the protocol, an object",
    "results/base/text.py": THEIRS.format("msgspec"),
    "results/store/sqlite_file.py": THEIRS.format("SQLite: a text that is not UTF-8"),
    "results/store/verification/database_file.py": THEIRS.format("SQLite: its check of a file"),
}
"""Files that may, and why."""


def name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def is_sentence(node: ast.expr, caught: set[str]) -> bool:
    """Return whether an expression is, by its name, a sentence: `str(error)`, `fault.detail`, `said.lower()`."""
    match node:
        case ast.Call(func=ast.Name(id="str"), args=[inner]):
            return name_of(inner) in ERRORS | caught
        case ast.Call(
            func=ast.Attribute(value=inner, attr="lower" | "strip" | "lstrip" | "rstrip" | "casefold")
        ):
            return is_sentence(inner, caught)
        case ast.Subscript(value=inner):
            return is_sentence(inner, caught)
        case ast.JoinedStr(values=[ast.FormattedValue(value=inner)]):
            return name_of(inner) in ERRORS | caught
    return name_of(node) in SENTENCES


def is_layout(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and not node.value.strip()


def readings(source: str) -> Iterator[int]:
    """Yield the lines of a program that read a sentence."""
    tree = ast.parse(source)
    caught = {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name}
    for node in ast.walk(tree):
        match node:
            case ast.Compare(
                left=ast.Constant() | ast.JoinedStr(), ops=[ast.In() | ast.NotIn()], comparators=[text]
            ):
                if is_sentence(text, caught) and not is_layout(node.left):
                    yield node.lineno
            case ast.Call(func=ast.Attribute(value=text, attr=attr), args=args):
                is_read = attr in READS and is_sentence(text, caught) and args and not is_layout(args[0])
                rewrites = attr == "replace" and isinstance(text, ast.Call) and is_sentence(text, caught)
                if (
                    is_read
                    or rewrites
                    or (attr in PATTERNS and any(is_sentence(arg, caught) for arg in args))
                ):
                    yield node.lineno


def better_words() -> dict[re.Pattern[str], str]:
    """Return the words that pages and messages avoid, with better ones: the tables "Not | But" of CONTRIBUTING.md."""
    found, is_list = {}, False
    for line in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        is_list = cells == ["Not", "But"] or (is_list and len(cells) == 2)
        if is_list and cells[0] not in ("Not", "---"):
            for words in cells[0].split(" · "):
                letters = r"\s+".join(map(re.escape, words.split()))
                found[re.compile(rf"(?<!\w){letters}(?!\w)", re.IGNORECASE)] = cells[1]
    return found


def sentences(path: Path) -> Iterator[tuple[int, str]]:
    """Yield what a file says to people, with the line: all of a page; of a program its texts, and help of commands."""
    source = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield from enumerate(source.splitlines(), 1)
        return
    tree = ast.parse(source)
    silent = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and "commands" not in path.parts
        ):
            silent.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            silent |= {id(part) for part in node.values}
            yield (
                node.lineno,
                "".join(
                    str(getattr(part, "value", "")) if isinstance(part, ast.Constant) else "{}"
                    for part in node.values
                ),
            )
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.lineno, node.value


def pages() -> Iterator[Path]:
    """Yield the files with messages, help and pages; decision records and CONTRIBUTING.md may say how not to."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for place in listed.stdout.splitlines():
        if place.startswith(("docs/adr/", "tests/", "CONTRIBUTING")) or "/conformance/" in place:
            continue
        if place.endswith((".py", ".html", ".md")):
            yield ROOT / place


def stiff_words() -> Iterator[str]:
    """Yield where pages and messages use words that CONTRIBUTING.md has better ones for."""
    better = better_words()
    for path in pages():
        for line, text in sentences(path):
            for pattern, words in better.items():
                if said := pattern.search(text):
                    place = path.relative_to(ROOT).as_posix()
                    yield f"{place}:{line}: {said[0]!r}; better: {words}\n"


def main() -> int:
    """Print where sentences are read without a reason or have a better word, and reasons that nothing needs."""
    found, used = [], set()
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        if ".venv" in path.parts:  # of a package in plugins/
            continue
        place = path.relative_to(ROOT).as_posix()
        lines = (
            [] if place.startswith("arena/templates/") else list(readings(path.read_text(encoding="utf-8")))
        )
        used |= {place} if lines else set()
        found += [f"{place}:{line}" for line in lines if place not in REASONS]
    for place in found:
        sys.stdout.write(f"{place}: reads a sentence for people; decide by a class, a reason or a figure\n")
    for place in REASONS.keys() - used:
        sys.stdout.write(f"{place}: reads no sentence any more; remove its reason from {__file__}\n")
    stiff = list(stiff_words())
    sys.stdout.writelines(stiff)
    return 1 if found or stiff or REASONS.keys() - used else 0


@pytest.mark.parametrize(
    "line",
    [
        'if "no answer" in fault.detail: ...',
        'if "code 0" not in words.lower(): ...',
        'if str(error).startswith("there is no"): ...',
        'what, _, hint = record.words.partition("; hint: ")',
        "found = _COMMAND.search(hint)",
        "found = re.sub('arena .*', '', error.hint)",
        "try: ...\nexcept KeyError as gone: first = str(gone).split(': ')",
    ],
)
def test_the_rule_sees(line: str) -> None:
    assert list(readings(line))


@pytest.mark.parametrize("line", ["if verdict in seen: ...", "lines = words.split()", 'name.partition("@")'])
def test_the_rule_leaves_alone(line: str) -> None:
    assert not list(readings(line))


def test_a_word_with_a_better_one_is_found_with_its_line(tmp_path: Path) -> None:
    program = tmp_path / "commands.py"
    program.write_text('def f(n):\n    """Two are\n    told apart."""\n    return f"{n} plays no " "more"\n')
    found = list(sentences(program))
    assert found == [(4, "{} plays no more")], "a docstring is for whoever reads the code"
    words = {
        line: [better for pattern, better in better_words().items() if pattern.search(text)]
        for line, text in found
    }
    assert words == {4: ["no longer plays"]}
    page = tmp_path / "page.md"
    page.write_text("Fine.\nTold apart\n")
    ((_, fine), (line, text)) = sentences(page)
    assert line == 2
    assert [any(p.search(one) for p in better_words()) for one in (fine, text)] == [False, True]


if __name__ == "__main__":
    sys.exit(main())
