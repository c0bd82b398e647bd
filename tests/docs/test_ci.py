"""The script of docs/ci.md, run as a service would: on a clone, with a tag before it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.leagues import simple, write_bot

PAGE = Path(__file__).parents[2] / "docs" / "ci.md"
GIT = ("git", "-c", "user.name=ann", "-c", "user.email=ann@example.org")


def script() -> str:
    found = re.search(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found
    return found[1].replace("--difference 0.1 --budget 2000", "--difference 0.5 --budget 60 --option hands=1")


def run(repository: Path, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"} | more
    return subprocess.run(
        command, cwd=repository, env=environment, capture_output=True, text=True, check=False, timeout=600
    )


def committed(repository: Path, message: str) -> None:
    for command in (("add", "-A"), ("commit", "-qm", message)):
        assert run(repository, *GIT, *command).returncode == 0


@pytest.mark.slow
def test_a_push_is_checked_and_compared_with_the_last_tag(tmp_path: Path) -> None:
    repository = write_bot(tmp_path, "mybot", simple(0), game="bread-basket")
    (repository / ".ci").mkdir()
    (repository / ".ci" / "arena.sh").write_text(script())
    assert run(repository, "git", "init", "-q").returncode == 0
    committed(repository, "first")
    done = run(repository, "sh", ".ci/arena.sh")
    assert done.returncode == 0, done.stderr
    assert "no tagged version to compare with" in done.stdout

    assert run(repository, "git", "tag", "v1").returncode == 0
    assert run(repository, *GIT, "commit", "-q", "--allow-empty", "-m", "nothing").returncode == 0
    assert run(repository, "sh", ".ci/arena.sh").returncode == 0
    assert json.loads((tmp_path / "arena-ci" / "badge.json").read_text())["message"] == "unchanged"
    (repository / "bot.py").write_text(simple(1))
    committed(repository, "second")
    summary = tmp_path / "summary.md"
    done = run(repository, "sh", ".ci/arena.sh", GITHUB_STEP_SUMMARY=str(summary))
    badge = json.loads((tmp_path / "arena-ci" / "badge.json").read_text())
    assert done.returncode == (badge["message"] == "worse"), done.stderr
    assert badge["label"] == "against v1"
    assert badge["message"] in {"better", "no difference", "worse", "undecided"}
    assert "| comparison |" in summary.read_text()

    (repository / "bot.py").write_text("import sys\nsys.exit(3)\n")
    committed(repository, "third")
    assert run(repository, "sh", ".ci/arena.sh").returncode not in (0, 1)
