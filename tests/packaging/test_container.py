"""The image of the Containerfile: built on a base that Debian's packages make, started, and used from outside.

The build asks the network as this machine does: with its sources of packages, and with what pip is told here.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from tests.support.leagues import ARENA
from tests.support.tree import ROOT
from tests.support.waiting import eventually
from tests.support.web.serving import free_port
from tests.support.web.uploading import archive

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3_600), pytest.mark.xdist_group("container")]
FILE = ROOT / "Containerfile"
PROGRAMS = ("mmdebstrap", "buildah")
PIP = "/mnt/pip"
"""Where the build finds the files that pip is told of here."""
UNSEEN = ("doc", "info", "locale", "man")
"""What slim images leave out of /usr/share."""
INSIDE = """
root=$1 data=$2
shift 2
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount --bind "$data" "$root/data"
for file in hosts resolv.conf; do touch "$root/etc/$file"; mount --bind "/etc/$file" "$root/etc/$file"; done
cd "$root"
pivot_root . .
umount --lazy .
cd /data
exec env -i HOME=/home/arena PATH=/opt/arena/bin:/usr/bin:/bin container=test \\
    setpriv --reuid=arena --regid=arena --init-groups --inh-caps=-all --bounding-set=-all "$@"
"""
"""A container that lets bots be confined, as a script: of the image's user, with namespaces and all of /proc."""
LEAGUE = """
name = "open"
game = "bread-basket"
seats = 2
seed = 7
options = { hands = 1 }
[schedule]
kind = "ladder"
[[bots]]
path = "bots/bread_basket/greedy"
[[bots]]
path = "bots/any_game/random"
"""


def done(command: Sequence[str | Path]) -> str:
    """Run a command; return what it prints."""
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"{command}\n{ran.stdout[-3_000:]}\n{ran.stderr[-6_000:]}"
    return ran.stdout


def sources() -> list[Path]:
    """Return this machine's lists of packages of the base's release; without any, mmdebstrap uses Debian's own."""
    release = re.split("[:-]", base())[1]
    lists = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    return [
        one
        for one in lists
        if one.suffix in (".list", ".sources") and one.is_file() and release in one.read_text()
    ]


def fetching() -> list[str]:
    """Return what this machine's apt is told about fetching, such as a proxy."""
    told = done(["apt-config", "dump", "--format", '%F "%v";%n', "Acquire"]).splitlines()
    return [line for line in told if re.match(r"Acquire::(Check-|https?::|Force|Retries)", line)]


def base() -> str:
    """Return the image that the Containerfile stands on."""
    found: set[str] = set(re.findall(r"^FROM (\S+)", FILE.read_text(encoding="utf-8"), re.MULTILINE))
    assert len(found) == 1
    return found.pop()


def told_to_pip(folder: Path) -> list[str]:
    """Write what pip is told here to a file; return the options that show the build this file and those it names."""
    mounts: dict[str, str] = {}
    values: dict[str, str] = {}
    lines = done([ROOT / ".venv/bin/pip", "config", "list"]).splitlines()
    for line in sorted(lines, key=lambda line: line.startswith(":env:")):  # which counts more
        name, _, value = line.partition("=")
        words = []
        for word in ast.literal_eval(value).split():
            place = word.removeprefix("file://")
            if place != word:  # an index, whose pages name files beside it
                place = str(Path(place).parent)
            if place.startswith("/") and Path(place).exists():
                inside = mounts.setdefault(place, f"{PIP}/{len(mounts)}{Path(place).suffix}")
                word = word.replace(place, inside)
            words.append(word)
        values[name.rpartition(".")[2]] = " ".join(words)
    own = folder / "pip.conf"
    own.write_text("\n".join(["[global]", *(f"{name} = {value}" for name, value in values.items()), ""]))
    mounts[str(own)] = "/etc/pip.conf"
    return [f"--volume={place}:{inside}:ro" for place, inside in mounts.items()]


@dataclass(frozen=True)
class Image:
    """The image as files, and its container."""

    buildah: tuple[str, ...]
    container: str
    files: Path
    size_bytes: int

    def command(self, store: Path, *words: str) -> list[str | Path]:
        """Return a command of the image's user in a container that lets bots be confined, on this machine's network."""
        separate = ["unshare", "--mount", "--pid", "--ipc", "--fork", "--kill-child"]
        return [*separate, "sh", "-e", "-c", INSIDE, "sh", self.files, store, *words]

    def made(self) -> dict[str, Any]:
        """Return what the image says about its containers."""
        config: dict[str, Any] = json.loads(done([*self.buildah, "inspect", self.container]))["Docker"][
            "config"
        ]
        return config


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    if missing := [name for name in PROGRAMS if shutil.which(name) is None]:
        pytest.skip(f"there is no {', no '.join(missing)}")
    if os.geteuid() != 0:
        pytest.skip("only root can make an image this way")
    folder = tmp_path_factory.mktemp("image")
    folder.chmod(0o755)
    unseen = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in UNSEEN]
    kept = [f"--aptopt={one}" for one in fetching()]
    release = re.split("[:-]", base())[1]
    options = ["--variant=minbase", "--mode=root", *unseen, *kept]
    done(["mmdebstrap", *options, release, folder / "base.tar", *map(str, sources())])
    buildah = ("buildah", "--root", f"{folder}/root", "--runroot", f"{folder}/run", "--storage-driver", "vfs")
    try:
        first = done([*buildah, "from", "scratch"]).strip()
        done([*buildah, "add", first, folder / "base.tar", "/"])
        done([*buildah, "commit", "--rm", first, base()])
        (folder / "base.tar").unlink()
        begun_s = time.monotonic()
        build = ["bud", "--isolation", "chroot", "--pull-never", "--format", "docker", "--tag", "arena"]
        done([*buildah, *build, *told_to_pip(folder), "--file", FILE, ROOT])
        build_s = time.monotonic() - begun_s
        container = done([*buildah, "from", "--pull-never", "localhost/arena"]).strip()
        (listed,) = json.loads(done([*buildah, "images", "--json", "localhost/arena"]))
        files = Path(done([*buildah, "mount", container]).strip())
        size = sum(one.lstat().st_size for one in files.rglob("*") if not one.is_dir())
        print(f"image: {listed['size']}, {size / 1e6:,.0f} MB of files; built in {build_s:.0f} s")  # noqa: T201
        yield Image(buildah, container, files, size)
    finally:
        subprocess.run([*buildah, "umount", "--all"], capture_output=True, check=False)
        subprocess.run([*buildah, "rm", "--all"], capture_output=True, check=False)


