"""`arena serve`."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.confinement import CertificatesOption, OnOption, check_hosts, passed_on
from arena.cli.interruption import REQUESTS, hang_up
from arena.cli.messages import say, warn
from arena.cli.open_store import warn_of_readers, writing
from arena.cli.options import (
    DEFAULT_STORE,
    LeagueSandboxOption,
    StoreOption,
    WorkersOption,
    lasting,
    naming_store,
)

if TYPE_CHECKING:
    from arena.web.live.site import Site
    from results.base.isolation_levels import Wanted

DEFAULT_PORT = 8642
MOST_GUESTS = 100
"""Largest number of tables for guests."""


def serve(
    host: Annotated[
        str,
        typer.Option("--host", help="The address to listen on. Default: only this machine can connect."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, help="The port; 0 for any free one.")
    ] = DEFAULT_PORT,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            help="Also answer to this host name, such as that of the proxy in front; `*`: to every name. "
            "Default: this machine's names, and --host.",
        ),
    ] = None,
    prefix: Annotated[
        str,
        typer.Option(
            "--prefix",
            metavar="PATH",
            help="Serve the site below this path, such as /ladder, if its host name has other sites too. "
            "Default: the site has the host name to itself.",
        ),
    ] = "",
    trust_proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--trust-proxy",
            metavar="ADDRESS",
            help="Believe X-Forwarded-For and X-Forwarded-Proto of requests from this address or network. "
            "Default: with --allow-host, those from this machine; otherwise none.",
        ),
    ] = None,
    run: Annotated[
        bool,
        typer.Option(
            "--run/--no-run", help="Keep a runner going, which plays the leagues; or only serve the pages."
        ),
    ] = True,
    uploads: Annotated[
        bool,
        typer.Option(
            "--uploads/--no-uploads",
            help="Take bots in from accounts and check them in a sandbox; or take none.",
        ),
    ] = True,
    guests: Annotated[
        int,
        typer.Option(
            "--guests",
            metavar="N",
            min=0,
            max=MOST_GUESTS,
            help="Let people without an account play against bots, at up to N tables at once. Default: nobody, "
            "because each table is a process of this machine, with bots.",
        ),
    ] = 0,
    workers: WorkersOption = None,
    sandbox: LeagueSandboxOption = None,
    on: OnOption = None,
    certificates: CertificatesOption = None,
    backup_every: Annotated[
        str | None,
        typer.Option(
            "--backup-every",
            metavar="DURATION",
            help="Make a backup of everything at this interval, such as 24h; needs --backups.",
        ),
    ] = None,
    backups: Annotated[
        Path | None, typer.Option("--backups", metavar="FOLDER", help="Where these backups go.")
    ] = None,
    keep_backups: Annotated[
        int, typer.Option("--keep-backups", min=1, max=10_000, help="How many of these backups to keep.")
    ] = 7,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Serve the pages of a store and run its leagues, until Ctrl-C.

    The runner is a process of its own: it goes on if the server is killed, and the next server finds it. The first
    Ctrl-C closes the pages and lets the runner finish the games being played; the second stops them at once.

    Without --sandbox, leagues do as their files say. Uploads are checked, and bots of other people play on the page
    Play, only in a sandbox; --sandbox auto or off also allows that without one.
    """
    from arena.web.app import create_app
    from arena.web.http.addresses import check_name, check_network, check_prefix, names_for
    from arena.web.http.server import LOOPBACK, LOOPBACK_ADDRESSES, Server, address_of, listen
    from arena.web.live.site import Site
    from arena.web.tables.tables import OF_MEMBERS, TableLimits
    from results.store import files_beside, new_bug_warning
    from results.store.store_lock import serving

    every_s = _interval(backup_every, backups)
    options = [*_run_options(workers, sandbox), *passed_on(on, certificates)]
    check_hosts(on, certificates, workers)
    for name in allow_host or ():
        check_name(name)
    for network in trust_proxy or ():
        check_network(network)
    check_prefix(prefix)
    listener = listen(host, port)
    if host not in LOOPBACK:
        warn(f"everybody who can reach {host} can read these pages")
        if trust_proxy is None:
            warn(
                "without https, everybody on the way can read tokens and cookies: put a proxy with https in front"
            )
    warn_of_readers(store)
    hurry = threading.Event()
    with ExitStack() as ending:
        ending.enter_context(serving(store))
        if run and not store.exists():
            with writing(store):
                say(f"created {store}, a store without leagues")
        if line := new_bug_warning(files_beside(store)):  # server, runner and backups all open the store
            warn(line)
        tables = TableLimits(of_guests=guests, at_once=OF_MEMBERS + guests, sandbox=sandbox)
        site = Site.of(store, tables)
        app = create_app(
            site, names_for(host, allow_host or ()), addresses=host not in LOOPBACK, prefix=prefix
        )
        server = Server(
            app,
            listener,
            lambda: say(f"open {address_of(listener, prefix)} in a browser; stop with Ctrl-C"),
            [*(LOOPBACK_ADDRESSES if allow_host else ()), *(trust_proxy or ())],
        )
        ending.callback(site.close)
        has_accounts = _prepare_accounts(site, store)
        ending.enter_context(_signals(server.ask_to_stop, hurry))
        if has_accounts:
            site.deliveries.begin()
        site.takes_uploads = uploads and has_accounts
        if site.takes_uploads:
            ending.callback(_checking_uploads(site, store, sandbox or "require"))
        ending.callback(_watching_confinement(site, store, sandbox, runs_leagues=run))
        if every_s and backups is not None:
            ending.callback(_backing_up(store, backups, every_s, keep_backups))
        if run:
            ending.enter_context(_supervised(site, store, options, hurry))
        server.answer()
    say("stopped")


