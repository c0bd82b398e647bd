"""A store as it was once: it opens, verifies, is shown to the last byte as it was, and its leagues go on.

store-5.tar.xz is never made again (make_store.py tells how it was). What commands said of it then is in store-5.txt;
`pytest tests/invariants --update` writes that anew, where what is shown was meant to change. After a change of the
store's format it is brought up to date first, as stores of users are.
"""

import shlex
import shutil
import tarfile
from pathlib import Path

import pytest

from results.store import open_store
from tests.league.running import arena_here, play_here

PACKED = Path(__file__).parent / "store-5.tar.xz"
SHOWN = Path(__file__).parent / "store-5.txt"
LEAGUES = ("spring", "summer", "autumn", "cup", "compare-1")
OF_A_LEAGUE = (
    *("rankings", "rankings --min-matches 1", "matrix", "matrix --by games", "history", "faults --log"),
    *("faults --platform", "stats --view seats", "stats --view tables", "stats --view faults"),
    *("stats --view time", "stats --view luck", "replay list", "league placing", "league status"),
)
"""Commands that are asked about every league, in every format."""
OTHERS = (
    *(f"{command} --format {form}" for form in ("table", "json", "csv", "md") for command in ("bots --all",)),
    *(f"league status --format {form}" for form in ("table", "json", "csv", "md")),
    *("stats spring", "stats autumn", "stats autumn --bot fay", "history spring --bot bob"),
    *("replay show spring/11.0", "replay show spring/11.0 --boards", "replay show spring/11.1 --seat 0"),
    *("replay show autumn/3.0", "replay show cup/0.0 --public --boards", "replay show summer/0.0 --boards"),
    *("replay show summer/3.0", "replay show spring/0.0", "replay show casual/0.0", "replay show autumn/1.1"),
    *(
        "replay export spring/11.1",
        "replay export summer/0.2",
        "replay export autumn/3.2",
        "replay export cup/0.0",
    ),
    *(
        "replay list casual --format json",
        "replay list autumn --verdict illegal",
        "replay list spring --bot ann",
    ),
    *(f"replay verify {league}" for league in ("spring", "autumn", "cup")),
    *(f"db digest {league}" for league in (*LEAGUES, "casual")),
    *("league audit spring", "league audit autumn", "league audit summer"),
)
FORMATS = ("table", "json", "csv", "md")
COMMANDS = (
    *(f"{command} {league} --format {form}" for command in OF_A_LEAGUE for league in LEAGUES for form in
      (FORMATS if league in ("spring", "autumn") else FORMATS[:2])),
    *OTHERS,
)  # fmt: skip
QUICK = (
    *(
        f"{command} {LEAGUES[number % 5]} --format {FORMATS[number % 2]}"
        for number, command in enumerate(OF_A_LEAGUE)
    ),
    *(f"rankings spring --format {form}" for form in FORMATS),
    *(f"replay {how}" for how in ("show spring/11.0 --boards", "export cup/0.0", "verify cup")),
    *("bots --all --format csv", "league status --format md", "db digest autumn", "league audit spring"),
)
"""Each of the commands once, and each league and format."""
GOES_ON = "summer"
AFTER = f"\n{GOES_ON} is played to its end\n\n"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the store, brought up to date."""
    folder = tmp_path_factory.mktemp("store")
    with tarfile.open(PACKED) as packed:
        packed.extractall(folder, filter="data")
    open_store(folder / "arena.sqlite").close()
    return folder


def shown(folder: Path, command: str) -> str:
    """Return what a command prints on standard output, and its exit code."""
    with pytest.MonkeyPatch.context() as terminal:
        terminal.setenv("COLUMNS", "120")
        done = arena_here(*shlex.split(command), cwd=folder)
    return f"$ arena {command}\n{done.stdout}[exit code {done.returncode}]\n"


def gone_on(folder: Path) -> str:
    """Return what is shown of the league that was half played, once it is played to its end."""
    assert play_here(folder, GOES_ON)
    assert arena_here("db", "verify", cwd=folder).returncode == 0
    return shown(folder, f"db digest {GOES_ON}") + shown(folder, f"rankings {GOES_ON} --format json")


@pytest.fixture(scope="module")
def said_then(
    opened: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> dict[str, str]:
    """Return what each command showed, and below `AFTER` what the league that went on came to."""
    if request.config.getoption("--update"):
        further = tmp_path_factory.mktemp("further") / "store"
        shutil.copytree(opened, further)
        text = "".join(shown(opened, command) for command in COMMANDS)
        SHOWN.write_text(f"{text}{AFTER}{gone_on(further)}", encoding="utf-8")
    before, _, after = SHOWN.read_text(encoding="utf-8").partition(AFTER)
    parts = ("\n" + before).split("\n$ arena ")[1:]
    said = {part.partition("\n")[0]: "$ arena " + part.removesuffix("\n") + "\n" for part in parts}
    return {**said, AFTER: after}


@pytest.mark.parametrize(
    "commands",
    [pytest.param(QUICK, id="quick"), pytest.param(COMMANDS, id="all", marks=pytest.mark.slow)],
)
def test_every_command_shows_what_it_showed(
    commands: tuple[str, ...], opened: Path, said_then: dict[str, str]
) -> None:
    assert said_then.keys() == {*COMMANDS, AFTER}
    different = [command for command in commands if shown(opened, command) != said_then[command]]
    assert not different, "\n".join(
        f"{said_then[command]}is now\n{shown(opened, command)}" for command in different[:3]
    )


def test_it_verifies(opened: Path) -> None:
    assert arena_here("db", "verify", cwd=opened).returncode == 0


def test_a_half_played_league_goes_on_to_the_end_it_would_have_had(
    opened: Path, tmp_path: Path, said_then: dict[str, str]
) -> None:
    shutil.copytree(opened, tmp_path, dirs_exist_ok=True)
    assert gone_on(tmp_path) == said_then[AFTER]
