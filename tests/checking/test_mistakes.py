"""What authors are told about their mistakes: cause, place and cure."""

import shutil
import subprocess
from pathlib import Path
from unittest.mock import patch

import pytest

from arena.checking.step_results import Step
from tests.checking.mistakes import MISTAKES, Mistake, checked
from tests.support.sandbox import CONFINED, ORDINARY_USER, columns, confinement_of, in_column, open_folder

QUICK = ("no flush in Python", "exception with the kit", "typo in a game's name")


def judge(mistake: Mistake, steps: list[Step]) -> None:
    """Fail unless the last step is the one that had to fail, with the words that had to be said."""
    assert [step.name for step in steps if step.state == "failed"] == [mistake.step]
    failure = steps[-1].failure
    assert failure is not None
    told = f"{failure.cause}\n{failure.cure}"
    for words in mistake.says:
        assert words in told, told
    assert failure.place.endswith(mistake.place), failure


@pytest.mark.parametrize("name", QUICK)
def test_a_mistake_without_a_sandbox(name: str, tmp_path: Path) -> None:
    judge(MISTAKES[name], checked(MISTAKES[name].write(tmp_path)))


@pytest.mark.slow
@pytest.mark.parametrize("column", columns(CONFINED))
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_sandbox(name: str, column: str, tmp_path: Path) -> None:
    mistake = MISTAKES[name]
    if mistake.needs and shutil.which(mistake.needs) is None:
        pytest.skip(f"{mistake.needs} is not installed")
    place = mistake.write(tmp_path)
    if mistake.compiled:
        subprocess.run([mistake.needs, "-o", place / "bot", place / mistake.compiled], check=True)
    judge(mistake, checked(place, confinement_of(column)))


@pytest.mark.slow
@pytest.mark.parametrize("column", columns(ORDINARY_USER))
@pytest.mark.parametrize("name", ["no flush in Python", "waits for itself", "endless loop at import"])
def test_an_ordinary_user_learns_as_much(name: str, column: str, tmp_path: Path) -> None:
    with open_folder() as place:
        checked(
            MISTAKES["no flush in Python"].write(tmp_path)
        )  # an ordinary user can't import what this needs
        path = MISTAKES[name].write(place)
        in_column(column, lambda: judge(MISTAKES[name], checked(path, confinement_of(column))))


@pytest.mark.slow
def test_a_failure_shows_both_sides_and_the_log(tmp_path: Path) -> None:
    failure = checked(MISTAKES["exception with the kit"].write(tmp_path))[-1].failure
    assert failure is not None
    assert failure.sent.startswith('{"type":"ask","id":1,')
    assert failure.came == ()
    assert failure.log[-1] == "KeyError: 'lgeal'"
    assert failure.doing == "bread-basket, tens, seat 0 of 2, decision 0 (ask 1)"


@pytest.mark.slow
def test_a_bot_that_computes_between_games_on_a_busy_machine_may_have_had_no_core_before(
    tmp_path: Path,
) -> None:
    with patch("os.getloadavg", lambda: (40.0, 0.0, 0.0)):
        failure = checked(MISTAKES["computes between games"].write(tmp_path))[-1].failure
    assert failure is not None
    assert "; the machine is busy (load 40 on " in failure.cause
    assert failure.cure.startswith("the bot may be fine")
    assert "Try again when less runs on this machine" in failure.cure
