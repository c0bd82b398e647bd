"""The project's tree, and copies of it to plant things in."""

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("arena", "protocol", "results")
SHIPPED = (*PACKAGES, "bots")
LEAGUE_FILES = sorted((ROOT / "examples" / "leagues").glob("*.toml"))
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc")


def copy_of(names: tuple[str, ...], target: Path) -> Path:
    """Copy files and folders of the project to a folder; return the folder."""
    target.mkdir(parents=True, exist_ok=True)
    for name in names:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target / name, ignore=LEFT_OUT)
        else:
            shutil.copy(ROOT / name, target / name)
    return target


def files_below(folder: Path) -> set[str]:
    """Return the files of a folder that are no leavings of the interpreter, relative to its parent."""
    return {
        path.relative_to(folder.parent).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
