"""Creating a league in the browser: a form that writes a league file, whose text is the truth."""

import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import MappingProxyType

import msgspec
from fastapi import Request, Response

from arena import registry
from arena.config.toml import LEAGUE_FILE_BOUNDS, load
from arena.core.errors import ArenaError, BadFile, BadValue, UsageError
from arena.league.definition.checked_definition import schedule_named
from arena.submissions.manifest import plays
from arena.web.html.game_art import art_of
from arena.web.html.links import last
from arena.web.html.page_model import Page
from arena.web.live.routing import Router, answer, in_threads, see_other
from arena.web.live.site import Site, Visitor, address_of, site_of
from arena.web.live.visitors import Form, new_form_id, organiser_form, organiser_of
from arena.web.organising.deliveries import FormReused
from arena.web.organising.league_file_text import (
    FILE_NAME,
    LeagueDraft,
    checked,
    entry_of,
    has_value,
    named_bots,
    read_draft,
    refused_draft,
    tables,
    value_of,
    with_bots,
    with_keys,
)
from arena.web.organising.league_questions import QUESTIONS, TEMPLATES, kind_of, kinds, preview, sizes
from arena.web.play_tables.setup import Opponent, bots_to_enter
from arena.web.routes.organiser import ORGANISE
from arena.web.site_file import pending_commands
from results.base.advice import Advice, run
from results.base.errors import LedgerError

MOST_FIELDS = 600
MOST_OFFERED = 50
"""Bots with a checkbox; others can be typed."""
MOST_TICKED = 8
"""Bots that a template begins with."""
MOST_CHARS = 100_000
_START = "# Every key has a default, except name and game. Lines that begin with # are comments.\n"
_SENT_BEFORE = "This form was sent before. Check the text, then send it again."

router = Router()


@router.page("/organiser/new")
def _get_new_league(request: Request) -> Response:
    organiser_of(request)
    site, wanted = site_of(request), last(request.query_params.getlist("template"))
    chosen = next((one for one in TEMPLATES if one.name == wanted), None)
    game = last(request.query_params.getlist("game"))
    answers = {"key:game": game if game in registry.games() else next(iter(registry.games()))}
    if chosen:
        answers |= {"key:schedule.kind": kind_of(chosen), "key:name": chosen.name.replace(" ", "-")}
        own = [one for one in _bots(site) if one.is_reference and plays(one.games, answers["key:game"])]
        answers |= {f"bot:{one.name}": "yes" for one in own[:MOST_TICKED]}
    return answer(request, _page(site, _START, answers))


@router.post("/organiser/new")
async def _post_new_league(request: Request) -> Response:
    who, form = await organiser_form(request, MOST_FIELDS)
    return await in_threads(request, partial(_sent, request, who, form))


def _sent(request: Request, who: Visitor, form: Form) -> Response:
    site = site_of(request)
    given = text = form.text("text")
    step = form.line("step")
    try:
        if len(text) > MOST_CHARS:
            raise UsageError(
                f"the league file has {len(text):,} characters, and at most {MOST_CHARS:,} are allowed here",
                Advice("use ", run("league create")),
            )
        text, taken = _written(site, form, text)
        if step == "write":
            return answer(request, _page(site, text, taken=taken), notice="Written into the text.")
        if step == "look":
            return answer(request, _page(site, given, form.fields))
        if step != "create":
            draft = checked(site.stores.path, text)
            return answer(request, _page(site, given, form.fields, draft), 200 if draft.change else 400)
        done = _created(site, who.account, form.id, text, address_of(request))
    except FormReused:
        draft = LeagueDraft((), None, _SENT_BEFORE)
        return answer(request, _page(site, given, form.fields, draft), 409)
    except ArenaError as error:
        draft = refused_draft(error)
        return answer(request, _page(site, given, form.fields, draft), 400)
    if isinstance(done, LeagueDraft):
        return answer(request, _page(site, given, form.fields, done), 400)
    return see_other(f"/account/commands/{done}")


def _created(site: Site, account: str, uuid: str, text: str, address: str) -> LeagueDraft | str:
    """Create a league; return the id of the command, or the draft if something is wrong with it.

    A form that is sent again while it is being dealt with waits for the outcome, because `checked` has one thread.
    Raises FormReused and ArenaError.
    """
    if sent := _sent_before(site, account, uuid, text):
        return sent
    draft = checked(site.stores.path, text)
    if draft.change is None:
        return draft
    command = site.deliveries.give(account, uuid, draft.change, address)
    return LeagueDraft((), None, command.answer) if command.state == "refused" else command.uuid


def _written(site: Site, form: Form, text: str) -> tuple[str, list[str]]:
    """Return the text with the fields that were filled in, and what they added to it. Raises UsageError.

    What the text says stays if the answer is the one that the page began with, which nobody has chosen.
    """
    if not _is_toml(text):
        read_draft(text)  # says what is wrong with it
    typed = {key: form.line(f"key:{key.path}") for table in tables() for key in table.keys}
    values = [
        (key, value_of(key, line))
        for key, line in typed.items()
        if line and not (line == form.line(f"was:{key.path}") and _in_text(text, key.path))
    ]
    changed = [(key, value) for key, value in values if not has_value(text, key, value)]
    if changed:
        text = with_keys(text, changed)
    taken = [f"{key.path} = {value}" for key, value in changed]
    ticked = [field.removeprefix("bot:") for field in form.fields if field.startswith("bot:")]
    named = [line.strip() for line in form.text("bots").split("\n") if line.strip()]
    names = [name for name in dict.fromkeys([*ticked, *named]) if name not in named_bots(text)]
    _check_bots(site, names, _game_of(text))
    return with_bots(text, names), [*taken, *(f"[[bots]] {entry_of(name)}" for name in names)]


