"""Writes what is generated in the documentation, or with --check says what is out of date.

Each target is a file, or the part of a file between two markers, and the
function that gives its text. Nothing is written by hand in two places: the
pages follow from the code.
"""

import argparse
import difflib
import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.core.errors import ArenaError

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))  # for the results of benchmarks


class BadTarget(Exception):
    """A target that cannot be generated; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Target:
    """One generated text."""

    path: str
    """The file, from the project's root."""
    source: str
    """`module:function`; the function returns the text."""
    marker: str | None = None
    """The text stands between `<!-- generated: MARKER -->` and `<!-- end: MARKER -->`; None: it is the whole file."""
    argument: str | None = None
    """What the function is given; None: nothing."""

    def render(self) -> str:
        """Return the text of the source. Raises BadTarget if it is not there."""
        module, _, function = self.source.partition(":")
        try:
            source: Callable[..., str] = getattr(importlib.import_module(module), function)
            return source() if self.argument is None else source(self.argument)
        except (ImportError, AttributeError) as error:
            raise BadTarget(f"{self.path}: no text from {self.source}: {error}") from error

    def wanted(self, current: str | None) -> str:
        """Return the whole file as it should be; `current` is what it is, None where it is missing."""
        text = self.render().strip("\n") + "\n"
        if self.marker is None:
            return text
        begin, end = f"<!-- generated: {self.marker} -->\n", f"<!-- end: {self.marker} -->"
        if current is None or current.count(begin) != 1 or current.count(end) != 1:
            raise BadTarget(f"{self.path}: needs one line {begin.strip()!r} and one {end!r} to write between")
        before, _, rest = current.partition(begin)
        _, _, after = rest.partition(end)
        return f"{before}{begin}\n{text}\n{end}{after}"


SPEED = ("peers", "causes", "own", "missed", "machine")
SPEED_PICTURES = ("peers", "causes")
TARGETS: tuple[Target, ...] = (
    Target("docs/architecture.md", "generators.architecture:rooms_table", "rooms"),
    Target("docs/images/architecture.svg", "generators.architecture:render"),
    Target("docs/cli.md", "generators.cli:render"),
    Target("arena/cli/arena.1", "generators.cli:manual"),
    Target("docs/statistics.md", "generators.cli:ranking_columns", "columns"),
    Target("docs/configuration.md", "generators.configuration:render"),
    Target("docs/games/README.md", "generators.games:render"),
    *(
        Target(
            f"arena/games/{page.stem.replace('-', '_')}/rules.md", "generators.games:page", argument=page.stem
        )
        for page in sorted((ROOT / "docs" / "games").glob("[a-z]*.md"))
    ),
    *(
        Target(f"docs/images/{champion}-time.svg", "generators.games:odds_by_time", argument=champion)
        for champion in ("baker", "chocolatier", "gourmet")
    ),
    Target("docs/ledger.md", "generators.ledger:render", "tables"),
    Target("docs/protocol.md", "generators.protocol:render", "messages"),
    Target("docs/speed.md", "generators.speed:waits", "waits"),
    *(Target("docs/speed-measured.md", f"generators.speed:{part}", part) for part in SPEED),
    *(Target(f"docs/images/speed-{name}.svg", f"generators.speed:{name}_picture") for name in SPEED_PICTURES),
    Target("plugins/cluster/README.md", "generators.cli:added", "commands", "host"),
    Target("plugins/cluster/README.md", "generators.configuration:executor", "settings", "cluster"),
    Target("docs/status.schema.json", "generators.status:render"),
    Target("protocol/schema-v1.json", "protocol.write_schema:render"),
)


def stale(root: Path, targets: Sequence[Target]) -> dict[Path, tuple[str, str]]:
    """Return each file that is not as it should be: what it is (empty where missing) and what it should be.

    Raises BadTarget for a target that cannot be generated.
    """
    found: dict[Path, tuple[str, str]] = {}
    for target in targets:
        path = root / target.path
        current = path.read_text(encoding="utf-8") if path.exists() else None
        so_far = found[path][1] if path in found else current  # a page may have several generated parts
        wanted = target.wanted(so_far)
        if wanted != so_far:
            found[path] = (current or "", wanted)
    return found


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Write or check the generated files; return the exit code: 0 all well, 1 out of date or not to be generated."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if anything is out of date"
    )
    check: bool = parser.parse_args(arguments).check
    try:
        files = stale(root, TARGETS)
    except (BadTarget, ArenaError) as error:
        print(f"docs/generate.py: {error}", file=sys.stderr)
        return 1
    for path, (current, wanted) in files.items():
        name = str(path.relative_to(root))
        if check:
            print(f"{name} is out of date; `make docs` writes it again")
            difference = difflib.unified_diff(
                current.splitlines(), wanted.splitlines(), name, "as it should be", lineterm="", n=1
            )
            print("\n".join(list(difference)[:20]))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted, encoding="utf-8")
            print(f"wrote {name}")
    return 1 if check and files else 0


if __name__ == "__main__":
    sys.exit(main())
