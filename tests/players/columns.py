"""How bots are kept, as columns of a table of tests: every bot is tried in each."""

import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from arena.sandbox.bounds import Bounds
from arena.sandbox.confinement import UNCONFINED, Confinement, choose
from arena.sandbox.probe import REQUIRED
from tests.sandbox.inside import (
    as_ordinary_user,
    be_of_a_python_for_all,
    needs_bwrap,
    needs_ordinary_user,
    needs_root,
)

PROCESS = "process"
CONFINED = "confined"
WITHOUT_GROUP = "confined without a control group"
ORDINARY_USER = "confined by an ordinary user"
"""Where the tests are an ordinary user's already, the same as the one before it."""


def columns(*names: str, slow: tuple[str, ...] = ()) -> list[Any]:
    """Return columns as parameters for pytest; those in `slow` are left out of the quick suite."""
    marks = {
        CONFINED: [needs_bwrap],
        WITHOUT_GROUP: [needs_bwrap, needs_root],
        ORDINARY_USER: [needs_ordinary_user],
    }
    return [
        pytest.param(name, marks=[*marks.get(name, []), *([pytest.mark.slow] if name in slow else [])])
        for name in names
    ]


def confinement_of(column: str, bounds: Bounds | None = None) -> Confinement:
    """Return how bots are kept in a column; fails where a sandbox is wanted and does not hold."""
    if column == PROCESS:
        return replace(UNCONFINED, bounds=bounds or Bounds())
    found = _confinement(os.geteuid())
    if column == WITHOUT_GROUP:
        found = replace(found, delegation=None)
    return replace(found, bounds=bounds or Bounds())


@cache
def _confinement(_uid: int) -> Confinement:
    found, report = choose("require", Bounds())
    assert found.level >= REQUIRED, report.lines()
    return found


def in_column(column: str, work: Callable[[], None]) -> None:
    """Do what a test does as the user whose column it is; fails as `work` fails."""
    if column != ORDINARY_USER:
        work()
        return

    as_ordinary_user(work, before=be_of_a_python_for_all)
