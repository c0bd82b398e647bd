"""What keeps bubblewrap from confining bots here, and what to do about it: most of all in a container.

A container forbids what bubblewrap needs: its system call filter refuses namespaces, or what is done in them, and the
kernel lets nobody mount a new /proc while parts of the present one are covered.
Sources: podman-run(1), docker-run(1), systemd's CONTAINER_INTERFACE; bubblewrap, issues 284 and 505.
"""

import os
import re
from pathlib import Path

from msgspec import Struct

PODMAN_FILE = Path("/run/.containerenv")
DOCKER_FILE = Path("/.dockerenv")
MANAGER_FILE = Path("/run/systemd/container")
_START = {
    "podman": "podman run --security-opt seccomp=unconfined --security-opt unmask='/proc/*'",
    "docker": "docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined",
}
APPARMOR = "--security-opt apparmor=unconfined"
SELINUX = "--security-opt label=disable"
GROUPS = (
    "containers keep their control groups to themselves: for level full, run Arena outside of a container"
)


class Container(Struct, frozen=True):
    """The container around this process."""

    engine: str
    """What made it, such as `podman`, as it names itself."""
    sign: str
    """What tells so."""

    def remedy(self, *more: str) -> str:
        """Return how to start it so that it allows the sandbox of bots. `more`: options for this case."""
        if os.geteuid() == 0:
            return "root has too few rights in this container: start it as another user, or with --privileged"
        if self.engine not in _START:
            return "let this container make namespaces, without a system call filter and with nothing of /proc covered"
        return f"start this container with: {' '.join((_START[self.engine], *more))} …"


def container() -> Container | None:
    """Return the container that this process runs in; None if nothing tells of one."""
    if (told := _text(PODMAN_FILE)) is not None:
        made = re.match(r'engine="(\w+)', told)
        return Container(made[1] if made else "podman", str(PODMAN_FILE))
    if DOCKER_FILE.exists():
        return Container("docker", str(DOCKER_FILE))
    if name := os.environ.get("container"):  # noqa: SIM112 - systemd wants it in lower case
        return Container(name, f"container={name}")
    if "KUBERNETES_SERVICE_HOST" in os.environ:
        return Container("kubernetes", "KUBERNETES_SERVICE_HOST")
    if name := (_text(MANAGER_FILE) or "").strip():
        return Container(name, str(MANAGER_FILE))
    return None


def _text(file: Path) -> str | None:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


_REMEDIES = (
    (
        ("setting up uid map", "RTM_NEWADDR"),
        "the system forbids namespaces to ordinary users: give bwrap an AppArmor profile that allows `userns`, or set "
        "kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    (
        ("No permissions to creat", "Creating new namespace failed"),
        "namespaces are forbidden on this system: make sure that user.max_user_namespaces is not 0",
    ),
    (("Resource temporarily unavailable",), "end other processes, or raise the limit: ulimit -u"),
    (("Too many open files",), "raise the limit: ulimit -n 1024"),
    (("Unknown option",), "install bubblewrap 0.8 or newer"),
    (("prlimit:", "setpriv:"), "install a newer util-linux"),
)


_OF_CONTAINERS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("No permissions to creat", "Creating new namespace failed", "Can't set hostname"), ()),
    (("Can't mount proc", "Can't mount tmpfs", "Can't remount"), ()),
    (("Failed to make / slave",), (APPARMOR,)),
    (("Failed to mount tmpfs",), (SELINUX,)),
    (("Unexpected capabilities",), ("--cap-drop ALL",)),
)
"""What bubblewrap says if a container forbids something, and options that are needed besides."""


def remedy(trouble: str) -> str:
    """Return what to do about an error message of bubblewrap."""
    if (around := container()) is not None:
        for signs, more in _OF_CONTAINERS:
            if any(sign in trouble for sign in signs):
                return around.remedy(*more)
    for signs, advice in _REMEDIES:
        if any(sign in trouble for sign in signs):
            return advice
    return "run bwrap by hand to find out more, or ask the administrator of this machine"
