"""The folder of a host is its own."""

from pathlib import Path

import pytest
from arena_cluster.supervisor import free_folder

from arena.core.errors import UsageError


def test_a_new_folder_is_closed_to_others(tmp_path: Path) -> None:
    with free_folder(tmp_path / "host") as folder:
        assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_a_folder_that_others_can_enter_is_refused(tmp_path: Path, mode: int) -> None:
    (tmp_path / "host").mkdir()
    (tmp_path / "host").chmod(mode)
    with pytest.raises(UsageError, match="open to other accounts"), free_folder(tmp_path / "host"):
        pass
    assert not list((tmp_path / "host").iterdir())


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "host").touch()
    with (
        pytest.raises(UsageError, match="host is a file, not a folder") as caught,
        free_folder(tmp_path / "host"),
    ):
        pass
    assert caught.value.hint == "name another folder: --folder FOLDER"


def test_a_folder_has_one_host(tmp_path: Path) -> None:
    with (
        free_folder(tmp_path / "host"),
        pytest.raises(UsageError, match="another host uses"),
        free_folder(tmp_path / "host"),
    ):
        pass
