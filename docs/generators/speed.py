"""The tables and pictures of the pages on speed, from the results that `make bench` and `make bench-peers` keep."""

from collections.abc import Iterator, Sequence

from benchmarks.comparison import Line
from benchmarks.kept_results import FIGURES, Results, digits, read
from generators.markdown import table
from generators.speed_charts import BAD, GOOD, NEUTRAL, Bar, Mark, bars, ratios

NOTHING = "No results are kept. Run `make bench` and `make bench-peers`, then `make bench-page`."
SECONDS = "s by the clock"
"""The unit of what users wait for."""
CAUSES = {
    "bare": "write a line, switch to the bot, let it answer, read its line",
    "watching": "memory, CPU time, thinking out of turn",
    "encode": "the question as JSON",
    "decode": "the answer, read strictly",
    "rest of ask": "deadline, log, checks, times",
    "view, moves": "what the seat sees, and its legal moves as JSON",
    "rules": "whose turn it is, the answer as a move, the state after it",
    "start, end": "messages at the start and the end of a game, by decision",
    "pack": "the record with its fingerprint, compressed, by decision",
    "other": "what is left: events for each seat, the transcript, the loop",
}
"""What each cause of `benchmarks/referee.py --causes` contains."""
BETWEEN = (
    (
        "an ask, beyond",
        "The referee takes longer for a question than in November 2026, or this machine does.",
    ),
    (
        "whole games, beyond",
        "The referee takes longer for a game than in November 2026, or this machine does.",
    ),
    (
        "a short league after its first game",
        "Bots start again before each rotation of a batch; the fewer games a league has, the more that counts. A start "
        "with its end takes some 25 ms in the sandbox, most of it waits for the kernel.",
    ),
    (
        "time of a sandboxed league",
        "Between two rotations of a match, bots start again, and a start with its end takes some 25 ms in the sandbox, "
        "most of it waits for the kernel. The longer the league, the fewer starts. The rest is freezing, which "
        "`benchmarks/freezing.py` measures alone.",
    ),
    ("speed of 2 workers", "Two cores must be idle; other programs, and the runner itself, share them."),
    ("append and rate a game", "A game at four seats takes six rows with checksums, and ratings besides."),
    (
        "rating a match",
        "A tie is rated in every order of those who tied, so that equal results are worth the same; the package takes "
        "one order. With two of three tied, that makes two computations of one.",
    ),
    (
        "start a sandboxed bot",
        "Arena's time also contains what comes before Popen: copying the bot's files, preparing the sandbox, making a "
        "control group. Joining a group waits for the kernel.",
    ),
    (
        "arena run to the first game",
        "The command and, beside it, its first worker load their modules; then two bots start in the sandbox.",
    ),
    ("verify a stored game", "Every move is made again by the rules, in Python."),
    ("plan a match of a ladder", "The time grows with the field."),
    (
        "the same, 16 at a time",
        "Each block reads and sorts the whole field once, and here only 16 matches share that. New leagues of this "
        "size choose 128 at a time.",
    ),
    (
        "games a second: Arena ÷ psyleague",
        "psyleague plays at most 40 games a second with two workers, as its loop sleeps; so the ratio depends on "
        "Arena's speed alone, which bots in Python over a pipe bound. On a busy machine Arena loses more than "
        "a program that sleeps.",
    ),
    (
        "a decision: fastchess ÷ Arena",
        "fastchess is compiled, and does less for a decision: no view, no list of moves, no record. The picture of "
        "causes shows what Arena does in its time.",
    ),
    (
        "a decision: kaggle-environments ÷ Arena",
        "The bare pipe to bots in Python is a large part of Arena's time: see *bare* in the table of causes. "
        "kaggle-environments has no pipe.",
    ),
    (
        "a decision in a playout: RLCard UNO",
        "`turn` lists every legal move as a value of its own. In Sandwich nearly half of the time is the deal, which "
        "draws 64 normal numbers from SHA-256 for the taste of each seat, and moves are composed rather than listed.",
    ),
    (
        "a decision in a playout: OpenSpiel's",
        "Their rules are in C++. In Sandwich nearly half of Arena's time is the deal.",
    ),
    ("a league with readers and uploads", "Pages are made and uploads checked on the cores that play."),
    (
        "a page of the site ÷ the plain ladder",
        "To say which circles are sure, each pair of bots is bet on, meeting by meeting.",
    ),
    (
        "first byte with 2000 bots",
        "After a match, the list of all bots is made again, and reads a row for each.",
    ),
)
"""What stands between a missed target and its figure, by the beginning of the line's name."""
PARTS = (
    ("The referee", ("referee",)),
    ("Leagues", ("league", "ledger_append", "rating_fold", "planning")),
    ("Starting and commands", ("sandbox_start", "command_start", "league_start", "rules_check")),
    ("The site", ("site_pages", "site_load")),
)
"""Headings of the tables, and the benchmarks below each."""


