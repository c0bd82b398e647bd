"""`python3` is a clean interpreter: nothing that the host installed or set reaches a bot."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.sandbox.account_slots import PROBE_SLOT
from arena.sandbox.bot_program import Bounds, Program, environment, stage
from arena.sandbox.confinement import UNCONFINED, Confinement, choose
from arena.sandbox.start import start
from tests.support.sandbox import needs_bwrap, open_folder

VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
BOT = """\
import json, os, sys
found = {}
for name in ("msgspec", "pip", "setuptools", "evil", "of_the_path", "usercustomize", "sitecustomize"):
    try:
        found[name] = __import__(name).__file__
    except ImportError:
        found[name] = None
print(json.dumps({
    "found": found,
    "path": sys.path,
    "user_site": sys.flags.no_user_site,
    "variables": sorted(name for name in os.environ if name.startswith("PYTHON")),
    "loaded": sorted(name for name in sys.modules if name in ("evil", "usercustomize", "sitecustomize")),
}))
"""


def told(confinement: Confinement, place: Path) -> dict[str, Any]:
    """Return what a Python bot finds."""
    (place / "files").mkdir()
    (place / "files" / "bot.py").write_text(BOT)
    stage(place / "files", place / "bot")
    (place / "scratch").mkdir()
    started = start(
        confinement,
        Program(place / "files", ("python3", "bot.py")),
        place / "bot",
        place / "scratch",
        slot=PROBE_SLOT,
        token="clean-python-test/1",  # noqa: S106 - a mark, not a secret
        engine=None,
    )
    os.close(started.stdin)
    with os.fdopen(started.stdout) as out, os.fdopen(started.stderr) as errors:
        said, wrong = out.read(), errors.read()
    started.popen.wait()
    if started.status is not None:
        started.status.close()
    assert not wrong
    found: dict[str, Any] = json.loads(said)
    return found


@pytest.mark.parametrize(
    "confined", [False, pytest.param(True, marks=[needs_bwrap, pytest.mark.slow])], ids=["process", "sandbox"]
)
def test_no_package_setting_or_path_of_the_host_reaches_a_bot(
    confined: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (
        tmp_path / "path",
        tmp_path / "home" / ".local" / "lib" / f"python{VERSION}" / "site-packages",
    ):
        folder.mkdir(parents=True)
        for name in ("evil", "of_the_path", "usercustomize", "sitecustomize"):
            (folder / f"{name}.py").write_text("")
        (folder / "evil.pth").write_text("import evil\n")
    for name, value in (
        ("HOME", tmp_path / "home"),
        ("PYTHONPATH", tmp_path / "path"),
        ("PYTHONUSERBASE", tmp_path / "home" / ".local"),
        ("PYTHONSTARTUP", tmp_path / "path" / "evil.py"),
        ("PYTHONINSPECT", 1),
        ("PYTHONWARNINGS", "error"),
    ):
        monkeypatch.setenv(name, str(value))
    confinement = choose("auto", Bounds())[0] if confined else UNCONFINED
    with open_folder() as place:
        found = told(confinement, place)
        bot = "/bot" if confined else str(place / "bot")
    assert set(found["found"].values()) == {None}
    ours = environment("", Path(), None)
    assert found["variables"] == sorted(name for name in ours if name.startswith("PYTHON"))
    assert not set(ours) & {"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONUSERBASE"}
    assert found["loaded"] == []
    first, *others = found["path"]
    assert first == bot
    assert not [entry for entry in others if str(tmp_path) in entry]
    packages = [entry for entry in others if "site-packages" in entry or "dist-packages" in entry]
    assert packages in ([], [f"{'' if confined else place}/python/lib/python{VERSION}/site-packages"])
