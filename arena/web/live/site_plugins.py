"""What other packages add to the site: pages, tables in its file, and work beside the server."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from importlib.metadata import EntryPoint, entry_points

from arena.web.live.routing import Router
from arena.web.live.site import Site
from results.base.plugins import BrokenPlugin, load_plugin

_GROUP = "arena.site"
_WHAT = "extension of the site"


@dataclass(frozen=True, slots=True)
class Extension:
    """What a package adds. docs/plug-ins.md has the rules for its tables and its pages."""

    name: str
    """Lower-case letters and digits."""
    router: Router
    """Its pages. Those of the site itself come first."""
    begin: Callable[[Site, str], Callable[[], None]] = lambda _site, _address: lambda: None
    """Begins its work for a server, of which it gets the public address too (empty: none is known); returns at once,
    with what ends the work."""
    tables: Sequence[str] = ()
    """SQL of its tables in the site's file: step n makes version n, counted from 1."""
    title: str = ""
    page: tuple[str, ...] = ()
    """Where a link named `title` leads on the page of each account; empty for none."""
    about: str = ""
    """What it does for organisers, before such a link below the settings of the site."""


def begin_all(site: Site, address: str, ending: ExitStack, say: Callable[[str], None]) -> None:
    """Begin the extensions that are installed, and end them with `ending`; `say` that one can't be used, and why.

    `address`: of the site, as the public knows it; empty if that isn't known.
    """
    for point in sorted(entry_points(group=_GROUP), key=lambda point: (point.name, point.value)):
        calls = partial(load_plugin, _WHAT, f"{point.value} (entry point {point.name})", point.module)
        try:
            one, end = calls(partial(_begun, point, site, address))
        except (BrokenPlugin, OSError) as error:
            say(f"the site does without {point.name}: {error}")
        else:
            site.extensions = (*site.extensions, one)
            ending.callback(_end, partial(calls, end), say)


def _begun(point: EntryPoint, site: Site, address: str) -> tuple[Extension, Callable[[], None]]:
    one = point.load()
    if not isinstance(one, Extension):
        raise TypeError(f"it is a {type(one).__name__}, not an Extension")
    site.file.extend(one.name, one.tables)
    return one, one.begin(site, address)


def _end(end: Callable[[], None], say: Callable[[str], None]) -> None:
    try:
        end()
    except (BrokenPlugin, OSError) as error:
        say(str(error))
