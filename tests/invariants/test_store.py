"""A store as it was once: it opens, verifies, is shown to the last byte as it was, and its leagues go on.

store-1.tar.xz is never made again (make_store.py tells how it was). shown.json has a hash of what each command printed
and each page said; `pytest tests/invariants --update` writes it anew, where what is shown was meant to change. What
differs is seen by `record.py`, run with two checkouts.
"""

import json
import shutil
from pathlib import Path

import pytest

from tests.invariants.facts import short
from tests.support.leagues import arena_here, play_here
from tests.support.record import COMMANDS, FORMATS, LEAGUES, OF_A_LEAGUE, everything, shown, unpacked

PACKED = Path(__file__).parent / "store-1.tar.xz"
SHOWN = Path(__file__).parent / "shown.json"
QUICK = (
    *(
        f"{command} {LEAGUES[number % 5]} --format {FORMATS[number % 2]}"
        for number, command in enumerate(OF_A_LEAGUE)
    ),
    *(f"rankings spring --format {form}" for form in FORMATS),
    *(f"replay {how}" for how in ("show spring/11.0 --boards", "export cup/0.0", "verify cup")),
    *(
        "bots --all --format csv",
        "league list --format md",
        "db digest autumn",
        "league verify-deals spring",
    ),
)
"""Each of the commands once, and each league and format."""
GOES_ON = "summer"
AFTER = f"{GOES_ON} is played to its end"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the store, brought up to date."""
    return unpacked(PACKED, tmp_path_factory.mktemp("store")).parent


def gone_on(folder: Path) -> str:
    """Return the hash of what is shown of the league that was half played, once it is played to its end."""
    assert play_here(folder, GOES_ON)
    assert arena_here("db", "verify", cwd=folder).returncode == 0
    return short(shown(folder, f"db digest {GOES_ON}") + shown(folder, f"rankings {GOES_ON} --format json"))


def hashes(folder: Path) -> dict[str, str]:
    """Return the hash of what each command and page shows of the store, which is unpacked into a folder."""
    return {name: short(text) for name, text in everything(unpacked(PACKED, folder).parent)}


@pytest.fixture(scope="module")
def said_then(
    opened: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, str]:
    """Return the hash of what each command and page showed, and of what the league that went on came to."""
    if request.config.getoption("--update"):
        further = tmp_path_factory.mktemp("further") / "store"
        shutil.copytree(opened, further)
        found = hashes(tmp_path_factory.mktemp("shown"))
        SHOWN.write_text(json.dumps({**found, AFTER: gone_on(further)}, indent=0) + "\n", encoding="utf-8")
    written: dict[str, str] = json.loads(SHOWN.read_text(encoding="utf-8"))
    return written


def test_the_commands_show_what_they_showed(opened: Path, said_then: dict[str, str]) -> None:
    assert {f"arena {command}" for command in COMMANDS} < said_then.keys()
    different = [
        text for command in QUICK if short(text := shown(opened, command)) != said_then[f"arena {command}"]
    ]
    assert not different, "is shown in another way now:\n" + "\n".join(different[:3])


@pytest.mark.slow
def test_every_command_and_page_shows_what_it_showed(tmp_path: Path, said_then: dict[str, str]) -> None:
    assert hashes(tmp_path) == {name: text for name, text in said_then.items() if name != AFTER}


def test_it_verifies(opened: Path) -> None:
    assert arena_here("db", "verify", cwd=opened).returncode == 0


def test_a_half_played_league_goes_on_to_the_end_it_would_have_had(
    opened: Path, tmp_path: Path, said_then: dict[str, str]
) -> None:
    shutil.copytree(opened, tmp_path, dirs_exist_ok=True)
    assert gone_on(tmp_path) == said_then[AFTER]