def machine() -> str:
    """Return a paragraph on the machine, and on the load of each run."""
    lines = []
    for name, results in _kept("bench", "bench-peers", "busy"):
        about = results.machine
        loads = [run.load for run in results.runs]
        made = f"run.py --busy {results.busy}" if results.busy else f"make {name}"
        lines.append(
            f"- `{made}`: {about.began}, {about.cores} cores of {about.cpu or 'an unnamed CPU'}, {about.kernel}, "
            f"{about.python}. It took {results.took_s / 60:.0f} minutes. "
            f"The load average was {about.load:.1f} at the start, and {min(loads):.1f} to {max(loads):.1f} when "
            "benchmarks began."
        )
        if max(loads) > about.cores and not results.busy:
            lines.append(
                "  Other programs used the cores as well: figures by the clock are worse than on a quiet machine."
            )
    return "\n".join(lines) or NOTHING


def peers() -> str:
    """Return the table of other programs, with what each does less or more below it."""
    found = [line for line in _lines("bench-peers") if line.target]
    if not found:
        return NOTHING
    lines = _table(found)
    skipped = [f"- {run.skipped}" for _, kept in _kept("bench-peers") for run in kept.runs if run.skipped]
    if skipped:
        lines += ["Not measured:", "", *skipped, ""]
    notes = dict.fromkeys((line.name, line.note) for line in found if line.note)
    lines += ["What to know about each:", "", *(f"- *{name}*: {note}" for name, note in notes), ""]
    return "\n".join(lines)


def waits() -> str:
    """Return the table of what users wait for, in seconds, on an idle machine and on a busy one."""
    found = [line for line in _lines("bench") if line.unit == SECONDS]
    busy = {line.name: line for line in _lines("busy")}
    rows = []
    for line in found:
        beside = [f"{digits(busy[line.name].median)} s" if line.name in busy else ""] if busy else []
        rows.append([line.name, line.setting, f"**{digits(line.median)} s**", *beside, line.note])
    heads = ["Idle machine", *(["Busy machine"] if busy else [])]
    return "\n".join(table(["You wait for", "With", *heads, "Mostly for"], rows)) if found else NOTHING


def own() -> str:
    """Return the tables of everything that is measured without other programs, except causes."""
    found: list[str] = []
    by_name = {run.name: run for _, results in _kept("bench") for run in results.runs}
    for heading, names in PARTS:
        lines = [line for name in names if name in by_name for line in by_name[name].lines if line.target]
        found += [f"### {heading}", "", *_table(lines)] if lines else []
        found += [
            f"Not measured by `{name}`: {by_name[name].skipped}.\n"
            for name in names
            if name in by_name and by_name[name].skipped
        ]
    return "\n".join(found) if by_name else NOTHING


def causes() -> str:
    """Return the table of µs by cause."""
    columns = _causes()
    if not columns:
        return NOTHING
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    rows = [
        [
            name,
            *(digits(column[name]) if name in column else "" for column in columns.values()),
            CAUSES.get(name, ""),
        ]
        for name in names
    ]
    rows.append(["**whole games**", *(f"**{sum(column.values()):.1f}**" for column in columns.values()), ""])
    return "\n".join(table(["µs a decision", *columns, "what it contains"], rows))


