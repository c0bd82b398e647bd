"""Which program a command means, and what is refused with what to write instead."""

import os
import pickle
import shutil
import sys
from pathlib import Path

import pytest

from arena.core.errors import UsageError
from arena.sandbox import runtimes as module
from arena.sandbox.confinement import Confinement
from arena.sandbox.runtimes import SYSTEM, Found, Origin, Runtime, Runtimes, own_python, python_name


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """Make a bot's folder, with a folder of the organiser beside it."""
    folder = tmp_path / "bot"
    (folder / "bin").mkdir(parents=True)
    for name in ("bot.py", "run", "bin/run"):
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    organisers = tmp_path / "proj"
    (organisers / "bin").mkdir(parents=True)
    (organisers / "lib").mkdir()
    shutil.copy("/bin/sh", organisers / "bin" / "envtool")
    return folder


def refused(name: str, folder: Path, runtimes: Runtimes | None = None) -> UsageError:
    with pytest.raises(UsageError) as caught:
        (runtimes or Runtimes()).find(name, folder)
    return caught.value


def test_python_is_arenas_own(bot: Path) -> None:
    python = own_python()
    for name in ("python", "python3"):
        assert Runtimes().find(name, bot) == Found(python.program, python.shows, Origin.PYTHON)


@pytest.mark.parametrize("name", ["./run", "bin/run", "./bin/../bin/run", "bin//run", "./bin/./run"])
def test_a_path_is_a_file_of_the_bot(bot: Path, name: str) -> None:
    if ".." in name:
        assert "out of the bot's folder" in str(refused(name, bot))
    else:
        found = Runtimes().find(name, bot)
        assert (found.program, found.shows, found.origin) == (bot / Path(name), (), Origin.BOT)


@pytest.mark.parametrize(
    "name",
    ["../proj/bin/envtool", "./../proj/bin/envtool", "bin/../../proj/bin/envtool", "../bot/run", "./.."],
)
def test_a_path_does_not_lead_out_of_the_bots_folder(bot: Path, name: str) -> None:
    error = refused(name, bot)
    assert str(error) == f"the command's program {name!r} leads out of the bot's folder"


@pytest.mark.parametrize("name", ["./missing", "bin/sh", "./bin", "bin/", "./" + "x" * 300])
def test_what_is_no_file_of_the_bot_is_looked_for_nowhere_else(bot: Path, name: str) -> None:
    assert "not in the bot's folder" in str(refused(name, bot))


@pytest.mark.parametrize("name", ["./run\0", "sh\0", "/bin/sh\0"])
def test_no_name_has_a_zero_byte(bot: Path, name: str) -> None:
    assert "is not the name of a program" in str(refused(name, bot))


def test_links_in_the_bots_folder_lead_nowhere(bot: Path) -> None:
    (bot / "tool").symlink_to(bot.parent / "proj" / "bin" / "envtool")
    (bot / "proj").symlink_to(bot.parent / "proj")
    (bot / "loop").symlink_to("loop")
    for name in ("./tool", "proj/bin/envtool", "./loop"):
        assert "not in the bot's folder" in str(refused(name, bot))


@pytest.mark.parametrize("path", ["/usr/bin/env", "/bin/sh"])
def test_a_program_in_a_system_folder_shows_nothing_more(bot: Path, path: str) -> None:
    assert Runtimes().find(path, bot) == Found(Path(path), (), Origin.SYSTEM)


def test_an_absolute_path_anywhere_else_is_refused_with_what_to_write(bot: Path) -> None:
    tool = bot.parent / "proj" / "bin" / "envtool"
    error = refused(str(tool), bot, Runtimes(where="[runtimes] in /me/settings.toml"))
    assert f"{str(tool)!r} is a path of this machine" in str(error)
    assert '"./FILE"' in error.hint
    assert "list more programs under [runtimes] in /me/settings.toml" in error.hint
    assert 'write "python3"' in refused(str(tool.with_name("python3.11")), bot).hint
    assert 'write "sh"' in refused(str(tool.with_name("sh")), bot).hint
    listed = Runtimes(listed=(Runtime("envtool", tool, (tool,)),))
    assert 'write "envtool"' in refused(str(tool), bot, listed).hint


@pytest.mark.parametrize(
    "path",
    [
        "/proc/self/exe", "/bot/run", "/bot/../etc/passwd", "/usr/../etc/passwd", "/usr/bin/../../proc/self/exe",
        "/engine/x", "/opt/x", "/", "//", "/etc/passwd", "/dev/stdin", "/usrlocal/tool",
    ],
)  # fmt: skip
def test_no_other_path_of_the_machine_or_of_the_sandbox_is_a_program(bot: Path, path: str) -> None:
    assert "path of this machine" in str(refused(path, bot))


