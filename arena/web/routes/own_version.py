"""What the author of a version sees on its page, and may do there; organisers too."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from tempfile import TemporaryFile
from typing import IO, Any
from urllib.parse import quote

from fastapi import HTTPException, Request, Response
from fastapi.responses import StreamingResponse

from arena.config.settings import read_settings
from arena.conversation.narration import log_lines
from arena.conversation.rebuild import conversation
from arena.core.errors import ArenaError, UsageError
from arena.core.move_words import seat_names, with_names
from arena.league.changes.base import Change
from arena.league.changes.entries import Replace, Retire
from arena.league.comparison_plans import Asked
from arena.league.inbox.job_commands import Enqueue
from arena.league.stored_games import FoundGame, log_of, read
from arena.league.why_lost import pages
from arena.submissions.archives.zip_format import write_zip
from arena.submissions.kept_version_files import submitted_files
from arena.web.html.page_model import Crumb, NoPage, Page
from arena.web.html.paging import asks_of, listed
from arena.web.http.page_threads import takes_long
from arena.web.live.routing import Router, answer, in_threads, see_other
from arena.web.live.site import Site, Visitor, address_of, site_of
from arena.web.live.visible_uploads import upload_of
from arena.web.live.visitors import asked_for, member_form, member_of, new_form_id
from arena.web.pages import league_named, path_of
from arena.web.pages.bots import version as version_page
from arena.web.pages.bots import version_numbered
from arena.web.pages.game import found_game, will_be_replayed
from arena.web.routes.public import public_page
from arena.web.site_file.pending_commands import SiteCommand
from results.base.errors import LedgerError
from results.base.text import json_text
from results.records import SeatRecord, VersionRecord
from results.records.query_rows import FinishedGame
from results.reports.versions import by_league
from results.store import Store

MOST_GAMES = 20
_PIECE_BYTES = 262_144


router = Router()


@router.page("/bots/{author}/{name}/{number}")
async def _get_version(request: Request, author: str, name: str, number: str) -> Response:
    site = site_of(request)
    if not (number.isdecimal() and site.signed_in(request).owns(author)):
        return await public_page(site, request)
    asked = asked_for(request, *asks_of("", *_CHANGED))
    return await in_threads(request, lambda: answer(request, _own_page(site, author, name, number, asked)))


@router.get("/bots/{author}/{name}/{number}/files.zip")
def _get_files(request: Request, author: str, name: str, number: str) -> Response:
    _owner_of(request, author)
    with site_of(request).stores.borrowed() as store:
        found = _version(store, author, name, number)
        takes_long("packing files")
        archive = TemporaryFile()  # noqa: SIM115 - closed once it has been sent, however slowly that is
        try:
            write_zip(submitted_files(store, found), found.bot, archive)
        except UsageError as error:
            archive.close()
            raise HTTPException(404, "The files of this version are missing.") from error
    target = quote(f"{found.author}-{found.bot}-{found.number}.zip")
    headers = {
        "Content-Disposition": f'attachment; filename="{target}"',
        "Content-Length": str(archive.tell()),
        "Cache-Control": "no-store",
    }
    return StreamingResponse(_pieces(archive), media_type="application/zip", headers=headers)


@router.post("/bots/{author}/{name}/{number}/{action}")
async def _post_change(request: Request, author: str, name: str, number: str, action: str) -> Response:
    who, form = await member_form(request)
    if not who.owns(author):
        raise HTTPException(403, "Only the author of a bot may do this.")
    site = site_of(request)
    address = address_of(request)

    def asked() -> SiteCommand:
        wish: Change
        if action == "compare":
            by = "" if who.organises else author
            wish = _comparison(site, (author, name, number), form.line("against"), form.line("game"), by)
        else:
            wish = _wish(site, (author, name, number), action, (form.line("league"), form.line("label")))
        return site.deliveries.give(who.account, form.id, wish, address)

    given = await in_threads(request, asked)
    return see_other(f"/account/commands/{given.uuid}")


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file piece by piece; close it at the end."""
    with file:
        file.seek(0)
        while piece := file.read(_PIECE_BYTES):
            yield piece


