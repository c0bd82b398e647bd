"""The examples for clusters say what Arena and Dask understand, and leave nothing open to others."""

import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer

from arena.cli.app import app

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "cluster"
HAS_BASH = sys.platform.startswith("linux") and shutil.which("bash") is not None
SLURM = EXAMPLES / "hosts.sbatch"
WRITABLE_OR_READABLE_FOR_OTHERS = 0o007
CALLED = """#!/bin/sh
{
    printf '%s\\n' "$@"
    while [ "$1" != --folder ]; do shift; done
    stat --format %a "$2"
} >"$NOTES"
"""


def options_of_host() -> set[str]:
    command: Any = typer.main.get_command(app)
    host = command.get_command(None, "host")
    return {word for one in host.params for word in one.opts}


def words_with_dashes(words: list[str]) -> set[str]:
    return {word.partition("=")[0] for word in words if word.startswith("--")}


@pytest.fixture(scope="module")
def manifests() -> dict[tuple[str, str], Any]:
    """Return what is in the file for Kubernetes, by kind and name."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    documents = yaml.safe_load_all((EXAMPLES / "kubernetes.yaml").read_text())
    return {(one["kind"], one["metadata"]["name"]): one for one in documents}


def pod_of(manifests: dict[tuple[str, str], Any], name: str) -> Any:
    return manifests["Deployment", name]["spec"]["template"]["spec"]


def test_kubernetes_starts_hosts_with_options_that_there_are(manifests: dict[tuple[str, str], Any]) -> None:
    (container,) = pod_of(manifests, "hosts")["containers"]
    assert container["command"] == ["arena", "host"]
    used = words_with_dashes(container["args"])
    assert used >= {"--join", "--certificates", "--folder"}
    assert used <= options_of_host()
    assert f"--slots={container['resources']['requests']['cpu']}" in container["args"], "a core for each slot"


def test_kubernetes_starts_a_scheduler_with_options_that_there_are(
    manifests: dict[tuple[str, str], Any],
) -> None:
    scheduler = import_module("distributed.cli.dask_scheduler")
    (container,) = pod_of(manifests, "scheduler")["containers"]
    assert container["command"] == ["dask", "scheduler"]
    known = {word for one in scheduler.main.params for word in (*one.opts, *one.secondary_opts)}
    used = words_with_dashes(container["args"])
    assert used <= known
    assert used >= {"--protocol", "--tls-ca-file", "--tls-cert", "--tls-key", "--preload", "--no-dashboard"}
    assert "--protocol=tls" in container["args"]
    assert "--dashboard-address=127.0.0.1:8787" in container["args"], "its metrics have no TLS"


def test_in_kubernetes_nothing_is_open_to_others(manifests: dict[tuple[str, str], Any]) -> None:
    for name in ("scheduler", "hosts"):
        pod = pod_of(manifests, name)
        assert pod["automountServiceAccountToken"] is False
        labels = manifests["Deployment", name]["spec"]["selector"]["matchLabels"]
        policy = manifests["NetworkPolicy", name]["spec"]
        assert policy["podSelector"]["matchLabels"] == labels
        assert policy["policyTypes"] == ["Ingress", "Egress"]
        assert all(rule["from"] for rule in policy["ingress"])
        for volume in pod["volumes"]:
            if "secret" in volume:
                assert not volume["secret"]["defaultMode"] & WRITABLE_OR_READABLE_FOR_OTHERS
    assert "type" not in manifests["Service", "scheduler"]["spec"], "inside the cluster alone"
    assert pod_of(manifests, "scheduler")["securityContext"]["runAsNonRoot"] is True


@pytest.mark.skipif(not HAS_BASH, reason="needs bash and the tools of GNU")
def test_slurm_starts_hosts_that_leave_before_the_time_is_over(tmp_path: Path) -> None:
    """`squeue` and `srun` are stand-ins, and so is `arena`, which notes how it was called."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, script in (
        ("squeue", "#!/bin/sh\ndate --date '+20 minutes' +%Y-%m-%dT%H:%M:%S\n"),
        ("srun", '#!/bin/sh\nfor word; do case $word in --*) shift ;; *) exec "$@" ;; esac; done\n'),
        ("arena", CALLED),
    ):
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    (tmp_path / "tmp").mkdir()
    done = subprocess.run(
        ["bash", str(SLURM), "tls://login:8786"],
        env={
            "PATH": f"{programs}:{os.defpath}",
            "HOME": str(tmp_path),
            "TMPDIR": str(tmp_path / "tmp"),
            "NOTES": str(tmp_path / "notes"),
            "SLURM_JOB_ID": "7",
            "SLURM_CPUS_PER_TASK": "32",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    words = (tmp_path / "notes").read_text().splitlines()
    assert words_with_dashes(words) <= options_of_host()
    assert words[:3] == ["host", "--join", "tls://login:8786"]
    given = dict(zip(words[1:-1:2], words[2:-1:2], strict=True))
    assert given["--slots"] == "32"
    assert 13 * 60 < int(given["--leave-after-s"]) <= 15 * 60, "five minutes before the end"
    assert words[-1] == "700", "no other account may use its folder"
    assert not Path(given["--folder"]).exists(), "nothing of it stays"


@pytest.mark.skipif(not HAS_BASH, reason="needs bash and the tools of GNU")
def test_slurm_says_what_is_missing() -> None:
    done = subprocess.run(["bash", str(SLURM)], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "usage: sbatch hosts.sbatch tls://HOST:8786" in done.stderr
    assert "--cpus-per-task=" in SLURM.read_text().partition("srun --")[2], "srun takes none from the job"
