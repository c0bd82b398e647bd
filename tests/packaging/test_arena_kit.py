"""The Python kit as a package of its own: the wheel holds the file that `kit = true` adds, and nothing else."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.tree import ROOT, copy_of

FOLDER = "kits/arena-kit"


def test_its_module_is_the_kit() -> None:
    assert (ROOT / FOLDER / "arena_kit.py").resolve() == ROOT / "protocol/kit.py"


@pytest.mark.slow
def test_a_wheel_and_a_source_distribution_of_it_can_be_built(tmp_path: Path) -> None:
    tree = copy_of(("protocol",), tmp_path / "tree") / FOLDER
    tree.mkdir(parents=True)
    (tree / "pyproject.toml").write_bytes((ROOT / FOLDER / "pyproject.toml").read_bytes())
    (tree / "arena_kit.py").symlink_to((ROOT / FOLDER / "arena_kit.py").readlink())
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path / "dist"), str(tree)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (tmp_path / "dist").glob("*.whl")  # made from the source distribution
    with zipfile.ZipFile(wheel) as opened:
        modules = [name for name in opened.namelist() if ".dist-info/" not in name]
        assert modules == ["arena_kit.py"]
        assert opened.read("arena_kit.py") == (ROOT / "protocol/kit.py").read_bytes()
    environment = tmp_path / "environment"
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--no-index", "--target"]
    subprocess.run([*pip, str(environment), str(wheel)], check=True)
    code = "import arena_kit; print(arena_kit.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(environment)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(done.stdout.strip()).parent == environment
