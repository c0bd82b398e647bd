"""Uploads of a bot in an archive, and what checks them."""

import io
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from starlette.testclient import TestClient

from arena.web.live.site import Site
from arena.web.uploads.receiving import Reception, UploadLimits
from arena.web.uploads.worker import Worker
from tests.support.leagues import simple
from tests.support.web.visitors import token_of

MANIFEST = 'name = "rye"\ncommand = ["python3", "-S", "bot.py"]\ngames = ["bread-basket"]\n'


def archive(manifest: str = MANIFEST, program: str = "", **more: str) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as found:
        for name, content in {"bot.toml": manifest, "bot.py": program or simple(0), **more}.items():
            found.writestr(f"rye/{name}", content)
    return into.getvalue()


def bearer(site: Site, name: str = "ann", role: str = "author") -> dict[str, str]:
    return {"Authorization": f"Bearer {token_of(site, name, role)}"}  # type: ignore[arg-type]


def worker(site: Site, **limits: Any) -> Worker:
    reception = msgspec.structs.replace(site.reception.limits, **limits)
    return Worker(Reception(site.reception.store, site.file, reception), "auto", lambda _: None)


def checks_of(server: int) -> list[int]:
    """Return the processes in which a server checks uploads."""
    found: list[int] = []
    for thread in Path(f"/proc/{server}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, thread.read_text().split())
    return [pid for pid in found if b"arena.web.uploads.check" in _command(pid)]


def _command(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def limit(site: Site, **limits: Any) -> None:
    site.reception = Reception(
        site.reception.store, site.file, msgspec.structs.replace(UploadLimits(), **limits)
    )


def upload(api: TestClient, headers: dict[str, str], body: bytes, query: str = "") -> Any:
    return api.post(f"/api/v1/uploads{query}", content=body, headers=headers)


def manifest(mark: str = "", more: str = "") -> str:
    words = ["python3", "-S", "bot.py", *([mark] if mark else [])]
    return f'name = "rye"\ncommand = {msgspec.json.encode(words).decode()}\ngames = ["bread-basket"]\n{more}'
