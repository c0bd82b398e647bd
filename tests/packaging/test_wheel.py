"""The wheel has all that belongs in it and nothing else, and what it installs works anywhere."""

import json
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.support.tree import ROOT, SHIPPED, copy_of, files_below

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("wheel")]


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the source distribution and of the wheel that is built from it."""
    files = (*SHIPPED, "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")
    tree = copy_of((*files, "tests", "docs"), tmp_path_factory.mktemp("build") / "tree")
    (tree / "arena-demo").mkdir()
    (tree / "arena-demo/arena.sqlite").write_bytes(b"a ledger of somebody's")
    folder = tree.parent / "dist"
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(tree)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (path,) = dist.glob("*.whl")
    return path


def test_the_wheel_holds_every_file_of_the_packages_and_of_the_bots(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    expected = {name for folder in SHIPPED for name in files_below(ROOT / folder)}
    (manual,) = {name for name in names if name.endswith(".data/data/share/man/man1/arena.1")}
    assert names - {manual} == expected - {"arena/cli/arena.1"}


def test_what_is_read_at_run_time_is_there(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {"protocol/kit.py", "protocol/schema-v1.json", "arena/py.typed"} <= set(names)
    for ending in ("/bot.toml", "/bot.py", ".js"):
        assert any(name.startswith("bots/") and name.endswith(ending) for name in names), ending


def test_the_source_distribution_has_no_ledger_and_no_tests(dist: Path) -> None:
    (archive,) = dist.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        tops = {name.split("/")[1] for name in opened.getnames() if "/" in name}
    assert not tops & {"arena-demo", "tests", "docs"}


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the bin folder of an environment with the wheel and what it needs, and nothing else."""
    folder = tmp_path_factory.mktemp("installed") / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    pip = [
        str(folder / "bin/python"),
        "-m",
        "pip",
        "install",
        "-qq",
        "--disable-pip-version-check",
        "--use-pep517",
    ]
    locked = [*pip, "--require-hashes", "--no-build-isolation", "-r"]
    for command in (
        [*locked, str(ROOT / "requirements-build.lock")],
        [*locked, str(ROOT / "requirements.lock")],
        [*pip, "--no-deps", "--no-index", str(wheel)],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "bin"


def run(program: Path, *arguments: str, cwd: Path) -> str:
    """Return what a program prints, run in a folder with a bare environment."""
    done = subprocess.run(
        [str(program), *arguments],
        cwd=cwd,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(cwd), "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, f"{program.name} {' '.join(arguments)}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_the_installed_program_tells_its_version(installed: Path, wheel: Path, tmp_path: Path) -> None:
    assert wheel.name.split("-")[1] in run(installed / "arena", "--version", cwd=tmp_path)


def test_the_installed_manual_is_found(installed: Path) -> None:
    manual = installed.parent / "share/man/man1/arena.1"
    assert manual.read_bytes() == (ROOT / "arena/cli/arena.1").read_bytes()
    if (man := shutil.which("man")) is None:
        pytest.skip("there is no man to find it with")
    found = subprocess.run(
        [man, "-w", "arena"],
        env={"PATH": f"{installed}:/usr/local/bin:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout.strip() == str(manual), found.stderr


def test_the_installed_bots_are_found(installed: Path, tmp_path: Path) -> None:
    code = "from arena.submissions.manifest import bundled_bots; print(bundled_bots())"
    folder = Path(run(installed / "python", "-c", code, cwd=tmp_path).strip())
    assert folder.is_relative_to(installed.parent)
    assert list(folder.rglob("bot.toml"))


def test_the_installed_program_makes_bots_from_its_templates(installed: Path, tmp_path: Path) -> None:
    for language in ("python", "javascript", "c", "rust", "go"):
        run(installed / "arena", "new", language, "-g", "sandwich", "-l", language, cwd=tmp_path)
    run(installed / "python", "-m", "unittest", cwd=tmp_path / "python")
    bots = [str(tmp_path / "python"), "bots/sandwich/greedy", "bots/any_game/random"]
    played = run(installed / "arena", "match", *bots, "--format", "json", cwd=tmp_path)
    assert [row["verdict"] for row in json.loads(played)] == ["", "", ""]


def test_the_installed_demo_plays_in_an_empty_folder_and_writes_nothing_elsewhere(
    installed: Path, tmp_path: Path
) -> None:
    before = files_below(installed.parent)
    printed = run(installed / "arena", "demo", "--rounds", "5", cwd=tmp_path)
    assert "random" in printed
    written = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    kept = {path for path in written if path.parts[0] != "arena-demo"}
    assert kept <= {Path(".cache/arena/sandbox.json")}, "the result of the sandbox's trials is all it keeps"
    assert files_below(installed.parent) == before
