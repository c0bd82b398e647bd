"""Environments of the packages that Arena is compared with: one for each, as they need different versions of others.

They are in `.venv-peers/`, apart from Arena's own environment. The dependency group `peers` says which versions.
"""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".venv-peers"
INSTALL_S = 900
QUIET = ("--quiet", "--disable-pip-version-check", "--no-input")


class NotThere(Exception):
    """A peer that can't be had here; the message says why."""


def environment(package: str) -> Path:
    """Return the `bin` folder of a package's environment, made if need be. Raises NotThere."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    wanted = next(one for one in groups["peers"] if one.partition("==")[0] == package)
    place = FOLDER / package
    stamp = place / "installed.txt"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        print(f"installing {wanted} into {place.relative_to(ROOT)}", file=sys.stderr, flush=True)
        _done([sys.executable, "-m", "venv", "--clear", str(place)], f"no environment for {package}")
        _done([str(place / "bin/python"), "-m", "pip", "install", *QUIET, wanted], f"no {wanted}")
        stamp.write_text(wanted, encoding="utf-8")
    return place / "bin"


def _done(command: list[str], what: str) -> None:
    """Run a step of the installation. Raises NotThere if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, timeout=INSTALL_S, check=False)
    except subprocess.TimeoutExpired:
        raise NotThere(f"{what}: the installation took more than {INSTALL_S} s") from None
    if done.returncode:  # what pip says may name an index
        raise NotThere(f"{what}: pip could not install it for this Python")