def _prepare_accounts(site: "Site", store: Path) -> bool:
    """Make the site's file; say how to get the first account. Return False if there can be none."""
    from arena.web.site_file import accounts
    from arena.web.site_file.file import SiteFileUnwritable

    try:
        site.file.prepare()
        with site.file.reading() as db:
            has_organiser = any(one.is_open and one.role == "organiser" for one in accounts.every(db))
    except SiteFileUnwritable as error:
        warn(f"nobody can sign in: {error}")
        return False
    if not has_organiser:
        say(
            "nobody can organise here yet; get a token with: "
            f"arena accounts invite NAME --organiser{naming_store(store)}"
        )
    return True


def _interval(every: str | None, folder: Path | None) -> float:
    """Return the seconds between two backups; 0 for none. Raises UsageError."""
    from arena.core.errors import UsageError

    if (every is None) != (folder is None):
        raise UsageError(
            "--backup-every and --backups belong together", "arena serve --backup-every 24h --backups FOLDER"
        )
    return 0.0 if every is None else lasting("--backup-every", every).total_seconds()


def _backing_up(store: Path, folder: Path, every_s: float, keep: int) -> Callable[[], None]:
    """Begin to make backups; return what ends that."""
    from arena.web.upkeep.backups import BackupTimer

    timer = BackupTimer(store, folder, every_s, keep, say)
    timer.begin()
    return timer.close


def _run_options(workers: int | None, sandbox: "Wanted | None") -> list[str]:
    """Return the options of `arena run` that are passed on."""
    return [
        *([] if workers is None else ["--workers", str(workers)]),
        *([] if sandbox is None else ["--sandbox", str(sandbox)]),
    ]


def _checking_uploads(site: "Site", store: Path, sandbox: "Wanted") -> Callable[[], None]:
    """Keep a process going that checks uploads; return what stops it."""
    from arena.web.upkeep.supervision import UploadChecks

    desk = UploadChecks(store, sandbox, site.reception.limits, say)
    site.upload_trouble = lambda: desk.trouble
    desk.begin()
    return desk.stop


def _watching_confinement(
    site: "Site", store: Path, sandbox: "Wanted | None", *, runs_leagues: bool
) -> Callable[[], None]:
    """Find out whether bots can be confined, and say so if they can't; return what ends that."""
    from arena.web.upkeep.confinement_watch import ConfinementWatch

    site.confinement = ConfinementWatch(store, sandbox, warn, runs_leagues=runs_leagues)
    site.confinement.begin()
    return site.confinement.close


@contextmanager
def _supervised(site: "Site", store: Path, options: list[str], hurry: threading.Event) -> Iterator[None]:
    """Keep a runner going; at the end, stop it in order."""
    from arena.web.upkeep.supervision import Supervisor

    supervisor = Supervisor(store, options, site.file, say)
    site.runner_words = lambda: supervisor.words
    supervisor.begin()
    try:
        yield
    finally:
        supervisor.stop(hurry)


@contextmanager
def _signals(ask_to_stop: Callable[[], None], hurry: threading.Event) -> Iterator[None]:
    """Let signals stop the server; from the second on, in a hurry. Those that are ignored stay ignored."""
    heard = 0

    def on_signal(number: int, _frame: object) -> None:
        nonlocal heard
        heard += 1
        if number == signal.SIGHUP:
            hang_up()
        if heard > 1:
            hurry.set()
        ask_to_stop()

    before = {
        number: signal.signal(number, on_signal)
        for number in REQUESTS
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("serve")(serve)
