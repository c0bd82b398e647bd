"""Playing in the browser: beginning a game, the table, its spectators."""

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from typing import NamedTuple

import msgspec
from fastapi import HTTPException, Request, Response

from arena import registry
from arena.league.inbox.played_match import PlayedMatch, number_of
from arena.web.html.page_model import NoPage
from arena.web.http.security import GUEST, csrf_of, is_csrf, read_cookie, set_cookie
from arena.web.live.routing import Router, answer, in_threads, see_other
from arena.web.live.site import Site, site_of
from arena.web.live.visitors import Form, SignInNeeded, check_csrf, new_form_id, read_form
from arena.web.pages.games_and_play import at_table, choosing, closed, watching
from arena.web.pages.watch_channel import latest_games
from arena.web.play_tables.process_messages import MOST_TYPED_CHARS, Answer
from arena.web.play_tables.setup import NotReady, Opponent, first_fields, opponents, reference_bots, setup_of
from arena.web.play_tables.table import NotAsked, Owner, Table
from arena.web.play_tables.tables import TooManyTables
from results.base.errors import StoreMissing

_MOST_BODY_BYTES = 65_536
_MOST_LOOKED_AT = 40
"""Leagues of which a visitor without an account may be shown a game."""
_NEWS = {"Cache-Control": "no-store", "Vary": "Cookie"}
_CSRF_HEADER = "x-arena-form"


class _Player(NamedTuple):
    """Who may sit down, or sits at a table."""

    owner: Owner
    csrf: str
    guest: str = ""
    """The value of a guest's cookie; empty for an account."""


router = Router()


@router.page("/play")
def _get_play(request: Request) -> Response:
    return _choosing(request, *_asked(request))


@router.post("/play")
async def _post_play(request: Request) -> Response:
    form = await read_form(request)
    return await in_threads(request, partial(_begin, request, form))


@router.page("/play/{number}")
def _get_table(request: Request, number: str) -> Response:
    if site_of(request).tables.find(number) is None:
        return _closed(request, number, _player(request))
    table, player = _my_table(request, number)
    _look_for_match(request, table)
    return answer(request, at_table(table, player.csrf))


@router.get("/play/{number}/news")
def _get_news(request: Request, number: str, after: int = -1, told: int = 0) -> Response:
    table, _ = _my_table(request, number)
    _look_for_match(request, table)
    return _as_news(table.news(after, max(0, told)))


@router.post("/play/{number}/answer")
async def _post_answer(request: Request, number: str) -> Response:
    return await _passed_on(request, number, _said_in, _move)


@router.post("/play/{number}/resign")
async def _post_resign(request: Request, number: str) -> Response:
    return await _passed_on(request, number, lambda _form: None, lambda table, _said: table.leave("resigned"))


@router.page("/play/{number}/watch")
def _get_watch(request: Request, number: str) -> Response:
    table = site_of(request).tables.find(number)
    if table is None:
        return _closed(request, number, None)
    return answer(request, watching(table))


@router.get("/play/{number}/watch/news")
def _get_public_news(request: Request, number: str, after: int = -1, told: int = 0) -> Response:
    table = site_of(request).tables.find(number)
    if table is None:
        raise NoPage("There is no such table, or it has been closed.")
    _look_for_match(request, table)
    return _as_news(table.public_news(after, max(0, told)))


# Who plays


def _player(request: Request) -> _Player | None:
    """Return who asks, as a player; None for somebody who may not play."""
    site = site_of(request)
    who = site.signed_in(request)
    if who.account:
        return _Player(Owner(f"account {who.account}", who.account), who.csrf)
    guest = read_cookie(request, GUEST)
    if not guest:
        if not site.tables.limits.of_guests:
            return None
        guest = secrets.token_urlsafe(32)
    key = sha256(f"guest {guest}".encode()).hexdigest()
    return _Player(Owner(f"guest {key}", f"guest {key[:4]}", True), csrf_of(guest), guest)


def _my_table(request: Request, number: str) -> tuple[Table, _Player]:
    """Return a table of the one who asks. Raises NoPage for tables of others as for none."""
    player = _player(request)
    table = site_of(request).tables.find(number)
    if player is None or table is None or table.owner.key != player.owner.key:
        raise NoPage("There is no such table, or it is another player's.")
    return table, player


# Beginning a game


def _asked(request: Request) -> tuple[dict[str, str], tuple[str, str] | None, int]:
    """Return what an address asks to be filled in, what is wrong with it, and the status of the answer."""
    fields = dict(request.query_params)
    games = registry.games()
    game = games.get(fields.get("game", ""))
    if game is None:
        if not fields.get("game"):
            return {}, None, 200
        words = f"There is no game called {fields['game'][:100]}. Choose one of these."
        return {}, ("", words), 404
    if len(fields) == 1 or _player(request) is None:
        return fields, None, 200
    offered = _offered(site_of(request), game.info.name)
    try:
        setup_of({**first_fields(game), **fields}, offered, "")
    except NotReady as error:
        return fields, (error.field, str(error)), 400
    return fields, None, 200


def _offered(site: Site, game: str) -> Sequence[Opponent]:
    """Return the bots that may play now: those of other people only if they are confined, or as the operator wants."""
    with site.stores.borrowed() as store:
        offered = opponents(store, game)
    return [one for one in offered if one.is_reference or not _refuses_others(site)]


def _refuses_others(site: Site) -> bool:
    return site.confinement is not None and site.confinement.refuses_others