def _owner_of(request: Request, author: str) -> Visitor:
    """Return the visitor. Raises SignInNeeded, and HTTPException for others than the author and organisers."""
    who = member_of(request)
    if not who.owns(author):
        raise HTTPException(403, "Only the author of a bot may see this.")
    return who


def _version(store: Store, author: str, name: str, number: str) -> VersionRecord:
    return version_numbered(store.versions.all(author=author, bot=name), author, name, number)


_CHANGED = ("retirable", "replaceable")
"""Lists of entries that may be changed."""


def _own_page(site: Site, author: str, name: str, number: str, asked: Mapping[str, tuple[str, ...]]) -> Page:
    """Return the page of a version with what its owner alone sees."""
    with site.stores.borrowed() as store:
        page = version_page(store, author, name, number, page="", **asked)
        record = _version(store, author, name, number)
        entries = _entries(store, record)
        games = _games(store, record)
        others = _comparable(store, record) if record.report and read_settings().queue.games_a_day else []
    words = record.build.get("words", "")
    upload = upload_of(site, record)
    more = {
        "upload": upload,
        "build_log": str(words),
        "own_games": games,
        **{
            of: listed(
                [one for one in entries if (one[2] == record.number) == (of == "retirable")],
                page.whole,
                asked,
                lambda one: f"{one[0]} {one[1]}",
                name=of,
            )
            for of in _CHANGED
        },
        "form_id": new_form_id,
        "comparable": others,
        "checked_games": sorted(record.report),
        "asked_games": min(ASKED_GAMES, read_settings().queue.games_a_day),
        "asked_difference": ASKED_DIFFERENCE,
        "games_a_day": read_settings().queue.games_a_day,
    }
    return replace(page, template="own_version.html", values={**page.values, **more})


def _entries(store: Store, version: VersionRecord) -> list[tuple[str, str, int]]:
    """Return the entries of the bot that may still be changed: the league, the label and the version's number."""
    found = []
    for league in store.leagues.all():
        if not league.rated or league.state == "finished" or league.revealed:
            continue
        retired = store.entries.roster(league.uuid).retired
        for entry in store.entries.all(league.uuid):
            of = entry.version
            if of is None or entry.entry_no in retired:
                continue
            if (of.author, of.bot) == (version.author, version.bot):
                found.append((league.name, entry.label, of.number))
    return found


def _games(store: Store, version: VersionRecord) -> list[tuple[str, FinishedGame, SeatRecord]]:
    """Return the latest games of the version in all its leagues, the newest first, with its seat."""
    entries = store.entries.of_versions([version.id])[version.id]
    own = {(league, entry_no) for league, entry_no, _ in entries}
    found = [
        (league, game, seat)
        for league, numbers in by_league(own).items()
        for game in store.games.all(league, entries=numbers, newest_first=True, limit=MOST_GAMES)
        for seat in game.seats
        if (league, seat.entry_no) in own
    ]
    found.sort(key=lambda one: one[1].finished_at, reverse=True)
    return found[:MOST_GAMES]


def _wish(site: Site, names: tuple[str, str, str], action: str, entry: tuple[str, str]) -> Change:
    """Return the change that a form asks for. Raises HTTPException if the entry isn't one of the bot."""
    league, label = entry
    try:
        with site.stores.borrowed() as store:
            version = _version(store, *names)
            entries = _entries(store, version)
    except (NoPage, LedgerError) as error:
        raise HTTPException(404, str(error)) from error
    if entry not in [(league, label) for league, label, _ in entries]:
        raise HTTPException(
            409, f"{label} doesn't play in {league} any more, or isn't a version of this bot."
        )
    if action == "retire":
        return Retire(league, label)
    if action == "replace":
        return Replace(league, label, version.reference)
    raise HTTPException(404, "There is no such change.")


