"""`arena bots log`."""

from collections.abc import Mapping
from typing import Annotated

import typer

from arena.cli.messages import answer, answer_json, say
from arena.cli.open_store import reading
from arena.cli.options import DEFAULT_STORE, AnyBot, StoreOption
from arena.cli.stored_names import find_version


def log(
    version: AnyBot,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Show what a build and the check of a version reported when it was submitted."""
    with reading(store) as opened:
        found = find_version(opened, version)
    if as_json:
        shown = {"version": found.reference, "build": found.build, "check": found.report}
        answer_json(shown, indent=2)
        return
    build, report = found.build, found.report
    if not build and not report:
        say(f"{found.reference}: it was played without being submitted, so there is no check of it")
        return
    if build:
        answer(f"built in {build.get('seconds', 0):.1f} s on {build.get('machine')} ({build.get('sandbox')})")
        for line in str(build.get("words", "")).rstrip().splitlines():
            answer(f"  {line}")
    for game, part in report.items():
        answer(f"checked in {game}")
        for key, value in (part if isinstance(part, Mapping) else {"result": part}).items():
            if key == "game" or value in (None, "", [], ()):
                continue
            first, *rest = (str(value).lower() if isinstance(value, bool) else str(value)).splitlines()
            answer(f"  {key}: {first}")
            for line in rest:
                answer(f"    {line}")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("log")(log)