def missed() -> str:
    """Return a list of the targets that are missed, with what stands between."""
    lines = []
    judged = [line for line in [*_lines("bench"), *_lines("bench-peers")] if line.target]
    for start, why in BETWEEN:
        of = [line for line in judged if line.name.startswith(start) and not line.met]
        if of:
            figures = "; ".join(f"{_setting(line)}: {_figure(line)}, wanted {line.target}" for line in of)
            lines.append(f"- **{of[0].name}** ({figures}). {why}")
    known = tuple(start for start, _ in BETWEEN)
    lines += [
        f"- **{line.name}** ({_setting(line)}: {_figure(line)}, wanted {line.target})."
        for line in judged
        if not line.met and not line.name.startswith(known)
    ]
    met = sum(line.met is True for line in judged)
    if not judged:
        return NOTHING
    return "\n".join([f"{met} of {len(judged)} targets are met. These are not:", "", *lines])


def peers_picture() -> str:
    """Return the picture of Arena and other programs."""
    marks = [
        Mark(
            f"{line.name.partition(': ')[2].partition(',')[0]} ({_short(line)})",
            line.min,
            line.median,
            line.max,
            _colour(line),
            line.target.at_least if line.target else None,
            f"{digits(line.median)}×",
        )
        for line in _lines("bench-peers")
        if line.target
    ]
    title = "How many times as fast as other programs Arena is (mark: target)"
    return ratios(title, marks or [Mark("not measured", 1, 1, 1, NEUTRAL)], "as fast")


def causes_picture() -> str:
    """Return the picture of where the time of a decision goes."""
    rows = [Bar(name, list(column.items())) for name, column in _causes().items()]
    return bars("Where the time of a decision goes, by cause", rows or [Bar("not measured", [("", 1)])], "µs")


def _kept(*names: str) -> Iterator[tuple[str, Results]]:
    """Yield the kept results of `make bench`, of `make bench-peers`, and of a `busy` machine, if there are any."""
    for name in names:
        if results := read(FIGURES / f"{name.removeprefix('bench-')}.json"):
            yield name, results


def _lines(name: str) -> Iterator[Line]:
    for _, results in _kept(name):
        for run in results.runs:
            if run.name != "referee_causes":
                yield from run.lines


def _causes() -> dict[str, dict[str, float]]:
    """Return the median µs of each cause, by game and bots."""
    columns: dict[str, dict[str, float]] = {}
    for _, results in _kept("bench"):
        for run in results.runs:
            for line in run.lines if run.name == "referee_causes" else ():
                columns.setdefault(line.setting, {})[line.name] = line.median
    return columns


def _table(lines: Sequence[Line]) -> list[str]:
    """Return a table of comparisons."""
    rows = []
    for line in lines:
        sides = [f"{side.name} {digits(sorted(side.values)[len(side.values) // 2])}" for side in line.sides]
        figure = _figure(line)
        goal = "" if line.target is None else f"{line.target} {'✓' if line.met else '✗'}"
        rows.append(
            [
                f"{line.name}{f' ({line.setting})' if line.setting else ''}",
                f"{'; '.join(sides)} {line.unit}",
                figure if line.target is None else f"**{figure}**",
                f"{digits(line.min)} to {digits(line.max)}",
                goal,
            ]
        )
    return table(["What", "Medians", "Figure", "Range", "Target"], rows)


def _figure(line: Line) -> str:
    """Return the median with its unit."""
    return (
        f"{digits(line.median)}×"
        if line.judged == "ratio"
        else f"{digits(line.median)} {line.unit.split()[0]}"
    )


def _setting(line: Line) -> str:
    return line.setting or "now"


def _short(line: Line) -> str:
    """Return what tells lines of one name apart."""
    return line.setting.partition(",")[0].partition(";")[0]


def _colour(line: Line) -> str:
    return NEUTRAL if line.met is None else GOOD if line.met else BAD