def _comparable(store: Store, version: VersionRecord) -> list[VersionRecord]:
    """Return the submitted versions of the same bot, the newest first."""
    every = store.versions.all(author=version.author, bot=version.bot)
    return [one for one in reversed(every) if one.report and one.id != version.id][:MOST_COMPARABLE]


MOST_COMPARABLE = 20


def _comparison(site: Site, names: tuple[str, str, str], against: str, game: str, by: str) -> Enqueue:
    """Return the comparison of a version with another one of its bot. Raises HTTPException if there is none such.

    Whether the author `by` may have that many games is decided when it is queued, as several may be asked for at once.
    """
    games = read_settings().queue.games_a_day
    if not games:
        raise HTTPException(403, "Authors can't ask for comparisons here.")
    try:
        with site.stores.borrowed() as store:
            version = _version(store, *names)
            others = {str(one.number): one for one in _comparable(store, version)}
    except (NoPage, LedgerError) as error:
        raise HTTPException(404, str(error)) from error
    other = others.get(against)
    if other is None or game not in version.report or game not in other.report:
        raise HTTPException(
            409, "Choose another version of this bot, and a game that both have been checked in."
        )
    return Enqueue(
        what="compare",
        bots=(other.sha256, version.sha256),
        asked=Asked(game=game, difference=ASKED_DIFFERENCE, budget_games=min(ASKED_GAMES, games)),
        by=by,
    )


ASKED_DIFFERENCE, ASKED_GAMES = 0.1, 1_000
"""The question of a comparison that is asked for on the site, and the games that it may have."""


WIDTH = 80


@router.page("/leagues/{league}/games/{game}/own")
def _get_own_game(request: Request, league: str, game: str) -> Response:
    who = member_of(request)
    with site_of(request).stores.borrowed() as store:
        return answer(request, _own_game_page(store, who, league, game))


def _own_game_page(store: Store, who: Visitor, name: str, game: str) -> Page:
    """Return the page. Raises NoPage, also for games without a bot of the visitor."""
    league = league_named(store, name)
    found = found_game(store, league, game)
    entries = {entry.entry_no: entry for entry in store.entries.all(league.uuid)}
    own = [seat.seat for seat in found.record.seats if who.owns_entry(entries[seat.entry_no])]
    if not own:
        raise NoPage("None of your bots played in this game.")
    will_be_replayed(found)
    return Page(
        path_of(league, "games", game, "own"),
        f"{league.name}/{game}: logs",
        "own_game.html",
        {"league": league, "game": game, "seats": _seats(store, found, own)},
        crumbs=(
            Crumb(league.name, path_of(league)),
            Crumb(f"Match {found.record.match_no}", path_of(league, "matches", str(found.record.match_no))),
        ),
    )


def _seats(store: Store, found: FoundGame, own: list[int]) -> list[dict[str, Any]]:
    """Return what the template shows of some seats; `why` is None if the game can't be rebuilt."""
    try:
        stored = read(store, found)
        explained = {page.seat: page for page in pages(store, found, own, WIDTH)}
    except ArenaError:  # without the replay, a log is still a log
        stored, explained = None, {}
    seats, names = [], seat_names(found.labels)
    for seat in own:
        kept, why = log_of(store, found, seat), explained.get(seat)
        told = conversation(stored, seat) if stored is not None else None
        seats.append(
            {
                "seat": seat,
                "bot": names[seat],
                "why": why,
                "question": json_text(why.question, indent=1) if why is not None and why.question else "",
                "swings": [
                    (swing.decision, swing.lost, with_names(" ".join(swing.events), names))
                    for swing in (why.swings if why is not None else ())
                ],
                "log": list(log_lines(kept, told)),
                "dropped_bytes": kept.dropped_bytes,
            }
        )
    return seats
