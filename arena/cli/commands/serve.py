"""`arena serve` and `arena export-site`: the site, served live or written as a folder."""

import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.base import options
from arena.cli.base.confinement import check_hosts, passed_on
from arena.cli.base.open_store import reading, warn_of_readers, writing
from arena.cli.display.long_work import busy
from arena.cli.terminal.interruption import on_request
from arena.cli.terminal.messages import say, warn
from arena.web.app import create_app
from arena.web.http.allowed_hosts import check_name, check_network, check_prefix, names_for, public_name
from arena.web.http.server import LOOPBACK, LOOPBACK_ADDRESSES, Server, address_of, listen
from arena.web.live.site import Site, about_in
from arena.web.live.site_plugins import begin_all
from arena.web.play_tables.tables import OF_MEMBERS, TableLimits
from arena.web.public.export import export
from arena.web.site_file import accounts
from arena.web.site_file.site_database import SiteFile, SiteFileUnwritable, site_file_of
from arena.web.upkeep.confinement_watch import ConfinementWatch
from arena.web.upkeep.league_runner import Supervisor
from arena.web.uploads.worker import Worker
from results.base.errors import StoreFailed
from results.base.text import counted
from results.store import files_beside, new_bug_warning
from results.store.store_lock import serving

DEFAULT_PORT = 8642
MOST_GUESTS = 100
"""Largest number of tables for guests."""


def serve(
    host: str = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65_535)] = DEFAULT_PORT,
    allow_host: Annotated[list[str] | None, typer.Option(metavar="NAME")] = None,
    prefix: Annotated[str, typer.Option(metavar="PATH")] = "",
    trust_proxy: Annotated[list[str] | None, typer.Option(metavar="ADDRESS")] = None,
    run: Annotated[bool, typer.Option("--run/--no-run")] = True,
    uploads: Annotated[bool, typer.Option("--uploads/--no-uploads")] = True,
    guests: Annotated[int, typer.Option(metavar="N", min=0, max=MOST_GUESTS)] = 0,
    workers: options.Workers = None,
    sandbox: options.LeagueSandbox = None,
    on: options.On = None,
    certificates: options.Certificates = None,
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Serve the pages of a store and run its leagues, until Ctrl-C.

    The runner is a process of its own: it goes on if the server is killed, and the next server finds it. The first
    Ctrl-C closes the pages and lets the runner finish the games being played; the second stops them at once.

    Without --sandbox, each league uses the setting in its file. Uploads are checked, and bots of other people play on
    the page Play, only in a sandbox; --sandbox auto or off also allows that without one.

    Options:
        host: The address to listen on. Default: only this machine can connect.
        port: The port; 0 for any free one.
        allow_host: Also answer to this host name, such as that of the proxy in front; `*` answers to every name.
            Default: this machine's names, and --host.
        prefix: Serve the site below this path, such as /ladder, if its host name has other sites, too.
        trust_proxy: Trust X-Forwarded-For and X-Forwarded-Proto in requests from this address or network. Default: with
            --allow-host, those from this machine; otherwise none.
        run: Run a runner, which plays the leagues; or only serve the pages.
        uploads: Accept bots from accounts and check them in a sandbox; or accept none.
        guests: Let people without an account play against bots, at up to N tables at once. Default: nobody, because
            each table takes a process on this machine, and its bots.
    """
    run_options = [
        *([] if workers is None else ["--workers", str(workers)]),
        *([] if sandbox is None else ["--sandbox", str(sandbox)]),
        *passed_on(on, certificates),
    ]
    check_hosts(on, certificates, workers)
    for name in allow_host or ():
        check_name(name)
    for network in trust_proxy or ():
        check_network(network)
    check_prefix(prefix)
    listener = listen(host, port)
    if host not in LOOPBACK:
        warn(f"anyone who can reach {host} can read these pages")
        if trust_proxy is None:
            warn(
                "without https, anyone on the network can read tokens and cookies: put a proxy with https in front"
            )
    warn_of_readers(store)
    stops, hurry = 0, threading.Event()
    with ExitStack() as ending:
        with suppress(StoreFailed):  # where nothing can be written, others may serve too
            ending.enter_context(serving(store))
        if run and not store.exists():
            with writing(store):
                say(f"created {store}, a store without leagues")
        if line := new_bug_warning(files_beside(store)):  # server and runner both open the store
            warn(line)
        tables = TableLimits(of_guests=guests, at_once=OF_MEMBERS + guests, sandbox=sandbox)
        site = Site.of(store, tables)
        ending.callback(site.close)
        public = public_name(allow_host or ())
        if has_accounts := _prepare_accounts(site, store):
            address = f"https://{public}{prefix.rstrip('/')}" if public else ""
            begin_all(site, address, ending, warn)
        app = create_app(
            site,
            names_for(host, allow_host or ()),
            addresses=host not in LOOPBACK,
            prefix=prefix,
            name=public,
        )
        server = Server(
            app,
            listener,
            lambda: say(f"open {address_of(listener, prefix)} in a browser; stop with Ctrl-C"),
            [*(LOOPBACK_ADDRESSES if allow_host else ()), *(trust_proxy or ())],
        )

        def stop() -> None:
            """Stop the server; from the second signal on, in a hurry."""
            nonlocal stops
            stops += 1
            if stops > 1:
                hurry.set()
            server.ask_to_stop()

        ending.enter_context(on_request(stop))
        if has_accounts:
            site.deliveries.begin()
        site.takes_uploads = uploads and has_accounts
        watch = site.confinement = ConfinementWatch(store, sandbox, warn, runs_leagues=run)
        watch.begin()
        ending.callback(watch.close)
        if site.takes_uploads:
            worker = Worker(site.reception, sandbox or "require", say, watch.may_start_uploads)
            site.upload_trouble = lambda: watch.upload_trouble or worker.trouble
            worker.begin()
            ending.callback(worker.close)
        if run:
            supervisor = Supervisor(store, run_options, site.file, say)
            site.runner_words = lambda: supervisor.words
            supervisor.begin()
            ending.callback(supervisor.stop, hurry)
        server.answer()
    say("stopped")


def _prepare_accounts(site: Site, store: Path) -> bool:
    """Make the site's file; say how to get the first account. Return False if there can be none."""
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
            f"arena accounts invite NAME --organiser{options.naming_store(store)}"
        )
    return True


def export_site(
    folder: Annotated[Path, typer.Argument()],
    matches: Annotated[int, typer.Option("--matches", "-m", min=0)] = 200,
    address: str = "",
    store: options.Store = options.DEFAULT_STORE,
) -> None:
    """Write the pages of a store as a folder, for any web host.

    Options:
        folder: The folder to write; it must be new or empty.
        matches: Pages for this many of the latest matches of each league, and their games; 0: all.
        address: Where the folder will be found, such as https://arena.example/spring: for search engines, previews and
            feeds, which need whole addresses.
    """
    about = about_in(SiteFile(site_file_of(store)))
    with reading(store) as opened, busy("writing pages") as work:
        damaged: list[str] = []
        pages = export(opened, folder, matches, work.take, damaged.append, about, address)
    if damaged:
        first = f"such as {damaged[0]}" if len(damaged) > 1 else damaged[0]
        warn(
            f"{counted(len(damaged), 'game')} can't be shown because the replay is damaged: {first}; "
            f"arena db verify{options.naming_store(store)} lists all damage"
        )
    say(f"wrote {counted(pages, 'page')}; open {folder.absolute() / 'index.html'}")
