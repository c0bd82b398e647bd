"""Threads of their own for what opens the site's file.

A lock on that file, or a disk that stalls, holds up a thread for as long as `site_file.file.BUSY_S`. It must be neither
the one of the event loop nor one of those that make pages: everybody else would wait too.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

THREADS = 32
_threads = ThreadPoolExecutor(THREADS, thread_name_prefix="site-file")
_P = ParamSpec("_P")
_T = TypeVar("_T")


async def in_site_file_thread(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Return what a function returns that opens the site's file; raise what it raises."""
    return await asyncio.get_running_loop().run_in_executor(_threads, partial(function, *args, **kwargs))
