"""The organiser's settings file: where it is looked for, whom it may belong to, what it may list."""

import os
import shutil
from pathlib import Path

import pytest

from arena.config.settings import read_runtimes, settings_path
from arena.core.errors import BadFile, UsageError
from arena.sandbox.runtimes import Runtime, Runtimes


class Machine:
    """A settings file, and places that it may name."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.file = place / "arena" / "settings.toml"
        self.file.parent.mkdir(mode=0o755)

    def installed(self, *parts: str) -> Path:
        """Make a program; return its path."""
        program = self.place.joinpath(*parts)
        program.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy("/bin/sh", program)
        return program

    def read(self, text: str, private: tuple[Path, ...] = ()) -> Runtimes:
        """Return what the file lists; PLACE in the text stands for where the places are."""
        self.file.write_text("[runtimes]\n" + text.replace("PLACE", str(self.place)))
        self.file.chmod(0o644)
        return read_runtimes(private)

    def refused(self, text: str, private: tuple[Path, ...] = ()) -> str:
        """Return what is said of a file that is refused, its hint behind it."""
        with pytest.raises(BadFile) as caught:
            self.read(text, private)
        return f"{caught.value} {caught.value.hint}"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path)
    monkeypatch.setenv("ARENA_SETTINGS", str(machine.file))
    return machine


def test_where_it_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_SETTINGS")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert settings_path() == tmp_path / ".config" / "arena" / "settings.toml"
    monkeypatch.setenv("XDG_CONFIG_HOME", "here")
    assert settings_path() == tmp_path / ".config" / "arena" / "settings.toml", (
        "relative paths are void there"
    )
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "xdg"))
    assert settings_path() == tmp_path / "xdg" / "arena" / "settings.toml"
    assert read_runtimes().listed == (), "there need be none"
    monkeypatch.setenv("ARENA_SETTINGS", str(tmp_path / "mine.toml"))
    assert settings_path() == tmp_path / "mine.toml"
    with pytest.raises(BadFile, match=r"ARENA_SETTINGS names .*mine\.toml, but there is no such file"):
        read_runtimes()
    monkeypatch.setenv("ARENA_SETTINGS", "")
    assert settings_path() is None


def test_never_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("settings.toml").write_text("")
    monkeypatch.setenv("ARENA_SETTINGS", "settings.toml")
    with pytest.raises(UsageError, match="not an absolute path"):
        read_runtimes()


def test_a_folder_is_shown_whole_and_its_program_started(machine: Machine) -> None:
    node = machine.installed("node", "v22", "bin", "node")
    tool = machine.installed("tool", "tool")
    listed = machine.read('node = "PLACE/node/v22"\ntool = "PLACE/tool"').listed
    assert listed == (
        Runtime("node", node, (machine.place / "node" / "v22",)),
        Runtime("tool", tool, (machine.place / "tool",)),
    )


def test_a_program_is_shown_alone_or_with_what_it_needs(machine: Machine) -> None:
    program = machine.installed("x", "bin", "tool-1.2")
    (machine.place / "data").mkdir()
    shows = '{ program = "PLACE/x/bin/tool-1.2", shows = ["PLACE/data", "PLACE/x"] }'
    runtimes = machine.read(f'alone = "PLACE/x/bin/tool-1.2"\nwith = {shows}\nsystems = "/bin/sh"')
    assert runtimes.listed == (
        Runtime("alone", program, (program,)),
        Runtime("with", program, (machine.place / "data", machine.place / "x")),
        Runtime("systems", Path("/bin/sh"), ()),
    )
    assert runtimes.where == f"[runtimes] in {machine.file}"


def test_a_changed_file_is_read_anew(machine: Machine) -> None:
    assert machine.read("").listed == ()
    machine.installed("tool")
    assert len(machine.read('tool = "PLACE/tool"').listed) == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('node = "node"', ["settings.toml:2: runtimes.node: 'node' is not an absolute path"]),
        ('node = "PLACE/../x"', ["runtimes.node:", "not an absolute path"]),
        ('node = "PLACE/missing"', ["settings.toml:2: runtimes.node: there is no", "correct the path"]),
        ('node = "PLACE/empty"', ["neither bin/node nor node in", "program ="]),
        ('plain = "PLACE/plain"', ["plain is not executable", "chmod +x"]),
        ('python3 = "/usr"', ["this name is Arena's own Python", "another name"]),
        ('python3.12 = "/usr"', ["runtimes.python3:", "needs quotes"]),
        ('"a/b" = "/bin/sh"', ["not a valid program name"]),
        ("node = 7", ["neither text nor a table", 'node = "/opt/node"']),
        ("node = {}", ["runtimes.node: the key 'program' is missing"]),
        ('node = { program = "/bin/sh", show = [] }', ["unknown key 'show'; did you mean 'shows'?"]),
        ('node = { program = "/bin/sh", shows = ["lib"] }', ["runtimes.node.shows: 'lib' is not an absolute path"]),
        ('node = { program = "/bin/sh", shows = "/opt" }', ["runtimes.node.shows: ", "a list"]),
        ('node = { program = "PLACE/empty" }', ["program:", "is a folder"]),
        ('link = "PLACE/link"', ["is a link to", "secret/tool, which bots would not see"]),
        ('root = { program = "/bin/sh", shows = ["/"] }', ["bots must not see all of /"]),
        ('home = { program = "/bin/sh", shows = ["PLACE/me"] }', ["which is private"]),
        ('home = { program = "/bin/sh", shows = ["PLACE"] }', ["which is private"]),
        ('store = { program = "/bin/sh", shows = ["PLACE/league"] }', ["arena.sqlite, which is private"]),
        ('here = { program = "/bin/sh", shows = ["PLACE/here"] }', ["here, which is private"]),
        ('etc = { program = "/bin/sh", shows = ["/etc"] }', ["bots must not see all of /etc"]),
        ('proc = { program = "/bin/sh", shows = ["/proc/self"] }', ["not see anything in /proc"]),
        ('dev = { program = "/bin/sh", shows = ["/dev/shm"] }', ["not see anything in /dev"]),
    ],
)  # fmt: skip
def test_what_is_refused_is_named(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, line: str, words: list[str]
) -> None:
    for name in ("empty", "me", "league", "here"):
        (machine.place / name).mkdir()
    (machine.place / "plain").write_text("no program")
    (machine.place / "link").symlink_to(machine.installed("secret", "tool"))
    monkeypatch.setenv("HOME", str(machine.place / "me"))
    monkeypatch.chdir(machine.place / "here")
    told = machine.refused(line, (machine.place / "league" / "arena.sqlite",))
    for word in words:
        assert word in told


def test_a_private_folder_behind_a_link_is_found(machine: Machine) -> None:
    (machine.place / "league").mkdir()
    (machine.place / "shown").symlink_to("league")
    line = 'x = { program = "/bin/sh", shows = ["PLACE/shown"] }'
    assert "private" in machine.refused(line, (machine.place / "league",))


def test_an_environment_is_listed_with_the_python_it_links_to(machine: Machine) -> None:
    base = machine.installed("python", "bin", "python3.12")
    (machine.place / "python" / "lib").mkdir()
    link = machine.place / "venv" / "bin" / "python3"
    link.parent.mkdir(parents=True)
    link.symlink_to(base)
    line = 'sci = { program = "PLACE/venv/bin/python3", shows = ["PLACE/venv"] }'
    told = machine.refused(line)
    assert f"is a link to {base}" in told
    right = f'sci = {{ program = "{link}", shows = ["{machine.place}/venv", "{machine.place}/python"] }}'
    assert right in told
    assert machine.read(right).listed[0].shows == (machine.place / "python", machine.place / "venv")


def test_unknown_keys_of_the_file_are_refused(machine: Machine) -> None:
    machine.file.write_text("[runtime]\n")
    with pytest.raises(BadFile, match="unknown key 'runtime'; did you mean 'runtimes'"):
        read_runtimes()


@pytest.mark.parametrize("name", ["settings.toml", "arena"])
@pytest.mark.parametrize("mode", [0o020, 0o002])
def test_a_file_that_others_can_change_is_not_used(machine: Machine, name: str, mode: int) -> None:
    assert machine.read("").listed == ()
    place = machine.file if name == machine.file.name else machine.file.parent
    place.chmod(0o755 | mode)
    with pytest.raises(BadFile, match="others may write to") as caught:
        read_runtimes()
    assert caught.value.hint == f"chmod go-w {place}"


def test_a_link_does_not_hide_who_can_change_the_file(machine: Machine) -> None:
    shared = machine.place / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    (shared / "settings.toml").write_text("")
    (shared / "settings.toml").chmod(0o644)
    machine.file.symlink_to(shared / "settings.toml")
    with pytest.raises(BadFile, match=f"others may write to {shared}"):
        read_runtimes()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
def test_a_file_of_another_user_is_not_used(machine: Machine) -> None:
    machine.read("")
    os.chown(machine.file, 65_000, 65_000)
    with pytest.raises(BadFile, match="belongs to another user"):
        read_runtimes()


def test_what_is_no_file_is_refused(machine: Machine) -> None:
    os.mkfifo(machine.file)
    with pytest.raises(BadFile, match="is not a file"):
        read_runtimes()
