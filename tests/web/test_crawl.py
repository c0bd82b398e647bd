"""Every link leads somewhere: on a server from the home page on, and between the files of an exported folder."""

import re
import tarfile
from collections import Counter, deque
from pathlib import Path
from urllib.parse import urlsplit
from zlib import compress

import pytest
from starlette.testclient import TestClient

from arena.core.errors import UsageError
from arena.web.app import create_app
from arena.web.html.links import path_of
from arena.web.live.site import Site
from arena.web.public import export as writing
from arena.web.public.export import export
from arena.web.public.url_map import exported_paths, find
from results.store import open_store
from tests.support.ledgers import new_store
from tests.support.web.large_store import add_large_league
from tests.support.web.pages import LINKED, check, check_folder

pytestmark = pytest.mark.xdist_group("site")

LIVE_ONLY = (
    "play",
    "sign-in",
    "join",
    "kit.zip",
    "sign-out",
    "account",
    "submit",
    "uploads",
    "organiser",
    "api",
)
"""Pages that aren't public, which have tests of their own."""


ODD = re.compile(
    r"\d[\u00a0\u202f]\d|\[object |\bundefined\b|(?<![\w/-])(nan|None)(?= *[,;<)]| of\b|$)", re.MULTILINE
)
"""What a page says of a value that it doesn't have, and numbers that aren't written like 1,400."""
_TAGS = re.compile(r"<script.*?</script>|<[^>]*>", re.DOTALL)
MOST_BYTES = 200_000
MOST_PACKED_BYTES = 30_000


def crawl(client: TestClient, most_of_kind: int | None, prefix: str = "") -> Counter[str]:
    """Follow every link from the home page on; return how many pages of each kind were read.

    `most_of_kind`: so many of a kind and league, counting the addresses with the strangest names first. `prefix`: of
    the site; no link may lead out of it.
    """
    home = f"{prefix}/"
    waiting, seen, read = deque([home]), {home}, Counter[str]()
    of_kind: Counter[tuple[str, str]] = Counter()
    while waiting:
        address = waiting.popleft()
        path = path_of(urlsplit(address).path.removeprefix(prefix))
        if path[:1] == ("static",) or urlsplit(address).path.endswith((".atom", ".csv", ".json")):
            assert client.get(address).status_code == 200, address
            continue
        entry = find(path, {}).entry
        kind = entry.pattern, path[1] if path[:1] == ("leagues",) else ""
        if most_of_kind is not None and of_kind[kind] >= most_of_kind:
            continue
        of_kind[kind] += 1
        answer = client.get(address)
        assert answer.status_code == 200, f"{address}: {answer.status_code}"
        read[entry.pattern] += 1
        assert not (odd := ODD.search(_TAGS.sub(" ", answer.text))), f"{address}: {odd}"
        assert len(answer.content) <= MOST_BYTES, f"{address}: {len(answer.content)} bytes"
        assert len(compress(answer.content)) <= MOST_PACKED_BYTES, f"{address} is too heavy"
        found = sorted(set(check(answer.text, address).links), key=lambda link: (-link.count("%"), link))
        for link in found:
            assert link.startswith((home, "#", "https://")), (
                f"{address}: {link} is no absolute path of the site"
            )
            link = link.partition("#")[0]
            if not link or link.startswith("https://") or link in seen:
                continue
            to = path_of(urlsplit(link).path.removeprefix(prefix))
            if to[:1] and to[0] in LIVE_ONLY:
                continue
            seen.add(link)
            waiting.append(link)
    return read


def test_links_lead_from_the_home_page_to_pages_of_every_kind_and_not_out_of_the_prefix(
    demo_store: Path,
) -> None:
    state = Site.of(demo_store)
    read = crawl(
        TestClient(create_app(state, prefix="/my/ladder"), base_url="http://localhost"), 1, "/my/ladder"
    )
    assert set(read) == LINKED
    state.close()


def test_a_folder_that_cannot_be_written_is_said_so(demo_store: Path, tmp_path: Path) -> None:
    with (
        open_store(demo_store, create=False, readonly=True) as store,
        pytest.raises(UsageError, match="can't be written: File name too long"),
    ):
        export(store, tmp_path / ("a" * 300))
    assert not list(tmp_path.iterdir())


def test_an_export_deletes_nothing_that_it_has_not_written(
    demo_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "exported_paths", lambda _store, _most: iter([(), ("rules",)]))
    monkeypatch.setattr(writing, "exported_files", lambda _store: iter(()))
    real, public = tmp_path / "real", tmp_path / "public"
    with open_store(demo_store, create=False, readonly=True) as store:
        public.symlink_to(real)
        with pytest.raises(UsageError, match="exists already"):  # a link that leads nowhere
            export(store, public)
        real.mkdir()
        assert export(store, public) == 2, "it was empty"
        (real / "index.html").write_text("mine")
        for there in (real, public, real / "index.html"):
            with pytest.raises(UsageError, match="exists already"):
                export(store, there)
        assert (real / "index.html").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["public", "real"]


@pytest.mark.slow
def test_an_exported_folder_leads_only_to_its_own_files(demo_store: Path, tmp_path: Path) -> None:
    with open_store(demo_store, create=False, readonly=True) as store:
        written = export(store, tmp_path / "public", most_matches=1)
        assert len(set(exported_paths(store, 1))) == written == check_folder(tmp_path / "public")


@pytest.mark.slow
def test_every_link_of_every_page_leads_somewhere(site: TestClient) -> None:
    read = crawl(site, most_of_kind=None)
    assert set(read) == LINKED
    assert read["leagues/{name}/bots/{label}"] == 15


HOSTILE = (
    "W" * 64,
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "אבג דהו",
    "a/../b",
    "100%&?#",
    "{{ 7 * 7 }}",
    "'; DROP TABLE entry; --",
    "🥪" * 30,
)


def store_of(kind: str, folder: Path) -> Path:
    """Return the path of the store of the invariants, or of one with hostile names."""
    if kind == "invariants":
        with tarfile.open(Path(__file__).parents[1] / "invariants" / "store-1.tar.xz") as archive:
            archive.extractall(folder, filter="data")
        return next(folder.rglob("arena.sqlite"))
    with new_store(folder) as store:
        add_large_league(store, "<b>league</b> & more", 60, 300, 2, labels=HOSTILE, copies=20)
    return folder / "arena.sqlite"


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["invariants", "hostile"])
def test_pages_of_other_stores_lead_somewhere_and_say_what_they_mean(tmp_path: Path, kind: str) -> None:
    state = Site.of(store_of(kind, tmp_path))
    read = crawl(TestClient(create_app(state), base_url="http://localhost"), most_of_kind=12)
    state.close()
    assert read["leagues/{name}/bots/{label}"] >= len(HOSTILE)


@pytest.mark.slow
def test_an_exported_folder_of_everything_leads_only_to_its_own_files(
    demo_store: Path, tmp_path: Path
) -> None:
    with open_store(demo_store, create=False, readonly=True) as store:
        written = export(store, tmp_path / "public", most_matches=0)
    assert written == check_folder(tmp_path / "public")
