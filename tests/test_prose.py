"""No code reads a sentence that was written for people: whoever words it better must not break anything.

`make lint` checks the product with it; the tests here check the rule.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("arena", "protocol", "results")
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
    "arena/executors/cluster/link.py": THEIRS.format("asyncio, for several addresses"),
    "arena/sandbox/refusals.py": THEIRS.format("Python: threads and tempfile"),
    "arena/sandbox/start.py": THEIRS.format("Python: a null byte in an argument"),
    "arena/submissions/command_check.py": "the words of a command line",
    "protocol/kit.py": "a message of the protocol, an object",
    "results/base/text.py": THEIRS.format("msgspec"),
    "results/store/sqlite_file.py": THEIRS.format("SQLite: a text that is not UTF-8"),
    "results/store/verification/row_checks.py": THEIRS.format("SQLite: its check of a file"),
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


def main() -> int:
    """Print where the product reads sentences without a reason, and reasons that nothing needs."""
    found, used = [], set()
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
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
    return 1 if found or REASONS.keys() - used else 0


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


if __name__ == "__main__":
    sys.exit(main())