@pytest.fixture
def store(image: Image, tmp_path: Path) -> Path:
    """Return a folder of the image's user, for the store."""
    (uid,) = re.findall(r"^arena:[^:]*:(\d+):", (image.files / "etc/passwd").read_text(), re.MULTILINE)
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    os.chown(folder, int(uid), int(uid))
    return folder


@contextmanager
def serving(image: Image, store: Path) -> Iterator[str]:
    """Yield the address of `arena serve` in a container."""
    port = free_port()
    with (store.parent / "log").open("w+b") as log:
        server = subprocess.Popen(
            image.command(store, "arena", "serve", "--port", str(port)), stdout=log, stderr=log
        )
        try:
            assert eventually(
                lambda: b"open http://" in Path(log.name).read_bytes() or server.poll() is not None
            )
            assert server.poll() is None, Path(log.name).read_text()
            yield f"http://127.0.0.1:{port}"
        finally:
            for first in psutil.Process(server.pid).children():
                first.kill()  # and with it all in its container
            server.wait()


def test_a_bot_submitted_to_a_container_is_confined_there_and_rated(
    image: Image, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (store / "open.toml").write_text(LEAGUE)
    done(image.command(store, "arena", "league", "create", "open.toml"))
    token = done(image.command(store, "arena", "accounts", "invite", "ada")).split()[0]
    (tmp_path / "rye.zip").write_bytes(archive())
    monkeypatch.setenv("ARENA_TOKEN", token)
    with serving(image, store) as address:
        submitted = done(
            [*ARENA, "submit", tmp_path / "rye.zip", "--to", address, "--league", "open", "--wait"]
        )
        assert "submitted as ada/rye@1" in submitted

        def rated() -> bool:
            rows = json.loads(done([*ARENA, "rankings", "open", "--at", address, "--format", "json"]))
            return any(row["label"] == "rye" and row["games"] > 0 for row in rows)

        assert eventually(rated, 300)
        assert httpx2.get(f"{address}/api/v1/leagues/open/games").json()[0]["sandbox"] == "confined"


def test_the_doctor_in_a_container_tells_what_it_allows(image: Image, store: Path) -> None:
    doctor = ("arena", "doctor", "--format", "json")
    allowing = {row["what"].strip(): row for row in told(done(image.command(store, *doctor)))}
    assert allowing["sandbox"]["found"] == "confined"
    assert allowing["container"]["found"] == "test, by container=test"
    assert "file locks" not in allowing
    run = [*image.buildah, "run", "--isolation", "chroot", image.container, "--"]
    forbidding = {row["what"].strip(): row for row in told(done([*run, *doctor]))}
    assert forbidding["sandbox"]["found"] == "process"
    assert "forbids" in forbidding["container"]["means"]
    assert "container" in forbidding["start"]["means"]


def told(printed: str) -> list[dict[str, str]]:
    """Return rows of JSON."""
    rows: list[dict[str, str]] = json.loads(printed)
    print("\n".join(f"{row['what']}: {row['found']}\n    {row['means']}" for row in rows))  # noqa: T201
    return rows


def test_the_health_check_passes_while_the_server_answers(image: Image, store: Path) -> None:
    made = image.made()
    assert (made["Entrypoint"], made["Cmd"][0], list(made["ExposedPorts"])) == (
        ["arena"],
        "serve",
        ["8642/tcp"],
    )
    kind, *check = made["Healthcheck"]["Test"]
    assert kind == "CMD"

    def checked(port: str) -> int:
        words = [word.replace("8642", port) for word in check]
        assert words != check
        return subprocess.run(image.command(store, *words), stderr=subprocess.PIPE, check=False).returncode

    with serving(image, store) as address:
        port = address.rpartition(":")[2]
        assert checked(port) == 0
    assert checked(port) == 1


def test_the_image_has_only_what_it_needs_and_runs_as_nobody_special(image: Image) -> None:
    made = image.made()
    assert (made["User"], list(made["Volumes"])) == ("arena", ["/data"])
    assert image.size_bytes < 520_000_000
    for name in ("usr/bin/pip", "opt/arena/bin/pip", "usr/bin/cc", "src"):
        assert not (image.files / name).exists()
    for pattern in (
        "mnt/pip/*",
        "etc/pip.conf",
        "var/lib/apt/lists/*_Packages*",
        "var/cache/apt/archives/*.deb",
    ):
        assert not [file for file in image.files.glob(pattern) if file.is_file() and file.stat().st_size]
