"""What is shown of the folders that interpreters live in, and what is not."""

import sys
from pathlib import Path

import pytest

from arena.core.errors import UsageError
from arena.sandbox.interpreter import parents, real_program, shown_places


def installed(folder: Path, name: str = "node") -> Path:
    """Make something that looks like an installation, and return its program."""
    (folder / "bin").mkdir(parents=True)
    (folder / "lib").mkdir()
    (folder / "bin" / name).touch()
    return folder / "bin" / name


def test_what_is_below_usr_is_seen_anyway() -> None:
    assert shown_places("/usr/bin/env", ()) == ()
    assert shown_places("/bin/sh", ()) == ()


def test_an_installation_is_shown_whole(tmp_path: Path) -> None:
    program = installed(tmp_path / "versions" / "v20")
    assert shown_places(str(program), (tmp_path,)) == (tmp_path / "versions" / "v20",)


def test_links_are_shown_with_all_that_they_lead_through(tmp_path: Path) -> None:
    program = installed(tmp_path / "v20.1")
    (tmp_path / "v20").symlink_to("v20.1")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "node").symlink_to("../v20/bin/node")
    shown = shown_places(str(tmp_path / "links" / "node"), ())
    assert shown == (tmp_path / "links" / "node", tmp_path / "v20", tmp_path / "v20.1")
    assert real_program(str(tmp_path / "links" / "node")) == str(program)


def test_a_program_of_another_name_keeps_the_name_it_is_called_by(tmp_path: Path) -> None:
    installed(tmp_path / "box", "busybox")
    (tmp_path / "sh").symlink_to("box/bin/busybox")
    assert real_program(str(tmp_path / "sh")) == str(tmp_path / "sh")
    assert real_program(sys.executable) == sys.executable


@pytest.mark.parametrize("private", [".", "share/keyrings", "bin"])
def test_a_folder_with_private_files_is_never_shown_whole(tmp_path: Path, private: str) -> None:
    program = installed(tmp_path / ".local")
    assert shown_places(str(program), (tmp_path / ".local" / private,)) == (program,)


def test_a_program_without_an_installation_is_shown_alone(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bot").touch()
    assert shown_places(str(tmp_path / "bin" / "bot"), ()) == (tmp_path / "bin" / "bot",)


def test_links_that_lead_nowhere_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert set(shown_places(str(tmp_path / "a"), ())) == {tmp_path / "a", tmp_path / "b"}


def test_our_own_python_is_shown_with_its_environment_and_its_base(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = installed(tmp_path / "base" / "3.11", "python3.11")
    (tmp_path / "league" / ".venv" / "bin").mkdir(parents=True)
    python = tmp_path / "league" / ".venv" / "bin" / "python"
    python.symlink_to(base)
    monkeypatch.setattr(sys, "executable", str(python))
    for name in ("prefix", "exec_prefix"):
        monkeypatch.setattr(sys, name, str(tmp_path / "league" / ".venv"))
        monkeypatch.setattr(sys, f"base_{name}", str(tmp_path / "base" / "3.11"))
    wanted = (tmp_path / "base" / "3.11", tmp_path / "league" / ".venv")
    assert shown_places(str(python), (tmp_path, tmp_path / "league")) == wanted

    monkeypatch.setattr(sys, "prefix", str(tmp_path / "league"))
    with pytest.raises(UsageError, match="private") as caught:
        shown_places(str(python), (tmp_path / "league" / "arena.sqlite",))
    assert "of its own" in caught.value.hint


def test_the_folders_above_come_from_the_outside_in() -> None:
    assert parents([Path("/a/b/c"), Path("/a/d")]) == [Path("/a"), Path("/a/b")]
