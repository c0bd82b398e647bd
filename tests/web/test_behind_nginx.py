"""A site behind nginx, as docs/site.md sets it up: with a host name of its own, and below a path of another site."""

import datetime
import ipaddress
import json
import os
import re
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from arena.web.app import create_app
from arena.web.http.allowed_hosts import names_for
from arena.web.http.server import Server, listen
from arena.web.live.site import Site
from tests.support.leagues import ARENA
from tests.support.tree import ROOT
from tests.support.waiting import eventually
from tests.support.web.chromium import chromium
from tests.support.web.copied_site import copied_site
from tests.support.web.pages import page_read
from tests.support.web.serving import free_port, serving
from tests.support.web.uploading import archive
from tests.support.web.visitors import HERE, csrf_in, site_at, token_of
from tests.web.person import Person, sit_down

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
PREFIX = "/ladder"
CONFIGURATION = """
{user}
daemon off;
pid nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    {server}
}}
"""


def blocks_of_the_page() -> tuple[str, str]:
    """Return what docs/site.md writes for nginx: a server of a host name, and a location below a path."""
    page = (ROOT / "docs/site.md").read_text(encoding="utf-8")
    found = re.findall(r"```nginx\n((?:server|location) .*?)```", page, re.DOTALL)
    server, location = found
    return server, location


def write_certificate(folder: Path) -> None:
    """Write a certificate for this machine, and its key."""
    key, name = (
        ec.generate_private_key(ec.SECP256R1()),
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")]),
    )
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    (folder / "arena.example.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "arena.example.key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )


@contextmanager
def nginx(folder: Path, port: int, port_below: int) -> Iterator[str]:
    """Yield the address of nginx in front of two servers of this machine: at `port`, and at `port_below` the prefix."""
    if NGINX is None:
        pytest.skip("there is no nginx")
    server, location = blocks_of_the_page()
    own = free_port()
    folder.mkdir()
    write_certificate(folder)
    location = location.replace(":8642", f":{port_below}")
    server = server.replace(":8642", f":{port}").replace("    location / {", f"{location}    location / {{")
    server = server.replace("listen 443", f"listen 127.0.0.1:{own}").replace("/etc/ssl", str(folder))
    user = "user root;" if os.getuid() == 0 else ""
    (folder / "nginx.conf").write_text(CONFIGURATION.format(user=user, server=server))
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen([NGINX, "-p", folder, "-c", "nginx.conf", "-e", "stderr"], stderr=log)
    try:
        assert eventually(lambda: (folder / "nginx.pid").exists() or running.poll() is not None)
        assert running.poll() is None, (folder / "log").read_text()
        yield f"https://localhost:{own}"
    finally:
        running.terminate()
        running.wait()


@contextmanager
def in_a_thread(site: Site, prefix: str) -> Iterator[int]:
    """Yield the port of a server of a site."""
    listener, started = listen("127.0.0.1", 0), threading.Event()
    app = create_app(site, names_for("127.0.0.1", ["localhost"]), prefix=prefix)
    server = Server(app, listener, started.set)
    thread = threading.Thread(target=server.answer)
    thread.start()
    try:
        assert started.wait(60)
        yield listener.getsockname()[1]
    finally:
        server.ask_to_stop()
        thread.join()
        site.close()


def client(folder: Path, address: str) -> httpx2.Client:
    """Return a client that trusts the proxy and follows no redirects."""
    trusted = ssl.create_default_context(cafile=folder / "arena.example.pem")
    return httpx2.Client(base_url=address, verify=trusted, timeout=60)


