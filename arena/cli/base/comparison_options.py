"""The options of the commands that compare bots, or queue that: one for each field of `Asked`."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, signature
from itertools import product
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from msgspec.structs import asdict, fields, replace

from arena.cli.base import options
from arena.config.deal_suites import PREFIX, Suite, is_suite, read_suite
from arena.core.errors import UsageError
from arena.league.comparison_plans import BUDGET_GAMES, Asked
from results.analysis.sequential_test import FAR, LEAST_MATCHES, SETTLED_MATCHES
from results.base.isolation_levels import Wanted

Deals = Annotated[
    str | None,
    typer.Option(
        metavar="suite:NAME",
        help="Play the deals of the file NAME.suite.toml in the current folder, the same each time; `arena suite` "
        "makes one.",
    ),
]
_Command = Callable[..., None]


def _within(field: str, kind: Any, *names: str, **more: Any) -> Any:
    """Return the annotation of an option with the bounds of a field of `Asked`."""
    (bounds,) = (meta for one in (_FIELDS[field], *get_args(_FIELDS[field])) for meta in _metas(one))
    return Annotated[kind, typer.Option(*names, min=bounds.ge, max=bounds.le, **more)]


def _metas(kind: Any) -> tuple[Any, ...]:
    return getattr(kind, "__metadata__", ())


_FIELDS = {one.name: one.type for one in fields(Asked)}
_OPTIONS: Mapping[str, tuple[str, Any]] = {
    "seats": ("seats", _within("seats", int, help="Table size of a race or a tune.")),
    "game": ("game", options.Game),
    "ruleset": ("ruleset", options.Ruleset),
    "option": ("options", options.RuleOptions),
    "difference": (
        "difference",
        _within(
            *("difference", float, "--difference", "-x"),
            help="X, the smallest difference of mean shares that matters; 0.05 is 0.525 against 0.475 for two bots.",
        ),
    ),
    "error_rate": (
        "error_rate",
        _within("error_rate", float, help="Highest probability of a wrong answer; 0.05 is 1 in 20."),
    ),
    "at_least": (
        "at_least",
        _within(
            *("at_least", int | None),
            help=f"Play at least so many matches before an answer. Default: {LEAST_MATCHES} if the difference is above "
            f"{FAR:g}, otherwise {SETTLED_MATCHES} or the whole budget. If the bots learn as they play, allow six "
            "times as many as they take to learn.",
        ),
    ),
    "budget": (
        "budget_games",
        _within("budget_games", int | None, "--budget", "-n", help="Largest number of games to play."),
    ),
    "compare_budget": (
        "then_games",
        _within("then_games", int, help="Largest number of games of the comparison at the end of a tune."),
    ),
    "seed": (
        "seed",
        Annotated[
            str | None,
            typer.Option(
                "--seed", "-s", help="Play the deals of this seed, to get the same answer each time."
            ),
        ],
    ),
    "deals": ("suite", Deals),
}
"""The options of all that is asked, in the order of the help, each with its field of `Asked`."""


def asking(*left_out: str, budget_games: int | None = BUDGET_GAMES) -> Callable[[_Command], _Command]:
    """Give a command, in place of its parameter `asked`, an option for each field of `Asked`, but for some.

    `budget_games`: the default of `--budget`. Its docstring may say what options mean to this command.
    """
    names = [name for name in _OPTIONS if name not in left_out]
    defaults = {**asdict(Asked()), "budget_games": budget_games, "options": None}

    def parameter(name: str) -> Parameter:
        field, kind = _OPTIONS[name]
        return Parameter(name, Parameter.KEYWORD_ONLY, default=defaults[field], annotation=kind)

    def with_options(command: _Command) -> _Command:
        @wraps(command)
        def called(**values: Any) -> None:
            given = {_OPTIONS[name][0]: values.pop(name) for name in names}
            given["options"] = tuple(given["options"] or ())
            if "suite" in given:
                given["suite"] = suite_at(given["suite"], given["seed"])
            command(**values, asked=Asked(**given))

        own = signature(command)
        found = list(own.parameters.values())
        at = list(own.parameters).index("asked")
        found[at : at + 1] = map(parameter, names)
        vars(called)["__signature__"] = own.replace(parameters=found)
        return called

    return with_options


Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", "-w", min=1, max=1024, help="Number of worker processes; default: one per core."
    ),
]


def variants_of(bots: Sequence[str], given: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the arguments of each bot: none for those named, then those of the variants of the first."""
    choices = []
    for text in given:
        name, equals, values = text.partition("=")
        if not name or not equals or not all(values.split(",")):
            raise UsageError(
                f"--arg {text!r} is not of the form NAME=VALUE,VALUE", "for example --arg depth=1,2,4"
            )
        choices.append([f"--{name}={value}" for value in values.split(",")])
    made = list(product(*choices)) if choices else []
    if not made and len(bots) < 2:
        raise UsageError(
            "a race needs variants", "name their folders after BASE, or make some with --arg NAME=1,2,4"
        )
    return [(), *[()] * (len(bots) - 1), *made]


def suite_at(deals: str | None, seed: str | None) -> Suite | None:
    """Return the suite that --deals names; None without. Raises UsageError, also if there is a seed."""
    if deals is not None and seed is not None:
        raise UsageError(
            "--deals names the deals, so --seed has nothing to choose", "leave out one of the two"
        )
    if deals is not None and not is_suite(deals):
        raise UsageError(
            f"--deals {deals!r} is not of the form suite:NAME", "for example --deals suite:smoke"
        )
    return None if deals is None else read_suite(deals, Path())


def command_of(
    name: str,
    bots: Sequence[str],
    asked: Asked,
    store: Path,
    *,
    sandbox: Wanted = "auto",
    budget: int | None = BUDGET_GAMES,
) -> str:
    """Return a command that asks the same of bots, with the options that don't have their default.

    `bots` may have options of that command alone among them. `budget` is its default for that.
    """
    words = ["arena", *name.split(), *bots]
    default = replace(Asked(), budget_games=budget)
    for option, (field, _) in _OPTIONS.items():
        value = getattr(asked, field)
        if value != getattr(default, field):
            value = f"{PREFIX}{value.name}" if isinstance(value, Suite) else value
            for one in value if isinstance(value, tuple) else [value]:
                words += [f"--{option.replace('_', '-')}", str(one)]
    words += ["--store", str(store)] * (store != options.DEFAULT_STORE)
    return shlex.join(words + ["--sandbox", sandbox] * (sandbox != "auto"))
