"""The site's file and stores are opened in threads of the site here too."""

from tests.web.conftest import _files_are_opened_in_threads

__all__ = ["_files_are_opened_in_threads"]