def _is_toml(text: str) -> bool:
    """Return whether a text is TOML that is parsed in little time and memory."""
    try:
        load(text, FILE_NAME, LEAGUE_FILE_BOUNDS)
    except BadFile:
        return False
    return True


def _game_of(text: str) -> str:
    """Return the game that a text names; empty if it can't be read."""
    game = tomllib.loads(text).get("game", "") if _is_toml(text) else ""
    return game if isinstance(game, str) else ""


def _check_bots(site: Site, names: Sequence[str], game: str) -> None:
    """Raise UsageError for a bot that doesn't play the game, or a path that isn't that of a bot of Arena.

    Submitted bots that the store doesn't know are left to the check of the whole text.
    """
    known = {one.name: one.games for one in _bots(site)}
    for name in names:
        if "/" in name and name.startswith(("bots/", "/", ".")) and name not in known:
            raise BadValue(("bots",), f"{name} is no bot that comes with Arena", "choose one from the list")
        games = known.get(name.partition("@")[0])
        if game and games is not None and not plays(games, game):
            raise BadValue(
                ("bots",),
                f"{name} doesn't play {game}, but {', '.join(games)}",
                "leave it out, or choose another game",
            )


def _bots(site: Site) -> list[Opponent]:
    try:
        with site.stores.borrowed() as store:
            return bots_to_enter(store)
    except LedgerError:  # there is no store yet
        return bots_to_enter(None)


def _sent_before(site: Site, account: str, uuid: str, text: str) -> LeagueDraft | str:
    """Return the id of the form if it has created this league or tries to, or why not; empty if it is new.

    Raises FormReused if it was sent with another text, UsageError for a text that isn't a league file.
    """
    with site.file.reading() as db:
        found = pending_commands.find(db, uuid)
    if found is None:
        return ""
    file = msgspec.json.decode(msgspec.json.encode(read_draft(text)))
    if found.account != account or found.data.get("file") != file:
        raise FormReused
    return LeagueDraft((), None, found.answer) if found.state == "refused" else uuid


def _page(
    site: Site,
    text: str,
    answers: Mapping[str, str] = MappingProxyType({}),
    draft: LeagueDraft | None = None,
    taken: Sequence[str] = (),
) -> Page:
    """Return the page. `text`: of the file without the fields; `answers`: the fields, by their names."""
    typed = defaultdict(str, answers)
    for path in QUESTIONS:
        untouched = typed[f"key:{path}"] in ("", typed[f"was:{path}"])
        typed[f"key:{path}"] = (untouched and _in_text(text, path)) or typed[f"key:{path}"]
    game = typed["key:game"] = typed["key:game"] or next(iter(registry.games()))
    default_kind = schedule_named({}).name
    for path, chosen in (("game", game), ("schedule.kind", typed["key:schedule.kind"] or default_kind)):
        typed[f"was:{path}"] = typed[f"was:{path}"] or chosen
    whole = text
    with suppress(ArenaError):  # the draft says why
        whole, _ = _written(site, Form({**typed, "text": text}), text)
    bots = [one for one in _bots(site) if plays(one.games, game)]
    ticked = [one for one in bots if typed[f"bot:{one.name}"]]
    wanted = typed["find"].strip().casefold()
    found = [one for one in bots if wanted in one.name.casefold() and one not in ticked]
    try:
        with site.stores.borrowed() as store:
            seen = preview(store, whole)
    except LedgerError:  # there is no store yet
        seen = preview(None, whole)
    values = {
        "text": text,
        "draft": draft,
        "at_fault": draft.at_fault if draft else "",
        "taken": taken,
        "preview": seen,
        "templates": TEMPLATES,
        "all_games": [(one.info, art_of(name)) for name, one in registry.games().items()],
        "kinds": kinds(whole),
        "default_kind": default_kind,
        "sizes": sizes(game),
        "questions": QUESTIONS,
        "tables": tables(),
        "typed": typed,
        "games": {name: list(game.info.rulesets) for name, game in registry.games().items()},
        "bots": [*ticked, *found[: max(0, MOST_OFFERED - len(ticked))]],
        "is_long": len(bots) > MOST_OFFERED,
        "in_text": named_bots(text) if _is_toml(text) else (),
        "more_bots": max(0, len(ticked) + len(found) - MOST_OFFERED),
        "form_id": new_form_id(),
    }
    return Page(
        ("organiser", "new"),
        "New league",
        "new_league.html",
        values,
        (ORGANISE,),
        scripts=("send-once.js", "new-league.js"),
    )


def _in_text(text: str, path: str) -> str:
    """Return what a league file has at a key, as somebody would type it; empty without."""
    place: object = tomllib.loads(text) if _is_toml(text) else {}
    for part in path.split("."):
        place = place.get(part, "") if isinstance(place, dict) else ""
    return str(place) if isinstance(place, str | int) else ""
