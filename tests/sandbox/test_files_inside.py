"""Which files a bot sees and may write in the real sandbox, started by root and by an ordinary user."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.core.errors import UsageError
from arena.sandbox.bubblewrap_status import SCRATCH, SHARED
from arena.sandbox.runtimes import Runtime, Runtimes
from tests.support.sandbox import (
    OPENED,
    ORDINARY,
    PATIENCE_S,
    PYTHON,
    Sandbox,
    needs_bwrap,
)

pytestmark = needs_bwrap
ROOT = Path(__file__).parents[2]


def test_no_file_of_the_host_can_be_read(inside: Sandbox) -> None:
    canary = inside.place / "canary"
    canary.write_text("the ledger")
    canary.chmod(0o644)
    there = [
        path for path in ("/etc/passwd", "/etc/hostname", "/dev/mem", "/dev/kmsg") if Path(path).exists()
    ]
    told = inside.run(OPENED, "r", *there, str(canary), str(ROOT / "pyproject.toml"), "/bot/../canary")
    assert told == "[]"


@pytest.fixture
def project(inside: Sandbox) -> Path:
    """Make a folder of the organiser that looks like an installation, with secrets in it."""
    folder = inside.place / "proj"
    for name in ("bin", "lib"):
        (folder / name).mkdir(parents=True)
    (folder / "bin" / "envtool").write_text('#!/bin/sh\nexec "$@"\n')
    (folder / "bin" / "envtool").chmod(0o755)
    for name, mode in ((".env", 0o600), ("config", 0o644)):
        (folder / name).write_text("PASSWORD=canary")
        (folder / name).chmod(mode)
        if inside.is_user:
            os.chown(folder / name, ORDINARY, ORDINARY)
    return folder


READ_SECRETS = """
import sys
for path in sys.argv[1:]:
    try: print(open(path).read())
    except OSError as error: print(type(error).__name__)
"""


def test_no_folder_is_shown_because_an_author_wrote_its_path(inside: Sandbox, project: Path) -> None:
    (inside.staged / "bot.py").write_text(READ_SECRETS)
    (inside.staged / "tool").symlink_to(project / "bin" / "envtool")
    words = ("/usr/bin/env", "python3", "bot.py", str(project / ".env"), str(project / "config"))
    paths = [
        str(project / "bin" / "envtool"),
        "../proj/bin/envtool",
        "./../proj/bin/envtool",
        "./tool",
        f"/bot/..{project}/bin/envtool",
        f"/usr/..{project}/bin/envtool",
        "/proc/self/exe",
    ]
    for path in paths:
        with pytest.raises(UsageError, match=r"path of this machine|bot.s folder"):
            inside.start_command((path, *words)).__enter__()
    with inside.start_command(words) as (process, _):
        told, errors = process.communicate(timeout=PATIENCE_S)
    assert told == "FileNotFoundError\nFileNotFoundError\n", f"arguments are only text: {errors}"


def test_of_a_listed_runtime_only_what_the_organiser_listed_is_shown(inside: Sandbox, project: Path) -> None:
    (inside.staged / "bot.py").write_text(READ_SECRETS)
    words = ("/usr/bin/env", "python3", "bot.py", str(project / ".env"), str(project / "config"))
    tool = project / "bin" / "envtool"
    for shows, told_of_config in (((tool,), "FileNotFoundError"), ((project,), "PASSWORD=canary")):
        inside.runtimes = Runtimes(listed=(Runtime("envtool", tool, shows),))
        with inside.start_command(("envtool", *words)) as (process, _):
            told, errors = process.communicate(timeout=PATIENCE_S)
        assert told.splitlines()[-1] == told_of_config, errors


def test_a_listed_runtime_comes_first_on_the_path(inside: Sandbox, project: Path) -> None:
    tool = project / "bin" / "envtool"
    inside.runtimes = Runtimes(listed=(Runtime("envtool", tool, (tool,)),))
    with inside.start_command(("envtool", "envtool", "sh", "-c", "command -v envtool")) as (process, _):
        assert process.communicate(timeout=PATIENCE_S)[0] == f"{tool}\n"


def test_a_listed_folder_that_holds_the_ledger_is_refused_at_the_start(
    inside: Sandbox, project: Path
) -> None:
    tool = project / "bin" / "envtool"
    inside.runtimes = Runtimes(listed=(Runtime("envtool", tool, (project,)),))
    inside.tools = replace(inside.tools, private=(project / "arena.sqlite",))
    with pytest.raises(UsageError, match="private"):
        inside.start_command(("envtool", "true")).__enter__()


def test_python_has_no_packages_inside(inside: Sandbox) -> None:
    told = inside.run(
        "import sys, ssl, sqlite3\nfrom importlib.util import find_spec\n"
        "print(sys.prefix, [name for name in ('msgspec', 'pytest', 'pip') if find_spec(name)], exit.__class__.__name__)"
    )
    if PYTHON == "python3":
        assert told == "/python [] Quitter"


def test_of_the_home_folder_only_an_interpreter_is_there(inside: Sandbox) -> None:
    home = Path.home()
    shown = Runtimes().find(PYTHON, inside.staged).shows
    places = [place for place in shown if place.is_relative_to(home)]
    told = inside.run(f"import os; print(os.listdir({str(home)!r}) if os.path.exists({str(home)!r}) else [])")
    assert told == str(sorted({place.relative_to(home).parts[0] for place in places}))


def test_only_the_scratch_can_be_written_to(inside: Sandbox) -> None:
    told = inside.run("""
import os
for folder, below, _ in os.walk("/"):
    if folder in ("/proc", "/usr"):
        below.clear()
    try:
        open(folder + "/canary", "w").close()
        print(folder)
    except OSError:
        pass
try:
    open("/bot/bot.py", "a")
    print("own program")
except OSError:
    pass
""")
    assert set(told.split("\n")) == {str(SCRATCH), str(SHARED)}
