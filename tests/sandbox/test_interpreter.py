"""The Python that bots run with, and what is shown of the folders that interpreters live in."""

import sys
from pathlib import Path

import pytest

from arena.core.errors import UsageError
from arena.sandbox.runtimes import is_system, links_of, outermost, own_python, parents, refuse_private


def installed(folder: Path, name: str) -> Path:
    """Make something that looks like an installation, and return its program."""
    (folder / "bin").mkdir(parents=True)
    (folder / "lib").mkdir()
    (folder / "bin" / name).touch()
    return folder / "bin" / name


def run_from(monkeypatch: pytest.MonkeyPatch, executable: Path, prefix: Path) -> None:
    """Have Arena run from the virtual environment of an interpreter installed in `prefix`."""
    monkeypatch.setattr(sys, "_base_executable", str(executable))
    monkeypatch.setattr(sys, "base_prefix", str(prefix))
    monkeypatch.setattr(sys, "base_exec_prefix", str(prefix))


def test_what_is_below_usr_is_seen_anyway() -> None:
    assert is_system(Path("/usr/bin/env"))
    assert is_system(Path("/bin/sh"))
    assert is_system(Path("/etc/alternatives/java"))
    assert not is_system(Path("/etc/passwd"))
    assert not is_system(Path("/usrlocal/bin/tool"))
    assert outermost([Path("/usr/bin/env"), Path("/bin/sh")]) == ()


def test_of_places_within_each_other_the_outer_one_is_shown() -> None:
    assert outermost([Path("/opt/a/bin/x"), Path("/opt/b"), Path("/opt/a")]) == (
        Path("/opt/a"),
        Path("/opt/b"),
    )


def test_links_are_followed_one_by_one(tmp_path: Path) -> None:
    program = installed(tmp_path / "v20.1", "node")
    (tmp_path / "v20").symlink_to("v20.1")
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "node"
    link.symlink_to("../v20/bin/node")
    assert links_of(link) == [link, tmp_path / "v20" / "bin" / "node", program]


def test_links_that_lead_nowhere_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert set(links_of(tmp_path / "a")) == {tmp_path / "a", tmp_path / "b"}


@pytest.mark.parametrize("private", [".", "share/keyrings", "bin"])
def test_a_folder_with_private_files_is_refused(tmp_path: Path, private: str) -> None:
    with pytest.raises(UsageError, match="which is private"):
        refuse_private([tmp_path], [tmp_path / private])
    refuse_private([tmp_path / "bin"], [tmp_path / "share"])


def test_private_files_are_found_behind_links(tmp_path: Path) -> None:
    (tmp_path / "real" / "home").mkdir(parents=True)
    (tmp_path / "home").symlink_to("real/home")
    (tmp_path / "shown").symlink_to("real")
    with pytest.raises(UsageError, match="private"):
        refuse_private([tmp_path / "shown"], [tmp_path / "home"])


def test_of_a_virtual_environment_the_base_is_shown_and_not_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = installed(tmp_path / "base" / "3.11", "python3.11")
    (base.parent / "python3").symlink_to("python3.11")
    run_from(monkeypatch, base.parent / "python3", tmp_path / "base" / "3.11")
    python = own_python()
    assert python.program == base
    assert python.shows == (tmp_path / "base" / "3.11",)
    assert f"home = {base.parent}\n" in python.environment_file


def test_an_installation_behind_a_link_is_shown_under_both_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = installed(tmp_path / "cpython-3.12.4", "python3.12")
    (tmp_path / "cpython-3.12").symlink_to("cpython-3.12.4")
    run_from(monkeypatch, tmp_path / "cpython-3.12" / "bin" / "python3.12", tmp_path / "cpython-3.12")
    python = own_python()
    assert python.program == base
    assert python.shows == (tmp_path / "cpython-3.12", tmp_path / "cpython-3.12.4")


def test_the_folders_above_come_from_the_outside_in() -> None:
    assert parents([Path("/a/b/c"), Path("/a/d")]) == [Path("/a"), Path("/a/b")]
