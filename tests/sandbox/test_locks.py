"""Programs in other languages lock files of their scratch, as their libraries do."""

import shutil
import subprocess
from pathlib import Path

import pytest

from arena.sandbox.bot_program import Bounds
from tests.support.sandbox import IS_ROOT, PATIENCE_S, needs_bwrap, open_folder, overlaid, sandbox

GO = """package main
import ("fmt"; "os"; "syscall")
func main() {
    first, _ := os.Create("/tmp/lock")
    second, _ := os.Open("/tmp/lock")
    fmt.Println(syscall.Flock(int(first.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil,
        syscall.Flock(int(second.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil)
}
"""
RUST = """use std::fs::File;
fn main() {
    let first = File::create("/tmp/lock").unwrap();
    let second = File::open("/tmp/lock").unwrap();
    println!("{} {}", first.try_lock().is_ok(), second.try_lock().is_ok());
}
"""
NODE = """
const { spawn, spawnSync } = require("child_process");
const first = spawn("flock", ["--exclusive", "/tmp/lock", "sh", "-c", "echo; sleep 60"]);
first.stdout.once("data", () => {
    const second = spawnSync("flock", ["--nonblock", "--exclusive", "/tmp/lock", "true"]);
    console.log("true", second.status === 0);
    first.kill();
    process.exit();
});
"""


def built(folder: Path, language: str) -> tuple[str, ...]:
    """Build the program of a language in a folder; return its command."""
    if language == "Node":
        (folder / "lock.js").write_text(NODE)
        return ("node", "lock.js")
    source, compiler = {
        "Go": ("lock.go", ("go", "build", "-o", "lock", "lock.go")),
        "Rust": ("lock.rs", ("rustc", "-o", "lock", "lock.rs")),
    }[language]
    (folder / source).write_text(GO if language == "Go" else RUST)
    subprocess.run(compiler, cwd=folder, check=True, capture_output=True)
    return ("./lock",)


@needs_bwrap
@pytest.mark.slow
@pytest.mark.parametrize("language", ["Go", "Node", "Rust"])
def test_locks_are_had_and_kept_from_others(language: str) -> None:
    program = {"Go": "go", "Node": "node", "Rust": "rustc"}[language]
    if shutil.which(program) is None:
        pytest.skip(f"no {program} here")
    with open_folder() as place, overlaid(sandbox(place, "root" if IS_ROOT else "ordinary user")) as inside:
        command = built(inside.staged, language)
        with inside.start_command(command, bounds=Bounds(address_bytes=0)) as (process, _):
            told, errors = process.communicate(timeout=PATIENCE_S)
    assert told.split() == ["true", "false"], errors
