"""The commands of docs/operations.md, in order, with what the page says that they print."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.servers import REPOSITORY, clean_environment, free_port

PAGE = REPOSITORY / "docs" / "operations.md"
RUN = {"sh", "python"}
OUTPUT = "text"
SHOWN = "console"
# Blocks of `console` are not run: they are of tools that no test can have, each for one of these.
ELSEWHERE = {"docker", "kubectl", "sudo", "umask"}
ANYTHING = "…"


@dataclass
class Block:
    language: str
    text: str
    line: int


def blocks() -> list[Block]:
    text = PAGE.read_text()
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [Block(each[1], each[2], text.count("\n", 0, each.start()) + 2) for each in found]


def script() -> str:
    """All that is run, as one session; each block is announced, so that what it prints is told apart."""
    lines = ["set -euo pipefail", "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT"]
    for block in [each for each in blocks() if each.language in RUN]:
        lines.append(f"echo; echo '== {block.line}'; echo '== {block.line}' >&2")
        lines.append(block.text if block.language == "sh" else f"python3 - <<'PYTHON'\n{block.text}PYTHON")
    lines.append("echo; echo '== end'")
    return "\n".join(lines) + "\n"


def expected() -> dict[int, str]:
    """What the block of a line prints, where the page says it."""
    found = blocks()
    return {
        block.line: told.text for block, told in zip(found, found[1:]) if block.language in RUN and told.language == OUTPUT
    }


def pattern(line: str) -> str:
    return ".*".join(re.escape(part) for part in line.split(ANYTHING))


def test_every_block_is_run_or_is_of_another_machine():
    languages = {block.language for block in blocks()}
    assert languages == RUN | {OUTPUT, SHOWN}
    for block in [each for each in blocks() if each.language == SHOWN]:
        for line in block.text.splitlines():
            assert line.startswith("$ ") and line.split()[1] in ELSEWHERE, line
            for path in re.findall(r"\bdeploy/[\w./-]+\w", line):
                assert (REPOSITORY / path).exists(), line
    for path in re.findall(r"`((?:deploy|Tests)/[\w./-]+)`", PAGE.read_text()):
        assert (REPOSITORY / path).exists(), path
    assert len(expected()) > 5


@pytest.mark.timeout(240)
def test_the_commands_do_what_the_page_says(binary: Path, tmp_path: Path):
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "brasa").symlink_to(binary.resolve())
    # A link would not find the packages beside the program.
    (programs / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (programs / "python3").chmod(0o755)
    text = script()
    # Where others may listen already.
    ports = {"8080": str(free_port()), "9100": str(free_port())}
    for port, free in ports.items():
        text = re.sub(rf"\b{port}\b", free, text)
    folder = tmp_path / "folder"
    folder.mkdir()
    environment = {**clean_environment(), "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    with (tmp_path / "errors").open("w+") as errors:
        session = subprocess.Popen(
            ["bash", "-c", text], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True,
            start_new_session=True,
        )
        try:
            output, _ = session.communicate(timeout=200)
        finally:
            if session.poll() is None:
                os.killpg(session.pid, signal.SIGKILL)
        errors.seek(0)
        log = folder / "brasa.log"
        if session.returncode != 0:
            pytest.fail(f"{errors.read()}\nthe log says:\n{log.read_text() if log.exists() else ''}", pytrace=False)
    for port, free in ports.items():
        output = re.sub(rf"\b{free}\b", port, output)
    parts = re.split(r"^== (\w+)\n", output, flags=re.MULTILINE)[1:]
    printed = dict(zip(parts[::2], parts[1::2]))
    assert "end" in printed
    for line, told in expected().items():
        # A page may show the first lines of what is printed.
        lines = printed[str(line)].strip().splitlines()
        assert len(lines) >= len(told.splitlines()), (line, lines)
        for wanted, got in zip(told.splitlines(), lines):
            assert re.fullmatch(pattern(wanted), got), (line, lines)