def test_two_arenas_under_one_host_name(tmp_path: Path) -> None:
    sites = [site_at(tmp_path / name) for name in ("own", "below")]
    for name in ("own", "below"):
        (tmp_path / name).mkdir()
    with ExitStack() as open_ones:
        ports = [
            open_ones.enter_context(in_a_thread(site, prefix))
            for site, prefix in zip(sites, ("", PREFIX), strict=True)
        ]
        address = open_ones.enter_context(nginx(tmp_path / "nginx", *ports))
        browser = open_ones.enter_context(client(tmp_path / "nginx", address))
        for site, prefix, name in zip(sites, ("", PREFIX), ("ada", "ben"), strict=True):
            page = browser.get(f"{prefix}/sign-in")
            assert all(link.startswith((f"{prefix}/", "#")) for link in page_read(page.text).links)
            fields = {"csrf": csrf_in(page.text), "token": token_of(site, name)}
            signed_in = browser.post(f"{prefix}/sign-in", data=fields, headers=HERE)
            assert (signed_in.status_code, signed_in.headers["location"]) == (303, f"{prefix}/account")
        assert sorted((one.name, one.path, one.secure) for one in browser.cookies.jar) == [
            ("__Host-arena-session", "/", True),
            ("__Secure-arena-session!ladder", "/ladder", True),
        ]
        for prefix, name in (("", "ada"), (PREFIX, "ben")):
            assert f">{name}</a>" in browser.get(f"{prefix}/account").text
        assert browser.get(PREFIX).headers["location"].endswith(f"{PREFIX}/")
        assert browser.get("/laddered/sign-in").status_code == 404


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """Yield the port of `arena serve` for a folder, below the prefix."""
    options = ["--prefix", PREFIX, "--allow-host", "localhost", "--no-run", "--sandbox", "auto"]
    with serving(folder, *options) as (port, _):
        log = folder / "server.log"
        assert eventually(lambda: f"open http://127.0.0.1:{port}{PREFIX}/ in" in log.read_text())
        yield port


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.xdist_group("browser")
def test_a_site_below_a_path_does_everything_there(
    demo_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, proxy = tmp_path / "arena", tmp_path / "nginx"
    folder.mkdir()
    with copied_site(demo_store, folder, with_files=True) as site:
        token = token_of(site, "olga", "organiser")
    with chromium() as browser, served(folder) as port, nginx(proxy, port, port) as address:
        below = f"{address}{PREFIX}"
        page = browser.new_context(
            ignore_https_errors=True, viewport={"width": 1000, "height": 800}
        ).new_page()
        wrong: list[str] = []
        page.on("request", lambda asked: None if asked.url.startswith(below) else wrong.append(asked.url))
        page.on(
            "response", lambda got: wrong.append(f"{got.status} {got.url}") if got.status >= 400 else None
        )
        page.on("pageerror", lambda error: wrong.append(str(error)))

        page.goto(f"{below}/organiser/new")
        page.get_by_label("Token").fill(token)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{below}/organiser/new")

        (tmp_path / "rye.zip").write_bytes(archive())
        page.goto(f"{below}/submit")
        page.set_input_files("#archive", tmp_path / "rye.zip")
        page.click("form.upload-form button")
        page.wait_for_url(f"{below}/uploads/*")
        page.locator("#upload a", has_text="olga/rye@1").click(timeout=120_000)  # the page is live
        page.wait_for_url(f"{below}/bots/olga/rye/1")

        sit_down(page, below, "bread-basket", seats="2")
        Person(page, mouse=True).play_on()
        page.click("text=Watch the game again")
        page.wait_for_url(f"{below}/leagues/casual/games/0.0*")
        page.locator(".player-bar").wait_for()

        page.goto(f"{below}/leagues/unplayed")
        before = page.locator("#ladder").inner_text()
        arena("run", "unplayed", cwd=folder)
        page.wait_for_function(
            "before => document.getElementById('ladder').innerText !== before", arg=before
        )  # so is this
        assert wrong == []

        monkeypatch.setenv("ARENA_TOKEN", token)
        monkeypatch.setenv("SSL_CERT_FILE", str(proxy / "arena.example.pem"))
        (tmp_path / "rye.zip").write_bytes(archive(more="another version"))
        assert "submitted as olga/rye@2" in arena("submit", "rye.zip", "--to", below, "--wait", cwd=tmp_path)
        rankings = arena("rankings", "unplayed", "--at", below, "--format", "json", cwd=tmp_path)
        assert len(json.loads(rankings)) == 3


def arena(*arguments: str, cwd: Path) -> str:
    """Run a command; return what it prints."""
    done = subprocess.run([*ARENA, *arguments], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
