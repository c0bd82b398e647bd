"""The list of games, rulesets and options, from the registry."""

import json
import re
from math import exp
from pathlib import Path

from arena.core.game import AnyGame
from arena.core.ruleset import Option, ruleset, show
from arena.registry import games
from benchmarks.kept_results import FIGURES
from generators.markdown import NOTICE, code, table
from generators.speed_charts import GOOD, NEUTRAL, Mark, ratios

PAGES = Path(__file__).resolve().parents[1] / "games"


def render() -> str:
    """Return docs/games/README.md: every game that comes with Arena, with its rulesets and options."""
    lines = [
        "# Games",
        NOTICE,
        "",
        "Each game has a page with its rules, its moves and events, and statistics of random games.",
        "A *ruleset* is a game with all options fixed.",
        "You can change any option in the league file (`[options]`) or on the command line (`--option name=value`).",
        "",
    ]
    for game in games().values():
        if type(game).__module__.startswith("arena.games."):
            lines += _game(game)
    return "\n".join(lines)


def _game(game: AnyGame) -> list[str]:
    info = game.info
    lines = [
        f"## [{info.title}]({info.name}.md)",
        "",
        f"`{info.name}`, rules version {info.version}. {info.summary}",
        "",
    ]
    rows = []
    for name, changes in info.rulesets.items():
        seats = game.seats(ruleset(info, name))
        options = ", ".join(code(f"{option}={show(value)}") for option, value in changes.items())
        rows.append(
            (code(name), f"{seats[0]}–{seats[-1]}" if len(seats) > 1 else str(seats[0]), options or "–")
        )
    lines += table(("Ruleset (the first is the default)", "Players", "Sets"), rows)
    lines += table(("Option", "Values", "Default", "Meaning"), map(_option, info.options))
    return lines


def _option(option: Option) -> tuple[str, str, str, str]:
    return code(option.name), option.allowed, code(show(option.default)), option.summary


def odds_by_time(champion: str) -> str:
    """Return a picture of the odds of a champion against another bot by its time, with 95 % confidence.

    The error of the logarithm of the odds is that of the share divided by share × (1 − share), the delta method.
    """
    found = json.loads((FIGURES / f"{champion}.json").read_text(encoding="utf-8"))
    marks = []
    for name, meeting in found.items():
        group, *_, ms = name.split("/")
        if group == "time":
            share, error = meeting["share"], meeting["share_error"]
            odds, spread = share / (1 - share), exp(1.96 * error / (share * (1 - share)))
            low, middle, high = odds / spread, odds, odds * spread
            text = f"{share:.2f} ± {error:.2f}"
            marks.append(Mark(f"{ms} ms", low, middle, high, GOOD if low > 1 else NEUTRAL, text=text))
    other = next(name.split("/")[2] for name in found if name.startswith("time/"))
    what = f"Meetings that {champion} wins for each that {other} wins, by {champion}'s time"
    return ratios(what, marks, "even")


def page(name: str) -> str:
    """Return a game's page as it travels with the program: without relative links and pictures, but those of a turn."""
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    text = re.sub(r"^!\[.*\n\n?", "", text, flags=re.MULTILINE)
    text = re.sub(r"\]\([^)]*/(turn-[0-9]\.svg)\)", r"](\1)", text)
    return re.sub(r"(?<!!)\[([^\]]+)\]\((?!https?:)[^)]*\)", r"\1", text)