def test_system_paths_have_to_be_programs(bot: Path) -> None:
    assert "there is no program '/usr/bin/no-such-program'" in str(refused("/usr/bin/no-such-program", bot))
    assert "there is no program '/usr/bin'" in str(refused("/usr/bin", bot))
    plain = next(
        file for file in Path("/usr/share").rglob("*") if file.is_file() and not os.access(file, os.X_OK)
    )
    assert "is not executable" in str(refused(str(plain), bot))


def test_names_are_looked_for_in_the_system_and_not_on_the_organisers_path(
    bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = bot.parent / "proj" / "bin" / "envtool"
    tool.with_name("sh").symlink_to("envtool")
    monkeypatch.setenv("PATH", str(tool.parent), prepend=":")
    found = Runtimes().find("sh", bot)
    assert (found.origin, found.shows) == (Origin.SYSTEM, ())
    assert str(found.program) in ("/usr/bin/sh", "/bin/sh", "/usr/local/bin/sh")
    error = refused("envtool", bot, Runtimes(where="[runtimes] in /me/settings.toml"))
    assert str(error) == "the bot needs the program 'envtool', which is not installed here"
    assert f"it is at {tool}" in error.hint
    assert f'envtool = "{tool.parent.parent}" under [runtimes] in /me/settings.toml' in error.hint


def test_a_name_that_is_no_program_gets_advice(bot: Path) -> None:
    assert "did you mean 'python3'?" in refused("pyhton3", bot).hint
    for name in ("python4", "python3.99", "py", "python.exe"):
        assert refused(name, bot).hint == 'write "python3", the Python that Arena runs on'
    assert refused("sh5.2", bot).hint == "did you mean 'sh'?"
    assert 'write "./bot.py"' in refused("bot.py", bot).hint
    assert "install no-such-program, or list it under [runtimes]" in refused("no-such-program", bot).hint
    assert refused("x" * 300, bot)


def test_a_listed_runtime_is_found_by_its_name_before_the_systems(bot: Path) -> None:
    tool = bot.parent / "proj" / "bin" / "envtool"
    runtimes = Runtimes(listed=(Runtime("sh", tool, (tool.parent.parent,)),))
    assert runtimes.find("sh", bot) == Found(tool, (tool.parent.parent,), Origin.LISTED)
    assert runtimes.find("/bin/sh", bot).origin is Origin.SYSTEM
    assert runtimes.file_name("sh") == "envtool"
    assert runtimes.file_name("/usr/bin/java") == "java"


def test_no_program_is_named_by_its_path_on_the_machine(bot: Path) -> None:
    tool = bot.parent / "proj" / "bin" / "envtool"
    listed = Runtimes(listed=(Runtime("tool", tool, (tool,)),), where="[runtimes] in /me/settings.toml")
    error = refused(str(tool), bot, listed)
    assert "is a path of this machine" in str(error)
    assert "under [runtimes] in /me/settings.toml" in error.hint
    python = own_python()
    for path in (sys.executable, str(python.program), "/proc/self/exe"):
        if not path.startswith("/usr"):
            assert "is a path of this machine" in str(refused(path, bot))
    assert [python_name(name) for name in ("python", "python3", "/x/bin/python", "/x/bin/python3.12")] == [
        "python", "python3", "python", "python3",
    ]  # fmt: skip


def test_workers_get_the_runtimes_with_their_work(bot: Path) -> None:
    tool = bot.parent / "proj" / "bin" / "envtool"
    runtimes = Runtimes(listed=(Runtime("envtool", tool, (tool,)),), where="[runtimes] in /me/settings.toml")
    given = pickle.loads(pickle.dumps(Confinement(runtimes=runtimes))).runtimes  # noqa: S301 - our own
    assert given == runtimes
    assert given.find("envtool", bot) == runtimes.find("envtool", bot)


def test_a_link_out_of_the_systems_folders_is_not_followed(
    bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = bot.parent / "usr"
    (system / "bin").mkdir(parents=True)
    tool = bot.parent / "proj" / "bin" / "envtool"
    (system / "bin" / "envtool").symlink_to(tool)
    (system / "bin" / "same").symlink_to("../lib/same")
    (system / "lib").mkdir()
    shutil.copy("/bin/sh", system / "lib" / "same")
    monkeypatch.setattr("arena.sandbox.runtimes.SYSTEM", (*SYSTEM, system))
    monkeypatch.setattr(module, "PATH", str(system / "bin"))
    assert Runtimes().find("same", bot).shows == ()
    error = refused("envtool", bot)
    assert f"is a link to {str(tool)!r}, which bots can't see" in str(error)
    assert f'envtool = "{tool.parent.parent}"' in error.hint