def _choosing(
    request: Request, fields: dict[str, str], problem: tuple[str, str] | None = None, status: int = 200
) -> Response:
    site, player = site_of(request), _player(request)
    live = [table for table in site.tables.all() if table.is_live]
    mine = [table for table in live if player is not None and table.owner.key == player.owner.key]
    offered: Sequence[Opponent] = reference_bots(fields.get("game", ""))
    if player is not None and fields.get("game") in registry.games():
        offered = _offered(site, fields["game"])
    page = choosing(
        fields,
        offered,
        _shown_in(site) if player is None else {},
        [table for table in live if table not in mine],
        mine,
        may_play=player is not None,
        form_id=new_form_id(),
        problem=problem,
        only_own=_refuses_others(site),
    )
    response = answer(request, page, status, form_csrf=player.csrf if player else "")
    if player is not None and player.guest:
        set_cookie(response, request, GUEST, player.guest)
    return response


def _shown_in(site: Site) -> dict[str, str]:
    """Return, by game, the newest league in which finished games can be watched: of the newest leagues only."""
    found: dict[str, str] = {}
    with suppress(StoreMissing), site.stores.borrowed() as store:
        for league in store.leagues.all()[: -_MOST_LOOKED_AT - 1 : -1]:
            if league.ruleset and league.ruleset.game not in found and any(latest_games(store, league, 1)):
                found[league.ruleset.game] = league.name
    return found


def _begin(request: Request, form: Form) -> Response:
    site, player = site_of(request), _player(request)
    if player is None:
        raise SignInNeeded("/play")
    check_csrf(form, player.csrf)
    name = form.line("game")
    offered = _offered(site, name)
    first = first_fields(registry.games()[name]) if name in registry.games() else {}
    try:
        setup = setup_of({**first, **form.fields}, offered, player.owner.name)
        table = site.tables.open(player.owner, setup, form.id)
    except NotReady as error:
        return _choosing(request, dict(form.fields), (error.field, str(error)), 422)
    except TooManyTables as error:
        return _choosing(request, dict(form.fields), ("", str(error)), 429)
    return see_other(f"/play/{table.id}")


# The table


def _closed(request: Request, number: str, player: _Player | None) -> Response:
    """Return the page of a table of an earlier server, for its player and those who watched it."""
    site = site_of(request)
    noted = site.tables.noted(number)
    is_watched = request.url.path.endswith("/watch")
    if noted is None or not (is_watched or (player is not None and player.owner.key == noted.owner)):
        raise NoPage("There is no such table, or it is another player's.")
    match = _match_in_ledger(request, noted.uuid)
    if match is not None:
        words = "The game is over and stored."
    elif noted.words:
        words = f"{noted.words} The game isn't stored."
    elif noted.ended_at is not None:
        words = "The game is over. It will be stored as soon as the store can be written to."
    else:
        words = "The server was stopped while this game was being played. The game isn't stored."
    return answer(request, closed(number, words, match), 200 if match is not None else 410)


def _look_for_match(request: Request, table: Table) -> None:
    """Find out whether a game that waited for the runner has been stored."""
    if not table.is_live and table.match is None and (table.result is not None):
        match = _match_in_ledger(request, table.setup.command)
        if match is not None:
            table.found(match)


def _match_in_ledger(request: Request, uuid: str) -> int | None:
    with site_of(request).stores.borrowed() as store:
        record = store.commands.find(uuid)
    if record is None or record.kind != PlayedMatch.kind or record.outcome != "done":
        return None
    return number_of(record.words)


def _as_news(news: bytes | None) -> Response:
    if news is None:
        return Response(status_code=204, headers=_NEWS)
    return Response(news, media_type="application/json", headers=_NEWS)


# Answers


def _move(table: Table, said: Answer | None) -> None:
    if said is None:
        raise NotAsked("This answer has no move.")
    table.answer(said)


async def _passed_on(
    request: Request,
    number: str,
    read: Callable[[Form], Answer | None],
    act: Callable[[Table, Answer | None], None],
) -> Response:
    """Pass on what a person does: from a script as JSON, answered by a status, or from a form, answered by the page."""
    table, player = _my_table(request, number)
    by_script = request.headers.get("content-type", "").partition(";")[0] == "application/json"
    if not by_script:
        form = await read_form(request)
        check_csrf(form, player.csrf)
        said = read(form)
    else:
        if not is_csrf(request.headers.get(_CSRF_HEADER, ""), player.csrf):
            raise HTTPException(403, "This comes from another session. Load the page again.")
        said = await _json_body(request)
    try:
        await in_threads(request, partial(act, table, said))
    except NotAsked as error:
        if by_script:
            return Response(f"{error}\n", 409, headers=_NEWS, media_type="text/plain")
    return Response(status_code=204, headers=_NEWS) if by_script else see_other(f"/play/{number}")


async def _json_body(request: Request) -> Answer | None:
    """Return the answer that a request has as JSON; None for an empty object. Raises HTTPException."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BODY_BYTES:
            raise HTTPException(413, f"An answer has at most {_MOST_BODY_BYTES:,} bytes.")
    if bytes(body) in (b"", b"{}"):
        return None
    try:
        return msgspec.json.decode(bytes(body), type=Answer)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise HTTPException(422, f"This isn't an answer: {error}") from None


def _said_in(form: Form) -> Answer | None:
    """Return the answer that a form of a page without scripts has. Raises HTTPException."""
    ask, choice, typed = form.line("ask"), form.line("choice"), form.text("typed")
    if not _is_number(ask) or (choice and not _is_number(choice)) or len(typed) > MOST_TYPED_CHARS:
        raise HTTPException(422, "This form can't be read. Load its page again.")
    return Answer(int(ask), int(choice) if choice else None, None, None if choice else typed)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
