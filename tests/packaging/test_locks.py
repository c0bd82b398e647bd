"""The lock files pin everything, fit pyproject.toml and each other, and name no index."""

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.tree import ROOT

BUILD, RUNTIME, DEV = "requirements-build.lock", "requirements.lock", "requirements-dev.lock"
PLUGINS = {name: f"plugins/{name}/requirements.lock" for name in ("cluster", "webhooks")}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def needed_by(plugin: str) -> list[str]:
    """Return what a package in `plugins` needs, with Arena's own needs in the place of Arena."""
    text = (ROOT / "plugins" / plugin / "pyproject.toml").read_text(encoding="utf-8")
    own = [one for one in tomllib.loads(text)["project"]["dependencies"] if one != "arena-league"]
    return [*PROJECT["project"]["dependencies"], *own]


def pins(lock: str) -> dict[str, tuple[str, list[str]]]:
    """Return each package of a lock file with its version and hashes."""
    found = {}
    text = (ROOT / lock).read_text(encoding="utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            pinned = re.match(r"([\w.-]+)==([^\s;]+)( ; [^-]*)?((?: +--hash=sha256:[0-9a-f]{64})+)\s*$", line)
            assert pinned, f"{lock}: {line[:60]!r} is not pinned with hashes"
            found[str(canonicalize_name(pinned[1]))] = (pinned[2], re.findall(r"[0-9a-f]{64}", pinned[4]))
    return found


def group(name: str) -> list[str]:
    """Return the requirements of a dependency group, those of included groups too."""
    found: list[str] = []
    for part in PROJECT["dependency-groups"][name]:
        found += group(part["include-group"]) if isinstance(part, dict) else [part]
    return found


@pytest.mark.parametrize(
    ("lock", "requirements"),
    [
        (BUILD, PROJECT["build-system"]["requires"]),
        (RUNTIME, PROJECT["project"]["dependencies"]),
        *((lock, needed_by(plugin)) for plugin, lock in PLUGINS.items()),
        (DEV, [*PROJECT["project"]["dependencies"], *group("dev")]),
    ],
    ids=[BUILD, RUNTIME, *PLUGINS, DEV],
)
def test_a_lock_meets_what_pyproject_asks(lock: str, requirements: list[str]) -> None:
    pinned = pins(lock)
    for requirement in map(Requirement, requirements):
        name = canonicalize_name(requirement.name)
        assert name in pinned, f"{lock} lacks {name}: make lock"
        assert requirement.specifier.contains(pinned[name][0]), (
            f"{lock} has {name} {pinned[name][0]}: make lock"
        )


def test_the_locks_agree() -> None:
    for lock in PLUGINS.values():
        assert pins(RUNTIME).items() <= pins(lock).items() <= pins(DEV).items()
    assert pins(BUILD).items() <= pins(DEV).items()


def test_what_builds_is_what_the_build_group_names() -> None:
    assert group("build") == PROJECT["build-system"]["requires"]


def test_wheels_of_other_platforms_are_pinned_too() -> None:
    """A package with compiled code has a wheel for each Python and platform: one hash each."""
    for name in ("msgspec", "pydantic-core", "sqlalchemy"):
        assert len(pins(RUNTIME)[name][1]) > 10, f"{name}: lock made for one platform only?"


def own_files() -> Iterator[Path]:
    """Yield the project's files: no environment, no caches, no build output, no ledgers."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [
            name
            for name in folders
            if name not in {".git", ".venv", ".venv-peers", "build", "dist", "__pycache__", "arena-demo"}
            and not name.endswith(("_cache", ".egg-info", ".files"))
        ]
        yield from (Path(folder) / name for name in names if ".sqlite" not in name)


def test_no_address_of_an_index_is_kept() -> None:
    hosts = [b"pypi" + b".org", b"python" + b"hosted", b"--index" + b"-url", b"--extra-index" + b"-url"]
    named = [
        path.relative_to(ROOT).as_posix()
        for path in own_files()
        for host in hosts
        if host in path.read_bytes()
    ]
    assert named == []
